#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1080-python.t - workers of Python's multiprocessing: every read of every
# worker is in the trace, however the worker began and ended
#
# What others lose here (4 workers x 1000 reads): Recorder all of fork and
# forkserver, Darshan 35 % with Pool and all with a larger table, both every
# read through a descriptor opened before the fork, Darshan everything after a
# program that does not exist was tried, DFTracer the run itself.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

python=$(python3 -c 'import sys; print (sys.executable)' 2>/dev/null) || skip_all "no python3"
cd "$tmp" || exit 99
head -c 400000 /dev/urandom >file
cp "$top_srcdir/tests/victims/workers.py" .

# patiently COMMAND…: Python's Pool.terminate () itself now and then waits for
# ever, untraced, too, for a lock that a killed worker held: once more, then.
patiently ()
{
    for try in 1 2 3 4 5; do
        rm -rf "${tmp:?}/$how"
        said=$("$@" timeout -s KILL 60 "$python" workers.py "$how" 2>&1)
        [ $? = 137 ] || return 0
        diag "$how: try $try had to be ended"
    done
}

for how in threads inherited bare popen {fork,spawn,forkserver}-{process,pool,terminate} \
    {fork,spawn}-executor {fork,forkserver}-killed; do
    patiently env
    plain=$said
    patiently traced "$how"
    is "$said" "$plain" "$how: the same output"
    n=$(events $how | grep -c " pread .*file=$tmp/file size=100 ")
    is "$n+$(health $how lost)" "2000+0" "$how: every read is in the trace"
done
# Python looks at files without end, each by a new name: 20 bytes an event with
# names in full. All of it, the process block and what the filter would leave out
# included; a file of its own, since a shared one has space for others.
DFTRACE_WAITS=0 DFTRACE_SHARE=0 DFTRACE_INCLUDE=all DFTRACE_EXCLUDE=/none traced names "$python" -c \
    'import asyncio, email, http.server, json, logging.config, unittest.mock, xml.dom.minidom'
n=$(events names | wc -l)
cmp_num "$n" -gt 500 "imports: many events"
cmp_num "$(cat "$tmp"/names/shards/*.dft | wc -c)" -lt $((13 * n)) "at most 13 bytes each"
events names | sed -n 's/^.* stat file=\(\/[^ ]*\) .* ret=0 .*/\1/p' | sort -u >"$tmp/found"
cmp_num "$(wc -l <"$tmp/found")" -gt 50 "what a stat found"
is "$(xargs -d '\n' ls -d <"$tmp/found" 2>&1 >/dev/null)" "" "is there, by these names"

is "$(events inherited | awk '$3 == "pread" { print $1 }' | sort -u | wc -l)" 4 \
    "inherited: of four processes"
is "$(events inherited | grep ' pread ' | grep -vc ' off=\(0\|[0-9]*00\) ')" 0 "at their offsets"

done_testing
