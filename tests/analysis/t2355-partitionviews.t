#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2355-partitionviews.t - --where and views by key of a job analyzed in partitions:
# the bytes of one analysis

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

unset "${!SLURM@}"
whole=$tmp/whole
"$top_builddir/tests/tools/mkshard" "$whole" direct 300
# Readers of rank 0 are other processes than the one that has its steps, and
# in other files; one file is cut, one is DFTracer's.
truncate -s -30000 "$(printf '%s\n' "$whole"/shards/*.dft | tail -1)"
cp -r "$whole" "$tmp/job"
job=$tmp/job
cat >"$job/shards/other.pfw" <<'END'
[
{"id":0,"name":"FH","cat":"dftracer","pid":7,"tid":7,"ph":"M","args":{"name":"/data/x.bin","value":"aa"}}
{"id":1,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1790000000000000,"dur":10,"ph":"X","args":{"ret":100,"count":100,"fhash":"aa"}}
{"id":2,"name":"item","cat":"data","pid":7,"tid":7,"ts":1790000000000100,"dur":7,"ph":"X","args":{"image_size":1000,"step":3,"epoch":1}}
]
END

# round N WORDS…: all partitions of N
round ()
{
    local n=$1 i
    shift
    for ((i = n; i >= 1; i--)); do
        "$dftrace" analyze --partial --partition $i/$n "$@" "$job" 2>/dev/null ||
            [ $? = 5 ] || echo "partition $i: $?"
    done
}
one ()
{
    "$dftrace" analyze --no-write --format csv "$@" "$job" 2>/dev/null
}

# --- conditions: one round ------------------------------------------------------

for where in cat=POSIX 'file=*.bin' rank=1 'name!=read'; do
    one --where "$where" --view call >"$tmp/one"
    is "$(round 3 --where "$where")" "" "--where $where: the partitions"
    exits 5 "--where $where: put together" "$dftrace" analyze --format csv \
        --reduce --where "$where" --view call "$job"
    ok "--where $where: the same bytes" cmp "$tmp/one" "$tmp/out"
    one --where "$where" --format json >"$tmp/one"
    "$dftrace" analyze --format json --reduce --where "$where" "$job" \
        >"$tmp/out" 2>/dev/null
    ok "--where $where: all of metrics.json" cmp "$tmp/one" "$tmp/out"
done
cmp_num "$(wc -l <"$tmp/one")" -gt 50 "and it is not empty"
nok "conditions write no results" test -e "$job/metrics.json"
exits 1 "partitions of other conditions" "$dftrace" analyze --reduce \
    --where cat=STDIO "$job"
like "$(cat "$tmp/err")" "3 of 3 partitions are missing" "are none"
exits 1 "all events" "$dftrace" analyze --quiet --reduce "$job"

# When the job began is in other files.
exits 1 "time and DFTracer's files" "$dftrace" analyze --partial --partition 1/3 \
    --where time=0-0.004 "$job"
like "$(cat "$tmp/err")" "other.pfw: says when it began only when it is read" \
    "the error names the file whose start is not known"
rm "$job/shards/other.pfw"
one --where time=0.002-0.004 --view call >"$tmp/one"
is "$(round 4 --where time=0.002-0.004)" "" "time: the partitions"
"$dftrace" analyze --format csv --reduce --where time=0.002-0.004 --view call \
    "$job" >"$tmp/out" 2>/dev/null
ok "time: the same bytes" cmp "$tmp/one" "$tmp/out"
cmp_num "$(wc -l <"$tmp/out")" -gt 1 "time: and some"

# --- keys: two rounds ------------------------------------------------------------

# views N WORDS…: both rounds; the rows in $tmp/out
views ()
{
    local n=$1
    shift
    rm -rf "$job/partials"
    round $n "$@"
    "$dftrace" analyze --no-write --format csv --reduce "$@" "$job" \
        >"$tmp/first" 2>"$tmp/err" && echo "one round was enough"
    grep -q "first of two rounds" "$tmp/err" || echo "and nothing was said"
    round $n "$@"
    "$dftrace" analyze --no-write --format csv --reduce "$@" "$job" \
        >"$tmp/out" 2>"$tmp/err" || [ $? = 5 ] || cat "$tmp/err"
}
for view in step,function epoch rank,class interval,layer thread,file \
    process,access size,kind; do
    one --view $view >"$tmp/one"
    is "$(views 4 --view $view)" "" "--view $view: in two rounds"
    ok "--view $view: the same bytes" cmp "$tmp/one" "$tmp/out"
    cmp_num "$(wc -l <"$tmp/out")" -gt 1 "--view $view: and some"
done
one --view step,host --where cat=POSIX --where time=0.001- >"$tmp/one"
is "$(views 3 --view step,host --where cat=POSIX --where time=0.001-)" "" \
    "keys and conditions"
ok "keys and conditions: the same bytes" cmp "$tmp/one" "$tmp/out"
one --view interval --interval 3ms >"$tmp/one"
is "$(views 2 --view interval --interval 3ms)" "" "--interval"
ok "--interval: the same bytes" cmp "$tmp/one" "$tmp/out"

# Another key is another second round, of the same first one.
exits 1 "another key" "$dftrace" analyze --no-write --reduce --view epoch \
    "$job"
round 2 --view epoch
exits 5 "has its own round" "$dftrace" analyze --no-write --format csv \
    --reduce --view epoch "$job"
one --view epoch >"$tmp/one"
ok "another key: the same bytes" cmp "$tmp/one" "$tmp/out"
printf X | dd of="$job/partials/1-of-2.rows" bs=1 seek=200 conv=notrunc \
    2>/dev/null
exits 1 "damaged rows" "$dftrace" analyze --no-write --reduce --view epoch \
    "$job"
like "$(cat "$tmp/err")" "1-of-2.rows: damaged" "the error names the damaged file"
printf X | dd of="$job/partials/context" bs=1 seek=60 conv=notrunc 2>/dev/null
exits 1 "a damaged context" "$dftrace" analyze --no-write --reduce \
    --view step,rank "$job"
like "$(cat "$tmp/err")" "first of two rounds" "is made again"

# --- srun does both ----------------------------------------------------------------

mkdir "$tmp/bin"
cat >"$tmp/bin/srun" <<'END'
#!/bin/bash
tasks=$2
while [ "${1##*/}" != dftrace ]; do shift; done
echo "$*" >>"$SRUN_LOG"
for ((i = 0; i < tasks; i++)); do
    # a task of each round dies the first time
    [ $i = 1 ] && [ $(($(wc -l <"$SRUN_LOG") % 2)) = 1 ] && continue
    SLURM_PROCID=$i SLURM_NTASKS=$tasks "$@" 2>/dev/null || [ $? = 5 ] || exit 1
done
END
chmod 755 "$tmp/bin/srun"
export SRUN_LOG=$tmp/srun.log
rm -rf "$job/partials"
one --view step,function --where 'file=*.bin' >"$tmp/one"
exits 5 "--slurm does both rounds" env PATH="$tmp/bin:$PATH" "$dftrace" \
    analyze --format csv --slurm 3 --view step,function --where 'file=*.bin' \
    "$job"
ok "--slurm: the same bytes" cmp "$tmp/one" "$tmp/out"
like "$(tail -n 1 "$SRUN_LOG")" "--view step,function --where file=\*.bin" \
    "srun gets the words"
is "$(wc -l <"$SRUN_LOG")" 4 "and is tried again in both"
unlike "$(head -n 1 "$SRUN_LOG")" "--view|--where" "in the second round only"
nok "nothing stays behind" test -e "$job/partials"

done_testing
