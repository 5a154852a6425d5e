#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2320-insights.t - what is worth saying, overlap and patterns, by hand

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

# lines of one process: event NAME CAT TS DUR ARGS…
event ()
{
    printf '{"name":"%s","cat":"%s","pid":%d,"tid":%d,"ts":%d,"dur":%d,' \
        "$1" "$2" "${pid:-1}" "${pid:-1}" "$3" "$4"
    printf '"ph":"X","args":{"hostname":"n1"%s}}\n' "${5:-}"
}
file=',"fname":"/data/a.bin"'

rows ()
{
    "$dftrace" analyze --no-write --format csv --view insight "$1" \
        2>/dev/null | cut -d, -f2 | tail -n +2 | sort | xargs
}
value ()
{
    "$dftrace" analyze --no-write --format csv --view "$2" "$1" 2>/dev/null |
        awk -F, -v want="$3" -v at="$4" '$1 == want || $2 == want { print $at }'
}

# 1 s of work: compute 0.0-0.4 and 0.6-1.0, reads 0.3-0.5 and 0.55-0.65:
# 0.3 s of I/O, of it 0.1 + 0.05 beside compute: 50 %; alone 0.15 s; compute
# alone 0.8 - 0.15 = 0.65 s.
{
    event forward compute 1000000 400000
    event forward compute 1600000 400000
    event read POSIX 1300000 200000 "$file"',"ret":8,"count":8'
    event read POSIX 1550000 100000 "$file"',"ret":8,"count":8'
} >"$tmp/overlap.pfw"
is "$(value "$tmp/overlap.pfw" metric io_overlap 2)" 50 "overlap by hand"
is "$(value "$tmp/overlap.pfw" metric io_time 2)" 0.3 "I/O time"
is "$(value "$tmp/overlap.pfw" metric io_alone_time 2)" 0.15 "I/O alone"
is "$(value "$tmp/overlap.pfw" metric compute_alone_time 2)" 0.65 \
    "compute alone"
is "$(rows "$tmp/overlap.pfw")" read_stall "half is enough; the thread waits all the same"
is "$(value "$tmp/overlap.pfw" insight read_stall 4)" 0.3 "for so long, s"
{
    cat "$tmp/overlap.pfw"
    event read POSIX 2000000 10 "$file"',"ret":8,"count":8'
} >"$tmp/less.pfw"
is "$(rows "$tmp/less.pfw")" "io_not_hidden read_stall" "a little less is said"
is "$(value "$tmp/less.pfw" insight io_not_hidden 1)-$(value "$tmp/less.pfw" insight read_stall 1)" \
    "critical-detail" "and stands for the reads, whose whole time is a detail"

# Waiting 0.2 of 1 s; and 0.01, which is the limit.
{ event fetch dataloader 0 200000; event forward compute 200000 800000; } \
    >"$tmp/stall.pfw"
is "$(rows "$tmp/stall.pfw")" loader_stall "a stall of 20 %"
is "$(value "$tmp/stall.pfw" insight loader_stall 6)" 0.2 "its value"
is "$(value "$tmp/stall.pfw" insight loader_stall 1)" critical \
    "its severity is that of 20 % of the job"
is "$(value "$tmp/stall.pfw" insight loader_stall 4)" 0.2 \
    "what it could save, s"
is "$(value "$tmp/stall.pfw" insight loader_stall 5)" 20 "of the job"
{ event fetch dataloader 0 10000; event forward compute 10000 990000; } \
    >"$tmp/nostall.pfw"
is "$(rows "$tmp/nostall.pfw")" "" "1 % is not said"

# Patterns: 5 in a row, a jump ahead, the same stride twice, one back.
{
    at=0 n=0
    for offset in 0 8 16 24 32 1000 1108 1216 0; do
        event pread POSIX $((n += 10)) 5 \
            "$file,\"ret\":8,\"count\":8,\"offset\":$offset"
    done
} >"$tmp/places.pfw"
"$dftrace" analyze --no-write --format csv --view file "$tmp/places.pfw" \
    >"$tmp/out"
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 {
    print $at["consecutive"], $at["sequential"], $at["strided"],
        $at["backward"] }' "$tmp/out")" "4 2 1 1" "places of reads"

# 2000 reads that go back each time, small, of the same 8 KiB.
for ((i = 0; i < 2000; i++)); do
    event pread POSIX $((i * 20)) 15 \
        "$file,\"ret\":8,\"count\":8,\"offset\":$(((i * 7919) % 1024 * 8))"
done >"$tmp/random.pfw"
is "$(rows "$tmp/random.pfw")" "random_reads redundant_reads small_reads" \
    "random, redundant and small reads"

# Loaders of two processes: 0.5 and 0.1 s.
{
    pid=1 event item data 0 500000
    pid=2 event item data 0 100000
} >"$tmp/uneven.pfw"
is "$(rows "$tmp/uneven.pfw")" "decode_time loader_straggler" "a straggler"
is "$(value "$tmp/uneven.pfw" insight loader_straggler 4)" 0.4 "what it has more than the next one"
is "$(value "$tmp/uneven.pfw" insight loader_straggler 1)" critical \
    "80 % is severe"

{ cat "$tmp/stall.pfw"; echo '{"name":"torn'; } >"$tmp/torn.pfw"
is "$(rows "$tmp/torn.pfw")" "loader_stall trace_health" "lost events"

