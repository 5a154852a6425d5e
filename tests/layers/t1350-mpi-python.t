#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1350-mpi-python.t - mpi4py and h5py with MPI: calls and bytes are those of the
#                      program, POSIX below is that of strace; functions with
#                      large counts, which mpi4py looks for
#
# MPI4PY=PYTHON: an interpreter with another mpi4py (and numpy); the one of PyPI
# looks for functions of MPI 4 by weak references.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/mpi.sh"

((${#families[@]})) ||
    skip_all "no MPI is installed (libopenmpi-dev openmpi-bin, libmpich-dev mpich)"

# --- functions that only newer MPIs have ----------------------------------------

for family in "${families[@]}"; do
    if ! "mpicc.$family" -o "$tmp/large" "$top_srcdir/tests/victims/mpi/mpilarge.c" \
        2>"$tmp/err"; then
        skip 1 "$family: its compiler does not work"
        continue
    fi
    "mpirun.$family" -n 4 "$tmp/large" "$tmp/large.out" >"$tmp/untraced" 2>/dev/null
    cp "$tmp/large.out" "$tmp/large.want"
    rm "$tmp/large.out"
    watched "large-$family" mpiio "$family" 4 "$tmp/large" "$tmp/large.out"
    is "$(cat "$tmp/said")" "$(cat "$tmp/untraced")" "$family: large counts: the results are the same"
    ok "$family: so is the file" cmp -s "$tmp/large.out" "$tmp/large.want"
    is "$(moved "large-$family" MPIIO 'MPI_File_(read|write)_at(_all)?|MPI_iwrite_done' |
        cut -d ' ' -f 2)" "$(sed 's/bytes //' "$tmp/said")" "$family: and the bytes of the trace"
done

# --- mpi4py ------------------------------------------------------------------------

cat >"$tmp/mpi.py" <<'PY'
import sys
from mpi4py import MPI

comm = MPI.COMM_WORLD
data = bytearray(b"x" * 4096)
f = MPI.File.Open(comm, sys.argv[1], MPI.MODE_CREATE | MPI.MODE_RDWR)
for i in range(5):
    f.Write_at_all((i * comm.size + comm.rank) * 4096, data)
for i in range(3):
    f.Read_at(comm.rank * 4096, data)
request = f.Iwrite_at(comm.rank * 4096, data)
request.Wait()
comm.Barrier()
f.Close()
if comm.rank == 0:
    print(comm.size * 5, comm.size * 5 * 4096)
    print(comm.size * 3, comm.size * 3 * 4096)
    print(comm.size, comm.size * 4096)
PY

mpi4py () { # NAME FAMILY PYTHON
    watched "$1" mpiio "$2" 4 "$3" "$tmp/mpi.py" "$tmp/$1.bin"
    is "$(moved "$1" MPIIO MPI_File_write_at_all)
$(moved "$1" MPIIO MPI_File_read_at)
$(moved "$1" MPIIO MPI_iwrite_done)" "$(cat "$tmp/said")" "$1: calls and bytes are those of the program"
    agrees "$1" "$tmp/$1.bin"
}

if command -v mpirun.openmpi >/dev/null && /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
    mpi4py mpi4py openmpi /usr/bin/python3
else
    skip 1 "no mpi4py is installed (python3-mpi4py)"
fi
if [ "${MPI4PY:-}" ]; then
    # The wheel has a module for each ABI; MPICH's is looked for by the ABI's name.
    mkdir "$tmp/abi"
    ln -s "$(ldconfig -p | sed -n 's/.*libmpich\.so\.12 .*=> //p' | head -n 1)" \
        "$tmp/abi/libmpi.so.12"
    for family in "${families[@]}"; do
        LD_LIBRARY_PATH=$tmp/abi MPI4PY_MPIABI=$family mpi4py "mpi4py-wheel-$family" "$family" "$MPI4PY"
    done
else
    skip 1 "no other mpi4py was given (MPI4PY=python)"
fi

# --- h5py ----------------------------------------------------------------------------

cat >"$tmp/h5.py" <<'PY'
import sys
from mpi4py import MPI
import h5py, numpy

comm = MPI.COMM_WORLD
rows = 1000
data = numpy.full(rows, comm.rank, dtype="f8")
with h5py.File(sys.argv[1], "w", driver="mpio", comm=comm) as f:
    plain = f.create_dataset("plain", (rows * comm.size,), dtype="f8")
    chunked = f.create_dataset("chunked", (rows * comm.size,), dtype="f8", chunks=(rows // 2,))
    mine = slice(comm.rank * rows, (comm.rank + 1) * rows)
    plain[mine] = data
    with chunked.collective:
        chunked[mine] = data
    comm.Barrier()
    with plain.collective:
        assert (plain[mine] == data).all()
if comm.rank == 0:
    # Some versions of h5py read independently in a block `with collective`.
    for name, flag, mode in (("H5Dwrite", 2, "plain"), ("H5Dwrite", 1, "chunked"),
                             ("H5Dread", "?", "plain")):
        print(name, "/" + mode, flag, comm.size, comm.size * rows * 8)
PY
if command -v mpirun.openmpi >/dev/null &&
    mpirun.openmpi -n 1 /usr/bin/python3 -c 'import mpi4py.MPI, h5py
assert h5py.get_config().mpi' >/dev/null 2>&1; then
    watched h5py mpiio,hdf5 openmpi 4 /usr/bin/python3 "$tmp/h5.py" "$tmp/py.h5"
    is "$(python3 - "$tmp/h5py.events" <<'PY'
import collections, json, sys
calls, moved = collections.Counter(), collections.Counter()
for e in map(json.loads, open(sys.argv[1])):
    if e["cat"] == "HDF5" and e["name"] in ("H5Dread", "H5Dwrite"):
        key = e["name"], e["file2"], e["flags"] & 3 if e["name"] == "H5Dwrite" else "?"
        calls[key] += 1
        moved[key] += e["ret"]
for key in sorted(calls, key=str):
    print(*key, calls[key], moved[key])
PY
    )" "$(sort "$tmp/said")" "h5py: calls, modes and bytes of each dataset"
    agrees h5py "$tmp/py.h5"
else
    skip 1 "no h5py with MPI is installed (python3-h5py-mpi)"
fi

done_testing
