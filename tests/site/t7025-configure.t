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
    grep -vE '^ac_cv_env_|^ac_cv_header_slurm_spank_h' >"$tmp/known"

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

done_testing
