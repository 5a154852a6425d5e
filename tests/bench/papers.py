# SPDX-License-Identifier: MIT
"""What tracing costs on the work that papers publish.

    papers.py BUILD [WORKLOAD...]

In:  BUILD: a built tree with tests/bench/reads
     $PAPERS_ROUNDS (7), $PAPERS_SCALE (1: as in the table of doc/performance.md)
     $PAPERS_VENV: a Python with dftracer, torch, dlio_benchmark; what it has
     not is left out, which is said
Out: Markdown: for each workload and tracer the median time, the ratio to the
     untraced run of the same round with its 95 % interval (of the mean of
     logarithms), events, and bytes on disk

Each round runs all tracers once, in an order that turns by one.
"""
import glob
import gzip
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
DFTRACE = BUILD + "/dftrace"
HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = int(os.environ.get("PAPERS_ROUNDS", "7"))
SCALE = float(os.environ.get("PAPERS_SCALE", "1"))
VENV = os.environ.get("PAPERS_VENV", "")
PYTHON = VENV + "/bin/python3" if VENV else sys.executable
READS = int(1000000 * SCALE)
T95 = {2: 12.7, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31,
       10: 2.26}

PYTHON_LOOP = """
import os, sys
fd = os.open (sys.argv[1], os.O_RDONLY)
for i in range (int (sys.argv[2])):
    os.pread (fd, 4096, i % 16384 * 4096)
"""
STORM = """
import os, subprocess, sys
for i in range (int (sys.argv[2])):
    subprocess.run (["/bin/cat", sys.argv[1]], stdout = subprocess.DEVNULL)
"""


def has(module):
    return subprocess.run([PYTHON, "-c", "import " + module],
                          capture_output=True).returncode == 0


def find_dftracer():
    where = VENV + "/lib*/python3*/site-packages/dftracer/lib*/"
    return next(glob.iglob(where + "libdftracer_preload.so"),
                os.environ.get("BENCH_DFTRACER", ""))


def tracers():
    """Name, words before the command, environment, DIR being the traces'."""
    def ours(layers):
        return [DFTRACE, "run", "-q", "-o", "DIR/t", "-l", layers, "--"]
    yield "untraced", [], {}
    yield "dftrace", ours("posix,app"), {}
    yield "dftrace, profile", ours("posix,app,profile"), {}
    yield "dftrace, app", ours("app"), {}
    peer = find_dftracer()
    if peer:
        base = {"DFTRACER_ENABLE": "1", "DFTRACER_INIT": "PRELOAD",
                "DFTRACER_LOG_FILE": "DIR/t", "DFTRACER_DATA_DIR": "all",
                "LD_PRELOAD": peer}
        yield "DFTracer", [], dict(base, DFTRACER_INC_METADATA="0")
        yield "DFTracer, metadata", [], dict(base, DFTRACER_INC_METADATA="1")
    else:
        print("left out: DFTracer (no dftracer in PAPERS_VENV)")


