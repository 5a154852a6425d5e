# SPDX-License-Identifier: MIT
#
# askpfw.py DFTRACE DIRECTORY FILE SEED COUNT - random conditions: a .pfw.gz of
# several members gives the same answer with an index of its blocks and
# without; TAP lines, and how many conditions needed a part of it only
# askpfw.py write FILE SEED EVENTS MEMBER [LEVEL [CHANGED]] - a trace in members
# of so many plain bytes: blocks of time differ, and names come late; changed:
# other durations but in the last two members, written over what is there

import gzip
import os
import random
import re
import subprocess
import sys

CALLS = ["read", "write", "pread", "open64", "close", "lseek64", "__fxstat64"]
FILES = 40


def meta(kind, pid, name, value):
    return ('{"id":0,"name":"%s","cat":"dftracer","pid":%d,"tid":%d,"ph":"M",'
            '"args":{"hhash":"h%d","name":"%s","value":"%s"}}' %
            (kind, pid, pid, pid % 3, name, value))


def names():
    lines = [meta("HH", 100 + h, "node%d" % h, "h%d" % h) for h in range(3)]
    lines += [meta("PR", 100 + p, "rank", str(p)) for p in range(6)]
    lines += [meta("FH", 100 + f % 3,
                   "/data/%s/f%d.%s" % ("ab"[f % 2], f, ["npz", "bin"][f % 2]),
                   "f%03d" % f) for f in range(FILES)]
    return lines


def event(rnd, i, part, where):
    pid = 100 + (part % 6 if rnd.random() < .9 else rnd.randrange(6))
    tid = pid if rnd.random() < .8 else pid + 1000
    dur = rnd.randrange(50)
    if part in (7, 13) and rnd.random() < .3:
        dur += 2000
    start = max(where.get("now", 1000000), where.get(tid, 0))
    where["now"] = where.get("now", 1000000) + rnd.randrange(1, 30)
    where[tid] = start + dur
    head = ('{"id":%d,"name":"%s","cat":"%s","pid":%d,"tid":%d,"ph":"X",'
            '"ts":%d,"dur":%d,"args":{"hhash":"h%d"')
    if rnd.random() < .15:
        return (head % (i, "train.%d" % part, "compute", pid, tid, start, dur,
                        pid % 3) + ',"epoch":%d,"step":%d,"note":"n%d"}}' %
                (part // 5, i % 100, rnd.randrange(9)))
    call = rnd.choice(CALLS)
    text = head % (i, call, "POSIX", pid, tid, start, dur, pid % 3)
    text += ',"fhash":"f%03d"' % ((part * 2 + rnd.randrange(4)) % FILES)
    if call in ("read", "write", "pread"):
        text += ',"ret":%d,"size":1048576' % (
            777777 if part == 9 else rnd.choice([0, 4096, 65536, 1 << 20]))
    return text + "}}"


def write(path, seed, count, member, level=1, changed=0):
    rnd = random.Random(seed)
    late = names()
    lines = ["["] + late[::5]
    late = [line for line in late if line not in lines]
    where = {}
    for i in range(count):
        lines.append(event(rnd, i, i * 20 // count, where))
        if late and i > count // 2 and rnd.random() < .01:
            lines.append(late.pop(0))
        if i == count // 3 and seed % 2:
            lines.append('{"broken":')
    text = "\n".join(lines + late).encode() + (b"\n" if seed % 3 else b"")
    with open(path, "r+b" if changed else "wb") as out:
        for i in range(0, len(text), member):
            part = text[i:i + member]
            if changed and i + 2 * member < len(text):
                part = part.replace(b'"dur":4', b'"dur":3')
            out.write(gzip.compress(part, level, mtime=0))


def condition(rnd, depth=0):
    if depth < 2 and rnd.random() < .5:
        left, right = condition(rnd, depth + 1), condition(rnd, depth + 1)
        return rnd.choice(["(%s and %s)", "(%s or %s)",
                           "(%s and not %s)"]) % (left, right)
    return rnd.choice([
        "dur > %dus" % rnd.choice([5, 45, 100, 1999]),
        "pid = %d" % (100 + rnd.randrange(6)), "tid > 1000",
        "time < %.2f" % (rnd.random() * .9), "time > %.2f" % rnd.random(),
        "name = read", "name in (open, close)", "file ~ '*f%d*'" %
        rnd.randrange(FILES), "file ~ '*.bin'", "host = node%d" %
        rnd.randrange(3), "rank = %d" % rnd.randrange(6), "bytes = 777777",
        "size > 64K", "arg.step < 3", "cat = compute"])


KEYS = ["name,file", "host,rank,call", "thread", "arg.note", "kind,name",
        "interval(50ms)", "step"]


def ask(dftrace, path, keys, text, *more):
    """The answer, and how many events were read for it."""
    made = subprocess.run(
        [dftrace, "analyze", "--debug", "-f", "csv", "--by", keys, "--show",
         "count,errors,sum(dur),p50(dur),union,max(size)", "--where", text,
         *more, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = made.stderr.decode()
    read = re.findall("debug: .*: ([0-9]+) events read", said)
    rest = [line for line in said.splitlines() if "debug:" not in line]
    return (made.returncode, made.stdout, rest), int(read[0]) if read else None


def check(dftrace, path, seed, count):
    rnd = random.Random(seed)
    fewer = 0
    ask(dftrace, path, "name", "dur > 1us")  # which leaves the index behind
    for _ in range(count):
        keys = rnd.choice(KEYS[:3] if rnd.random() < .7 else KEYS)
        text = condition(rnd)
        want, everything = ask(dftrace, path, keys, text, "--no-answers")
        got, read = ask(dftrace, path, keys, text, "--no-write")
        if read is not None and everything is not None:
            fewer += read < everything
        right = got == want and want[0] in (0, 5)
        print("%s - %s of %s events: --by %s --where %s" %
              ("ok" if right else "not ok", read, everything, keys,
               text.replace("#", "")))
    print("# fewer: %d" % fewer)


if sys.argv[1] == "write":
    write(sys.argv[2], *map(int, sys.argv[3:]))
else:
    check(sys.argv[1], os.path.join(sys.argv[2], sys.argv[3]),
          *map(int, sys.argv[4:]))
