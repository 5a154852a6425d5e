#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# analyze.sh - events a second and memory of the analysis: make bench-analyze
#
# EVENTS (10000000) and THREADS (8) say how large; DIR (/dev/shm) where.

set -eu
events=${EVENTS:-10000000} threads=${THREADS:-8}
dir=$(mktemp -d "${DIR:-/dev/shm}/dftrace-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT

timed ()
{
    local name=$1
    shift
    /usr/bin/time -f "%e %U %S %M" -o "$dir/time" "$@" >"$dir/out"
    awk -v name="$name" -v n="$events" '{
        printf "%-24s %6.2f s, %5.1f M events/s, CPU %.2f s, %d MiB\n",
            name, $1, n / $1 / 1e6, $2 + $3, $4 / 1024 }' "$dir/time"
}

"$top_builddir/bench/gen_trace" "$dir/job" "$events" "$threads"
du -sm "$dir/job" | awk -v n="$events" '{
    printf "%d MiB, %.1f bytes an event\n", $1, $1 * 1048576 / n }'
timed "analyze, 2 threads" "$top_builddir/dftrace" analyze -j 2 --no-write \
    --quiet "$dir/job"
timed "analyze, 1 thread" "$top_builddir/dftrace" analyze -j 1 --no-write \
    --quiet "$dir/job"
if ((events <= 20000000)); then
    timed "merge --pfw" "$top_builddir/dftrace" merge --quiet --pfw "$dir/job"
    mkdir "$dir/pfw"
    mv "$dir/job/combined.pfw.gz" "$dir/pfw/a.pfw.gz"
    timed "analyze .pfw.gz" "$top_builddir/dftrace" analyze --no-write \
        --quiet "$dir/pfw"
fi
