# SPDX-License-Identifier: MIT
"""Runs the jobs of causes.table traced, and judges what is told of each.

usage: judge.py DFTRACE PLANT SLOW [--short] [--margin N] [--keep DIR] [JOB...]

Each job knows by its own timers which part of its time its cause had. The judgement:
right    the cause is named on the first screen, its finding is the first one, and the told
         part is within a factor of 1.5 (--margin) of the true one
wrong    another finding is first, a critical one is false, or the screen says that nothing
         costs anything
partly   all else
void     the job cannot run here, or the machine was too busy: its cause had less than 15 %
         (35 % with --short), or its part is wrong, and it waited for a CPU for 30 % of its run
--short takes the jobs of continuous integration only. Exit status 1 if a job is wrong.
"""
import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NOTHING = 'Nothing here costs'
CPU = ['cpu_wait']
ABOUT_NUMBERS = 'trace_health mappings_unseen mappings_lost clock_skew missing_ranks'.split()


def read_table(path):
    causes, jobs = {'none': ([], [], '')}, []
    for line in open(path, encoding='utf-8'):
        kind, _, rest = line.strip().partition(' ')
        cells = [cell.strip() for cell in rest.split('|')]
        if kind == 'cause':
            causes[cells[0]] = (cells[1].split(), cells[2].split(), '|'.join(cells[3:]))
        elif kind == 'job':
            names = 'name cause short layers slow prepare beside command'.split()
            jobs.append(dict(zip(names, cells, strict=True)))
    return causes, jobs


class Cannot(Exception):
    """The job cannot run on this machine."""


def make_cgroup():
    """A new control group with 30 % of a CPU: the words that start a program in it."""
    for root, limits in (('/sys/fs/cgroup/cpu', {'cpu.cfs_period_us': '100000',
                                                 'cpu.cfs_quota_us': '30000'}),
                         ('/sys/fs/cgroup', {'cpu.max': '30000 100000'})):
        group = f'{root}/dftrace-causes.{os.getpid()}'
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            for name, value in limits.items():
                with open(f'{group}/{name}', 'w', encoding='ascii') as f:
                    f.write(value)
            return f'bash {HERE}/plant.sh join {group}/cgroup.procs'
        except OSError:
            os.rmdir(group)
    raise Cannot('no control group can be made')


def pressure():
    """Seconds since boot in which some task of the machine wanted a CPU and had none."""
    try:
        with open('/proc/pressure/cpu', encoding='ascii') as f:
            return int(re.search(r'some .*total=(\d+)', f.read()).group(1)) / 1e6
    except (OSError, AttributeError):
        return 0.0


