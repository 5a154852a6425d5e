#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2452-above-rules.t - findings on MPI-IO and HDF5: of each a job that has it, and
#                       one that is only just not like that

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

layerjob=$top_builddir/tests/tools/layerjob
command -v jq >/dev/null || skip_all "no jq"

# JOB RANKS NODES CODE: a job of ranks, in each of which CODE of Python (`rank`) puts
# down calls: opened (hints), mpi (call, bytes, inside), h5 (call, object, flags,
# bytes, inside), where inside is a list of (POSIX call, offset, bytes). What is found
# is in $tmp/JOB.found, lines "rule|cost|value|rows".
made () {
    local job=$1 ranks=$2 nodes=$3 rank

    sed 's/^/    /' <<<"$4" | cat "$tmp/head.py" - "$tmp/tail.py" >"$tmp/code.py"
    rm -rf "${tmp:?}/$job"
    for rank in $(python3 -S -E "$tmp/code.py" "$ranks" "$tmp/events"); do
        SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_NTASKS=$ranks SLURM_PROCID=$rank \
            SLURMD_NODENAME=n$((rank * nodes / ranks)) "$layerjob" "$tmp/$job" <"$tmp/events.$rank" ||
            fail "$job: rank $rank is made"
    done
    "$dftrace" analyze --no-write "$tmp/$job" --view insight -f json 2>/dev/null |
        jq -r '.[] | "\(.rule)|\(.cost_s)|\(.value)|\(.rows)"' >"$tmp/$job.found"
}

cat >"$tmp/head.py" <<'PY'
import sys

INDEPENDENT, COLLECTIVE, CHUNKED = 2, 1, 64
KIB, MIB = 1024, 1 << 20
ranks = int(sys.argv[1])

def line(call, name, offset, size, flags, start, end, more=""):
    print(call, "/data/file", name, offset, size, flags, start, end - start, more, file=out)

def outer(call, name, size, flags, inside, ticks, more=""):
    global now
    start = now
    now += 10
    for what, offset, bytes in inside:
        line(what, "-", offset, bytes, 0, now, now + ticks)
        now += ticks
    now += own
    line(call, name, -1, size, flags, start, now, more)
    now += 10

def mpi(call, size, inside=(), more=""):
    outer("MPI_File_" + call, "-", size, 0, inside, 1000, more)

def h5(call, name, flags, size, inside=()):
    outer(call, name, size, flags, inside, 1000)

def opened(hints=""):
    mpi("open", 0, more=f"mpi.comm_size={ranks}" + (f" mpi.hints={hints}" if hints else ""))

def calls():
PY
cat >"$tmp/tail.py" <<'PY'
for rank in range(ranks):
    now, own = 0, 1000
    with open(f"{sys.argv[2]}.{rank}", "w") as out:
        calls()
    print(rank)
PY

# JOB RULE A B [ROWS]: it is found, its value is A / B, the table names ROWS
found () {
    is "$(awk -F'|' -v rule="$2" '$1 == rule { printf "%.4g", $3 }' "$tmp/$1.found")" \
        "$(awk -v a="$3" -v b="$4" 'BEGIN { printf "%.4g", a / b }')" "$1: $2 with its value"
    ok "$1: $2 says what it costs" awk -F'|' -v rule="$2" '$1 == rule && $2 > 0 { n = 1 }
        END { exit !n }' "$tmp/$1.found"
    [ -z "${5:-}" ] || like "$(grep "^$2|" "$tmp/$1.found" | cut -d '|' -f 4)" "$5" \
        "$1: $2 names its row"
}
# JOB RULE NAME: nothing is below the calls NAME*: it costs their time, from that of
# the slowest rank to that of one rank after the other
costs () {
    like "$("$dftrace" export -f jsonl "$tmp/$1" 2>/dev/null | jq -rs --arg name "$3" --argjson cost \
        "$(awk -F'|' -v rule="$2" '$1 == rule { n = $2 } END { print n + 0 }' "$tmp/$1.found")" '
        map (select (.name | startswith ($name))) | group_by (.rank) | map (map (.dur_ns) | add) |
        [max, add, $cost * 1e9] | if .[2] >= .[0] * 0.999 and .[2] <= .[1] * 1.001 then "right" else . end')" \
        '^right$' "$1: $2 with what it costs"
}
not_found () {
    is "$(grep -c "^$2|" "$tmp/$1.found")" 0 "$1: no $2"
}

