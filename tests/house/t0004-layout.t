#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0004-layout.t - sizes of files and folders, names, the recipes of
#     CONTRIBUTING.md

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$top_srcdir" || exit 99

# --- what ARCHITECTURE.md says of the tree --------------------------------------

doc=doc/ARCHITECTURE.md
sed -n '/^## Folders/,/^What runs in a job/s/^| \([a-z][a-z0-9/]*\) |.*/\1/p' "$doc" | grep -vx folder |
    sort >"$tmp/rows"
{
    find . -mindepth 1 -maxdepth 1 -type d ! -name '.*' ! -name 'b*' ! -name results ! -name autom4te.cache
    find lib analyze preload -mindepth 1 -maxdepth 1 -type d ! -name '.*'
} | sed 's|^\./||' | sort -u >"$tmp/folders"
is "$(diff "$tmp/folders" "$tmp/rows")" "" "each room is a row of $doc, and there are no others"

if [ -e .git ]; then
    # Paths and links in the pages lead to files.
    pages="README.md CONTRIBUTING.md SECURITY.md tests/README.md $(echo doc/*.md)"
    # shellcheck disable=SC2086 # a list
    is "$(grep -noE '(^|[^A-Za-z0-9_./-])(spank|preload|lib|analyze|sweep|cli|etc|doc|tests|kernel|m4)/[A-Za-z0-9_./-]*[A-Za-z0-9_]\.(c|h|def|py|sh|t|md|mk)\b' $pages |
    sed -E 's/^([^:]+):[0-9]+:[^A-Za-z0-9]?/\1 /' | sort -u | while read -r page path; do
    [ -e "$path" ] || echo "$page: $path"
done)" "" "each path in the pages is there"
    # shellcheck disable=SC2086
    is "$(grep -oE '\]\([^)#: ]+' $pages | sed 's/:\](/ /' | sort -u | while read -r page link; do
    [ -e "${page%"${page##*/}"}$link" ] || echo "$page: $link"
done)" "" "each link in the pages leads to a file"
else
    skip "a tarball has not all files" "paths and links in the pages"
fi

# Run by hand with bash it would pass all the same.
is "$(find tests -name 't[0-9]*.t' -path '*/t*' ! -perm -u+x ! -path '*/unit/*')" "" "every test can be run"

# Signatures that others fix (wrappers, callbacks) may have more.
parameters='
/^[a-z_].*[a-z0-9_] \(|^[a-z_0-9]+ \(/ { text = ""; on = 1 }
on { text = text $0 }
on && /[;{]/ {
    on = 0
    if (text !~ /\)[ \t]*\{/) next
    sub (/\)[ \t]*\{.*/, "", text)
    name = text; sub (/ \(.*/, "", name)
    sub (/^[^(]*\(/, "", text)
    while (gsub (/\([^()]*\)/, "", text)) ;
    if (gsub (/,/, "", text) > 5) print FILENAME ": " name
}'
is "$(find analyze cli kernel lib preload spank sweep -name '*.c' ! -path 'preload/wrap/*' ! -path 'preload/mpi/*' \
    ! -name oldlibc.c ! -name otf2.c -exec awk "$parameters" {} +)" "" "no function has more than six parameters"

# Where a function has another name now, its old one there does nothing, and each
# start has a page fault more. Names with __ are the compiler's.
is "$(grep -o '\.text\.[a-zA-Z0-9_]\+' preload/sections.ld | sed 's/.*\.//; /^__/d' | sort -u |
    comm -23 - <(grep -rhow '[a-zA-Z_][a-zA-Z0-9_]*' lib preload --include=*.[ch] --include=*.def | sort -u) | xargs)" \
    "" "preload/sections.ld names what is in the code"

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
        grep -lFf "$tmp/changed" lib/model/*.c analyze/facts/*.c
    } >"$tmp/users"
    while read -r user; do
        ok "recipe ${diff##*/}: ${user#"$tmp"/src/} compiles" \
            "${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -fsyntax-only -I"$tmp/src" -I"$top_builddir" -I. "$user"
    done <"$tmp/users"
done

done_testing
