# SPDX-License-Identifier: MIT
"""What tracing costs on the work that papers publish.

    papers.py BUILD [WORKLOAD...]
    papers.py BUILD --one TRACER WORKLOAD       (a run of papers.yaml)

In:  BUILD: a built tree with tests/bench/reads
     $PAPERS_ROUNDS (7), $PAPERS_SCALE (1: as in the table of doc/performance.md)
     $PAPERS_VENV: a Python with dftracer, torch, dlio_benchmark; what it has
     not is left out, which is said
Out: Markdown: for each workload and tracer the median time, the ratios of time
     and of CPU time to the untraced run of the same round with their 95 %
     intervals (of the mean of logarithms), events, and bytes on disk; with
     --one lines "name: value" of one run

Each round runs all tracers once, in an order that turns by one.
"""
import glob
import gzip
import math
import os
import resource
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
# Lines "OFFSET BYTES" of the records of a TFRecord file, which DLIO asks for.
TFRECORD2IDX = """#!%s
import os, struct, sys
at = 0
with open (sys.argv[1], "rb") as f, open (sys.argv[2], "w") as out:
    while len (head := f.read (8)) == 8:
        size = struct.unpack ("<Q", head)[0] + 16
        print (at, size, file = out)
        at += size
        f.seek (at)
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
    yield "dftrace-profile", ours("posix,app,profile"), {}
    yield "dftrace-app", ours("app"), {}
    peer = find_dftracer()
    if peer:
        base = {"DFTRACER_ENABLE": "1", "DFTRACER_INIT": "PRELOAD",
                "DFTRACER_LOG_FILE": "DIR/t", "DFTRACER_DATA_DIR": "all",
                "LD_PRELOAD": peer}
        yield "dftracer", [], dict(base, DFTRACER_INC_METADATA="0")
        yield "dftracer-metadata", [], dict(base, DFTRACER_INC_METADATA="1")
    else:
        print("left out: DFTracer (no dftracer in PAPERS_VENV)")


def workloads(data, wanted):
    """Name, command; DATA is a file of 64 MiB in the page cache."""
    reads = BUILD + "/tests/bench/reads"
    make = {
        "c-1-process": lambda: [reads, data, str(READS), "1"],
        "c-4-processes": lambda: [
            "sh", "-c", "for i in 1 2 3 4; do %s %s %d 1 & done; wait" %
            (reads, data, READS // 4)],
        "python": lambda: [PYTHON, "-c", PYTHON_LOOP, data, str(READS)],
        "short-processes": lambda: [
            PYTHON, "-c", STORM, HERE + "/papers.py", str(int(2000 * SCALE))],
        "torchrun": lambda: [
            PYTHON, "-m", "torch.distributed.run", "--nproc-per-node=2",
            HERE + "/../frameworks/train.py", data, os.path.dirname(data)],
        "dlio-unet3d": lambda: dlio(
            "unet3d_v100", ["++workload.dataset.record_length_bytes=1048576"],
            data),
        "dlio-resnet50": lambda: dlio(
            "resnet50_v100", ["++workload.dataset.num_samples_per_file=64"],
            data)}
    needs = {"torchrun": "torch", "dlio": "dlio_benchmark"}
    for name, command in make.items():
        module = needs.get(name.split("-")[0])
        if wanted and not any(w in name for w in wanted):
            continue
        if module and not has(module):
            print("left out: %s (no %s in PAPERS_VENV)" % (name, module))
            continue
        try:
            yield name, command()
        except subprocess.CalledProcessError as e:
            print("left out: %s: %s" % (name, e.stderr[-200:]))


def dlio(name, extra, data):
    """The command; its data is made first, untraced."""
    where = os.path.dirname(data) + "/" + name
    tool = os.path.dirname(data) + "/tfrecord2idx"
    with open(tool, "w") as f:
        f.write(TFRECORD2IDX % sys.executable)
    os.chmod(tool, 0o755)
    words = [VENV + "/bin/dlio_benchmark", "workload=" + name,
             "++workload.dataset.data_folder=" + where,
             "++workload.dataset.num_files_train=%d" % max(8, 32 * SCALE),
             "++workload.reader.read_threads=2", "++workload.train.epochs=2",
             "++workload.train.computation_time=0.02",
             "++hydra.run.dir=%s/out" % where] + extra
    subprocess.run(words + ["++workload.workflow.generate_data=True",
                            "++workload.workflow.train=False"],
                   check=True, capture_output=True, text=True,
                   cwd=os.path.dirname(data),
                   env=dict(os.environ, PATH=os.path.dirname(data) + ":" +
                            os.environ["PATH"]))
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


def cpu_seconds():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def run(tracer, command, top):
    directory = top + "/trace"
    shutil.rmtree(directory, ignore_errors=True)
    os.mkdir(directory)
    name, words, env = tracer
    words = [w.replace("DIR", directory) for w in words]
    env = dict(os.environ, **{k: v.replace("DIR", directory)
                              for k, v in env.items()})
    env.pop("PYTHONDONTWRITEBYTECODE", None)    # else modules are compiled anew
    begin, cpu = time.monotonic(), cpu_seconds()
    done = subprocess.run(words + command, env=env, cwd=top,
                          stdin=subprocess.DEVNULL, capture_output=True)
    seconds, cpu = time.monotonic() - begin, cpu_seconds() - cpu
    if done.returncode:
        raise RuntimeError("%s: %s" % (name, done.stderr[-300:].decode()))
    return seconds, cpu, events(directory), size(directory)


def ratio(base, times):
    logs = [math.log(b / a) for a, b in zip(base, times)]
    if len(logs) < 2:
        return "%.2f" % math.exp(logs[0])
    half = T95.get(len(logs), 2.2) * statistics.stdev(logs) / len(logs) ** 0.5
    mean = statistics.mean(logs)
    return "%.3f (%.3f to %.3f)" % (math.exp(mean), math.exp(mean - half),
                                    math.exp(mean + half))


def one(who, data, tracer, work):
    t = next(t for t in who if t[0] == tracer)
    command = next(c for n, c in workloads(data, [work]))
    numbers = run(t, command, os.path.dirname(data))
    for name, value in zip(("seconds", "cpu", "events", "bytes"), numbers):
        print("%s: %s" % (name, value))


def measure(who, name, command, top):
    took, last = {t[0]: [] for t in who}, {}
    for r in range(ROUNDS):
        for i in range(len(who)):
            t = who[(i + r) % len(who)]
            try:
                seconds, cpu, n, b = run(t, command, top)
            except RuntimeError as e:
                took[t[0]].append(None)
                last[t[0]] = str(e)
                continue
            took[t[0]].append((seconds, cpu))
            last[t[0]] = (n, b)
    for t, _, _ in who:
        if None in took[t]:
            print("| %s | %s | failed: %s ||||||" %
                  (name, t, str(last[t]).replace("\n", " ")[:120]))
            continue
        ratios = ["" if t == "untraced" else
                  ratio([x[k] for x in took["untraced"]],
                        [x[k] for x in took[t]]) for k in (0, 1)]
        print("| %s | %s | %.3f | %s | %s | %s | %s |" % (
            name, t, statistics.median(x[0] for x in took[t]), *ratios,
            last[t][0] or "", last[t][1] or ""), flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="papers") as top:
        data = top + "/data"
        with open(data, "wb") as f:
            f.write(os.urandom(1 << 20) * 64)
        who = list(tracers())
        if sys.argv[2:3] == ["--one"]:
            one(who, data, sys.argv[3], sys.argv[4])
            return
        print("\nload at the start: %.1f; %d rounds\n" %
              (os.getloadavg()[0], ROUNDS))
        print("| work | tracer | median s | times untraced | CPU time, times "
              "untraced | events | bytes |")
        print("|---|---|---|---|---|---|---|")
        for name, command in workloads(data, sys.argv[2:]):
            measure(who, name, command, top)
        print("\nload at the end: %.1f" % os.getloadavg()[0])


main()
