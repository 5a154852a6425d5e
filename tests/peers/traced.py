# SPDX-License-Identifier: MIT
#
# traced.py DIR - reads and writes in threads and in a forked child, with
# regions of dftracer's Python API, to be traced by dftracer

import os
import sys
import threading

from dftracer.python import dft_fn, dftracer

out = sys.argv[1]
data = os.path.join(out, "data")
log = dftracer.initialize_log(logfile=os.path.join(out, "t"), data_dir=data,
                              process_id=-1)
io = dft_fn("IO")


@io.log
def write(i):
    with open(f"{data}/f{i}.bin", "wb") as f:
        f.write(b"x" * (1000 * (i + 1)))


@io.log
def read(i):
    fd = os.open(f"{data}/f{i}.bin", os.O_RDONLY)
    os.read(fd, 4096)
    os.pread(fd, 100, 10)
    os.close(fd)


@dft_fn("ai_framework").log
def compute():
    return sum(range(100000))


@dft_fn("dlio_benchmark").log
def run():
    for i in range(10):
        write(i)
    threads = [threading.Thread(target=lambda k=k: [read(i) for i in range(
        k, 10, 2)]) for k in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for _ in range(3):
        compute()
    pid = os.fork()
    if pid == 0:
        for i in range(5):
            read(i)
        sys.exit(0)
    os.waitpid(pid, 0)


os.makedirs(data, exist_ok=True)
run()
log.finalize()
