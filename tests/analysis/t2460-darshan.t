#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2460-darshan.t - logs of Darshan: counters, DXT, versions, packing, damage. The
#                   logs are written by tests/tools/darshanlog.py

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

logs=$tmp/logs
mkdir "$logs"
PYTHONPATH=$top_srcdir/tests/tools python3 - "$logs" <<'END' || fail "logs written"
import sys
import darshanlog as d
path = sys.argv[1] + "/"
# rank 0: 3 opens (1 dup), 10 reads of 1000 B, 5 writes of 4096 B; rank 1: 2 reads
posix = {0: 3, 2: 1, 3: 10, 4: 5, 5: 2, 6: 1, 8: 1, 14: 10000, 15: 20480}
times = {1: 1.0, 2: 2.0, 5: 1.5, 6: 3.0, 8: 0.25, 9: 0.5, 10: 0.125, 11: 0.1, 12: 0.2}
stdio = {0: 2, 1: 0, 2: 7, 3: 8, 4: 1, 5: 2, 6: 800, 7: 700}
stdio_f = {0: 0.5, 1: 0.25, 2: 0.125}
mpi = {1: 4, 5: 6, 10: 1, 12: 4, 15: 6000}
mpi_f = {8: 0.0, 9: 1.5, 10: 0.25, 12: 0.5}
records = [(d.POSIX, "/s/one", 0, posix, times),
           (d.POSIX, "/s/one", 1, {0: 1, 3: 2, 14: 2000}, {8: 0.5, 11: 0.3}),
           (d.POSIX, "/s/shared", -1, {0: 4, 4: 8, 15: 8192}, {9: 2.0}),
           (d.STDIO, "/s/text", 0, stdio, stdio_f),
           (d.MPIIO, "/s/shared", -1, mpi, mpi_f)]
mounts = (("lustre", "/s"), ("ext4", "/"))
stripes = [("/s/one", 1 << 20, 1), ("/s/shared", 4 << 20, 8)]
d.write (path + "counters.darshan", records, mounts=mounts, stripes=stripes)
for packing in "bzip2", "none":
    d.write (path + packing + ".darshan", records, mounts=mounts, stripes=stripes,
             packing=packing)
d.write (path + "streams.darshan", records, mounts=mounts, stripes=stripes, streams=7)
d.write (path + "big.darshan", records, mounts=mounts, stripes=stripes, order=">")
old = [r for r in records]
old[0] = (d.POSIX, "/s/one", 0, {k: v for k, v in posix.items () if k != 2} | {0: 2}, times)
for version, p, m in ("3.00", 1, 1), ("3.10", 2, 2), ("3.21", 3, 2):
    d.write (path + "v" + version + ".darshan", old, mounts=mounts, stripes=stripes,
             version=version, posix=p, mpiio=m)
# DXT: the counters of the same calls are not added to them
seg = [("/s/x", r, w, i * 100, 100, 1 + i / 10, 1 + i / 10 + 0.05, 5 + i % 2)
       for r in range (2) for w in (0, 1) for i in range (4)]
d.write (path + "dxt.darshan",
         [(d.POSIX, "/s/x", r, {0: 1, 3: 5, 4: 4, 14: 500, 15: 400}, {8: 0.3, 9: 0.2})
          for r in range (2)], seg)
# MPI-IO above POSIX, of one kind: nested
mseg = [("/s/x", 0, 1, 0, 1000, 1.0, 2.0, 5)]
pseg = [("/s/x", 0, 1, i * 250, 250, 1.1 + i / 10, 1.15 + i / 10, 5) for i in range (4)]
d.write (path + "mpi.darshan",
         [(d.POSIX, "/s/x", 0, {4: 4, 15: 1000}, {9: 0.2}),
          (d.MPIIO, "/s/x", 0, {5: 1, 15: 1000}, {9: 1.0})], pseg, mseg)
