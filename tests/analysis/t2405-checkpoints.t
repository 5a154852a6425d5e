#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2405-checkpoints.t - a checkpoint in parts, and when it was on storage

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

# event NAME CAT FROM_US US [ARGS]: a line of a trace, of thread $tid of process $pid
pid=1 tid=1
event() {
    printf '{"name":"%s","cat":"%s","ph":"X","ts":%d,"dur":%d,"pid":%d,"tid":%d,"args":{"hostname":"n1"%s}}\n' \
        "$1" "$2" $((1700000000000000 + $3)) "$4" "$pid" "$tid" "${5-}"
}
file() { # NAME FROM US PATH: a call
    local more=',"ret":0'
    [ "$1" = write ] && more=',"ret":4096,"count":4096'
    [ "$1" = open ] && more=',"ret":5'
    event "$1" POSIX "$2" "$3" ",\"fname\":\"$4\"$more"
}
# said TRACE COLUMN…: of the first rank, in its table
said() {
    local trace=$1
    shift
    "$dftrace" analyze --no-write --format csv --view checkpoint "$trace" |
        awk -F, -v want="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            NR == 2 { n = split(want, w, " "); for (i = 1; i <= n; i++)
                printf "%s%s", $at[w[i]], i < n ? " " : "\n" }'
}
metric() {
    "$dftrace" analyze --no-write --format csv --view metric "$1" |
        awk -F, -v m="$2" '$1 == m { print $2 }'
}
parts="checkpoint_s gather_s serialise_s meta_s write_s sync_s"

# A region of 600 ms: gathering 100, opening 40, writing 200, sync 150, closing and
# renaming 10; the rest, 100, is what it serialises. Then one of 60.
{
    event step compute 1000 99000
    event all_gather comm 110000 100000
    file open 220000 40000 /out/model.pt.tmp
    file write 300000 200000 /out/model.pt.tmp
    file fsync 520000 150000 /out/model.pt.tmp
    file close 670000 5000 /out/model.pt.tmp
    event rename POSIX 680000 5000 ',"fname":"/out/model.pt.tmp","ret":0'
    event capture checkpoint 100000 600000
    event step compute 700000 100000
    file open 810000 10000 /out/model.pt.tmp
    file write 830000 20000 /out/model.pt.tmp
    event capture checkpoint 800000 60000
    event step compute 860000 140000
} >"$tmp/region.pfw"
# shellcheck disable=SC2086 # several words
is "$(said "$tmp/region.pfw" $parts)" \
    "0.66 0.1 0.13 0.06 0.22 0.15" "a region: its parts"
is "$(said "$tmp/region.pfw" saves durable_s synced)" "2 0.57 synced" \
    "a region: durable with the sync"
is "$(metric "$tmp/region.pfw" bill_checkpoint_time)" 0.66 "a region: in the bill"
is "$(metric "$tmp/region.pfw" checkpoint_time) $(metric "$tmp/region.pfw" checkpoint_gather_time) \
$(metric "$tmp/region.pfw" checkpoint_serialise_time) $(metric "$tmp/region.pfw" checkpoint_meta_time) \
$(metric "$tmp/region.pfw" checkpoint_output_time) $(metric "$tmp/region.pfw" checkpoint_sync_time) \
$(metric "$tmp/region.pfw" checkpoint_durable_time)" "0.66 0.1 0.13 0.06 0.22 0.15 0.57" \
    "a region: its parts as metrics add up"

# GROMACS -cpt: no regions; open truncates, rename replaces, in the main thread.
{
    file read 1000 1000 /data/topol.tpr
    for i in 0 1 2; do
        t=$((100000 + i * 300000))
        file open "$t" 50000 /out/state_step.cpt
        file write $((t + 50000)) 30000 /out/state_step.cpt
        file fsync $((t + 80000)) 10000 /out/state_step.cpt
        file close $((t + 90000)) 1000 /out/state_step.cpt
        event rename POSIX $((t + 91000)) 9000 ',"fname":"/out/state_step.cpt","ret":0'
    done
    file read 1000000 1000 /data/topol.tpr
} >"$tmp/calls.pfw"
# shellcheck disable=SC2086 # several words
is "$(said "$tmp/calls.pfw" $parts)" "0.3   0.18 0.09 0.03" \
    "calls alone: open and rename are of the checkpoint; gathering is not seen"
is "$(said "$tmp/calls.pfw" saves durable_s)" "3 0.09" "calls alone: each opening"
is "$(metric "$tmp/calls.pfw" bill_checkpoint_time) $(metric "$tmp/calls.pfw" bill_other_io_time)" \
    "0.3 0" "calls alone: nothing of it is other I/O"

# A checkpoint that another thread writes, and that is read again: async.
{
    event step compute 1000 99000
    event capture.start checkpoint 100000 20000
    event step compute 120000 880000
    tid=2
    file open 130000 10000 /out/model.pt
    file write 150000 300000 /out/model.pt
} >"$tmp/async.pfw"
is "$(said "$tmp/async.pfw" checkpoint_s checkpoint_async_s saves durable_s synced)" \
    "0.02 0.3 1 0.35 not synced" "asynchronous: durable later than it blocks"

tid=1
{
    file open 1000 50000 /out/model.pt
    file read 60000 100000 /out/model.pt
} >"$tmp/load.pfw"
is "$(metric "$tmp/load.pfw" checkpoint_meta_time)" "" "reading one is taking none: n/a, not 0"

# A job that reads one checkpoint and takes another; its words go to a file that only
# the checkpoint region writes to.
{
    event open POSIX 1000 50000 ',"fname":"/out/old.pt","flags":524288,"ret":5'
    event stat POSIX 52000 5000 ',"fname":"/out/old.pt","ret":0'
    file read 60000 100000 /out/old.pt
    event restart checkpoint 1000 170000
    event step compute 200000 100000
    event open POSIX 310000 10000 ',"fname":"/out/new.pt","flags":577,"ret":5'
    file write 330000 20000 /out/new.pt
    event write POSIX 355000 1000 ',"fname":"/out/words","fd":2,"count":4,"ret":4'
    event capture checkpoint 300000 60000
    event wait checkpoint 380000 5000
    event write POSIX 600000 1000 ',"fname":"/out/words","fd":2,"count":4,"ret":4'
} >"$tmp/restart.pfw"
is "$(said "$tmp/restart.pfw" checkpoint_s meta_s saves durable_s)" "0.065 0.01 1 0.05" \
    "reading one before is no part; waiting for it is no other"

mkdir "$tmp/job"
cp "$tmp/region.pfw" "$tmp/job"
exits 0 "page" "$dftrace" report -o "$tmp/page.html" "$tmp/job"
for part in gather serialise "open, rename" write sync asynchronous; do
    ok "page: $part" grep -q ">$part<" "$tmp/page.html"
done

done_testing
