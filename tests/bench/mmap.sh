#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# mmap.sh - what layer mmap costs a program that lives on page faults
#
# In:  built tests/bench/faults, preload/.libs/libdftrace_preload.so
# Out: a table: median ms of the untraced program, and over the rounds the
#      median of (traced - untraced) of the same round, in percent: of the
#      time that passed, and of the CPU time, which says more on a busy machine
#
# The file's pages are thrown out of the cache before each cold run, which its
# owner may do. $BENCH_DIR says where the file is made: what is measured is
# that file system. Nothing here is a test.

set -u
export LC_ALL=C
top_srcdir=${top_srcdir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
build=${top_builddir:-$top_srcdir/build}
rounds=${BENCH_ROUNDS:-9}
preload=$build/preload/.libs/libdftrace_preload.so
faults=$build/tests/bench/faults
[ -x "$faults" ] && [ -r "$preload" ] || {
    echo "bench: $build: not built: run make bench-mmap there" >&2
    exit 1
}
tmp=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/dftrace-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
head -c "${BENCH_BYTES:-256M}" /dev/urandom >"$tmp/data" && sync "$tmp/data" ||
    exit 1

# run WHO STATE: ns, ns on the CPU
run ()
{
    local who=$1 state=$2
    rm -rf "$tmp/trace"
    mkdir "$tmp/trace"
    case $who in
    none) "$faults" "$tmp/data" "$samples" 4 "$state" ;;
    *)
        env DFTRACE_LAYERS="${who%%/*}" DFTRACE_MMAP_PERF="${who#*/}" \
            DFTRACE_JOB_DIR="$tmp/trace" LD_PRELOAD="$preload" \
            "$faults" "$tmp/data" "$samples" 4 "$state"
        ;;
    esac
}

median ()
{
    sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

everybody="posix,app/0 mmap/0 mmap/1 posix,app,mmap/0 posix,app,mmap/1"
printf '%-6s %12s' state "untraced ms"
for who in $everybody; do printf ' %18s' "$who"; done
echo "   (layers/perf; percent more)"
for state in warm cold; do
    [ $state = warm ] && samples=40000 || samples=8000
    run none "$state" >/dev/null
    : >"$tmp/rows"
    for ((i = 0; i < rounds; i++)); do
        base=$(run none "$state")
        for who in none $everybody; do
            [ "$who" = none ] && now=$base || now=$(run "$who" "$state")
            echo "$who $now $base" >>"$tmp/rows"
        done
    done
    for column in 2 3; do
        ((column == 2)) && what=$state || what=" CPU"
        printf '%-6s %12.1f' "$what" "$(awk -v c=$column '$1 == "none" {
            print $c / 1e6 }' "$tmp/rows" | median)"
        for who in $everybody; do
            printf ' %17.2f%%' "$(awk -v w="$who" -v c=$column '$1 == w {
                print 100 * ($c - $(c + 2)) / $(c + 2) }' "$tmp/rows" | median)"
        done
        echo
    done
done
