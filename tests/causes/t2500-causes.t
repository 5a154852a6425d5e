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
done_testing
