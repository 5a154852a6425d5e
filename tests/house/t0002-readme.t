#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0002-readme.t - the commands of the README's tour work as they stand

. "${top_srcdir:-.}/tests/lib.sh"

for tool in python3 zgrep; do
    command -v $tool >/dev/null || skip_all "no $tool here"
done

# Lines "    $ …" of README.md, with what a here-document needs after them.
awk '
    /^    \$ / { inside = 1; sub(/^    \$ /, ""); print; doc = /<</; next }
    inside && doc && (/^    / || !length) {
        sub(/^    /, ""); print
        if ($0 == "END") doc = 0
        next
    }
    { inside = 0 }
' "$top_srcdir/README.md" >"$tmp/commands"

cmp_num "$(grep -c '^dftrace' "$tmp/commands")" -ge 7 "README has commands"

mkdir "$tmp/bin" "$tmp/work"
ln -s "$dftrace" "$tmp/bin/dftrace"
export PATH=$tmp/bin:$PATH
DFTRACE_PRELOAD=$top_builddir/preload/.libs/libdftrace_preload.so
export DFTRACE_PRELOAD
# As `make install` would put it.
export HOME=$tmp/home
mkdir -p "$HOME/.local/dftrace"
ln -s "$top_srcdir/app/include" "$HOME/.local/dftrace/include"
cd "$tmp/work" || exit 99

command=
while IFS= read -r line; do
    command+=$line$'\n'
    case $command in
    *"<<'END'"*) [ "$line" = END ] || continue ;;
    esac
    (eval "$command") >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
    is $status 0 "${command%%$'\n'*}"
    [ $status -eq 0 ] || sed 's/^/# /' "$tmp/err" "$tmp/out"
    command=
done <"$tmp/commands"

like "$("$dftrace" sweep results demo)" "4096 .*10 " \
    "the tour's sweep has its rows"

done_testing
