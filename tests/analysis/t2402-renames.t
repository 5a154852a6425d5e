#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2402-renames.t - checkpoints under temporary names, from a program that writes
#                   and renames them to the table of files

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/python.sh"

cat >"$tmp/saves.py" <<'END'
import os
import sys
from dftrace import region


def put(name, size):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(fd, b"x" * size)
    os.close(fd)


def get(name):
    fd = os.open(name, os.O_RDONLY)
    os.read(fd, 1 << 20)
    os.close(fd)


os.chdir(sys.argv[1])
top = os.open(".", os.O_RDONLY)
# A region wrote it; what its names are says nothing.
with region("checkpoint", "save"):
    put("w1.new", 1000)
os.rename("w1.new", "w1")
with region("checkpoint", "save"):
    put("w2.new", 2000)
    os.replace("w2.new", "w2")
# Nobody declares it; the name that it gets, or had, says it.
put(".metadata.tmp", 30)
os.rename(".metadata.tmp", ".metadata")
put("t1", 400)
os.rename("t1", "__0_0.distcp", src_dir_fd=top, dst_dir_fd=top)
put("t2", 5000)
os.rename("t2", "model.safetensors")
put("__1_0.distcp", 7)
os.rename("__1_0.distcp", "kept")
# No checkpoints: written elsewhere, too; by nobody's region; not renamed.
with region("checkpoint", "save"):
    put("log.new", 8)
put("log.new", 8)
os.rename("log.new", "log")
put("d.new", 60000)
os.rename("d.new", "d")
put("t3", 9)
try:
    os.rename("t3", "gone/model.safetensors")
except FileNotFoundError:
    pass
for name in ("w1", "w2", ".metadata", "__0_0.distcp", "model.safetensors", "kept",
             "log", "d", "t3"):
    get(name)
END

mkdir "$tmp/files"
exits 0 "a program that renames what it saves" "$dftrace" run -q -o "$tmp/job" \
    --layers posix,app -- "$python" "$tmp/saves.py" "$tmp/files"

# kinds JOB KIND: its files, sorted
kinds ()
{
    "$dftrace" analyze --no-write --format csv --view file "$1" 2>/dev/null |
        awk -F, -v top="$tmp/files/" -v want="$2" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["kind"] == want && index($NF, top) == 1 {
                print substr($NF, length(top) + 1) }' | sort | xargs
}

# metrics JOB NAME…: one after the other
metrics ()
{
    local name
    "$dftrace" analyze --no-write --format csv "$1" 2>/dev/null >"$tmp/metrics.csv"
    for name in "${@:2}"; do
        awk -F, -v m="$name" '$1 == m { print $2 }' "$tmp/metrics.csv"
    done | xargs
}

is "$(kinds "$tmp/job" checkpoint)" \
    ".metadata .metadata.tmp __0_0.distcp __1_0.distcp kept model.safetensors t1 t2 w1 w1.new w2 w2.new" \
    "a checkpoint is one under each of its names"
is "$(kinds "$tmp/job" data)" "d d.new log log.new t3" "and other files are none"
is "$(metrics "$tmp/job" checkpoint_count checkpoint_bytes)" "6 8437" \
    "bytes written under temporary names are those of checkpoints"
is "$(metrics "$tmp/job" read_count read_bytes)" "3 60025" \
    "reading them again is not reading data"
"$dftrace" merge -q "$tmp/job" >/dev/null
rm -rf "$tmp/job/shards"
is "$(kinds "$tmp/job" data) $(metrics "$tmp/job" checkpoint_bytes)" \
    "d d.new log log.new t3 8437" "the merged trace says the same"

done_testing
