# SPDX-License-Identifier: MIT
#
# wall.py - who had the job's time at each instant, from the events alone: what
#           t2406-wall.t compares `dftrace analyze --view wall` with
#
#     wall.py PROCESSES FILES START_NS WALL <EVENTS
#
# In:  --view process, --view file and --view wall as CSV, when the job began,
#      the events of `dftrace export -f jsonl`
# Out: a line for each row that differs by more than a few ns, and the sum
#
# It cuts the time at each start and end of an event or a process and asks of
# each piece who is there, who waits for whom, and what the others do, as
# doc/analysis.md has it. Slow and plain on purpose.

import csv
import json
import sys

from bill import (Event, ROWS, START_NS, divide, done, mostly_gil, owner, pieces,
                  worked)

STARTS = ("cpu", "cpu_wait", "blocked", "other")  # of a brief process
FOR_OTHERS = ("wait_lock", "wait_pipe", "wait_poll")
FOR_RANKS = (*FOR_OTHERS, "wait_net")
ALL = []



def is_long_child(e):
    """A wait for a child that is not the start of a brief one."""
    return e.wait == "wait_child" and e.end - e.start >= START_NS


class Process:
    def __init__(self, row, zero):
        self.host, self.pid = row["host"], int(row["pid"])
        self.ppid, self.rank = int(row["ppid"] or 0), row["rank"]
        self.start = zero + round(float(row["start_s"]) * 1e9)
        self.end = self.start + round(float(row["time_s"]) * 1e9)
        self.replaced = row["end"] == "exec"
        self.born, self.mine, self.others = self.start, [], []
        self.parent = self.first = None

    def looks(self):
        """What does not change in its life."""
        self.trains = any(e.role in ("loader", "compute") for e in self.mine)
        steps = [e for e in self.mine + self.others
                 if e.role in ("loader", "compute") and e.steps]
        self.step = min((e.start for e in steps), default=0)
        self.last = max((e.end for e in steps), default=1 << 63)
        waited = {}
        for e in self.mine:
            if e.wait and e.wait not in ("wait_run", "wait_runq", "wait_child"):
                waited[e.wait] = waited.get(e.wait, 0) + e.end - e.start
        if "wait_lock" in waited:
            waited["wait_lock"] -= min(waited["wait_lock"], sum(
                e.end - e.start for e in self.mine + self.others
                if e.wait == "wait_child" and (e.main or is_long_child(e))))
        life = self.end - self.start
        self.idles = not self.trains and max(
            waited.values(), default=0) > life // 100 * 95
        told = [e for e in self.mine if e.wait and e.estimate]
        self.sampled = (min((e.start for e in told), default=0),
                        max((e.end for e in told), default=0))
        self.told = {}
        for e in told:
            self.told[e.row] = self.told.get(e.row, 0) + e.end - e.start
        busy = sum(e.end - e.start for e in self.mine if e.row or e.role)
        self.unknown = (not any(e.wait for e in self.mine) and
                        busy <= life // 100 * 10)

    def billed(self, row):
        return "spawn" if self.brief and row in STARTS else row


def parents(processes):
    for p in processes:
        older = [q for q in processes if q is not p and q.host == p.host and
                 q.start <= p.start]
        before = [q for q in older if q.pid == p.pid]
        above = [q for q in older if q.pid == p.ppid]
        p.parent = max(before or above, key=lambda q: q.start, default=None)
        if before and p.parent.replaced and p.parent.end < p.start:
            p.born = p.parent.end
    for p in processes:
        p.first = p
        while p.first.parent and p.first.parent.pid == p.first.pid:
            p.first = p.first.parent
        head = p
        while not p.rank and head.parent and not head.parent.rank:
            head = head.parent
        p.family = ("rank", p.rank) if p.rank else head
        p.brief = (p.parent and not p.trains and not p.rank and
                   p.end - p.start < START_NS)


APART_NS = 1000000 # calls of other threads less apart are one piece of work


def doing(p, on, alive, t):
    """What a process does in a piece."""
    recent = done([e for e in p.others if e.start <= t < e.end + APART_NS], p.gil)
    waits = {e.wait for e in on if e.wait}
    if waits & {*FOR_OTHERS} and any(
            is_long_child(e) and e.start <= t < e.end for e in p.others):
        waits.add("wait_child")
    children = any(q.first.parent and q.first.parent.first is p.first and
                   not q.idles for q in alive)
    if p.trains:
        return "trains"
    if p.idles:
        return "idles"
    if children and (p.unknown or
                     waits & {"wait_child", "wait_sleep", *FOR_OTHERS}):
        return "is its children"
    if "wait_child" in waits:
        return "waits for one unseen"
    return "waits" if waits & {*FOR_OTHERS} and not recent else "works"


def have_part(alive, around, t):
    what = {p: doing(p, around[p], alive, t) for p in alive}
    have = []
    for family in {p.family for p in alive}:
        there = [p for p in alive if p.family is family or
                 p.family == family]
        for mode in ("trains", "works", "waits"):
            those = [p for p in there if what[p] == mode]
            if those:
                have += those
                break
    for mode in ("idles", "waits for one unseen", "is its children"):
        have = have or [p for p in alive if what[p] == mode]
    return have


def row_of(p, t, around, beside, alive):
    if t < p.start:
        return "spawn"
    if not p.trains:
        return worked(owner(around[p], beside[p], 0, 1 << 63, t), beside[p], p.gil)
    others = any(q.trains and q.rank and q.rank != p.rank for q in ALL)
    if (p.rank and others and any(e.wait in FOR_RANKS for e in around[p]) and
            not any(e.wait == "wait_run" for e in beside[p]) and
            owner([e for e in around[p] if e.role], [], 0, 1 << 63, t) == "compute"):
        return "ranks"
    helpers = beside[p] + [e for q in alive
                           if q is not p and q.family == p.family
                           for e in around[q] + beside[q]]
    return owner(around[p], helpers, p.step, p.last, t)


def main():
    zero = int(sys.argv[3])
    with open(sys.argv[1]) as f:
        processes = [Process(r, zero) for r in csv.DictReader(f)]
    with open(sys.argv[2]) as f:
        files = {r["file"]: r["kind"] for r in csv.DictReader(f)
                 if r["class"] == "storage"}
    with open(sys.argv[4]) as f:
        told = {r["cause"]: float(r["time_s"] or 0) * 1e9
                for r in csv.DictReader(f)}
    for line in sys.stdin:
        raw = json.loads(line)
        e = Event(raw, files)
        e.estimate = raw.get("flags", 0) & 1
        e.steps = raw["name"] not in ("fetch.block", "loop.yield")
        e.process = max((p for p in processes if (p.host, p.pid) == e.who and
                         p.start <= e.start), key=lambda p: p.start)
        (e.process.mine if e.main else e.process.others).append(e)
    for p in processes:
        p.looks()
        p.gil = mostly_gil(p.mine)
        p.works = 0
    ALL.extend(processes)
    parents(processes)
    want = dict.fromkeys(ROWS, 0.0)
    lo = min(p.start for p in processes)
    hi = max(p.end for p in processes)

    class Life:
        def __init__(self, p):
            self.process, self.start, self.end = p, p.born, p.end
    marks = [Life(p) for p in processes]
    marks += [e for p in processes for e in p.mine + p.others]
    class Recent:
        def __init__(self, e):
            self.start, self.end = e.start, e.end + APART_NS
    marks += [Recent(e) for p in processes for e in p.others]
    starts = {p: Life(p) for p in processes}
    for life in starts.values(): # a piece begins where a process does
        life.end = life.process.start
    class Sampled:
        def __init__(self, p):
            self.start, self.end = p.sampled
    marks += [Sampled(p) for p in processes]
    for t, ns, on in pieces(marks + list(starts.values()), lo, hi):
        alive = [m.process for m in on
                 if isinstance(m, Life) and m.end == m.process.end]
        around = {p: [] for p in alive}
        beside = {p: [] for p in alive}
        for e in on:
            if isinstance(e, Event) and e.process in around:
                (around if e.main else beside)[e.process].append(e)
        have = have_part(alive, around, t)
        for p in have:
            row = row_of(p, t, around, beside, alive)
            if row == "other" and p.sampled[0] <= t < p.sampled[1]:
                for told_row, told_ns in p.told.items():
                    want[p.billed(told_row)] += (ns / len(have) * told_ns /
                                       sum(p.told.values()))
            elif row == "threads work":
                p.works += ns / len(have)
            else:
                want[p.billed(row)] += ns / len(have)
        if not have:
            want["between"] += ns
    for p in processes:
        parts = {"cpu": 0, "cpu_wait": 0, "threads work": p.works}
        divide(parts, p.others)
        for row, ns in parts.items():
            want[p.billed(row)] += ns
    for row in ROWS:
        if abs(want[row] - told[row]) > 20 + 1e-9 * want[row]:
            print("%s: %.3f us, told %.3f" % (row, want[row] / 1e3,
                                              told[row] / 1e3))
    print("%d of %d" % (round(sum(told.values())), hi - lo))


main()
