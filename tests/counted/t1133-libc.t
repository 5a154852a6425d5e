#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1133-libc.t - what libc reads and writes for itself is counted: accounts,
#     hosts, locale.alias, the time zone, named semaphores, libraries of dlopen

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/counted/lines.sh"

[ -r /proc/self/io ] || skip_all "this kernel has no /proc/self/io"
mkdir "$tmp/data"
unset LC_ALL LANGUAGE TZ
export LANG=zz_ZZ.UTF-8 # is no locale: libc looks for another name of it

# near BYTES OF NAME: libc's own buffers and headers of libraries may differ a little
near ()
{
    cmp_num "$(($1 < 0 ? -$1 : $1))" -le "$2" "$3"
}

traced one "$victims/libcfiles" "$tmp/data" >"$tmp/out"
"$victims/libcfiles" "$tmp/data" >"$tmp/expected"
is "$(diff "$tmp/out" "$tmp/expected")" "" "all functions have their results"
is "$(coverage one 'left out: libc itself' | cut -d' ' -f2)" 64 \
    "two semaphores are written"
read -r read written <<<"$(coverage one rest)"
diag "rest: $read read, $written written"
is "$written" 0 "no byte is left of what was written"
near "$read" 2000 "nearly nothing is left of what was read"

# The files are known to strace.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    strace -y -e trace=read,pread64 -o "$tmp/calls" "$victims/libcfiles" "$tmp/data" >/dev/null
    near $(($(coverage one 'left out: libc itself' | cut -d' ' -f1) - \
        $(grep -v '\.so[.0-9]*>' "$tmp/calls" | awk '$NF > 0 { n += $NF } END { printf "%.0f", n }'))) \
        2000 "strace has the same bytes, but for a longer list of mappings"
    is "$(coverage one 'left out: libraries of dlopen (estimate)' | cut -d' ' -f1)" \
        $((832 * $(sed '1,/libc\.so/d' "$tmp/calls" | grep -c ', 832) = 832'))) "and as many libraries"
else
    skip "no strace" "bytes"
    skip "no strace" "libraries"
fi

traced many "$victims/libcfiles" many "$tmp/data"
near "$(coverage many rest | cut -d' ' -f1)" 2000 "after many calls the mean stands for the later ones"
read -r first _ <<<"$(coverage many 'left out: libc itself')"
cmp_num "$first" -ge $((200 * $(head -n 1 /etc/passwd | wc -c))) "all of them are counted"

# In a locale that needs no file nothing is looked at.
LANG=C traced c "$victims/libcfiles" many "$tmp/data"
near "$(coverage c rest | cut -d' ' -f1)" 2000 "in the locale C, too"
DFTRACE_KERNEL_COUNT=0 traced off "$victims/libcfiles" "$tmp/data" >"$tmp/out"
is "$(diff "$tmp/out" "$tmp/expected")" "" "kernel_count=0: the same results"

done_testing
