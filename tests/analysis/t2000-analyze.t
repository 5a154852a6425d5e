#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2000-analyze.t - the analysis of made-up shards against the truth that was
#                   counted while they were made

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

mkshard=$top_builddir/tests/tools/mkshard

# metric FILE NAME: its value, from metrics.json
metric ()
{
    awk -v want="\"$2\": {" 'index ($0, want) { getline; sub (/.*: /, "")
        sub (/,$/, ""); print; exit }' "$1"
}

# same A B: equal numbers, to 1e-6 of their size
same ()
{
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d
        exit !(a ~ /^[0-9.e+-]+$/ && d <= 1e-6 * (b < 0 ? -b : b) + 1e-12) }'
}

truth_of ()
{
    local name value got
    while read -r name value; do
        case $name in item_*) continue ;; esac
        got=$(metric "$1/metrics.json" "$name")
        if same "$got" "$value"; then
            pass "$2: $name is $value"
        else
            fail "$2: $name"
            diag "got $got, truth $value"
        fi
    done <"$1/truth"
}

operation ()
{
    awk -F, -v want="$2" '$1 "/" $2 == want { print $3, $4, $5 }' \
        "$1/tables/operations.csv"
}

# more traces than files may be open: each is opened when it is read
"$mkshard" "$tmp/many" direct 300
"$dftrace" analyze --no-write -f csv --view file "$tmp/many" >"$tmp/many.all"
exits 0 "12 traces, 12 descriptors: analyzed" bash -c 'ulimit -n 12 && exec "$@"' - \
    "$dftrace" analyze --no-write -f csv --view file "$tmp/many"
is "$(cksum <"$tmp/out")" "$(cksum <"$tmp/many.all")" "12 traces, 12 descriptors: the same rows"
"$dftrace" merge -q -o "$tmp/many.dft" "$tmp/many"
exits 0 "12 traces, 12 descriptors: merged" bash -c 'ulimit -n 12 && exec "$@"' - \
    "$dftrace" merge -q -o "$tmp/few.dft" "$tmp/many"
ok "12 traces, 12 descriptors: the same bytes" cmp "$tmp/many.dft" "$tmp/few.dft"

for mode in direct mmap; do
    ok "$mode: shards are made" "$mkshard" "$tmp/$mode" "$mode" 300
    exits 0 "$mode: analyzed" "$dftrace" analyze --quiet "$tmp/$mode"
    is "$(cat "$tmp/out" "$tmp/err")" "" "$mode: --quiet says nothing"
    truth_of "$tmp/$mode" "$mode"
    read -r count sum self <<<"$(operation "$tmp/$mode" data/item)"
    is "$count" "$(awk '$1 == "item_count" { print $2 }' "$tmp/$mode/truth")" \
        "$mode: count of data/item"
    ok "$mode: sum of data/item" same "$sum" \
        "$(awk '$1 == "item_sum" { print $2 }' "$tmp/$mode/truth")"
    ok "$mode: self time of data/item" same "$self" \
        "$(awk '$1 == "item_self" { print $2 }' "$tmp/$mode/truth")"
    is "$(stat -c %a "$tmp/$mode/metrics.json")" 600 "$mode: mode is 0600"
done

for name in read_time read_bandwidth read_size; do
    is "$(metric "$tmp/mmap/metrics.json" $name)" null "mmap: $name is n/a"
done
like "$(cat "$tmp/mmap/metrics.json")" "data came through mmap" \
    "mmap: and says why"
is "$(metric "$tmp/mmap/metrics.json" read_count)" 0 "mmap: no data reads"

cp "$tmp/direct/metrics.json" "$tmp/first.json"
"$dftrace" analyze --quiet --threads 1 "$tmp/direct"
ok "one thread gives the same bytes" cmp "$tmp/first.json" \
    "$tmp/direct/metrics.json"
"$dftrace" analyze --quiet --threads 7 "$tmp/direct"
ok "seven threads give the same bytes" cmp "$tmp/first.json" \
    "$tmp/direct/metrics.json"

# The reads of the index are the data when the user says so.
"$dftrace" analyze --no-write --format csv --data-pattern '*.idx' \
    "$tmp/direct" >"$tmp/idx.csv"
is "$(awk -F, '$1 == "read_count" { print $2 }' "$tmp/idx.csv")" 8 \
    "--data-pattern decides what data is"

exits 0 "two jobs" "$dftrace" analyze --no-write --format csv "$tmp/direct" \
    "$tmp/mmap"
is "$(wc -l <"$tmp/out")" 3 "two jobs: a head and a row each"
like "$(sed -n 3p "$tmp/out")" ",," "two jobs: n/a is an empty cell"

