#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2425-tree.t - regions inside each other, for people and for flame graphs; two
#                jobs compared

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

job=$tmp/direct
"$top_builddir/tests/tools/mkshard" "$job" direct 40
"$dftrace" export -f jsonl "$job" >"$tmp/events"
exits 0 "export -f folded" "$dftrace" export -f folded -o "$tmp/folded" "$job"
exits 0 "export -f speedscope" "$dftrace" export -f speedscope \
    -o "$tmp/speedscope" "$job"
"$python" "$scripts/asktree.py" "$tmp/events" "$tmp/folded" "$tmp/speedscope" \
    >"$tmp/tap"
is "$(grep -c '^ok' "$tmp/tap")" 3 "what nesting one by one gives"
grep '^not ok' "$tmp/tap" | sed 's/^/# /'

exits 0 "--view tree" "$dftrace" analyze --no-write --view tree "$job"
like "$(cat "$tmp/out")" $'\n  data/item .*\n    data/preprocess ' "is indented"
exits 0 "as CSV" "$dftrace" analyze --no-write -f csv --view tree "$job"
is "$(awk -F, 'NR > 1 && $5 > 0 { printf "%s %.0f\n", $1, $5 * 1e9 }' \
    "$tmp/out" | sort)" "$(sort "$tmp/folded")" "the same times of their own"
is "$(awk -F, 'NR > 1 { n += $3 } END { print n }' "$tmp/out")" \
    "$(wc -l <"$tmp/events")" "every event once"
"$dftrace" analyze --no-write -j 1 -f csv --view tree "$job" >"$tmp/one"
is "$(cat "$tmp/one")" "$(cat "$tmp/out")" "one thread gives the same rows"
"$dftrace" analyze --no-write -f csv --view tree --by rank "$job" >"$tmp/ranks"
is "$(awk -F, '$2 == 1 { print $1 }' "$tmp/ranks" | sort | xargs -d '\n')" \
    "rank 0 rank 1 rank 2 rank 3" "--by rank: a tree for each"
is "$(awk -F, 'NR > 1 { n += $3 } END { print n }' "$tmp/ranks")" \
    "$(wc -l <"$tmp/events")" "with every event once"
"$dftrace" export -f folded -w 'class = read' "$job" >"$tmp/reads"
is "$(cat "$tmp/reads")" "$(grep 'POSIX/read ' "$tmp/folded")" \
    "a condition leaves the regions around what it lets through"
exits 2 "a tree begins with threads" "$dftrace" analyze --view tree --by file \
    "$job"
exits 2 "a tree has its columns" "$dftrace" analyze --view tree --show count \
    "$job"

# --- compare --------------------------------------------------------------------

cp -r "$job" "$tmp/same"
exits 0 "nothing is slower" "$dftrace" compare -f csv "$job" "$tmp/same"
is "$(sed 1d "$tmp/out" | cut -d, -f2 | sort -u)" same "all is the same"
trace ()
{
    echo '['
    for i in $(seq 20); do
        echo '{"id":'"$i"',"name":"'"$2"'","cat":"POSIX","pid":7,"tid":7,"ts":'"$i"'000,"dur":'"$(($1 + i % 3))"',"ph":"X","args":{"ret":1,"count":1}}'
        echo '{"id":9'"$i"',"name":"write","cat":"POSIX","pid":7,"tid":7,"ts":'"$i"'500,"dur":'"$((30 + i % 4))"',"ph":"X","args":{"ret":1,"count":1}}'
    done
}
trace 10 read >"$tmp/a.pfw"
trace 40 read >"$tmp/b.pfw"
trace 10 pread >"$tmp/c.pfw"
exits 7 "something is slower" "$dftrace" compare -f csv --by name "$tmp/a.pfw" \
    "$tmp/b.pfw"
is "$(sed 1d "$tmp/out" | cut -d, -f1-4)" "read,slower,20,20
write,same,20,20" "what, sorted by the change of its time"
ok "with an interval around the ratio" awk -F, \
    '$1 == "read" { exit !($9 < $8 && $8 < $10 && $9 > 3 && $10 < 5 && $11 < 1e-6) }' \
    "$tmp/out"
exits 0 "the other way round it is faster" "$dftrace" compare -f csv --by name \
    "$tmp/b.pfw" "$tmp/a.pfw"
like "$(cat "$tmp/out")" "^read,faster|.read,faster" "and says so"
exits 0 "within the limit" "$dftrace" compare --limit 500 "$tmp/a.pfw" \
    "$tmp/b.pfw"
exits 0 "other calls" "$dftrace" compare -f csv --by name "$tmp/a.pfw" \
    "$tmp/c.pfw"
is "$(sed 1d "$tmp/out" | cut -d, -f1-4 | sort)" "pread,new,0,20
read,gone,20,0
write,same,20,20" "are new, and gone"
exits 0 "of some events" "$dftrace" compare --where 'name = write' \
    "$tmp/a.pfw" "$tmp/b.pfw"
exits 2 "one job" "$dftrace" compare "$job"
exits 2 "no such key" "$dftrace" compare --by rnk "$job" "$job"
exits 1 "no such job" "$dftrace" compare "$job" "$tmp/none"

# --- the figure of the page -------------------------------------------------------

. "$top_srcdir/tests/browser.sh"
"$top_builddir/tests/tools/mkshard" "$tmp/flame" direct 100
exits 0 "a page" "$dftrace" report -o "$tmp/flame.html" "$tmp/flame"
like "$(cat "$tmp/flame.html")" '<figure id="fig-tree">' "it has a flame graph"
"$dftrace" analyze --no-write -f csv --view tree "$tmp/flame" |
    awk -F, 'NR > 1 { n = split ($1, p, ";"); print p[n], $4 }' |
    sort >"$tmp/tree.csv"
if browser_found && browser_look "$tmp/flame.html"; then
    browser_says mark | sed -n 's/^tree //p' | sort >"$tmp/tree.marks"
    ok "the flame graph has several levels" \
        test "$(wc -l <"$tmp/tree.marks")" -gt 5
    is "$(comm -13 "$tmp/tree.csv" "$tmp/tree.marks")" "" \
        "its frames are rows of --view tree"
else
    skip "no chromium on this machine" "frames of the flame graph"
fi

done_testing
