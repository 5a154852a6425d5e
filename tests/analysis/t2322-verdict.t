#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2322-verdict.t - the first screen contradicts neither itself nor what is not known;
#                   advice follows from evidence

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v python3 >/dev/null || skip_all "no python3"
layerjob=$top_builddir/tests/tools/layerjob

# event NAME CAT TS DUR ARGS…: a line of process $pid, thread $tid
event ()
{
    printf '{"name":"%s","cat":"%s","pid":%d,"tid":%d,"ts":%d,"dur":%d,' \
        "$1" "$2" "${pid:-1}" "${tid:-${pid:-1}}" "$3" "$4"
    printf '"ph":"X","args":{"hostname":"n1"%s}}\n' "${5:-}"
}
file ()
{
    printf ',"fname":"%s","ret":%d,"count":%d' "$1" "${2:-8}" "${2:-8}"
}
screen ()
{
    "$dftrace" analyze --no-write "$1" >"$tmp/screen" 2>/dev/null
    ok "${1##*/}: 24 lines of 80 characters" awk 'length > 80 { bad = 1 }
        END { exit bad || NR > 24 }' "$tmp/screen"
}
# column COLUMN RULE JOB: of a finding
column ()
{
    "$dftrace" analyze --no-write --format json --view insight "$3" 2>/dev/null |
        python3 -c '
import json, sys
for f in json.load (sys.stdin):
    if f["rule"] == sys.argv[2]: print (f[sys.argv[1]])' "$1" "$2"
}
rules ()
{
    "$dftrace" analyze --no-write --format csv --view insight "$1" 2>/dev/null |
        tail -n +2 | cut -d, -f1,2 | sort | xargs
}

# --- no contradictions -------------------------------------------------------------

# A program that does hardly anything but what nobody sees.
{
    event read POSIX 0 1000 "$(file /data/a.bin)"
    event read POSIX 999000 1000 "$(file /data/a.bin)"
} >"$tmp/dark.pfw"
screen "$tmp/dark.pfw"
unlike "$(cat "$tmp/screen")" "Nothing here" "99.8 % are not explained: not nothing"
like "$(cat "$tmp/screen")" "99\.8 % not explained: " "but how much is not explained"
like "$(cat "$tmp/screen")" "No I/O that was seen costs more than 1 %" "and what was seen"

# I/O of a thread beside the main thread, which computes: the job may not wait for it.
{
    event step compute 0 1000000
    pid=1 tid=9 event write POSIX 100000 500000 "$(file /data/log.bin)"
} >"$tmp/hidden.pfw"
screen "$tmp/hidden.pfw"
is "$(rules "$tmp/hidden.pfw")" "" "hidden I/O is no finding"
unlike "$(cat "$tmp/screen")" "Nothing here" "50 % of I/O stand above: not nothing"
like "$(cat "$tmp/screen")" "50\.0 % of the job is I/O, none of it known to hold up" "but hidden"

# An asynchronous checkpoint in a thread, beside what is not seen: never critical.
{
    event read POSIX 0 10 "$(file /data/a.bin)"
    pid=1 tid=9 event save checkpoint 100000 600000
    pid=1 tid=9 event write POSIX 100000 600000 "$(file /data/ckpt/model.pt)"
    event read POSIX 999990 10 "$(file /data/a.bin)"
} >"$tmp/async.pfw"
is "$(rules "$tmp/async.pfw")" "warning,threads_io" "a checkpoint in a thread is not critical"

# --- all critical findings are on the first screen ----------------------------------

