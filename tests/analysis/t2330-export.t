#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2330-export.t - events as CSV, JSON lines and for Chrome; conditions

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

data=$top_srcdir/tests/data/pfw/d1.pfw
job=$tmp/job
"$top_builddir/tests/tools/mkshard" "$job" direct 40
events=$("$dftrace" stat --events "$job" | wc -l)

exits 0 "export" "$dftrace" export "$job"
is "$(($(wc -l <"$tmp/out") - 1))" "$events" "a line for each event"
# nanoseconds since 1970 are more than a number of awk holds: without the seconds
is "$(sed 1d "$tmp/out" | awk -F, '{ print substr ($1, 11) + $2 }' | sort -nc 2>&1)" "" \
    "by their ends"
exits 0 "export -f jsonl" "$dftrace" export -f jsonl "$job"
is "$(wc -l <"$tmp/out")" "$events" "jsonl: a line for each event"
exits 0 "export -f chrome -o" "$dftrace" export -f chrome -o "$tmp/c.json" \
    "$job"
is "$(cat "$tmp/out" "$tmp/err")" "" "-o: says nothing"
(cd "$tmp" && "$dftrace" export -f jsonl -o - "$job") >"$tmp/minus"
is "$(wc -l <"$tmp/minus")" "$events" "-o -: to standard output"
ok "and no file of that name" test ! -e "$tmp/-"
exits 0 "export -f jsonl" "$dftrace" export -f jsonl "$job"
is "$(grep -c '^{"time_ns":1790000000[0-9]\{9\},' "$tmp/out")" "$events" \
    "jsonl: time_ns is since 1970"
exits 0 "export -f chrome -o" "$dftrace" export -f chrome -o "$tmp/c.json" \
    "$job"
if command -v jq >/dev/null; then
    is "$(jq '.traceEvents | length' "$tmp/c.json")" "$events" \
        "chrome: JSON with all events"
    is "$(jq -s 'length' "$tmp/out")" 0 "nothing on standard output"
    "$dftrace" export -f jsonl "$data" >"$tmp/lines"
    is "$(jq -s 'map (select (.name == "read").ret) | add' "$tmp/lines")" 4196 \
        "jsonl: results"
else
    skip "no jq" "JSON"
fi

# count CONDITION…: events that it lets through
count ()
{
    local args=()
    for c in "$@"; do args+=(-w "$c"); done
    "$dftrace" export "${args[@]}" "$data" | sed 1d | wc -l
}
is "$(count)" 9 "no condition"
is "$(count cat=posix)" 7 "a category, whatever its case"
is "$(count 'name=read,pread')" 3 "two names"
is "$(count 'name!=read')" 7 "not a name"
is "$(count 'file=*.bin' cat=POSIX)" 6 "files by a pattern, and a category"
is "$(count pid=100)$(count pid=101)" 90 "a process"
is "$(count time=0.0002-0.0007)" 3 "a range of time"
is "$(count time=0.0009-)" 3 "from a time on"
is "$(count time=-0.00001)" 2 "up to a time"
is "$(count rank=0)" 0 "a rank that is not there"
exits 0 "ranks" "$dftrace" export -w rank=2-3 "$job"
is "$(sed 1d "$tmp/out" | cut -d, -f6 | sort -u | xargs)" "2 3" "only those"

for bad in cat foo=1 cat= time=x time=5-2 'rank=-' ''; do
    exits 2 "not a condition: '$bad'" "$dftrace" export -w "$bad" "$data"
done
exits 2 "no such format" "$dftrace" export -f xml "$data"
exits 2 "no operand" "$dftrace" export
exits 1 "nothing there" "$dftrace" export "$tmp/none"
exits 1 "not writable" "$dftrace" export -o "$tmp/no/such/dir" "$data"
{ cat "$data"; echo '{"name":"to'; } >"$tmp/torn.pfw"
exits 5 "something lost" "$dftrace" export "$tmp/torn.pfw"

# DFTracer's format is what merge writes.
"$top_builddir/tests/tools/mkshard" "$tmp/pfwjob" direct 50
exits 0 "pfw" "$dftrace" export -f pfw -o "$tmp/out.pfw.gz" "$tmp/pfwjob"
"$dftrace" merge -q --pfw "$tmp/pfwjob"
is "$(zcat "$tmp/out.pfw.gz" | cksum)" \
    "$(zcat "$tmp/pfwjob/combined.pfw.gz" | cksum)" "pfw is that of merge"
exits 2 "pfw to standard output" "$dftrace" export -f pfw "$tmp/pfwjob"
exits 2 "pfw of some events" "$dftrace" export -f pfw -w rank=0 \
    -o "$tmp/x.pfw.gz" "$tmp/pfwjob"

# --- OpenMetrics, Parquet -------------------------------------------------------
printf '{"format":"dftrace-job","job_id":4711,"job_name":"a\\"b\\\\c\\nd","user":"eve"}\n' \
    >"$job/job.json"
exits 0 "export -f openmetrics" "$dftrace" export -f openmetrics \
    -o "$tmp/job.prom" "$job"
is "$(tail -n 1 "$tmp/job.prom")" "# EOF" "it has its end"
is "$(stat -c %a "$tmp/job.prom")" 644 "a collector may read it"
like "$(grep '^dftrace_job_posix_events{' "$tmp/job.prom")" \
    'job_name="a\\"b\\\\c\\nd",job_id="4711",user="eve"' "labels are escaped"
"$dftrace" analyze --no-write -f csv --view metric "$job" >"$tmp/metrics.csv"
is "$(sed -n 's/^dftrace_job_\([a-z_0-9]*\){.*} \(.*\)/\1,\2/p' "$tmp/job.prom")" \
    "$(sed 1d "$tmp/metrics.csv" | cut -d, -f1,2 | grep -v ',$')" \
    "the metrics that there are, with their values"
is "$(grep -c '^# TYPE dftrace_job_[a-z_0-9]* gauge$' "$tmp/job.prom")" \
    "$(grep -c '^dftrace_job_' "$tmp/job.prom")" "a family each"
is "$("$dftrace" export -f openmetrics -w 'class = read' "$job" |
    sed -n 's/^dftrace_job_posix_events{.*} //p')" \
    "$("$dftrace" export -w 'class = read' "$job" | sed 1d | wc -l)" \
    "of the events that a condition lets through"
rm "$job/job.json"

exits 2 "Parquet needs a file" "$dftrace" export -f parquet "$job"
printf '#!/bin/sh\necho "$@" >%s\n' "$tmp/python.words" >"$tmp/python3"
chmod +x "$tmp/python3"
PATH=$tmp:$PATH exits 0 "export -f parquet" "$dftrace" export -f parquet \
    -w 'class = read' -o "$tmp/e.parquet" "$job"
like "$(cat "$tmp/python.words")" "dftrace._parquet.* $tmp/e.parquet $job class = read\$" \
    "a Python writes it"
rm "$tmp/python3"
if /usr/bin/python3 -c 'import pyarrow' 2>/dev/null; then
    skip "pyarrow is here" "what to install"
else
    PATH=/usr/bin:$PATH exits 1 "without pyarrow" "$dftrace" export \
        -f parquet -o "$tmp/e.parquet" "$job"
    like "$(cat "$tmp/err")" "pip install pyarrow" "what to install"
fi

done_testing
