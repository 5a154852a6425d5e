# SPDX-License-Identifier: MIT
#
# askwhere.py DFTRACE DIRECTORY SEED COUNT - random conditions: dftrace export
# prints the events that counting one by one finds; TAP lines

import random
import subprocess
import sys

import askjob


def main():
    dftrace, where, seed, count = sys.argv[1:]
    trace = where + "/random.pfw"
    askjob.write_trace(trace, 3000, int(seed))
    lines = subprocess.run([dftrace, "export", "-f", "jsonl", trace],
                           check=True, stdout=subprocess.PIPE).stdout
    lines = lines.decode().splitlines()
    events = [askjob.json.loads(line) for line in lines]
    rnd = random.Random(int(seed))
    for _ in range(int(count)):
        text, test = askjob.condition(rnd)
        want = [line for line, e in zip(lines, events) if test(e)]
        got = subprocess.run([dftrace, "export", "-f", "jsonl", "-w", text,
                              trace], stdout=subprocess.PIPE).stdout
        right = got.decode().splitlines() == want
        print("%s - %d events: %s" % ("ok" if right else "not ok", len(want),
                                      text.replace("#", "")))


main()
