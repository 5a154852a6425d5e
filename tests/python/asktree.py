# SPDX-License-Identifier: MIT
#
# asktree.py EVENTS FOLDED SPEEDSCOPE - what dftrace export -f folded and
# speedscope say, against putting each exported event below the innermost region
# or call of stdio around its start, one by one; TAP lines

import json
import sys
from collections import defaultdict


def is_frame(e):
    return e["cat"] != "POSIX"


def label(e):
    return e["cat"] + "/" + e["name"]


def outside(f):
    """Frames in the order in which one is outside of the next."""
    return f["time_ns"], -f["dur_ns"], -f["at"]


def around(e, frames):
    """The innermost frame around the start of e."""
    best = None
    for f in frames:
        if f is e or not (f["time_ns"] <= e["time_ns"]
                          < f["time_ns"] + f["dur_ns"]):
            continue
        if is_frame(e) and outside(f) > outside(e):
            continue
        if best is None or outside(f) > outside(best):
            best = f
    return best


def path(e):
    return (path(e["above"]) + ";" if e["above"] else "") + label(e)


def own_times(events):
    threads = defaultdict(list)
    for at, e in enumerate(events):
        e["at"] = at
        threads[e["host"], e["pid"], e["tid"]].append(e)
    own = defaultdict(int)
    for thread in threads.values():
        frames = [e for e in thread if is_frame(e)]
        for e in thread:
            e["above"] = around(e, frames)
    for e in events:
        own[path(e)] += e["dur_ns"]
        f = e["above"]
        if f:
            end = min(e["time_ns"] + e["dur_ns"], f["time_ns"] + f["dur_ns"])
            own[path(f)] -= end - e["time_ns"]
    return {p: ns for p, ns in own.items() if ns > 0}


def main():
    with open(sys.argv[1]) as f:
        events = [json.loads(line) for line in f]
    want = own_times(events)
    got = {}
    with open(sys.argv[2]) as f:
        for line in f:
            name, ns = line.rsplit(" ", 1)
            got[name] = int(ns)
    print("%s - %d paths, each with its own time" % (
        "ok" if got == want and want else "not ok", len(want)))
    with open(sys.argv[3]) as f:
        scope = json.load(f)
    frames = [x["name"] for x in scope["shared"]["frames"]]
    profile = scope["profiles"][0]
    stacks = {";".join(frames[i] for i in stack): ns for stack, ns in zip(
        profile["samples"], profile["weights"])}
    print("%s - speedscope has the same stacks" % (
        "ok" if stacks == want else "not ok"))
    print("%s - and their sum" % (
        "ok" if profile["endValue"] == sum(want.values()) else "not ok"))


main()
