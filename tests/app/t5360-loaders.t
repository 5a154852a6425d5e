#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5360-loaders.t - what a training loop waits for and gets from a loader, in a module
# with PyTorch's names: make check-frameworks has the same of PyTorch itself

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"
export PYTHONWARNINGS=ignore

export PYTHONPATH=$scripts/standin${PYTHONPATH:+:$PYTHONPATH}

# loop NAME WHAT…: what the program counted is in $tmp/NAME.out
loop() {
    traced "$tmp/$1" "$scripts/loaders.py" "${@:2}"
    cp "$tmp/out" "$tmp/$1.out"
    is "$(cat "$tmp/err")" "" "$1: says nothing"
    is "$(count "$tmp/$1" dftrace metadata '_points=')" 0 "$1: every point is there"
    exits 0 "$1: analyze" "$dftrace" analyze --quiet "$tmp/$1"
}
own() { sed -n "s/^$2 //p" "$tmp/$1.out"; }
told() { awk -F, -v m="$2" '$1 == m { print $2 }' "$tmp/$1/tables/metrics.csv"; }
# same NAME METRIC NUMBER…: they are what the program says
same() {
    local name=$1
    while [ $# -gt 2 ]; do
        is "$(told "$name" "$2")" "$(own "$name" "$3")" "$name: $2 is its own $3"
        set -- "$name" "${@:4}"
    done
}

# -- computing: the outermost call of a module -----------------------------
loop model model
is "$(count "$tmp/model" compute forward)" "$(own model calls)" \
    "a module in a module is part of it; so is one in an item, in a worker"
is "$(args "$tmp/model" compute forward | grep -c error=ValueError)" 1 \
    "what it raises is said"
is "$(awk -F'\t' '$5 == "compute" && $6 == "forward" { print $4 }' "$tmp/model.txt" |
    sort -u | wc -l)" 2 "of each thread"
loop data data
is "$(told data compute_percent)" "" "without a compute region: n/a, not 0"

# -- the end of an epoch, and its beginning --------------------------------
for kind in fresh kept; do
    loop "$kind" "$kind"
    same "$kind" samples_used samples worker_starts starts worker_restarts restarts
    is "$(count "$tmp/$kind" dataloader fetch)" "$(own "$kind" batches)" \
        "$kind: fetches are batches"
    is "$(count "$tmp/$kind" dataloader fetch.end)" "$(own "$kind" epochs)" \
        "$kind: and each epoch has its end"
done
ok "fresh: waiting for its workers to end is waiting" awk -v a="$(told fresh stall_time)" \
    -v b="$(told fresh loader_end_time)" 'BEGIN { exit !(b >= 0.6 && a >= b) }'
is "$(args "$tmp/fresh" dataloader start_workers | xargs)" \
    "count=2 again=0 count=2 again=1 count=2 again=2" "fresh: workers, and how often before"
# where a thread has no CPU the bill has that first
is "$("$dftrace" analyze --no-write --format csv --view role "$tmp/fresh" |
    awk -F, '$1 == "workers" || $1 == "loader" { print $1 "=" $2 }' | sort | xargs)" \
    "loader=$(own fresh fetched) workers=3" "fresh: starting workers is not decoding"

# -- samples: fetched, and used --------------------------------------------
for kind in items batches lists stream iterator ready left; do
    loop "$kind" "$kind"
    same "$kind" samples fetched samples_used used
done
ok "stream: what the data set does is its items" test "$(count "$tmp/stream" data item)" -gt 0
is "$(count "$tmp/stream" data item.end)" 2 "stream: and its end, in each epoch"

done_testing
