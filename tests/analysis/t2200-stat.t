#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2200-stat.t - a quick look at a trace, and every event of it

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

job=$tmp/job
shard=$job/shards/n1-1001-1.dft
"$top_builddir/tests/tools/mkshard" "$job" direct 50

exits 0 "a job" "$dftrace" stat "$job"
like "$(cat "$tmp/out")" "12 files, 12 processes" "counts files and processes"
is "$(grep -c '^process ' "$tmp/out")" 12 "a paragraph for each process"

exits 0 "a shard" "$dftrace" stat "$shard"
like "$(cat "$tmp/out")" "process 1001 on n1" "pid and host"
like "$(cat "$tmp/out")" "exe      /bin/train" "exe"
like "$(cat "$tmp/out")" "argv     train --steps" "argv"
like "$(cat "$tmp/out")" "rank     0 of 4" "rank"
like "$(cat "$tmp/out")" "threads  2" "threads"
like "$(cat "$tmp/out")" "layers   posix,app" "layers"
# 50 samples of 5 calls and 3 regions, 3 calls before
like "$(cat "$tmp/out")" "events   403 in" "events"

exits 0 "events" "$dftrace" stat --events "$shard"
is "$(wc -l <"$tmp/out")" 403 "events: one line each"
is "$(awk -F'\t' '$5 == "POSIX" && $6 == "read" && /corpus.bin/' "$tmp/out" |
    wc -l)" 100 "events: reads of the data file"
is "$(sed -n 1p "$tmp/out")" "$(printf '%s\t' 0.000000000 0.000004000 1001 \
    1001 POSIX open fd=5 ret=5)/data/corpus.idx" "events: the first one"
exits 0 "events as JSON" "$dftrace" stat --events --format jsonl "$shard"
is "$(grep -c '"name":"item".*"args":{"image_idx":[0-9]*,"image_size":[0-9]*}}$' \
    "$tmp/out")" 50 "JSON: arguments of data/item"
if command -v jq >/dev/null 2>&1; then
    is "$(jq -s length "$tmp/out")" 403 "JSON: each line is valid"
    is "$("$dftrace" export -f jsonl "$shard" | sort | cksum)" \
        "$(sort "$tmp/out" | cksum)" "JSON: the lines of export, times too"
else
    skip "no jq" "JSON: each line is valid"
    skip "no jq" "JSON: the lines of export, times too"
fi

"$dftrace" stat --events "$job" | sort >"$tmp/shards.txt"
"$dftrace" merge --quiet "$job"
exits 0 "of the merged trace" "$dftrace" stat --events "$job/trace.dft"
ok "the merged trace has the same events" cmp "$tmp/shards.txt" \
    <(sort "$tmp/out")

# process block, chunk, and some of the other thread's chunk
truncate -s 26000 "$shard"
exits 5 "cut in a chunk" "$dftrace" stat "$shard"
like "$(cat "$tmp/out")" "lost +[0-9]+ events in a chunk that is cut" \
    "cut in a chunk: says how many events that may be"
exits 5 "cut in a chunk, events" "$dftrace" stat --events "$shard"
cmp_num "$(wc -l <"$tmp/out")" -gt 203 "cut: all before the cut are printed"
truncate -s 4096 "$shard"
exits 5 "cut before the chunks" "$dftrace" stat "$shard"
like "$(cat "$tmp/out")" "lost +403 events no longer in the file" \
    "cut before the chunks: says how many events are missing"
: >"$tmp/empty.dft"
exits 1 "empty" "$dftrace" stat "$tmp/empty.dft"
like "$(cat "$tmp/err")" "empty.dft: empty" "empty: says so"
exits 2 "nothing" "$dftrace" stat
exits 2 "--format jsonl alone" "$dftrace" stat --format jsonl "$shard"

done_testing
