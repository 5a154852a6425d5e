# SPDX-License-Identifier: MIT
#
# clients.py - pyarrow, polars, duckdb and pandas take events and tables:
#              make check-python-clients PYTHON3=VENV/bin/python
#
# In:  DFTRACE; a Python that has them
# Out: TAP

import json
import os
import subprocess
import sys
import tempfile

import askjob
import dftrace
import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

count = 0


def ok(what, is_so, said=""):
    global count
    count += 1
    print("%s %d - %s" % ("ok" if is_so else "not ok", count, what))
    if not is_so:
        print("# %s" % (said,))


with tempfile.TemporaryDirectory() as scratch:
    print("# pyarrow %s, polars %s, duckdb %s, pandas %s" % (
        pyarrow.__version__, polars.__version__, duckdb.__version__,
        pandas.__version__))
    path = os.path.join(scratch, "a.pfw")
    askjob.write_trace(path, 6000, 5)
    exported = [json.loads(line) for line in subprocess.run(
        [sys.argv[1], "export", "-f", "jsonl", path], check=True,
        stdout=subprocess.PIPE).stdout.splitlines()]
    sums = {}
    for e in exported:
        n, d = sums.get(e["name"], (0, 0))
        sums[e["name"]] = n + 1, d + e["dur_ns"]
    trace = dftrace.read(path)
    events = trace.events(rows=1)       # many batches, each its dictionary
    table = pyarrow.table(events)
    table.validate(full=True)
    ok("pyarrow: valid", table.num_rows == len(exported))
    ok("pyarrow: equal", sorted(zip(
        table["name"].to_pylist(), table["dur_ns"].to_pylist(),
        (v or "" for v in table["file"].to_pylist()))) == sorted(
            (e["name"], e["dur_ns"], e.get("file", "")) for e in exported))
    frame = polars.DataFrame(events)
    found = {r[0]: (r[1], r[2]) for r in frame.group_by("name").agg(
        polars.len(), polars.col("dur_ns").sum()).rows()}
    ok("polars", found == sums, found)
    ok("polars: nothing is null", frame["size"].null_count() == sum(
        "size" not in e for e in exported))
    found = {r[0]: (r[1], int(r[2])) for r in duckdb.sql(
        "select name, count(*), sum(dur_ns) from events group by 1"
    ).fetchall()}
    ok("duckdb", found == sums, found)
    data = events.to_pandas()
    found = {name: (len(g), int(g["dur_ns"].sum()))
             for name, g in data.groupby("name", observed=True)}
    ok("pandas", found == sums, found)
    file = os.path.join(scratch, "a.parquet")
    events.to_parquet(file)
    ok("Parquet", sorted(pyarrow.parquet.read_table(file)["dur_ns"]
                         .to_pylist()) == sorted(e["dur_ns"]
                                                 for e in exported) and
       os.listdir(scratch).count("a.parquet") == 1)
    query = trace.query(by="name", show="count,p99(dur)")
    ok("a table", polars.DataFrame(query).rows() == query.rows ==
       [tuple(r.values()) for r in query.to_arrow().to_pylist()])
    ok("no events", polars.DataFrame(
        trace.events(where="dur > 1h")).height == 0)
    try:
        polars.DataFrame(trace.events(where="cat = POSX"))
    except Exception as why:
        ok("an error is said", "did you mean POSIX" in str(why), why)
    else:
        ok("an error is said", False)
print("1..%d" % count)
