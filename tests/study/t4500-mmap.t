#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Layer mmap on a cold file system of our own: what the kernel read for the
# program is found again, at the right file, region, thread and process.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/mmap.sh"

disk 160
head -c 48M /dev/urandom >"$disk/data"
file=$disk/data

# --- bytes and file -------------------------------------------------------

# A region has all that the kernel read for its thread, also a page that is not the
# file's: of the program, or of what the file system needs to know.
for _ in 1 2 3 4 5; do
    cold
    mapped touch touch "$file" 1000 7
    rest=$(row faults storage_bytes_faults name=rest)
    [ -n "$rest" ] || break
    diag "read in region rest: $rest, faults $(row faults fault_count name=rest)"
    diag "$(cat "$trace/tables/mappings.csv")"
done
is "$status" 0 "the program runs as before"
within "$(metric storage_bytes)" "$(said io)" 2 "storage bytes: /proc/self/io"
within "$(metric storage_bytes_faults)" "$(said io)" 2 "all by faults"
within "$(row mappings storage_bytes_faults file="$file")" "$(said io)" 2 \
    "of the right file"
within "$(row faults storage_bytes_faults name=touch)" "$(said io)" 2 \
    "in the region that touches"
is_kept "$rest" "" "not in the one that does not"
cmp_num "$(row faults fault_count name=touch)" -gt 0 "which has the major faults"
is "$(metric warm_percent)" 0 "the file was cold"
cmp_num "$(row mappings touched_bytes file="$file")" -ge $((1000 * 4096)) \
    "touched: at least the pages that were"
cmp_num "$(awk -F, 'NR > 1 { n += $6 } END { print n }' \
    "$trace/tables/fault_times.csv")" -eq \
    "$(row mappings storage_bytes_faults file="$file")" "bytes over time are all bytes"

unlike "$("$dftrace" analyze --no-write --view function "$trace")" "mm_" \
    "what the layer measured is no function"
like "$("$dftrace" analyze --no-write --by name --where 'cat=MMAP' "$trace")" "mm_usage +[1-9]" \
    "but can be asked for"

# As it is in memory now, unless the node takes pages back.
for _ in 1 2 3 4 5; do
    cat "$file" >/dev/null
    taken_before=$(taken_pages)
    mapped warm touch "$file" 1000 7
    bytes=$(metric storage_bytes_faults) faults=$(row faults fault_count name=touch)
    few=$([ "${bytes:-0}" -lt 100000 ] && [ "${faults:-0}" -le 5 ] && echo few)
    [ -z "$few" ] || break
    diag "storage_bytes_faults $bytes, faults $faults"
done
is_kept "$few" few "warm: next to nothing is read, by hardly a fault"
cmp_num "$(row mappings touched_bytes file="$file")" -ge $((1000 * 4096)) \
    "but it was touched"
nok "not cold" test "$(metric warm_percent)" = 0

cold
mapped random random "$file" 500 23
within "$(metric storage_bytes)" "$(said io)" 2 "without read-ahead"
within "$(row faults fault_count name=touch)" 500 2 "a fault for each page"
within "$(metric storage_bytes_faults)" $((500 * 4096)) 2 "a page for each fault"
cmp_num "$(metric ahead_percent | cut -d. -f1)" -eq 0 "no read-ahead, no waste"

# --- who ------------------------------------------------------------------

cold
mapped threads threads "$file" 500 23
first=$(row faults storage_bytes_faults name=first)
second=$(row faults storage_bytes_faults name=second)
cmp_num "$first" -gt 0 "two threads: the first has bytes"
cmp_num "$second" -gt "$first" "the second, with three times the pages, more"
within $((first + second)) "$(said io)" 2 "together they have all"

# What comes after the last look but one has no file, and is in column `other`, where all
# pages of the file were seen at that look already: another try then.
for _ in 1 2 3 4 5; do
    cold
    mapped pair pair "$file" 500 23
    parent=$(said parent) child=$(said child)
    all=($(awk -F, 'NR > 1 { print $4 }' "$trace/tables/fault_workers.csv" | sort -n))
    bytes=($(awk -F, 'NR > 1 { print $5 }' "$trace/tables/fault_workers.csv" | sort -n))
    [ "${all[*]}" != "${bytes[*]}" ] || break
    diag "$(cat "$trace/tables/fault_workers.csv")"
done
cmp_num "$child" -gt "$parent" "two processes: the child reads more"
is "${#bytes[@]}" 2 "there are two"
within "${all[0]}" "$parent" 2 "what the kernel said of the one"
within "${all[1]}" "$child" 2 "and of the other"
within "${bytes[0]}" "$parent" 2 "which came by faults of the one"
within "${bytes[1]}" "$child" 2 "and of the other"
is "$(metric lost_events)" 0 "nothing is lost"

