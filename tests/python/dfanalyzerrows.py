# SPDX-License-Identifier: MIT
#
# dfanalyzerrows.py make DIR SEED - a trace of DFTracer's form, random
# dfanalyzerrows.py tables DIR dlio|ai - what DFAnalyzer 0.0.9 prints of such a
# directory, by its rules, in plain Python: one cell a line
# dfanalyzerrows.py cells FILE - the cells of dftrace.dfanalyzer --format csv, the
# same way

import collections
import csv
import glob
import gzip
import json
import os
import random
import re
import sys

START = 1700000000345678
FILES = {"aa01": "/p/lustre/x/data/img_1.npz",
         "aa02": "/p/lustre/x/data/img_2.npz",
         "aa03": "/tmp/checkpoint/c.pt", "aa04": "/etc/hosts",
         "aa05": "/ssd/other/file", "aa06": "/p/lustre/plain.txt"}
REGIONS = [
    ("ai_framework", "TorchFramework.compute"),
    ("data_loader", "TorchDataset.__getitem__"),
    ("data_loader", "TorchDataLoader.read"),
    ("data_loader", "loop.iter"), ("data_loader", "loop.yield"),
    ("reader", "NPZReader.open"), ("reader", "HDF5Reader.next"),
    ("checkpoint", "PyTorchCheckpointing.save_checkpoint"),
    ("checkpoint", "PyTorchCheckpointing.save_state"),
    ("checkpoint", "OtherCheckpointing.get_tensor"),
    ("dlio_benchmark", "DLIOBenchmark._train"), ("compute", "forward"),
    ("pipeline", "epoch.block"), ("pipeline", "train"),
    ("dataloader", "fetch"), ("data", "item"), ("ai", "ai_root"),
    ("comm", "reduce"), ("device", "transfer"), ("data", "preprocess"),
    ("dataloader", "fetch.iter")]
CALLS = ["read", "pread64", "write", "pwrite", "open64", "close", "fork",
         "fread", "sendfile", "lseek64"]


def make_lines(r, host, pid, part):
    def event(name, cat, tid, ts, dur, **args):
        return {"id": r.randrange(1000), "name": name, "cat": cat, "pid": pid,
                "tid": tid, "ts": ts, "dur": dur, "ph": "X",
                "args": {"hhash": host, **args}}

    yield {"id": 0, "name": "HH", "cat": "dftracer", "pid": pid, "tid": pid,
           "ph": "M", "args": {"hhash": host, "name": "node-" + host,
                               "value": host}}
    if part == 0:  # a process's first file explains the hashes
        for value, path in FILES.items():
            yield {"id": 0, "name": "FH", "cat": "dftracer", "pid": pid,
                   "tid": pid, "ph": "M",
                   "args": {"hhash": host, "name": path, "value": value}}
        yield event("DLIOBenchmark.run", "dlio_benchmark", pid, START + pid,
                    30000000)
    for _ in range(300):
        tid = pid + r.choice((0, 0, 1))
        ts = START + r.randrange(30000000)
        if r.random() < 0.45:
            cat, name = r.choice(REGIONS)
            yield event(name, cat, tid, ts, r.randrange(10, 2500000))
            continue
        name = r.choice(CALLS)
        args = {"ret": r.randrange(-1, 100000)}
        if name != "fork":  # numbers are no hashes; zz is explained nowhere
            args["fhash"] = r.choice(list(FILES) + ["zz", 77])
        yield event(name, "STDIO" if name == "fread" else "POSIX", tid, ts,
                    r.choice((r.randrange(900), r.randrange(1800000))), **args)


def make(directory, seed):
    r = random.Random(seed)
    for host, pid in (("b1", 100), ("b1", 101), ("b2", 100), ("b2", 205)):
        for part in (0, 1):
            path = os.path.join(directory, f"t-{host}-{pid}-{part}.pfw.gz")
            with gzip.open(path, "wt") as out:
                out.write("[\n")
                for line in make_lines(r, host, pid, part):
                    out.write(json.dumps(line, separators=(",", ":")) + "\n")
                out.write("]\n")


# --- the rules ----------------------------------------------------------------

NO_PATHS = ("/dev/ /etc/ /gapps/python /lib/python /proc/ /software/ /sys/ "
            "/usr/lib /usr/tce/backend /usr/tce/packages /venv "
            "__pycache__").split()
