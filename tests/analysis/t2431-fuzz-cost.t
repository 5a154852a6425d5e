#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2431-fuzz-cost.t - system calls of an input of fuzz-tracefile

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v strace >/dev/null || skip_all "no strace"
strace -o /dev/null true 2>/dev/null || skip_all "strace may not trace here"
onefuzz=$top_builddir/tests/tools/onefuzz
[ -x "$onefuzz" ] || skip_all "onefuzz is not built"
[ -w /dev/shm ] || skip_all "no /dev/shm to write to"
INPUTS=64 MOST=40

# One of each size modulo 128: a trace that is cut, with its sums (odd) mended.
"$top_builddir/tests/tools/mkshard" "$tmp/job" direct 20
for shard in "$tmp"/job/shards/*.dft; do break; done
for ((i = 0; i < INPUTS; i++)); do
    head -c $((20001 + 2 * i)) "$shard" >"$tmp/input$i"
done
exits 0 "$INPUTS inputs are read" strace -f -o "$tmp/strace" "$onefuzz" "$tmp"/input*
calls ()
{
    grep -cE "^[0-9]+ +($1)" "$tmp/strace"
}
is "$(calls 'openat\(.*/fuzz-[0-9]+\.dft.*O_CREAT')" $INPUTS "each is written once"
is "$(calls 'rename[a-z0-9]*\(')" 1 "one of $INPUTS is merged"
is "$(calls 'clone|vfork|fork')" 0 "no thread is started"
ok "only a merged trace is put to disk" [ "$(calls 'fsync\(')" -le 2 ]
ok "at most $MOST system calls an input, but for memory" \
    [ "$(grep -cvE '^[0-9]+ +(brk|m[a-z]+|\+)' "$tmp/strace")" -le $((MOST * INPUTS)) ]

done_testing
