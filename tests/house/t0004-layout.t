#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0004-layout.t - sizes of files and folders, names, the recipes of
#     CONTRIBUTING.md

. "${top_srcdir:-.}/tests/lib.sh"

cd "$top_srcdir" || exit 99

# A list on one screen is one file, however long.
is "$(find . -name .git -prune -o -name autom4te.cache -prune -o -name build-aux -prune \
    -o -type d -name 'b*' -exec test -e '{}/config.status' ';' -prune \
    -o \( -name '*.[ch]' -o -name '*.sh' -o -name '*.t' -o -name '*.py' \) -type f -print |
    xargs wc -l | awk '$1 > 400 && $2 != "total"')" "" "no file has over 400 lines"

is "$(sed -n 's|^include \(.*\)/local.mk|\1|p' Makefile.am | while read -r room; do
    find "$room" -type d
done | sort -u | while read -r folder; do
    n=$(find "$folder" -maxdepth 1 -type f ! -name '.*' ! -name '*.o' ! -name '*.lo' | wc -l)
    [ "$n" -le 40 ] || echo "$folder: $n"
done)" "" "no folder has over 40 files"

# Run by hand with bash it would pass all the same.
is "$(find tests -name 't[0-9]*.t' -path '*/t*' ! -perm -u+x ! -path '*/unit/*')" "" "every test can be run"

# A function has one place in a debugger.
is "$(tests/statics.sh .)" "" "no static name stands in two files"

# The diffs of CONTRIBUTING.md apply to what is there.
awk -v to="$tmp" '/^```diff/ { n++; on = 1; next } /^```/ { on = 0 } on { print >(to "/" n ".diff") }' \
    CONTRIBUTING.md
is "$(ls "$tmp"/*.diff | wc -l)" 3 "three recipes"
command -v patch >/dev/null || {
    skip "no patch" "recipes apply"
    done_testing
    exit
}
for diff in "$tmp"/*.diff; do
    ok "recipe ${diff##*/} applies" patch --dry-run -s -f -p1 -i "$diff"
done

done_testing
