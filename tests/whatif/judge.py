"""Is what `dftrace what-if` says true?  judge.py [OPTION...] DFTRACE SLOW [JOB...]

Storage is slow in a known way: SLOW (tests/causes/slow.c) sleeps in calls on files that
are not in memory. Each job is measured by what-if, and by alternating runs, without
what-if's overlays: those as they are with these delays and data that is not in the page cache,
the others without delays, with data that was read before and outputs in /dev/shm. Prints
what is told, what is true, and the bound that the trace gives.
wrong   the seconds told and true differ by more than 3 % of the job's time and by more than
        the intervals of both; or told is more than the bound by more than its interval and 3 %
void    the job cannot run here
"""
import argparse
import datetime
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA, OUTPUT, SYNC = "data-in-memory", "output-in-memory", "no-sync"
# what is made fast, what is slow in microseconds
SYNTHETIC = {"path": (DATA, "read=20000"), "hidden": (DATA, "read=20000"),
             "half": (DATA, "read=30000"), "worker": (DATA, "read=60000"),
             "ranks": (DATA, "read=20000"), "checkpoint": (OUTPUT, "write=20000"),
             "thread": (OUTPUT, "write=10000"), "sync": (SYNC, "sync=20000")}
REAL = {"minigpt": (DATA, "read=10000"), "torch": (DATA, "read=200000"),
        "dlio": (DATA, "read=500000"), "gromacs": (OUTPUT, "sync=200000")}
# "step N SECONDS" of each step; its files are read by two workers
TORCH = """
import sys, time, torch
class Files (torch.utils.data.Dataset):
    def __len__ (self):
        return 60
    def __getitem__ (self, i):
        with open (f"{sys.argv[1]}/data/{i}", "rb") as f:
            return len (f.read ())
for n, _ in enumerate (torch.utils.data.DataLoader (Files (), batch_size=1, num_workers=2)):
    time.sleep (0.02)
    print ("step", n, time.monotonic (), flush=True)
"""
# of these steps are compared, without the start: their text, how many, when one was
STEPS = {"torch": ("step ", 40, r"^step \d+ ([\d.]+)$"),
         "dlio": (" processed ", 10, r"^\[INFO\] (\S+) Rank 0 step \d+ processed")}


class Cannot(Exception):
    """The job cannot run on this machine."""


def make_files(directory, count, size):
    os.makedirs(directory, exist_ok=True)
    for i in range(count):
        with open(f"{directory}/{i}", "wb") as f:
            f.write(os.urandom(size))


def cache(top, keep):
    """What is below top/data is read, or leaves the page cache."""
    for where, _, names in os.walk(top + "/data"):
        for name in names:
            with open(where + "/" + name, "rb") as f:
                os.fsync(f.fileno())
                if not keep:
                    os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                while keep and f.read(1 << 20):
                    pass


def command_of(options, name, top):
    """The job, after its data was made."""
    if name in SYNTHETIC:
        make_files(top + "/data", 8, 8192)
        return [sys.executable, HERE + "/job.py", name, top, str(options.steps)]
    if name == "torch":
        make_files(top + "/data", 60, 65536)
        return [options.torch, "-u", "-c", TORCH, top]
    if name == "minigpt":
        os.mkdir(top + "/data")
        programs = os.path.dirname(options.dftrace) + "/etc/examples/minigpt/"
        subprocess.run([programs + "mkcorpus", "--bytes=64M", top + "/data/corpus"],
                       check=True, stdout=subprocess.DEVNULL)
        return [programs + "minigpt", "--data=" + top + "/data/corpus", "--access=direct",
                "--workers=1", "--steps=8", "--global-batch=32", "--checkpoint-bytes=0",
                "--save-every=1000", "--compute-us-per-step=50000"]
    if name == "gromacs":
        real = ["bash", HERE + "/../causes/real.sh", "gromacs"]
        if not shutil.which("gmx") or subprocess.run(real + ["prepare"], cwd=top).returncode:
            raise Cannot("no GROMACS")
        return "gmx -quiet mdrun -s md.tpr -nt 1 -cpt 0 -nsteps 500".split()
    tool = os.path.join(os.path.dirname(options.torch), "dlio_benchmark")
    if not os.path.exists(tool):
        raise Cannot("no DLIO")
    words = [tool, "workload=unet3d_a100", "++workload.dataset.data_folder=" + top + "/data",
             "++workload.dataset.num_files_train=12", "++workload.reader.read_threads=2",
             "++workload.dataset.record_length=262144",
             "++workload.dataset.record_length_stdev=0",
             "++workload.dataset.record_length_resize=262144",
             "++workload.reader.batch_size=1", "++workload.train.epochs=1",
             "++workload.train.computation_time=0.05",
             "++workload.checkpoint.checkpoint_after_epoch=100",
             "++workload.workflow.checkpoint=False", "++hydra.run.dir=" + top + "/log"]
    made = subprocess.run(words + ["++workload.workflow.generate_data=True",
                                   "++workload.workflow.train=False"], cwd=top, text=True,
                          capture_output=True)
    if made.returncode:
        raise Cannot("DLIO makes no data: " + made.stderr[-300:])
    return words + ["++workload.workflow.generate_data=False", "++workload.workflow.train=True"]