d.write (path + "partial.darshan", records, partial=1 << d.POSIX)
d.write (path + "empty.darshan")
# HDF5 and PnetCDF: of two ranks, and of all; names with colons; old versions
h5f = {0: 2, 1: 3}
h5d = {0: 2, 1: 4, 2: 5, 3: 1, 4: 4000, 5: 5000}
above = [(d.H5F, "/s/a:b.h5", -1, h5f, {4: 0.25}),
         (d.H5D, "/s/a:b.h5:/g/x", -1, h5d, {8: 0.5, 9: 0.75, 10: 0.125}),
         (d.H5D, "/s/a:b.h5:/y", 0, {0: 1, 2: 1, 5: 80}, {9: 0.1}),
         (d.PNETCDF_FILE, "/s/p.nc", -1, {0: 4, 1: 2, 3: 1, 4: 2, 5: 3}, {6: 0.5, 7: 0.25}),
         (d.PNETCDF_VAR, "/s/p.nc:t", -1, {1: 1, 3: 2, 2: 3, 4: 4, 6: 5, 7: 300, 8: 700}, {9: 1}),
         (d.PNETCDF_VAR, "/s/p.nc:u", -1, {5: 6, 7: 600}, {8: 2})]
d.write (path + "above.darshan", above)
d.write (path + "above-big.darshan", above, order=">")
for version, f in ("3.00", 1), ("3.10", 2):
    d.write (path + "h5f" + version + ".darshan", [above[0], above[3]], version=version,
             h5f=f, pnetcdf=f)
d.write (path + "h5d1.darshan", above[:3], version="3.21", h5d=1)
d.write (path + "nofile.darshan", above[1:2])
# heat maps: of two ranks and three interfaces, of two widths
heats = [("POSIX", 0, 0.4, [0, 100, 0, 7], [9, 0, 0, 0]),
         ("POSIX", 1, 0.4, [0, 20, 0, 0], [0, 0, 0, 1]),
         ("STDIO", 0, 0.8, [0, 0], [3, 0]), ("MPIIO", 0, 0.4, [5] * 4, [5] * 4)]
for order in "<", ">":
    d.write (path + "heat" + "b" * (order > "<") + ".darshan", records, heats=heats, order=order)
d.write (path + "wild.darshan", records, heats=[
    ("POSIX", 0, float ("nan"), [1], [1]), ("POSIX", 0, -1, [1], [1]),
    ("POSIX", 0, 0.1, [-1] * 300, [1] * 300), ("POSIX", 0, 0.1, [1 << 62, 5], [0, -5])])
d.write (path + "hidden.darshan", records, heats=[("4711", 0, 0.1, [1], [2])])
# segments of DXT beside heat maps, which count the same bytes
for name, heats in (("heat-dxt", heats), ("heat-dxt-only", [("4711", 0, 0.1, [1], [2])]),
                    ("heat-dxt-streams", [("STDIO", 0, 0.1, [3, 0], [0, 0])])):
    d.write (path + name + ".darshan", records, [("/s/a", 0, 0, 0, 10, 0.1, 0.2, 5), ("/s/a", 0, 1, 0, 9, 0.1, 0.2, 5)],
             heats=heats)
# the most used sizes and strides, of reads and writes together; of /s/b DXT has some
common = {3: 40, 4: 60, 14: 400, 15: 600, 49: 4096, 50: 1 << 33, 51: 12, 53: 20, 54: 15, 55: 3,
          57: 1000, 58: 24, 59: 10, 60: 9, 61: 50, 62: 30, 63: 5, 64: 5}
for order, name in ("<", "common"), (">", "common-big"):
    d.write (path + name + ".darshan",
             [(d.POSIX, "/s/a", 0, common, {}), (d.POSIX, "/s/a", 1, common, {}),
              (d.STDIO, "/s/a", 0, {2: 7, 3: 8, 6: 800, 7: 700}, {}),
              (d.POSIX, "/s/b", 0, {3: 5, 4: 4, 57: 10, 61: 9, 49: 3, 53: 9}, {})],
             [("/s/b", 0, 0, 30 * i, 10, 1 + i / 10, 1 + i / 10 + 0.05, 5) for i in range (4)], order=order)
