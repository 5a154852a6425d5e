# SPDX-License-Identifier: MIT
"""Processor time of the thread that samples the threads of a traced program (doc/waits.md).

usage: sampler.py DFTRACE [ROUNDS]

Programs of 1, 16, 64 and 256 threads beside the main one, each of which wakes up 30 times a
second, read from the kernel what the thread named dftrace used in 5 seconds: percent of a
processor, least, median and most of the rounds.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SECONDS = 5


def used():
    """Nanoseconds of the sampler; None: there is none."""
    for tid in os.listdir('/proc/self/task'):
        with open(f'/proc/self/task/{tid}/comm', encoding='ascii') as f:
            if f.read().strip() != 'dftrace':
                continue
        with open(f'/proc/self/task/{tid}/schedstat', encoding='ascii') as f:
            return int(f.read().split()[0])
    return None


def program(threads):
    """Traced: prints what the sampler took."""
    over = threading.Event()

    def wake_up():
        while not over.is_set():
            time.sleep(1 / 30)
    for _ in range(threads):
        threading.Thread(target=wake_up, daemon=True).start()
    with open(os.path.basename(__file__) + '.out', 'w', encoding='ascii') as f:
        for _ in range(20): # a call that waits begins it
            f.write('x')
            f.flush()
            time.sleep(0.1)
    begin, before = time.monotonic(), used()
    time.sleep(SECONDS)
    after = used()
    print((after - before) / (time.monotonic() - begin) / 1e7)
    over.set()


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print(f'{"threads":>8}{"least %":>9}{"median %":>9}{"most %":>9}')
    with tempfile.TemporaryDirectory() as directory:
        for threads in (1, 16, 64, 256):
            shares = []
            for n in range(rounds):
                done = subprocess.run(
                    [sys.argv[1], 'run', '-q', '-o', f'{directory}/{threads}.{n}', '--',
                     sys.executable, os.path.abspath(__file__), '--program', str(threads)],
                    cwd=directory, check=True, stdout=subprocess.PIPE, text=True)
                shares.append(float(done.stdout))
            print(f'{threads:8}{min(shares):9.2f}{statistics.median(shares):9.2f}'
                  f'{max(shares):9.2f}', flush=True)


if sys.argv[1] == '--program':
    program(int(sys.argv[2]))
else:
    main()
