#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t9045-array.t - an array of many short tasks: few files each, every task
# accounted for, states as untraced, no node drains

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

TASKS=40
# job.json, node.HOST.json, metrics.json, trace, mark, three shards, lines of
# processes
FILES_MAX=9
cluster_start --nodes 2 --cpus 16
logs=$home/dftrace
echo 'some data' >"$cluster/data"

# every fourth task fails
cat >"$home/short" <<END
#!/bin/bash
cat $cluster/data
exit \$((SLURM_ARRAY_TASK_ID % 4 == 3))
END
chmod 755 "$home/short"

# states NAME: how the tasks of the array ended, as Slurm says
states() {
    grep " Name=$1 " "$cluster/jobcomp.txt" | grep -o 'JobState=[A-Z]*' |
        sort | uniq -c | xargs
}
# array NAME OPTION…: all of its tasks
array() {
    as_user sbatch --wait -Q -o /dev/null -J "$1" "--array=0-$((TASKS - 1))" \
        "${@:2}" ./short
    echo $?
}
# of_all FILE: how many tasks have it
of_all() {
    find "$logs" -mindepth 2 -maxdepth 2 -name "$1" | wc -l
}

# read_by_each: bytes that each task's cat has read, as metrics.json says
read_by_each() {
    find "$logs" -name metrics.json -exec \
        jq '[.processes[] | select (.exe | endswith ("cat")).read_bytes] | add' {} \; |
        sort | uniq -c | xargs
}

is "$(array traced --dftrace=posix,batch)" 1 "the array fails as its tasks do"
nodes_idle "and nodes are idle"
is "$(states traced)" \
    "$((TASKS * 3 / 4)) JobState=COMPLETED $((TASKS / 4)) JobState=FAILED" \
    "every task ended as it said"

is "$(find "$logs" -mindepth 1 -maxdepth 1 -type d | wc -l)" $TASKS \
    "a directory for each task"
is "$(of_all metrics.json)" $TASKS "each has its metrics"
is "$(read_by_each)" "$TASKS 10" "with what it read"
is "$(of_all 'epilog.*.log')" 0 "no epilog had anything to complain of"
is "$(find "$cluster/marker" -type f | wc -l)" 0 "the markers are gone"
cmp_num "$(find "$logs" -type f | wc -l)" -le $((TASKS * FILES_MAX)) \
    "not more than $FILES_MAX files for a task"
is "$(find "$logs" -name tables | wc -l)" 0 "no tables"
one=$(find "$logs" -mindepth 1 -maxdepth 1 -name 'traced-*_7')
ok "who wants tables makes them" as_user dftrace analyze --quiet "$one"
cmp_num "$(find "$one/tables" -name '*.csv' | wc -l)" -gt 10 "all of them"

# small tasks that are left to whoever asks, where the site says nothing else
rm -rf "$logs"
TASKS=3
: >"$cluster/dftrace.conf"
array large --dftrace=posix,batch >"$tmp/status"
epilogs_ended
is "$(find "$logs" -mindepth 1 -maxdepth 1 -type d | wc -l) $(of_all metrics.json)" "$TASKS 0" \
    "by default nobody has asked for their metrics yet"
is "$(find "$cluster/marker" -type f | wc -l)" 0 "by default the markers are gone"
# asked NAME: what readers say of each task, without writing
asked () {
    local one
    for one in "$logs"/large-*; do
        as_user dftrace stat --events "$one"
        as_user dftrace analyze --no-write -f csv --view file "$one"
        as_user dftrace export --format csv "$one"
    done >"$tmp/$1" 2>&1
}
asked left
for one in "$logs"/large-*; do
    as_user dftrace merge --quiet "$one" || diag "$one: $?"
done
is "$(of_all trace.dft)" "$TASKS" "then they are merged"
asked merged
is "$(cmp "$tmp/left" "$tmp/merged" 2>&1)" "" "events and files are those of before"
for one in "$logs"/large-*; do
    as_user dftrace analyze --quiet --tables auto "$one" || diag "$one: $?"
done
cmp_num "$(grep -c data "$tmp/left")" -ge $((2 * TASKS)) "which has what they read"
is "$(read_by_each)" "$TASKS 10" "who asks gets what each has read"

# many shards, and what the site wants to know
rm -rf "$logs"
TASKS=1
printf '%s\n' 'share = 0' 'finish = large' >"$cluster/dftrace.conf"
as_user sbatch --wait -Q -o /dev/null -J many --array=0 --dftrace=posix --wrap \
    "for i in \$(seq 16); do cat $cluster/data; done"
printf '%s\n' "summaries = $tmp/sums" 'finish = large' >"$cluster/dftrace.conf"
array summaries --dftrace=posix,batch >"$tmp/status"
epilogs_ended
is "$(read_by_each)" "1 10 1 160" "finish = large: the epilog makes the metrics of others"
is "$(find "$cluster/marker" -type f | wc -l)" 0 "and their markers are gone"

rm -rf "$logs"
echo 'finish = tables' >"$cluster/dftrace.conf"
TASKS=2
is "$(array tables --dftrace=posix,batch)" 0 "finish = tables"
nodes_idle "finish = tables: nodes are idle"
is "$(of_all tables)" 2 "finish = tables: they are there"

done_testing
