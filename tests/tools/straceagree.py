#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""straceagree.py - calls and bytes of POSIX in a trace against those of strace

In:  EVENTS (dftrace export -f jsonl), a directory of files of strace -ff -y
     -e trace=file,desc, PREFIX of the files' paths (absolute), the directory
     that relative paths begin at
Out: a line for each difference; the last line is the number of rows that agree.
     A row is a call on a file by a thread. Where a program uses aio, the C
     library makes the calls in threads of its own, so a row is that of the job.
     Only successful calls are compared, and of stat those by a path: the
     recorder asks for a descriptor that was opened itself what it is, and, where
     the kernel lists no mount of it (in a chroot), for its path after fstatfs.
     Exit status 1: there are differences.
"""

import collections
import glob
import json
import os
import re
import sys

# Names of the kernel and of the trace for the same call.
SAME = {
    "openat": "open", "creat": "open", "open64": "open", "aio_read": "pread",
    "pread64": "pread", "pwrite64": "pwrite", "aio_write": "pwrite",
    "newfstatat": "stat", "lstat": "stat", "statx": "stat", "fstatat": "stat", "unlinkat": "unlink", "mkdirat": "mkdir",
    "aio_fsync": "fsync", "renameat": "rename", "renameat2": "rename",
    "faccessat": "access", "faccessat2": "access", "_llseek": "lseek",
    "preadv2": "preadv", "pwritev2": "pwritev",
}
STREAMS = {"fopen": "open", "fclose": "close"}
MOVES = {"read", "write", "pread", "pwrite", "readv", "writev", "preadv", "pwritev"}
CALLS = MOVES | {"open", "close", "stat", "lseek", "ftruncate", "truncate", "fsync",
                 "fdatasync", "unlink", "mkdir", "rmdir", "rename", "access"}


def from_trace(events, prefix):
    for line in open(events):
        e = json.loads(line)
        path = e.get("file", "")
        if e["cat"] not in ("POSIX", "STDIO") or not path.startswith(prefix) or e.get("ret", 0) < 0:
            continue
        name = SAME.get(e["name"], e["name"]) if e["cat"] == "POSIX" else STREAMS.get(e["name"])
        yield e["tid"], name, path, e.get("ret", 0), e["name"]


def from_strace(directory, prefix, base):
    call = re.compile(r"^(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+)(<.*>)?")
    for name in glob.glob(directory + "/*"):
        thread = int(name.rsplit(".", 1)[1])
        before = ""
        for line in open(name, errors="replace"):
            own = before.startswith("fstatfs") and "AT_SYMLINK_NOFOLLOW" in line
            before = line
            m = call.match(line)
            if not m or own or m[3].startswith("-") or "AT_EMPTY_PATH" in line:
                continue
            call_name = SAME.get(m[1], m[1])
            # of a read or write the text is data
            path = re.search(r'"([^"]*)"', m[2]) if call_name not in MOVES else None
            path = os.path.join(base, path[1]) if path else ""
            if m[4] and m[1] in ("openat", "open", "creat"):
                path = m[4][1:-1]
            if not path and (descriptor := re.search(r"^\d+<([^>]*)>", m[2])):
                path = descriptor[1]
            if path.startswith(prefix):
                yield thread, call_name, path.rstrip("/"), int(m[3], 0), m[1]


def rows_of(calls, by_thread):
    count, moved = collections.Counter(), collections.Counter()
    for thread, name, path, ret, _ in calls:
        if name in CALLS:
            key = (thread if by_thread else 0, name, path)
            count[key] += 1
            moved[key] += ret if name in MOVES else 0
    return {key: (count[key], moved[key]) for key in count}


def main():
    events, directory, prefix, *base = sys.argv[1:]
    trace = list(from_trace(events, prefix))
    strace = list(from_strace(directory, prefix, base[0] if base else "/"))
    by_thread = not any(name.startswith("aio_") for *_, name in trace)
    mine, theirs = rows_of(trace, by_thread), rows_of(strace, by_thread)
    bad = 0
    for key in sorted(set(mine) | set(theirs)):
        if mine.get(key) != theirs.get(key):
            bad += 1
            print(*key, "trace", mine.get(key), "strace", theirs.get(key))
    print(len(mine) - bad)
    return 1 if bad else 0


sys.exit(main())