def seconds_of(text):
    return float(text) if "T" not in text else \
        datetime.datetime.fromisoformat(text).timestamp()


def seconds(command, top, slow, steps):
    """Of a run, or of one of its steps."""
    cache(top, keep=slow["SLOW"] == "0")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        env = dict(os.environ, **slow)
        where = top
        if slow["SLOW"] == "0":
            env["OUT"] = memory
            for name in glob.glob(top + "/*.tpr"):  # GROMACS writes where it is
                shutil.copy(name, memory)
                where = memory
        begin = time.monotonic()
        done = subprocess.run(command, check=True, env=env, cwd=where, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        took = time.monotonic() - begin
    if steps:
        at = [seconds_of(x) for x in re.findall(steps[2], done.stdout, re.M)][:steps[1]]
        took = (at[-1] - at[0]) / (len(at) - 1)
    return took


def truth(options, command, top, slow, steps):
    """Pairs of seconds, as it is and fast: as many as what-if would make."""
    pairs = []
    while len(pairs) < options.rounds or len(pairs) < 4 * options.rounds and \
            saved(pairs, statistics.mean(a for a, _ in pairs))[1] > options.within:
        t, i = {}, len(pairs)
        for way in (slow["SLOW"], "0")[::1 if i % 2 else -1]:
            t[way] = seconds(command, top, dict(slow, SLOW=way), steps)
        pairs.append((t[slow["SLOW"]], t["0"]))
    return pairs


def saved(pairs, whole):
    """Mean of the seconds saved and half of its 95 % interval, in percent of whole."""
    s = [100 * (a - b) / whole for a, b in pairs]
    student = {2: 12.7, 3: 4.3, 4: 3.2, 5: 2.8, 6: 2.6, 7: 2.4, 8: 2.4, 9: 2.3, 10: 2.3}
    student = student.get(len(s), 2.2)
    return statistics.mean(s), student * statistics.stdev(s) / len(s) ** 0.5


def judge(options, name):
    way, slow_calls = (SYNTHETIC | REAL)[name]
    with tempfile.TemporaryDirectory(dir="/var/tmp") as top:
        command = command_of(options, name, top)
        slow = {"SLOW": slow_calls, "LD_PRELOAD": options.slow, "SLOW_STORAGE": "1",
                "SLOW_NAME": {"gromacs": ".cpt"}.get(
                    name, top + ("/data" if way == DATA else "/out"))}
        steps = STEPS.get(name)
        lines = [f"--stop-at={steps[0]}", f"--stop-lines={steps[1]}",
                 "--stop-after=600"] if steps else []
        told = subprocess.run(
            [options.dftrace, "what-if", "-o", top + "/result", "-r", str(options.rounds),
             "--within", str(options.within), "-f", "json", "--fast", way, *(["--data", top + "/data"] if way == DATA else []),
             *lines, "--", *command],
            check=True, stdout=subprocess.PIPE, cwd=top, env=dict(os.environ, **slow)).stdout
        bound = json.loads(told)[1]["trace_percent"]  # None: of steps
        with open(top + "/result/what-if.json", encoding="utf-8") as f:
            times = json.load(f)["seconds"]
        told = list(zip(times["none"], times[way]))
        true = truth(options, command, top, slow, steps)
    # the time that is saved is the same beside other work, its part of the job's is not
    whole = statistics.mean(a for a, _ in told + true)
    pairs = f"{len(told)} and {len(true)} pairs"
    (told, error), (true, half) = saved(told, whole), saved(true, whole)
    wrong = abs(told - true) > max(3, (error ** 2 + half ** 2) ** 0.5)
    above = bound is not None and told - error > bound + 3
    most = "no bound" if bound is None else f"at most {bound:5.1f} % by the trace"
    print(f"{name:10} {way:16} told {told:5.1f} ± {error:4.1f} %, true "
          f"{true:5.1f} ± {half:4.1f} %, {most}; {pairs}"
          f"{'  WRONG' if wrong else ''}{'  ABOVE THE BOUND' if above else ''}", flush=True)
    return wrong or above


parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--within", type=int, default=2,
                    help="more rounds, four times as many at most, until ± so many %")
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--torch", default=sys.executable, help="a Python with torch and DLIO")
parser.add_argument("dftrace")
parser.add_argument("slow")
parser.add_argument("job", nargs="*", help="default: those that need no torch, DLIO, GROMACS")
given = parser.parse_args()
bad = 0
names = given.job or [*SYNTHETIC, "minigpt"]
for job in names:
    try:
        bad += judge(given, job)
    except Cannot as why:
        print(f"{job:10} void: {why}", flush=True)
print(f"{bad} of {len(names)} are wrong")
sys.exit(bad > 0)
