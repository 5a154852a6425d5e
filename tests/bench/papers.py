# SPDX-License-Identifier: MIT
"""What tracing costs on the work that papers publish.

    papers.py BUILD [WORKLOAD...]
    papers.py BUILD --one TRACER WORKLOAD       (a run of papers.yaml)

In:  BUILD: a built tree with tests/bench/reads
     $PAPERS_ROUNDS (as in `rounds` below), $PAPERS_SCALE (1)
     $PAPERS_VENV: a Python with dftracer, torch, dlio_benchmark; what it has
     not is left out, which is said
     $PAPERS_MEGATRON: a checkout of Megatron-LM
     $BENCH_DARSHAN: libdarshan.so, built without MPI
     $BENCH_DFTRACER: its preload library of another version; DLIO loads the
     one of its Python
Out: Markdown: for each workload and tracer the median time, the ratios of time
     and of CPU time to the untraced run of the same round with their 95 %
     intervals (of the mean of logarithms), events, calls on the data of those
     that strace counts, bytes on disk, and the time to the first table (of
     DFTracer: until its tool has counted the events); with --one lines
     "name: value" of one run

Each round runs all tracers once, in an order that turns by one.
"""
import glob
import gzip
import math
import os
import re
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
ROUNDS = {"c": 7, "python": 7, "torchrun": 4, "short": 3, "dlio": 3,
          "megatron": 3}
SCALE = float(os.environ.get("PAPERS_SCALE", "1"))
VENV = os.environ.get("PAPERS_VENV", "")
PYTHON = VENV + "/bin/python3" if VENV else sys.executable
READS = int(300000 * SCALE)
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
# A corpus of Megatron-LM, made (one more argument) or read in random order.
MEGATRON = """
import random, sys, warnings
warnings.simplefilter ("ignore")
import numpy, torch
from torch.utils.data import DataLoader
from megatron.core.datasets.indexed_dataset import IndexedDataset, IndexedDatasetBuilder
prefix, n, how = sys.argv[1], int (sys.argv[2]), sys.argv[3]
if how == "make":
    b = IndexedDatasetBuilder (prefix + ".bin", dtype=numpy.int32)
    for i in range (n):
        b.add_item (torch.full ((1024,), i, dtype=torch.int32))
        b.end_document ()
    b.finalize (prefix + ".idx")
else:
    data = IndexedDataset (prefix, mmap=False)
    order = random.Random (1).sample (range (n), n)
    got = sum (int (x.sum ()) for x in DataLoader (
        torch.utils.data.Subset (data, order), batch_size=16, num_workers=2))
    assert got == 1024 * n * (n - 1) // 2
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
    return next(glob.iglob(where + "libdftracer_preload.so"), "")


def rounds(work):
    return int(os.environ.get("PAPERS_ROUNDS", ROUNDS[work.split("-")[0]]))


def tracers(work):
    """Name, words before the command, environment, DIR being the traces'."""
    def ours(layers):
        return [DFTRACE, "run", "-q", "-o", "DIR/t", "-l", layers, "--"]
    yield "untraced", [], {}
    yield "dftrace", ours("posix,app"), {}
    yield "dftrace-profile", ours("posix,app,profile"), {}
    yield "dftrace-app", ours("app"), {}
    peer = find_dftracer()
    if not work.startswith("dlio"):
        peer = os.environ.get("BENCH_DFTRACER", peer)
    if peer:
        base = {"DFTRACER_ENABLE": "1", "DFTRACER_INIT": "PRELOAD",
                "DFTRACER_LOG_FILE": "DIR/t", "DFTRACER_DATA_DIR": "all",
                "LD_PRELOAD": peer}
        yield "dftracer", [], dict(base, DFTRACER_INC_METADATA="0")
        yield "dftracer-metadata", [], dict(base, DFTRACER_INC_METADATA="1")
    else:
        print("left out: DFTracer (neither BENCH_DFTRACER nor PAPERS_VENV)")
    if os.environ.get("BENCH_DARSHAN"):
        yield "darshan", [], {"LD_PRELOAD": os.environ["BENCH_DARSHAN"],
                              "DARSHAN_ENABLE_NONMPI": "1",
                              "DARSHAN_LOGPATH": "DIR"}
    else:
        print("left out: Darshan (no BENCH_DARSHAN)")


