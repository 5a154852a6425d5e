#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2431-fuzz-cost.t - system calls and memory of an input of fuzz-tracefile

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v strace >/dev/null || skip_all "no strace"
strace -o /dev/null true 2>/dev/null || skip_all "strace may not trace here"
onefuzz=$top_builddir/tests/tools/onefuzz
[ -x "$onefuzz" ] || skip_all "onefuzz is not built"
[ -w /dev/shm ] || skip_all "no /dev/shm to write to"
INPUTS=64 MOST=24

# A trace that is cut at many places, with its sums (odd sizes) mended.
"$top_builddir/tests/tools/mkshard" "$tmp/job" direct 20
for shard in "$tmp"/job/shards/*.dft; do break; done
for ((i = 0; i < INPUTS; i++)); do
    head -c $((20001 + 2 * i)) "$shard" >"$tmp/input$i"
done
# calls PATTERN: how many the kernel saw of the last target
calls ()
{
    grep -cE "^[0-9]+ +($1)" "$tmp/strace"
}
for target in tracefile tracetables tracemerge; do
    ln -s "$(realpath "$onefuzz")" "$tmp/$target"
    exits 0 "$target: $INPUTS inputs are read" \
        strace -f -o "$tmp/strace" "$tmp/$target" "$tmp"/input*
    is "$(calls 'openat\(.*/fuzz-[0-9]+\.dft.*O_CREAT')" 1 "$target: one file takes all inputs"
    is "$(calls 'clone|vfork|fork')" 0 "$target: no thread is started"
    # The sanitizer marks an eighth of what is allocated, twice.
    is "$(calls 'mmap\(NULL, [0-9]{7,}, .*MAP_ANONYMOUS')" 0 "$target: no input needs 1 MB at once"
    is "$(calls 'rename[a-z0-9]*\(')" $([ $target = tracemerge ] && echo $INPUTS || echo 0) \
        "$target: how many are merged"
    [ $target = tracefile ] || continue
    is "$(calls 'fsync\(')" 0 "$target: nothing is put to disk"
    ok "$target: at most $MOST system calls an input, but for memory" \
        [ "$(grep -cvE '^[0-9]+ +(brk|m[a-z]+|\+)' "$tmp/strace")" -le $((MOST * INPUTS)) ]
done

done_testing
