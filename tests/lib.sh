# SPDX-License-Identifier: MIT
#
# lib.sh - TAP for the shell tests: . "$top_srcdir/tests/lib.sh"
#
# In:  $top_srcdir, $top_builddir (make check exports them; without them the
#      script's own checkout and its build/ directory)
# Out: TAP on standard output; $tmp, a private directory that is removed at
#      exit; $dftrace, the built command; exit status 1 when a test failed
#
#   plan N                   how many tests; or done_testing at the end
#   skip_all REASON          nothing here can run on this machine
#   ok NAME COMMAND…         passes when COMMAND succeeds; with one argument
#                            that text is evaluated and is its own name
#   nok NAME COMMAND…        passes when COMMAND fails; the same
#   is GOT WANT NAME         equal texts
#   isnt GOT OTHER NAME      different texts
#   like TEXT REGEX NAME     TEXT matches the extended regex
#   unlike TEXT REGEX NAME
#   cmp_num A OP B NAME      OP is -eq -ne -lt -le -gt -ge
#   exits STATUS NAME COMMAND…   exit status; output in $tmp/out, $tmp/err
#   skip REASON NAME         one test that cannot run here
#   pass NAME, fail NAME, diag TEXT
#   at_exit COMMAND          run at exit, last one first, before $tmp goes

# Whoever starts us in the background may have made us ignore SIGINT; no shell
# can undo that for its children, so begin again without.
if [ -z "${tap_signals-}" ] && env --default-signal=INT true 2>/dev/null; then
    export tap_signals=default
    exec env --default-signal=HUP,INT,QUIT,PIPE,TERM "$BASH" "$0" "$@"
fi
unset tap_signals

set -u
umask 022 # other users look at what some tests make
export LC_ALL=C PAGER=cat
unset COLUMNS DFTRACE_PAGER

top_srcdir=${top_srcdir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
top_builddir=${top_builddir:-$top_srcdir/build}
dftrace=$top_builddir/dftrace
export top_srcdir top_builddir dftrace

tap_count=0
tap_failed=0
tap_planned=0
tap_at_exit=()

tmp=$(mktemp -d "${TMPDIR:-/tmp}/dftrace-test.XXXXXX") || exit 99
export tmp

tap_cleanup ()
{
    local status=$? i
    trap - EXIT HUP INT TERM
    for ((i = ${#tap_at_exit[@]} - 1; i >= 0; i--)); do
        eval "${tap_at_exit[i]}" >/dev/null 2>&1 || :
    done
    cd / || :
    rm -rf -- "$tmp"
    if ((status == 0 && tap_failed > 0)); then
        status=1
    fi
    if ((status == 0 && tap_planned > 0 && tap_count != tap_planned)); then
        diag "planned $tap_planned tests, ran $tap_count"
        status=1
    fi
    exit "$status"
}
trap tap_cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

at_exit ()
{
    tap_at_exit+=("$1")
}

# runs PID: the process has not ended; one that nobody has waited for has.
runs ()
{
    grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status"
}

diag ()
{
    printf '%s\n' "$1" | sed 's/^/# /'
}

plan ()
{
    tap_planned=$1
    echo "1..$1"
}

done_testing ()
{
    tap_planned=$tap_count
    echo "1..$tap_count"
}

skip_all ()
{
    echo "1..0 # SKIP $1"
    exit 0
}

pass ()
{
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1"
}

fail ()
{
    tap_count=$((tap_count + 1))
    tap_failed=$((tap_failed + 1))
    echo "not ok $tap_count - $1"
}

skip ()
{
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $2 # SKIP $1"
}

ok ()
{
    local name=$1
    if (($# > 1)); then shift; else set -- eval "$1"; fi
    if "$@" >"$tmp/ok.out" 2>&1; then
        pass "$name"
    else
        fail "$name"
        diag "failed: $*"
        diag "$(tail -n 20 "$tmp/ok.out")"
    fi
}

nok ()
{
    local name=$1
    if (($# > 1)); then shift; else set -- eval "$1"; fi
    if "$@" >"$tmp/ok.out" 2>&1; then
        fail "$name"
        diag "should have failed: $*"
    else
        pass "$name"
    fi
}

is ()
{
    if [[ $1 == "$2" ]]; then
        pass "$3"
    else
        fail "$3"
        diag "     got: $1"
        diag "expected: $2"
    fi
}

isnt ()
{
    if [[ $1 != "$2" ]]; then
        pass "$3"
    else
        fail "$3"
        diag "both are: $1"
    fi
}

like ()
{
    if [[ $1 =~ $2 ]]; then
        pass "$3"
    else
        fail "$3"
        diag "    text: $1"
        diag "no match: $2"
    fi
}

unlike ()
{
    if [[ $1 =~ $2 ]]; then
        fail "$3"
        diag "   text: $1"
        diag "matches: $2"
    else
        pass "$3"
    fi
}

cmp_num ()
{
    if [[ $1 =~ ^-?[0-9]+$ && $3 =~ ^-?[0-9]+$ ]] && test "$1" "$2" "$3"; then
        pass "$4"
    else
        fail "$4"
        diag "not true: $1 $2 $3"
    fi
}

exits ()
{
    local want=$1 name=$2 got=0
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err" || got=$?
    if ((got == want)); then
        pass "$name"
    else
        fail "$name"
        diag "exit status $got, expected $want: $*"
        diag "$(tail -n 20 "$tmp/out" "$tmp/err")"
    fi
}
