#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1320-mpiio.t - layer mpiio: each function of MPI-IO, recorded once and
#                 unchanged; on a stub of either family of MPI

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

mpilib=${library%/*}/libdftrace_mpi.so

# stdin: lines of events -> "name size result offset" of those of MPI
mpi_events ()
{
    awk '$3 ~ /^MPI_/ {
        for (i = 4; i <= NF; i++) { split ($i, a, "="); v[a[1]] = a[2] }
        print $3, v["size"], v["ret"], v["off"] }'
}

# column NAME FILE: of a table in CSV
column ()
{
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { print $at }' "$2"
}

sum () { awk '{ n += $1 } END { print n + 0 }'; }

field () { sed -n "s/.* $1=\([^ ]*\).*/\1/p" | xargs; }

for family in ompi mpich; do
    program=$victims/mpi/mpicalls-$family
    job=job-$family
    "$program" "$tmp/file" >"$tmp/untraced" 2>"$tmp/err"
    is "$?$(cat "$tmp/err")" 0 "$family: the program runs untraced"
    "$dftrace" run -q -o "$tmp/$job" --layers posix,mpiio -- \
        "$program" "$tmp/file" >"$tmp/said" 2>"$tmp/err"
    is "$?$(cat "$tmp/err")" 0 "$family: and traced"
    is "$(diff "$tmp/untraced" "$tmp/said")" "" "$family: with the same results"
    cmp_num "$(wc -l <"$tmp/said")" -gt 200 "$family: it makes many calls"
    events $job >"$tmp/events"
    mpi_events <"$tmp/events" | sort >"$tmp/mine"
    is "$(sort "$tmp/said" | diff - "$tmp/mine")" "" \
        "$family: each call is one event, with what was asked, moved and where"
    mpi_events <"$tmp/events" | grep -v 'done' >"$tmp/order"
    is "$(grep -v 'done' "$tmp/said" | diff - "$tmp/order")" "" \
        "$family: in the order of the calls"
    is "$(grep ' MPI_File_' "$tmp/events" | grep -v ' MPI_File_open.*nowhere' |
        grep -vc " file=$tmp/file ")" 0 "$family: all of them know their file"
    is "$(grep ' MPI_Init ' "$tmp/events" | field mpi.rank) $(grep ' MPI_Init ' "$tmp/events" |
        field mpi.ranks)" "2 4" "$family: MPI says the rank, once"
    is "$(grep ' MPI_File_open ' "$tmp/events" | head -1 | field mpi.comm_size)" 4 \
        "$family: open has the size of its communicator"
    is "$(grep ' MPI_File_set_view ' "$tmp/events" | head -1 | field mpi.etype)" 4 \
        "$family: a view has its type"
    is "$(grep ' MPI_File_open .*nowhere' "$tmp/events" | field err)" 5 \
        "$family: what failed has failed"
    "$dftrace" export -f jsonl "$tmp/$job" >"$tmp/jsonl"
    is "$(grep -c '"mpi.hints":"cb_nodes=2;striping_factor=8"' "$tmp/jsonl")" 1 \
        "$family: open has its hints"
    is "$(grep -c '"mpi.hints"' "$tmp/jsonl")" 1 "$family: where there are some"
    is "$(grep -v '"rank":2,' "$tmp/jsonl" | grep -c .)" 0 \
        "$family: the process is the rank that MPI says"
    is "$(health $job lost)$(health $job lost_names)" 00 "$family: nothing was lost"

    # The analysis: each layer for itself, and POSIX below MPI-IO.
    "$dftrace" analyze "$tmp/$job" --view mpiio -f csv >"$tmp/view" 2>"$tmp/err"
    is $? 0 "$family: there is a table of MPI-IO"
    moved=$(awk '/_done / || /^MPI_File_(read|write)/ && !/_begin / { n += $3 } END { print n }' \
        "$tmp/said")
    is "$(column bytes "$tmp/view" | sum)" "$moved" "$family: bytes moved are those of the program"
    is "$(column posix_bytes "$tmp/view" | sum)" \
        "$(grep -E ' p?(read|write) ' "$tmp/events" | grep " file=$tmp/file " | field ret |
            tr ' ' '\n' | sum)" \
        "$family: and those of POSIX inside are all that POSIX moved"
    "$dftrace" analyze "$tmp/$job" --view layer -f csv >"$tmp/layers"
    "$dftrace" analyze "$tmp/$job" --view host -f csv >"$tmp/host"
    is "$(column bytes "$tmp/host" | sum)" \
        "$(grep -v '^MPIIO' "$tmp/layers" >"$tmp/others"; column bytes "$tmp/others" | sum)" \
        "$family: bytes of MPI-IO are not added to those of others"
    cmp_num "$(grep '^MPIIO' "$tmp/layers" | wc -l)" -eq 1 "$family: but have a row of their own"
done

# --- what it asks of a process ------------------------------------------------

needed=$(readelf -d "$mpilib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | xargs)
is "${needed/ ld-linux*/}" "libc.so.6" "the library needs libc and nothing else"
is "$(nm -D --defined-only "$mpilib" | awk '{ print $3 }' | grep -v '^\(MPI\|mpi\)_')" "" \
    "and shows functions of MPI only"
is "$(nm -D --defined-only "$mpilib" |
    grep -c ' MPI_\(Initialized\|Comm_rank\|Comm_size\|Send\|Finalize\)$')" 0 \
    "not those that programs look for to know whether there is an MPI"
is "$(sed -n 's/^\(TRANSFER\|OTHER\) (\([A-Za-z_]*\),.*/\2/p' "$top_srcdir/preload/mpi/mpicalls.def" |
    sort | comm -23 - <(nm -D --defined-only "$mpilib" | awk '{ print $3 }' | sort))" "" \
    "each row of mpicalls.def is there"

"$dftrace" run -q -o "$tmp/env" --layers posix -- env >"$tmp/out"
is "$(grep -c 'LD_PRELOAD=.*libdftrace_mpi' "$tmp/out")" 0 "it is loaded only if asked for"
"$dftrace" run -q -o "$tmp/env2" --layers posix,mpiio -- env >"$tmp/out"
is "$(sed -n 's/^LD_PRELOAD=//p' "$tmp/out")" "$library:$mpilib" "behind the preload library"

# A program without MPI, the library without a recorder, a recorder without the layer.
"$dftrace" run -q -o "$tmp/plain" --layers posix,mpiio -- cat /dev/null
is $? 0 "a program without MPI runs"
LD_PRELOAD=$mpilib "$victims/mpi/mpicalls-ompi" "$tmp/file" >"$tmp/out"
is "$?$(diff "$tmp/out" "$tmp/untraced" | head -1)" 0 "the library by itself changes nothing"
LD_PRELOAD=$mpilib "$dftrace" run -q -o "$tmp/other" --layers posix -- \
    "$victims/mpi/mpicalls-ompi" "$tmp/file" >"$tmp/out"
is "$?$(events other | grep -c ' MPI_')" 00 "nor does it record where the layer is not wanted"
DFTRACE_EXCLUDE="$tmp:/nowhere" "$dftrace" run -q -o "$tmp/none" --layers posix,mpiio -- \
    "$victims/mpi/mpicalls-mpich" "$tmp/file" >"$tmp/out"
is "$?$(events none | grep -c "file=$tmp/file\| MPI_File")" 00 "files that filters leave out are left out"

done_testing