NO_NAMES = ("DLIOBenchmark.__init__ DLIOBenchmark.initialize "
            "FileStorage.__init__ TorchDataset.__init__").split()
NO_PARTS = re.compile(
    r"Checkpointing.(__init__|finalize|get_tensor)|"
    r"DataLoader.(__init__|finalize|get_tensor|next)|"
    r"Framework.(get_loader|init_loader|is_nativeio_available|trace_object)|"
    r"Reader.(__init__|load_index|next|read_index)|.save_state|"
    r"checkpoint_(end|start)_")
MOVES = ("read pread readv preadv fread write pwrite writev pwritev fwrite "
         "pread64 pwrite64 preadv2 pwritev2 sendfile splice "
         "copy_file_range").split()


def posix(cat, what=""):
    return ("posix" in cat or "stdio" in cat) and what in cat


# layer: title, overlap shown, is an event of (category, name) in it
LAYERS = {"dlio": [
    ("App", 0, lambda c, n: n in ("DLIOBenchmark.initialize",
                                  "DLIOBenchmark.run")),
    ("Training", 0, lambda c, n: n == "DLIOBenchmark.run"),
    ("Epoch", 0, lambda c, n: n == "DLIOBenchmark._train"),
    ("Compute", 0, lambda c, n: c == "ai_framework"),
    ("Fetch Data", 0, lambda c, n: n in ("<module>.iter", "fetch-data.iter",
                                         "loop.iter")),
    ("Checkpoint", 0, lambda c, n: c == "checkpoint"),
    ("DLIO Data Loader", 1, lambda c, n: c == "data_loader" and n not in
     ("loop.iter", "loop.yield")),
    ("DLIO Data Loader Fork", 1, lambda c, n: c == "posix" and n == "fork"),
    ("Reader", 1, lambda c, n: c == "reader")], "ai": [
    ("App", 0, lambda c, n: n == "ai_root"),
    ("Training", 0, lambda c, n: c == "pipeline" and n == "train"),
    ("Epoch", 0, lambda c, n: c == "pipeline" and n.startswith("epoch")),
    ("Compute", 0, lambda c, n: c == "compute"),
    ("Fetch Data", 0, lambda c, n: n == "fetch.iter"),
    ("Checkpoint", 0, lambda c, n: c == "checkpoint"),
    ("Communication", 0, lambda c, n: c == "comm"),
    ("Device", 0, lambda c, n: c == "device"),
    ("DLIO Data Loader", 1, lambda c, n: c in ("data", "data_loader",
                                               "dataloader")),
    ("DLIO Data Loader Fork", 1, lambda c, n: c == "posix" and n == "fork"),
    ("Reader", 1, lambda c, n: c == "reader" or n == "preprocess")]}
for layers in LAYERS.values():
    layers += [("POSIX - All", 1, lambda c, n: posix(c)),
               ("POSIX - Reader", 1, lambda c, n: posix(c, "_reader")),
               ("POSIX - Checkpoint", 0, lambda c, n: posix(c, "_checkpoint"))]


def read(directory):
    lines = []
    for path in sorted(glob.glob(os.path.join(directory, "*.pfw.gz"))):
        with gzip.open(path, "rt") as f:
            lines += [json.loads(s) for s in f if s.startswith("{")]
    paths = {e["args"]["value"]: e["args"]["name"] for e in lines
             if e["ph"] == "M" and e["name"] == "FH"}
    return [e for e in lines if e["ph"] == "X"], paths


def text(value):
    return value if isinstance(value, str) else ""


def category(cat, path):
    if posix(cat):
        for part, adds in (("/data", "_reader"), ("/checkpoint", "_checkpoint"),
                           ("/lustre", "_lustre"), ("/ssd", "_ssd")):
            cat += adds if part in path else ""
    return cat


