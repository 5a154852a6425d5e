#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2360-threads.t - the same numbers from any number of threads, in any memory

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

# Large enough for several blocks of lines and, in little memory, for times
# that leave it.
job=$tmp/job
"$top_builddir/tests/tools/mkshard" "$job" direct 2500
"$dftrace" merge --quiet --pfw "$job"
mkdir "$tmp/pfw"
mv "$job/combined.pfw.gz" "$tmp/pfw/a.pfw.gz"
zcat "$tmp/pfw/a.pfw.gz" >"$tmp/plain.pfw"
cmp_num "$(stat -c %s "$tmp/plain.pfw")" -gt $((3 << 21)) \
    "several blocks of lines"

numbers ()
{
    "$dftrace" analyze --no-write --format json "$@" || echo failed
}

for trace in "$job" "$tmp/pfw" "$tmp/plain.pfw"; do
    numbers -j 1 "$trace" >"$tmp/one"
    like "$(cat "$tmp/one")" '"read_time"' "$(basename "$trace"): numbers"
    for threads in 2 7; do
        numbers -j $threads "$trace" >"$tmp/many"
        ok "$(basename "$trace"): the same from $threads threads" \
            cmp "$tmp/one" "$tmp/many"
    done
    for memory in 0 100K; do
        numbers --memory $memory "$trace" >"$tmp/small"
        ok "$(basename "$trace"): the same in $memory of memory" \
            cmp "$tmp/one" "$tmp/small"
    done
done

# Long threads are read in pieces; whole ones are what they have to be.
for mode in direct mmap; do
    "$top_builddir/tests/tools/mkshard" "$tmp/$mode" $mode 400
    "$top_builddir/tests/victims/pieces" "$tmp/$mode" 1000000000 >"$tmp/whole"
    like "$(cat "$tmp/whole")" '"self_s": [0-9]' "$mode: threads as a whole"
    for events in 1 50 1000; do
        "$top_builddir/tests/victims/pieces" "$tmp/$mode" $events >"$tmp/cut"
        ok "$mode: the same in pieces of $events events" \
            cmp "$tmp/whole" "$tmp/cut"
    done
done

# A line that is longer than a block, and lines without a host, whose process
# is that of the line before, beyond the border of a block.
{
    echo '['
    for i in $(seq 3); do
        printf '{"name":"read","cat":"POSIX","ph":"X","pid":7,"tid":7,'
        printf '"ts":%d,"dur":5,"args":{"hhash":"ab","ret":10,"x":"' $((i * 10))
        head -c 3000000 /dev/zero | tr '\0' x
        printf '"}}\n'
    done
    awk 'BEGIN { for (i = 4; i < 60000; i++) printf "{\"name\":\"read\"," \
        "\"cat\":\"POSIX\",\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":%d," \
        "\"dur\":5,\"args\":{\"ret\":10}}\n", i * 10 }'
} >"$tmp/long.pfw"
for threads in 1 5; do
    numbers -j $threads "$tmp/long.pfw" >"$tmp/long.$threads"
done
ok "long lines: the same" cmp "$tmp/long.1" "$tmp/long.5"
like "$(tr -d ' \n' <"$tmp/long.1")" '"posix_events":[{]"value":59999,' \
    "long lines: all of them"
is "$("$dftrace" analyze --no-write --format csv --view process \
    "$tmp/long.pfw" | tail -n +2 | wc -l)" 1 \
    "lines without a host belong to the process before"

done_testing
