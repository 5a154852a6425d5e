#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1069-pages.t - pages of 64 KiB, simulated: what the recorder maps of its files
#                 begins inside of a page

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

units="nodefile shardfile shardfileshared recforkshared tbuf"
for unit in $units; do
    [ -x "$top_builddir/tests/unit/core/$unit.t" ] || skip_all "the unit tests are not built"
done

for unit in $units; do
    UNIT_PAGE=65536 "$top_builddir/tests/unit/core/$unit.t" >"$tmp/out" 2>&1
    is "$? $(grep -c '^not ok' "$tmp/out")" "0 0" "$unit: as with pages of 4 KiB"
done
if command -v strace >/dev/null && strace -o "$tmp/try" true 2>/dev/null; then
    # shellcheck disable=SC2046 # words
    UNIT_PAGE=65536 strace -f -o "$tmp/log" -e trace=mmap \
        "$top_builddir/tests/unit/core/tbuf.t" >"$tmp/out" 2>&1
    is "$(grep 'MAP_SHARED, [0-9]' "$tmp/log" | sed 's/.*, \(0[x0-9a-f]*\)).*/\1/' | sort -u |
        while read -r at; do [ $((at % 65536)) = 0 ] || echo "$at"; done)" "" \
        "tbuf: each mapping of a file begins with a page"
    ok "and there are some that do not begin with the file" \
        grep -qE 'MAP_SHARED, [0-9]+, 0x[1-9a-f]' "$tmp/log"
else
    skip "no strace" "tbuf: each mapping of a file begins with a page"
fi
done_testing