d.write (path + "common-wild.darshan", [(d.POSIX, "/s/a", 0, {3: 2, 4: 1, 57: -1, 58: 1 << 62, 59: 7, 61: 3,
                                                              62: 4, 63: 1 << 60, 49: 5, 53: -9, 54: 2}, {})])
# all ranks added up, with and without records of single ones
d.write (path + "shared.darshan", records[2:3])
d.write (path + "single.darshan", records[:2])
END

csv () { "$dftrace" analyze --no-write "$logs/$1.darshan" --view "$2" -f csv 2>"$tmp/err"; }
# count, bytes, sum of a call
call () { csv "$1" call | awk -F, -v n="$2" '$2 == n { print $3, $(NF - 2), $5 }'; }

is "$(call counters open)" "7  0.125" "opens: without the dup; the time of metadata"
is "$(call counters dup)" "1  0" "the dup"
is "$(call counters read)" "12 12000 0.75" "reads of two ranks"
is "$(call counters write)" "13 28672 2.5" "writes, of a rank and of all"
is "$(call counters lseek)" "2  0" "seeks"
is "$(call counters fread)" "7 700 0.125" "reads of streams"
is "$(call counters fwrite)" "8 800 0.25" "writes of streams"
is "$(call counters MPI_File_write_all)" "6 6000 1.5" "collective writes"
is "$(csv counters mount | sed -n 2p | cut -d, -f1,2,4)" "/s,lustre,3" "the mount"
is "$(csv counters file | awk -F, '/shared$/ { print $(NF - 4), $(NF - 2), $(NF - 1) }')" \
    "lustre 8 4194304" "striping"
is "$(csv counters shared | awk -F, 'NR > 1 { print $2, $5, $6, $NF }')" \
    "2 12 12000 /s/one" "the file of two ranks"
is "$(csv counters process | sed 1d | cut -d, -f1,2,4 | sort | xargs)" \
    "-,1,0 -,2,1 -,5," "a process for each rank, one for what is of all"

for log in none streams big; do
    csv $log call >"$tmp/said"
    ok "$log: the same" diff "$tmp/said" <(csv counters call)
done
if grep -q '#define HAVE_BZIP2 1' "$top_builddir/config.h"; then
    ok "bzip2: the same" diff <(csv bzip2 call) <(csv counters call)
else
    exits 1 "bzip2: an error where this build cannot read it" "$dftrace" analyze --no-write "$logs/bzip2.darshan"
fi
for v in 3.00 3.10 3.21; do
    is "$(csv v$v call | grep -v ,dup, | cut -d, -f1-5)" \
        "$(csv counters call | grep -v ,dup, | cut -d, -f1-5)" "format $v: the same"
done

# DXT
is "$(call dxt read | cut -d' ' -f1,2)" "10 1000" "reads: 8 of DXT, 2 of the counters alone"
is "$(call dxt write | cut -d' ' -f1,2)" "8 800" "writes: all of DXT, once"
"$dftrace" export -f jsonl "$logs/dxt.darshan" 2>/dev/null >"$tmp/events"
is "$(wc -l <"$tmp/events")" 16 "an event for each segment"
is "$(jq -r '[.host, .rank, .tid] | join (" ")' "$tmp/events" | sort -u | xargs)" \
    "node0 0 1 node0 0 2 node1 1 2 node1 1 3" "their nodes, ranks, threads"
is "$(jq -r 'select (.name == "write" and .rank == 1 and .offset == 300) |
    [.time_ns, .dur_ns, .ret, .file] | join (" ")' "$tmp/events")" \
    "1600000001300000000 50000000 100 /s/x" "one of them"
is "$(csv mpi mpiio | sed -n 2p | cut -d, -f1,2,5,7,9)" "collective writes,1,1000,4,1000" \
    "POSIX calls inside a collective write"

