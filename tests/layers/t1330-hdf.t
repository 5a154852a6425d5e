#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1330-hdf.t - layers hdf5, netcdf and pnetcdf on the real libraries that are
#               installed: calls and bytes of each object are those of the program

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/mpi.sh"

sources=$top_srcdir/tests/victims/hdf

# JOB CATEGORY -> "rank call object count bytes", as the programs print them
counted ()
{
    "$dftrace" export -f jsonl "$tmp/$1" | python3 -c '
import collections, json, sys
calls, moved = collections.Counter(), collections.Counter()
for line in sys.stdin:
    e = json.loads(line)
    if e["cat"] != sys.argv[1]:
        continue
    size = e["size"] if "iput" in e["name"] or "iget" in e["name"] else max(e["ret"], 0)
    for name in {e.get("file2", "-"), "-"}:
        key = (e.get("rank", 0), e["name"], name)
        calls[key] += 1
        moved[key] += size if "size" in e and e["name"] != "ncmpi_wait" else 0
for key in calls:
    print(*key, calls[key], moved[key])
' "$2" | sort
}

# column NAME FILE: of a table in CSV
column ()
{
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { print $at }' "$2"
}

sum () { awk '{ n += $1 } END { print n + 0 }'; }

# JOB CATEGORY: bytes of POSIX reads and writes of files in calls of that layer
inside ()
{
    "$dftrace" export -f jsonl "$tmp/$1" | python3 -c '
import json, sys
threads, moved = {}, 0
for line in sys.stdin:
    e = json.loads(line)
    if "dur_ns" in e:
        threads.setdefault((e["pid"], e["tid"]), []).append(e)
for events in threads.values():
    for c in (e for e in events if e["cat"] == sys.argv[1]):
        begin, end = c["time_ns"], c["time_ns"] + c["dur_ns"]
        for e in events:
            ends = e["time_ns"] + e["dur_ns"]
            path = e.get("file", "")
            if e["cat"] == "POSIX" and begin < ends <= end and path[:1] == "/" and \
                    not path.startswith(("/dev/", "/proc/", "/sys/")):
                if e["name"] in ("read", "write", "pread", "pwrite", "readv", "writev",
                                 "preadv", "pwritev"):
                    moved += max(e["ret"], 0)
print(moved)
' "$2"
}

# NAME PROGRAM… : the program says the same, traced, and all of it is in the trace
same ()
{
    local name=$1 category=$2 layers=$3
    shift 3
    "$dftrace" run -q -o "$tmp/$name" --layers "posix,$layers" -- "$@" >"$tmp/said" 2>"$tmp/err"
    is "$?$(cat "$tmp/err")" 0 "$name: it runs"
    sort "$tmp/said" | grep -v ' errors ' >"$tmp/sorted"
    counted "$name" "$category" >"$tmp/seen"
    is "$(comm -23 "$tmp/sorted" "$tmp/seen")" "" "$name: calls and bytes are those of the program"
    cmp_num "$(wc -l <"$tmp/sorted")" -ge 10 "$name: of many kinds"
    is "$(health "$name" lost)$(health "$name" lost_names)" 00 "$name: nothing was lost"
}

# --- HDF5 by itself -------------------------------------------------------------

if command -v h5cc >/dev/null && hdf5_cc h5cc -o "$tmp/h5real" "$sources/h5real.c" 2>"$tmp/err"; then
    "$tmp/h5real" "$tmp/one.h5" >"$tmp/untraced"
    same h5 HDF5 hdf5 "$tmp/h5real" "$tmp/one.h5"
    is "$(diff "$tmp/untraced" "$tmp/said")" "" "the list of errors is the same"
    "$dftrace" export -f jsonl "$tmp/h5" >"$tmp/events"
    is "$(grep -c '"H5Awrite".*"file2":"/"' "$tmp/events")" 1 "what exit handlers do is there"
    is "$(grep '"H5Dwrite".*"/words"' "$tmp/events" | sed 's/.*"flags":\([0-9]*\).*/\1/')" \
        $((4 + 32 + 512)) "a type without a fixed size has no bytes"
    is "$(grep '"H5Dwrite".*"/small"' "$tmp/events" | sed 's/.*"flags":\([0-9]*\).*/\1/')" \
        $((64 + 256 + 512)) "a dataset is chunked and compressed"
    is "$(grep '"H5Dwrite".*"/fields/chunks"' "$tmp/events" | grep -c '"h5.chunk":4096')" 1 \
        "bytes of a chunk, once"
    is "$(grep '"H5Dopen".*"/nowhere"' "$tmp/events" | grep -c '"ret":-1,"errno":5')" 1 \
        "what failed has failed"
    DFTRACE_EXCLUDE="$tmp" "$dftrace" run -q -o "$tmp/none" --layers posix,hdf5 -- \
        "$tmp/h5real" "$tmp/one.h5" >"$tmp/said"
    is "$?$(events none | grep -c ' H5')" 00 "files that filters leave out are left out"
else
    skip 1 "no HDF5 is installed (libhdf5-dev)"
fi

if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    cat >"$tmp/h5.py" <<'PY'
import sys, h5py, numpy
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("a/x", data=numpy.arange(1000.0), chunks=(100,), compression="gzip")
    f["y"] = numpy.arange(10, dtype="i4")
with h5py.File(sys.argv[1]) as f:
    print(f["a/x"][10:20].sum(), f["y"][...].sum())
PY
    "$dftrace" run -q -o "$tmp/h5py" --layers posix,hdf5 -- /usr/bin/python3 "$tmp/h5.py" \
        "$tmp/py.h5" >"$tmp/said"
    is "$?$(cat "$tmp/said")" "0145.0 45" "h5py: it runs"
    is "$(counted h5py HDF5 | grep -E ' H5D(write|read) (/|- 2)')" \
        "0 H5Dread - 2 120
