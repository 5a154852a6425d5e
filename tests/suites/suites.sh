#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# suites.sh - run other projects' test suites untraced and traced; print the
# tests whose results differ
#
# PYTHON     an interpreter with its test package; python3 without it
# COREUTILS  sources of GNU coreutils, of the release of the programs in PATH
# BASHTREE   sources of bash, of the release of /bin/bash
# PYTHON_TESTS, COREUTILS_TESTS, BASH_TESTS  names of tests instead of those below
# DFTRACE    the command; layer app is left out, which puts a directory into PYTHONPATH
#
# Result lines are compared: of each test of CPython and of coreutils its
# outcome, of each of bash its whole output (which is what it differs by). What
# differs is run again, three times each way: results that have one in common
# change by themselves. Exit status: 1 if others differ.

dftrace=${DFTRACE:?the command}
limit=${SUITE_SECONDS:-600} # for one run of one test
python_tests=${PYTHON_TESTS-test_subprocess test_os test_posix test_popen test_wait3
    test_wait4 test_fork1 test_pty test_cmd_line test_site test_io test_fileio
    test_multiprocessing_main_handling}
coreutils_tests=${COREUTILS_TESTS-env env-null env-S-script env-S env-signal-handler nice
    nice-fail nohup printenv stdbuf timeout timeout-group timeout-parameters
    timeout-blocked timeout-large-parameters sort-compress sort-compress-proc
    sort-exit-early chroot-fail chroot-credentials close-stdout invalid-opt pwd-long tee
    split/filter tail-2/pid}
bash_tests=${BASH_TESTS-execscript exportfunc redir vredir jobs trap coproc varenv comsub
    procsub heredoc lastpipe builtins errors dynvar read posixpipe input-test type set-e}