mkdir -p "$tmp/sweep/runs"/{direct-s1.0123abcd/r0/a0,mmap-s1.0123abce/r1/a0}
echo '{}' >"$tmp/sweep/manifest.json"
cp -r "$tmp/direct" "$tmp/sweep/runs/direct-s1.0123abcd/r0/a0/trace"
cp -r "$tmp/mmap" "$tmp/sweep/runs/mmap-s1.0123abce/r1/a0/trace"
exits 0 "a sweep" "$dftrace" analyze --no-write --format csv "$tmp/sweep"
is "$(cut -d, -f1 "$tmp/out" | tr '\n' ' ')" "label direct-s1 mmap-s1/r1 " \
    "a sweep: a row for each run"
rm -r "$tmp/sweep/runs"/*
exits 1 "a sweep without traces" "$dftrace" analyze "$tmp/sweep"
like "$(cat "$tmp/err")" "no run of this sweep has traces yet" \
    "a sweep without traces: says so"

exits 0 "a single shard" "$dftrace" analyze "$tmp/direct/shards/n1-1001-1.dft"
exits 0 "json" "$dftrace" analyze --no-write --format json "$tmp/direct"
ok "json is metrics.json" cmp "$tmp/out" "$tmp/first.json"
exits 0 "markdown" "$dftrace" analyze --no-write --format markdown \
    "$tmp/direct"
like "$(cat "$tmp/out")" '\| read_count' "markdown has tables"

# --- bad input ---------------------------------------------------------------

mkdir "$tmp/empty"
exits 1 "empty directory" "$dftrace" analyze "$tmp/empty"
is "$(wc -l <"$tmp/err")" 1 "empty directory: one line"
like "$(cat "$tmp/err")" "no traces in it" "empty directory: says so"
exits 1 "no such directory" "$dftrace" analyze "$tmp/none"
exits 2 "no operand" "$dftrace" analyze
exits 2 "unknown view" "$dftrace" analyze --view bogus "$tmp/direct"
exits 2 "unknown format" "$dftrace" analyze --format xml "$tmp/direct"

damaged ()
{
    rm -rf "$tmp/bad"
    cp -r "$tmp/direct" "$tmp/bad"
    rm -rf "$tmp/bad/tables" "$tmp/bad/metrics.json"
}
shard=n1-1001-1.dft
whole=$(metric "$tmp/first.json" posix_events)

damaged
size=$(stat -c %s "$tmp/bad/shards/$shard")
truncate -s $((size / 2)) "$tmp/bad/shards/$shard"
exits 5 "cut in half" "$dftrace" analyze --quiet "$tmp/bad"
like "$(cat "$tmp/err")" "1 of 12 trace files" "cut in half: one line says it"
lost=$(metric "$tmp/bad/metrics.json" lost_events)
total=$(metric "$tmp/first.json" posix_events)
total=$((total + $(metric "$tmp/first.json" app_events)))
got=$(metric "$tmp/bad/metrics.json" posix_events)
got=$((got + $(metric "$tmp/bad/metrics.json" app_events)))
cmp_num "$lost" -gt 0 "cut in half: events are missing"
is $((got + lost)) "$total" "cut in half: found and missing are all there were"

damaged
printf '\377' | dd of="$tmp/bad/shards/$shard" bs=1 seek=$((16384 + 500)) \
    conv=notrunc status=none
exits 5 "flipped byte" "$dftrace" analyze --quiet "$tmp/bad"
like "$(cat "$tmp/bad/tables/trace_files.csv")" "$shard.*1 damaged chunks" \
    "flipped byte: the chunk is named"
lost=$(metric "$tmp/bad/metrics.json" lost_events)
got=$(metric "$tmp/bad/metrics.json" posix_events)
got=$((got + $(metric "$tmp/bad/metrics.json" app_events)))
is $((got + lost)) "$total" "flipped byte: only that chunk is rejected"
rm -f "$tmp/bad/metrics.json"
exits 1 "flipped byte, --strict" "$dftrace" analyze --strict "$tmp/bad"
is "$(cat "$tmp/out")" "" "--strict: no numbers"
nok "--strict: no metrics.json" test -e "$tmp/bad/metrics.json"

damaged
: >"$tmp/bad/shards/n1-9999-1.dft"
head -c 70000 /dev/urandom >"$tmp/bad/shards/n1-9998-1.dft"
exits 5 "an empty and a random file among shards" "$dftrace" analyze --quiet \
    "$tmp/bad"
is "$(metric "$tmp/bad/metrics.json" posix_events)" "$whole" \
    "the good ones count"
exits 1 "only a random file" "$dftrace" analyze \
    "$tmp/bad/shards/n1-9998-1.dft"
like "$(cat "$tmp/err")" "not a dftrace trace" "only a random file: says so"

done_testing
