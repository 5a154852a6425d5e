#!/bin/bash
# SPDX-License-Identifier: MIT
#
# measure.sh - the table of doc/findings.md: for each cause of fixes.py, before and
#              after in turn, 3 times; medians of the job time, and the most that
#              the rule said could be saved
#
# In:  CAUSE:RULE[:LAYERS]…, or nothing for all; dftrace in PATH
# Out: rows of Markdown; traces in a temporary directory, removed

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export DFTRACE_SCREEN=0
median() { sort -g | sed -n 2p; }
[ $# -gt 0 ] || set -- sync:sync_stall write:write_stall cached:cached_reads \
    read:small_reads files:metadata_time flock:flock_wait spawn:process_start \
    sleep:sleep_wait straggler:straggler checkpoint:checkpoint_stall \
    seek:seeks network:network_wait pipe:pipe_wait lock:lock_wait \
    again:redundant_reads overlap:read_stall imports:imports loader:loader_stall \
    decode:decode_time churn:open_churn tail:step_tail \
    index:other_io pages:page_faults:posix,app,mmap jumps:random_reads \
    pools:new_pools rows:hdf5_small:posix,app,hdf5
for pair; do
    IFS=: read -r cause rule layers <<<"$pair"
    for i in 1 2 3; do
        for side in before after; do
            mkdir "$work/$cause-$side-$i" && cd "$work/$cause-$side-$i" || exit 1
            dftrace run -q -o job -l "${layers:-posix,app}" -- python3 "$here/fixes.py" "$cause" $side
            dftrace analyze --no-write -f csv --view insight job 2>/dev/null |
                sed 's/"[^"]*"/text/g' | grep ",$rule," | cut -d, -f4 >told
            dftrace analyze --no-write -f csv --view metric job 2>/dev/null |
                sed -n 's/^job_time,\([0-9.e-]*\),.*/\1/p' >seconds
        done
    done
    printf '| %s | %s | %.2f | %.2f | %.2f |\n' "$cause" "$rule" \
        "$(cat "$work/$cause-before"-*/seconds | median)" \
        "$(cat "$work/$cause-before"-*/told | median)" \
        "$(cat "$work/$cause-after"-*/seconds | median)"
done