cold
DFTRACE_USAGE_GAP=1us mapped both both "$file"
within "$(metric storage_bytes_calls)" "$(said read)" 4 \
    "what read () had is not the mapping's"
within "$(metric storage_bytes_faults)" $(($(said io) - $(said read))) 4 \
    "and the rest is"

# --- without perf, as anybody ---------------------------------------------

cold
DFTRACE_MMAP_PERF=0 mapped noperf touch "$file" 1000 7
within "$(row mappings storage_bytes_faults file="$file")" "$(said io)" 2 "without perf"
is "$(row mappings fault_count file="$file")" "" "faults of a file are not known"
unlike "$(cat "$trace/tables/fault_workers.csv")" perf "the table says why"
cmp_num "$(row faults fault_count name=touch)" -gt 0 "those of a region are"
is "$(row faults stall_source name=touch)" "not running" "and how long it waited"
cmp_num "$(awk -F, 'NR > 1 { n += $7 } END { print n }' \
    "$trace/tables/fault_times.csv")" -eq "$(row faults fault_count name=touch)" \
    "and when, of whatever file"

cold
DFTRACE_MMAP_SAMPLER=0 mapped nothread touch "$file" 1000 7
within "$(row faults storage_bytes_faults name=touch)" "$(said io)" 2 \
    "without a sampler: the region"
within "$(row mappings storage_bytes_faults file="$file")" "$(said io)" 2 \
    "the file, at the end"

if setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$mapper" \
    2>/dev/null; then
    mkdir "$tmp/nobody" && chown 65534:65534 "$tmp/nobody"
    cold
    trace=$tmp/nobody/j
    out=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$dftrace" run -q \
        -o "$trace" --layers posix,app,mmap -- "$mapper" touch "$file" 1000 7)
    setpriv --reuid=65534 --regid=65534 --clear-groups "$dftrace" analyze "$trace" >/dev/null
    within "$(row mappings storage_bytes_faults file="$file")" "$(said io)" 2 \
        "another user, not the file's owner"
    unlike "$(cat "$trace/tables/fault_workers.csv")" mincore \
        "who may not see the cache"
    like "$("$dftrace" analyze --no-write --view metric "$trace")" \
        "warm_percent +n/a .*only the owner" "and is told so"
else
    skip "the build cannot be read by others" "another user"
    skip "the build cannot be read by others" "who may not see the cache"
    skip "the build cannot be read by others" "and is told so"
fi

# --- the workload ---------------------------------------------------------

minigpt=$top_builddir/etc/examples/minigpt/minigpt
"$top_builddir/etc/examples/minigpt/mkcorpus" --bytes=16M \
    "$disk/corpus" >/dev/null
train ()
{
    trace=$tmp/gpt-$1
    rm -rf "$trace"
    out=$("$dftrace" run -q -o "$trace" --layers posix,app,mmap -- "$minigpt" \
        --data "$disk/corpus" --steps 4 --seq 512 \
        --global-batch 64 --compute-us-per-ktoken 0 --compute-us-per-step 0 \
        --access "$1")
    "$dftrace" analyze "$trace" >/dev/null
}
train mmap # builds the index
cold
train mmap
cmp_num "$(row faults fault_count name=preprocess.read_indexed)" -gt 0 \
    "minigpt stalls where the pages are touched"
is "$(row faults fault_count name=preprocess.mmap_read)" "" \
    "not where the view is made"
within "$(row mappings storage_bytes_faults file="$disk/corpus.bin")" \
    "$(metric storage_bytes_faults)" 10 "nearly all of it is the corpus"
nok "read amplification" test -z "$(metric read_amplification)"
mapped_used=$(metric samples)
cold
train direct
is "$(metric samples)" "$mapped_used" "direct reads the same samples"
cmp_num "$(metric storage_bytes_calls)" -gt "$(metric storage_bytes_faults)" \
    "its bytes come by calls"
nok "time lost to input is known of both" test -z "$(metric input_wait_time)"

# --- not asked for --------------------------------------------------------

"$dftrace" run -q -o "$tmp/off" --layers posix,app -- "$mapper" touch "$file" \
    1000 7 >/dev/null
"$dftrace" analyze "$tmp/off" >"$tmp/analyzed"
trace=$tmp/off
is "$(metric storage_bytes)" "" "without the layer: not measured"
like "$(cat "$tmp/off/tables/metrics.csv")" \
    "storage_bytes,,B,.*layer mmap was not traced" "with the reason"
unlike "$("$dftrace" stat --events "$tmp/off")" 'mm_|page_fault' "no events"

done_testing
