#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2370-sketch.t - bars and maps of blocks between the tables

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

export LC_ALL=C.UTF-8
job=$tmp/job
"$top_builddir/tests/tools/mkshard" "$job" direct 50
blocks='[▁▂▃▄▅▆▇█▏▎▍▌▋▊▉░▒▓]'

exits 0 "into a file" "$dftrace" analyze --no-write --view all "$job"
nok "draws nothing" grep -qE "$blocks" "$tmp/out"

exits 0 "always" "$dftrace" analyze --no-write --draw always --view all \
    "$job"
cp "$tmp/out" "$tmp/all"
is "$(grep -cE '^  rank |^  [0-9]+ +\|' "$tmp/all")" 4 "a row of the map for each rank"
# "label bar time share %": the larger the share, the longer the bar
sed -n '/^where /,/^$/p' "$tmp/all" | grep -E "$blocks" | while IFS= read -r line; do
    bar=${line//[^▏▎▍▌▋▊▉█]/} full=${line//[^█]/}
    echo "$(sed 's/.* \([0-9.]*\) %$/\1/' <<<"$line") ${#bar} ${#full}"
done | sort -g >"$tmp/bars"
cmp_num "$(wc -l <"$tmp/bars")" -ge 3 "several bars"
ok "bars are as long as their shares" awk '{ if ($2 < n || $3 < m) exit 1; n = $2; m = $3 }' \
    "$tmp/bars"
is "$(sed -n '/^where /,/^$/p' "$tmp/all" | grep -cE ' 1[0-9][1-9]\.[0-9] %')" 0 \
    "no share is more than all"

exits 0 "bars of groups" "$dftrace" analyze --draw always --view function "$job"
is "$(awk '/^time when/ { on = 1 } on && /█/ { print $1 }' "$tmp/out" | head -n 1)" \
    "$("$dftrace" analyze --view function --format csv "$job" |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $at["union_s"], $1 }' | sort -k1,1gr | head -n 1 | cut -d' ' -f2)" \
    "the longest first"
is "$(awk '/^time when/ { on = 1 } on' "$tmp/out" | grep -cE '[µm]?s$')" \
    "$(("$("$dftrace" analyze --view function --format csv "$job" | wc -l)" - 1))" \
    "a bar for each"

exits 0 "a map of two keys" "$dftrace" analyze --draw always --view rank,interval "$job"
is "$(grep -cE '^  [0-9]+ +\|.*\|$' "$tmp/out")" 4 "a row for each rank"
is "$(grep -E '^  [0-9]+ +\|' "$tmp/out" | sed 's/[^|]*|\(.*\)|/\1/' |
    while IFS= read -r row; do echo "${#row}"; done | sort -u | wc -l)" 1 \
    "rows of one length"
cmp_num "$(grep -c '█' "$tmp/out")" -ge 1 "the most is full"

exits 2 "another word" "$dftrace" analyze --draw now "$job"
like "$(cat "$tmp/err")" "use auto, always or never" "says which"
exits 2 "between rows of CSV" "$dftrace" analyze --draw always --format csv "$job"

done_testing
