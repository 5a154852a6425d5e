#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2110-pfw.t - the trace as DFTracer's JSON lines

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

job=$tmp/job
pfw=$job/combined.pfw.gz
"$top_builddir/tests/tools/mkshard" "$job" direct 1200
exits 0 "merge --pfw" "$dftrace" merge --quiet --pfw "$job"
ok "it is a whole gzip file" gzip -t "$pfw"
zcat "$pfw" >"$tmp/lines"
is "$(sed -n 1p "$tmp/lines")$(sed -n '$p' "$tmp/lines")" "[]" "in brackets"

truth ()
{
    awk -v name="$1" '$1 == name { print $2 }' "$job/truth"
}
is "$(grep -c '"cat":"POSIX"' "$tmp/lines")" "$(truth posix_events)" \
    "every POSIX call"
is "$(grep -c '"name":"item","cat":"data"' "$tmp/lines")" \
    "$(truth item_count)" "every data/item"
hash=$(printf %s /data/corpus.bin | md5sum | cut -c 1-32 |
    sed 's/\(..\)../\1/g')
is "$(grep '"name":"FH"' "$tmp/lines" | grep -c '"name":"/data/corpus.bin"')" 1 \
    "a file is named once"
like "$(grep '"name":"/data/corpus.bin"' "$tmp/lines")" "\"value\":\"$hash\"" \
    "by DFTracer's hash of its path"
is "$(grep '"name":"read"' "$tmp/lines" | grep "\"fhash\":\"$hash\"" |
    sed 's/.*"ret":\([0-9]*\).*/\1/' | awk '{ n += $1 } END { print n }')" \
    "$(truth read_bytes)" "bytes read from it"
is "$(grep '"ph":"X"' "$tmp/lines" | grep -v '"cat":"dftracer"' |
    sed 's/.*"ts":\([0-9]*\),"dur":\([0-9]*\).*/\1 \2/' |
    awk '{ end = $1 + $2; if (end < last) bad++; last = end }
         END { print bad + 0 }')" 0 "in the order of their ends"
is "$(sed 's/^{"id":\([0-9]*\),.*/\1/' "$tmp/lines" | sort | uniq -d)" "" \
    "ids are unique"
if command -v jq >/dev/null 2>&1; then
    is "$(zgrep '"name":"item"' "$pfw" | jq -s 'map (.args.image_size) | add')" \
        "$("$dftrace" stat --events --format jsonl "$job" | grep '"name":"item"' |
            jq -s 'map (.args.image_size) | add')" "zgrep and jq work on it"
else
    skip "no jq" "zgrep and jq work on it"
fi

# What merge tells is what zgrep counts, with and without the moments of processes.
said=$("$dftrace" merge --pfw "$job" | sed -n 's/.*pfw.gz: //p')
is "$said" "$(zgrep '"ph":"X"' "$pfw" | grep -vc '"cat":"dftracer"') events; with the start and end of each \
process $(zgrep -c '"ph":"X"' "$pfw") lines with a time" "merge tells what zgrep counts"

# Each member can be inflated alone, and is what the index says.
cmp_num "$(grep -vc '^#' "$pfw.idx")" -gt 1 "several members"
while IFS=$'\t' read -r at bytes plain size line lines _; do
    dd if="$pfw" bs=65536 iflag=skip_bytes,count_bytes skip="$at" \
        count="$bytes" status=none | zcat >"$tmp/member"
    ok "member at $at" cmp "$tmp/member" <(tail -c +$((plain + 1)) \
        "$tmp/lines" | head -c "$size")
    is "$(wc -l <"$tmp/member")" "$lines" "member at $at: lines"
done < <(grep -v '^#' "$pfw.idx" | sed -n '1p;2p;$p')

cp "$pfw" "$tmp/first.gz"
"$dftrace" merge --quiet --pfw "$job"
ok "the same trace gives the same bytes" cmp "$tmp/first.gz" "$pfw"
is "$(stat -c %a "$pfw")" 600 "mode is 0600"
for threads in 1 5; do
    "$dftrace" merge --quiet --pfw -j $threads "$job"
    ok "$threads threads write the same" cmp "$tmp/first.gz" "$pfw"
done

# Names that JSON has to escape.
mkdir "$tmp/run"
odd=$tmp/$'q"uote\\back\ttab\nline\303\251\377'
echo x >"$odd"
if [ -e "$top_builddir/preload/libdftrace_preload.la" ] &&
    "$dftrace" run -q -o "$tmp/run/job" -- cat "$odd" >/dev/null 2>&1; then
    "$dftrace" merge --quiet --pfw "$tmp/run/job"
    zcat "$tmp/run/job/combined.pfw.gz" >"$tmp/odd.lines"
    like "$(grep -c 'q\\"uote\\\\back\\ttab\\nline' "$tmp/odd.lines")" '^[1-9]' \
        "an odd name is escaped"
    if command -v jq >/dev/null 2>&1; then
        ok "and the lines are valid" sh -c \
            'grep -v "^[][]$" "$1" | jq -e . >/dev/null' sh "$tmp/odd.lines"
    else
        skip "no jq" "and the lines are valid"
    fi
else
    skip "nothing to trace with" "an odd name is escaped"
    skip "nothing to trace with" "and the lines are valid"
fi

# What is read again is what was written: also when processes ended.
wait_job=$tmp/ends
"$dftrace" run -q -o "$wait_job" -- "$SHELL" -c 'cat /etc/passwd >/dev/null; sleep 0.05' >/dev/null 2>"$tmp/ends.err"
"$dftrace" merge --quiet --pfw "$wait_job"
mkdir "$tmp/again"
cp "$wait_job/combined.pfw.gz" "$tmp/again"
of () # JOB: each process, when it began and ended, in whole microseconds
{
    "$dftrace" analyze --no-write --format csv --view process "$1" 2>/dev/null |
        awk -F, 'NR > 1 { print $2, $8 }' | sort
}
is "$(of "$tmp/again")" "$(of "$wait_job" | sed 's/exec$/exit/')" "ends of processes survive"
time_of () { "$dftrace" analyze --no-write --format csv --view metric "$1" 2>/dev/null | awk -F, '$1 == "job_time" { print $2 }'; }
ok "so does the job's time, to 2 us" awk -v a="$(time_of "$wait_job")" -v b="$(time_of "$tmp/again")" \
    'BEGIN { d = a - b; exit !(a > 0.05 && d < 2e-6 && d > -2e-6) }'

done_testing
