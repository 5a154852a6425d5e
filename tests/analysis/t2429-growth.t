#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2429-growth.t - many of one thing: regions whose names are numbered, files

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

NAMES=20000

# Names "step 0" to "step 19999", each once, 1 to 50 us; in order of time.
awk -v n=$NAMES 'BEGIN {
    print "["
    for (i = 0; i < n; i++)
        printf "{\"id\":%d,\"name\":\"step %d\",\"cat\":\"train\"," \
            "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"ph\":\"X\"," \
            "\"args\":{}}\n", i, i, 100 * i, i % 50 + 1
    print "]" }' >"$tmp/many.pfw"

# A full histogram of each name would be 600 MB, room for the longest name 80.
limited ()
{
    (ulimit -v "${LIMIT:-500000}" && "$dftrace" "$@")
}
LIMIT=115000 limited analyze -j 1 --no-write --no-answers --format csv --view operation \
    --top 0 "$tmp/many.pfw" >"$tmp/operation" 2>"$tmp/err"
is "$?" 0 "20,000 names fit into 115 MB"
is "$(awk -F, 'NR > 1 && $3 == 1' "$tmp/operation" | wc -l)" $NAMES \
    "each is a row"
is "$(awk -F, 'NR > 1 { s += $4 } END { printf "%.3f", s }' "$tmp/operation")" \
    "$(awk -v n=$NAMES 'BEGIN { for (i = 0; i < n; i++) s += i % 50 + 1
        printf "%.3f", s / 1e6 }')" "their times are those of the lines"
limited analyze -j 1 --no-write --no-answers --format csv --view percentile \
    "$tmp/many.pfw" 2>/dev/null |
    awk -F, 'NR > 1 && $4 == $NF' >"$tmp/percentile"
is "$(wc -l <"$tmp/percentile")" $NAMES "least and most of each are its one time"

mkdir "$tmp/job" && mv "$tmp/many.pfw" "$tmp/job"
exits 0 "the page is made in 500 MB" limited report -o "$tmp/page.html" \
    "$tmp/job"
like "$(cat "$tmp/page.html")" "The first 1000 of $NAMES" \
    "it has a thousand names, and says where all of them are"

# A page shows the first 25 files of a table: it must not hold all of them. With
# 48 bytes a cell and all rows of all tables this took 200 MB, with all rows of
# one table and each total twice 96; now 64, on one processor (each thread has
# room of its own).
FILES=40000
awk -v n=$FILES 'BEGIN {
    print "["
    for (i = 0; i < n; i++) {
        printf "{\"name\":\"FH\",\"cat\":\"dftracer\",\"pid\":1,\"tid\":1," \
            "\"ph\":\"M\",\"args\":{\"name\":\"/data/f%d\",\"value\":\"h%d\"}}\n", \
            i, i
        for (k = 0; k < 3; k++)
            printf "{\"id\":%d,\"name\":\"read\",\"cat\":\"POSIX\",\"pid\":1," \
                "\"tid\":1,\"ts\":%d,\"dur\":2,\"ph\":\"X\"," \
                "\"args\":{\"ret\":%d,\"fhash\":\"h%d\"}}\n", i, 100 * i + k * 9, \
                100 + k, i
    }
    print "]" }' >"$tmp/job/many.pfw"
cpu=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
taskset -cp "$cpu" $$ >"$tmp/taskset"
LIMIT=80000 exits 0 "the page of 40,000 files is made in 80 MB" limited \
    report -o "$tmp/page.html" "$tmp/job"
is "$(grep -o "The first 25 of [0-9]*" "$tmp/page.html" | tr '\n' ' ')" \
    "The first 25 of $FILES The first 25 of $FILES The first 25 of $((3 * FILES)) " \
    "it shows 25 of each table, and says how many there are"

done_testing
