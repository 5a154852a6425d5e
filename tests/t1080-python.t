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

. "${top_srcdir:-.}/tests/lib.sh"
. "$top_srcdir/tests/preload.sh"

python=$(python3 -c 'import sys; print (sys.executable)' 2>/dev/null) || skip_all "no python3"
cd "$tmp" || exit 99
head -c 400000 /dev/urandom >file
cat >workers.py <<'END'
import multiprocessing as mp, os, subprocess, sys, threading

N = 500

def reads (fd=None):
    own = os.open ("file", os.O_RDONLY) if fd is None else fd
    n = 0
    for i in range (N):
        n += len (os.pread (own, 100, i * 100))
    return n

def main ():
    how = sys.argv[1]
    if how == "threads":
        ts = [threading.Thread (target=reads) for i in range (4)]
        [t.start () for t in ts]
        [t.join () for t in ts]
    elif how == "inherited":
        fd = os.open ("file", os.O_RDONLY)
        ps = [mp.get_context ("fork").Process (target=reads, args=(fd,)) for i in range (4)]
        [p.start () for p in ps]
        [p.join () for p in ps]
    elif how == "popen":
        for i in range (4):
            reads ()
            for program in "/no/such/program", "nosuchprogram", "/etc/passwd":
                try:
                    subprocess.run ([program])
                except OSError as e:
                    print (type (e).__name__)
            subprocess.run (["true"])
    else:
        method, kind = how.split ("-")
        context = mp.get_context (method)
        if kind == "process":
            ps = [context.Process (target=reads) for i in range (4)]
            [p.start () for p in ps]
            [p.join () for p in ps]
        else:
            with context.Pool (4) as pool: # ends with SIGTERM
                print (pool.map (reads, [None] * 4, 1))
    print ("done")

if __name__ == "__main__":
    main ()
END

for how in threads inherited popen {fork,spawn,forkserver}-{process,pool}; do
    plain=$("$python" workers.py $how 2>&1)
    out=$(traced $how timeout 60 "$python" workers.py $how 2>&1)
    is "$out" "$plain" "$how: the same output"
    n=$(events $how | grep -c " pread .*file=$tmp/file size=100 ")
    is "$n+$(health $how lost)" "2000+0" "$how: every read is in the trace"
done
is "$(events inherited | awk '$3 == "pread" { print $1 }' | sort -u | wc -l)" 4 \
    "inherited: of four processes"
is "$(events inherited | grep ' pread ' | grep -vc ' off=\(0\|[0-9]*00\) ')" 0 "at their offsets"

done_testing
