#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7025-configure.t - a build without the plugin, or for another Slurm, does not
# come about quietly

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

configure=$top_srcdir/configure
[ -x "$configure" ] || skip_all "no configure here"
[ ! -e "$top_srcdir/config.status" ] || skip_all "built inside of the source"
# what is known of this machine need not be found out again
grep -E '^ac_cv_' "$top_builddir/config.log" 2>/dev/null |
    grep -vE '^ac_cv_env_|^ac_cv_header_slurm_spank_h|^ac_cv_path_PYTHON3' >"$tmp/known"

# run NAME OPTION…: in a directory of its own, output in $tmp/out
run() {
    mkdir "$tmp/$1"
    cp "$tmp/known" "$tmp/$1/config.cache"
    (cd "$tmp/$1" && "$configure" --cache-file=config.cache "${@:2}" >"$tmp/out" 2>&1 </dev/null)
}
# without NAME OPTION…: where there are no headers of Slurm
without() {
    (export ac_cv_header_slurm_spank_h=no && run "$@")
}

ok "--help" eval '"$configure" --help >"$tmp/out"'
for option in --with-slurm=PREFIX --with-slurm-plugindir=DIR --enable-spank=required; do
    like "$(cat "$tmp/out")" "$option" "--help names $option"
done
# The recipes of others parse, and give no option that configure does not have. It
# would only warn.
cp "$tmp/out" "$tmp/help"
for recipe in "$top_srcdir"/etc/packaging/{dftrace.spec,spack/package.py,easybuild/*.eb}; do
    case $recipe in
    *.spec) ;;
    *) ok "${recipe##*/} parses" python3 -c 'import ast, sys; ast.parse (open (sys.argv[1]).read ())' "$recipe" ;;
    esac
    is "$(grep -oE -- '--(with|without|enable|disable)-[a-z0-9-]+' "$recipe" |
        sed -E 's/^--(with|enable|without|disable)-//' | sort -u | while read -r option; do
        grep -qE -- "--(with|without|enable|disable)-$option\b" "$tmp/help" || echo "$option"
    done)" "" "${recipe##*/}: configure knows its options"
done
nok "an empty plugin directory" run empty --with-slurm-plugindir=
like "$(tail -n 1 "$tmp/out")" 'empty: name the directory that .scontrol show config. calls PluginDir' \
    "is an error, with what to do"
nok "a prefix without Slurm's headers" run nothing --with-slurm="$tmp/nothing"
like "$(tail -n 1 "$tmp/out")" "$tmp/nothing/include/slurm/spank.h: not there" \
    "is an error, whatever is in /usr/include"
nok "--enable-spank=required without headers" without required --enable-spank=required
like "$(tail -n 1 "$tmp/out")" 'slurm/spank.h not found: install libslurm-dev' "is an error"
ok "without headers" without quiet
like "$(tail -n 8 "$tmp/out")" $'\n  \*{20,}\n.*WITHOUT the SPANK plugin.*\n  \*{20,}' \
    "a frame says what is missing"
# The user's -Werror is for the code, not for the trials: their results stay the same.
ok "CFLAGS with -Werror" without strict CFLAGS='-O2 -g -Wall -Wextra -Werror -Werror=vla'
is "$(diff "$tmp/quiet/config.h" "$tmp/strict/config.h")" "" "config.h is as without it"
is "$(sed -n 's/^CFLAGS = //p' "$tmp/strict/Makefile")" '-O2 -g -Wall -Wextra -Werror -Werror=vla' \
    "make has the flags as they were given"

# Headers that are there and of another kind than the sources want: the build goes
# on without the part, and says why. Asked for, it is an error.
mkdir -p "$tmp/bad/otf2" "$tmp/bad/bpf" "$tmp/bad/python"
echo '#error "planted in otf2"' >"$tmp/bad/otf2/otf2.h"
echo '#error "planted in libbpf"' | tee "$tmp/bad/bpf/bpf_helpers.h" >"$tmp/bad/bpf/libbpf.h"
python=$(command -v python3)
include=$([ -z "$python" ] ||
    "$python" -c 'import sysconfig; print (sysconfig.get_paths ()["include"])')
printf '%s\n' "#include \"$include/Python.h\"" '#ifdef PyModuleDef_HEAD_INIT' \
    '#undef PyModuleDef_HEAD_INIT' '#endif' \
    '#define PyModuleDef_HEAD_INIT planted in Python' >"$tmp/bad/python/Python.h"
printf '#!/bin/sh\necho "%s"\n' "$tmp/bad/python" >"$tmp/python"
chmod +x "$tmp/python"
summary() {
    sed -n "s/^  $1  *//p" "$tmp/out"
}
bad() {
    (export OTF2_CFLAGS="-I$tmp/bad" OTF2_LIBS=-lnone BPF_CFLAGS="-I$tmp/bad" BPF_LIBS=-lnone &&
        PATH=$tmp:$PATH run "$@")
}
ok "headers that do not fit" bad unfit PYTHON3="$tmp/python"
like "$(summary OTF2)" '^no: .*planted in otf2' "OTF2: left out, with the compiler's word"
if command -v clang >/dev/null && [ -n "$(command -v bpftool /usr/sbin/bpftool)" ] &&
    grep -q '^BPF_SYSTEM = ' "$top_builddir/Makefile"; then
    like "$(summary 'layer kernel')" '^no: .*planted in libbpf' "layer kernel: left out, with it"
    nok "--enable-kernel with them" bad unfitkernel --enable-kernel
    like "$(tail -n 1 "$tmp/out")" 'enable-kernel: .*planted in libbpf' "is an error, with it"
else
    skip "no clang or bpftool" "layer kernel: left out"
fi
nok "--with-otf2 with them" bad unfitotf2 --with-otf2
like "$(tail -n 1 "$tmp/out")" 'with-otf2: .*planted in otf2' "is an error, with it"
if [ -n "$include" ] && [ -e "$include/Python.h" ]; then
    ok "a Python.h that does not fit" bad unfitpython PYTHON3="$tmp/python"
    like "$(summary 'Python extension')" '^no: .*does not compile' "is left out"
else
    skip "no Python.h" "a Python.h that does not fit"
fi

done_testing
