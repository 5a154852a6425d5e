#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2350-partitions.t - a job analyzed in partitions gives the bytes of one analysis

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

unset "${!SLURM@}"
job=$tmp/job
"$top_builddir/tests/tools/mkshard" "$job" direct 400
# One that is cut, and one of DFTracer's, so that there are losses to add up.
shard=$(printf '%s\n' "$job"/shards/*.dft | tail -1)
truncate -s -5000 "$shard"
cat >"$job/shards/other.pfw" <<'END'
[
{"id":0,"name":"FH","cat":"dftracer","pid":7,"tid":7,"ph":"M","args":{"name":"/data/x.bin","value":"aa"}}
{"id":1,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1790000000000000,"dur":10,"ph":"X","args":{"ret":100,"count":100,"fhash":"aa"}}
{"id":2,"name":"item","cat":"data","pid":7,"tid":7,"ts":1790000000000100,"dur":7,"ph":"X","args":{"image_size":1000,"step":3,"epoch":1}}
{"id":3,"name":"item","cat":"data","pid":7,"tid":7,"ts":17900000000
END

# results DIR: keep what was written
results ()
{
    rm -rf "$1"
    mkdir "$1"
    mv "$job/metrics.json" "$job/tables" "$1"
}
# partition I/N
partition ()
{
    "$dftrace" analyze --partial --partition "$1" "$job" 2>"$tmp/err"
    echo $?
}

exits 5 "in one" "$dftrace" analyze --quiet "$job"
results "$tmp/one"

for n in 1 2 5 12; do
    codes=
    for ((i = n; i >= 1; i--)); do
        codes+=" $(partition $i/$n)"
    done
    like "$codes" "^( 0| 5)+$" "$n partitions: all done"
    exits 5 "$n partitions: put together" "$dftrace" analyze --quiet --reduce "$job"
    results "$tmp/some"
    ok "$n partitions: the same bytes" diff -r "$tmp/one" "$tmp/some"
    nok "$n partitions: and they are gone" test -e "$job/partials"
done

# One was killed: there is no file of it, or half a file has another name.
for i in 1 2 4; do partition $i/4; done >/dev/null
exits 1 "a partition is missing" "$dftrace" analyze --quiet --reduce "$job"
like "$(cat "$tmp/err")" "1 of 4 partitions are missing, the first is 3" \
    "the error names the first missing partition"
before=$(stat -c %Y.%i "$job/partials/1-of-4.part")
for i in 1 2 3 4; do partition $i/4; done >/dev/null
is "$(stat -c %Y.%i "$job/partials/1-of-4.part")" "$before" \
    "a partition that is there is not made again"
printf 'X' | dd of="$job/partials/2-of-4.part" bs=1 seek=3000 conv=notrunc \
    2>/dev/null
exits 1 "a damaged partition" "$dftrace" analyze --quiet --reduce "$job"
like "$(cat "$tmp/err")" "2-of-4.part: damaged" "the error names the damaged file"
rm "$job/partials/2-of-4.part"
head -c 2000 "$job/partials/1-of-4.part" >"$tmp/half"
cp "$tmp/half" "$job/partials/2-of-4.part"
exits 1 "a partition under another name" "$dftrace" analyze --quiet --reduce "$job"
rm "$job/partials/2-of-4.part"
is "$(partition 2/4)" 0 "made again"
exits 5 "and then it is whole" "$dftrace" analyze --quiet --reduce "$job"
results "$tmp/some"
ok "and the same bytes" diff -r "$tmp/one" "$tmp/some"

for i in 1 2; do partition $i/2; done >/dev/null
exits 1 "other patterns" "$dftrace" analyze --quiet --reduce \
    --data-pattern '*.idx' "$job"
cp "$job/shards/n1-1001-1.dft" "$job/shards/later.dft"
exits 1 "a trace that came later" "$dftrace" analyze --quiet --reduce "$job"
like "$(cat "$tmp/err")" "later.dft: in no partition" "the error names the trace that is in no partition"
rm "$job/shards/later.dft"
touch "$job/shards/n1-1001-1.dft"
before=$(stat -c %i "$job"/partials/*)
for i in 1 2; do partition $i/2; done >/dev/null
isnt "$(stat -c %i "$job"/partials/*)" "$before" \
    "a partition of traces that changed is made again"
rm -r "$job/partials"

# The tasks of srun know their partitions.
for i in 0 1 2; do
    SLURM_PROCID=$i SLURM_NTASKS=3 "$dftrace" analyze --partial "$job" \
        2>/dev/null
done
is "$(ls "$job/partials" | tr '\n' ' ')" \
    "1-of-3.part 2-of-3.part 3-of-3.part " "partitions by Slurm's words"
exits 5 "three tasks" "$dftrace" analyze --quiet --reduce "$job"

# A merged trace is divided by its processes.
rm -f "$shard" "$job/shards/other.pfw"
"$dftrace" merge -q "$job" 2>/dev/null
mkdir "$tmp/merged"
mv "$job/trace.dft" "$tmp/merged"
job=$tmp/merged
exits 0 "merged, in one" "$dftrace" analyze --quiet "$job"
results "$tmp/one"
for i in 1 2 3; do partition $i/3; done >/dev/null
exits 0 "merged, three partitions" "$dftrace" analyze --quiet --reduce "$job"
results "$tmp/some"
ok "merged, the same bytes" diff -r "$tmp/one" "$tmp/some"

# Shards beside a merged trace that has more.
mkdir "$job/shards"
"$top_builddir/tests/tools/mkshard" "$tmp/again" direct 400
cp "$tmp/again/shards/n1-1001-1.dft" "$job/shards"
is "$(partition 1/1)" 0 "a shard of several"
exits 1 "the merged trace has more" "$dftrace" analyze --quiet --reduce "$job"
like "$(cat "$tmp/err")" "trace.dft: has a process that no shard has" \
    "the error names the merged trace"
rm -r "$job/shards" "$job/partials"

# --slurm with a srun whose second task dies the first time.
mkdir "$tmp/bin"
cat >"$tmp/bin/srun" <<'END'
#!/bin/bash
[ "$1" = -n ] || exit 9
tasks=$2
shift 2
echo "$tasks ${*%%/*}" >>"$SRUN_LOG"
while [ "${1##*/}" != dftrace ]; do shift; done
for ((i = 0; i < tasks; i++)); do
    if [ $i = 1 ] && mkdir "$SRUN_LOG.once" 2>/dev/null; then
        continue
    fi
    SLURM_PROCID=$i SLURM_NTASKS=$tasks "$@" || exit 1
