#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1130-lines.t - bytes that are left out, by reason, and the kernel's count of
#     a process, in shards/processes.HOST

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/counted/lines.sh"

moves=$top_builddir/tests/counted/moves
[ -r /proc/self/io ] || skip_all "this kernel has no /proc/self/io"
mkdir "$tmp/data"

# --- each reason --------------------------------------------------------------

ok "moves: it runs" traced one "$moves" "$tmp/data"
is "$(lines one | wc -l)" 2 "a line for the program and one for its child"
parent=$(lines one | grep startown=)
child=$(lines one | grep -v start=)
is "$(word "$parent" pipe)" "1529 1196" "bytes through pipes, calls and streams"
is "$(word "$child" pipe)" "0 333" "those of the child are its own"
is "$(word "$parent" socket)" "1500 2000" "bytes through sockets; send is not counted"
is "$(word "$parent" device)" "4000 5000" "bytes of devices"
is "$(word "$parent" memory)" "0 3000" "bytes of a memfd"
is "$(word "$parent" system)" "6 0" "bytes of /proc"
is "$(word "$parent" library)" "100 0" "bytes of a program"
is "$(word "$parent" excluded)" "- -" "no other file was left out"

# --- the kernel's count ------------------------------------------------------

# What was recorded: 7000 + 500 + 555 + 7 + 8000 written; 3000 + 200 + 555 and
# the 4096 with which libc filled the stream's buffer read.
read -r r w <<<"$(word "$parent" own)"
read -r sr _ <<<"$(word "$parent" startown)"
read -r tr tw <<<"$(word "$parent" tracer)"
is $((w - tw)) $((1196 + 2000 + 5000 + 3000 + 7000 + 500 + 555 + 7 + 8000)) \
    "the kernel's count of writes is their sum, to the byte"
is $((r - sr - tr)) $((1529 + 1500 + 4000 + 6 + 100 + 3000 + 200 + 555 + 4096)) \
    "and that of reads"
read -r r w <<<"$(word "$child" own)"
read -r tr tw <<<"$(word "$child" tracer)"
is "$((r - tr)) $((w - tw))" "0 333" "and that of the child"
read -r ar aw <<<"$(word "$parent" all)"
read -r or ow <<<"$(word "$parent" own)"
is "$((ar - or)) $((aw - ow))" "$r $((w + ${#child} + 1))" \
    "the parent's count has what it waited for, with the child's line"

traced threads "$moves" threads "$tmp/data"
line=$(lines threads)
is "$(word "$line" device)" "0 100000" "bytes of several threads"
read -r _ w <<<"$(word "$line" own)"
read -r _ tw <<<"$(word "$line" tracer)"
is $((w - tw)) 100000 "and the kernel's count of them"

# --- settings -----------------------------------------------------------------

DFTRACE_EXCLUDE=$tmp/data traced two "$moves" "$tmp/data"
is "$(word "$(lines two | grep startown=)" excluded)" \
    "$((3000 + 200 + 555 + 4096)) $((7000 + 500 + 555 + 7 + 8000))" "bytes of excluded files"
DFTRACE_EXCLUDE_CALLS=pwrite:pread traced three "$moves" "$tmp/data"
is "$(word "$(lines three | grep startown=)" call)" "200 500" "bytes of excluded calls"
DFTRACE_MIN_SIZE=600 traced four "$moves" "$tmp/data"
is "$(word "$(lines four | grep startown=)" call)" "$((200 + 555 + 4096)) $((500 + 555 + 7))" \
    "bytes of small calls"
DFTRACE_LAYERS=posix,nostdio traced five "$moves" "$tmp/data"
is "$(word "$(lines five | grep startown=)" stream)" "4096 8007" "bytes of streams without layer stdio"
DFTRACE_KERNEL_COUNT=0 traced six "$moves" "$tmp/data"
is "$(lines six | grep all=)" "" "kernel_count=0: no count"

# --- no count -----------------------------------------------------------------

if [ "$(id -u)" = 0 ]; then
    skip "root may read it all the same" "a process that may not ask leaves no line"
else
    traced seven "$moves" secret "$tmp/data"
    is "$(lines seven | grep -c startown=)" 0 "a process that may not ask leaves no line"
fi

mkdir "$tmp/spin"
traced eight "$moves" spin "$tmp/spin" &
until [ -s "$tmp/spin/ready" ]; do sleep 0.1; done
kill -KILL "$(cat "$tmp/spin/ready")"
wait
is "$(lines eight | wc -l)" 0 "a process that is killed leaves no line"

# --- chains of programs --------------------------------------------------------

traced nine "$moves" exec "$tmp" "$moves" "$tmp/data"
is "$(lines nine | awk '{ print $7 }' | sort | uniq -c | awk '{ print $1 $2 }' | xargs)" "1exec 2exit" \
    "a program that becomes another one has a line for each"
first=$(lines nine | grep ' exec ')
second=$(lines nine | grep ' exit .*startown=')
is "$(cut -d" " -f2 <<<"$first")" "$(cut -d" " -f2 <<<"$second")" "of the same process"
is "$(word "$first" device)" "0 700" "the first: what it left out"
is "$(word "$second" device)" "4000 5000" "the second begins at 0"
read -r _ w <<<"$(word "$first" own)"
read -r _ sw <<<"$(word "$second" startown)"
is $((w + ${#first} + 1)) "$sw" "the kernel's count goes on over the exec"

# dash asks the kernel for one directory after the other
traced search sh -c 'PATH=/no/1:/no/2:/usr/bin:/bin; exec true'
is "$(lines search | grep -c ' exec ')" 1 "a file that is not there is no program of its own"

mkdir "$tmp/free"
traced ten "$moves" daemon "$tmp/free"
until [ -e "$tmp/free/daemon.done" ] && [ "$(lines ten | grep -c 'device=0,900')" = 1 ]; do sleep 0.1; done
pass "a daemon that nobody waits for has its line"

# --- a full file ----------------------------------------------------------------

mkdir -p "$tmp/full/shards"
truncate -s 16M "$tmp/full/shards/processes.$(uname -n | cut -d. -f1)"
DFTRACE_JOB_DIR=$tmp/full DFTRACE_LAYERS=posix LD_PRELOAD=$library "$moves" "$tmp/data"
is "$(stat -c %s "$tmp"/full/shards/processes.*)" $((16 << 20)) "no more lines in a file of 16 MiB"

done_testing
