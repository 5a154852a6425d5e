# SPDX-License-Identifier: MIT
"""Damaged traces through dftrace.read: make fuzz-reader

    reader.py SECONDS DIR SEED...

In:  traces to begin with
Out: status 0; else another exception than dftrace.Error, an event beyond those
     that are counted, or a crash, whose input is then DIR/input.dft or .pfw
"""
import os
import random
import sys
import time
import warnings

import dftrace

SECONDS, WHERE, SEEDS = float(sys.argv[1]), sys.argv[2], sys.argv[3:]


def damage(data, rnd):
    data = bytearray(data)
    for _ in range(rnd.choice((1, 1, 2, 8))):
        at = rnd.randrange(len(data) or 1)
        n = rnd.choice((1, 1, 2, 4, 8, 64, 4096))
        how = rnd.randrange(5)
        if how == 0:
            del data[at:]
        elif how == 1:
            del data[at:at + n]
        elif how == 2:
            data[at:at + n] = rnd.randbytes(n)
        elif how == 3:
            data[at:at] = data[rnd.randrange(len(data) or 1):][:n]
        else:
            data[at:at + n] = bytes([rnd.choice((0, 0x7f, 0x80, 0xff))]) * n
    return bytes(data)


def ask(path):
    """True when it could be read."""
    try:
        with dftrace.read(path, threads=1) as job:
            events = sum(job.view("call")["count"])
            groups = sum(job.query(by="name", show="count")["count"])
            job.findings, job.metrics, job.tree(by="rank", top=3)
            for _ in job.figures:
                pass
    except dftrace.Error:
        return False
    if events > groups:
        sys.exit("%s: %d calls, %d events" % (path, events, groups))
    return True


def main():
    rnd = random.Random(int(os.environ.get("FUZZ_SEED", time.time_ns())))
    seeds = [(os.path.splitext(s)[1], open(s, "rb").read()) for s in SEEDS]
    end, tried, read = time.monotonic() + SECONDS, 0, 0
    warnings.simplefilter("ignore")
    while time.monotonic() < end:
        kind, data = rnd.choice(seeds)
        path = WHERE + "/input" + kind
        with open(path, "wb") as f:
            f.write(damage(data, rnd))
        read += ask(path)
        tried += 1
    print("%d inputs, %d of them could be read" % (tried, read))


main()