class Runner:
    def __init__(self, options, directory):
        self.options = options
        self.directory = directory
        self.words = {'plant': options.plant, 'python': sys.executable,
                      'py': HERE + '/plant.py', 'sh': HERE + '/plant.sh',
                      'cpu': str(min(os.sched_getaffinity(0)))}

    def command(self, text, **more):
        words = text.format(**self.words, **more).split()
        return ['bash', *words] if words[0].endswith('.sh') else words

    def environment(self, job):
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith(('DFTRACE_', 'SLURM_', 'OMPI_', 'PMI'))}
        environment['LC_ALL'] = 'C'
        if job['slow']:
            environment.update(SLOW=job['slow'], LD_PRELOAD=self.options.slow)
        return environment

    def run(self, job):
        """Run it in a directory of its own: its account, and the job directory."""
        where = os.path.join(self.directory, job['name'])
        os.makedirs(where)
        if job['prepare']:
            subprocess.run(self.command(job['prepare']), cwd=where, check=True,
                           stdout=subprocess.DEVNULL)
        port, beside = '', None
        cgroup = make_cgroup() if '{cgroup}' in job['command'] else ''
        try:
            if job['beside']:
                beside = subprocess.Popen(self.command(job['beside']), cwd=where,
                                          stdout=subprocess.PIPE, text=True)
                port = beside.stdout.readline().strip()
            layers = [] if job['layers'] == '-' else ['--layers', job['layers']]
            begin, wanted = time.monotonic(), pressure()
            done = subprocess.run(
                [self.options.dftrace, 'run', '-q', '-o', where + '.job', *layers, '--',
                 *self.command(job['command'], port=port, cgroup=cgroup)],
                cwd=where, env=self.environment(job), stdout=subprocess.PIPE, text=True,
                stdin=subprocess.DEVNULL, timeout=120, check=False)
            busy = (pressure() - wanted) / (time.monotonic() - begin)
        finally:
            if beside:
                beside.kill()
                beside.wait()
            if cgroup:
                os.rmdir(os.path.dirname(cgroup.split()[-1]))
        if done.returncode == 77:
            raise Cannot('the kernel does not allow it')
        if done.returncode:
            raise Cannot(f'exit status {done.returncode}')
        lines = [line for line in done.stdout.splitlines() if line.startswith('{')]
        truth = json.loads(lines[-1]) if lines else {}
        truth['wanted'] = truth.get('runq', 0) / truth.get('wall', 1)
        return {**truth, 'busy': max(busy, truth['wanted'])}, where + '.job'

    def told(self, job_dir):
        """What is told of it: the first screen, metrics, findings in their order."""
        done = subprocess.run([self.options.dftrace, 'analyze', job_dir], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            return NOTHING + ': ' + done.stderr, {}, []
        screen = done.stdout
        with open(job_dir + '/metrics.json', encoding='utf-8') as f:
            metrics = json.load(f)['metrics']
        with open(job_dir + '/tables/insights.csv', encoding='utf-8', newline='') as f:
            findings = [row for row in csv.DictReader(f) if row['rule'] not in ABOUT_NUMBERS]
        return screen, metrics, findings


def part(metrics, row):
    value = (metrics.get('wall_' + row) or metrics.get('bill_' + row) or {}).get('value')
    return (value or 0) / 100


def told_part(rows, names, metrics, findings):
    if rows:
        return sum(part(metrics, row) for row in rows)
    return max([float(f['cost_percent'] or 0) / 100 for f in findings if f['rule'] in names],
               default=0)


def costs(screen, words):
    """Lines of the screen that name the cause: with its time, or as a finding."""
    return [line for line in screen.splitlines()
            if re.search(words, line) and (re.search(r'\d %|at most', line) or
                                           line.startswith('* '))]


def false_critical(truth, names, findings):
    """Critical findings that are not of the cause; on a busy machine each job waits for a CPU."""
    busy = truth['busy'] > 0.05
    return [f['rule'] for f in findings if f['severity'] == 'critical' and
            f['rule'] not in names and not (busy and f['rule'] in CPU)]


def judge_none(truth, told, findings, margin):
    critical = false_critical(truth, [], findings)
    if critical:
        return 'wrong', 'critical, but nothing is to blame: ' + ' '.join(critical)
    warned = [f['rule'] for f in findings if f['severity'] == 'warning' and
              f['rule'] not in CPU and float(f['cost_percent'] or 0) > 5]
    if warned:
        return 'partly', 'warns of ' + ' '.join(warned)
    if truth.get('share', 0) > 0.15 and not truth['share'] / margin <= told:
        return 'partly', 'its computing is not told'
    return 'right', ''


def judge(cause, truth, screen, metrics, findings, margin):
    rows, names, words = cause
    told, true = told_part(rows, names, metrics, findings), truth['share']
    allowed = names + [name[1:] for name in names if name[0] == '+']
    critical = false_critical(truth, allowed, findings)
    rules = [f['rule'] for f in findings if f['rule'] not in CPU or f['rule'] in names]
    if NOTHING in screen:
        return 'wrong', 'says that nothing costs anything' if metrics else 'no trace at all'
    if critical:
        return 'wrong', 'critical, but not to blame: ' + ' '.join(critical)
    if rules and rules[0] not in allowed:
        return 'wrong', 'first: ' + rules[0]
    if not costs(screen, words):
        return 'partly', 'is not named'
    if not any(rule in names for rule in rules):
        return 'partly', 'no finding of it'
    if not true / margin <= told <= true * margin:
        return 'partly', 'its part is wrong'
    return 'right', ''


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('dftrace')
    parser.add_argument('plant')
    parser.add_argument('slow')
    parser.add_argument('--short', action='store_true')
    parser.add_argument('--margin', type=float, default=1.5)
    parser.add_argument('--keep')
    parser.add_argument('jobs', nargs='*')
    options = parser.parse_intermixed_args()
    causes, jobs = read_table(HERE + '/causes.table')
    directory = options.keep or tempfile.mkdtemp(prefix='dftrace-causes.')
    os.makedirs(directory, exist_ok=True)
    runner, sums = Runner(options, directory), {}
    print(f'{"":8}{"job":20}{"cause":12}{"true":>6}{"told":>6}  findings; why')
    for job in jobs:
        if options.jobs and job['name'] not in options.jobs or options.short and not job['short']:
            continue
        cause, truth, told, findings = causes[job['cause']], {}, 0, []
        try:
            truth, job_dir = runner.run(job)
            screen, metrics, findings = runner.told(job_dir)
            told = told_part(cause[0], cause[1], metrics, findings)
            if job['cause'] == 'none':
                told = part(metrics, 'compute') + part(metrics, 'cpu')
                verdict, why = judge_none(truth, told, findings, options.margin)
            elif truth['share'] < (0.35 if options.short else 0.15):
                raise Cannot(f'its cause had {100 * truth["share"]:.0f} % of this run')
            else:
                verdict, why = judge(cause, truth, screen, metrics, findings, options.margin)
            if verdict == 'partly' and truth['wanted'] > 0.3 and job['cause'] != 'cpu':
                raise Cannot(f'{why}, but {100 * truth["wanted"]:.0f} % waiting for a CPU')
        except Cannot as reason:
            verdict, why = 'void', str(reason)
        sums[verdict] = sums.get(verdict, 0) + 1
        shown = ' '.join(f'{f["rule"]} {float(f["cost_percent"] or 0):.0f}' for f in findings[:3])
        print(f'{verdict:8}{job["name"]:20}{job["cause"]:12}{100 * truth.get("share", 0):6.1f}'
              f'{100 * told:6.1f}  {shown}{"; " + why if why else ""}', flush=True)
    print(', '.join(f'{n} {verdict}' for verdict, n in sorted(sums.items())))
    if not options.keep:
        shutil.rmtree(directory)
    sys.exit('wrong' in sums)


if __name__ == '__main__':
    main()
