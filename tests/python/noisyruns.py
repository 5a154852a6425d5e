#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""noisyruns.py - traces of runs of one program, which vary by chance

    noisyruns.py DIR RUNS SEED [FACTOR] [STEPS]

Out: DIR/1.pfw, DIR/2.pfw, … of DFTracer. All calls of a run share a factor, as
     runs on a busy machine do, and each call varies by itself; reads take
     FACTOR times as long. STEPS: the calls are in training steps.
"""
import json, os, random, sys

where, runs, seed = sys.argv[1], int (sys.argv[2]), int (sys.argv[3])
factor = float (sys.argv[4]) if len (sys.argv) > 4 else 1
steps = int (sys.argv[5]) if len (sys.argv) > 5 else 0
os.makedirs (where)
dice = random.Random (seed)
for run in range (1, runs + 1):
    busy = dice.lognormvariate (0, 0.08)
    now, lines = 1000000, []

    def event (name, cat, start, end, **args):
        lines.append (json.dumps ({
            "id": len (lines), "name": name, "cat": cat, "pid": 7, "tid": 7,
            "ts": start, "dur": end - start, "ph": "X", "args": args}))

    for step in range (steps or 40):
        begin = now
        for name, us in (("open", 40), ("read", 900 * factor), ("read", 900 * factor),
                         ("write", 300), ("close", 10)):
            took = int (us * busy * dice.lognormvariate (0, 0.25)) + 1
            event (name, "POSIX", now, now + took, ret=1, count=1)
            now += took + 5
        if steps:
            event ("compute", "compute", now, now + 200, step=step)
            now += 201
            event ("step", "pipeline", begin, now, step=step)
            now += 1
    with open ("%s/%d.pfw" % (where, run), "w") as f:
        f.write ("[\n" + "\n".join (lines) + "\n")
