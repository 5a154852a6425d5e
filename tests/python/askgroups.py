# SPDX-License-Identifier: MIT
#
# askgroups.py DFTRACE DIRECTORY SEED COUNT - random --by, --show and --where:
# dftrace analyze prints what counting the exported events one by one gives;
# TAP lines

import csv
import json
import math
import random
import subprocess
import sys

import askjob

KEYS = ["cat", "name", "class", "function", "file", "directory", "pattern",
        "host", "process", "thread", "pid", "arg.step", "arg.tag", "ret",
        "log2(size)", "log2(arg.loss)", "bin(dur, 1ms)", "bin(offset,64M)",
        "bin(arg.step,2)"]
WIDTH = {"bin(dur, 1ms)": 10**6, "bin(offset,64M)": 64 << 20,
         "bin(arg.step,2)": 2}
COLUMNS = ["dur", "size", "bytes", "offset", "ret", "arg.step", "arg.loss"]
MEASURES = ["sum", "mean", "min", "max", "p50", "p99", "p90.5", "p100"]


def key(e, word):
    if "(" not in word:
        v = askjob.column(e, word)
        return "-" if v is None else str(v)
    v = askjob.column(e, word[word.index("(") + 1:].split(",")[0].rstrip(")"))
    if v is None or isinstance(v, str):
        return "-"
    v = math.floor(v)
    if word.startswith("log2"):
        return "0" if v <= 0 else str(1 << (v.bit_length() - 1))
    return str(v // WIDTH[word] * WIDTH[word])


def measure(events, word):
    if word == "count":
        return len(events)
    if word == "errors":
        return sum(e.get("ret") == -1 for e in events)
    name = word[word.index("(") + 1:-1]
    values = [askjob.column(e, name) for e in events]
    values = sorted(v for v in values if v is not None)
    if not values:
        return 0 if word == "sum(bytes)" else None
    how = word[:word.index("(")]
    if how == "sum":
        x = sum(values)
    elif how == "mean":
        x = sum(values) / len(values)
    elif how in ("min", "max"):
        x = values[0 if how == "min" else -1]
    else:
        rank = math.ceil(float(how[1:]) / 100 * len(values))
        x = values[max(rank, 1) - 1]
    if name == "dur":
        x = x / (1e9 if how == "sum" else 1e3)
    return x


def same(got, want):
    if want is None:
        return got == ""
    return got != "" and math.isclose(float(got), want, rel_tol=1e-12)


def question(rnd):
    keys = rnd.sample(KEYS, rnd.randrange(0, 4))
    show = ["count"]
    for _ in range(rnd.randrange(1, 4)):
        show.append("%s(%s)" % (rnd.choice(MEASURES), rnd.choice(COLUMNS)))
    if rnd.random() < 0.3:
        show.append("errors")
    text, test = askjob.condition(rnd)
    if rnd.random() < 0.5:
        text, test = None, None
    return keys, show, text, test


def rows_of(dftrace, trace, keys, show, text, more):
    args = [dftrace, "analyze", "--no-write", "-f", "csv", "--show",
            ",".join(show)] + more
    if keys:
        args += ["--by", ",".join(keys)]
    if text:
        args += ["--where", text]
    out = subprocess.run(args + [trace], stdout=subprocess.PIPE)
    return out.stdout.decode()


def check(events, keys, show, test, out):
    groups = {}
    for e in events:
        if not test or test(e):
            groups.setdefault(tuple(key(e, k) for k in keys), []).append(e)
    rows = list(csv.reader(out.splitlines()))[1:]
    if len(rows) != len(groups):
        return False
    for row in rows:
        some = groups.get(tuple(row[:len(keys)]))
        if some is None or not all(
                same(got, measure(some, word))
                for got, word in zip(row[len(keys):], show)):
            return False
    return True


def main():
    dftrace, where, seed, count = sys.argv[1:]
    trace = where + "/random.pfw"
    askjob.write_trace(trace, 3000, int(seed))
    lines = subprocess.run([dftrace, "export", "-f", "jsonl", trace],
                           check=True, stdout=subprocess.PIPE).stdout
    events = [json.loads(line) for line in lines.decode().splitlines()]
    rnd = random.Random(int(seed))
    for i in range(int(count)):
        keys, show, text, test = question(rnd)
        out = rows_of(dftrace, trace, keys, show, text, [])
        right = check(events, keys, show, test, out)
        if right and i % 5 == 0:
            right = out == rows_of(dftrace, trace, keys, show, text,
                                   ["-j", "1"])
        print("%s - %s by %s where %s" % (
            "ok" if right else "not ok", ",".join(show), ",".join(keys),
            str(text).replace("#", "")))


main()
