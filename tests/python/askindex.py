# SPDX-License-Identifier: MIT
#
# askindex.py DFTRACE DIRECTORY SEED COUNT - random conditions: a merged trace
# gives the same answer with its index and without; TAP lines, and how many
# conditions needed a part of the trace only

import json
import os
import random
import re
import subprocess
import sys

import askjob

PARTS = 12


def write_parts(path, seed):
    """Parts that differ in their times, durations, files and processes."""
    rnd = random.Random(seed)
    with open(path, "w") as out:
        out.write("[\n")
        for part in range(PARTS):
            askjob.write_trace(path + ".part", 400, seed * 100 + part)
            files = rnd.sample(range(10), 1 + part % 4)
            names = rnd.sample(["read", "write", "open", "fsync", "forward"],
                               1 + part % 3)
            for line in open(path + ".part"):
                if not line.startswith("{"):
                    continue
                e = json.loads(line)
                e["pid"] += 10 * part
                e["tid"] += 10 * part
                if e["ph"] == "X":
                    e["ts"] += part * 1000000
                    e["dur"] //= 1 + part
                    if e["name"] not in names:
                        continue
                    if "fhash" in e["args"]:
                        e["args"]["fhash"] = "f%d" % rnd.choice(files)
                    if "count" in e["args"] and part % 2:
                        e["args"]["count"] //= 64
                out.write(json.dumps(e) + "\n")
    os.remove(path + ".part")


def ask(dftrace, trace, text):
    """The answer, and how many events were read for it."""
    made = subprocess.run(
        [dftrace, "analyze", "--no-write", "--debug", "-f", "csv", "--by",
         "name,file,thread", "--show", "count,errors,sum(dur),union,max(size)",
         "--where", text, trace], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    said = made.stderr.decode()
    read = re.findall("debug: .*: ([0-9]+) events read", said)
    rest = [line for line in said.splitlines() if "events read" not in line]
    return (made.returncode, made.stdout, rest), int(read[-1]) if read else None


def main():
    dftrace, where, seed, count = sys.argv[1:]
    job = where + "/parts"
    os.mkdir(job)
    write_parts(job + "/parts.pfw", int(seed))
    subprocess.run([dftrace, "merge", "-q", "--index", "always", job], check=True)
    trace = where + "/parts.dft"
    os.rename(job + "/trace.dft", trace)
    index = job + "/trace.dft.index"
    rnd = random.Random(int(seed))
    conditions = [askjob.condition(rnd)[0] for _ in range(int(count))]
    for part in range(PARTS):
        conditions.append("time >= %d and time < %d.5" % (part, part))
        conditions.append("not (time < %d)" % part)
        conditions.append("pid = %d or file2 ~ '*'" % (101 + 10 * part))
    fewer = 0
    for text in conditions:
        want, everything = ask(dftrace, trace, text)
        os.rename(index, trace + ".index")
        got, read = ask(dftrace, trace, text)
        os.rename(trace + ".index", index)
        if read is not None and everything is not None:
            fewer += read < everything
        right = got == want and not (read or 0) > (everything or 0)
        print("%s - %s of %s events: %s" % ("ok" if right else "not ok", read,
                                            everything, text.replace("#", "")))
    print("# fewer: %d" % fewer)


main()
