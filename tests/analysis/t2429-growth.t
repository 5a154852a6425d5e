#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2429-growth.t - many of one thing: regions whose names are numbered

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

# A full histogram of each name would be 600 MB.
limited ()
{
    (ulimit -v 500000 && "$dftrace" "$@")
}
limited analyze -j 1 --no-write --no-answers --format csv --view operation \
    --top 0 "$tmp/many.pfw" >"$tmp/operation" 2>"$tmp/err"
is "$?" 0 "20,000 names fit into 500 MB"
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

done_testing