def workloads(data):
    """Name, command; DATA is a file of 64 MiB in the page cache."""
    reads = BUILD + "/tests/bench/reads"
    yield "C, 1 process", [reads, data, str(READS), "1"]
    yield "C, 4 processes", ["sh", "-c", "for i in 1 2 3 4; do %s %s %d 1 & "
                             "done; wait" % (reads, data, READS // 4)]
    yield "Python, 1 process", [PYTHON, "-c", PYTHON_LOOP, data, str(READS)]
    yield "2,000 short processes", [PYTHON, "-c", STORM,
                                    HERE + "/papers.py", str(int(2000 * SCALE))]
    if has("torch"):
        yield "torchrun, 2 ranks", [
            PYTHON, "-m", "torch.distributed.run", "--nproc-per-node=2",
            HERE + "/../frameworks/train.py", data, os.path.dirname(data)]
    else:
        print("left out: torchrun (no torch in PAPERS_VENV)")
    if has("dlio_benchmark"):
        for name, extra in (("unet3d_v100", "++workload.dataset.record_length_bytes"
                             "=1048576"), ("resnet50_v100", "")):
            try:
                yield "DLIO " + name.split("_")[0], dlio(name, extra, data)
            except subprocess.CalledProcessError as e:
                print("left out: DLIO %s: %s" % (name, e.stderr[-200:]))
    else:
        print("left out: DLIO (no dlio_benchmark in PAPERS_VENV)")


def dlio(name, extra, data):
    """The command; its data is made first, untraced."""
    where = os.path.dirname(data) + "/" + name
    words = [VENV + "/bin/dlio_benchmark", "workload=" + name,
             "++workload.dataset.data_folder=" + where,
             "++workload.dataset.num_files_train=%d" % max(8, 32 * SCALE),
             "++workload.reader.read_threads=2", "++workload.train.epochs=2",
             "++workload.train.computation_time=0.02",
             "++hydra.run.dir=%s/out" % where] + [extra] * bool(extra)
    subprocess.run(words + ["++workload.workflow.generate_data=True",
                            "++workload.workflow.train=False"],
                   check=True, capture_output=True, text=True,
                   cwd=os.path.dirname(data))
    return words + ["++workload.workflow.generate_data=False",
                    "++workload.workflow.train=True"]


def events(directory):
    """Of the trace, as its own tools count them."""
    ours = sum(1 for _ in glob.iglob(directory + "/**/*.dft", recursive=True))
    if ours:
        out = subprocess.run([DFTRACE, "stat", "--events", directory + "/t"],
                             capture_output=True, text=True).stdout
        return out.count("\n")
    count = 0
    for path in glob.iglob(directory + "/**/*.pfw*", recursive=True):
        if path.endswith((".pfw", ".pfw.gz")):
            with (gzip.open if path.endswith("gz") else open)(path, "rb") as f:
                try:
                    count += sum(b'"dur"' in line for line in f)
                except (OSError, EOFError):
                    pass
    return count


def size(directory):
    return sum(os.path.getsize(os.path.join(d, f))
               for d, _, files in os.walk(directory) for f in files
               if f.endswith((".dft", ".pfw", ".gz")))


def run(tracer, command, top):
    directory = top + "/trace"
    shutil.rmtree(directory, ignore_errors=True)
    os.mkdir(directory)
    name, words, env = tracer
    words = [w.replace("DIR", directory) for w in words]
    env = dict(os.environ, **{k: v.replace("DIR", directory)
                              for k, v in env.items()})
    begin = time.monotonic()
    done = subprocess.run(words + command, env=env, cwd=top,
                          stdin=subprocess.DEVNULL, capture_output=True)
    seconds = time.monotonic() - begin
    if done.returncode:
        raise RuntimeError("%s: %s" % (name, done.stderr[-300:].decode()))
    return seconds, events(directory), size(directory)


def ratio(base, times):
    logs = [math.log(b / a) for a, b in zip(base, times)]
    if len(logs) < 2:
        return "%.2f" % math.exp(logs[0])
    half = T95.get(len(logs), 2.2) * statistics.stdev(logs) / len(logs) ** 0.5
    mean = statistics.mean(logs)
    return "%.3f (%.3f to %.3f)" % (math.exp(mean), math.exp(mean - half),
                                    math.exp(mean + half))


def main():
    with tempfile.TemporaryDirectory(prefix="papers") as top:
        data = top + "/data"
        with open(data, "wb") as f:
            f.write(os.urandom(1 << 20) * 64)
        who = list(tracers())
        print("\nload at the start: %.1f; %d rounds\n" %
              (os.getloadavg()[0], ROUNDS))
        print("| work | tracer | median s | times untraced | events | bytes |")
        print("|---|---|---|---|---|---|")
        for name, command in workloads(data):
            if sys.argv[2:] and not any(w in name for w in sys.argv[2:]):
                continue
            took, last = {t[0]: [] for t in who}, {}
            for r in range(ROUNDS):
                for i in range(len(who)):
                    t = who[(i + r) % len(who)]
                    try:
                        seconds, n, b = run(t, command, top)
                    except RuntimeError as e:
                        took[t[0]].append(None)
                        last[t[0]] = str(e)
                        continue
                    took[t[0]].append(seconds)
                    last[t[0]] = (n, b)
            for t, _, _ in who:
                if None in took[t]:
                    print("| %s | %s | failed: %s |||||" %
                          (name, t, str(last[t]).replace("\n", " ")[:120]))
                    continue
                print("| %s | %s | %.3f | %s | %s | %s |" % (
                    name, t, statistics.median(took[t]),
                    ratio(took["untraced"], took[t]) if t != "untraced" else "",
                    last[t][0] or "", last[t][1] or ""), flush=True)


main()