tmp=$(mktemp -d "${TMPDIR:-/tmp}/dftrace-suites.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT

# run HOW DIR COMMAND…: in DIR, its output in $tmp/output
run ()
{
    local how=$1 dir=$2 before=()
    shift 2
    [ "$how" = traced ] && before=("$dftrace" run -q -l posix -o "$tmp/job" --)
    rm -rf "$tmp/job"
    (
        cd "$dir" || exit 99
        exec setsid timeout -k 5 "$limit" "${before[@]}" "$@"
    ) >"$tmp/output" 2>&1 </dev/null
    echo "status $?"
}

# one NAME HOW: its result lines
python_one ()
{
    mkdir "$tmp/work"
    TMPDIR=$tmp/work run "$2" "$tmp/work" "$python" -m test -v "$1"
    rm -rf "$tmp/work"
    sed -nE 's/ \.\.\. .*(ok|FAIL|ERROR|expected failure|unexpected success)$/ \1/p
        s/ \.\.\. skipped.*/ skipped/p' "$tmp/output" | sort
}

# as tests/local.mk of coreutils sets it up, with the programs of PATH in src/
coreutils_one ()
{
    local top=$tmp/built file=$coreutils/tests/misc/$1 program command=(sh)
    [[ $1 != */* ]] || file=$coreutils/tests/$1
    rm -rf "$top"
    mkdir -p "$top/src" "$top/tests/misc"
    for program in $coreutils_programs; do
        ln -s "$(type -P "$program")" "$top/src/$program"
    done
    cp "$tmp/getlimits" "$top/src"
    if [ -e "$file.pl" ]; then
        command=(perl -w -I"$coreutils/tests" -MCuSkip -MCoreutils "-MCuTmpdir qw(${1##*/})")
        file+=.pl
    else
        file+=.sh
    fi
    run "$2" "$top" env "${coreutils_env[@]}" abs_top_builddir="$top" \
        CU_TEST_NAME="x,${1##*/}" PATH="$top/src:$PATH" TMPDIR="$top" "${command[@]}" "$file" 9>&2
    rm -rf "$top"
}

bash_one ()
{
    local top=$tmp/tests
    cp -r "$tmp/bash" "$top"
    run "$2" "$top" env PATH=".:$PATH" THIS_SH=/bin/bash BUILD_DIR="$top" \
        BASH_TSTOUT="$top/out" sh "run-$1"
    sed -E 's/\([0-9]+\): /(PID): /' "$tmp/output"
    rm -rf "$top"
}

# settled NAME WHAT HOW: sums of the results of three runs
settled ()
{
    for _ in 1 2 3; do
        "$1_one" "$2" "$3" | cksum
    done | sort -u
}

tests=0 results=0 differ=0 unsteady=0
compare ()
{
    local suite=$1 name=$2
    tests=$((tests + 1))
    "${suite}_one" "$name" untraced >"$tmp/untraced"
    "${suite}_one" "$name" traced >"$tmp/traced"
    results=$((results + $(wc -l <"$tmp/untraced")))
    cmp -s "$tmp/untraced" "$tmp/traced" && return
    if [ -n "$(comm -12 <(settled "$suite" "$name" untraced) \
        <(settled "$suite" "$name" traced))" ]; then
        unsteady=$((unsteady + 1))
        echo "unsteady $suite $name"
        return
    fi
    differ=$((differ + 1))
    echo "DIFFERS $suite $name"
    diff "$tmp/untraced" "$tmp/traced" | grep '^[<>]' | head -n 10 | sed 's/^/    /'
}

python=$(command -v "${PYTHON:-python3}")
if [ -n "$python" ] && "$python" -c 'import test.libregrtest' 2>/dev/null; then
    for name in $python_tests; do
        compare python "$name"
    done
else
    echo "suites: ${PYTHON:-python3} has no test package: CPython's tests are left out"
fi

if [ -n "${COREUTILS-}" ]; then
    coreutils=$(cd "$COREUTILS" && pwd) || exit 2
    version=$(env --version | sed -n '1s/.* //p')
    coreutils_programs=$(printf 'test ' && for file in "$coreutils"/src/*.c; do
        name=$(basename "$file" .c)
        case $(env "$name" --version 2>/dev/null </dev/null) in *"coreutils) $version"*) printf '%s ' "$name" ;; esac
    done)
    coreutils_env=(LC_ALL=C VERSION="$version" PACKAGE_VERSION="$version" fail=0
        {,abs_}{,top_}srcdir="$coreutils" built_programs="$coreutils_programs" AWK=awk
        RUN_EXPENSIVE_TESTS=yes PERL=perl EGREP='grep -E' SHELL=/bin/sh CONFIG_HEADER=/dev/null CC=false EXEEXT=
        LOCALE_FR=none LOCALE_FR_UTF8=none host_os=linux-gnu)
    cat >"$tmp/getlimits" <<'EOF'
#!/bin/sh
echo INT_MAX=2147483647 INT_OFLOW=2147483648 UINT_MAX=4294967295 UINT_OFLOW=4294967296
echo LONG_MAX=9223372036854775807 LONG_OFLOW=9223372036854775808
echo SSIZE_OFLOW=9223372036854775808 OFF_T_OFLOW=9223372036854775808
echo ULONG_OFLOW=18446744073709551616 SIZE_OFLOW=18446744073709551616
echo TIME_T_OFLOW=9223372036854775808 UINTMAX_OFLOW=18446744073709551616
EOF
    chmod +x "$tmp/getlimits"
    for name in $coreutils_tests; do
        compare coreutils "$name"
    done
fi

# the tests' own programs want what configure found
if [ -n "${BASHTREE-}" ]; then
    from=$(cd "$BASHTREE" && pwd) || exit 2
    cp -r "$from/tests" "$tmp/bash" || exit 2
    mkdir "$tmp/include"
    printf '#define %s 1\n' HAVE_STRING_H HAVE_STDLIB_H HAVE_UNISTD_H HAVE_LOCALE_H \
        PROTOTYPES >"$tmp/include/config.h"
    for name in recho zecho xcase printenv; do
        "${CC:-cc}" -w -I"$tmp/include" -I"$from/include" -I"$from" -I"$from/lib" \
            -o "$tmp/bash/$name" "$from/support/$name.c" || exit 2
    done
    for name in $bash_tests; do
        [ -e "$tmp/bash/run-$name" ] && compare bash "$name"
    done
fi

echo "suites: $tests tests, $results result lines, $differ differ, $unsteady change by themselves"
[ "$tests" -gt 0 ] && [ "$differ" = 0 ]
