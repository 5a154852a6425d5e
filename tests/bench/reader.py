# SPDX-License-Identifier: MIT
#
# reader.py - dftrace.read + group-by of polars against polars on Parquet of its
#             own: make bench-reader
#
# In:  DFTRACE BENCH_DIR; EVENTS (10000000), ROUNDS (9); packages polars, pyarrow
# Out: medians of alternating rounds, wall and CPU, in seconds

import os
import statistics
import subprocess
import sys
import time

import polars

import dftrace

COLUMNS = ["name", "dur_ns"]


def ask(frame):
    return frame.group_by("name").agg(
        polars.len(), polars.col("dur_ns").sum(),
        polars.col("dur_ns").quantile(0.99).alias("p99")).sort("name")


def main():
    program, where = sys.argv[1:]
    events, rounds = os.environ.get("EVENTS", "10000000"), int(
        os.environ.get("ROUNDS", "9"))
    generator = os.path.join(os.path.dirname(program), "bench", "gen_trace")
    job, trace = where + "/job", where + "/trace.dft"
    parquet = where + "/events.parquet"
    subprocess.run([generator, job, events, "8"], check=True)
    subprocess.run([program, "merge", "-q", "-o", trace, job], check=True)
    everything = polars.DataFrame(dftrace.read(trace).events())
    everything.with_columns(polars.col(polars.Categorical).cast(
        polars.String)).write_parquet(parquet)
    print("%s events, %d MB trace.dft, %d MB Parquet; polars %s" % (
        events, os.path.getsize(trace) // 10**6,
        os.path.getsize(parquet) // 10**6, polars.__version__))
    ways = {
        "dftrace.read, polars group-by": lambda: ask(polars.DataFrame(
            dftrace.read(trace).events(columns=COLUMNS))),
        "polars.scan_parquet, group-by": lambda: ask(
            polars.scan_parquet(parquet)).collect(),
        "polars.read_parquet, group-by": lambda: ask(
            polars.read_parquet(parquet, columns=COLUMNS)),
        "dftrace.read, frame alone": lambda: polars.DataFrame(
            dftrace.read(trace).events(columns=COLUMNS)),
    }
    took = {way: [] for way in ways}
    answers = []
    for _ in range(rounds):
        for way, run in ways.items():
            wall, cpu = time.perf_counter(), time.process_time()
            answer = run()
            took[way].append((time.perf_counter() - wall,
                              time.process_time() - cpu))
            if "group-by" in way:
                answers.append([tuple(map(str, row))
                                for row in answer.rows()])
    assert all(sorted(a) == sorted(answers[0]) for a in answers), "unequal"
    for way, times in took.items():
        print("%-32s %.3f s wall, %.3f s CPU" % (
            way, statistics.median(t[0] for t in times),
            statistics.median(t[1] for t in times)))


main()
