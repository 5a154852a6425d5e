#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1141-sampler.t - samples of threads tell what a program does between its
#                   calls, and the program does not notice

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

waiter=$top_builddir/tests/waits/waiter
cd "$tmp" || exit 99
export DFTRACE_WAITS=1

# told JOB KIND: ns of the estimates of its main thread
told ()
{
    waits "$1" | awk -v kind="wait_$2" '$1 == $2 && $3 == kind {
        flags = $0; sub (/.* flags=/, "", flags); sub (/ .*/, "", flags)
        if (flags % 2 == 1) { sub (/.* dur=/, ""); n += $1 } } END { printf "%.0f", n }'
}
said () { sed -n "s/^$1 //p" out.said; }

# By clocks: exact, however loaded the machine is. The kind of a wait is by
# samples, which take a processor.
for try in 1 2 3; do
    rm -rf split
    traced split "$waiter" split "$tmp/f" >out.said
    [ "$(told split lock)" -gt 0 ] && break
done
cmp_num "$(told split run)" -ge $(($(said run) * 9 / 10)) "computing is told ($(told split run) ns)"
cmp_num "$(told split run)" -le $(($(said run) * 11 / 10 + 50000000)) "and not more of it"
cmp_num "$(told split lock)" -gt 0 "a lock is told (in try $try)"
cmp_num "$(told split lock)" -le $(($(said lock) * 11 / 10 + 100000000)) "and no longer than it was"

if [ "$(told split lock)" -gt 0 ]; then
    like "$(waits split | grep wait_lock)" "held.x20by.x20thread.x20$(said owner) " "and which thread had it"
else
    skip "the lock was not sampled" "and which thread had it"
fi

# What a thread did before it was sampled first, and in its last window; also where nobody
# makes a call in which the sampler could begin: pthread_join lets it.
for how in pool quiet; do
    run=0
    for try in 1 2 3; do
        rm -rf $how
        traced $how "$waiter" $how "$tmp/f" >out.said
        run=$(waits $how | awk '$1 != $2 && $3 == "wait_run" {
            sub (/.* dur=/, ""); n += $1 } END { printf "%.0f", n }')
        [ "$run" -ge $(($(said run) * 9 / 10)) ] && break
    done
    cmp_num "$run" -ge $(($(said run) * 7 / 10)) "$how: a thread's whole life is told ($run ns, in try $try)"
    cmp_num "$run" -le $(($(said run) * 11 / 10 + 50000000)) "$how: and not more"
    cmp_num "$(told $how lock)" -gt 0 "$how: the main thread waits for it"
done

# A wait that began before the sampler: exact until then, or, where the sampler was slow
# to begin, in its first window.
traced late "$waiter" late "$tmp/f" >out.said
cmp_num "$(waits late | awk '$1 == $2 && $3 == "wait_lock" {
    sub (/.* dur=/, ""); n += $1 } END { printf "%.0f", n }')" -ge $(($(said lock) * 6 / 10)) \
    "a wait in which the sampler began is told from its start ($(said lock) ns)"

rm -rf none
DFTRACE_WAITS=0 traced none "$waiter" split "$tmp/f" >/dev/null
is "$(waits none | wc -l)" 0 "waits=0: nothing is sampled"
threads ()
{
    "$dftrace" analyze --no-write --format csv --view process "$1" 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["threads"] }'
}
is "$(threads split)" "$(threads none)" "the thread that takes the samples is none of the program's"

cp "$waiter" mpirun
traced launcher ./mpirun split "$tmp/f" >/dev/null
is "$(told launcher lock)" 0 "a launcher has no thread of ours"

# A handler may have interrupted malloc. Java and others have signals blocked at all times.
traced handler "$waiter" handler "$tmp/f" >out.said
is "$(said handler)" 2 "no thread of ours begins in a handler"
case $(uname -m) in
x86_64) is "$(said after)" 3 "but in a thread that has blocked a signal" ;;
*) skip "frames of handlers are not known there" "but in a thread that has blocked a signal" ;;
esac

# A thread of ours whose stack the program's thread-local data fill up goes.
alike wide "$top_builddir/tests/waits/widetls" "$tmp/f"

# Python 3.12 and later warn where a process that forks has threads.
cat >forks.py <<'END'
import os, sys, time
for i in range (40):
    with open (sys.argv[1]):
        time.sleep (0.02)
for i in range (3):
    pid = os.fork ()
    if pid == 0:
        os._exit (0)
    os.waitpid (pid, 0)
    time.sleep (0.2)
END
# It must not begin at what the interpreter reads behind the fork, either.
cat >late.py <<'END'
import os, sys, time
with open (sys.argv[1]) as f:
    f.read ()
until = time.monotonic () + 0.7
while time.monotonic () < until:
    pass
pid = os.fork ()
if pid == 0:
    os._exit (0)
os.waitpid (pid, 0)
END
# Nor is the thread that looks at mappings there.
cat >maps.py <<'END'
import mmap, os, sys, time
with open (sys.argv[1], "w+b") as f:
    f.truncate (4 << 20)
    m = mmap.mmap (f.fileno (), 4 << 20)
for i in range (3):
    m[:4 << 20]
    time.sleep (0.2)
    pid = os.fork ()
    if pid == 0:
        os._exit (0)
    os.waitpid (pid, 0)
END
# A wait in which the sampler begins is told once: for a thread that waits for a child.
cat >chain.py <<'END'
import subprocess, threading
for i in range (3):
    t = threading.Thread (target = subprocess.run, args = (["sleep", "0.7"],))
    t.start ()
    t.join ()
END
python=
for one in python3.14 python3.13 python3.12 python3; do
    if "$one" -c pass 2>/dev/null; then
        python=$(command -v "$one")
        break
    fi
done
if [ -n "$python" ]; then
    alike forks "$python" -W always forks.py "$tmp/f"
    alike late "$python" -W always late.py "$tmp/f"
    alike maps "$python" -W always maps.py "$tmp/mapped"
    most=0
    for try in 1 2 3; do
        began=${EPOCHREALTIME/[.,]/}
        traced chain$try "$python" chain.py
        life=$((${EPOCHREALTIME/[.,]/} - began))
        most=$(waits chain$try | awk -v most="$most" -v life="$life" '$1 == $2 && $3 == "wait_lock" {
            p = $1; sub (/.* dur=/, ""); n[p] += $1 } END { for (p in n) if (n[p] / life / 10 > most) most = n[p] / life / 10; printf "%.0f", most }')
    done
    cmp_num "$most" -le 100 "what the main thread waits is no more than its life ($most %)"
else
    skip "no Python" "a fork of Python is not warned about"
fi
done_testing
