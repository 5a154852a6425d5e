#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0004-layout.t - sizes of files and folders, names, the recipes of
#     CONTRIBUTING.md

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

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

# --- what ARCHITECTURE.md says of the tree --------------------------------------

doc=doc/ARCHITECTURE.md
sed -n '/^## Folders/,/^What runs in a job/s/^| \([a-z][a-z/]*\) |.*/\1/p' "$doc" | grep -vx folder |
    sort >"$tmp/rows"
{
    sed -n 's|^include \(.*\)/local.mk|\1|p' Makefile.am | sed 's|^\([^l/][^/]*\)/.*|\1|'
    find analyze -mindepth 1 -maxdepth 1 -type d
    echo packaging
} | sort -u >"$tmp/folders"
is "$(diff "$tmp/folders" "$tmp/rows")" "" "each room is a row of $doc, and there are no others"

find . -name .git -prune -o -type d -name 'b*' -exec test -e '{}/config.status' ';' -prune \
    -o -name '*.def' -path './examples/*' -prune -o -name '*.def' -print | sed 's|.*/||' |
    sort -u >"$tmp/defs"
sed -n '/^## Tables/,/^## Inside/p' "$doc" | grep -o '[a-z0-9]*\.def' | sort -u >"$tmp/told"
is "$(diff "$tmp/defs" "$tmp/told")" "" "each table is a row of $doc, and there are no others"

# told WHAT REGEX TEXT: lines of the rooms, as told, within a tenth
tests/count-lines.sh . >"$tmp/count"
sed -n '/make count/,/^$/p' "$doc" | tr '\n' ' ' | sed 's/.*kit of figures: //' >"$tmp/text"
told ()
{
    local is said
    is=$(awk -v re="^($2)\$" '$1 ~ re { n += $4 } END { print n }' "$tmp/count")
    said=$(grep -oE "[0-9,]+$3" "$tmp/text" | grep -oE '^[0-9,]+' | tr -d ,)
    ok "$1 has the lines that $doc says ($is)" \
        test $((10 * said)) -ge $((9 * is)) -a $((10 * said)) -le $((11 * is))
}
told everything all ', of them'
told analyze 'analyze.*' ' in analyze'
told 'report and lib/chart' 'report|lib/chart' ' in report and lib/chart'
told sweep sweep ' in sweep'
told 'preload and lib/core' 'preload|lib/core' ' in preload and lib/core'

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
mkdir "$tmp/src"
for diff in "$tmp"/*.diff; do
    # Exactly: with fuzz a row may land inside another one.
    rm -rf "$tmp/src" && mkdir "$tmp/src"
    sed -n 's|^+++ b/||p' "$diff" | while read -r file; do
        mkdir -p "$tmp/src/${file%/*}" && cp "$file" "$tmp/src/$file"
    done
    ok "recipe ${diff##*/} applies" patch -s -f -F0 -p1 -d "$tmp/src" -i "$diff"
    find "$tmp/src" -name '*.def' -size +0 | sed "s|^$tmp/src/||" >"$tmp/changed"
    {
        find "$tmp/src" -name '*.c'
        grep -lFf "$tmp/changed" lib/model/*.c analyze/derive/*.c
    } >"$tmp/users"
    while read -r user; do
        ok "recipe ${diff##*/}: ${user#"$tmp"/src/} compiles" \
            "${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -fsyntax-only -I"$tmp/src" -I"$top_builddir" -I. "$user"
    done <"$tmp/users"
done

done_testing
