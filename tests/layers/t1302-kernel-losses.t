#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1302-kernel-losses.t - layer kernel where things go wrong: a ring that is too
#     small, a directory that is moved away, a recorder that is stopped

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
layers=posix,kernel
[ -x "$top_builddir/dftrace-kernel" ] || skip_all "layer kernel is not built"
"$dftrace" run -q -o probe --layers $layers,strict -- true 2>probe.err ||
    skip_all "layer kernel: $(tail -n 1 probe.err)"
gcc -O1 -static -pthread -o static "$top_srcdir/tests/victims/plain.c" 2>/dev/null ||
    skip_all "no static libc"
gcc -O1 -static -o forker "$top_srcdir/tests/victims/forks/forker.c"
mkdir sub

# recorded DIR: events of the trace
recorded ()
{
    "$dftrace" export -f jsonl "$1" 2>/dev/null | wc -l
}

# --- a ring with no room ---------------------------------------------------------

"$dftrace" run -q -o whole --layers $layers -- ./static
# Its system calls; whether pages of the program are cached is the machine's matter.
all=$("$dftrace" export -f jsonl whole | grep -c '"cat":"POSIX"')
cmp_num "$all" -gt 100 "a static program's calls"
is "$(health whole lost)" 0 "a ring of the usual size: nothing is lost"
cat >hurry <<'END'
for i in 1 2 3 4 5 6; do ./static & done
wait
END
DFTRACE_KERNEL_RING=4K "$dftrace" run -o full --layers $layers -- sh hurry 2>err
is "$?" 0 "a ring of 4 KiB: the command's status"
lost=$(health full lost)
cmp_num "$lost" -gt 0 "events are lost, and counted"
cmp_num "$((lost + $(recorded full)))" -ge $((6 * all)) "each that is not there"
like "$("$dftrace" analyze --no-write full 2>&1)" "$lost events are missing" "and it is said"

# What a process has lost before it forks is not the child's, which would be there twice.
DFTRACE_KERNEL_RING=4K "$dftrace" run -q -o forks --layers $layers -- ./forker 2>/dev/null
lost=$(health forks lost)
cmp_num "$lost" -gt 0 "events of a process with 200 children are lost"
# It opens a file and makes 50 reads for each child, and each child one.
cmp_num "$((lost + $(recorded forks)))" -ge 10201 "each of its calls is there, or counted"
cmp_num "$(processes forks)" -le 201 "each process is in the trace once"
unlike "$("$dftrace" analyze --no-write forks 2>&1)" "several trace files" "and no copy is told of"

# --- a directory that is moved -----------------------------------------------------

mkdir trap
cat >mover <<'END'
sleep 0.2
mv moved moved.away
mkdir moved
ln -s "$PWD/trap" moved/shards
./static
END
"$dftrace" run -q -o moved --layers $layers -- sh mover 2>/dev/null
is "$(find trap -type f)" "" "a directory is put in place of the trace's: nothing is written there"
cmp_num "$(recorded moved.away)" -ge "$all" "but where it was from the start"

# --- a recorder that does not run ---------------------------------------------------

cat >stopper <<'END'
pid=$(pgrep -f '^dftrace-kernel' -P "$PPID")
kill -STOP "$pid"
./static
(sleep 1; kill -CONT "$pid") >/dev/null 2>&1 &
exit 4
END
exits 4 "a recorder that is stopped for a while: the command's status" \
    "$dftrace" run -q -o stopped --layers $layers -- bash stopper
cmp_num "$(recorded stopped)" -ge "$all" "what waited in the ring is there"

done_testing
