#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# mpiio.sh - cost of a call of MPI-IO and HDF5: untraced, dftrace, Darshan
#
# mpiio.sh BUILD
# DARSHAN=LIBRARY    libdarshan.so, built with the MPI of FAMILY (mpich); its
#                    module of HDF5 needs the HDF5 it was built with in HDF5_LIB
# ROUNDS=7           alternating runs of each; medians are printed
#
# ns: CPU time a call, the least of 20 rounds of 2000 calls in each run.
# instructions: of the whole process, a call (perf stat; of 20 rounds less 1).

build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")" && pwd)
dftrace=$build/dftrace
family=${FAMILY:-mpich}
rounds=${ROUNDS:-7}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export DFTRACE_PRELOAD=$build/preload/.libs/libdftrace_preload.so

command -v "mpicc.$family" >/dev/null || { echo "bench-mpiio: no mpicc.$family: install an MPI" >&2; exit 1; }
tmp=$(mktemp -d "${TMPDIR:-/tmp}/bench-mpiio.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT

"mpicc.$family" -O2 -o "$tmp/mpiio" "$source/mpiio.c" || exit 1
programs=("mpiio write_at" "mpiio write_at_all" "mpiio read_at")
if command -v "h5pcc.$family" >/dev/null; then
    (cd "$tmp" && "h5pcc.$family" -shlib -O2 -DWITH_HDF5 -o "$tmp/hdf5" "$source/mpiio.c") &&
        programs+=("hdf5 H5Dwrite")
fi
ways=(untraced posix dftrace)
[ -e "${DARSHAN:-}" ] && ways+=(darshan darshan-dxt)

# WAY PROGRAM CALL ROUNDS: one run; ns on stdout
run () {
    local way=$1 program=$2 call=$3 n=$4 layers=posix,mpiio

    [ "$program" = hdf5 ] && layers=posix,mpiio,hdf5
    rm -rf "$tmp/job" "$tmp/file" "$tmp/log"
    case $way in
    untraced) "$tmp/$program" "$call" "$tmp/file" "$n" ;;
    posix) "$dftrace" run -q -o "$tmp/job" --layers posix -- "$tmp/$program" "$call" "$tmp/file" "$n" ;;
    dftrace) "$dftrace" run -q -o "$tmp/job" --layers $layers -- "$tmp/$program" "$call" "$tmp/file" "$n" ;;
    *)
        env LD_PRELOAD="$DARSHAN${HDF5_LIB:+:$HDF5_LIB}" DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$tmp/log" \
            ${dxt:+DXT_ENABLE_IO_TRACE=1} "$tmp/$program" "$call" "$tmp/file" "$n"
        ;;
    esac
}

instructions () {
    export -f run
    export tmp dftrace
    perf stat -x, -e instructions:u -o "$tmp/perf" -- bash -c 'run "$@"' run "$@" >/dev/null 2>&1
    awk -F, '/instructions/ { print $1 }' "$tmp/perf"
}

median () { sort -g | awk '{ a[NR] = $1 } END { print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }

for p in "${programs[@]}"; do
    read -r program call <<<"$p"
    rm -f "$tmp"/ns.*
    for ((i = 0; i < rounds; i++)); do
        for way in "${ways[@]}"; do
            dxt=
            [ "$way" = darshan-dxt ] && dxt=1
            export dxt
            run "$way" "$program" "$call" 20 2>>"$tmp/errors" >>"$tmp/ns.$way"
        done
    done
    printf '%s (%s)\n  %-12s %10s %10s %10s %14s %10s\n' "$call" "$family" "" "ns" "added" "ratio" "instructions" "added"
    base=$(median <"$tmp/ns.untraced")
    for way in "${ways[@]}"; do
        dxt=
        [ "$way" = darshan-dxt ] && dxt=1
        export dxt
        some=n/a
        if command -v perf >/dev/null; then
            few=$(instructions "$way" "$program" "$call" 1)
            many=$(instructions "$way" "$program" "$call" 21)
            some=$(awk -v a="$few" -v b="$many" 'BEGIN { printf "%.0f", (b - a) / 40000 }')
            [ "$way" = untraced ] && least=$some
        fi
        awk -v way="$way" -v ns="$(median <"$tmp/ns.$way")" -v base="$base" -v some="$some" -v least="${least:-0}" \
            'BEGIN { printf "  %-12s %10.0f %10.0f %10.3f %14s %10.0f\n", way, ns, ns - base, ns / base, some, some - least }'
    done
done
