#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1351-mpi-codes.t - IOR, mdtest and the kernels of h5bench, unchanged: calls and
#                     bytes are those that they report, POSIX below is that of strace
#
# IOR='PROGRAM…'    programs ior, each beside its mdtest, each of one MPI
# H5BENCH=SOURCES   the source tree of h5bench; its kernels are built here
# RANKS=4

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/mpi.sh"

[ "${IOR:-}${H5BENCH:-}" ] || skip_all "no codes were given (IOR='PROGRAM…' H5BENCH=SOURCES)"
ranks=${RANKS:-4}

# --- IOR ---------------------------------------------------------------------------

# The summary of IOR: operation -> "transfers bytes"
reported () {
    awk -v operation="$1" '$1 == operation && NF > 25 { size = $(NF - 3); all = $(NF - 2) * 1048576 }
        END { print all / size, all }' "$tmp/said"
}

ior () { # NAME CATEGORY WRITES READS ARGUMENTS…
    local name=$1 category=$2 writes=$3 reads=$4
    shift 4
    name=ior-$name-$family
    watched "$name" mpiio,hdf5 "$family" "$ranks" "$program" -t 64k -b 256k -s 2 -w -r -k \
        -o "$tmp/$name.out" "$@"
    is "$(moved "$name" "$category" "$writes" "$tmp/$name.out")" "$(reported write)" "$name: writes are those of IOR"
    is "$(moved "$name" "$category" "$reads" "$tmp/$name.out")" "$(reported read)" "$name: reads are those of IOR"
    agrees "$name" "$tmp/$name.out"
}

for program in ${IOR:-}; do
    family=$(family_of "$program")
    if [ ! "$family" ]; then
        skip 1 "$program: no program of Open MPI or MPICH"
        continue
    fi
    ior posix POSIX 'p?write' 'p?read' -a POSIX
    ior independent MPIIO MPI_File_write_at MPI_File_read_at -a MPIIO
    ior collective MPIIO MPI_File_write_at_all MPI_File_read_at_all -a MPIIO -c
    ior own MPIIO MPI_File_write_at MPI_File_read_at -a MPIIO -F
    ior random MPIIO MPI_File_write_at MPI_File_read_at -a MPIIO -z
    ior view MPIIO MPI_File_write_all MPI_File_read_all -a MPIIO -c --mpiio.useFileView
    # Parallel HDF5 where this IOR has it; it writes and reads no attributes.
    if "$program" --help 2>&1 | grep -q 'HDF5'; then
        ior hdf5 HDF5 H5Dwrite H5Dread -a HDF5
        ior hdf5-collective HDF5 H5Dwrite H5Dread -a HDF5 -c
    else
        skip 1 "$program: without HDF5"
    fi

    # mdtest: files of a size that it says; it knows no MPI-IO.
    mdtest=${program%/*}/mdtest
    if [ ! -x "$mdtest" ]; then
        skip 1 "no $mdtest"
        continue
    fi
    name=mdtest-$family
    mkdir "$tmp/$name.files"
    watched "$name" mpiio "$family" "$ranks" "$mdtest" -n 5 -w 4096 -e 4096 -d "$tmp/$name.files"
    files=$(sed -n 's/^.* tasks, \([0-9]*\) files.*/\1/p' "$tmp/said" | head -n 1)
    is "$(moved "$name" POSIX p?write "$tmp/$name.files/")" "$files $((files * 4096))" \
        "$name: writes are those of the files that it reports"
    is "$(moved "$name" POSIX 'unlink|remove' "$tmp/$name.files/" | cut -d ' ' -f 1)" "$files" \
        "$name: so are the files that it removes"
    agrees "$name" "$tmp/$name.files/"
done
[ "${IOR:-}" ] || skip 1 "no IOR was given (IOR='PROGRAM…')"

# --- h5bench -------------------------------------------------------------------------

if [ ! "${H5BENCH:-}" ]; then
    skip 1 "no h5bench was given (H5BENCH=SOURCES)"
    done_testing
    exit
fi

# OPERATION SETTING…: a configuration of the patterns of h5bench
configure () {
    local name=$1
    shift
    printf '%s\n' "IO_OPERATION=$name" MEM_PATTERN=CONTIG FILE_PATTERN=CONTIG TIMESTEPS=2 \
        DELAYED_CLOSE_TIMESTEPS=1 COLLECTIVE_DATA=YES COLLECTIVE_METADATA=YES \
        'EMULATED_COMPUTE_TIME_PER_TIMESTEP=0 s' NUM_DIMS=1 DIM_1=4096 DIM_2=1 DIM_3=1 \
        READ_OPTION=FULL "$@" >"$tmp/h5bench.cfg"
}

# "Total write size: 1.500 MB", of 1024 each -> bytes
total () {
    awk '/^Total (write|read|modify) size:/ {
        print $4 * (1024 ^ index ("KMG", substr ($5, 1, 1))) }' "$tmp/said"
}