# 15 % each: six causes, beside settings that say much.
mkdir "$tmp/many"
{
    event read POSIX 0 150000 "$(file /data/a-1.bin)"
    event write POSIX 150000 150000 "$(file /data/out.txt)"
    event fsync POSIX 300000 150000 ',"fname":"/data/out.txt","ret":0'
    event open POSIX 450000 150000 ',"fname":"/data/b.bin","ret":3'
    event write POSIX 600000 150000 "$(file /data/ckpt/model.pt)"
    event read POSIX 750000 150000 "$(file /data/x.json)"
    event close POSIX 999999 1 ',"fname":"/data/b.bin","ret":0'
} >"$tmp/many/many.pfw"
printf '{"format": "dftrace-job", "version": 1, "settings": {"DFTRACE_EXCLUDE": "%s"}}' \
    "$(printf '/directory/%s:' {1..60})" >"$tmp/many/job.json"
screen "$tmp/many"
is "$(grep -cE '^critical +150 ms +15\.0 %' "$tmp/screen")" 6 "six critical ones, a line each with its cost"
for words in 'reads: a-1.bin' 'writes: out.txt' 'sync: out.txt' 'data files: b.bin' 'checkpoints: model.pt' 'other_io: x.json'; do
    like "$(grep '^critical' "$tmp/screen")" "$words" "with its subject: $words"
done
is "$(grep -n '^critical' "$tmp/screen" | tail -n 1 | cut -d: -f1)" \
    "$(($(grep -n '^What could' "$tmp/screen" | cut -d: -f1) + 6))" "before any advice"

# --- advice follows from evidence ------------------------------------------------------

# Files whose names differ in their numbers are one subject.
for ((i = 0; i < 20; i++)); do
    event read POSIX $((i * 1000)) 900 "$(file /data/shard-$i.bin)"
done >"$tmp/shards.pfw"
is "$(column subject read_stall "$tmp/shards.pfw")" "shard-N.bin" "a series of files"

# Seeks are not files: 800 of 900 us of metadata.
{
    event open POSIX 0 100 ',"fname":"/data/a.bin","ret":3'
    for ((i = 1; i <= 800; i++)); do
        event lseek POSIX $((100 + i)) 1 ',"fname":"/data/a.bin","ret":0'
    done
} >"$tmp/seeks.pfw"
is "$(rules "$tmp/seeks.pfw")" "critical,seeks" "seeks"
unlike "$(column advice seeks "$tmp/seeks.pfw")" "files" "no advice to use fewer files"
# As many in opens: files.
sed 's/"lseek"/"open"/' "$tmp/seeks.pfw" >"$tmp/opens.pfw"
is "$(rules "$tmp/opens.pfw")" "critical,metadata_time" "opens"

# The part of a recorded duration that is the recorder's own is not the program's.
for ((i = 0; i < 1000; i++)); do
    echo "lseek /data/one.dat - 0 0 0 $((i * 1000)) 400"
done >"$tmp/lines"
"$layerjob" "$tmp/own" <"$tmp/lines"
sum=$("$dftrace" analyze --no-write --format csv --view call "$tmp/own" 2>/dev/null |
    awk -F, '$2 == "lseek" { print $5 }')
is "$(column cost_s seeks "$tmp/own" | awk -v sum="$sum" '{ print ($1 < 0.99 * sum && $1 > 0.5 * sum) ? "less" : $1 }')" \
    less "1000 short seeks cost less than their recorded durations"
is "$(column subject seeks "$tmp/own")" "layerjob, one.dat" "the program and the file"

# Cached reads are not storage: 64 KiB in 20 us, in 2 ms.
for us in 20 2000; do
    for ((i = 0; i < 10; i++)); do
        event read POSIX $((i * 2 * us)) $us "$(file /data/a.bin 1048576)"
    done | sed 's/1048576/65536/g' >"$tmp/read$us.pfw"
done
is "$(rules "$tmp/read20.pfw")" "critical,cached_reads" "3 GB/s come from memory"
unlike "$(column advice cached_reads "$tmp/read20.pfw")" "storage that is" "no faster storage"
is "$(rules "$tmp/read2000.pfw")" "critical,read_stall" "33 MB/s come from storage"

# A start of 8 of 10 s, of which 0.3 are program files: that could be saved.
{
    event read POSIX 0 300000 "$(file /env/lib/site-packages/a.py)"
    event fetch dataloader 8000000 10
    event step compute 8000010 1999990
} >"$tmp/start.pfw"
is "$(column cost_s imports "$tmp/start.pfw")" 0.3 "what could be saved of a start"