0 H5Dread /a/x 1 80
0 H5Dread /y 1 40
0 H5Dwrite - 2 8040
0 H5Dwrite /a/x 1 8000" "h5py: datasets and bytes"
else
    skip 1 "no h5py is installed (python3-h5py)"
fi

# --- NetCDF ----------------------------------------------------------------------

if cc -o "$tmp/ncreal" "$sources/ncreal.c" -lnetcdf 2>/dev/null; then
    "$dftrace" run -q -o "$tmp/nc" --layers posix,hdf5,netcdf -- "$tmp/ncreal" "$tmp/one.nc" \
        >"$tmp/said" 2>"$tmp/err"
    is "$?$(cat "$tmp/err")" 0 "NetCDF: it runs"
    counted nc NETCDF >"$tmp/seen"
    is "$(sed 's/^/0 /' "$tmp/said" | sort | comm -23 - "$tmp/seen")" "" \
        "NetCDF: calls and bytes are those of the program"
    is "$(counted nc HDF5 | grep -c ' H5Dwrite /series 3 384')" 1 \
        "NetCDF: and HDF5 has the same below it"
    for layer in netcdf hdf5; do
        "$dftrace" analyze "$tmp/nc" --view "$layer" -f csv >"$tmp/view"
        is "$(column posix_bytes "$tmp/view" | sum)" "$(inside nc "${layer^^}")" \
            "NetCDF: POSIX below $layer is what lies in its calls"
    done
else
    skip 1 "no NetCDF is installed (libnetcdf-dev)"
fi

if /usr/bin/python3 -c 'import netCDF4' 2>/dev/null; then
    cat >"$tmp/nc.py" <<'PY'
import sys, netCDF4, numpy
d = netCDF4.Dataset(sys.argv[1], "w")
d.createDimension("t", None); d.createDimension("x", 20)
v = d.createVariable("v", "f8", ("t", "x"), zlib=True)
for i in range(3):
    v[i, :] = numpy.arange(20.0)
d.close()
print(netCDF4.Dataset(sys.argv[1])["v"][:].sum())
PY
    "$dftrace" run -q -o "$tmp/nc4" --layers posix,hdf5,netcdf -- /usr/bin/python3 "$tmp/nc.py" \
        "$tmp/py.nc" >"$tmp/said"
    is "$?$(cat "$tmp/said")" "0570.0" "netCDF4: it runs"
    is "$(counted nc4 NETCDF | grep /v)" "0 nc_get /v 1 480
0 nc_put /v 3 480" "netCDF4: variables and bytes"
    is "$(counted nc4 HDF5 | grep -E 'H5D(read|write) /')" "0 H5Dread /v 1 480
0 H5Dwrite /v 3 480" "netCDF4: and HDF5 has the same below it"
else
    skip 1 "no netCDF4 is installed (python3-netcdf4)"
fi

# --- ranks -------------------------------------------------------------------------

for family in openmpi mpich; do
    if ! command -v "mpirun.$family" >/dev/null; then
        skip 1 "$family is not installed"
        continue
    fi
    if command -v "h5pcc.$family" >/dev/null &&
        hdf5_cc "h5pcc.$family" -DPARALLEL -o "$tmp/h5-$family" "$sources/h5real.c" 2>"$tmp/err"; then
        same "h5-in-$family" HDF5 mpiio,hdf5 "mpirun.$family" -n 4 "$tmp/h5-$family" "$tmp/p.h5"
        "$dftrace" export -f jsonl "$tmp/h5-in-$family" >"$tmp/events"
        "$dftrace" analyze "$tmp/h5-in-$family" --view hdf5 -f csv >"$tmp/view"
        is "$(column posix_bytes "$tmp/view" | sum)" "$(inside "h5-in-$family" HDF5)" \
            "$family: POSIX below HDF5 is what lies in its calls"
        cmp_num "$(column mpiio_calls "$tmp/view" | sum)" -gt 40 "$family: by MPI-IO"
        is "$(awk -F, '$1 == "/fields/chunks" { print $7, $8, $9, $17, $18 }' "$tmp/view")" \
            "131072 16 0 chunked 4096" "$family: a dataset with its bytes, mode, layout"
        is "$(awk -F, '$1 == "/fields/plain" { print $3, $5, $7, $8, $9 }' "$tmp/view")" \
            "48 65536 262144 4 16" "$family: attributes are not among its bytes"
        is "$(grep '"H5Dwrite".*"/fields/chunks"' "$tmp/events" | grep -c '"flags":65,')" 16 \
            "$family: collective writes of a chunked dataset"
        is "$(grep '"H5Dwrite".*"/fields/plain"' "$tmp/events" | grep -c '"flags":34,')" 16 \
            "$family: independent writes of a contiguous one"
    else
        skip 1 "no parallel HDF5 for $family (libhdf5-$family-dev)"
    fi
    # Debian's PnetCDF is built with one of them.
    if ldconfig -p | grep -q libpnetcdf.so &&
        "mpicc.$family" -o "$tmp/pnc-$family" "$sources/pncreal.c" -lpnetcdf 2>/dev/null &&
        [ "$(ldd "$tmp/pnc-$family" | grep -c 'libmpi\.so\|libmpich\.so')" = 1 ]; then
        same "pnetcdf-in-$family" PNETCDF mpiio,pnetcdf "mpirun.$family" -n 4 \
            "$tmp/pnc-$family" "$tmp/p.nc"
    else
        skip 1 "no PnetCDF for $family (libpnetcdf-dev)"
    fi
done

done_testing
