#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1000-exports.t - what the preload library shows to strangers, and needs

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

sed -n -e 'h;s/^[A-Z]\{1,\}2\{0,1\} ([^,]*, *\([A-Za-z_0-9]*\),.*/\1/p;g' \
    -e 's/^[A-Z]*2 ([^,]*,[^,]*, *\([A-Za-z_0-9]*\),.*/\1/p' \
    "$top_srcdir/preload/wrap/wraps.def" | sort >"$tmp/table"
nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$tmp/exports"

cmp_num "$(wc -l <"$tmp/table")" -gt 100 "the table has its rows"
is "$(sort "$tmp/table" | uniq -d)" "" "no symbol has two rows"
is "$(grep -v '^dftrace_' "$tmp/exports" | comm -3 - "$tmp/table")" "" \
    "exported: the rows of wraps.def and dftrace_*, nothing else"
ok "dftrace_region_begin is among them" grep -qx dftrace_region_begin "$tmp/exports"

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
is "${needed//ld-linux*/}" "libc.so.6" "needs libc and nothing else"
is "$(readelf -d "$library" | grep -E 'RPATH|RUNPATH')" "" "no run path"
is "$(readelf -lW "$library" | awk '/GNU_STACK/ { print $7 }')" "RW" \
    "the stack is not executable"

# Each further page is one that every process touches, and a child of fork copies.
in_one_page() {
    local begin size
    read -r begin size < <(readelf -SW "$library" |
        sed -n "s/.* $1  *[A-Z]*  *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/0x\1 0x\2/p")
    ok "$1 lies in one page" [ $((begin / 4096)) -eq $(((begin + size - 1) / 4096)) ]
    cmp_num $((size)) -gt 0 "$1 is there"
}
in_one_page dftrace_start
in_one_page dftrace_state

# Every row has a call in a victim, so that a wrapper without a test shows.
nm -u "$victims/calls" "$victims/morecalls" "$victims/procs" "$victims/leaver" \
    "$victims/raw" "$victims/sandbox" "$victims/odd/wide" "$victims/odd/drops" "$victims/odd/waits" \
    "$victims/libcfiles" "$victims/net" |
    awk '{ print $2 }' |
    sed 's/@.*//' | sort -u >"$tmp/used"
# These only hand on: the exec and spawn families are one macro each, system and
# wordexp are those of t1036; exits never return. Of a later libc, or of
# libraries that may not be here: the rest.
is "$(comm -23 "$tmp/table" "$tmp/used" |
    grep -vxE 'exec(ve|v|vp|vpe|veat)|fexecve|system|wordexp|_Exit|sem_clockwait|posix_spawnp?|__isoc23_v?f?w?scanf|io_.*' | xargs)" "" \
    "a victim calls every wrapped symbol"

done_testing