# Waits, one after another: a finding for each row of the bill that has 1 % or more.
{
    at=0
    for wait in run:300 runq:100 lock:100 pipe:100 net:100 sleep:100 blocked:100 run:95 poll:5; do
        event "wait_${wait%:*}" WAIT $((at * 1000)) $((${wait#*:} * 1000))
        at=$((at + ${wait#*:}))
    done
} >"$tmp/waits.pfw"
screen "$tmp/waits.pfw"
is "$(rules "$tmp/waits.pfw")" "critical,cpu_wait critical,lock_wait critical,network_wait \
critical,sleep_wait warning,blocked_wait warning,pipe_wait" "a finding for each row, none for computing"
unlike "$(cat "$tmp/screen")" "not explained" "all is explained"
sed 's/wait_lock/wait_gil/' "$tmp/waits.pfw" >"$tmp/gil.pfw"
like "$(rules "$tmp/gil.pfw")" "critical,gil_wait" "the GIL is named"
is "$("$dftrace" analyze --no-write --format csv --view wall "$tmp/gil.pfw" 2>/dev/null |
    awk -F, '$1 == "gil" || $1 == "lock" { print $1, $(NF - 3) }' | xargs)" "lock 0 gil 0.1" \
    "and has a row of its own"
# 0.5 % each but for computing: nothing.
{
    event wait_run WAIT 0 990000
    event wait_lock WAIT 990000 5000
    event wait_pipe WAIT 995000 5000
} >"$tmp/busy.pfw"
is "$(rules "$tmp/busy.pfw")" "" "what has less has none"
like "$("$dftrace" analyze --no-write "$tmp/busy.pfw" 2>/dev/null)" "Nothing here costs more than 1 %" \
    "then nothing is an answer"

# A process that waits for sync for a second, beside others that wait for nothing of
# it: its part of the wall time is less, but all of it can be saved at most.
{
    pid=1 event fsync POSIX 0 900000 ',"fname":"/data/a.bin","ret":0'
    pid=1 event wait_run WAIT 900000 100000
    for pid in 2 3; do
        event wait_blocked WAIT 0 500000
        event wait_blocked WAIT 500000 400000
        event wait_run WAIT 900000 100000
    done
} >"$tmp/idle.pfw"
is "$(column cost_s sync_stall "$tmp/idle.pfw")" 0.9 "others beside it do not divide what it waits"
# A read that had lost its CPU is not storage, alone and beside others.
{
    event read POSIX 0 1000000 "$(file /data/a.bin)"
    event wait_runq WAIT 0 900000
} >"$tmp/starved.pfw"
is "$(column cost_s read_stall "$tmp/starved.pfw") $(column cost_s cpu_wait "$tmp/starved.pfw")" "0.1 0.9" \
    "a CPU is waited for inside a read"
{
    cat "$tmp/starved.pfw"
    pid=2 event wait_blocked WAIT 0 500000
    pid=2 event wait_blocked WAIT 500000 500000
} >"$tmp/starved2.pfw"
is "$(column cost_s read_stall "$tmp/starved2.pfw")" "0.1" "beside others, too"
# Why a CPU is waited for, as job.json says: processors allowed, throttling.
# limits NAME KEYS: of two processes at once
limits ()
{
    mkdir "$tmp/$1"
    for pid in 1 2; do
        event wait_run WAIT 0 100000
        event wait_runq WAIT 100000 900000
    done >"$tmp/$1/job.pfw"
    printf '{"format": "dftrace-job", "version": 1%s}' "$2" >"$tmp/$1/job.json"
    column advice cpu_wait "$tmp/$1"
}
is "$(limits cpu-few ', "cpus_allowed": 1')" "more processors (--cpus-per-task), or fewer workers; \
1 processor allowed for 2 processes at once" "one processor for two processes"
is "$(limits cpu-slow ', "cpus_allowed": 4, "cpu_limit": 0.500, "cpu_throttled_s": 3.25')" \
    "raise the CPU limit of the cgroup, or run fewer workers; \
4 processors allowed for 2 processes at once, a limit of 0.5 by cgroup, throttled for 3.25 s by cgroup" \
    "a cgroup that was throttled"
like "$(limits cpu-many ', "cpus_allowed": 4, "cpu_throttled_s": 0')" \
    "threads in each process.*; 4 processors allowed for 2 processes at once$" "enough for the processes"
is "$(limits cpu-none '')" "$("$dftrace" help cpu_wait | sed -n 's/^ *Try: \(.*\)\.$/\1/p')" "not known"
like "$(limits cpu-bad ', "cpus_allowed": -1, "cpu_limit": "x", "cpu_throttled_s": nan')" "^more CPUs" "nonsense"
screen "$tmp/cpu-slow"
like "$(tr -s ' \n' ' ' <"$tmp/screen")" "throttled for 3\.25 s by cgroup" "on the first screen"
"$dftrace" analyze --no-write --format json "$tmp/cpu-slow" >"$tmp/cpu-slow.json" 2>/dev/null
like "$(cat "$tmp/cpu-slow.json")" "throttled for 3\.25 s by cgroup" "in metrics.json"
"$dftrace" report "$tmp/cpu-slow" >/dev/null 2>&1
like "$(cat "$tmp/cpu-slow/report.html")" "throttled for 3\.25 s by cgroup" "on the page"
# A child that writes while its parent computes: hidden, nothing can be saved.
{
    pid=1 event wait_run WAIT 0 600000
    pid=1 event wait_runq WAIT 600000 400000
    pid=2 event write POSIX 0 900000 "$(file /data/out.bin)"
    pid=2 event wait_run WAIT 900000 100000
} >"$tmp/child.pfw"
is "$(column rule write_stall "$tmp/child.pfw")" "" "I/O of a child beside computing is hidden"

# Directories that imports walk through are no data.
mkdir -p "$tmp/walk/env/app"
cat >"$tmp/walk/env/app/prog.py" <<'PY'
import os
name = os.path.abspath(__file__)
for i in range(50):
    for depth in range(2, name.count("/") + 1):
        os.lstat("/".join(name.split("/")[:depth]))
os.lstat(os.path.join(os.path.dirname(os.path.dirname(name)), "data.bin"))
PY
: >"$tmp/walk/env/data.bin"
"$dftrace" run -q -o "$tmp/job" --layers posix --include all -- python3 -S -E \
    "$tmp/walk/env/app/prog.py" 2>/dev/null || "$dftrace" run -q -o "$tmp/job" -- \
    python3 -S -E "$tmp/walk/env/app/prog.py" 2>/dev/null
is "$("$dftrace" analyze --no-write --format csv --view file,kind --where 'function =~ "stat"' "$tmp/job" 2>/dev/null |
    grep -c "walk/env/app,program\|walk/env,program\|walk,program")" 3 "directories above a program"
like "$("$dftrace" analyze --no-write --format csv --view file,kind "$tmp/job" 2>/dev/null)" \
    "walk/env/data.bin,data" "a file beside it is data"

like "$("$dftrace" help cached_reads)" "^cached_reads: .*Try: .*--view call" "a rule has a help of its own"

# --- who waits for whom -------------------------------------------------------------------

# Four equal children, of which one sleeps five times as long.
cat >"$tmp/equal.py" <<'PY'
import os, sys, time
for r in range(4):
    if os.fork() == 0:
        with open("%s/out%d" % (sys.argv[1], r), "w") as f:
            f.write(str(os.getpid()))
        time.sleep(2.5 if r == 2 else 0.5)
        os._exit(0)
for r in range(4):
    os.wait()
PY
"$dftrace" run -q -o "$tmp/equal" -- python3 -S -E "$tmp/equal.py" "$tmp" 2>/dev/null
like "$(column subject straggler "$tmp/equal")" "^equal.py [(]pid $(cat "$tmp/out2") of 4[)]" \
    "the straggler is named"
like "$(column cost_s straggler "$tmp/equal" | awk '{ print ($1 > 1 && $1 < 2.5) ? "yes" : $1 }')" \
    yes "with what the others waited"
# Different programs of one parent are no stragglers.
cat >"$tmp/mixed.sh" <<'SH'
for i in 1 2 3; do (exec dd if=/dev/zero of="$1/d$i" count=1 2>/dev/null) & done
python3 -S -E -c "import sys, time; open (sys.argv[1] + '/e', 'w'); time.sleep (1)" "$1"
wait
SH
"$dftrace" run -q -o "$tmp/mixed" -- bash "$tmp/mixed.sh" "$tmp" 2>/dev/null
is "$(column rule straggler "$tmp/mixed")" "" "different programs are not equal"

# Four workers that are asked in turn; one sleeps for each task, and the parent tells how
# long it waited for that one.
cat >"$tmp/turns.py" <<'PY'
import os, sys, time
open(sys.argv[1] + "/turns.out", "w").close()
ends = []
for w in range(4):
    todo, done = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.close(todo[1])
        for _, out in ends:
            os.close(out)
        while os.read(todo[0], 1):
            time.sleep(0.4 if w == 3 else 0.002)
            os.write(done[1], b"x")
        os._exit(0)
    os.close(todo[0])
    ends.append((done[0], todo[1]))
time.sleep(0.5)  # so that no worker sleeps all its life
waited = 0
for _ in range(5):
    for _, out in ends:
        os.write(out, b"x")
    for w, (back, _) in enumerate(ends):
        begin = time.monotonic()
        os.read(back, 1)
        waited += time.monotonic() - begin if w == 3 else 0
for _, out in ends:
    os.close(out)
for _ in ends:
    os.wait()
print(waited)
PY
waited=$("$dftrace" run -q -o "$tmp/turns" -- python3 -S -E "$tmp/turns.py" "$tmp" 2>/dev/null)
is "$(column cost_s lagging_worker "$tmp/turns" |
    awk -v w="$waited" '{ print ($1 > 0.4 * w && $1 < 1.1 * w) ? "as much" : $1 " of " w }')" "as much" \
    "a slow worker costs what its parent waits for it"
is "$(rules "$tmp/turns" | tr ' ' '\n' | grep -E 'lagging_worker|sleep_wait' | xargs)" \
    "critical,lagging_worker detail,sleep_wait" "and its sleep is a detail"

# Sets of two interpreters, each made anew, or for all rounds; their start takes 0.3 s.
cat >"$tmp/worker.py" <<'PY'
import sys, time
time.sleep(0.3)
import json
for line in sys.stdin:
    print(json.dumps(line), flush=True)
PY
cat >"$tmp/pools.py" <<'PY'
import subprocess, sys, time
def start():
    return [subprocess.Popen([sys.executable, "-S", "-E", sys.argv[1], str(i)], text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE) for i in range(2)]
def ask(workers):
    for worker in workers:
        print("x", file=worker.stdin, flush=True)
    for worker in workers:
        worker.stdout.readline()
waited, workers = 0, None
for i in range(4):
    begin = time.monotonic()
    if sys.argv[2] == "new" or i == 0:
        workers = start()
    ask(workers)
    waited += time.monotonic() - begin if i else 0
    for _ in range(3):
        time.sleep(0.02)
        ask(workers)
    begin = time.monotonic()
    if sys.argv[2] == "new" or i == 3:
        for worker in workers:
            worker.stdin.close()
            worker.wait()
    waited += time.monotonic() - begin if i else 0
print(waited)
PY
for kind in new kept; do
    waited=$("$dftrace" run -q -o "$tmp/pools.$kind" -- python3 -S -E "$tmp/pools.py" "$tmp/worker.py" $kind 2>/dev/null)
    [ $kind = new ] || break
    is "$(column cost_s new_pools "$tmp/pools.new" |
        awk -v w="$waited" '{ print ($1 > 0.4 * w && $1 < 1.1 * w) ? "as much" : $1 " of " w }')" "as much" \
        "sets of workers made anew cost what their parent waits for them"
done
unlike "$(rules "$tmp/pools.kept")" "new_pools" "workers that stay do not"

# A thread reads beside a main thread that computes, as its waits say.
{
    pid=1 event wait_run WAIT 0 300000
    pid=1 tid=9 event read POSIX 100000 800000 "$(file /data/a.bin)"
    pid=1 event read POSIX 999990 10 "$(file /data/b.bin)"
} >"$tmp/beside.pfw"
unlike "$(rules "$tmp/beside.pfw")" "threads_io" "a main thread that computes waits for no other one"
sed 's/wait_run/wait_sleep/' "$tmp/beside.pfw" >"$tmp/beside2.pfw"
like "$(rules "$tmp/beside2.pfw")" "warning,threads_io" "one that is blocked may"

# A loader whose workers are started anew for each epoch, of which one is slow.
cat >"$tmp/loader.py" <<'PY'
import os, sys, time
from dftrace import region, step

def epoch(slow):
    pids = []
    for w in range(3):
        pid = os.fork()
        if pid == 0:
            with region("data", "item"):
                time.sleep(1.0 if w == slow else 0.2)
            with open("%s/w%d" % (sys.argv[1], w), "w") as f:
                f.write(str(os.getpid()))
            os._exit(0)
        pids.append(pid)
    with region("dataloader", "fetch"):
        for pid in pids:
            os.waitpid(pid, 0)
    with region("compute", "step"):
        time.sleep(0.1)

for i in range(int(sys.argv[2])):
    epoch(int(sys.argv[3]))
PY
if "$dftrace" run -q -o "$tmp/new" --layers posix,app -- python3 "$tmp/loader.py" "$tmp" 3 9 2>/dev/null &&
    "$dftrace" run -q -o "$tmp/lag" --layers posix,app -- python3 "$tmp/loader.py" "$tmp" 1 1 2>/dev/null; then
    like "$(rules "$tmp/new")" "new_workers" "workers are started anew"
    like "$(column advice new_workers "$tmp/new")" persistent_workers "and what helps"
    unlike "$(rules "$tmp/lag")" "new_workers" "one set of workers is not"
    like "$(column subject lagging_worker "$tmp/lag")" "pid $(cat "$tmp/w1")" "the worker that is slow"
    like "$(column cost_s lagging_worker "$tmp/lag" | awk '{ print ($1 > 0.5 && $1 < 1.2) ? "yes" : $1 }')" \
        yes "by how much"
else
    skip 5 "layer app does not run here"
fi

# Lines that would show what is not explained can be used as they are printed.
cat >"$tmp/train.py" <<'PY'
import time
def next_batch(): time.sleep(0.05)
def train_step(): time.sleep(0.05)
for i in range(10):
    next_batch()
    train_step()
PY
if "$dftrace" run -q -o "$tmp/lines.job" --layers posix,app -- python3 "$tmp/train.py" 2>/dev/null &&
    "$dftrace" analyze --no-write "$tmp/lines.job" 2>/dev/null | sed -n 's/^    \(train:\)/\1/p' >"$tmp/F" &&
    [ -s "$tmp/F" ]; then
    is "$(wc -l <"$tmp/F")" 4 "four lines of trace points"
    DFTRACE_POINTS="$tmp/F" "$dftrace" run -q -o "$tmp/shown.job" --layers posix,app -- \
        python3 "$tmp/train.py" 2>/dev/null
    like "$("$dftrace" analyze --no-write --format csv --view operation "$tmp/shown.job" 2>/dev/null)" \
        "compute,step,10," "they show the steps"
else
    skip 2 "nothing is left to explain"
fi

done_testing
