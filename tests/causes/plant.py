# SPDX-License-Identifier: MIT
"""Jobs in Python with one known cause each, timed by themselves, as plant.c has them.

usage: plant.py JOB [ROUNDS [ARGUMENT]]
"""
import concurrent.futures
import concurrent.futures
import contextlib
import importlib
import json
import multiprocessing
import os
import pickle
import socket
import subprocess
import sys
import threading
import time

START = time.monotonic()
planted = 0.0
own_share = None


def runq():
    """Seconds in which this thread was runnable, but on no CPU."""
    try:
        with open('/proc/thread-self/schedstat', encoding='ascii') as f:
            return int(f.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def work(ms):
    until = time.monotonic() + ms / 1000
    while time.monotonic() < until:
        sum(range(1000))


class timed:
    """The seconds inside are planted, but for those of waiting for a CPU."""

    def __enter__(self):
        self.runq = runq()
        self.begin = time.monotonic()

    def __exit__(self, *_):
        global planted
        seconds = time.monotonic() - self.begin
        if seconds > 0.001:
            seconds -= runq() - self.runq
        planted += max(seconds, 0)


def job_compute(rounds, _):
    with timed():
        work(10 * rounds)


def job_gil(rounds, _):
    """A thread that never gives up the lock of the interpreter by itself.

    Each call that gives it up waits for it again, those of the timers too: planted is what
    the main thread was neither on a CPU nor wanted one.
    """
    global planted
    ended = False

    def hold():
        while not ended:
            sum(range(1000))

    thread = threading.Thread(target=hold)
    thread.start()
    begin, cpu, wanted = time.monotonic(), time.thread_time(), runq()
    for _ in range(rounds):
        time.sleep(0)
    wanted = runq() - wanted
    planted = time.monotonic() - begin - (time.thread_time() - cpu) - wanted
    ended = True
    thread.join()


def job_modules(rounds, _):
    """Untraced, before job imports: the modules."""
    os.makedirs('slow_package', exist_ok=True)
    for i in [-1, *range(rounds)]:
        name = f'm{i}' if i >= 0 else '__init__'
        with open(f'slow_package/{name}.py', 'w', encoding='ascii') as f:
            f.write(f'x = {i}\n')


def job_imports(rounds, _):
    sys.path.insert(0, '')
    sys.dont_write_bytecode = True
    with timed():
        for i in range(rounds):
            importlib.import_module(f'slow_package.m{i}')
    work(100)


def job_http(rounds, port):
    import http.client
    for _ in range(rounds):
        with timed():
            client = http.client.HTTPConnection('localhost', int(port))
            client.request('GET', '/part')
            client.getresponse().read()
            client.close()
        work(5)


def job_http_server(_rounds, _):
    """Untraced, beside the job: 100,000 bytes, 30 ms later."""
    server = socket.create_server(('127.0.0.1', 0))
    print(server.getsockname()[1], flush=True)
    while True:
        peer, _ = server.accept()
        peer.recv(65536)
        time.sleep(0.03)
        peer.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n' + b'x' * 100000)
        peer.close()


def load(index):
    with open('slow.bin', 'rb', buffering=0) as f:
        f.seek(index % 16 * 262144)
        return len(f.read(262144))


def loader(number, todo, done):
    while (index := todo.get()) is not None:
        done.put((number, load(index)))


def start_loaders(n, run, context):
    todo, done = context.SimpleQueue(), context.SimpleQueue()
    workers = [context.Process(target=run, args=(i, todo, done)) for i in range(n)]
    for worker in workers:
        worker.start()
    return todo, done, workers


def end_loaders(todo, workers):
    for _ in workers:
        todo.put(None)
    for worker in workers:
        worker.join()


def job_loader(rounds, _):
    """Two workers read, the step waits for them."""
    todo, done, workers = start_loaders(2, loader, multiprocessing.get_context('fork'))
    for i in range(rounds):
        todo.put(i)
    for _ in range(rounds):
        with timed():
            done.get()
        work(3)
    end_loaders(todo, workers)


def job_hidden_loader(rounds, _):
    """The same, but each batch has been read before it is asked for."""
    todo, done, workers = start_loaders(2, loader, multiprocessing.get_context('fork'))
    for i in range(rounds):
        todo.put(i)
    with timed():
        for _ in range(rounds):
            work(30)
            done.get()
    end_loaders(todo, workers)


def job_epochs(rounds, _):
    """New workers in each epoch, each with an interpreter of its own; the first ones are needed."""
    context = multiprocessing.get_context('spawn')
    for epoch in range(rounds):
        with timed() if epoch else contextlib.nullcontext():
            todo, done, workers = start_loaders(2, loader, context)
            for i in range(4):
                todo.put(i)
            done.get()
        work(20)
        for _ in range(3):
            done.get()
            work(20)
        with timed() if epoch else contextlib.nullcontext():
            end_loaders(todo, workers)


def job_kept(rounds, _):
    """The same work as job_epochs, by workers that stay."""
    todo, done, workers = start_loaders(2, loader, multiprocessing.get_context('spawn'))
    for _ in range(rounds):
        for i in range(4):
            todo.put(i)
        for _ in range(4):
            done.get()
            work(20)
    end_loaders(todo, workers)


def job_pool(rounds, _):
    """Two processes that each compute for this time of their CPU, however long it takes."""
    def compute():
        while time.process_time() < 0.01 * rounds:
            sum(range(1000))
    workers = [multiprocessing.Process(target=compute) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def lagging(number, todo, done):
    while (index := todo.get()) is not None:
        time.sleep(0.1 if number == 3 else 0.002)
        done.put((number, index))


def job_lagging(rounds, _):
    """Four workers with a queue each, asked in turn; the last one is slow."""
    context = multiprocessing.get_context('fork')
    four = [start_loaders(1, (lambda _n, t, d, k=k: lagging(k, t, d)), context) for k in range(4)]
    for _ in range(rounds):
        for todo, done, _ in four:
            todo.put(0)
        for k, (todo, done, _) in enumerate(four):
            if k == 3:
                with timed():
                    done.get()
            else:
                done.get()
        work(5)
    for todo, _, workers in four:
        end_loaders(todo, workers)


def in_threads(call, rounds):
    """The main thread waits for four threads that make these calls."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool, timed():
        list(pool.map(call, range(rounds)))
    work(100)


def job_thread_reads(rounds, _):
    in_threads(load, rounds)


def job_thread_network(rounds, port):
    def ask(_):
        with socket.create_connection(('127.0.0.1', int(port))) as peer:
            peer.sendall(b'GET /part')
            while peer.recv(65536):
                pass
    in_threads(ask, rounds)


# What a framework's regions would say (layer app).
RANK_POINTS = """plant:next_batch = dataloader.fetch
plant:train_step = compute.step
"""


def next_batch(rank, index):
    return load(index) if rank == 1 else index


def train_step(link):
    work(4)
    with timed():       # what a collective does: both need the other's part
        link.sendall(b'x')
        link.recv(1)


def job_rank(rounds, rank):
    link = socket.socket(fileno=int(os.environ['LINK']))
    for i in range(rounds):
        next_batch(int(rank), i)
        train_step(link)


def job_late_rank(rounds, _):
    """Two ranks that exchange something in each step; one of them reads its data, slowly."""
    with open('points', 'w', encoding='ascii') as f:
        f.write(RANK_POINTS)
    ends = socket.socketpair()
    ranks = [subprocess.Popen([sys.executable, __file__, 'rank', str(rounds), str(k)],
                              pass_fds=[ends[k].fileno()], stdout=subprocess.PIPE, text=True,
                              env=os.environ | {'RANK': str(k), 'WORLD_SIZE': '2',
                                                'LINK': str(ends[k].fileno()),
                                                'DFTRACE_POINTS': os.path.abspath('points')})
             for k in range(2)]
    accounts = [json.loads(rank.communicate()[0]) for rank in ranks]
    global own_share
    own_share = accounts[0]['planted'] / (time.monotonic() - START)


def job_checkpoint(rounds, _):
    state = list(range(200000))
    for i in range(rounds):
        work(40)
        with timed():
            with open(f'slow_checkpoint_{i}', 'wb', buffering=0) as f:
                f.write(pickle.dumps(state))
                os.fsync(f.fileno())


def starved(rounds, account):
    work(10 * rounds)
    account.value = runq()


def job_starved(rounds, _):
    """Four processes on the CPUs that are allowed."""
    accounts = [multiprocessing.Value('d') for _ in range(4)]
    workers = [multiprocessing.Process(target=starved, args=(rounds, a)) for a in accounts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    global own_share
    own_share = sum(a.value for a in accounts) / 4 / (time.monotonic() - START)


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    globals()['job_' + sys.argv[1]](rounds, sys.argv[3] if len(sys.argv) > 3 else '')
    wall = time.monotonic() - START
    print(json.dumps({'wall': wall, 'planted': planted, 'runq': runq(),
                      'share': planted / wall if own_share is None else own_share}))


if __name__ == '__main__':
    main()
