#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# bench.sh - what tracing costs, beside the untraced program and its peers
#
# In:  built tests/bench/reads, tests/bench/starts, preload/.libs/libdftrace_preload.so;
#      tests/bench/least.so, the least that a tracer can do; traces and profiles;
#      peers where they are: Darshan, once counting and once with every call
#      (DXT; libdarshan.so, or $BENCH_DARSHAN), DFTracer as its wheel comes,
#      with metadata (libdftracer_preload.so in $VIRTUAL_ENV, or
#      $BENCH_DFTRACER), Recorder (librecorder.so, or $BENCH_RECORDER)
#      $BENCH_ROUNDS, $BENCH_READS: fewer take less time
# Out: a table, with each peer's multiple of ours; tests/bench/results.json in the
#      build tree
#
# Every round runs all tracers one after the other, in turn, so that a machine
# whose speed drifts is the same to all; what is shown is the median over the
# rounds of (traced - untraced) of the same round. Nothing here is a test.

set -u
export LC_ALL=C
top_srcdir=${top_srcdir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
build=${top_builddir:-$top_srcdir/build}
rounds=${BENCH_ROUNDS:-11}
count=${BENCH_READS:-1000000}
warm_up=20000 # reads that tests/bench/reads does not count
preload=$build/preload/.libs/libdftrace_preload.so
starts=$build/tests/bench/starts
out=$build/tests/bench/results.json
python=$(python3 -c 'import sys; print (sys.executable)' 2>/dev/null)

tmp=$(mktemp -d "${TMPDIR:-/tmp}/dftrace-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/rows"

die() {
    echo "bench: $*" >&2
    exit 1
}

[ -x "$build/tests/bench/reads" ] && [ -r "$preload" ] ||
    die "$build: not built: run make bench there"
head -c 67108864 /dev/urandom >"$tmp/data" || die "no space in $tmp"

# -- who takes part ----------------------------------------------------

find_library() {
    local name=$1 dir
    for dir in /usr/lib /usr/local/lib "$HOME/.local/lib" ${VIRTUAL_ENV:+"$VIRTUAL_ENV"}; do
        find "$dir" -name "$name" -print -quit 2>/dev/null
    done | head -n 1
}

darshan=${BENCH_DARSHAN:-$(find_library libdarshan.so)}
dftracer=${BENCH_DFTRACER:-$(find_library libdftracer_preload.so)}
recorder=${BENCH_RECORDER:-$(find_library librecorder.so)}
tracers=(none dftrace profile least)
[ -n "$darshan" ] && tracers+=(darshan dxt)
[ -n "$dftracer" ] && tracers+=(dftracer)
[ -n "$recorder" ] && tracers+=(recorder)

# with TRACER COMMAND…: run it so traced; traces go to a fresh directory.
with() {
    local tracer=$1
    shift
    rm -rf "$tmp/trace"
    mkdir "$tmp/trace"
    case $tracer in
    none) "$@" ;;
    dftrace)
        env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/trace" \
            LD_PRELOAD="$preload" "$@"
        ;;
    profile) # counters, no events
        env DFTRACE_LAYERS=profile,posix DFTRACE_JOB_DIR="$tmp/trace" \
            LD_PRELOAD="$preload" "$@"
        ;;
    dxt) # with room for all events; by default it keeps 5 % of a million
        DXT_ENABLE_IO_TRACE=1 DARSHAN_MODMEM=128 with_darshan "$@"
        ;;
    darshan) with_darshan "$@" ;;
    dftracer)
        env DFTRACER_ENABLE=1 DFTRACER_INIT=PRELOAD DFTRACER_INC_METADATA=1 \
            DFTRACER_LOG_FILE="$tmp/trace/t" DFTRACER_DATA_DIR=all \
            LD_PRELOAD="$dftracer" "$@" 2>/dev/null
        ;;
    least) env LEAST_DIR="$tmp/trace" LD_PRELOAD="$build/tests/bench/.libs/least.so" "$@" ;;
    recorder)
        env RECORDER_WITH_NON_MPI=1 RECORDER_TRACES_DIR="$tmp/trace" \
            LD_PRELOAD="$recorder" "$@" 2>/dev/null
        ;;
    esac
}

with_darshan() {
    echo "MAX_RECORDS 98304 POSIX,DXT_POSIX" >"$tmp/darshan.conf"
    env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGPATH="$tmp/trace" \
        DARSHAN_CONFIG_PATH="$tmp/darshan.conf" LD_PRELOAD="$darshan" "$@" 2>/dev/null
}

# -- measures: one line of numbers each --------------------------------

