#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small programs with one cause of waiting each, and the same work without it.

    python3 fixes.py CAUSE before|after

They work in the current directory. doc/findings.md has their figures; measure.sh
makes them again.
"""

import fcntl
import mmap
import multiprocessing
import os
import subprocess
import sys
import threading
import time

after = sys.argv[2:] == ["after"]


def make(name, size):
    with open(name, "wb") as f:
        f.write(os.urandom(size))
        os.fsync(f.fileno())


def sync():
    """A log of 400 records: fsync after each, or once."""
    with open("log.db", "wb", buffering=0) as f:
        for _ in range(400):
            f.write(b"y" * 4096)
            if not after:
                os.fsync(f.fileno())
        os.fsync(f.fileno())


def write():
    """50 MB in pieces of 100 bytes, without or with a buffer."""
    with open("out.bin", "wb", buffering=1 << 20 if after else 0) as f:
        for _ in range(500000):
            f.write(b"z" * 100)


def cached():
    """A file in the page cache, read in pieces of 64 bytes or of 1 MiB."""
    make("in.bin", 1 << 25)
    size = 1 << 20 if after else 64
    with open("in.bin", "rb", buffering=0) as f:
        while f.read(size):
            pass


def read():
    """48 MiB past the page cache: pages of 4 KiB backwards, or pieces of 1 MiB."""
    make("direct.bin", 48 << 20)
    size = 1 << 20 if after else 4096
    fd = os.open("direct.bin", os.O_RDONLY | os.O_DIRECT)
    buffer = mmap.mmap(-1, size)
    places = range(0, 48 << 20, size)
    for at in places if after else reversed(places):
        os.preadv(fd, [buffer], at)


def files():
    """20,000 records as files of their own, or in one file."""
    if not after:
        os.mkdir("records")
    whole = open("records.bin", "wb")
    for i in range(20000):
        if after:
            whole.write(b"x" * 200)
        else:
            with open(f"records/{i}.bin", "wb") as f:
                f.write(b"x" * 200)


def locked(name):
    with open(name, "wb", buffering=0) as f:
        for _ in range(40):
            fcntl.flock(f, fcntl.LOCK_EX)
            f.write(b"r" * 100)
            time.sleep(0.005)  # what is done with the lock held
            fcntl.flock(f, fcntl.LOCK_UN)


def flock():
    """Four processes lock one file for each record, or one file each."""
    each(locked, [f"part-{i if after else 0}.txt" for i in range(4)])


def each(work, parts):
    processes = [multiprocessing.Process(target=work, args=(p,)) for p in parts]
    for p in processes:
        p.start()
    for p in processes:
        p.join()



def spawn():
    """A program for each of 400 lines, or one for all."""
    lines = "\n".join(map(str, range(400)))
    loop = "while read i; do expr $i + 1; done"
    subprocess.run(["sh", "-c", "awk '{ print $1 + 1 }'" if after else loop],
                   input=lines, text=True, stdout=subprocess.DEVNULL)


def sleep():
    """Wait for a worker: look each 0.5 s, or be told."""
    def work():
        time.sleep(0.05)
        done.set()

    for _ in range(4):
        done = threading.Event()
        threading.Thread(target=work).start()
        while not done.is_set():
            if after:
                done.wait()
            else:
                time.sleep(0.5)


def busy(seconds):
    with open(f"part-{os.getpid()}.out", "wb") as f:
        f.write(b"p" * 65536)
    time.sleep(seconds)  # of work


def straggler():
    """Four processes with unequal or equal parts of the same work."""
    each(busy, [0.4] * 4 if after else [0.1, 0.1, 0.1, 1.3])




def checkpoint():
    """Twenty steps: a checkpoint of 16 MiB after each, or after every tenth."""
    state = os.urandom(16 << 20)
    for step in range(1, 21):
        time.sleep(0.02)  # of work
        if step % 10 == 0 or not after:
            with open("checkpoint.pt", "wb") as f:
                f.write(state)
                f.flush()
                os.fsync(f.fileno())



if __name__ == "__main__":
    causes = "sync write cached read files flock spawn sleep straggler checkpoint"
    if len(sys.argv) != 3 or sys.argv[1] not in causes.split():
        sys.exit(f"usage: fixes.py CAUSE before|after; causes: {causes}")
    globals()[sys.argv[1]]()
