# SPDX-License-Identifier: MIT
"""How CPU time and memory grow with the size of a job or a sweep: make bench-growth

    growth.py BUILD [KIND...]

In:  BUILD: a built tree with tests/bench/gen_trace
     $GROWTH_SCALE (1): of all sizes
Out: Markdown: for each kind and size, CPU seconds and MiB of a command, and
     the exponent of both since the first size (1: linear); status 1 where that
     of the last size is above 1.3
"""
import csv
import math
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
DFTRACE = BUILD + "/dftrace"
SCALE = float(os.environ.get("GROWTH_SCALE", "1"))
MOST = 1.3
EVENT = ('{"id":%d,"name":"%s","cat":"%s","pid":1,"tid":1,"ts":%d,"dur":5,'
         '"ph":"X","args":{%s}}\n')
HASH = ('{"name":"FH","cat":"dftracer","pid":1,"tid":1,"ph":"M",'
        '"args":{"name":"/data/f%d","value":"h%d"}}\n')


def events(where, n):
    subprocess.run([BUILD + "/tests/bench/gen_trace", where, str(n), "8"],
                   check=True)


def processes(where, n):
    subprocess.run([BUILD + "/tests/bench/gen_trace", where, str(6 * n),
                    str(n)], check=True)


def lines(where, n, line):
    os.mkdir(where)
    with open(where + "/made.pfw", "w") as f:
        f.write("[\n")
        for i in range(n):
            f.write(line(i))
        f.write("]\n")


def files(where, n):
    lines(where, n, lambda i: HASH % (i, i) + EVENT % (
        i, "read", "POSIX", 10 * i, '"ret":100,"fhash":"h%d"' % i))


def names(where, n):
    lines(where, n, lambda i: EVENT % (i, "step %d" % i, "train", 10 * i, ""))


def points(where, n):
    """A sweep of two runs, its rows repeated as other points."""
    top, name = os.path.split(where)
    with open(top + "/spec.yaml", "w") as f:
        f.write("sweep: %s\naxes: {a: [1]}\nenv: {A: '${a}'}\nrepeats: 2\n"
                "run: cat %s/spec.yaml >/dev/null\n" % (name, top))
    subprocess.run([DFTRACE, "sweep", "run", "--local", "spec.yaml"], cwd=top,
                   check=True, capture_output=True)
    subprocess.run([DFTRACE, "sweep", "results", "--write", where], check=True,
                   capture_output=True)
    for name in ("points", "runs"):
        path = "%s/results/%s.csv" % (where, name)
        with open(path, newline="") as f:
            head, *rows = csv.reader(f)
        with open(path, "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(head)
            for i in range(n):
                for row in rows:
                    x = dict(zip(head, row), point="p%d" % i, label="a%d" % i,
                             a=str(i))
                    out.writerow([x[h] for h in head])


ANALYZE = ["analyze", "-q", "--no-write", "--no-answers", "-j", "2"]
KINDS = {
    "events": (events, [1000000, 4000000, 16000000], [ANALYZE]),
    "processes": (processes, [1000, 4000, 16000],
                  [ANALYZE, ["report", "-o", "PAGE"]]),
    "files": (files, [10000, 40000, 160000],
              [ANALYZE, ["report", "-o", "PAGE"]]),
    "names of regions": (names, [10000, 40000, 160000],
                         [ANALYZE, ["report", "-o", "PAGE"]]),
    "points of a sweep": (points, [1000, 4000, 16000],
                          [["report", "-o", "PAGE"]])}


def cost(words):
    """CPU seconds and MiB."""
    pid = os.posix_spawn(DFTRACE, [DFTRACE] + words, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, u = os.wait4(pid, 0)
    if status:
        sys.exit("%s: status %d" % (" ".join(words), status))
    return u.ru_utime + u.ru_stime, u.ru_maxrss / 1024


def main():
    worst = 0.0
    print("| what | how many | command | CPU s | MiB | exponents |")
    print("|---|---|---|---|---|---|")
    for kind, (make, sizes, commands) in KINDS.items():
        first = {}
        if sys.argv[2:] and not any(w in kind for w in sys.argv[2:]):
            continue
        for n in (int(s * SCALE) for s in sizes):
            with tempfile.TemporaryDirectory(prefix="growth") as top:
                make(top + "/job", n)
                for c in commands:
                    got = cost([w.replace("PAGE", top + "/page.html")
                                for w in c] + [top + "/job"])
                    # what takes no time says nothing of its growth
                    size, least = first.setdefault(
                        c[0], (n, (max(got[0], 0.05), got[1])))
                    grew = [math.log(b / a) / math.log(n / size)
                            for a, b in zip(least, got)] if n > size else []
                    if n == int(sizes[-1] * SCALE):
                        worst = max(worst, *grew)
                    print("| %s | %d | %s | %.2f | %.0f | %s |" % (
                        kind, n, c[0], *got,
                        ", ".join("%.2f" % g for g in grew)), flush=True)
    if worst > MOST:
        sys.exit("not linear: exponent %.2f" % worst)


main()
