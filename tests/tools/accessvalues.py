# SPDX-License-Identifier: MIT
"""Count sizes and strides of accesses once more, from single events.

accessvalues.py VIEW.csv <EVENTS.jsonl: VIEW.csv is --view accesssize or accessstride of
the same calls, of all files; EVENTS.jsonl is `dftrace export -f jsonl` of the trace of
them. Prints each difference, and at last how many rows were compared; where a profile says
that it does not know some values, a count may be too low by so many.
"""
import collections
import csv
import json
import sys

READS = {"read", "pread", "readv", "preadv", "aio_read"}
WRITES = {"write", "pwrite", "writev", "pwritev", "aio_write"}
COPIES = {"copy_file_range", "sendfile", "splice"}
SHOWN = 4


def accesses (event):
    """(operation, path, whether it is of POSIX and says where) of each"""
    name, path = event["name"], event.get ("file")
    if name in READS and path:
        yield "read", path, True
    elif name in WRITES and path:
        yield "write", path, True
    elif name in COPIES:
        if path:
            yield "read", path, False
        if event.get ("file2"):
            yield "write", event["file2"], False


def counted (lines, strides):
    """{(path, operation): Counter of values}, None: not known; paths of streams"""
    all_of, ends, streams = collections.defaultdict (collections.Counter), {}, set ()
    for line in lines:
        e = json.loads (line)
        if e["cat"] == "STDIO" and e.get ("file"):
            streams.add (e["file"])
        if e["cat"] != "POSIX" or e.get ("ret", 0) < 0 or "errno" in e or "err" in e:
            continue
        for operation, path, places in accesses (e):
            if not strides:
                all_of[path, operation][e["ret"]] += 1
            elif places:
                at, key = e.get ("offset", -1), (e["host"], e["pid"], e["tid"], path, operation)
                end = ends.get (key)
                if at >= 0:
                    ends[key] = at + e["ret"]
                value = None if at < 0 else at - end if end is not None and at > end else 0
                all_of[path, operation][value] += 1
    return all_of, streams


def main (view):
    with open (view, newline="") as text:
        rows = list (csv.DictReader (text))
    strides = not rows or "strides" in rows[0]
    want, streams = counted (sys.stdin, strides)
    have = collections.defaultdict (list)
    for r in rows:
        have[r["file"], r["operation"]].append (r)
    compared = exact = 0
    for key in sorted (set (want) | set (have)):
        values = dict (want.get (key, {}))
        if key[0] in streams or (strides and set (values) <= {None}):
            continue
        unknown = int (have[key][0]["unknown_count"]) if have[key] else 0
        if sum (int (r["count"]) for r in have[key]) != sum (values.values ()):
            print (key, "accesses:", have[key], "not", values)
        lost = values.pop (None, 0)
        first = sorted (values.items (), key=lambda v: (-v[1], v[0]))[:SHOWN]
        shown = [(int (r["bytes"]), int (r["count"])) for r in have[key] if r["bytes"]]
        compared += len (have[key])
        exact += len (have[key]) if unknown == lost else 0
        if unknown == lost and shown != first:
            print (key, "has", shown, "not", first)
        for value, count in shown:
            if not count <= values.get (value, 0) <= count + unknown:
                print (key, value, ":", count, "of", values.get (value, 0), "unknown", unknown)
    print ("compared %d rows, %d of them exactly" % (compared, exact))


main (*sys.argv[1:])
