"""Is what `dftrace what-if` says true?  judge.py DFTRACE [MODE...]

Each mode of job.py is measured by what-if, and by alternating runs of the job
as it is and with its storage made free by itself (SLOW=0, outputs in a memory
file system), without what-if's overlays and caches. Prints both, and whether they
agree within 3 % of the job's time or the intervals of both.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS, STEPS = 8, 60
MODES = {"path": "data-in-memory", "hidden": "data-in-memory",
         "half": "data-in-memory", "worker": "data-in-memory",
         "ranks": "data-in-memory", "checkpoint": "output-in-memory",
         "thread": "output-in-memory", "sync": "no-sync"}


def cold(top):
    for i in range(8):
        fd = os.open(f"{top}/data/{i}", os.O_RDONLY)
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def seconds(command, slow):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        env = dict(os.environ, SLOW=slow)
        if slow == "0":
            env["OUT"] = memory
        begin = time.monotonic()
        subprocess.run(command, check=True, env=env)
        return time.monotonic() - begin


def truth(command, top):
    saved = []
    for i in range(ROUNDS):
        t = {}
        for slow in "01" if i % 2 else "10":
            cold(top)
            t[slow] = seconds(command, slow)
        saved.append(100 * (1 - t["0"] / t["1"]))
    return (statistics.mean(saved),
            2.4 * statistics.stdev(saved) / len(saved) ** 0.5)


job = os.path.join(os.path.dirname(os.path.abspath(__file__)), "job.py")
dftrace = sys.argv[1]
wrong = 0
for mode in sys.argv[2:] or MODES:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as top:
        os.mkdir(top + "/data")
        for i in range(8):
            with open(f"{top}/data/{i}", "wb") as f:
                f.write(os.urandom(8192))
        command = [sys.executable, job, mode, top, str(STEPS)]
        out = subprocess.run([dftrace, "what-if", "-o", top + "/result", "-r",
                              str(ROUNDS), "-f", "json", "--fast",
                              MODES[mode], "--"] + command,
                             check=True, capture_output=True).stdout
        row = json.loads(out)[1]
        true, half = truth(command, top)
    off = abs(row["saved_percent"] - true)
    good = off <= max(3, (row["half_percent"] ** 2 + half ** 2) ** 0.5)
    wrong += not good
    print(f"{mode:12} told {row['saved_percent']:5.1f} ± "
          f"{row['half_percent']:4.1f} %, true {true:5.1f} ± {half:4.1f} %"
          f"{'' if good else '  WRONG'}", flush=True)
print(f"{wrong} of {len(sys.argv[2:] or MODES)} are wrong")
sys.exit(wrong > 0)
