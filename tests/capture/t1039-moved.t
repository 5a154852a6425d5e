#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1039-moved.t - reads and writes at a position that somebody else may move:
#                 each offset is that of the bytes, or is not known
#
# Each 8 bytes of the file are their offset, so that a reader knows where it was.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/python.sh"

cd "$tmp" || exit 99

cat >moved.py <<'END'
import fcntl, os, signal, sys, threading

SIZE = 64
log = []        # what this process has read: size, offset


def read(n=1, fd=0, size=SIZE):
    for _ in range(n):
        data = os.read(fd, size)
        log.append((len(data), int.from_bytes(data[:8], "little")))


def end():
    with open("truth", "a") as f:
        f.writelines("%d %d %d\n" % (os.getpid(), *one) for one in log)
    log.clear()


def child(function, *args):
    pid = os.fork()
    if pid == 0:
        log.clear()
        function(*args)
        end()
        os._exit(0)
    return pid


def one():                      # all of it, short read at its end
    while not log or log[-1][0]:
        read(size=4096)
    log.pop()


def seek():                     # in the middle, and back
    for at in (0, 6400, 64, 64):
        os.lseek(0, at, os.SEEK_SET)
        read(100)


def mixed():                    # other calls between them
    for i in range(20):
        read(10)
        os.pread(0, SIZE, 8 * i)
        read(10)
        os.fstat(0)
        read(10, size=8 * (i + 1))
        os.readv(0, [bytearray(SIZE)])


def family():                   # parent, child, parent
    read(100)
    os.waitpid(child(read, 100), 0)
    read(100)


def turns():                    # a child reads, or puts it elsewhere and back
    a, b = os.pipe(), os.pipe()

    def other():
        for i in range(200):
            os.read(a[0], 1)
            if i % 4 == 0:
                read()
            elif i % 4 == 1:
                os.lseek(0, -SIZE, os.SEEK_CUR)
            elif i % 4 == 2:
                os.lseek(0, SIZE, os.SEEK_CUR)
            os.write(b[1], b"x")
    pid = child(other)
    for i in range(200):
        read(1 + i % 3)
        os.write(a[1], b"x")
        os.read(b[0], 1)
    os.waitpid(pid, 0)


def race():                     # a child at the same time
    pid = child(read, 3000)
    read(3000)
    os.waitpid(pid, 0)


def dup():
    other = os.dup(0)
    for _ in range(20):
        read(10)
        read(10, other)
    os.dup2(os.open("data", os.O_RDONLY), 0)
    read(10)


def threads():
    made = [threading.Thread(target=read, args=(500,)) for _ in range(3)]
    for t in made:
        t.start()
    for t in made:
        t.join()


def append():
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    read(10)
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_APPEND)
    read(10)
    fcntl.fcntl(0, fcntl.F_SETFL, flags)
    read(10)


def become():                   # another program goes on
    read(100)
    end()
    os.execv(sys.executable, [sys.executable, sys.argv[0], "one"])


def killed():
    read(1000)
    end()
    os.kill(os.getpid(), signal.SIGKILL)


globals()[sys.argv[1]]()
end()
END
"$python" -c "import sys
sys.stdout.buffer.write(b''.join(i.to_bytes(8, 'little')
    for i in range(0, 1 << 20, 8)))" >data

# judge JOB: how many offsets are false, how many are not known, events that are
# not there. Reads of a thread in their order; those of threads as a whole.
cat >judge.py <<'END'
import collections, json, subprocess, sys

dftrace, job, whole = sys.argv[1], sys.argv[2], len(sys.argv) > 3
truth, seen = collections.defaultdict(list), collections.defaultdict(list)
for line in open("truth"):
    pid, size, at = map(int, line.split())
    truth[pid].append((size, at))
for line in subprocess.run([dftrace, "export", "-f", "jsonl", job],
                           stdout=subprocess.PIPE).stdout.splitlines():
    e = json.loads(line)
    if e.get("file", "").endswith("/data") and e["name"] == "read" and e["ret"]:
        at = e.get("offset")
        seen[e["pid"]].append((e["ret"], -1 if at is None else at))
false = unknown = missing = 0
for pid, told in truth.items():
    got = seen[pid]
    missing += abs(len(told) - len(got))
    unknown += sum(at < 0 for _, at in got)
    if whole:
        false += len({g for g in got if g[1] >= 0} - set(told))
    else:
        false += sum(b[1] >= 0 and a != b or a[0] != b[0]
                     for a, b in zip(told, got))
print(false, missing, unknown)
END

# moves SCENARIO MOST [whole]: no false offset, at most MOST not known
moves ()
{
    rm -f truth
    "$dftrace" run -q -o "$1.job" --layers posix -- "$python" moved.py "$1" <data \
        >out 2>err
    "$python" judge.py "$dftrace" "$1.job" ${3+"$3"} >judged
    read -r false missing unknown <judged
    is "$false" 0 "$1: no offset is false"
    is "$missing" 0 "$1: each read is there"
    diag "$unknown not known"
    ok "$1: at most $2 not known" test "$unknown" -le "$2"
}
moves one 0
moves seek 0
moves family 1
moves mixed 0
moves turns 1000
moves race 6000
moves dup 40
moves threads 1500 whole
moves append 11
moves become 0
moves killed 64

# head and tail, and what follows them, go on where the other ended
# shellcheck disable=SC2016
exits 0 "a shell" "$dftrace" run -q -o shell --layers posix -- bash -c \
    '{ dd bs=64 count=100; dd bs=64 count=100; } <data \
    >copy 2>/dev/null; { dd bs=64 count=100; dd bs=64 count=50; } <data >>copy 2>/dev/null'
is "$(events shell | sed -n "s|.* read .*file=$tmp/data .* off=\([0-9]*\) .*|\1|p" | sort -n | tr '\n' ' ')" \
    "$({ seq 0 64 12799; seq 0 64 9599; } | sort -n | tr '\n' ' ')" "dd after dd: each read where it was"
is "$(events shell | sed -n "s|.* write .*file=$tmp/copy .* off=\([0-9]*\) .*|\1|p" | sort -n | tr '\n' ' ')" \
    "$(seq 0 64 12799 | tr '\n' ' ')" "and each write of the first two; those that append are not known"

done_testing
