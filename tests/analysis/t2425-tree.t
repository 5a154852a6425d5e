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
is "$(awk '$1 == "name" { print $2; exit }' "$tmp/out")" count "it counts the calls of each path"
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

# noisy NAME RUNS SEED [FACTOR] [STEPS]: traces $tmp/NAME/1.pfw, 2.pfw, …
noisy () { "$python" "$scripts/noisyruns.py" "$tmp/$@"; }

# verdict KEY: of this row of $tmp/out in CSV
verdict () { awk -F, -v key="$1" '$1 == key { print $2 }' "$tmp/out"; }

noisy a 3 1
noisy b 3 2 3
exits 7 "three runs a side, reads take three times as long" "$dftrace" compare \
    -f csv --by name "$tmp"/a/*.pfw -- "$tmp"/b/*.pfw
is "$(cut -d, -f1-4 "$tmp/out" | sed -n 2,3p)" "whole job,slower,3,3
read,slower,80,80" "the job and its reads are slower"
ok "with an interval that holds the true ratio" awk -F, \
    '$1 == "read" { exit !($9 < 3 && 3 < $10 && $9 > 1.1 && $11 < 0.05) }' \
    "$tmp/out"
is "$(verdict write)" "too few to tell" "writes are not"
"$dftrace" compare --by name "$tmp"/a/*.pfw -- "$tmp"/b/*.pfw >"$tmp/text"
like "$(sed -n 1p "$tmp/text")" '^B takes 2\.[0-9]* times as long as A, 95 % interval .*: slower\.$' \
    "the first sentence: how much"
like "$(sed -n 2p "$tmp/text")" ' more: .*\+' "the second one: in which part of the bill"
like "$(sed -n 3p "$tmp/text")" '^3 runs of A, 3 of B; p = 0\.0.* 1 slower' "the third one: how sure"
exits 0 "the other way round it is faster" "$dftrace" compare -f csv --by name \
    "$tmp"/b/*.pfw -- "$tmp"/a/*.pfw
is "$(verdict read)" faster "and says so"
exits 0 "within the limit" "$dftrace" compare --limit 500 "$tmp"/a/*.pfw -- \
    "$tmp"/b/*.pfw

slower=
for seed in $(seq 20); do
    noisy "same$seed" 6 "$((100 + seed))"
    "$dftrace" compare "$tmp/same$seed"/[123].pfw -- "$tmp/same$seed"/[456].pfw \
        >"$tmp/out" 2>/dev/null || slower+=" $seed"
done
ok "of twenty pairs of one program at most one is slower" \
    test "$(wc -w <<<"$slower")" -le 1
diag "slower:$slower"

exits 0 "one run a side says nothing of chance" "$dftrace" compare -f csv \
    --by name "$tmp/a/1.pfw" "$tmp/b/1.pfw"
is "$(sed 1d "$tmp/out" | cut -d, -f2,9- | sort -u)" "too few to tell,,," \
    "no row has an interval, and none is the same"
noisy steps 1 3 1 40
noisy slowsteps 1 4 3 40
exits 7 "its steps do" "$dftrace" compare -f csv --by name "$tmp/steps/1.pfw" \
    "$tmp/slowsteps/1.pfw"
is "$(verdict 'whole job'),$(verdict 'a step'),$(verdict read),$(verdict compute)" \
    "too few to tell,slower,slower,same" "of the job they say nothing"
sed 's/"write"/"pwrite"/' "$tmp/a/1.pfw" >"$tmp/other.pfw"
"$dftrace" compare -f csv --by name "$tmp/a/1.pfw" "$tmp/other.pfw" >"$tmp/out"
is "$(verdict write),$(verdict pwrite)" gone,new "other calls are gone, and new"
exits 0 "of some events" "$dftrace" compare --where 'name = write' \
    "$tmp/a/1.pfw" "$tmp/b/1.pfw"
mkdir -p "$tmp/point/r0/a0/trace" "$tmp/point/r1/a0/trace" "$tmp/point/r1/a1/trace"
cp "$tmp/a/1.pfw" "$tmp/point/r0/a0/trace"
cp "$tmp/a/2.pfw" "$tmp/point/r1/a1/trace"
"$dftrace" compare -f csv "$tmp/point" -- "$tmp"/b/*.pfw >"$tmp/out"
is "$(sed -n 2p "$tmp/out" | cut -d, -f3,4)" 2,3 \
    "the directory of a point is its repeats, the last attempt of each"
exits 2 "one job" "$dftrace" compare "$job"
exits 2 "three jobs" "$dftrace" compare "$job" "$job" "$job"
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
