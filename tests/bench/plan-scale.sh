#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# plan-scale.sh - what the analysis of a large job takes: make plan-scale
#
# In:  RANKS (10000), EVENTS of each rank (10000000), TASKS that analyze (512);
#      SAMPLE (4000000) events in PROCESSES (8) are measured here, DIR
#      (/dev/shm) holds them
# Out: the constants of this machine, then the plan: time and memory of a
#      task, bytes of all partitions, time and memory of the reduction
#
# A task reads its traces at the rate of one core; its partition holds the times
# of its threads; the reduction reads all partitions and unites them once by call
# and several times by set. All of that is linear, so a sample says it.

set -eu
ranks=${RANKS:-10000} events=${EVENTS:-10000000} tasks=${TASKS:-512}
sample=${SAMPLE:-4000000} processes=${PROCESSES:-8}
dir=$(mktemp -d "${DIR:-/dev/shm}/dftrace-plan.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# seconds and KiB of a command
measure ()
{
    /usr/bin/time -f "%e %M" -o "$dir/time" "$@" >/dev/null
    cat "$dir/time"
}

"$top_builddir/tests/bench/gen_trace" "$dir/job" "$sample" "$processes"
trace=$(du -sb "$dir/job/shards" | cut -f1)
read -r task_s task_kib <<<"$(measure "$top_builddir/dftrace" analyze -j 1 \
    --partial --partition 1/1 "$dir/job")"
partition=$(du -sb "$dir/job/partials" | cut -f1)
read -r reduce_s reduce_kib <<<"$(measure "$top_builddir/dftrace" analyze \
    -j 1 --quiet --reduce "$dir/job")"

awk -v n="$sample" -v trace="$trace" -v partition="$partition" -v ts="$task_s" \
    -v tk="$task_kib" -v rs="$reduce_s" -v rk="$reduce_kib" -v ranks="$ranks" \
    -v each="$events" -v tasks="$tasks" 'BEGIN {
    ts = ts > 0.01 ? ts : 0.01; rs = rs > 0.01 ? rs : 0.01
    printf "measured with %d events, one core\n", n
    printf "  trace           %8.2f bytes an event\n", trace / n
    printf "  task            %8.2f M events/s, %d MiB\n", n / ts / 1e6, tk / 1024
    printf "  partition           %8.2f bytes an event\n", partition / n
    printf "  reduction       %8.2f M events/s, %d MiB\n", n / rs / 1e6, rk / 1024
    all = ranks * each
    printf "\n%d ranks of %d events, %d tasks\n", ranks, each, tasks
    printf "  traces          %10.2f TiB\n", trace / n * all / 2^40
    printf "  one core alone  %10.1f hours\n", all / (n / ts) / 3600
    printf "  a task          %10.1f minutes, at %.0f MiB/s of traces\n",
        all / tasks / (n / ts) / 60, trace / n * (n / ts) / 2^20
    printf "  all partitions      %10.2f TiB\n", partition / n * all / 2^40
    printf "  reduction       %10.1f hours on one core; divide by its cores\n",
        all / (n / rs) / 3600
    printf "  its memory      %10d MiB and the names of files and operations\n",
        64 + rk / 1024
}'
