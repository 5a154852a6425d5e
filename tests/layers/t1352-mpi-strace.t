#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1352-mpi-strace.t - parallel HDF5, NetCDF and PnetCDF: calls and bytes are those of
#                      the program, POSIX below is that of strace

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/mpi.sh"

((${#families[@]})) ||
    skip_all "no MPI is installed (libopenmpi-dev openmpi-bin, libmpich-dev mpich)"
sources=$top_srcdir/tests/victims/hdf

# NAME CATEGORY -> "rank call object count bytes", as the programs print them
counted () {
    python3 - "$tmp/$1.events" "$2" <<'PY' | sort
import collections, json, sys
calls, moved = collections.Counter(), collections.Counter()
for e in map(json.loads, open(sys.argv[1])):
    if e["cat"] != sys.argv[2]:
        continue
    size = e["size"] if "iput" in e["name"] or "iget" in e["name"] else max(e["ret"], 0)
    for name in {e.get("file2", "-"), "-"}:
        key = (e.get("rank", 0), e["name"], name)
        calls[key] += 1
        moved[key] += size if "size" in e and e["name"] != "ncmpi_wait" else 0
for key in calls:
    print(*key, calls[key], moved[key])
PY
}

check () { # NAME CATEGORY LAYERS FAMILY PROGRAM
    watched "$1" "$3" "$4" 4 "$5" "$tmp/$1.data"
    grep -v ' errors ' "$tmp/said" | sort >"$tmp/sorted"
    cmp_num "$(wc -l <"$tmp/sorted")" -ge 8 "$1: it says what it did"
    is "$(counted "$1" "$2" | comm -23 "$tmp/sorted" -)" "" "$1: calls and bytes are those of the program"
    agrees "$1" "$tmp/$1.data"
}

for family in "${families[@]}"; do
    if command -v "h5pcc.$family" >/dev/null &&
        hdf5_cc "h5pcc.$family" -DPARALLEL -o "$tmp/h5" "$sources/h5real.c" 2>/dev/null; then
        check "hdf5-$family" HDF5 mpiio,hdf5 "$family" "$tmp/h5"
    else
        skip 1 "no parallel HDF5 for $family (libhdf5-$family-dev)"
    fi
    # Debian's PnetCDF and parallel NetCDF are built with one of them.
    if "mpicc.$family" -o "$tmp/pnc" "$sources/pncreal.c" -lpnetcdf 2>/dev/null &&
        [ "$(ldd "$tmp/pnc" | grep -c 'libmpi\.so\|libmpich\.so')" = 1 ]; then
        check "pnetcdf-$family" PNETCDF mpiio,pnetcdf "$family" "$tmp/pnc"
    else
        skip 1 "no PnetCDF for $family (libpnetcdf-dev)"
    fi
    netcdf=$(dirname "$(find /usr/lib -path '*netcdf/mpi/libnetcdf.so' 2>/dev/null | head -n 1)")
    if "mpicc.$family" -I"$netcdf/include" -o "$tmp/nc" "$sources/ncparallel.c" -L"$netcdf" \
        -lnetcdf 2>/dev/null && [ "$(ldd "$tmp/nc" | grep -c 'libmpi\.so\|libmpich\.so')" = 1 ]; then
        check "netcdf-$family" NETCDF mpiio,hdf5,netcdf "$family" "$tmp/nc"
        # Which of them are collective, as HDF5 below was told.
        is "$(jq -r 'select (.name == "H5Dwrite" or .name == "H5Dread") |
            "\(.name) \(.file2) \(if .flags % 2 == 1 then "collective" else "independent" end)"' \
            "$tmp/netcdf-$family.events" | sort | uniq -c | awk '{ print $2, $3, $4, $1 }')" \
            "H5Dread /together collective 12
H5Dwrite /alone independent 12
H5Dwrite /together collective 12" "netcdf-$family: HDF5 below has the same transfers and modes"
    else
        skip 1 "no parallel NetCDF for $family (libnetcdf-mpi-dev)"
    fi
done

done_testing