"$dftrace" analyze --no-write --format json "$tmp/stall.pfw" >"$tmp/out"
like "$(cat "$tmp/out")" '"rule": "loader_stall"' "in metrics.json"
"$dftrace" analyze --no-write "$tmp/stall.pfw" >"$tmp/out"
like "$(cat "$tmp/out")" "What could be saved" "in the text"
"$dftrace" analyze --no-write "$tmp/nostall.pfw" >"$tmp/out"
like "$(cat "$tmp/out")" "Nothing here costs more than 1 % of the job" \
    "an answer without findings"

unlike "$(cat "$tmp/out")" "recorded [(o]" "without job.json nobody knows what was left out"

# What the settings leave out is said below what I/O costs.
filtered () # SETTING…
{
    mkdir -p "$tmp/filtered"
    cp "$tmp/overlap.pfw" "$tmp/filtered/"
    echo "{\"format\": \"dftrace-job\", \"version\": 1, \"settings\": {${1-}}}" >"$tmp/filtered/job.json"
    "$dftrace" analyze --no-write "$tmp/filtered" 2>&1 | grep -A2 ' recorded ' | grep '^  ' | tr -s '\n ' ' '
}
like "$(filtered)" "^ not recorded [(]exclude[)]: /etc /usr .*[*].pyc $" "the default of exclude, without /proc"
is "$(filtered '"DFTRACE_EXCLUDE": "/dev:/my files:*.tmp"')" " not recorded (exclude): /my files *.tmp " \
    "an exclude that was given"
is "$(filtered '"DFTRACE_INCLUDE": "/data:/scratch"')" " recorded only (include): /data /scratch " \
    "an include, with which the default of exclude does not count"
is "$(filtered '"DFTRACE_INCLUDE": "all"')" "" "all: nothing is left out"
long=$(printf '/directory/%s:' {1..20})
filtered "\"DFTRACE_EXCLUDE\": \"$long\"" >/dev/null
is "$("$dftrace" analyze --no-write "$tmp/filtered" | awk 'length > 80' | wc -l)" 0 "a long list has several lines"

# origin FILE RULE: the rows of a finding
origin ()
{
    "$dftrace" analyze --no-write --format json --view insight "$1" |
        sed -n '/"rule": "'"$2"'"/,/}/s/.*"rows": "\(.*\)".*/\1/p'
}
# The rows that a finding came from: of equal ones the first, of stragglers
# the slowest and the fastest; their numbers are those in the tables.
is "$(origin "$tmp/random.pfw" small_reads)" POSIX/pread \
    "rows of calls"
is "$(origin "$tmp/random.pfw" random_reads)" /data/a.bin \
    "rows of files"
deep=/scratch/project/data/train/shard-0001.bin
sed "s|/data/a.bin|$deep|" "$tmp/random.pfw" >"$tmp/deep.pfw"
is "$(origin "$tmp/deep.pfw" random_reads)" "$deep" \
    "a long path is whole in the table"
like "$("$dftrace" analyze --no-write --format json "$tmp/deep.pfw")" \
    "\"name\": \"$deep\"" "and whole in metrics.json"
is "$(origin "$tmp/stall.pfw" loader_stall)" "stall_time; job_time" \
    "rows of metrics"
is "$(origin "$tmp/uneven.pfw" loader_straggler)" \
    "rank - on n1; rank - on n1" "rows of ranks"
{
    for call in open open open fstat read; do
        event $call POSIX $((n += 5000)) 4000 "$file"',"ret":3'
    done
} >"$tmp/opens.pfw"
is "$(origin "$tmp/opens.pfw" metadata_time)" \
    "POSIX/open; POSIX/fstat" "the longest first, and no read"
"$dftrace" analyze --no-write --format json "$tmp/opens.pfw" >"$tmp/out"
at=$(sed -n '/"rule": "metadata_time"/,/\]/p' "$tmp/out" | tr -d ' \n' |
    grep -oE '"row":[0-9]+,"name":"[^"]*"')
for row in $at; do
    like "$("$dftrace" analyze --no-write --format csv --view call \
        "$tmp/opens.pfw" | sed -n "$(($(tr -dc 0-9 <<<"$row") + 1))p" |
        cut -d, -f1,2 | tr , /)" "^$(cut -d'"' -f6 <<<"$row")\$" \
        "the number of a row is that of the table"
done
is "$(wc -l <<<"$at")" 2 "of both"


# Percentiles: 1000 reads of 1 to 1000 us; each is right to 1/64 of itself.
for ((i = 1; i <= 1000; i++)); do
    event read POSIX $((i * 2000)) $i "$file"',"ret":8,"count":8'
done >"$tmp/many.pfw"
"$dftrace" analyze --no-write --format csv --view percentile "$tmp/many.pfw" \
    >"$tmp/out"
is "$(awk -F, 'function near (got, want) {
        return got > want * 63 / 64 && got < want * 65 / 64 }
    $2 == "read" { print $3, $4, near($5, 10), near($7, 100), near($9, 500),
        near($11, 900), near($13, 990), near($14, 999), $15 }' "$tmp/out")" \
    "1000 1 1 1 1 1 1 1 1000" "percentiles"

done_testing
