# SPDX-License-Identifier: MIT
#
# readjob.py - dftrace.read against what dftrace export gives, line by line:
#              readjob.py DFTRACE DIR TRACE…

import json
import os
import random
import subprocess
import sys

import arrowread
import askjob

COLUMNS = ["time_ns", "dur_ns", "host", "pid", "tid", "rank", "cat", "name",
           "file", "size", "offset", "ret", "errno"]
MORE = ["layer", "function", "class", "directory", "pattern", "process",
        "thread", "bytes"]
count = 0


def ok(what, is_so, said=""):
    global count
    count += 1
    print("%s %d - %s" % ("ok" if is_so else "not ok", count, what))
    if not is_so and said:
        print("# " + str(said)[:600].replace("\n", "\n# "))


def export(dftrace, trace, condition=None):
    words = [dftrace, "export", "-f", "jsonl"]
    if condition:
        words += ["-w", condition]
    text = subprocess.run(words + [trace], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    return [json.loads(line) for line in text.splitlines()]


def key(row):
    return json.dumps(row, sort_keys=True)


def same(found, expected):
    a, b = sorted(map(key, found)), sorted(map(key, expected))
    return a == b, "" if a == b else "%d %d %s" % (
        len(a), len(b), [x for x in zip(a, b) if x[0] != x[1]][:2])


def as_exported(event):
    return {name: event.get(name) or (event.get(name) if name != "host"
                                      else None) for name in COLUMNS}


def events(dftrace, t, trace, rnd):
    everything = export(dftrace, trace)
    ok("all events of " + os.path.basename(trace),
       *same(arrowread.rows(t.events()), map(as_exported, everything)))
    ok("a child outlives its batch",
       len(arrowread.rows(t.events(), keep_child=True)) == len(everything))
    small = [b for b in arrowread.batches(
        t.events(rows=1).__arrow_c_stream__())]
    ok("batches have a limit", all(len(b["pid"]) <= 4096 for b in small))
    for _ in range(12):
        condition, test = askjob.condition(rnd)
        try:
            expected = export(dftrace, trace, condition)
        except subprocess.CalledProcessError:
            continue
        ok("where " + condition,
           *same(arrowread.rows(t.events(where=condition)),
                 map(as_exported, expected)))
    return everything


def made(t, everything):
    """What follows from an event, of the trace of askjob."""
    found = arrowread.rows(t.events(columns=MORE + ["time_ns", "tid"]))
    expected = [{name: askjob.column(e, name) for name in MORE +
                 ["time_ns", "tid"]} for e in everything]
    for e in expected:
        e["process"] = e["process"].replace("None:", "-:")
        e["thread"] = e["thread"].replace("None:", "-:")
    for f in found:
        f["process"] = f["process"].rpartition(":")[2]
    for e in expected:
        e["process"] = e["process"].rpartition(":")[2]
    for rows in (found, expected):
        for r in rows:
            r["thread"] = r["thread"].split(":", 1)[1]
    ok("columns that follow from others", *same(found, expected))
    args = ["arg.step", "arg.loss", "arg.tag"]
    found = arrowread.rows(t.events(columns=args + ["args", "tid", "time_ns"]))
    expected = [dict({name: askjob.column(e, name) for name in args},
                     args=e.get("args"), tid=e["tid"], time_ns=e["time_ns"])
                for e in everything]
    for f in found:
        f["args"] = f["args"] and json.loads(f["args"])
    ok("arguments", *same(found, expected))
    formats = [f for _, f, _ in arrowread.schema_of(
        t.events(columns=args + ["dur", "args"]).__arrow_c_stream__())]
    ok("and their types", formats == ["l", "g", "w", "l", "U"], formats)


def query(dftrace, t, trace, everything, rnd):
    for by, show, where in (
            ("name", "count,sum(dur),p99(dur)", None),
            ("rank,name", "count,max(size),union", "class = read"),
            ("log2(size)", "count", "has(size)"),
            (None, "count,mean(dur),errors", None),
            ("step", "count", None)):
        words = [dftrace, "analyze", "--no-write", "-f", "json", "--show",
                 show]
        words += ["--by", by] if by else []
        words += ["--where", where] if where else []
        got = json.loads(subprocess.run(
            words + [trace], stdout=subprocess.PIPE, check=True).stdout)
        got = got if isinstance(got, list) else next(
            v for v in got.values() if isinstance(v, list))
        table = t.query(by=by, show=show, where=where)
        mine = [[None if v is None else str(v) if isinstance(v, str) or c
                 in (by or "").split(",") else float(v)
                 for c, v in row.items()] for row in table.to_dicts()]
        theirs = [[None if v is None or v == "-" else str(v)
                   if isinstance(v, str) else float(v)
                   for v in row.values()] for row in got]
        ok("query by %s show %s" % (by, show), mine == theirs,
           "%s\n%s" % (mine[:3], theirs[:3]))
        ok("and as Arrow", arrowread.rows(table) == table.to_dicts())
    by_name = {}
    for e in everything:
        by_name.setdefault(e["name"], []).append(e["dur_ns"])
    table = t.query(by=["name"], show=["count", "sum(dur)", "max(dur)"])
    ok("sums, one by one", {r[0]: r[1] for r in table} ==
       {n: len(d) for n, d in by_name.items()} and all(
           abs(s - sum(by_name[n]) / 1e9) < 1e-9 and
           abs(m - max(by_name[n]) / 1e3) < 1e-6 for n, _, s, m in table))
    top = t.query(by="name", show="count", sort="count", top=2)
    ok("sort and top", len(top) == 2 and top["count"] ==
       sorted((len(d) for d in by_name.values()), reverse=True)[:2])


def main():
    dftrace, scratch = sys.argv[1:3]
    rnd = random.Random(7)
    import dftrace as package
    for trace in sys.argv[3:]:
        t = package.read(trace)
        everything = events(dftrace, t, trace, rnd)
        if trace.endswith(".pfw"):
            made(t, everything)
            query(dftrace, t, trace, everything, rnd)
        one = package.read(trace, threads=1)
        ok("one thread gives the same order",
           arrowread.rows(one.events(where="dur > 5us")) ==
           arrowread.rows(t.events(where="dur > 5us")))
        exact = json.loads(subprocess.run(
            [dftrace, "analyze", "--no-write", "-f", "json", "--view",
             "metric", trace], stdout=subprocess.PIPE, check=True).stdout)
        exact = exact if isinstance(exact, list) else next(
            v for v in exact.values() if isinstance(v, list))
        exact = {m["metric"]: m["value"] for m in exact}
        ok("metrics", exact and all(
            t.metrics[name] == value for name, value in exact.items()
            if name in t.metrics and value is not None),
            [(n, v, t.metrics.get(n)) for n, v in exact.items()
             if t.metrics.get(n) != v][:4])
    print("1..%d" % count)


main()
