#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9052-mpi.t - layer mpiio in jobs: Open MPI and MPICH, started by srun and by
#               mpirun: calls and bytes of each rank are those of the program
#
# RANKS=4

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

families=()
for family in openmpi mpich; do
    command -v "mpicc.$family" "mpirun.$family" >/dev/null && families+=("$family")
done
((${#families[@]})) ||
    skip_all "no MPI is installed (libopenmpi-dev openmpi-bin, libmpich-dev mpich)"
ranks=${RANKS:-4}

cluster_start --nodes 2

# JOB -> "rank call count bytes", as the program prints them
counted () {
    "$dftrace" export -f jsonl "$home/dftrace/$1-$job" | python3 -c '
import collections, json, sys
calls, moved = collections.Counter(), collections.Counter()
for e in map(json.loads, sys.stdin):
    if e["cat"] == "MPIIO":
        key = e.get("rank"), e["name"]
        calls[key] += 1
        if ("read" in e["name"] or "write" in e["name"]) and e["ret"] > 0:
            moved[key] += e["ret"]
for key in calls:
    print(*key, calls[key], moved[key])
' | sort
}

# said OPTION…: a job starts its ranks; what the program says, not what Slurm and MPI may say, too.
said () {
    rm -f "$home/file"
    submit "$@"
    grep -E '^[0-9]+ MPI_[A-Za-z_]+ [0-9]+ [0-9]+$' "$home/out" | sort >"$tmp/said"
    test -s "$tmp/said"
}

run () { # NAME NODES COMMAND
    # shellcheck disable=SC2054 # the comma is one of the list of layers
    local options=(-J "$1" -N "$2" -n "$ranks" --overcommit -e "$home/$1.err" --wrap "$3") try

    # On a busy machine Slurm may give up the start of an MPI; who prevents it does so each time.
    for try in 1 2 3; do
        said --dftrace=posix,mpiio "${options[@]}" && break
        diag "$1: start $try: $(tail -n 5 "$home/$1.err")"
    done
    if [ ! -s "$tmp/said" ]; then
        if said "${options[@]}"; then
            fail "$1: starts as it does without dftrace"
        else
            skip 1 "$1: this MPI does not start so in this cluster"
        fi
        return
    fi
    counted "$1" >"$tmp/seen"
    is "$(cut -d ' ' -f 1 "$tmp/said" | sort -nu | xargs)" "$(seq -s ' ' 0 $((ranks - 1)))" \
        "$1: all ranks say what they did"
    is "$(comm -23 "$tmp/said" "$tmp/seen")" "" "$1: the trace has the same calls and bytes"
    ok "$1: metrics were made by the epilog" test -s "$home/dftrace/$1-$job/metrics.json"
    is "$(json "$home/dftrace/$1-$job/metrics.json" '.health.lost_events // 0')" 0 \
        "$1: nothing is lost"
}

for family in "${families[@]}"; do
    program=$cluster/$family
    "mpicc.$family" -o "$program" "$top_srcdir/tests/victims/mpi/mpireal.c" 2>"$tmp/err" ||
        { skip 1 "$family: its compiler does not work"; continue; }
    chmod 755 "$program"
    # Debian's Open MPI knows PMIx only, and starts nothing on a second node of
    # the same host.
    case $family in
    openmpi)
        way=pmix nodes=1
        mpirun="env PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe mpirun.openmpi --oversubscribe --mca btl self,tcp,vader --mca orte_tmpdir_base $home"
        ;;
    *) way=pmi2 nodes=2 mpirun="mpirun.mpich" ;;
    esac
    if srun --mpi=list 2>&1 | grep -q "$way"; then
        run "srun-$family" $nodes "srun --mpi=$way --overcommit -n $ranks $program $home/file"
    else
        skip 1 "$family: this Slurm has no $way"
    fi
    run "mpirun-$family" $nodes "$mpirun -n $ranks $program $home/file"
done

done_testing