# --- MPI-IO -------------------------------------------------------------------------

# 100 small writes of each rank, by themselves; 100 that are collective.
made independent 4 1 'opened("cb_nodes=1")
for i in range(100): mpi("write_at", 4 * KIB, [("pwrite", i * 16 * KIB, 4 * KIB)])'
found independent mpiio_independent 400 400 "independent writes"
not_found independent mpiio_small
made together 4 1 'opened("cb_nodes=1")
for i in range(100): mpi("write_at_all", 4 * KIB)
for i in range(100): mpi("write_at", 4 * KIB)'
not_found together mpiio_independent
# A fifth of a second, beside which the start of the process is short.
made itself 1 1 'global own
own = 10000000
for i in range(20): mpi("write_at", 4 * KIB)'
costs itself mpiio_itself MPI_File_
like "$(grep '^mpiio_itself|' "$tmp/itself.found")" 'independent writes' "itself: it names its row"
made storage 4 1 'opened("cb_nodes=1")
for i in range(20): mpi("write_at", MIB, [("pwrite", i * MIB + k * 20 * KIB, 20 * KIB) for k in range(50)])'
not_found storage mpiio_itself
made large 4 1 'for i in range(20): mpi("write_at", MIB)'
not_found large mpiio_independent

# 200 requests below collective calls, small and of 1 MiB, in the order of the file.
made small 4 1 'opened("cb_nodes=4")
for i in range(50): mpi("write_at_all", 64 * KIB, [("pwrite", i * 64 * KIB, 64 * KIB)])'
found small mpiio_small $((65536 * 200)) 200 "collective writes"
not_found small mpiio_random
not_found small mpiio_no_hints
made buffered 4 1 'opened()
for i in range(50): mpi("write_at_all", MIB, [("pwrite", i * MIB, MIB)])'
not_found buffered mpiio_small
not_found buffered mpiio_no_hints

# The same without hints; half of the files with them.
made unhinted 4 1 'opened()
for i in range(50): mpi("write_at_all", 64 * KIB, [("pwrite", i * 64 * KIB, 64 * KIB)])'
found unhinted mpiio_no_hints 4 4 "collective writes"
made half 4 1 'opened(); opened("cb_nodes=4")
for i in range(50): mpi("write_at_all", 64 * KIB, [("pwrite", i * 64 * KIB, 64 * KIB)])'
not_found half mpiio_no_hints

# Requests that jump: 49 of each rank have one before; at a stride they do not.
made jumping 4 1 'opened("cb_nodes=4")
for i in range(50): mpi("read_at_all", MIB, [("pread", i * 7919 % 50 * MIB, MIB)])'
found jumping mpiio_random "$(python3 -c '
def one(at, gap, n=0):
    for i in range(1, 50):
        here, end = i * 7919 % 50, at + 1
        n += here < end or (here > end and here - end != gap)
        gap, at = (here - end if here > end else 0), here
    return n
print(4 * one(0, 0))')" 196 "collective reads"
made strided 4 1 'opened("cb_nodes=4")
for i in range(50): mpi("read_at_all", MIB, [("pread", i * 4 * MIB, MIB)])'
not_found strided mpiio_random
made elsewhere 4 1 'for i in range(50): mpi("read_at", MIB, [("pread", i * 7919 % 50 * MIB, MIB)])'
not_found elsewhere mpiio_random

# One rank of four on two nodes does the work of all, and two.
made lonely 4 2 'opened("cb_nodes=1")
for i in range(20): mpi("write_at_all", MIB, [("pwrite", i * 4 * MIB, 4 * MIB)] if rank == 0 else [])'
found lonely mpiio_aggregators 1 2 "collective writes"
made paired 4 2 'opened("cb_nodes=2")
for i in range(20): mpi("write_at_all", MIB, [("pwrite", i * 4 * MIB, 2 * MIB)] if rank % 2 == 0 else [])'
not_found paired mpiio_aggregators

# Rank 3 writes twice as much; 10 % more.
made uneven 4 1 'for i in range(20): mpi("write_at", (1 + (rank == 3)) * MIB)
if rank == 3: mpi("sync", 0)
for i in range(20 if rank == 3 else 0): mpi("read_at", 0)'
found uneven mpiio_straggler $((20 << 20)) $((40 << 20))
made even 4 1 'for i in range(10): mpi("write_at", MIB)
if rank == 3: mpi("write_at", MIB)'
not_found even mpiio_straggler