kernel () { # NAME PROGRAM CALLS OPERATION SETTING…
    local name=$1-$family program=$2 calls=$3
    shift 3
    configure "$@"
    watched "$name" mpiio,hdf5 "$family" "$ranks" "$tmp/$family-$program" "$tmp/h5bench.cfg" \
        "$tmp/$family.h5"
    is "$(moved "$name" HDF5 "$calls" | cut -d ' ' -f 2)" "$(total)" \
        "$name: bytes of datasets are those of h5bench"
    agrees "$name" "$tmp/$family.h5"
}

for family in "${families[@]}"; do
    if ! command -v "h5pcc.$family" >/dev/null; then
        skip 1 "no parallel HDF5 for $family (libhdf5-$family-dev)"
        continue
    fi
    (
        cd "$tmp" || exit
        build () {
            local program=$1
            shift
            "h5pcc.$family" -shlib -w -I"$H5BENCH/commons" -o "$tmp/$family-$program" "$@" -lm
        }
        for pattern in write read overwrite append write_unlimited; do
            build $pattern "$H5BENCH/h5bench_patterns/h5bench_$pattern.c" \
                "$H5BENCH/commons/h5bench_util.c"
        done
        build exerciser "$H5BENCH/exerciser/h5bench_exerciser.c"
        build iotest "$H5BENCH"/metadata_stress/{hdf5_iotest,configuration,dataset,ini}.c \
            "$H5BENCH/commons/h5bench_util.c"
    ) >"$tmp/err" 2>&1
    if [ ! -x "$tmp/$family-iotest" ]; then
        fail "$family: h5bench does not build"
        diag "$(tail -n 20 "$tmp/err")"
        continue
    fi
    kernel write write H5Dwrite WRITE
    kernel read read H5Dread READ
    kernel read-partial read H5Dread READ READ_OPTION=PARTIAL TO_READ_NUM_PARTICLES=2048
    kernel overwrite overwrite H5Dwrite OVERWRITE
    kernel write-2d write H5Dwrite WRITE FILE_PATTERN=INTERLEAVED NUM_DIMS=2 DIM_1=64 DIM_2=64
    kernel write-independent write H5Dwrite WRITE COLLECTIVE_DATA=NO COLLECTIVE_METADATA=NO
    kernel write-chunked write_unlimited H5Dwrite WRITE COMPRESS=YES CHUNK_DIM_1=1024
    kernel append append H5Dwrite APPEND

    # Two that report times only.
    cat >"$tmp/iotest.ini" <<INI
[DEFAULT]
version = 0
steps = 2
arrays = 3
rows = 10
columns = 20
process-rows = 2
process-columns = $((ranks / 2))
scaling = weak
dataset-rank = 4
slowest-dimension = step
layout = chunked
mpi-io = collective
hdf5-file = $tmp/$family-iotest.h5
csv-file = $tmp/$family-iotest.csv
INI
    watched "iotest-$family" mpiio,hdf5 "$family" "$ranks" "$tmp/$family-iotest" "$tmp/iotest.ini"
    # Each rank writes each array of each step, of doubles.
    is "$(moved "iotest-$family" HDF5 H5Dwrite)" "$((2 * 3 * ranks)) $((2 * 3 * ranks * 10 * 20 * 8))" \
        "iotest-$family: calls and bytes are those of its configuration"
    agrees "iotest-$family" "$tmp/$family-iotest.h5"
    mkdir "$tmp/exercise-$family"
    cd "$tmp/exercise-$family" || exit 1 # its file has a name of its own
    watched "exerciser-$family" mpiio,hdf5 "$family" 2 "$tmp/$family-exerciser" --numdims 1 \
        --minels 8 --nsizes 1 --bufmult 2 --dimranks 2 --addattr --keepfile
    cd "$OLDPWD" || exit 1
    agrees "exerciser-$family" "$tmp/exercise-$family/hdf5TestFile" "$tmp/exercise-$family"
done

done_testing
