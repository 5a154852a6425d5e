#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2385-clocks.t - how far the clocks of two nodes are apart

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

# The second node's clock is 2 s ahead; its ranks leave the barriers 0, 10 and
# 20 us after those of the first one.
trace () # FILE PID HOST AHEAD LATE…
{
    local f=$1 pid=$2 host=$3 ahead=$4 i=0 late
    shift 4
    {
        echo "{\"id\":0,\"name\":\"HH\",\"cat\":\"dftracer\",\"pid\":$pid,\"tid\":$pid,\"ph\":\"M\",\"args\":{\"name\":\"$host\",\"value\":\"h$pid\"}}"
        echo "{\"id\":1,\"name\":\"work\",\"cat\":\"app\",\"pid\":$pid,\"tid\":$pid,\"ts\":$((5000000 + ahead)),\"dur\":10,\"ph\":\"X\",\"args\":{\"hhash\":\"h$pid\"}}"
        for late; do
            i=$((i + 1))
            echo "{\"id\":$((i + 1)),\"name\":\"barrier\",\"cat\":\"comm\",\"pid\":$pid,\"tid\":$pid,\"ts\":$((6000000 + i * 1000000 + ahead)),\"dur\":$((500000 + late)),\"ph\":\"X\",\"args\":{\"hhash\":\"h$pid\"}}"
        done
    } >"$f"
}
job=$tmp/job
mkdir -p "$job/shards"
trace "$job/shards/a.pfw" 10 n1 0 0 0 0
trace "$job/shards/b.pfw" 20 n1 0 5 5 5
trace "$job/shards/c.pfw" 30 n2 2000000 20 0 10
trace "$job/shards/d.pfw" 40 n2 2000000 25 5 15

exits 0 "the view" "$dftrace" analyze --no-write --format csv --view clock "$job"
is "$(tail -n +2 "$tmp/out" | tr '\n' ' ')" \
    "n1,reference,0,, n2,barriers,3,2000010,10 " "offset and spread"
cp "$tmp/out" "$tmp/first"
exits 0 "shares have them, too" "$dftrace" analyze --partial --partition 1/1 "$job"
"$dftrace" analyze --reduce --no-write --format csv --view clock "$job" \
    >"$tmp/some"
ok "the same" cmp "$tmp/first" "$tmp/some"
rm -rf "$job/partials"

is "$("$dftrace" analyze --no-write --format csv --view insight "$job" |
    awk -F, '$2 == "clock_skew" { print $1, $6 }')" "critical 2.00001" \
    "clocks that differ are a finding"

start () # of work on a node, in us
{
    "$dftrace" export -w name=work -w "host=$1" "$2" |
        awk -F, 'NR > 1 { printf "%d ", $1 / 1000 }'
}
exits 0 "merged as they are" "$dftrace" merge -q -o "$tmp/as-is.dft" "$job"
is "$(start n2 "$tmp/as-is.dft")" "7000000 7000000 " "nothing is shifted"
exits 0 "merged with --align-clocks" "$dftrace" merge -o "$tmp/right.dft" \
    --align-clocks "$job"
like "$(cat "$tmp/out")" "clocks of 1 nodes set right" "merge says that a clock was set right"
is "$(start n1 "$tmp/right.dft")" "5000000 5000000 " "the first node is as it was"
is "$(start n2 "$tmp/right.dft")" "4999990 4999990 " "the other is set right"
"$dftrace" analyze --no-write --format csv --view clock "$tmp/right.dft" \
    >"$tmp/out"
is "$(tail -1 "$tmp/out")" "n2,barriers,3,0,10" "and is no more ahead"

# Different numbers of barriers have nothing in common.
sed -i '$d' "$job/shards/d.pfw"
"$dftrace" analyze --no-write --format csv --view clock "$job" >"$tmp/out"
is "$(tail -1 "$tmp/out")" "n2,n/a,0,," "n/a where nothing is in common"
exits 0 "merged all the same" "$dftrace" merge -o "$tmp/none.dft" \
    --align-clocks "$job"
like "$(cat "$tmp/out")" "clocks of 0 nodes set right" "and nothing was done"
is "$(start n2 "$tmp/none.dft")" "7000000 7000000 " "nothing is shifted"

# Ranks of one step on two nodes: their starts, and only to be looked at.
"$top_builddir/tests/tools/mkshard" "$tmp/ranks" direct 20
"$dftrace" analyze --no-write --format csv --view clock "$tmp/ranks" >"$tmp/out"
like "$(tail -1 "$tmp/out")" "^n2,starts,1," "known by the starts"

done_testing