measure() {
    local tracer=$1 what=$2
    case $tracer$what in # it knows read (), and nothing of files or bytes
    leastread_*) ;;
    least*) return 0 ;;
    esac
    case $what in
    read_1) with "$tracer" "$build/tests/bench/reads" "$tmp/data" "$count" 1 |
        cut -d' ' -f2 ;;
    read_4_cpu) with "$tracer" "$build/tests/bench/reads" "$tmp/data" "$count" 4 |
        cut -d' ' -f2 ;;
    ignored) # a file that the filter rejects
        DFTRACE_EXCLUDE=$tmp with "$tracer" \
            "$build/tests/bench/reads" "$tmp/data" "$count" 1 | cut -d' ' -f2 ;;
    start) # processor time, as in all rows of processes
        with "$tracer" "$starts" exec 40 "$starts" once | cut -d' ' -f2 ;;
    start_read)
        with "$tracer" "$starts" exec 40 "$starts" once "$tmp/data" | cut -d' ' -f2 ;;
    fork_read) with "$tracer" "$starts" fork 100 "$tmp/data" | cut -d' ' -f2 ;;
    fork_wall) with "$tracer" "$starts" fork 100 "$tmp/data" | cut -d' ' -f1 ;;
    memory_*) # resident KiB; the threads are behind the _
        with "$tracer" "$build/tests/victims/memory" "$tmp/data" "${what#*_}" 100000 1000 ;;
    bytes)
        with "$tracer" "$build/tests/bench/reads" "$tmp/data" "$count" 1 >/dev/null
        find "$tmp/trace" -type f -printf '%s\n' |
            awk -v n=$((count + warm_up)) \
                '{ s += $1 } END { printf "%.3f\n", s / n }'
        ;;
    bytes_python) # each file that a Python looks at when it starts, none left out
        [ "$tracer" = dftrace ] && [ -n "$python" ] || return 0
        DFTRACE_INCLUDE=all DFTRACE_EXCLUDE=/none with "$tracer" "$python" -c \
            'import asyncio, email, http.server, json, logging.config, unittest.mock, xml.dom.minidom'
        "$build/dftrace" stat "$tmp"/trace/shards/*.dft |
            sed -n 's/.* \([0-9]*\) events, \([0-9]*\) bytes,.*/\1 \2/p' |
            awk '{ n += $1; b += $2 } END { printf "%.3f\n", b / n }'
        ;;
    esac
}

median() {
    sort -g | awk '{ v[NR] = $1 } END {
        if (NR == 0) print "n/a"
        else printf "%.2f\n", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
    }'
}

# row NAME UNIT WHAT ROUNDS ABSOLUTE: fill $tmp/rows/NAME with "tracer median"
row() {
    local name=$1 what=$2 n=$3 absolute=$4 r t base value
    for ((r = 0; r < n; r++)); do
        base=0
        for t in "${tracers[@]}"; do
            value=$(measure "$t" "$what" | tail -n 1)
            [ -n "$value" ] || continue
            if [ "$t" = none ]; then
                [ "$absolute" = 1 ] || base=$value
                echo "$value" >>"$tmp/rows/$name.none"
            else
                awk -v a="$value" -v b="$base" 'BEGIN { print a - b }' \
                    >>"$tmp/rows/$name.$t"
            fi
        done
        [ -t 2 ] && printf '\r\033[K%s %d/%d' "$name" $((r + 1)) "$n" >&2
    done
    [ -t 2 ] && printf '\r\033[K' >&2
}

row read_1 read_1 "$rounds" 0
row read_4_cpu read_4_cpu "$rounds" 0
row ignored ignored "$rounds" 0
row start start "$rounds" 0
row start_read start_read "$rounds" 0
row fork_read fork_read "$rounds" 0
row fork_wall fork_wall "$rounds" 0
row bytes bytes 1 1
row bytes_python bytes_python 1 1
row memory_1 memory_1 3 0
row memory_16 memory_16 3 0

# -- table and JSON ----------------------------------------------------

cell() {
    [ -s "$tmp/rows/$1.$2" ] && median <"$tmp/rows/$1.$2" || echo n/a
}

titles='read_1|added CPU, 4 KiB read, 1 thread|ns
read_4_cpu|added CPU, 4 KiB read, 4 threads|ns
ignored|added CPU, read of a file that is not wanted|ns
start|added CPU, start and end of a program|us
start_read|added CPU, the same, which reads a file|us
fork_read|added CPU, a child of fork that reads a file|us
fork_wall|added, the same, wall|us
bytes|trace bytes an event|B
bytes_python|trace bytes an event, start of a Python|B
memory_1|added memory, 1 thread|KiB
memory_16|added memory, 16 threads|KiB'

# Ours, or a peer's with the multiple of ours that it is.
shown() {
    local v ours
    v=$(cell "$1" "$2")
    ours=$(cell "$1" dftrace)
    case $2 in
    none | dftrace) echo "$v" ;;
    *) awk -v v="$v" -v o="$ours" 'BEGIN {
           if (v == "n/a" || o == "n/a" || o <= 0) print v
           else printf "%s (x%.1f)\n", v, v / o }' ;;
    esac
}

{
    printf '%-46s %4s' "median of $rounds rounds, $count reads" unit
    for t in "${tracers[@]}"; do
        [ "$t" = none ] && t=untraced
        printf ' %17s' "$t"
    done
    echo
    while IFS='|' read -r name title unit; do
        printf '%-46s %4s' "$title" "$unit"
        for t in "${tracers[@]}"; do
            case $name$t in
            bytes*none) printf ' %17s' - ;;
            *) printf ' %17s' "$(shown "$name" "$t")" ;;
            esac
        done
        echo
    done <<<"$titles"
} | tee "$tmp/table"

{
    printf '{\n  "format": "dftrace-bench",\n  "date": "%s",\n' "$(date -u +%FT%TZ)"
    printf '  "cpu": "%s",\n  "cores": %d,\n  "rounds": %d,\n  "reads": %d' \
        "$(sed -n 's/^model name[^:]*: //p;T;q' /proc/cpuinfo | tr -d '"\\')" \
        "$(nproc)" "$rounds" "$count"
    while IFS='|' read -r name title unit; do
        printf ',\n  "%s": {"unit": "%s"' "$name" "$unit"
        for t in "${tracers[@]}"; do
            v=$(cell "$name" "$t")
            [ "$v" = n/a ] && v=null
            printf ', "%s": %s' "$t" "$v"
        done
        printf '}'
    done <<<"$titles"
    printf '\n}\n'
} >"$tmp/results.json" && mkdir -p "${out%/*}" && mv "$tmp/results.json" "$out"
echo "written: $out"
