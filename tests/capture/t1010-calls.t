#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1010-calls.t - every wrapped call: unchanged, recorded once, with its facts

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

mkdir "$tmp/plain" "$tmp/work"
"$victims/calls" "$tmp/plain" >"$tmp/plain.out"
is $? 0 "the victim runs untraced"
traced job "$victims/calls" "$tmp/work" >"$tmp/work.out"
is $? 0 "the victim runs traced"
cmp_num "$(wc -l <"$tmp/plain.out")" -gt 150 "it makes many calls"
is "$(diff "$tmp/plain.out" "$tmp/work.out")" "" \
    "every result and errno is as without tracing"

events job >"$tmp/events"
pid=$(awk '$3 == "creat" { print $1; exit }' "$tmp/events")
grep "^$pid .*file=$tmp/work[/ ]" "$tmp/events" >"$tmp/mine"
grep -v '^NONE' "$tmp/work.out" >"$tmp/said"
is "$(diff <(awk '{ print $1 }' "$tmp/said") <(awk '{ print $3 }' "$tmp/mine"))" "" \
    "each call gives one event, in order"

# Results: what the program saw is what the trace says. Streams count items
# and opened FILEs there, bytes and 0 here; pointers are only yes or no.
is "$(diff \
    <(awk '$1 !~ /^(f(open|dopen|read|write|gets|puts|close)|mmap|opendir|getline|fallocate|fadvise)$/' \
        "$tmp/said" | sed -E 's/^([a-z]+) .* = (-?[0-9]+) errno=([0-9]+)$/\1 \2 \3/; s/ 77$/ 0/') \
    <(sed -E 's/^[0-9]+ [0-9]+ ([a-z]+) .* ret=(-?[0-9]+) err=([0-9]+) .*/\1 \2 \3/' \
        "$tmp/mine" | grep -vE '^(f(open|dopen|read|write|gets|puts|close)|mmap|opendir|getline|fallocate|fadvise) '))" \
    "" "results and errors are in the trace"

field () { sed -n "s/.* $1=\([^ ]*\).*/\1/p" | xargs; }
is "$(grep ' fallocate ' "$tmp/mine" | field ret)" "0 0 0 -1" \
    "posix_fallocate: a returned error number is a failure"
is "$(grep ' \(read\|readv\) .*file=.*/f ' "$tmp/mine" | field off)" \
    "1 3 7 11 19 27 38" "reads know where in the file they were"
is "$(grep ' pwritev ' "$tmp/mine" | field off)" "30 30 30 24" \
    "so do writes at an offset, and those at -1"
is "$(grep ' writev .*file=.*/f ' "$tmp/mine" | field size)" "8 8" \
    "a vector's bytes are summed"
is "$(grep ' \(fread\|fwrite\) ' "$tmp/mine" | field size)" \
    "10 5 4 2 1 1 4 2" "items of streams are counted in bytes"
is "$(grep ' mmap ' "$tmp/mine" | field size)" "4096 4096 4096" "mmap has its length"
is "$(grep ' write .*file=.*/f size=3 ' "$tmp/mine" | field off)" "0 3 -1" \
    "after dup the position is known, with O_APPEND it is not"
ok "rename has both names" \
    grep -q " rename file=$tmp/work/f file2=$tmp/work/d/g " "$tmp/mine"
ok "a relative path is made absolute" grep -q " openat .*file=$tmp/work/f " "$tmp/mine"
is "$(grep -c 'file=[^/]' "$tmp/events")" 0 "no name is relative"
is "$(health job lost)$(health job lost_names)" 00 "nothing was lost"
is "$(awk '{ for (i = 4; i <= NF; i++) if ($i ~ /^dur=/ && substr ($i, 5) + 0 > 1e10) print }' \
    "$tmp/events")" "" "no call took absurdly long"

# Streams without events, the rest unchanged.
rm -rf "$tmp/work" && mkdir "$tmp/work"
"$dftrace" run -q -o "$tmp/nostdio" --layers posix,nostdio -- \
    "$victims/calls" "$tmp/work" >"$tmp/work.out"
is "$(diff "$tmp/plain.out" "$tmp/work.out")" "" "nostdio: unchanged"
events nostdio | grep "file=$tmp/work[/ ]" | rows >"$tmp/nostdio.rows"
is "$(grep -E ' (f(open|close|read|write|gets|puts|seek|flush|printf)|getline)$' "$tmp/nostdio.rows")" \
    "" "nostdio: no events of streams"
is "$(grep -E ' (read|open|writev)$' "$tmp/nostdio.rows" | xargs)" \
    "$(rows <"$tmp/mine" | grep -E ' (read|open|writev)$' | xargs)" \
    "nostdio: descriptors of streams still have their files"

done_testing
