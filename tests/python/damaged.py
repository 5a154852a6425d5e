# SPDX-License-Identifier: MIT
#
# damaged.py - a trace of which some lines are damaged, and who trains in it
#
#     damaged.py make RANKS PERCENT >TRACE      lines of DFTracer
#     damaged.py count <EVENTS                  rows that a bill of it has
#
# A digit of a line is another one: of its pid, and its event is of a process
# that does not exist; of its tid, and it is of another thread. A process trains
# if its first thread computes or waits for batches, or else any of its threads
# computes, or else the thread with the most events waits for batches, if the
# first one has less than 1 % of them.

import collections
import json
import random
import sys


def line(name, cat, pid, ts, dur):
    return ('{"id":%d,"name":"%s","cat":"%s","pid":%d,"tid":%d,"ts":%d,'
            '"dur":%d,"ph":"X","args":{"hostname":"n%d"}}'
            % (ts, name, cat, pid, pid, ts, dur, pid % 8))


def damage(text):
    at = random.choice([i for i, c in enumerate(text) if c.isdigit()])
    return text[:at] + random.choice("0123456789") + text[at + 1:]


def make(ranks, percent):
    random.seed(7)
    now = 1795219565602000
    for rank in range(ranks):
        for worker in range(12):
            pid = 10000 + 12 * rank + worker
            for i in range(20):
                t = now + rank * 7 + i * 100
                out = ([line("read", "POSIX", pid, t, 30)] if worker else
                       [line("fetch", "dataloader", pid, t, 40),
                        line("step", "compute", pid, t + 40, 50)])
                for text in out:
                    hit = random.random() < percent / 100
                    print(damage(text) if hit else text)


def trains(threads, pid):
    """Of each thread: how many events, regions of training, of them computing."""
    first = threads.get(pid, [0, 0, 0])
    if first[1] or any(t[2] for t in threads.values()):
        return True
    most = max(threads.values())
    return first[0] * 100 < sum(t[0] for t in threads.values()) and most[1] > 0


def count():
    process = collections.defaultdict(dict)
    for text in sys.stdin:
        e = json.loads(text)
        thread = process[e["host"], e["pid"]].setdefault(e["tid"], [0, 0, 0])
        thread[0] += 1
        thread[1] += e["cat"] in ("dataloader", "compute")
        thread[2] += e["cat"] == "compute"
    print(sum(trains(threads, who[1]) for who, threads in process.items()))


if sys.argv[1] == "make":
    make(int(sys.argv[2]), float(sys.argv[3]))
else:
    count()
