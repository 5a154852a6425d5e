#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2450-shared.t - files of several ranks, and what is said of files on Lustre:
#                  against sums in plain Python over the exported events

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

fake=$top_builddir/tests/tools/fakelustre

for rank in 0 1 2 3 4 5; do
    SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_NTASKS=6 SLURM_PROCID=$rank \
        "$fake" "$tmp/job" lustre /scratch/one 1 $((rank + 2)) 0 ||
        fail "rank $rank"
done
SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_NTASKS=6 SLURM_PROCID=0 \
    "$fake" "$tmp/job" lustre /scratch/one 1 1 0 # a second process of rank 0
SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_NTASKS=6 SLURM_PROCID=0 \
    "$fake" "$tmp/job" lustre /scratch/alone 8 1 0

"$dftrace" export -f jsonl "$tmp/job" >"$tmp/events" 2>/dev/null
"$dftrace" analyze --no-write "$tmp/job" --view shared -f json >"$tmp/shared" 2>/dev/null
cat >"$tmp/oracle.py" <<'END'
import collections, json, math, sys
ns, size, write = (collections.Counter () for _ in range (3))
for line in open (sys.argv[1]):
    e = json.loads (line)
    if e["file"] == "/scratch/one":
        ns[e["rank"]] += e["dur_ns"]
        if e["name"] == "write":
            size[e["rank"]] += e["ret"]
            write[e["rank"]] += 1
order = sorted (ns, key=lambda r: (-ns[r], r))
quick = sorted (ns, key=lambda r: (ns[r], r))
def deviation (c):
    mean = sum (c.values ()) / len (c)
    return math.sqrt (sum ((v - mean) ** 2 for v in c.values ()) / len (c))
want = {"ranks": len (ns), "write_ranks": len (size), "read_ranks": 0,
        "write_count": sum (write.values ()), "write_bytes": sum (size.values ()),
        "slowest_rank": order[0], "slowest_bytes": size[order[0]],
        "fastest_rank": quick[0], "fastest_bytes": size[quick[0]], "stripes": 1}
near = {"sum_s": sum (ns.values ()) / 1e9, "slowest_s": ns[order[0]] / 1e9,
        "fastest_s": ns[quick[0]] / 1e9, "deviation_s": deviation (ns) / 1e9,
        "deviation_bytes": deviation (size)}
rows = json.load (open (sys.argv[2]))
assert [r["file"] for r in rows] == ["/scratch/one"], rows
for k, v in want.items ():
    assert rows[0][k] == v, (k, rows[0][k], v)
for k, v in near.items ():
    assert abs (rows[0][k] - v) <= max (1e-6, v * 1e-6), (k, rows[0][k], v)
END
ok "the row of the shared file is that of an independent count" \
    python3 "$tmp/oracle.py" "$tmp/events" "$tmp/shared"

# A job in partitions, and merged, gives the same.
view () { "$dftrace" analyze --no-write "$tmp/job" --view "$1" -f csv "${@:2}" 2>/dev/null; }
view shared >"$tmp/once"
view mount >"$tmp/mounts"
for i in 3 1 2; do
    "$dftrace" analyze --partial --partition $i/3 "$tmp/job" 2>/dev/null
done
"$dftrace" analyze --quiet --reduce "$tmp/job" 2>/dev/null
is "$(cat "$tmp/job/tables/shared_files.csv")" "$(cat "$tmp/once")" "in partitions the same"
is "$(cat "$tmp/job/tables/mounts.csv")" "$(cat "$tmp/mounts")" "mounts, too"
cp -r "$tmp/job" "$tmp/merged"
"$dftrace" merge "$tmp/merged" >/dev/null 2>&1
is "$("$dftrace" analyze --no-write "$tmp/merged/trace.dft" --view shared -f csv 2>/dev/null)" \
    "$(cat "$tmp/once")" "merged the same"

is "$(sed -n 2p "$tmp/mounts" | cut -d, -f1-4)" "/scratch,lustre,4194304,2" "the mount"
is "$(sed -n 2p "$tmp/mounts" | awk -F, '{ print $(NF - 1) "," $NF }')" "1,8" \
    "fewest and most stripes"
is "$(view file | awk -F, '/scratch.alone/ { print $(NF - 4) "," $(NF - 2) "," $(NF - 1) }')" \
    "lustre,8,4194304" "columns of a file"

finding () { view insight | awk -F, -v rule="$1" '$2 == rule'; }
ok "six ranks write one file of one stripe" [ -n "$(finding few_stripes)" ]
is "$(finding few_stripes | cut -d, -f6)" 6 "ranks for a stripe"
like "$(finding few_stripes)" "/scratch/one" "the file is named"
is "$(finding small_files_network)" "" "two large files are not many small ones"

# Small files: over the network they are a finding, on local storage not.
for type in nfs4 ext4; do
    SLURM_PROCID=0 "$fake" "$tmp/$type" "$type" - 0 0 150
done
rules () { "$dftrace" analyze --no-write "$tmp/$1" --view insight -f csv 2>/dev/null | cut -d, -f2 | xargs; }
like "$(rules nfs4)" "small_files_network" "150 small files on NFS"
unlike "$(rules ext4)" "small_files_network" "but not on ext4"

done_testing
