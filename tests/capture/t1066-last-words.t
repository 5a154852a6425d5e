#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1066-last-words.t - the call that a process is in: while it runs, and after
# it was killed
#
# Each program says on its own that it is about to make the call; the kernel
# says that it sleeps in it.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

command -v jq >/dev/null || skip_all "no jq here"
python=$(command -v /usr/bin/python3 || command -v python3) || skip_all "no python3 here"
cd "$tmp" || exit 99

case $(stat -f -c %T "$tmp") in
    ext2/ext3 | xfs | tmpfs) known=1 ;;
    *) known=0 ;; # where the trace may not say it
esac

# kept NAME TEXT WANT: the same, or nothing where it cannot be known
kept ()
{
    if [ $known = 1 ]; then is "$2" "$3" "$1"; else is "$2" "" "$1: not known on this file system"; fi
}

# sleeps PID: the process sleeps in a system call for good
sleeps ()
{
    local state
    state=$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null)
    [ "$state" = S ]
}

wait_until ()
{
    for _ in $(seq 1200); do
        if "$@"; then return 0; fi
        sleep 0.05
    done
    return 1
}

# A program that says its process id in the file pid right before the call.
ready='import os, sys, fcntl, time, threading, signal
def ready ():
    open ("pid.new", "w").write (str (os.getpid ()))
    os.rename ("pid.new", "pid")
'

# start NAME TEXT: run that Python program traced until it sleeps in its call
start ()
{
    rm -f pid
    printf '%s\n%s\n' "$ready" "$2" >"$1.py"
    "$dftrace" run -q -o "$tmp/$1" -- "$python" "$1.py" >/dev/null 2>&1 &
    wait_until test -e pid
    pid=$(cat pid)
    sleep 0.3
    wait_until sleeps "$pid"
}

# now NAME: what top says of it
now ()
{
    "$dftrace" top --format jsonl --count 1 "$tmp/$1" |
        jq -r '.processes[] | select (.pid == '"$pid"' and (.ended | not)) |
            [.doing, .doing_file] | map (. // empty) | join (" ")'
}

noted ()
{
    grep -q "^ended $pid " "$tmp/$1"/shards/processes.* 2>/dev/null
}

# end NAME: kill it, and say what the table has
end ()
{
    kill -KILL "$pid"
    wait_until noted "$1" # by its parent, or dftrace run
    "$dftrace" analyze --view process --format json "$tmp/$1" |
        jq -r '.. | objects | select (.pid? == '"$pid"' and .signal? == 9) | .doing // empty'
}

touch lock
exec 8<lock
flock -x 8 || skip_all "no flock here"
start flock 'f = open ("lock")
ready ()
fcntl.flock (f, fcntl.LOCK_EX)'
kept "flock: now" "$(now flock)" "flock $tmp/lock"
kept "flock: killed" "$(end flock)" "flock $tmp/lock"
line=$("$dftrace" analyze "$tmp/flock" | sed -n 2p)
if [ $known = 1 ]; then
    like "$line" "^python[0-9.]* \($pid\): killed by signal 9 after [0-9]+\.[0-9] s in flock \(lock\)$" "the first screen"
    is "$(jq -r '.ended.failed[] | select (.pid == '"$pid"') | .doing' "$tmp/flock/job.json")" \
        "flock $tmp/lock" "job.json"
    "$dftrace" analyze --view process --format json "$tmp/flock" >table
    ok "it was in it for less than it ran" \
        jq -e '[.. | objects | select (.doing? // "" | test ("flock"))][0] | .doing_s > 0.2 and .doing_s <= .time_s' table
else
    like "$line" "^python[0-9.]* \($pid\): killed by signal 9$" "the first screen"
fi
"$dftrace" merge -q "$tmp/flock"
kept "with trace.dft beside the shards" \
    "$("$dftrace" analyze --view process --format json "$tmp/flock" | jq -r '.. | objects | .doing? // empty')" \
    "flock $tmp/lock"
# words TRACE: what its process was in
words ()
{
    "$dftrace" analyze --no-write --view process --format json "$1" 2>/dev/null |
        jq -r '.. | objects | .doing? // empty'
}
mkdir "$tmp/alone" "$tmp/again"
cp "$tmp/flock/trace.dft" "$tmp/alone/other.dft"
kept "a merged trace without its shards" "$(words "$tmp/alone")" "flock $tmp/lock"
"$dftrace" merge -q -o "$tmp/again/twice.dft" "$tmp/alone"
kept "one that was made of it" "$(words "$tmp/again")" "flock $tmp/lock"

# The region of the application that the thread is in: not those that have ended.
# region NAME: that of job.json, once it is killed, and of the first screen
region ()
{
    end "$1" >/dev/null
    "$dftrace" analyze "$tmp/$1" >screen
    echo "$(jq -r '.ended.failed[] | select (.pid == '"$pid"') | .doing_region' "$tmp/$1/job.json")" \
        "$(sed -n '2,3s/.*in region \([a-z.]*\)$/\1/p' screen)"
}
# how a region that began may have ended, within another one or not
for how in none ends fails stops skips; do
    for within in 0 1; do
        start region-$how$within '
import dftrace
@dftrace.trace ("data", "stops")
def stops (how):
    if how == "stops": raise StopIteration
    if how == "fails": raise KeyError
def inside ():
    for i in range (300):
        with dftrace.region ("data", "item"):
            open ("lock").close ()
    how = "'$how'"
    if how == "none": dftrace.region ("loader", "fetch").__enter__ ()
    try: stops (how)
    except (StopIteration, KeyError): pass
    if how == "skips" and os.fork () != 0:
        os.wait ()
        os._exit (0)
    ready ()
    fcntl.flock (open ("lock"), fcntl.LOCK_EX)
if '$within':
    with dftrace.region ("train", "epoch"): inside ()
else: inside ()'
        case $how$within in
            none?) want=loader.fetch ;;
            skips1 | ?*0) want= ;;
            *) want=train.epoch ;;
        esac
        kept "region: $how, $within" "$(region region-$how$within)" "${want:-null} $want"
    done