done
END
chmod 755 "$tmp/bin/srun"
export SRUN_LOG=$tmp/srun.log
exits 0 "--slurm, and a task dies" env PATH="$tmp/bin:$PATH" "$dftrace" \
    analyze --quiet --slurm 3 --srun-option=-N2 --srun-option=--exclusive \
    --index-pattern '*.idx' "$job"
like "$(cat "$tmp/err")" "1 of 3 partitions are missing: trying again" \
    "a warning says that it is tried again"
like "$(cat "$SRUN_LOG")" "3 -N2 --exclusive" "srun gets its words"
is "$(wc -l <"$SRUN_LOG")" 2 "twice"
results "$tmp/some"
"$dftrace" analyze --quiet --index-pattern '*.idx' "$job"
results "$tmp/one"
ok "--slurm, the same bytes" diff -r "$tmp/one" "$tmp/some"
exits 1 "--slurm without srun" env PATH=/nonexistent "$dftrace" analyze \
    --quiet --slurm 3 "$job"

exits 1 "no partitions" "$dftrace" analyze --reduce "$job"
exits 2 "no partition named" "$dftrace" analyze --partial "$job"
exits 2 "not a partition" "$dftrace" analyze --partial --partition 3/2 "$job"
exits 2 "not a partition" "$dftrace" analyze --partial --partition 0/2 "$job"
exits 2 "no words" "$dftrace" analyze --partial --partition x "$job"
exits 2 "a partition and SQLite" "$dftrace" analyze --partial --partition 1/2 \
    --sqlite "$tmp/db" "$job"
exits 1 "a file" "$dftrace" analyze --partial --partition 1/2 "$job/trace.dft"

done_testing
