#!/bin/bash
# SPDX-License-Identifier: MIT
#
# seven.sh - the seven jobs of the first hour, traced in the working directory: files,
#            syncs, last, pipeline, status, asleep, mapped
#
# In:  dftrace in $1
# Out: a job directory each, with its trace merged

job() { # NAME COMMAND…
    local name=$1
    shift
    "$dftrace" run -q -o "$name" -- "$@"
    "$dftrace" merge -q "$name"
}

dftrace=$1
python3=$(python3 -c 'import sys; print (sys.executable)') || exit 1
export DFTRACE_SCREEN=0
job files "$python3" -c '
import os
os.mkdir ("small")
for i in range (2000):
    open (f"small/item-{i}.bin", "wb").write (b"x" * 1000)
for i in range (2000):
    open (f"small/item-{i}.bin", "rb").read ()'
job syncs "$python3" -c '
import os
fd = os.open ("log.db", os.O_CREAT | os.O_WRONLY)
for i in range (50):
    os.write (fd, b"y" * 4096)
    os.fsync (fd)'
cat >straggler.py <<'END'
import multiprocessing, time
def work (i):
    with open (f"part-{i}.out", "wb") as f:
        f.write (b"z" * 65536)
    time.sleep (1 if i == 3 else 0.1)
if __name__ == "__main__":
    ps = [multiprocessing.Process (target=work, args=(i,)) for i in range (4)]
    [p.start () for p in ps]
    [p.join () for p in ps]
END
job last "$python3" straggler.py
job pipeline sh -c 'head -c 2000000 /dev/zero | tr "\0" a | wc -c >count'
job status "$python3" -c 'import sys; open ("result", "w").write ("part"); sys.exit (3)'
job asleep sh -c 'echo start >state; sleep 1; echo end >state'
job mapped "$python3" -c '
import mmap
open ("big.bin", "wb").write (bytes (1 << 26))
f = open ("big.bin", "rb")
m = mmap.mmap (f.fileno (), 0, prot=mmap.PROT_READ)
sum (m[i] for i in range (0, len (m), 4096))'
exit 0
