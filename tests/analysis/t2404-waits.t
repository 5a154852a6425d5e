#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2404-waits.t - waits are read, exported and asked for, and are in no total
#                 of calls or I/O

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

unset "${!SLURM@}"
"$top_builddir/tests/tools/mkshard" "$tmp/waits" waits 40
"$top_builddir/tests/tools/mkshard" "$tmp/calm" calm 40

tables ()
{
    "$dftrace" analyze --no-write --view all "$1" 2>/dev/null
}
tables "$tmp/waits" >"$tmp/with"
tables "$tmp/calm" >"$tmp/without"
ok "the tables have rows" grep -qE 'POSIX +read +40 ' "$tmp/with"
# of calls, files, processes: the bill and its metrics tell of waits
is "$(diff <(sed '1,/^Calls by layer/d' "$tmp/without") \
    <(sed '1,/^Calls by layer/d' "$tmp/with"))" "" \
    "no table counts waits, or the thread that took the samples"

# asked for by kind: those that the program of the test wrote
"$dftrace" analyze --no-write --format csv --view function \
    --where 'cat == WAIT' "$tmp/waits" >"$tmp/asked" 2>/dev/null
is "$(awk -F, 'NR > 1 { printf "%s %d %.6f\n", $1, $2, $5 }' "$tmp/asked" |
    sort)" \
    "WAIT/wait_lock 40 0.003600
WAIT/wait_run 40 0.000800
WAIT/wait_sleep 40 0.001200" "--where 'cat == WAIT': count and seconds by kind"

count ()
{
    grep -c -- "$1" "$2"
}
"$dftrace" export -f jsonl "$tmp/waits" >"$tmp/jsonl" 2>/dev/null
is "$(count '"tid":1002,.*"name":"wait_lock","file2":"under libgomp' \
    "$tmp/jsonl")" 40 "jsonl: of the thread that waits, and for whom"
is "$(count '"tid":1000,.*"name":"wait_run","flags":2001' "$tmp/jsonl")" 40 \
    "jsonl: flags say that it is an estimate"
is "$(count '"tid":1000,.*"name":"wait_sleep","flags":0' "$tmp/jsonl")" 40 \
    "jsonl: what a thread knows itself is exact"

"$dftrace" export -f pfw "$tmp/waits" -o "$tmp/waits.pfw" 2>/dev/null
gzip -cd "$tmp/waits.pfw" >"$tmp/pfw" 2>/dev/null ||
    cp "$tmp/waits.pfw" "$tmp/pfw"
is "$(count '"name":"wait_lock","cat":"WAIT","pid":1000,"tid":1002' \
    "$tmp/pfw")" 40 ".pfw: category WAIT, the thread that waits"

cp -r "$tmp/waits" "$tmp/merged"
"$dftrace" merge "$tmp/merged" >/dev/null 2>&1
rm -r "$tmp/merged/shards"
"$dftrace" export -f jsonl "$tmp/merged" 2>/dev/null >"$tmp/jsonl2"
is "$(sort "$tmp/jsonl2" | cksum)" "$(sort "$tmp/jsonl" | cksum)" \
    "a merged trace has the same events"

# --- whose threads, or other jobs, use the processors --------------------------

cat >"$tmp/hash.py" <<'END'
import hashlib, sys, threading, time
open(sys.argv[0]).read()
until = time.monotonic() + 3
def work():
    while time.monotonic() < until:
        hashlib.sha256(b"x" * 3000000).digest()
        open(sys.argv[0]).close() # what is never in a call is not sampled
threads = [threading.Thread(target=work) for _ in range(int(sys.argv[1]))]
for t in threads: t.start()
work()
for t in threads: t.join()
END
# advice THREADS: on one processor, beside a program that is not of the job
advice ()
{
    taskset -c "$cpu" python3 "$tmp/hash.py" 0 &
    taskset -c "$cpu" "$dftrace" run -q -o "$tmp/cpu$1" -- "$(python3 -c \
        'import sys; print(sys.executable)')" "$tmp/hash.py" "$1"
    wait
    "$dftrace" analyze --no-write --format csv --view insight "$tmp/cpu$1" 2>/dev/null |
        grep ',cpu_wait,'
}
if command -v taskset >/dev/null && command -v python3 >/dev/null; then
    cpu=$(taskset -pc $$ | sed 's/.*[ ,-]//')
    like "$(advice 3)" "fewer threads in each process, or more.*1 processor allowed for 1 process at once, in one [1-4]\.[0-9] threads" \
        "four threads on one processor"
    like "$(advice 0)" "others use its processors.*1 processor allowed for 1 process at once\"" \
        "one thread, beside another job"
else
    skip "no taskset or python3 here" "four threads on one processor"
    skip "no taskset or python3 here" "one thread, beside another job"
fi

# --- who has a GPU open may spin for it ---------------------------------------

cat >"$tmp/gpu.sh" <<'END'
mkdir dev && mount -t tmpfs none dev && : >dev/nvidia0 && mount --bind /dev/null dev/nvidia0 || exit 77
for name in null zero urandom; do
    : >dev/$name && mount --bind /dev/$name dev/$name || exit 77
done
mount --bind dev /dev || exit 77
"$1" run -q -o gpu -- python3 spin.py /dev/nvidia0 &&
    "$1" run -q -o none -- python3 spin.py /dev/nvidia1
END
cat >"$tmp/spin.py" <<'END'
import sys, time
try:
    open(sys.argv[1], "rb", 0).read(1)
except OSError:
    pass
while time.process_time() < 0.4:
    pass
END
# rows JOB: which of the two have more than 0.2 s
rows ()
{
    "$dftrace" analyze --no-write --format csv --view wall "$tmp/$1" 2>/dev/null |
        awk -F, '($1 == "cpu" || $1 == "gpu") && $(NF - 3) > 0.2 { print $1 }' | xargs
}
for way in -m -rm; do
    (cd "$tmp" && rm -rf dev && unshare $way bash gpu.sh "$dftrace") >/dev/null 2>&1 && break
done
if [ -d "$tmp/none" ]; then
    is "$(rows gpu)" gpu "of a process with a GPU open, computing may be a spin on it"
    is "$(rows none)" cpu "a device that is not there is none"
else
    skip "no mount namespaces" "of a process with a GPU open, computing may be a spin on it"
    skip "no mount namespaces" "a device that is not there is none"
fi
done_testing
