#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2100-merge.t - one trace of all shards says the same as the shards

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

job=$tmp/job
shard=n1-1001-1.dft

# field NAME: a number of metrics.json's health
field ()
{
    sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$job/metrics.json" | head -n 1
}

fresh ()
{
    rm -rf "$job"
    "$top_builddir/tests/tools/mkshard" "$job" direct 300
}

fresh
"$dftrace" analyze --quiet "$job"
cp "$job/metrics.json" "$tmp/shards.json"
cp -r "$job/shards" "$tmp/shards"
exits 0 "merge" "$dftrace" merge "$job"
like "$(cat "$tmp/out")" "12 processes" "says how many processes"
is "$(stat -c %a "$job/trace.dft")" 600 "mode is 0600"
cmp_num $((4 * $(stat -c %s "$job/trace.dft"))) -lt \
    "$(cat "$job"/shards/*.dft | wc -c)" "unused space is gone"
cp "$job/trace.dft" "$tmp/first.dft"
exits 0 "again" "$dftrace" merge "$job"
like "$(cat "$tmp/out")" "up to date" "again: nothing to do"
exits 0 "by force" "$dftrace" merge --force --quiet "$job"
ok "the same shards give the same bytes" cmp "$tmp/first.dft" "$job/trace.dft"
for s in "$job"/shards/*.dft; do # other names, other order in the directory
    mv "$s" "${s%/*}/$(basename "$s" .dft | rev).dft"
done
"$dftrace" merge --force --quiet "$job"
ok "names of the files do not matter" cmp "$tmp/first.dft" "$job/trace.dft"

"$dftrace" analyze --quiet "$job"
ok "with trace.dft the metrics are the same bytes" \
    cmp "$tmp/shards.json" "$job/metrics.json"
rm -r "$job/shards"
"$dftrace" analyze --quiet "$job"
ok "of trace.dft alone, too" cmp "$tmp/shards.json" "$job/metrics.json"
exits 0 "merge without shards" "$dftrace" merge "$job"
like "$(cat "$tmp/out")" "up to date" "merge without shards: nothing to do"
cp "$job/trace.dft" "$tmp/whole.dft"
exits 0 "a merged trace can be merged" "$dftrace" merge -o "$tmp/second.dft" \
    "$job"
ok "and stays what it is" cmp "$tmp/whole.dft" "$tmp/second.dft"

# A shard that came later; the others are already gone.
mkdir "$job/shards"
cp "$tmp/shards/$shard" "$job/shards/"
touch -d '+1 hour' "$job/shards/$shard"
exits 0 "a late shard" "$dftrace" merge --quiet "$job"
ok "a late shard: nothing is lost" cmp "$tmp/whole.dft" "$job/trace.dft"
"$dftrace" analyze --quiet "$job"
ok "a late shard: counted once" cmp "$tmp/shards.json" "$job/metrics.json"

# --- damage --------------------------------------------------------------------

fresh
events=$(sed -n 's/^ *"events": \([0-9]*\),$/\1/p' "$tmp/shards.json" |
    head -n 1)
printf '\377' | dd of="$job/shards/$shard" bs=1 seek=$((16384 + 500)) \
    conv=notrunc status=none
truncate -s -30000 "$job/shards/n2-1021-1.dft"
: >"$job/shards/n9-1-1.dft"
exits 1 "damaged, --strict" "$dftrace" merge --strict "$job"
nok "--strict writes nothing" test -e "$job/trace.dft"
exits 5 "damaged" "$dftrace" merge --quiet "$job"
like "$(cat "$tmp/err")" "n9-1-1.dft: empty" "an empty shard is named"
"$dftrace" analyze --quiet "$job" 2>/dev/null
found=$(field events)
lost=$(field lost_events)
is $((found + lost)) "$events" "shards: found and lost are all there were"
cp "$job/metrics.json" "$tmp/damaged.json"
rm -r "$job/shards"
exits 5 "the trace knows of the loss" "$dftrace" analyze --quiet "$job"
is "$(field events) $(field lost_events)" "$found $lost" \
    "the trace has the same events and losses"

exits 2 "no directory" "$dftrace" merge
exits 1 "no such directory" "$dftrace" merge "$tmp/none"
mkdir "$tmp/empty"
exits 1 "empty directory" "$dftrace" merge "$tmp/empty"
like "$(cat "$tmp/err")" "no traces in it" "empty directory: says so"

# A copy that was made while the program ran: whichever name it has, all events
# count, once.
export stale=$tmp/stale
seq 20000 >"$tmp/numbers"
"$dftrace" run -q -o "$stale" -- awk -v x="$tmp/numbers" 'BEGIN {
    for (i = 0; i < 50; i++) { while ((getline line <x) > 0); close (x) }
    system ("cp \"$stale\"/shards/*.dft \"$stale\"/early")
    for (i = 0; i < 50; i++) { while ((getline line <x) > 0); close (x) } }' >/dev/null
want=$("$dftrace" analyze --no-write --format csv --view file "$stale" | grep numbers)
like "$want" "^storage,data,100," "a program that opens a file 100 times"
for name in aaa zzz; do
    rm -f "$stale/shards/"[az][az][az].dft
    cp "$stale/early" "$stale/shards/$name.dft"
    exits 0 "a stale copy, $name" "$dftrace" analyze --no-write --format csv --view file "$stale"
    is "$(grep numbers "$tmp/out")" "$want" "a stale copy, $name: nothing is hidden"
    like "$(cat "$tmp/err")" "processes are in several trace files: the longest" \
        "a stale copy, $name: said"
done

done_testing
