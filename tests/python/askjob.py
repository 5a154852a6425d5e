# SPDX-License-Identifier: MIT
#
# askjob.py - a trace of random events, and what questions about it give when
#             its exported events are counted one by one

import json
import random
import re


def write_trace(path, events, seed):
    """DFTracer's lines: two hosts, four processes, calls and regions."""
    rnd = random.Random(seed)
    files = ["/data/a/part-%03d.bin" % i for i in range(6)] + [
        "/data/a/index.idx", "/scratch/ckpt/step-10.pt", "/etc/hosts.conf",
        'odd "name", with blanks.bin']
    with open(path, "w") as out:
        out.write("[\n")
        for pid in range(100, 104):
            for i, f in enumerate(files):
                out.write(json.dumps({
                    "id": i, "name": "FH", "cat": "dftracer", "pid": pid,
                    "tid": pid, "ph": "M",
                    "args": {"name": f, "value": "f%d" % i}}) + "\n")
        now = {}
        for i in range(events):
            pid = 100 + rnd.randrange(4)
            tid = pid + 10 * rnd.randrange(2)
            start = now.get(tid, 1000000) + rnd.randrange(200)
            dur = rnd.choice([0, 1, 5, 20, 300, 12000]) + rnd.randrange(9)
            now[tid] = start + dur
            e = {"id": i, "pid": pid, "tid": tid, "ts": start, "dur": dur,
                 "ph": "X"}
            if rnd.random() < 0.7:
                name = rnd.choice(["read", "write", "pread", "open", "close",
                                   "fsync"])
                e.update(name=name, cat="POSIX")
                args = {"fhash": "f%d" % rnd.randrange(len(files))}
                if name in ("read", "write", "pread"):
                    n = rnd.choice([1, 100, 4096, 65536, 1 << 20, 3 << 20])
                    args["count"] = n
                    args["ret"] = rnd.choice([n, n, n, n // 2, -1])
                    if name == "pread":
                        args["offset"] = rnd.randrange(1 << 30)
                else:
                    args["ret"] = 0 if rnd.random() < 0.9 else -1
            else:
                name = rnd.choice(["forward", "backward", "fetch.iter"])
                e.update(name=name, cat=rnd.choice(["compute", "data loader"]))
                args = {}
                if rnd.random() < 0.8:
                    args["step"] = rnd.randrange(5)
                if rnd.random() < 0.5:
                    args["loss"] = round(rnd.random() * 10, 3) + 0.0625
                if rnd.random() < 0.5:
                    args["tag"] = rnd.choice(["warm", "hot", "cold start"])
            e["args"] = args
            out.write(json.dumps(e) + "\n")


# --- columns of an exported event -------------------------------------------

CLASS = {"read": "read", "pread": "read", "write": "write", "open": "meta",
         "close": "meta", "fsync": "sync"}


def column(e, name):
    """What dftrace help where says of a column; None: the event has none."""
    app = e["cat"] not in ("POSIX", "STDIO")
    if name.startswith("arg."):
        return e.get("args", {}).get(name[4:])
    if name == "dur":
        return e["dur_ns"]
    if name in ("cat", "layer"):
        return e["cat"]
    if name == "function":
        return e["cat"] + "/" + e["name"]
    if name == "class":
        return "app" if app else CLASS[e["name"]]
    if name == "bytes":
        if app or CLASS[e["name"]] not in ("read", "write"):
            return None
        return max(e["ret"], 0)
    if name == "directory":
        f = e.get("file")
        return None if f is None else (f.rpartition("/")[0] or ".")
    if name == "pattern":
        f = e.get("file")
        return None if f is None else re.sub("[0-9]+", "N", f)
    if name == "process":
        return "%s:%d" % (e["host"], e["pid"])
    if name == "thread":
        return "%s:%d:%d" % (e["host"], e["pid"], e["tid"])
    return e.get(name)


# --- conditions ---------------------------------------------------------------


def glob(pattern, text, path):
    """Patterns with commas between them, as the analysis matches them."""
    for one in pattern.split(","):
        r = re.compile(
            "".join(".*" if c == "*" else "." if c == "?" else re.escape(c)
                    for c in one), re.I | re.S)
        texts = [t for t in text.split("/") if t] if (
            path and "/" not in one) else [text]
        if any(r.fullmatch(t) for t in texts):
            return True
    return False


NUMBERS = {
    "dur": [("0", 0), ("5us", 5000), ("0.3ms", 300000), ("10ms", 10**7),
            ("20000ns", 20000)],
    "size": [("100", 100), ("4K", 4096), ("64KiB", 65536), ("1M", 1 << 20),
             ("1MB", 10**6)],
    "bytes": [("0", 0), ("50", 50), ("32K", 32768), ("1.5M", 3 << 19)],
    "offset": [("500M", 500 << 20), ("1kB", 1000)],
    "ret": [("0", 0), ("-1", -1), ("4096", 4096)],
    "pid": [("101", 101), ("103", 103)],
    "tid": [("111", 111), ("101", 101)],
    "arg.step": [("3", 3), ("0", 0), ("2.5", 2.5)],
    "arg.loss": [("5", 5), ("2.25", 2.25)],
}
TEXTS = {
    "cat": ["POSIX", "compute", "data loader"],
    "name": ["read", "forward", "fetch.iter", "open"],
    "function": ["POSIX/read", "compute/forward"],
    "class": ["read", "write", "meta", "sync", "app"],
    "file": ["/data/a/index.idx", 'part-000.bin', "/data/a/part-001.bin"],
    "directory": ["/data/a", "/scratch/ckpt"],
    "pattern": ["/data/a/part-N.bin"],
    "arg.tag": ["warm", "cold start"],
}
GLOBS = {
    "cat": ["pos*", "*o*"], "name": ["*read,write", "f*", "?pen"],
    "function": ["posix/*"], "class": ["r*"],
    "file": ["*.bin", "/data/*", "ckpt", "*.idx,*.pt"],
    "directory": ["a"], "pattern": ["*-N.bin"], "arg.tag": ["*t*"],
}
REGEXES = {"name": "^p?read$", "file": "-00[0-3]\\.(bin|pt)$",
           "cat": "^[a-z ]+$", "arg.tag": "o+"}
OPERATORS = {"=": lambda a, b: a == b, "<": lambda a, b: a < b,
             "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
             ">=": lambda a, b: a >= b}
PATHS = ("file", "directory", "pattern")


def has(name, test):
    def check(e):
        v = column(e, name)
        return v is not None and test(v)
    return check


def term(rnd):
    """A random term: its text, and a function that decides it."""
    kind = rnd.randrange(9)
    name = rnd.choice(list(TEXTS))
    word = rnd.choice(TEXTS[name])
    if kind == 0:
        return '%s = "%s"' % (name, word), has(name, lambda v: v == word)
    if kind == 1:
        return ("%s != '%s'" % (name, word),
                lambda e: not has(name, lambda v: v == word)(e))
    if kind == 2:
        pattern = rnd.choice(GLOBS[name])
        test = has(name, lambda v: glob(pattern, v, name in PATHS))
        if rnd.random() < 0.5:
            return "%s ~ '%s'" % (name, pattern), test
        return "%s !~ \"%s\"" % (name, pattern), lambda e: not test(e)
    if kind == 3:
        name = rnd.choice(list(REGEXES))
        r = re.compile(REGEXES[name])
        return ("%s =~ '%s'" % (name, REGEXES[name]),
                has(name, lambda v: r.search(v) is not None))
    if kind == 4:
        words = rnd.sample(TEXTS[name], min(2, len(TEXTS[name])))
        return ("%s in (%s)" % (name, ", ".join("'%s'" % w for w in words)),
                has(name, lambda v: v in words))
    if kind == 5 and rnd.random() < 0.3:
        op = rnd.choice(list(OPERATORS))

        def compare(e):
            a, b = column(e, "ret"), column(e, "size")
            return a is not None and b is not None and OPERATORS[op](a, b)
        return "ret %s size" % op, compare
    name = rnd.choice(list(NUMBERS))
    if kind == 6:
        return "has(%s)" % name, has(name, lambda v: True)
    if kind == 7:
        some = rnd.sample(NUMBERS[name], 2)
        return ("%s not in (%s)" % (name, ",".join(t for t, _ in some)),
                lambda e: not has(name, lambda v: v in [
                    n for _, n in some])(e))
    text, number = rnd.choice(NUMBERS[name])
    op = rnd.choice(list(OPERATORS))
    if op == "=" and text.startswith("-") and name in ("pid", "tid"):
        op = "<"
    return ("%s%s%s" % (name, rnd.choice([op, " " + op + " "]), text),
            has(name, lambda v: OPERATORS[op](v, number)))


def condition(rnd, depth=0):
    kind = rnd.randrange(4) if depth < 3 else 0
    if kind == 0:
        return term(rnd)
    if kind == 1:
        text, test = condition(rnd, depth + 1)
        return "not (%s)" % text, lambda e: not test(e)
    a, left = condition(rnd, depth + 1)
    b, right = condition(rnd, depth + 1)
    if kind == 2:
        return "(%s and %s)" % (a, b), lambda e: left(e) and right(e)
    return "(%s or %s)" % (a, b), lambda e: left(e) or right(e)