done

# As the epilog packs the shards of a node.
mkdir -p "$tmp/pack/shards"
cp "$tmp"/flock/shards/*.dft "$tmp/pack/shards"
"$dftrace" merge -q -o "$tmp/packed.dft" "$tmp/pack"
cp -r "$tmp/flock" "$tmp/packed"
rm -f "$tmp"/packed/shards/*.dft "$tmp"/packed/trace.dft*
cp "$tmp/packed.dft" "$tmp/packed/shards/"
kept "packed by the epilog" "$(words "$tmp/packed")" "flock $tmp/lock"

# Locks of fcntl are those of processes: another one holds it.
"$python" -c 'import fcntl, time
f = open ("locked", "w")
fcntl.lockf (f, fcntl.LOCK_EX)
open ("held", "w").close ()
time.sleep (600)' &
holder=$!
at_exit "kill $holder 2>/dev/null"
wait_until test -e held
start range 'f = open ("locked", "r+")
ready ()
fcntl.lockf (f, fcntl.LOCK_EX)'
kept "a lock of fcntl" "$(end range)" "fcntl $tmp/locked"

mkfifo other
start open 'open ("lock").close ()
time.sleep (0.1) # after so many calls in a row, paths are noted again
ready ()
open ("other")'
kept "open of a FIFO: now" "$(now open)" "open other"
kept "open of a FIFO: killed" "$(end open)" "open other"
if [ $known = 1 ]; then
    like "$("$dftrace" analyze "$tmp/open" | sed -n 2p)" \
        "^python[0-9.]* \($pid\): killed by signal 9 after [0-9]+\.[0-9] s in open \(other\)$" \
        "open of a FIFO: the first screen"
fi

# A path as the program gives it, at the end of a page behind which there is
# nothing, as long as paths may be.
cat >edge.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main (int argc, char **argv)
{
    const char *given = argv[2];
    size_t n = strlen (given) + 1, slashes = argc > 3 ? 3500 : 0;
    char *page = mmap (NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *path = page + 4096 - n - slashes, name[64];
    FILE *f;

    munmap (page + 4096, 4096);
    memset (path, '/', slashes);
    memcpy (path + slashes, given, n);
    close (open (argv[1], O_RDONLY));
    f = fopen ("pid.new", "w");
    fprintf (f, "%d\n", getpid ());
    fclose (f);
    rename ("pid.new", "pid");
    usleep (100000);
    return open (path, O_RDONLY);
}
END
if ${CC:-cc} -o edge edge.c 2>/dev/null; then
    for way in short long; do
        rm -f pid
        "$dftrace" run -q -o "$tmp/edge-$way" -- ./edge lock "$tmp/other" $([ $way = short ] || echo slashes) \
            >/dev/null 2>&1 &
        wait_until test -s pid
        pid=$(cat pid)
        sleep 0.3
        wait_until sleeps "$pid"
        if [ $way = short ]; then
            kept "a path before nothing" "$(end edge-$way)" "open $tmp/other"
        else
            kept "a path of 3500 bytes more, or its end" "$(end edge-$way | tr -s / | sed 's,\.\.\./,/,')" \
                "open $tmp/other"
        fi
    done
else
    skip "no C compiler" "a path before nothing"
    skip "no C compiler" "a path of 3500 bytes more, or its end"
fi

start read 'f = open ("lock")
r, w = os.pipe ()
ready ()
os.read (r, 1)'
kept "read of a pipe: now" "$(now read)" "read a pipe"
kept "read of a pipe: killed" "$(end read)" "read a pipe"
if [ $known = 1 ]; then
    is "$("$dftrace" analyze "$tmp/read" | sed -n '2s/^python[0-9.]* //p')" \
        "($pid): killed by signal 9 in read (a pipe)" "read of a pipe: the first screen"
fi

start sleep 'f = open ("lock")
ready ()
time.sleep (600)'
kept "sleep" "$(end sleep)" "$("$python" -c '
import sys
print ("sleep" if sys.version_info >= (3, 11) else "select")')"

start child 'f = open ("lock")
ready ()
p = os.fork ()
if p == 0:
    while os.getppid () != 1 and os.path.exists ("pid"):
        time.sleep (0.05)
    os._exit (0)
os.waitpid (p, 0)'
kept "a wait for a child" "$(end child)" "waitpid"
rm -f pid

# The main thread computes; what waits is a thread that serves it.
start helper 'f = open ("lock")
r, w = os.pipe ()
def work ():
    open ("lock").close ()
    os.read (r, 1)
threading.Thread (target = work, daemon = True).start ()
time.sleep (0.3)
ready ()
signal.pause ()'
is "$(end helper)" "" "a wait of another thread is not what the process does"

start free 'f = open ("lock")
ready ()
signal.pause ()'
is "$(now free)" "" "between calls: now"
is "$(end free)" "" "between calls: killed"

# The main thread waits for another one, which waits for the lock.
start thread 'f = open ("lock")
def work ():
    g = open ("lock")
    ready ()
    fcntl.flock (g, fcntl.LOCK_EX)
t = threading.Thread (target = work)
t.start ()
t.join ()'
kept "another thread is in it" "$(end thread)" "flock $tmp/lock"

# A handler that interrupts the call and makes others of its own.
start handler 'f = open ("lock")
def handle (number, frame):
    open ("seen", "w").write ("1")
signal.signal (signal.SIGUSR1, handle)
ready ()
fcntl.flock (f, fcntl.LOCK_EX)'
kill -USR1 "$pid"
wait_until test -s seen
sleep 0.3
kept "after a signal handler" "$(end handler)" "flock $tmp/lock"

# A child of fork has its own.
start fork 'f = open ("lock")
p = os.fork ()
if p == 0:
    g = open ("lock")
    ready ()
    fcntl.flock (g, fcntl.LOCK_EX)
os.waitpid (p, 0)'
kept "a child" "$(end fork)" "flock $tmp/lock"

# A call that failed or returned is over, whatever became of it.
start over 'f = open ("lock")
try:
    fcntl.flock (f, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    pass
for path in "nowhere", "lock":
    try:
        os.stat (path)
        open (path).close ()
        os.readlink (path)
    except OSError:
        pass
ready ()
signal.pause ()'
is "$(end over)" "" "calls that failed are over"

done_testing
