#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2500-causes.t - of jobs with one planted cause each the first screen names that one, with
#                  about the part of the time that the job itself measured
#
# The short jobs of causes.table. Shares are compared with the job's own timers of the same
# run, within a factor of 3, and a job whose cause had little of its time on a busy machine
# is skipped. A job that is not judged right has two more tries. `make check-causes` judges all jobs, within 1.5.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

command -v python3 >/dev/null || skip_all "no python3"

here=$top_builddir/tests/causes
python3 "$top_srcdir/tests/causes/judge.py" --short --margin 3 --keep "$tmp/jobs" "$dftrace" \
    "$here/plant" "$here/.libs/slow.so" >"$tmp/table" 2>"$tmp/err"
diag "$(cat "$tmp/table" "$tmp/err")"

# again JOB: the verdict of another run
again ()
{
    python3 "$top_srcdir/tests/causes/judge.py" --margin 3 --keep "$tmp/again" "$dftrace" \
        "$here/plant" "$here/.libs/slow.so" "$1" 2>/dev/null </dev/null |
        awk -v job="$1" '$2 == job { print $1 }'
}

jobs=0
while read -r verdict job cause _; do
    for _ in 1 2; do
        case $verdict in
        partly | wrong)
            rm -rf "$tmp/again"
            verdict=$(again "$job")
            ;;
        esac
    done
    case $verdict in
    right) pass "$job: the cause is $cause, and its part" ;;
    void) skip "the machine is too busy, or does not allow it" "$job: the cause is $cause" ;;
    partly | wrong) fail "$job: the cause is $cause, and its part" ;;
    *) continue ;;
    esac
    jobs=$((jobs + 1))
done <"$tmp/table"
is "$jobs" "$(grep -c '^job .*| c |' "$top_srcdir/tests/causes/causes.table")" "each job was judged"

# A second reading, of what the first one kept, says the same; a trace that is merged is kept.
differ=
for job in "$tmp"/jobs/*.job; do
    "$dftrace" merge -q "$job" 2>/dev/null
    "$dftrace" analyze "$job" >"$tmp/first" 2>&1
    "$dftrace" analyze "$job" >"$tmp/second" 2>&1
    cmp -s "$tmp/first" "$tmp/second" || differ="$differ ${job##*/}"
done
is "$differ" "" "what was kept of each job says the same as its events"

# The main thread waits for threads that compute, and nobody samples it: at least one of them
# computed for the CPU time of all by the number of processors.
used=$(python3 -c '
import os, resource, subprocess, sys
subprocess.run (sys.argv[2:], check = True, stdout = open (sys.argv[1], "w"))
r = resource.getrusage (resource.RUSAGE_CHILDREN)
print (r.ru_utime + r.ru_stime, len (os.sched_getaffinity (0)))' \
    "$tmp/threads.out" "$dftrace" run -q -o "$tmp/threads" -- "$here/plant" threads 40)
told=$("$dftrace" analyze --view wall --format csv "$tmp/threads" 2>/dev/null | sed -n 's/^cpu,[^,]*,\([^,]*\),.*/\1/p')
diag "CPU time and processors: $used; told: $told"
ok "computing of other threads is computing" awk -v told="$told" -v used="$used" \
    'BEGIN { split (used, u, " "); exit !(told >= (u[1] - 0.1) / u[2] * 0.8 && told <= u[1]) }'
done_testing
