#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1340-hdfstub.t - layers hdf5, netcdf and pnetcdf on a stub: each call recorded
#                   once and unchanged, whichever copy of the library it means

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

layers=posix,hdf5,netcdf,pnetcdf
stubs=$victims/hdf

# JOB -> "call object size result flags"; the program prints - where a row has none
hdf_events ()
{
    "$dftrace" export -f jsonl "$tmp/$1" | python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    if e["cat"] in ("HDF5", "NETCDF", "PNETCDF"):
        print(e["name"], e.get("file2", "-"), e.get("size", "-"), e["ret"], e.get("flags", "-"))
'
}


"$stubs/hdfcalls" "$tmp/file" >"$tmp/plain"
for kind in "" narrow; do
    "$stubs/hdfcalls$kind" "$tmp/file" >"$tmp/said" 2>"$tmp/err"
    is "$?$(cat "$tmp/err")" 0 "stub$kind: the program runs untraced"
    "$dftrace" run -q -o "$tmp/job$kind" --layers "$layers" -- \
        "$stubs/hdfcalls$kind" "$tmp/file" >"$tmp/traced" 2>"$tmp/err"
    is "$?$(cat "$tmp/err")$(diff "$tmp/said" "$tmp/traced")" 0 "stub$kind: and traced, the same"
    hdf_events "job$kind" | sort >"$tmp/seen"
    is "$(sort "$tmp/said" | diff - "$tmp/seen")" "" "stub$kind: each call is one event"
    cmp_num "$(wc -l <"$tmp/said")" -ge 30 "stub$kind: many calls"
    is "$(health "job$kind" lost)$(health "job$kind" lost_names)" 00 "stub$kind: nothing was lost"
done
"$dftrace" export -f jsonl "$tmp/job" >"$tmp/events"
is "$(grep -c '"h5.chunk":512' "$tmp/events")" 6 "bytes of a chunk, once for each time a set is opened"
is "$(grep -c '"cat":"\(HDF5\|NETCDF\|PNETCDF\)"' "$tmp/events")" \
    "$(grep '"cat":"\(HDF5\|NETCDF\|PNETCDF\)"' "$tmp/events" | grep -c "\"file\":\"$tmp/file\"")" \
    "all of them know their file"

# A call that fails on what is no object has no name that could be lost.
run_options="--layers $layers"
alike wrong "$stubs/hdfcalls" "$tmp/file" wrong
run_options=
is "$(cat "$tmp/out") $(hdf_events wrong | grep -c -- '-1')" "5 5" "calls that fail are recorded"
is "$(health wrong lost)$(health wrong lost_names)" 00 "and no name is lost"

# The analysis: what is inside what.
"$dftrace" analyze "$tmp/job" --view netcdf -f csv >"$tmp/view"
is "$(awk -F, '$1 == "/v" { print $2, $4, $6, $11, $12, $16 }' "$tmp/view")" "1 0 48 1 48 1" \
    "a variable: its call, bytes, one POSIX write, one call of HDF5"
"$dftrace" analyze "$tmp/job" --view hdf5 -f csv >"$tmp/view"
is "$(awk -F, '$1 == "/g/set" { print $2, $3, $4, $5, $6, $7, $8, $9, $12 }' "$tmp/view")" \
    "10 3 2  3  2 3 2" "a dataset: calls, attributes, bytes that are not all known, modes"
is "$(awk -F, '$1 == "/one" { print $2, $6, $7 }' "$tmp/view")" "4 3 80" "several at once, posted"
"$dftrace" analyze "$tmp/job" --view pnetcdf -f csv >"$tmp/view"
is "$(awk -F, '$1 == "/v" { print $2, $5, $6, $7 }' "$tmp/view")" "2 2 128 2" \
    "requests: the posts are calls, the ends are writes"
"$dftrace" analyze "$tmp/job" --view layer -f csv >"$tmp/view"
is "$(cut -d, -f1 "$tmp/view" | grep -c 'HDF5\|NETCDF')" 3 "each layer has a row of its own"

