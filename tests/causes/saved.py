# SPDX-License-Identifier: MIT
"""Takes the cause out of jobs and measures them again: what was told, what was saved.

usage: saved.py DFTRACE PLANT SLOW [--rounds N] [--torch PYTHON] [CASE...]

Untraced runs with the cause and without it alternate; saved is the difference of their
medians. Told is the largest cost of a finding of the cause, and the sum of its rows, medians
of as many traced runs.
"""
import argparse
import os
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
    'ddp': ('ranks', '', '{torch} -m torch.distributed.run --nproc_per_node 2 {ddp} 40',
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

    def told(self, rows, names):
        """Traced: seconds of its findings, of its rows, the first finding."""
        trace = self.where + '.job'
        shutil.rmtree(trace, ignore_errors=True)
        self.start(self.yes, [self.runner.options.dftrace, 'run', '-q', '-o', trace, '--'])
        _, metrics, findings = self.runner.told(trace)
        job = (metrics.get('job_time') or {}).get('value') or 0
        cost = max([float(f['cost_s'] or 0) for f in findings if f['rule'] in names], default=0)
        first = findings[0]['rule'] if findings else 'none'
        return cost, job * sum(judge.part(metrics, row) for row in rows), first


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('dftrace')
    parser.add_argument('plant')
    parser.add_argument('slow')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--torch', default=sys.executable)
    parser.add_argument('cases', nargs='*')
    options = parser.parse_intermixed_args()
    causes, _ = judge.read_table(judge.HERE + '/causes.table')
    directory = tempfile.mkdtemp(prefix='dftrace-saved.')
    os.chmod(directory, 0o755)
    runner = judge.Runner(options, directory)
    runner.words.update(real=f'bash {judge.HERE}/real.sh', torch=options.torch,
                        ddp=judge.HERE + '/ddp.py')
    print(f'{"case":10}{"job s":>9}{"told s":>9}{"rows s":>9}{"saved s":>9}  first finding')
    for name in options.cases or CASES:
        job = Job(runner, f'{directory}/{name}', CASES[name])
        rows, names, _ = causes[job.cause]
        yes, no, told = [], [], []
        try:
            for _ in range(options.rounds):
                yes.append(job.start(job.yes))
                no.append(job.start(job.no))
                told.append(job.told(rows, names))
        except (subprocess.CalledProcessError, OSError) as problem:
            print(f'{name:10}  cannot run here: {problem}')
            continue
        median = statistics.median
        print(f'{name:10}{median(yes):9.2f}{median(t[0] for t in told):9.2f}'
              f'{median(t[1] for t in told):9.2f}{median(yes) - median(no):9.2f}  {told[0][2]}',
              flush=True)
    shutil.rmtree(directory)


if __name__ == '__main__':
    main()
