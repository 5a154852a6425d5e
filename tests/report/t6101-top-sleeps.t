#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t6101-top-sleeps.t - a job whose processes sleep has not ended; one that was
# killed has

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

command -v jq >/dev/null || skip_all "no jq here"
cd "$tmp" || exit 99

# Wait until the command succeeds, not for ever.
wait_until ()
{
    for _ in $(seq 1200); do
        if "$@"; then return 0; fi
        sleep 0.1
    done
    return 1
}

# A shell that records nothing itself; each cat ends at once.
printf x >file
"$dftrace" run -q -o "$tmp/loop" -- \
    sh -c 'while [ ! -e stop ]; do cat file >/dev/null; : >began; sleep 0.2; done' &
run=$!
at_exit ": >$tmp/stop"
ok "the loop has begun" wait_until test -e "$tmp/began"
for look in 1 2 3; do
    exits 0 "look $look" "$dftrace" top --count 1 "$tmp/loop"
    unlike "$(cat "$tmp/err")" "has ended" "look $look: the job has not ended"
done
exits 0 "several looks" "$dftrace" top --format jsonl --count 3 --delay 500ms "$tmp/loop"
is "$(wc -l <"$tmp/out")" 3 "as many as wanted"
unlike "$(cat "$tmp/err")" "has ended" "nor has it then"
: >stop
wait "$run"
exits 0 "after its end" timeout 300 "$dftrace" top "$tmp/loop"
like "$(cat "$tmp/err")" "the job has ended" "the end of its command is known"

# A process that was killed is gone, though it could not say so.
"$dftrace" run -q -o "$tmp/killed" -- \
    sh -c 'cat file >copy; exec sleep 600 <file' >/dev/null 2>&1 &
run=$!
sleeper () { pgrep -P "$run" -x sleep; }
wait_until sleeper >/dev/null
kill -KILL "$(sleeper)"
wait "$run"
exits 0 "the job was killed" timeout 300 "$dftrace" top "$tmp/killed"
like "$(cat "$tmp/err")" "the job has ended" "and has ended"

# Nor one whose parent does not wait for it, as the first process of a container.
# shellcheck disable=SC2016 # for that shell
perl -e 'exec @ARGV if !fork; sleep 600' env LD_PRELOAD="$library" DFTRACE_LAYERS=posix \
    DFTRACE_JOB_DIR="$tmp/left" sh -c 'read -r x <file; echo $$ >left.pid; kill -KILL $$' &
parent=$!
killed () { [ -s left.pid ] && ! runs "$(cat left.pid)"; }
wait_until killed
exits 0 "a process that nobody waited for" timeout 300 "$dftrace" top "$tmp/left"
like "$(cat "$tmp/err")" "the job has ended" "has ended, too"
kill "$parent"

done_testing
