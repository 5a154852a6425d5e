#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1310-mpi.t - layer mpiio on the real MPIs that are installed: counts and bytes
#               are those of the program, POSIX below is that of strace

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5

families=()
for family in openmpi mpich; do
    command -v "mpicc.$family" "mpirun.$family" >/dev/null && families+=("$family")
done
((${#families[@]})) ||
    skip_all "no MPI is installed (libopenmpi-dev openmpi-bin, libmpich-dev mpich)"

field () { sed -n "s/.* $1=\([^ ]*\).*/\1/p"; }
sum () { awk '{ n += $1 } END { print n + 0 }'; }

# FILE of events -> "rank call count bytes"
counted ()
{
    python3 - "$1" <<'PY'
import collections, json, sys
calls = collections.Counter()
moved = collections.Counter()
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["cat"] != "MPIIO":
        continue
    key = (e.get("rank"), e["name"])
    calls[key] += 1
    if any(w in e["name"] for w in ("read", "write")) and e["ret"] > 0:
        moved[key] += e["ret"]
for key in calls:
    print(key[0], key[1], calls[key], moved[key])
PY
}

for family in "${families[@]}"; do
    mkdir -p "$tmp/$family"
    file=$tmp/$family/file
    "mpicc.$family" -o "$tmp/$family/real" "$top_srcdir/tests/victims/mpi/mpireal.c" \
        2>"$tmp/err" || { skip 1 "$family: its compiler does not work"; continue; }
    "$dftrace" run -q -o "$tmp/job-$family" --layers posix,mpiio -- \
        "mpirun.$family" -n 4 "$tmp/$family/real" "$file" >"$tmp/said" 2>"$tmp/err"
    is $? 0 "$family: 4 ranks run" || diag "$(cat "$tmp/err")"
    "$dftrace" export -f jsonl "$tmp/job-$family" >"$tmp/events"
    counted "$tmp/events" >"$tmp/seen"
    is "$(sort "$tmp/said" | comm -23 - <(sort "$tmp/seen"))" "" \
        "$family: calls and bytes of each rank are those of the program"
    cmp_num "$(wc -l <"$tmp/said")" -ge 56 "$family: of all its ways to write and read"
    is "$(grep -c '"mpi.hints":"cb_nodes=2"' "$tmp/events")" 4 "$family: hints of each open"
    is "$(grep '"name":"MPI_Init"' "$tmp/events" |
        sed 's/.*"rank":\([0-9]*\).*"mpi.rank":\([0-9]*\),"mpi.ranks":\([0-9]*\).*/\1 \2 \3/' |
        sort | xargs)" "0 0 4 1 1 4 2 2 4 3 3 4" "$family: ranks are those of the MPI"

    # What the file got, by another count.
    if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
        rm -f "$file"
        "$dftrace" run -q -o "$tmp/again-$family" --layers posix,mpiio -- \
            "mpirun.$family" -n 4 strace -f -y -e trace=read,write,pread64,pwrite64,preadv,pwritev,readv,writev \
            -o "$tmp/$family/strace" -ff "$tmp/$family/real" "$file" >"$tmp/said" 2>"$tmp/err"
        is $? 0 "$family: again, with strace"
        events "again-$family" | grep " file=$file " >"$tmp/posix"
        for way in read write; do
            is "$(grep -E " (p|aio_)?${way}v? fd=" "$tmp/posix" | field ret | sum)" \
                "$(cat "$tmp/$family"/strace.* | grep -E "^p?${way}(64|v)?\([0-9]+<$file>" |
                    sed -n 's/.* = \([0-9]*\)$/\1/p' | sum)" \
                "$family: bytes of POSIX ${way}s are those of strace"
        done
    else
        skip 1 "strace does not work here"
    fi

    # The three ways of Fortran.
    for way in mpif.h mpi f08; do
        case $way in mpi) flag=-DUSE_MPI ;; f08) flag=-DUSE_F08 ;; *) flag=-DUSE_H ;; esac
        if ! command -v "mpif90.$family" >/dev/null || ! "mpif90.$family" -cpp $flag -fallow-argument-mismatch \
            -J "$tmp" -o "$tmp/$family/f-$way" "$top_srcdir/tests/victims/mpi/mpif.f90" 2>"$tmp/err"; then
            skip 1 "$family: no compiler of Fortran for $way (gfortran)"
            continue
        fi
        "$dftrace" run -q -o "$tmp/f-$family-$way" --layers posix,mpiio -- \
            "mpirun.$family" -n 4 "$tmp/$family/f-$way" "$file.$way" >"$tmp/fsaid" 2>"$tmp/err"
        "$dftrace" export -f jsonl "$tmp/f-$family-$way" >"$tmp/fevents"
        counted "$tmp/fevents" | sort >"$tmp/fseen"
        is "$(grep -c . "$tmp/fsaid") $(sort "$tmp/fsaid" | comm -23 - "$tmp/fseen")" "28 " \
            "$family: Fortran by $way: calls and bytes are those of the program"
    done

    # The last rank comes 50 ms later 20 times: the others wait, as they measure it.
    if "mpicc.$family" -o "$tmp/$family/late" "$top_srcdir/tests/victims/mpi/mpilate.c" 2>"$tmp/err"; then
        "$dftrace" run -q -o "$tmp/late-$family" --layers posix,mpiio -- \
            "mpirun.$family" -n 2 "$tmp/$family/late" 20 50 >"$tmp/latesaid" 2>"$tmp/err"
        "$dftrace" analyze --view insight -f csv "$tmp/late-$family" 2>/dev/null |
            grep ',late_rank,' >"$tmp/finding"
        "$dftrace" export -f jsonl "$tmp/late-$family" | python3 -c '
import json, sys
ns = sum(e["dur_ns"] for e in map(json.loads, sys.stdin) if e["cat"] == "comm" and e.get("rank") == 0)
print("%.6f" % (ns / 1e9))' >"$tmp/told"
        ok "$family: rank 0 waits as long as it measured" awk -v told="$(cat "$tmp/told")" \
            '$1 == 0 { exit !(told >= $2 * 0.9 && told <= $2 + 0.5) }' "$tmp/latesaid"
        if awk '{ s[$1] = $2 } END { exit !(s[0] >= 3 * s[1]) }' "$tmp/latesaid"; then
            like "$(cat "$tmp/finding")" 'later at each of .* collectives, from .* on; others wait .*rank 1 of 2' \
                "$family: the rank that comes late is named"
        else
            skip "the other one was late, too, on a busy machine" "$family: the rank that comes late is named"
        fi
    else
        skip 2 "$family: its compiler does not work"
    fi

    # Two aggregators at most write what four ranks ask for.
    "$dftrace" analyze "$tmp/job-$family" --view mpiio -f csv >"$tmp/view"
    is "$(awk -F, '$1 == "collective writes" { print $2, $3, $5 }' "$tmp/view")" \
        "20 4 $(awk '/write_at_all|write_all/ { n += $4 } END { print n }' "$tmp/said")" \
        "$family: collective writes: calls, processes, bytes"
done

done_testing