def cells_of(events, paths, layers):
    """(thread, second) -> layer -> [us, calls, bytes]"""
    rows = {}
    for e in events:
        a = e["args"]
        cat, name, file = e["cat"].lower(), e["name"], text(a.get("fhash"))
        key = (cat, name, file, (text(a["hhash"]), e["pid"], e["tid"]),
               (e["ts"] + e["dur"] // 2) // 10**6)
        row = rows.setdefault(key, [0, 0, 0, e["ts"]])
        row[0] += e["dur"]
        row[1] += 1
        if cat in ("posix", "stdio") and name in MOVES:
            row[2] += max(0, a.get("ret", 0))
        row[3] = min(row[3], e["ts"])
    first = min(row[3] for row in rows.values())
    cells = collections.defaultdict(lambda: [[0, 0, 0] for _ in layers])
    for (cat, name, file, thread, _), row in rows.items():
        path = paths.get(file, "")
        if any(p in path for p in NO_PATHS) or name in NO_NAMES or \
                NO_PARTS.search(name):
            continue
        cell = cells[thread, (row[3] - first) // 10**6]
        for i, (_, _, has) in enumerate(layers):
            if has(category(cat, path), name):
                for k in range(3):
                    cell[i][k] += row[k]
    return cells


def view_rows(cells, by_thread, layers):
    rows = {}
    for (thread, second), cell in cells.items():
        row = rows.setdefault(thread if by_thread else second,
                              [[0, 0, 0] for _ in layers])
        for to, of in zip(row, cell):
            to[0] = to[0] + of[0] if by_thread else max(to[0], of[0])
            to[1] += of[1]
            to[2] += of[2]
    return rows.values()


def share(value, alone, shown, say):
    if not value:
        return "- (----)"
    if not shown:
        return say(value) + " (----)"
    return say(value) + f" ({round(100 * (1 - alone / value)):3d}%)"


def view_tables(cells, by_thread, layers, head):
    compute = [title for title, _, _ in layers].index("Compute")
    rows = view_rows(cells, by_thread, layers)
    join = max if by_thread else sum
    summary, breakdown = list(head), []
    for i, (title, overlap, _) in enumerate(layers):
        alone = [row for row in rows if row[i][0] > row[compute][0]]
        us = join(row[i][0] for row in rows) / 1e6
        alone_us = join([row[i][0] - row[compute][0] for row in alone] or
                        [0]) / 1e6
        calls, size = (sum(row[i][k] for row in rows) for k in (1, 2))
        alone_calls, alone_size = (sum(row[i][k] for row in alone)
                                   for k in (1, 2))
        if not calls:
            continue
        moved = title.startswith("POSIX")
        mb = size / 2**20
        summary.append((title + " Count", "count", str(calls)))
        if size:
            summary += [(title + " Size", "MB", f"{mb:.3f}"),
                        (title + " Bandwidth", "MB/s", f"{mb / us:.3f}"),
                        (title + " Avg Transfer Size", "MB",
                         f"{mb / calls:.3f}")]
        breakdown.append((
            title, share(us, alone_us, overlap, lambda v: f"{v:.3f}"),
            share(calls, alone_calls, overlap, lambda v: f"{v:,}"),
            f"{calls / us:.3f}",
            share(mb, alone_size / 2**20, overlap, lambda v: f"{v:.3f}")
            if moved else "-", f"{mb / us:.3f}" if moved else "-"))
    return summary + breakdown


def tables(directory, which):
    events, paths = read(directory)
    layers = LAYERS[which]
    cells = cells_of(events, paths, layers)
    ends = max(e["ts"] + e["dur"] for e in events)
    head = [("Job Time", "seconds",
             f"{(ends - min(e['ts'] for e in events)) / 1e6:.3f}")]
    count = str(len(events))
    head += [(title, "count", str(n)) for title, n in (
        ("Trace Count", count), ("Profile Count", 0), ("Total Count", count),
        ("Total Files", len({text(e["args"].get("fhash"))
                             for e in events} - {""})),
        ("Total Nodes", len({text(e["args"]["hhash"]) for e in events})),
        ("Total Processes", len({e["pid"] for e in events})))]
    for by_thread in (1, 0):
        for row in view_tables(cells, by_thread, layers, head):
            print("\n".join(row))


def cells(path):
    """The first four tables; numbers with all digits get three."""
    with open(path, newline="") as f:
        blocks = f.read().split("\n\n")[:4]
    for block in blocks:
        for row in list(csv.reader(block.splitlines()))[1:]:
            for i, cell in enumerate(row):
                whole = row[1] == "count" and i == 2
                number = re.fullmatch(r"[0-9]+(\.[0-9]+)?(e-?[0-9]+)?", cell)
                print(f"{float(cell):.3f}" if number and not whole else cell)


if __name__ == "__main__":
    {"make": lambda d, seed: make(d, int(seed)), "tables": tables,
     "cells": cells}[sys.argv[1]](*sys.argv[2:])
