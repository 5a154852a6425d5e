#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# report.sh - time and memory of a page of a job: make bench-report
#
# EVENTS (2000000) and PROCESSES (1000) say how large; DIR (/dev/shm) where. A
# page is an analysis and a second look at the events, so both are measured;
# CPU is what to compare on a machine that does other work, too.

set -eu
events=${EVENTS:-2000000} processes=${PROCESSES:-1000}
dir=$(mktemp -d "${DIR:-/dev/shm}/dftrace-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
dftrace=$top_builddir/dftrace

# best NAME WORD…: the quickest of five
best ()
{
    local name=$1 run
    shift
    for run in 1 2 3 4 5; do
        /usr/bin/time -f "%e %U %S %M" -a -o "$dir/time" "$dftrace" "$@" >/dev/null
    done
    sort -n "$dir/time" | head -n 1 | awk -v name="$name" '{
        printf "%-30s %6.2f s, CPU %6.2f s, %4d MiB\n", name, $1, $2 + $3, $4 / 1024 }'
    rm "$dir/time"
}

"$top_builddir/tests/bench/gen_trace" "$dir/job" "$events" "$processes"
"$dftrace" merge --quiet --pfw "$dir/job"
mkdir "$dir/merged" "$dir/pfw"
mv "$dir/job/trace.dft" "$dir/merged"
mv "$dir/job/combined.pfw.gz" "$dir/pfw"
echo "$processes processes, $events events"
best "analyze, merged" analyze --no-write --quiet "$dir/merged"
best "report, merged" report -o "$dir/page.html" "$dir/merged"
best "report, shards" report -o "$dir/page.html" "$dir/job"
best "report, .pfw.gz" report -o "$dir/page.html" "$dir/pfw"
