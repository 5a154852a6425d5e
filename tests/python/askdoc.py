# SPDX-License-Identifier: MIT
#
# askdoc.py DFTRACE DIRECTORY DOC - the questions of doc/ask.md, asked of a
# random trace: their answers are what counting exported events gives; TAP lines

import csv
import json
import math
import re
import shlex
import subprocess
import sys
from collections import defaultdict

import askjob

events = []


def col(name, some=None):
    values = [askjob.column(e, name) for e in (events if some is None
                                               else some)]
    return [v for v in values if v is not None]


def only(test):
    return [e for e in events if test(e)]


def by(some, *names):
    """Groups: texts of the columns -> events."""
    groups = defaultdict(list)
    for e in some:
        values = [askjob.column(e, n) for n in names]
        groups[tuple("-" if v is None else str(v) for v in values)].append(e)
    return groups


def total(some, name):
    return sum(col(name, some))


def quantile(some, name, q):
    values = sorted(col(name, some))
    return values[max(math.ceil(q * len(values)), 1) - 1] if values else None


def rows(groups, *measures):
    return {k: [m(v) for m in measures] for k, v in groups.items()}


def is_class(*words):
    return lambda e: askjob.column(e, "class") in words


def log2(v):
    return "-" if v is None else "0" if v <= 0 else str(
        1 << (v.bit_length() - 1))


def seconds(name="dur"):
    return lambda some: total(some, name) / 1e9


def at_end(some, word):
    return [e for e in some if e.get("file", "").endswith(word)]


reads = is_class("read")
# What each question gives: rows by their keys, or for --view event how many.
ANSWERS = [
    lambda: len(only(lambda e: reads(e) and e["dur_ns"] > 10**7)),
    lambda: rows(by(events, "name"), len, seconds(),
                 lambda s: quantile(s, "dur", .99) / 1e3),
    lambda: rows(by(only(reads), "file"), lambda s: total(s, "bytes"), len),
    lambda: rows(by(only(lambda e: reads(e) and 0 <= e["ret"] < e["size"]),
                    "file"), len),
    lambda: rows(by(only(lambda e: e.get("ret") == -1), "name", "file"), len),
    lambda: {(k,): [len(v)] for k, v in group_by_size().items()},
    lambda: rows(by(only(lambda e: reads(e) and e["size"] < 4096), "pattern"),
                 len, lambda s: total(s, "bytes")),
    lambda: rows(by(only(is_class("meta")), "directory"), len, seconds()),
    lambda: rows(by(only(is_class("read", "write")), "process"),
                 lambda s: total(s, "bytes"), seconds()),
    lambda: rows(by(only(is_class("sync")), "process"), len, seconds(),
                 lambda s: max(col("dur", s)) / 1e3),
    lambda: rows(by(at_end(events, ".pt"), "name"), len,
                 lambda s: total(s, "bytes"), seconds()),
    lambda: rows(by(only(is_class("app")), "function"), len,
                 lambda s: quantile(s, "dur", .5) / 1e3,
                 lambda s: quantile(s, "dur", .99) / 1e3),
    lambda: rows(by(only(lambda e: "step" in e.get("args", {})), "arg.step"),
                 len, seconds()),
    lambda: rows(by(only(lambda e: "loss" in e.get("args", {})), "arg.step"),
                 lambda s: total(s, "arg.loss") / len(s),
                 lambda s: min(col("arg.loss", s))),
    lambda: rows(by(only(lambda e: e.get("args", {}).get("tag") == "warm"),
                    "thread"), len, seconds()),
    lambda: rows(by(only(lambda e: e["dur_ns"] > 10**7), "host", "class"), len),
    lambda: rows(by(only(lambda e: re.search("^/(scratch|etc)/",
                                             e.get("file", ""))), "file"),
                 len, seconds()),
    lambda: rows(by(only(lambda e: e.get("offset", -1) >= 512 << 20),
                    "pattern"), len, lambda s: min(col("offset", s))),
    lambda: rows(by(only(lambda e: e["name"] in ("open", "close")), "file",
                    "name"), len),
    lambda: len(only(lambda e: e["cat"] == "compute")),
]


def group_by_size():
    groups = defaultdict(list)
    for e in only(reads):
        groups[log2(e["size"])].append(e)
    return groups


def same(got, want):
    if want is None:
        return got == ""
    return got != "" and math.isclose(float(got), want, rel_tol=1e-12)


def fits(table, want, top):
    if isinstance(want, int):
        return len(table) == (min(want, top) if top else want) and want > 0
    if len(table) != (min(len(want), top) if top else len(want)) or not want:
        return False
    for row in table:
        keys = len(row) - len(next(iter(want.values())))
        numbers = want.get(tuple(row[:keys]))
        if numbers is None or not all(map(same, row[keys:], numbers)):
            return False
    first = [list(want.values())[0], table[0]]
    if top and len(want) > top:  # those with the greatest first measure
        best = sorted((v[0] for v in want.values()), reverse=True)[:top]
        k = len(first[1]) - len(first[0])
        return all(same(r[k], b) for r, b in zip(table, best))
    return True


def main():
    dftrace, where, doc = sys.argv[1:]
    trace = where + "/random.pfw"
    askjob.write_trace(trace, 3000, 1)
    lines = subprocess.run([dftrace, "export", "-f", "jsonl", trace],
                           check=True, stdout=subprocess.PIPE).stdout
    events.extend(json.loads(line) for line in lines.decode().splitlines())
    with open(doc) as page:
        asked = re.findall(r"^(\d+)\. (.*)\n(?:   \S.*\n)*\n    \$ (.*)$",
                           page.read(), re.M)
    print("%s - %d questions" % (
        "ok" if len(asked) == len(ANSWERS) else "not ok", len(asked)))
    for (number, question, command), answer in zip(asked, ANSWERS):
        words = shlex.split(command)
        top = int(words[words.index("--top") + 1]) if "--top" in words else 0
        words[:2] = [dftrace, "analyze", "--no-write", "-f", "csv"]
        words[-1] = trace
        out = subprocess.run(words, stdout=subprocess.PIPE).stdout.decode()
        table = list(csv.reader(out.splitlines()))[1:]
        print("%s - %s. %s" % ("ok" if fits(table, answer(), top) else "not ok",
                               number, question))


main()