# Sizes and strides
for log in common common-big; do
    is "$(csv $log accesssize | sed 1d | cut -d, -f2-4,6- | sort -s -t, -k6,6)" "read,,7,7,,/s/a
write,,8,8,,/s/a
both,1000,100,20,1,/s/a
both,24,60,20,1,/s/a
both,9,10,20,1,/s/a
both,10,10,20,1,/s/a
both,,20,20,,/s/a
read,10,4,1,1,/s/b
read,,1,1,,/s/b
write,,4,4,,/s/b" "$log: sizes of two ranks; of streams, and beside DXT, they are not known"
    is "$(csv $log accessstride | sed 1d | cut -d, -f2-4,6- | sort -s -t, -k6,6)" "both,4096,40,124,1,/s/a
both,8589934592,30,124,1,/s/a
both,12,6,124,1,/s/a
both,,124,124,,/s/a
read,20,3,1,1,/s/b
read,0,1,1,1,/s/b
read,,1,1,,/s/b" "$log: strides"
done
is "$(csv common-wild accesssize | sed 1d | cut -d, -f2-4,6- | sort -s -t, -k6,6)" "both,,3,3,,/s/a" "counters that make no sense are left out"

# Heat maps: one width of row, in which each slice is as a whole
for log in heat heatb; do
    is "$(csv $log timemap | cut -d, -f2-)" \
        "$(csv heat timemap | head -n 1 | cut -d, -f2-)
0.8,,120,,,12,,,
0.8,,7,,,1,,," "$log: bytes of POSIX and streams, of all ranks; no calls, no times"
done
is "$(csv heat-dxt timemap)" "$(csv heat timemap)" "what segments moved is in the heat map already"
is "$(csv heat-dxt-only timemap | awk -F, 'NR > 1 { r += $4; w += $7 } END { print NR, r + 0, w + 0 }')" "1 0 0" \
    "no heat map that can be read: none"
is "$(csv heat-dxt-streams timemap | awk -F, 'NR > 1 { r += $4; w += $7 } END { print r + 0, w + 0 }')" "13 9" \
    "a heat map of streams only: the segments beside it"
is "$(csv counters timemap | wc -l) $(csv wild timemap | sed 1d | cut -d, -f2-)" \
    "1 0.1,,0,,,0,,,
0.1,,5,,,0,,," "none without, and nothing of what no job does"
is "$(csv hidden timemap | wc -l) $(csv hidden health | grep -c 'not read')" "1 1" "hidden names: the table of files says not read"
mkdir "$tmp/page"
cp "$logs/heat.darshan" "$tmp/page"
"$dftrace" report -o "$tmp/heat.html" "$tmp/page" >/dev/null 2>&1
is "$(grep -c 'id="fig-rates"' "$tmp/heat.html") $(grep -c 'id="fig-busy"' "$tmp/heat.html")" "1 0" \
    "the page: bandwidth over time, and no threads"

# Several logs are a job; they are no shards.
mkdir -p "$tmp/both/shards"
cp "$logs/counters.darshan" "$logs/mpi.darshan" "$tmp/both/shards"
is "$("$dftrace" analyze --no-write "$tmp/both" --view call -f csv 2>/dev/null |
    awk -F, '$2 == "write" { print $3 }')" 17 "two logs of a directory"
exits 1 "they are not merged" "$dftrace" merge "$tmp/both"
like "$(cat "$tmp/err")" "logs of Darshan cannot be merged" "the error says why merge has nothing to do"

# Damage
csv partial health >"$tmp/out"
like "$(cat "$tmp/out")" "modules that ran out of memory" "partial modules are said"
exits 5 "and the exit status is 5" "$dftrace" analyze --no-write "$logs/partial.darshan"
exits 0 "a job without I/O" "$dftrace" analyze --no-write "$logs/empty.darshan"
size=$(stat -c %s "$logs/counters.darshan")
bad=
for ((n = 0; n < size; n += 97)); do
    head -c $n "$logs/counters.darshan" >"$tmp/cut.darshan"
    timeout 300 "$dftrace" analyze --no-write "$tmp/cut.darshan" >/dev/null 2>"$tmp/err"
    case $? in 1 | 5) ;; *) bad+=" $n:$?" ;; esac
