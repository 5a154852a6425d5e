# SPDX-License-Identifier: MIT
"""Takes the cause out of jobs and measures them again: what was told, what was saved.

usage: saved.py DFTRACE PLANT SLOW [--rounds N] [--torch PYTHON] [CASE...]

Each round has a run with the cause and one without it, in an order of chance, both traced:
what is told comes from the runs that are compared. Saved is the median over the rounds of
the difference of the two; where the cost of a finding is that of rows, without what each of
them waited for a CPU, so that it holds on a busy machine. The interval has the true median in 90 of 100
cases, by order statistics. Told is the median of the largest cost of a finding of the cause.
The verdict: good, if told is within 20 % of saved or in the interval; void, if the interval
is wider than what was saved.
"""
import argparse
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import judge

# cause of causes.table, what prepares the directory, the job with its cause, and without it
CASES = {
    'imports': ('imports', '{python} {py} modules 300', 'SLOW=open=2000 {python} {py} imports 300',
                '{python} {py} imports 300'),
    'starved': ('cpu', '', 'taskset -c {cpu} {python} {py} pool 100', '{python} {py} pool 100'),
    'epochs': ('epochs', '{plant} file', '{python} {py} epochs 12', '{python} {py} kept 12'),
    'pgbench': ('sync', '{real} pgbench prepare', '{real} pgbench yes', '{real} pgbench no'),
    'gromacs': ('gromacs', '{real} gromacs prepare',
                'SLOW=sync=10000 SLOW_NAME=.cpt {real} gromacs yes',
                'SLOW=sync=10000 SLOW_NAME=.cpt {real} gromacs no'),
    'ddp': ('late', '', '{torch} -m torch.distributed.run --nproc_per_node 2 {ddp} 40',
            '{torch} -m torch.distributed.run --nproc_per_node 2 {ddp} 0'),
}


class Job:
    def __init__(self, runner, directory, case):
        self.runner = runner
        self.where = directory
        self.cause, self.prepare, self.yes, self.no = case

    def start(self, text, prefix=()):
        """Run it in a directory of its own: seconds."""
        shutil.rmtree(self.where, ignore_errors=True)
        os.makedirs(self.where, mode=0o777)
        words = text.split()
        slow = {}
        while '=' in words[0]:
            name, _, value = words.pop(0).partition('=')
            slow[name] = value
        if self.prepare:
            subprocess.run(self.runner.command(self.prepare), cwd=self.where, check=True,
                           stdout=subprocess.DEVNULL)
        begin = time.monotonic()
        subprocess.run([*prefix, *self.runner.command(' '.join(words))], cwd=self.where,
                       env=self.runner.environment({'slow': slow.get('SLOW', '')}) | slow,
                       check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return time.monotonic() - begin

    def traced(self, text, rows, names):
        """Its seconds; what is told; the first finding."""
        trace = self.where + '.job'
        shutil.rmtree(trace, ignore_errors=True)
        took = self.start(text, [self.runner.options.dftrace, 'run', '-q', '-o', trace, '--'])
        _, metrics, findings = self.runner.told(trace)
        job = (metrics.get('job_time') or {}).get('value') or 0
        if rows and 'cpu_wait' not in rows:
            took -= job * judge.part(metrics, 'cpu_wait')
        cost = max([float(f['cost_s'] or 0) for f in findings if f['rule'] in names], default=0)
        others = [f['rule'] for f in findings if f['rule'] in names or
                  (f['severity'] == 'critical' and f['rule'] not in judge.CPU)]
        return took, cost, others[0] if others else 'none'


def interval(values):
    """Between these is the median that the values come from, in 90 of 100 cases."""
    n, values, left = len(values), sorted(values), 0
    while 2 * sum(math.comb(n, k) for k in range(left + 2)) <= 0.1 * 2 ** n:
        left += 1
    return values[left], values[-1 - left]


def verdict(told, saved, low, high):
    if high - low > saved:
        return 'void'
    return 'good' if low <= told <= high or abs(told - saved) <= 0.2 * saved else 'off'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('dftrace')
    parser.add_argument('plant')
    parser.add_argument('slow')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--torch', default=sys.executable)
    parser.add_argument('cases', nargs='*')
    options = parser.parse_intermixed_args()
    causes, _ = judge.read_table(judge.HERE + '/causes.table')
    directory = tempfile.mkdtemp(prefix='dftrace-saved.')
    os.chmod(directory, 0o755)
    runner = judge.Runner(options, directory)
    runner.words.update(real=f'bash {judge.HERE}/real.sh', torch=options.torch,
                        ddp=judge.HERE + '/ddp.py')
    print(f'{"":6}{"case":10}{"took s":>9}{"told s":>9}{"saved s":>9}  of 90 %         first finding')
    for name in options.cases or CASES:
        job = Job(runner, f'{directory}/{name}', CASES[name])
        rows, names, _ = causes[job.cause]
        yes, no = [], []
        try:
            for _ in range(options.rounds):
                for run in random.sample(('yes', 'no'), 2):
                    (yes if run == 'yes' else no).append(job.traced(getattr(job, run), rows, names))
        except (subprocess.CalledProcessError, OSError) as problem:
            print(f'{"":6}{name:10}  cannot run here: {problem}')
            continue
        saved = [y[0] - n[0] for y, n in zip(yes, no)]
        told = statistics.median(y[1] for y in yes)
        middle, (low, high) = statistics.median(saved), interval(saved)
        print(f'{verdict(told, middle, low, high):6}{name:10}'
              f'{statistics.median(y[0] for y in yes):9.2f}{told:9.2f}{middle:9.2f}  '
              f'{low:.2f} to {high:.2f}'.ljust(61) + yes[0][2], flush=True)
    shutil.rmtree(directory)


if __name__ == '__main__':
    main()
