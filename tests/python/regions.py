# SPDX-License-Identifier: MIT
#
# regions.py - lines of a trace with regions and calls at random, for t2400-bill.t
#
#     regions.py SEED train|plain [threads] >TRACE.pfw
#
# In:  the seed; train: regions that compute and fetch; plain: none of these
# Out: two processes, with three threads each where the third word is given

import random
import sys

random.seed(int(sys.argv[1]))
REGIONS = [("compute", "step"), ("compute", "forward"), ("dataloader", "fetch"),
           ("dataloader", "fetch.block"), ("data", "item"), ("comm", "barrier"),
           ("checkpoint", "capture"), ("pipeline", "train"), ("my", "own")]
CALLS = [("read", "/data/a.bin"), ("open", "/data/a.bin"),
         ("write", "/out/log.txt"), ("fsync", "/out/log.txt"),
         ("write", "/out/ckpt/w"), ("fsync", "/out/ckpt/w"),
         ("read", "/data/a.idx"), ("fwrite", "/out/text"), ("read", "/proc/x")]


def put(name, cat, pid, start, end, file=None):
    args = ',"fname":"%s","ret":8,"size":8,"count":8' % file if file else ""
    print('{"name":"%s","cat":"%s","pid":%d,"tid":%d,"ts":%d,"dur":%d,"ph":"X",'
          '"args":{"hostname":"n1"%s}}' % (name, cat, pid, pid + tid, start,
                                           end - start, args))


def thread(pid, start, depth, regions):
    """Something, and what is inside it; it ends later than that."""
    now = start + random.randrange(5)
    inside = []
    if depth < 4:
        for _ in range(random.randrange(4)):
            now = thread(pid, now, depth + 1, regions)
    now += random.randrange(1, 40)
    if depth == 4 or random.randrange(3) == 0:
        name, file = random.choice(CALLS)
        cat = "STDIO" if name == "fwrite" else "POSIX"
        begin = now
        now += random.randrange(1, 30)
        put(name, cat, pid, begin, now, file)
    now += random.randrange(5)
    if depth and random.randrange(4):
        cat, name = random.choice(regions)
        put(name, cat, pid, start, now)
    return now + random.randrange(3)


kind = sys.argv[2]
regions = REGIONS if kind == "train" else REGIONS[-2:]
for pid in (1, 2):
    for tid in (0, 10, 20) if len (sys.argv) > 3 else (0,):
        now = 1000 * pid
        for _ in range(60):
            now = thread(pid, now, 0, regions)
