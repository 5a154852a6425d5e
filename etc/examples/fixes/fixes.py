#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small programs with one cause of waiting each, and the same work without it.

    python3 fixes.py CAUSE before|after

They work in the current directory. doc/findings.md has their figures; measure.sh
makes them again.
"""

import contextlib
import fcntl
import mmap
import multiprocessing
import os
import random
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

try:
    from dftrace import region  # of layer app, where it is traced
except ImportError:
    def region(*_):
        return contextlib.nullcontext()

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


def seek():
    """Ask for the position after each of 200,000 records, or count."""
    place = 0
    with open("records.bin", "wb", buffering=1 << 20) as out, \
            open("log.db", "wb", buffering=0) as f:
        for _ in range(200000):
            place = place + 8 if after else f.seek(0, os.SEEK_END)
            out.write(place.to_bytes(8, "little"))


def answer(listening):
    peer, _ = listening.accept()
    while True:
        asked = peer.recv(8)
        if not asked:
            break
        time.sleep(0.005)
        peer.sendall(bytes(int(asked) * 100))


def network():
    """Ask a server for 100 records, one after another, or for all at once."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = multiprocessing.Process(target=answer, args=(listening,))
    server.start()
    with socket.create_connection(listening.getsockname()) as peer:
        for n in [100] if after else [1] * 100:
            peer.sendall(b"%8d" % n)
            left = n * 100
            while left:
                left -= len(peer.recv(left))
    server.join()


def pipe():
    """Read what two programs say: start one after the other, or both first."""
    command = ["sh", "-c", "sleep 0.5; echo done"]
    if after:
        ps = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in "12"]
        for p in ps:
            p.communicate()
    else:
        for _ in "12":
            subprocess.run(command, stdout=subprocess.PIPE, check=True)


def lock():
    """Four threads, 25 times a pause of 5 ms with one lock, or one lock each."""
    one = threading.Lock()

    def work(_):
        mine = threading.Lock() if after else one
        for _ in range(25):
            with mine:
                time.sleep(0.005)

    others = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for t in others:
        t.start()
    work(3)
    for t in others:
        t.join()


def direct(name, size, start=0):
    """Read a part of a file past the page cache."""
    fd = os.open(name, os.O_RDONLY | os.O_DIRECT)
    buffer = mmap.mmap(-1, 1 << 21)
    for at in range(start, start + size, len(buffer)):
        os.preadv(fd, [buffer], at)
    os.close(fd)


def again():
    """Read a table of 8 MiB for each of 40 queries, or once."""
    make("table.bin", 8 << 20)
    for _ in range(1 if after else 40):
        direct("table.bin", 8 << 20)


def ahead(get, n):
    """Each of n results of get, made in a thread while the one before is used."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(get, 0)
        for i in range(1, n + 1):
            got = coming.result()
            if i < n:
                coming = pool.submit(get, i)
            yield got


def overlap():
    """Read 8 MiB, then work for 20 ms, 16 times: in turn, or beside each other."""
    make("in.bin", 128 << 20)

    def get(part):
        direct("in.bin", 8 << 20, part * (8 << 20))
    for _ in ahead(get, 16) if after else map(get, range(16)):
        time.sleep(0.02)  # of work


def imports():
    """A package of 1,000 modules, or of one."""
    os.mkdir("package")
    names = ["__init__"] if after else ["__init__", *map("m{}".format, range(1000))]
    for name in names:
        with open(f"package/{name}.py", "w", encoding="ascii") as f:
            f.write("x = 1\n" * (1 if len(names) > 1 else 1000))
    command = "import package" + "".join(f", package.{n}" for n in names[1:])
    subprocess.run([sys.executable, "-c", command], check=True)


def sample(i):
    with region("dataloader", "fetch"):
        make(f"{i % 4}.bin", 4096)
        with open(f"{i % 4}.bin", "rb") as f:
            f.read()
        time.sleep(0.02)  # of decoding


def loader():
    """40 steps: fetch the sample, then compute; or fetch the next one beside it."""
    for _ in ahead(sample, 40) if after else map(sample, range(40)):
        with region("compute", "step"):
            time.sleep(0.02)


def decode():
    """Four epochs of 20 samples: decode each in every epoch, or keep what was decoded."""
    kept = {}
    for i in range(80):
        with region("dataloader", "fetch"):
            if i % 20 not in kept or not after:
                kept[i % 20] = sum(range(600000))  # decoding
        with region("compute", "step"):
            time.sleep(0.002)


def churn():
    """Open one of 16 files for each of 100,000 samples, or keep all open."""
    for i in range(16):
        make(f"{i}.bin", 65536)
    kept = [os.open(f"{i}.bin", os.O_RDONLY) for i in range(16)]
    for i in range(100000):
        with region("data", "item"):
            fd = kept[i % 16] if after else os.open(f"{i % 16}.bin", os.O_RDONLY)
            os.pread(fd, 64, i % 1000 * 64)
            if not after:
                os.close(fd)


def tail():
    """200 steps: every 20th one writes a report of 2,000 lines itself, or hands it to a thread."""
    with ThreadPoolExecutor(1) as pool:
        for step in range(200):
            with region("compute", "step"):
                time.sleep(0.002)
                if step % 20 == 0 and after:
                    pool.submit(time.sleep, 0.05)
                elif step % 20 == 0:
                    time.sleep(0.05)


def pages():
    """Touch the pages of a mapped file that is not in memory: as they come, or after asking for all."""
    make("map.bin", 64 << 20)
    fd = os.open("map.bin", os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    m = mmap.mmap(fd, 0, prot=mmap.PROT_READ)
    m.madvise(mmap.MADV_WILLNEED if after else mmap.MADV_RANDOM)
    for at in range(0, 64 << 20, 1 << 14):
        m[at]


def index():
    """Ask an index for each of 400,000 places, or read it once."""
    make("data.idx", 3_200_000)
    with open("data.idx", "rb", buffering=0) as f:
        if after:
            f.read()
            return
        for _ in range(400_000):
            f.read(8)


def jumps():
    """8,192 records of 8 KiB that are not in memory, in the order of an index or of the file."""
    make("cold.bin", 64 << 20)
    fd = os.open("cold.bin", os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    places = list(range(0, 64 << 20, 8192))
    if not after:
        random.Random(1).shuffle(places)
    for at in places:
        os.pread(fd, 8192, at)


def count(n):
    with open(f"part-{os.getpid()}-{threading.get_ident()}.out", "wb") as f:
        f.write(b"c" * sum(1 for _ in range(n)))


def pools():
    """Twelve rounds of work for two workers: a pool for each round, or one for all."""
    with contextlib.ExitStack() as stack:
        for i in range(12):
            if i == 0 or not after:
                stack.close()
                pool = stack.enter_context(multiprocessing.get_context("spawn").Pool(2))
            pool.map(count, [100_000] * 2)


def rows():
    """20,000 rows of a dataset of HDF5, one call each or 1,000 at once."""
    import h5py
    n = 1000 if after else 1
    with h5py.File("rows.h5", "w") as f:
        data = f.create_dataset("rows", (20000, 64), "f8")
        block = [[1.0] * 64] * n
        for i in range(0, 20000, n):
            data[i:i + n] = block


if __name__ == "__main__":
    causes = ("sync write cached read files flock spawn sleep straggler checkpoint "
              "seek network pipe lock again overlap imports loader decode churn "
              "tail index pages jumps pools rows")
    if len(sys.argv) != 3 or sys.argv[1] not in causes.split():
        sys.exit(f"usage: fixes.py CAUSE before|after; causes: {causes}")
    globals()[sys.argv[1]]()