def workloads(data, wanted):
    """Name, command; DATA is a file of 64 MiB in the page cache."""
    reads = BUILD + "/tests/bench/reads"
    make = {
        "c-1-process": lambda: [reads, data, str(READS), "1"],
        "c-8-processes": lambda: [
            "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do %s %s %d 1 & done; wait" %
            (reads, data, READS // 8)],
        "python": lambda: [PYTHON, "-c", PYTHON_LOOP, data, str(READS)],
        "short-processes": lambda: [
            PYTHON, "-c", STORM, small(data), str(int(2000 * SCALE))],
        "torchrun": lambda: [
            PYTHON, "-m", "torch.distributed.run", "--nproc-per-node=2",
            HERE + "/../frameworks/train.py", data, os.path.dirname(data)],
        "megatron": lambda: megatron(data),
        "dlio-unet3d": lambda: dlio(
            "unet3d_v100", ["++workload.dataset.record_length_bytes=1048576",
                            "++workload.dataset.record_length_bytes_stdev=0"],
            data),
        "dlio-resnet50": lambda: dlio(
            "resnet50_v100", ["++workload.dataset.num_samples_per_file=64"],
            data)}
    needs = {"torchrun": "torch", "dlio": "dlio_benchmark", "megatron": "torch"}
    for name, command in make.items():
        module = needs.get(name.split("-")[0])
        if wanted and not any(w in name for w in wanted):
            continue
        if module and not has(module):
            print("left out: %s (no %s in PAPERS_VENV)" % (name, module))
            continue
        if name.startswith("megatron") and \
                "PAPERS_MEGATRON" not in os.environ:
            print("left out: %s (no PAPERS_MEGATRON)" % name)
            continue
        try:
            yield name, command()
        except subprocess.CalledProcessError as e:
            print("left out: %s: %s" % (name, e.stderr[-200:]))


def small(data):
    path = os.path.dirname(data) + "/small"
    shutil.copyfile(HERE + "/papers.py", path)
    return path


def megatron(data):
    """The command; its corpus is made first, untraced."""
    words = ["env", "PYTHONPATH=" + os.environ["PAPERS_MEGATRON"], PYTHON, "-c",
             MEGATRON, os.path.dirname(data) + "/corpus", str(int(8192 * SCALE))]
    subprocess.run(words + ["make"], check=True, capture_output=True, text=True)
    return words + ["read"]


def dlio(name, extra, data):
    """The command; its data is made first, untraced."""
    where = os.path.dirname(data) + "/" + name
    tool = os.path.dirname(data) + "/tfrecord2idx"
    with open(tool, "w") as f:
        f.write(TFRECORD2IDX % sys.executable)
    os.chmod(tool, 0o755)
    words = [VENV + "/bin/dlio_benchmark", "workload=" + name,
             "++workload.dataset.data_folder=" + where,
             "++workload.dataset.num_files_train=8",
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


# Calls on data that a tracer and strace can both count.
CALLS = ("open", "openat", "close", "read", "pread", "write", "pwrite", "lseek")
STRACE = r'\d+ +(%s)(64)?\((\d+<%s|(AT_FDCWD<[^>]*>, )?"%s)'
FIELD = re.compile(r'"(name|value|fhash|cat)":"([^"]*)"')


def is_call(name):
    return re.sub("^__|64(_2)?$|_chk$", "", name) in CALLS


def strace_calls(command, top):
    """Calls on files below top; None without strace."""
    if not shutil.which("strace"):
        return None
    log = top + "/strace.out"
    subprocess.run(["strace", "-f", "-y", "-s", "0", "-o", log, "-e", "trace=" +
                    ",".join(c + ("64" if c in ("pread", "pwrite") else "")
                             for c in CALLS)] + command, cwd=top, check=True,
                   stdin=subprocess.DEVNULL, capture_output=True)
    below = re.compile(STRACE % ("|".join(CALLS), top, top))
    with open(log, errors="replace") as f:
        count = sum(bool(below.match(line)) for line in f)
    os.unlink(log)
    return count


def our_events(directory, top):
    out = subprocess.run([DFTRACE, "stat", "--events", directory + "/t"],
                         capture_output=True, text=True).stdout
    lines = [line.split("\t") for line in out.splitlines()]
    return len(lines), sum(is_call(x[5]) and x[-1].startswith(top)
                           for x in lines)


def their_events(directory, top):
    count, names, of = 0, {}, {}
    for path in glob.iglob(directory + "/**/*.pfw*", recursive=True):
        if not path.endswith((".pfw", ".pfw.gz")):
            continue
        with (gzip.open if path.endswith("gz") else open)(path, "rt") as f:
            try:
                for line in f:
                    is_event = '"dur"' in line
                    count += is_event
                    if "fhash" not in line and '"FH"' not in line:
                        continue
                    x = FIELD.findall(line)
                    if x[0][1] == "FH":
                        names[x[-1][1]] = x[-2][1]
                    elif is_event and is_call(x[0][1]):
                        file = dict(x)["fhash"]
                        of[file] = of.get(file, 0) + 1
            except (OSError, EOFError):
                pass
    calls = sum(n for file, n in of.items()
                if names.get(file, "").startswith(top))
    return count, calls if of else None


def events(directory, top):
    """Of the trace, as its own tools count them, and calls on data; None:
    the trace does not say."""
    for _ in glob.iglob(directory + "/**/*.dft", recursive=True):
        return our_events(directory, top)
    return their_events(directory, top)


def first_table(directory):
    """Seconds until there is one; None: nothing to be read."""
    tool = [DFTRACE, "analyze", "-q", "--no-write", "--no-answers",
            directory + "/t"]
    if not glob.glob(directory + "/**/*.dft", recursive=True):
        where = os.environ.get("BENCH_DFTRACER", "").split("/lib")[0]
        counter = shutil.which("dftracer_event_count", path=where + "/bin")
        if not counter or not glob.glob(directory + "/**/*.pfw*",
                                        recursive=True):
            return None
        tool = [counter, "-d", directory]
    begin = time.monotonic()
    done = subprocess.run(tool, capture_output=True)
    return None if done.returncode else time.monotonic() - begin


def size(directory):
    return sum(os.path.getsize(os.path.join(d, f))
               for d, _, files in os.walk(directory) for f in files
               if f.endswith((".dft", ".pfw", ".gz", ".darshan")))


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
    return seconds, cpu, *events(directory, top), size(directory)


def ratio(base, times):
    logs = [math.log(b / a) for a, b in zip(base, times)]
    if len(logs) < 2:
        return "%.2f" % math.exp(logs[0])
    half = T95.get(len(logs), 2.2) * statistics.stdev(logs) / len(logs) ** 0.5
    mean = statistics.mean(logs)
    return "%.3f (%.3f to %.3f)" % (math.exp(mean), math.exp(mean - half),
                                    math.exp(mean + half))


def one(data, tracer, work):
    t = next(t for t in tracers(work) if t[0] == tracer)
    command = next(c for n, c in workloads(data, [work]))
    numbers = run(t, command, os.path.dirname(data))
    for name, value in zip(("seconds", "cpu", "events", "calls", "bytes"),
                           numbers):
        print("%s: %s" % (name, value))


def measure(name, command, top):
    who = list(tracers(name))
    took, last = {t[0]: [] for t in who}, {}
    told = strace_calls(command, top)
    for r in range(rounds(name)):
        for i in range(len(who)):
            t = who[(i + r) % len(who)]
            try:
                seconds, cpu, *rest = run(t, command, top)
            except RuntimeError as e:
                took[t[0]].append(None)
                last[t[0]] = str(e)
                continue
            took[t[0]].append((seconds, cpu))
            if r == rounds(name) - 1:
                rest.append(first_table(top + "/trace"))
            last[t[0]] = rest
    for t, _, _ in who:
        if None in took[t]:
            print("| %s | %s | failed: %s |||||||" %
                  (name, t, str(last[t]).replace("\n", " ")[:120]))
            continue
        print(row(name, t, took, last[t], told), flush=True)


def row(name, t, took, last, told):
    count, calls, size_of, table = last
    ratios = ["" if t == "untraced" else
              ratio([x[k] for x in took["untraced"]],
                    [x[k] for x in took[t]]) for k in (0, 1)]
    part = "" if not count or told is None or \
        t in ("dftrace-profile", "dftrace-app") \
        else "not told" if calls is None \
        else "%d of %d" % (calls, told)
    return "| %s | %s | %.3f | %s | %s | %s | %s | %s | %s |" % (
        name, t, statistics.median(x[0] for x in took[t]), *ratios,
        count or "", part, size_of or "", "%.2f" % table if table else "")


def main():
    with tempfile.TemporaryDirectory(prefix="papers") as top:
        data = top + "/data"
        with open(data, "wb") as f:
            f.write(os.urandom(1 << 20) * 64)
        if sys.argv[2:3] == ["--one"]:
            one(data, sys.argv[3], sys.argv[4])
            return
        print("\nload at the start: %.1f; %d processors\n" %
              (os.getloadavg()[0], os.cpu_count()))
        print("| work | tracer | median s | times untraced | CPU time, times "
              "untraced | events | calls on data | bytes | first table, s |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name, command in workloads(data, sys.argv[2:]):
            measure(name, command, top)
        print("\nload at the end: %.1f" % os.getloadavg()[0])


main()
