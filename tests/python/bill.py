# SPDX-License-Identifier: MIT
#
# bill.py - where the time of the ranks went, from the events alone: what
#           t2400-bill.t compares `dftrace analyze --view bill, io` with
#
#     bill.py PROCESSES FILES START_NS <EVENTS >LANES
#
# In:  --view process and --view file as CSV, when the job began, the events of
#      `dftrace export -f jsonl`
# Out: a line for each main thread, its pid and its parts in ns; a line "io"
#      with the parts of the job's I/O
#
# It cuts the time at each start and end of an event and asks of each piece who
# is at what, as doc/analysis.md has it. Slow and plain on purpose.

import bisect
import csv
import json
import sys

ROWS = ("compute", "cpu", "cpu_wait", "read", "open", "fault", "decode",
        "loader", "checkpoint", "ranks", "write", "sync", "mpi", "format",
        "network", "lock", "gil", "pipe", "sleep", "blocked", "spawn", "imports",
        "start", "end", "other_io", "threads", "gpu", "between", "other")
# of rows that have a claim to an instant the first one has it
ORDER = ("starts", "cpu_wait", "checkpoint", "read", "write", "sync", "open", "fault",
         "mpi", "format", "compute", "ranks", "network", "spawn", "decode",
         "loader", "imports", "sleep", "lock", "gil", "pipe", "blocked", "start",
         "end", "other_io", "cpu", "threads")
HELPS = ("cpu_wait", "read", "open", "fault", "network", "decode")
WAITS = {"wait_run": "cpu", "wait_runq": "cpu_wait", "wait_lock": "lock",
         "wait_gil": "gil", "wait_pipe": "pipe", "wait_net": "network",
         "wait_sleep": "sleep", "wait_child": "pipe", "wait_poll": "pipe",
         "wait_file": "imports", "wait_fault": "fault",
         "wait_blocked": "blocked"}
START_NS = 100_000_000  # so short a child is its start
COSTS = ("read", "write", "copy", "sync", "meta", "stall", "stdio", "async")
READS = {"read", "pread", "readv", "preadv", "fread", "fgets", "fgetc"}
WRITES = {"write", "pwrite", "writev", "pwritev", "fwrite", "fputs", "fflush"}
SYNCS = {"fsync", "fdatasync", "msync"}
MAPS = {"mmap", "munmap", "mremap", "madvise"}
LOOKS = {"stat", "lstat", "fstat", "statx", "access", "lseek", "readdir"}


def role(cat, name):
    if ("." + name).endswith((".init", ".init_loader", ".get_loader")):
        return None
    if cat == "comm":
        return "ranks"
    if cat in ("dataloader", "data_loader"):
        if name in ("fetch.block", "loop.yield"):
            return "compute"
        if name in ("fetch", "fetch.iter", "loop.iter"):
            return "loader"
    if cat in ("data", "dataloader", "data_loader", "reader"):
        return "decode"
    if cat == "checkpoint" and name not in ("restart", "restore", "load"):
        return "checkpoint"
    return "compute" if cat in ("compute", "ai_framework") else None


def row_of_call(name, kind):
    other = "imports" if kind == "program" else "other_io"
    if name in READS:
        return "read" if kind == "data" else other
    if name in WRITES or name in SYNCS:
        if kind == "checkpoint":
            return "checkpoint"
        return "write" if name in WRITES else "sync"
    if kind == "checkpoint" and name not in MAPS and name not in LOOKS:
        return "checkpoint"
    return "open" if kind == "data" else other


def cost_of_call(cat, name):
    if cat == "STDIO":
        return "stdio"
    return ("read" if name in READS else "write" if name in WRITES
            else "sync" if name in SYNCS else "meta")


class Event:
    def __init__(self, e, files):
        self.start = e["time_ns"]
        self.end = self.start + e["dur_ns"]
        self.who = (e["host"], e["pid"])
        self.main = e["pid"] == e["tid"]
        self.tid = e["tid"]
        self.call = e["cat"] in ("POSIX", "STDIO")
        self.wait = e["cat"] == "WAIT" and e["name"]
        self.works = (not self.main and e.get("flags", 0) & 1 and
                      self.wait in ("wait_run", "wait_runq") and self.wait)
        self.role = self.row = self.cost = self.starts = None
        if self.wait:
            starts = e["name"] == "wait_child" and e["dur_ns"] < START_NS
            self.row = "spawn" if starts else WAITS[e["name"]]
            self.starts = starts and not e.get("flags", 0) & 1
        elif not self.call:
            self.role = role(e["cat"], e["name"])
        else:
            kind = files.get(e.get("file", ""))
            if kind:
                self.row = row_of_call(e["name"], kind)
                self.cost = cost_of_call(e["cat"], e["name"])


def owner(mine, helpers, step, last, t):
    """The row of an instant: events of the main thread around it, and those of
    the threads and processes beside it."""
    regions = [e for e in mine if e.role]
    claims = {e.row for e in mine} | {e.role for e in regions} - {"compute"}
    if regions and max(regions, key=lambda e: (e.start, -e.end)).role == "compute":
        claims.add("compute")
    if any(e.starts for e in mine):
        claims.add("starts")
    if t < step:
        claims.add("start")
    if t >= last:
        claims.add("end")
    if any(e.call and e.row for e in helpers):
        claims.add("threads")
    row = next((r for r in ORDER if r in claims), "other")
    if row == "loader":
        done = ({e.row for e in helpers if not e.works} |
                {e.role for e in helpers} & {"decode"})
        row = next((r for r in HELPS if r in done), row)
    return "spawn" if row == "starts" else row


