#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7000-epilog.t - the node epilog without Slurm: limits, ownership, repeats

. "${top_srcdir:-.}/tests/lib.sh"

[ "$(id -u)" = 0 ] || skip_all "the epilog starts as root"
command -v perl >/dev/null || skip_all "no perl here"

OWNER=65534
HOST=node7
JOB=4711
SHARDS=3000 # enough to take longer than the shortest limit
state=$tmp/state
chmod 755 "$tmp"
mkdir -m 755 "$state"

# job DIR: a job directory of OWNER with one traced process, on HOST.
job() {
    SLURMD_NODENAME=$HOST "$dftrace" run -q -o "$1" -- \
        sh -c 'echo data >'"$tmp/file"' && dd if='"$tmp/file"' of=/dev/null' \
        2>/dev/null
    : >"$1/shards/started.$HOST"
    chown -R $OWNER:$OWNER "$1"
}

# epilog MILLISECONDS DIR
epilog() {
    (umask 077 && echo "$OWNER $OWNER $1 $2" >"$state/$JOB.$HOST")
    SLURM_JOB_ID=$JOB SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR=$state \
        "$dftrace" epilog </dev/null >"$tmp/out" 2>"$tmp/err"
}

# -- in time -----------------------------------------------------------

job "$tmp/good"
ok "it ends well" epilog 20000 "$tmp/good"
for file in node.$HOST.json trace.dft metrics.json tables/calls.csv; do
    is "$(stat -c %u:%a "$tmp/good/$file" 2>&1)" $OWNER:600 \
        "$file is there, of the user alone"
done
is "$(find "$tmp/good" -user root)" "" "nothing of root in the directory"
nok "the marker is gone" test -e "$state/$JOB.$HOST"
nok "the claim is gone" test -e "$tmp/good/.claim"
before=$(cat "$tmp/good/trace.dft" "$tmp/good/metrics.json" | cksum)
ok "again: it ends well" epilog 20000 "$tmp/good"
is "$(cat "$tmp/good/trace.dft" "$tmp/good/metrics.json" | cksum)" \
    "$before" "again: with the same bytes"

# -- not in time -------------------------------------------------------

job "$tmp/slow"
shard=$(find "$tmp/slow/shards" -name '*.dft' | head -n 1)
perl -e 'link $ARGV[0], "$ARGV[1]/copy-$_-1.dft" or die $! for 1 .. $ARGV[2]' \
    "$shard" "$tmp/slow/shards" $SHARDS
ok "over time: it ends well" epilog 1 "$tmp/slow"
like "$(cat "$tmp/err")" "1 ms are over: run .dftrace analyze" \
    "over time: says so, and what to do"
nok "over time: what was begun is not there" test -e "$tmp/slow/metrics.json"
is "$(pgrep -u $OWNER -f "$tmp/slow")" "" "over time: nobody is left behind"
nok "over time: the marker is gone" test -e "$state/$JOB.$HOST"
ok "over time: the user finishes it later" setpriv --reuid $OWNER \
    --regid $OWNER --clear-groups "$dftrace" analyze --quiet "$tmp/slow"
ok "over time: with metrics" test -s "$tmp/slow/metrics.json"

# -- no job of ours, no trust ------------------------------------------

rm -f "$state/$JOB.$HOST"
exits 0 "a job that was not traced" env SLURM_JOB_ID=1 \
    DFTRACE_STATE_DIR="$state" "$dftrace" epilog
exits 0 "no job at all" env -u SLURM_JOB_ID "$dftrace" epilog
job "$tmp/other"
chown -R root "$tmp/other"
ok "a directory of somebody else: it ends well" epilog 20000 "$tmp/other"
nok "a directory of somebody else: is left alone" \
    test -e "$tmp/other/node.$HOST.json"
job "$tmp/wide"
(umask 077 && echo "$OWNER $OWNER 20000 $tmp/wide" >"$state/$JOB.$HOST")
chmod 666 "$state/$JOB.$HOST"
SLURM_JOB_ID=$JOB SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR=$state \
    "$dftrace" epilog 2>/dev/null
is $? 0 "a marker that others may write: it ends well"
nok "a marker that others may write: is not believed" \
    test -e "$tmp/wide/node.$HOST.json"

done_testing
