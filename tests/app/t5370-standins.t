#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5370-standins.t - the trace points of frameworks that few machines have, in modules
# of the same names: batches, waits, samples, checkpoints are those of the program

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

"$python" "$scripts/standins.py" "$tmp/like"

loop() {
    traced "$tmp/$1" "$scripts/standins.py" "$tmp/like" "$1"
    cp "$tmp/out" "$tmp/$1.out"
    is "$(cat "$tmp/err")" "" "$1: says nothing"
    is "$(count "$tmp/$1" dftrace metadata '_points=')" 0 "$1: every point is there"
    exits 0 "$1: analyze" "$dftrace" analyze --quiet "$tmp/$1"
}
own() { sed -n "s/^$2 //p" "$tmp/$1.out"; }
told() { awk -F, -v m="$2" '$1 == m { print $2 }' "$tmp/$1/tables/metrics.csv"; }

loop tensorflow
is "$(told tensorflow samples_used)" "$(own tensorflow used)" "tf.data: samples of its batches"
is "$(count "$tmp/tensorflow" compute call)" "$(own tensorflow steps)" \
    "a tf.function that is called is computing"
is "$(count "$tmp/tensorflow" dataloader fetch.end)" 1 "tf.data: the end"

loop keras
is "$(count "$tmp/keras" pipeline step)" "$(own keras steps)" "fit (): its steps"
is "$(told keras compute_percent)$(told keras wait_percent)" "" \
    "fit (): which are waiting and computing in one: neither is told"

loop grain
is "$(told grain samples_used)" "$(own grain used)" \
    "grain: batches, of a chain of iterators the outermost, not those of its thread"
is "$(count "$tmp/grain" dataloader fetch)" 3 "grain: fetches"

loop orbax
is "$(count "$tmp/orbax" checkpoint capture)" "$(own orbax saves)" \
    "orbax: saves; a manager's checkpointer is part of it"
is "$(args "$tmp/orbax" checkpoint capture | xargs)" "step=7 step=8" "orbax: their steps"
is "$(count "$tmp/orbax" checkpoint wait) $(count "$tmp/orbax" checkpoint restart)" "1 1" \
    "orbax: waiting for one, reading one"

loop ray
is "$(told ray samples_used)" "$(own ray used)" "Ray Data: rows of its batches"

loop webdataset
is "$(told webdataset samples)" "$(own webdataset fetched)" "WebDataset: samples"
is "$(args "$tmp/webdataset" io webdataset.open | xargs)" "file=a.tar file=b.tar" \
    "WebDataset: shards"
loop streaming
is "$(told streaming samples)" "$(own streaming fetched)" "Streaming: samples"
is "$(args "$tmp/streaming" io streaming.shard | sort -u | xargs)" "shard=0 shard=1" \
    "Streaming: shards"
loop litdata
is "$(told litdata samples)" "$(own litdata fetched)" "LitData: samples"

done_testing
