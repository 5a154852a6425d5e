#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Layer mmap where mappings are odd, and where the program must not notice.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/mmap.sh"

file=$tmp/file
head -c 8M /dev/urandom >"$file"

# What was unmapped without a look, which would have cost too much, or waited too long
# for another thread on a busy machine: it is counted.
unlooked ()
{
    "$dftrace" stat --events "$trace" | sed -n 's/.*mm\.unlooked=\([0-9]*\).*/\1/p' |
        tail -n 1 | grep . || echo 0
}

# known BYTES NAME: so many were touched, no page is counted twice, and what is missing
# is counted.
known ()
{
    local touched

    touched=$(row mappings touched_bytes file="$file")
    diag "touched $touched of $1, without a look $(unlooked)"
    cmp_num "$touched" -le "$1" "$2: no page is counted twice"
    cmp_num $((touched + $(unlooked))) -ge "$1" "$2: known, or counted"
}

mapped plain touch "$file"
is "$status" 0 "plain: exit status"
cmp_num "$(row mappings touched_bytes file="$file")" -eq 8388608 \
    "every page is seen"
is "$(row mappings mapped_bytes file="$file")" 8388608 "and the length"

truncate -s 1G "$tmp/holes"
mapped sparse touch "$tmp/holes" 2000 64
is "$status" 0 "sparse: exit status"
cmp_num "$(row mappings touched_bytes file="$tmp/holes")" -ge $((2000 * 4096)) \
    "holes are touched"
cmp_num "$(row mappings storage_bytes_faults file="$tmp/holes")" -lt 100000 \
    "and nothing comes from storage"

cp "$file" "$tmp/tobecut"
mapped sigbus sigbus "$tmp/tobecut"
is "$status" 7 "truncated under its mapping: SIGBUS is the program's"

mapped huge huge "$file"
is "$status" 0 "64 GiB: exit status"
is "$(row mappings mapped_bytes file="$file")" $((64 << 30)) "their length"
cmp_num "$(row mappings touched_bytes file="$file")" -eq 8388608 \
    "their pages"

mapped partial partial "$file"
is "$status" 0 "unmapped piece by piece: exit status"
known 8388608 "what was touched before"
is "$("$dftrace" stat --events "$trace" | grep -c '	munmap	')" 3 \
    "three pieces, all recorded"

mapped move move "$file"
is "$status" 0 "mremap: exit status"
known 4194304 "the half that was touched"

mapped fork pair "$file"
is "$status" 0 "fork: exit status"
cmp_num "$(row mappings touched_bytes file="$file")" -eq 8388608 \
    "what parent and child touched"
is "$(row mappings processes file="$file")" 2 "two processes"

mapped alone alone "$file"
is "$status $(said ended; tail -n 1 <<<"$out")" "0 ended" \
    "a process whose main thread is gone ends by itself"
cmp_num "$(row mappings touched_bytes file="$file")" -eq 8388608 "and is seen"

# The sampler has looked when all of it is in the trace.
until_seen ()
{
    for _ in {1..600}; do
        [ "$("$dftrace" stat --events "$tmp/kill" 2>/dev/null |
            sed -n 's/.*mm_pages.* mm\.touched=\([0-9]*\).*/\1/p' |
            awk '{ n += $1 } END { print n + 0 }')" != 8388608 ] || break
        sleep 0.1
    done
    : >"$file.seen"
}
until_seen &
mapped kill kill "$file"
wait
is "$status" 137 "killed: exit status"
cmp_num "$(row mappings touched_bytes file="$file")" -eq 8388608 \
    "what it touched before is in the trace"

mapped short short "$file" 16
is "$status" 0 "mapped and unmapped 100 times"
cmp_num "$("$dftrace" stat --events "$trace" | grep -c '	munmap	')" -eq 100 \
    "all of it recorded"
cmp_num "$(metric lost_events)" -eq 0 "nothing lost"
mapped often often "$file" 16
is "$status" 0 "mapped and unmapped 20,000 times"
cmp_num "$(unlooked)" -gt 0 "not all is looked at, and that is counted"
like "$("$dftrace" analyze --no-write --view insight "$trace")" mappings_unseen "and said"

# One table of the process has room for 2,048, of 3,001 (MMREG_MAX).
mapped many many "$file" 1
is "$status" 0 "more mappings than there is room for"
is "$("$dftrace" analyze --no-write --view insight --format csv "$trace" |
    awk -F, '$2 == "mappings_lost" { found = 1 } END { print found + 0 }')" 1 "that is said"
is "$("$dftrace" stat --events "$trace" | sed -n 's/.*mm\.lost_maps=\([0-9]*\).*/\1/p' | tail -n 1)" \
    $((3001 - 2048)) "with their number"

# A page table of huge pages.
pages=/proc/sys/vm/nr_hugepages
size=$(awk '/^Hugepagesize:/ { print $2 * 1024 }' /proc/meminfo)
mkdir "$tmp/hugetlb"
if [ "$(id -u)" = 0 ] && [ -w "$pages" ] &&
    mount -t hugetlbfs none "$tmp/hugetlb" 2>/dev/null; then
    at_exit "umount $tmp/hugetlb"
    # shellcheck disable=SC2016 # at the end: others may have some by then
    at_exit 'echo $(($(cat "$pages") - 2)) >"$pages"'
    echo $(($(cat $pages) + 2)) >$pages
    # which are ours from here on
    if fallocate -l $((2 * size)) "$tmp/hugetlb/file" 2>/dev/null; then
        mapped pages touch "$tmp/hugetlb/file"
        is "$status" 0 "huge pages: exit status"
        cmp_num "$(row mappings touched_bytes file="$tmp/hugetlb/file")" -eq \
            $((2 * size)) "huge pages are counted whole"
        rm "$tmp/hugetlb/file"
    else
        skip "no huge pages to be had" "huge pages: exit status"
        skip "no huge pages to be had" "huge pages are counted whole"
    fi
else
    skip "no hugetlbfs here" "huge pages: exit status"
    skip "no hugetlbfs here" "huge pages are counted whole"
fi

# The layer alone: no other call is recorded.
"$dftrace" run -q -o "$tmp/only" --layers mmap -- "$mapper" touch "$file" \
    >/dev/null
"$dftrace" analyze "$tmp/only" >/dev/null
trace=$tmp/only
is "$("$dftrace" stat --events "$tmp/only" |
    grep -cE '	(open|openat|close|fstat|read)	')" 0 "mmap alone: no other calls"
is "$("$dftrace" stat --events "$tmp/only" | grep -c '	mmap	')" 1 "but mmap"
cmp_num "$(row mappings touched_bytes file="$file")" -eq 8388608 "and its pages"

"$dftrace" merge --pfw "$tmp/plain" >/dev/null
ok "the exchange format has what was seen" eval \
    "zcat '$tmp/plain'/*.pfw.gz | grep -q '\"name\":\"mm_pages\".*\"mm.touched\":'"

# What the page says of the keys is what the program has.
sed -n 's/^USAGE ([A-Z_]*, "\(mm\.[^"]*\)".*/\1/p' "$top_srcdir/lib/format/usage.def" |
    sort >"$tmp/keys"
is "$(sed -n 's/^| \(mm\.[a-z_]*\) |.*/\1/p' "$top_srcdir/doc/mmap.md" | sort -u)" \
    "$(cat "$tmp/keys")" "doc/mmap.md has every key"

done_testing