done
is "$bad" "" "cut anywhere: 1 or 5"
head -c $((size - 100)) "$logs/counters.darshan" >"$tmp/cut.darshan"
"$dftrace" analyze --no-write "$tmp/cut.darshan" --view health -f csv >"$tmp/out" 2>/dev/null
like "$(cat "$tmp/out")" "damaged or cut off" "the output says damaged or cut off"
printf '2.06\0\0\0\0%4000s' x >"$tmp/two.darshan"
exits 1 "a log of Darshan 2" "$dftrace" analyze --no-write "$tmp/two.darshan"
like "$(cat "$tmp/err")" "Darshan 2.06: versions 3.00 to 3.41 are read" "is named as such"

# --- HDF5, PnetCDF --------------------------------------------------------------
for log in above above-big; do
    is "$(call $log H5Fopen) $(call $log H5Fflush)" "2  0.25 3  0" "$log: files"
    is "$(call $log H5Dread) $(call $log H5Dwrite)" "4 4000 0.5 6 5080 0.85" "datasets"
    is "$(call $log H5Dopen) $(call $log H5Dflush)" "3  0.125 1  0" "opened, flushed"
    is "$(call $log ncmpi_create) $(call $log ncmpi_open)" "4  0.5 2  0" "PnetCDF"
    is "$(call $log ncmpi_wait) $(call $log ncmpi_sync)" "3  0.25 3  0" "waits"
    is "$(call $log ncmpi_get) $(call $log ncmpi_put)" "3 300 0 7 700 1" "variables"
    is "$(call $log ncmpi_iput) $(call $log ncmpi_iget)" "5  0 6  2" \
        "posts"
done
# columns of a table by their names
columns ()
{
    csv "$1" "$2" | python3 -c 'import csv, sys
for r in csv.DictReader (sys.stdin):
    print (*(r[c] or "n/a" for c in sys.argv[1:]), sep="|")' "${@:3}"
}
is "$(columns above hdf5 object count read_count read_bytes write_count \
    write_bytes collective_count posix_calls path | sort)" "/g/x|12|4|4000|5|5000|n/a|n/a|/s/a:b.h5
/y|2|0|0|1|80|n/a|n/a|/s/a:b.h5
n/a|5|0|0|0|0|n/a|n/a|/s/a:b.h5" "a row for each dataset; n/a is what a log has not"
is "$(columns above pnetcdf object read_count read_bytes write_count \
    write_bytes collective_count independent_count path | sort)" "n/a|0|0|0|0|0|0|/s/p.nc
t|3|300|12|700|6|4|/s/p.nc
u|6|600|0|0|0|0|/s/p.nc" "and for each variable"
is "$(call h5f3.00 H5Fopen) $(call h5f3.10 H5Fopen) $(call h5f3.10 H5Fflush)" \
    "2  0 2  0 " "old records of files have opens"
is "$(call h5f3.00 ncmpi_open) $(call h5f3.10 ncmpi_open) $(call h5f3.10 ncmpi_wait)" \
    "6  0 6  0 " "independent and collective ones"
is "$(columns h5d1 hdf5 object path | sort | tail -n 3 | head -n 2)" \
    "/g/x|/s/a:b.h5
/y|/s/a:b.h5" "old ones of datasets have no file"
is "$(columns nofile hdf5 object path)" "/g/x|/s/a:b.h5" "nor do those of a log without"

# --- how many processes ---------------------------------------------------------
processes () {
    "$dftrace" analyze --no-write "$logs/$1.darshan" 2>/dev/null | sed -n '1s/^[^:]*: \([0-9]*\) process.*/\1/p'
}
is "$(processes shared) $(processes counters) $(processes above) $(processes single) $(processes empty)" \
    "4 4 4 2 4" "what was added up over all ranks is no process of its own"
done_testing