DOES = ("cpu", "checkpoint", "read", "write", "sync", "open", "fault", "network")


def mostly_gil(events):
    """Of what a main thread waits for locks, at least half is for Python's."""
    ns = {w: sum(e.end - e.start for e in events if e.main and e.wait == w)
          for w in ("wait_gil", "wait_lock")}
    return 0 < ns["wait_gil"] >= ns["wait_lock"]


def done(events, gil):
    """What other threads do that a main thread waits for; whoever computes has
    Python's lock."""
    rows = {"cpu" if e.works else e.row for e in events}
    return rows & set(DOES[1:] if gil else DOES)


def worked(row, beside, gil):
    """The row of an instant in which the main thread may wait for others, which
    compute, or want a CPU (threads)."""
    if row not in ("lock", "pipe"):
        return row
    rows = done(beside, gil)
    row = next((r for r in DOES if r in rows), row)
    return "threads work" if row == "cpu" else row


def divide(parts, events):
    """What the other threads compute, as they ran and wanted a CPU in all."""
    ns = parts.pop("threads work")
    ran, wanted = (sum(e.end - e.start for e in events if e.works == name)
                   for name in ("wait_run", "wait_runq"))
    wanted = ns * wanted // (ran + wanted) if ns else 0
    parts["cpu"] += ns - wanted
    parts["cpu_wait"] += wanted


def pieces(events, lo, hi):
    """Each piece of [lo, hi) with the events around it."""
    cuts = sorted({lo, hi} | {t for e in events for t in (e.start, e.end)
                              if lo < t < hi})
    around = [[] for _ in cuts]
    for e in events:
        if e.start < e.end:
            a = bisect.bisect_left(cuts, max(e.start, lo))
            b = bisect.bisect_left(cuts, min(e.end, hi))
            for i in range(a, b):
                around[i].append(e)
    for a, b, on in zip(cuts, cuts[1:], around):
        yield a, b - a, on


def lane(p, events, lo, hi, helpers):
    step = min((e.start for e in events if
                (e.role == "loader" or e.role == "compute")
                and e.steps), default=0)
    last = max((e.end for e in events if
                (e.role == "loader" or e.role == "compute")
                and e.steps), default=1 << 63)
    parts = dict.fromkeys(ROWS, 0)
    mine = [e for e in events if e.main]
    for t, ns, on in pieces(mine + helpers, lo, hi):
        here = [e for e in on if e.who == p and e.main]
        beside = [e for e in on if e.who != p or not e.main]
        parts[owner(here, beside, step, last, t)] += ns
    return parts


def main():
    with open(sys.argv[1]) as f:
        processes = list(csv.DictReader(f))
    with open(sys.argv[2]) as f:
        files = {r["file"]: r["kind"] for r in csv.DictReader(f)
                 if r["class"] == "storage"}
    raw = [json.loads(line) for line in sys.stdin]
    events = [Event(e, files) for e in raw]
    for e, r in zip(events, raw):
        # the body of a loop, where nothing computes, is no step
        e.steps = r["name"] not in ("fetch.block", "loop.yield")
    zero = int(sys.argv[3])

    group, window = {}, {}
    parents = {(p["host"], p["pid"]): (p["host"], p["ppid"])
               for p in processes}
    for p in processes:
        who = (p["host"], int(p["pid"]))
        head = (p["host"], p["pid"])
        while not p["rank"] and parents.get(head) in parents:
            head = parents[head]
        group[who] = p["rank"] or head
        lo = zero + round(float(p["start_s"]) * 1e9)
        hi = lo + round(float(p["time_s"]) * 1e9)
        a, b = window.get(group[who], (lo, hi))
        window[group[who]] = (min(a, lo), max(b, hi))
    trainers = [w for w in group if any(
        e.who == w and e.main and e.role in ("loader", "compute")
        for e in events)]
    for w in sorted(trainers):
        lo, hi = window[group[w]]
        own = [e for e in events if e.who == w]
        helpers = [e for e in events
                   if (e.who != w and group[e.who] == group[w]) or
                   (e.who == w and not e.main)]
        parts = lane(w, own, lo, hi, helpers)
        print(w[0], w[1], hi - lo, *(parts[r] for r in ROWS))
    if not trainers: # each group, all main threads
        for g in sorted(set(group.values()), key=str):
            lo, hi = window[g]
            own = [e for e in events if group[e.who] == g]
            gil = {who for who in {e.who for e in own}
                   if mostly_gil([e for e in own if e.who == who])}
            parts = dict.fromkeys((*ROWS, "threads work"), 0)
            for t, ns, on in pieces(own, lo, hi):
                beside = [e for e in on if not e.main]
                row = owner([e for e in on if e.main], beside, 0, 1 << 63, t)
                parts[worked(row, [e for e in beside if not (e.works and e.who in gil)],
                             False)] += ns
            divide(parts, own)
            w = min(w for w in group if group[w] == g)
            print(w[0], w[1], hi - lo, *(parts[r] for r in ROWS))
    cost = dict.fromkeys(COSTS, 0)
    calls = [e for e in events if e.cost]
    for _, ns, on in pieces(calls, 0, 1 << 63):
        if on:
            cost[min((e.cost for e in on), key=COSTS.index)] += ns
    print("io", *(cost[c] for c in COSTS))


if __name__ == "__main__":
    main()