# As a profile: what is inside what is n/a, all else the same.
"$dftrace" run -q -o "$tmp/sums" --layers "profile,$layers" -- "$stubs/hdfcalls" "$tmp/file" >"$tmp/traced" 2>"$tmp/err"
is "$?$(cat "$tmp/err")$(diff "$tmp/plain" "$tmp/traced")" 0 "a profile: the program runs, the same"
for view in hdf5 netcdf pnetcdf; do
    for job in job sums; do # without times, and what a profile cannot have
        "$dftrace" analyze --no-write "$tmp/$job" --view $view -f csv | sed 's,"[^"]*",quoted,g' | awk -F, -v view=$view '
            NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ /_s$|^(posix|meta|mpiio|hdf5)_|^layout$|^chunk/ && !(view == "hdf5" && $i ~ /^(attribute|collective|independent)_/) }
            { line = ""; for (i = 1; i <= NF; i++) if (keep[i]) line = line $i ","; print line }' | sort >"$tmp/$job.$view"
    done
    is "$(diff "$tmp/sums.$view" "$tmp/job.$view")" "" "a profile: --view $view"
    cmp_num "$(wc -l <"$tmp/sums.$view")" -gt 1 "a profile: --view $view has rows"
done
counts_of () {
    "$dftrace" analyze --no-write "$tmp/$1" --view call -f csv | awk -F, '$1 ~ /HDF5|NETCDF/ { print $1, $2, $3, $4, $12 }' | sort
}
is "$(counts_of sums)" "$(counts_of job)" "a profile: the table of calls"
is "$("$dftrace" analyze --no-write "$tmp/sums" --view hdf5 -f csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR == 2 { print $at["own_s"] $at["posix_calls"] }')" "" "a profile: what is inside what is n/a"

# Two copies in one process, each with the module that brought it; unloaded, and
# loaded again.
modules=("$stubs/.libs/hdfmoduleone.so" "$stubs/.libs/hdfmoduleother.so")
for how in untraced traced; do
    run=(env "LD_LIBRARY_PATH=$stubs/.libs")
    said="0 1 7 1 7"
    # The program itself has no HDF5: traced, it reaches that of the module that is loaded.
    [ "$how" = traced ] && said+=" 7 1" && run=("$dftrace" run -q -o "$tmp/two" --layers "$layers" -- "${run[@]}")
    "${run[@]}" "$stubs/hdfmodules" "${modules[@]}" "$tmp/file" >"$tmp/$how" 2>&1
    is "$? $(xargs <"$tmp/$how")" "$said" "two copies of a library, $how: each has its own caller"
done
is "$(hdf_events two | grep -c 'H5Dwrite /d 8 8')" 4 "and all of them are recorded"

# --- what it asks of a process ------------------------------------------------

for layer in hdf5 netcdf pnetcdf; do
    lib=${library%/*}/libdftrace_$layer.so
    needed=$(readelf -d "$lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | xargs)
    is "${needed/ ld-linux*/}" "libc.so.6" "$layer: the library needs libc and nothing else"
    is "$(nm -D --defined-only "$lib" | awk '{ print $3 }' | grep -vE '^(H5|nc_|ncmpi_)')" "" \
        "$layer: and shows functions of its layer only"
    "$dftrace" run -q -o "$tmp/env-$layer" --layers "posix,$layer" -- env >"$tmp/out"
    is "$(sed -n 's/^LD_PRELOAD=//p' "$tmp/out")" "$library:$lib" "$layer: behind the preload library"
    LD_PRELOAD=$lib "$stubs/hdfcalls" "$tmp/file" >"$tmp/out"
    is "$?$(diff "$tmp/out" "$tmp/plain" | head -1)" 0 \
        "$layer: the library by itself changes nothing"
done
"$dftrace" run -q -o "$tmp/env" --layers posix -- env >"$tmp/out"
is "$(grep -c 'libdftrace_\(hdf5\|netcdf\|pnetcdf\)' "$tmp/out")" 0 "they are loaded only if asked for"
DFTRACE_EXCLUDE="$tmp" "$dftrace" run -q -o "$tmp/none" --layers "$layers" -- \
    "$stubs/hdfcalls" "$tmp/file" >"$tmp/out"
is "$?$(hdf_events none | wc -l)" 00 "files that filters leave out are left out"

done_testing
