"""A job whose gain from fast storage is known, for `dftrace what-if`.

    job.py MODE DIR [STEPS]

Storage is made slow from outside (tests/causes/slow.c, $SLOW). A step computes
for STEP s, by sleeping, so that a busy machine changes little. OUT names
another directory of outputs than DIR/out.

modes: path      a step reads, then computes
       hidden    threads read ahead of the steps
       half, worker  a thread reads ahead
       ranks     two processes, of which one reads, meet after each step
       checkpoint  a step writes a checkpoint
       thread    a thread writes it beside the steps
       sync      a step writes a small file and syncs it

    job.py cached DIR [drop]   how many files of DIR/data are in memory; drop:
                               take them out of it before
    job.py mount PATH          type of its file system, and "volatile"
"""
import ctypes
import mmap
import os
import queue
import sys
import threading
import time

STEP = 0.02
libc = ctypes.CDLL(None, use_errno=True)


def cached(path):
    with open(path, "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
        at = ctypes.addressof(ctypes.c_char.from_buffer(m))
        pages = (len(m) + mmap.PAGESIZE - 1) // mmap.PAGESIZE
        seen = (ctypes.c_ubyte * pages)()
        libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(len(m)), seen)
        return all(x & 1 for x in seen)


def mount_of(path):
    """Type, and options, of the file system of a path."""
    path, best = os.path.realpath(path), ("", "", "")
    for line in open("/proc/self/mountinfo"):
        word = line.split()
        point, kind, options = word[4], word[word.index("-") + 1], word[-1]
        if (path + "/").startswith(point.rstrip("/") + "/") and \
                len(point) >= len(best[0]):
            best = (point, kind, options)
    return best[1:]


def read(directory, step):
    fd = os.open(f"{directory}/data/{step % 8}", os.O_RDONLY)
    os.read(fd, 8192)
    if not KEEP:  # the next step is to find it as this one did
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def write(directory, step, sync=False):
    name = f"{os.environ.get('OUT', directory + '/out')}/{step}"
    with open(name, "wb") as f:
        f.write(b"x" * 4096)
        f.flush()
        if sync:
            os.fsync(f.fileno())


def ahead(directory, steps, threads):
    """Steps that a number of threads have read for."""
    ready, todo = queue.Queue(4), iter(range(steps))
    lock = threading.Lock()

    def worker():
        while True:
            with lock:
                step = next(todo, None)
            if step is None:
                return
            read(directory, step)
            ready.put(step)
    for _ in range(threads):
        threading.Thread(target=worker, daemon=True).start()
    for _ in range(steps):
        ready.get()
        time.sleep(STEP)


def ranks(directory, steps):
    ours, theirs = os.pipe(), os.pipe()
    if os.fork() == 0:
        for step in range(steps):
            time.sleep(STEP)
            os.write(theirs[1], b"x")
            os.read(ours[0], 1)
        os._exit(0)
    for step in range(steps):
        read(directory, step)
        time.sleep(STEP)
        os.read(theirs[0], 1)
        os.write(ours[1], b"x")
    os.wait()


mode, top = sys.argv[1], os.path.abspath(sys.argv[2])
if mode == "cached":
    names = [f"{top}/data/{i}" for i in range(8)]
    for name in names if sys.argv[3:] else ():
        with open(name, "rb") as f:
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    sys.exit(print(sum(map(cached, names)), "of 8"))
if mode == "mount":
    kind, options = mount_of(top)
    sys.exit(print(kind, *["volatile"] * ("volatile" in options)))
count = int(sys.argv[3]) if len(sys.argv) > 3 else 20
os.makedirs(top + "/out", exist_ok=True)
KEEP = all(cached(f"{top}/data/{i}") for i in range(8))
if mode == "path":
    for i in range(count):
        read(top, i)
        time.sleep(STEP)
elif mode in ("hidden", "half", "worker"):
    ahead(top, count, 2 if mode == "hidden" else 1)
elif mode == "ranks":
    ranks(top, count)
elif mode in ("checkpoint", "sync"):
    for i in range(count):
        time.sleep(STEP)
        write(top, i, mode == "sync")
elif mode == "thread":
    beside = None
    for i in range(count):
        time.sleep(STEP)
        if beside:
            beside.join()
        beside = threading.Thread(target=write, args=(top, i))
        beside.start()
    beside.join()
else:
    sys.exit(f"{mode}: no such mode")