# The slowest and the fastest rank of each kind of call.
"$dftrace" export -f jsonl "$tmp/uneven" | python3 -c '
import collections, json, sys
ns = collections.Counter()
for e in map(json.loads, sys.stdin):
    if e["name"] == "MPI_File_read_at": ns["independent reads", e["rank"]] += e["dur_ns"]
    if e["name"] == "MPI_File_write_at": ns["independent writes", e["rank"]] += e["dur_ns"]
for kind in "independent writes", "independent reads":
    ranks = [(v, k[1]) for k, v in ns.items() if k[0] == kind]
    slow, fast = max(ranks, key=lambda r: (r[0], -r[1])), min(ranks)
    print(kind, slow[1], "%.6f" % (slow[0] / 1e9), fast[1], "%.6f" % (fast[0] / 1e9), sep=",")
' >"$tmp/want"
is "$("$dftrace" analyze --no-write "$tmp/uneven" --view mpiio -f csv 2>/dev/null | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["kind"].startswith("independent"):
        print(r["kind"], r["slowest_rank"], "%.6f" % float(r["slowest_s"]), r["fastest_rank"],
              "%.6f" % float(r["fastest_s"]), sep=",")')" "$(cat "$tmp/want")" \
    "the slowest and the fastest rank of each kind of call"

# A job in partitions has the same findings.
for i in 3 1 2; do
    "$dftrace" analyze --partial --partition $i/3 "$tmp/jumping" 2>/dev/null
done
"$dftrace" analyze --quiet --reduce "$tmp/jumping" 2>/dev/null
is "$(cat "$tmp/jumping/tables/insights.csv")" "$("$dftrace" analyze --no-write "$tmp/jumping" --view insight -f csv 2>/dev/null)" "in partitions the same"

# --- HDF5 ------------------------------------------------------------------------------

# 150 opens and closes around 10 writes; around 400 writes.
made storm 2 1 'for i in range(150): h5("H5Dopen", "/d", 0, 0)
for i in range(10): h5("H5Dwrite", "/d", 0, MIB)'
found storm hdf5_metadata 150 160
made filters 1 1 'global own
own = 10000000
for i in range(20): h5("H5Dwrite", "/d", 0, MIB)'
costs filters hdf5_itself H5D
made below 2 1 'for i in range(20): h5("H5Dwrite", "/d", 0, MIB, [("pwrite", i * MIB + k * 20 * KIB, 20 * KIB) for k in range(50)])'
not_found below hdf5_itself
made calm 2 1 'for i in range(150): h5("H5Dopen", "/d", 0, 0)
for i in range(400): h5("H5Dwrite", "/d", 0, MIB)'
not_found calm hdf5_metadata

# 1200 pieces of 1 KiB; of 64 KiB; 900 of them.
made pieces 2 1 'for i in range(600): h5("H5Dwrite", "/d", 0, KIB)'
found pieces hdf5_small 1024 1 /data/file/d
made chunks 2 1 'for i in range(600): h5("H5Dwrite", "/d", 0, 64 * KIB)'
not_found chunks hdf5_small
made few 2 1 'for i in range(450): h5("H5Dwrite", "/d", 0, KIB)'
not_found few hdf5_small

# A shared file: 3 of 4 writes independent; 1 of 4; 3 of 4 large ones.
made apart 2 1 'for i in range(40): h5("H5Dwrite", "/d", COLLECTIVE if i % 4 == 0 else INDEPENDENT, KIB)'
found apart hdf5_independent 3 4 /data/file/d
made shared 2 1 'for i in range(40): h5("H5Dwrite", "/d", INDEPENDENT if i % 4 == 0 else COLLECTIVE, KIB)'
not_found shared hdf5_independent
made bulky 2 1 'for i in range(40): h5("H5Dwrite", "/d", INDEPENDENT, MIB)'
not_found bulky hdf5_independent

# Chunked reads that fetch four times what is asked for; twice.
made wasted 2 1 'for i in range(20): h5("H5Dread", "/d", CHUNKED, 64 * KIB, [("pread", i * MIB, 256 * KIB)])'
found wasted hdf5_chunks 4 1 /data/file/d
made fitting 2 1 'for i in range(20): h5("H5Dread", "/d", CHUNKED, 64 * KIB, [("pread", i * MIB, 128 * KIB)])'
not_found fitting hdf5_chunks

done_testing
