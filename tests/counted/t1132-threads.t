#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1132-threads.t - the kernel's count of a process with threads, and that of
#     the children that it has waited for, are told apart

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/counted/lines.sh"

moves=$top_builddir/tests/counted/moves
[ -r /proc/self/io ] || skip_all "this kernel has no /proc/self/io"
mkdir "$tmp/data"
# What the child writes to pipes, devices, sockets, memory and files.
child=$((1529 + 5000 + 2000 + 3000 + 16062))

# Threads end before the first wait and after it, and one does not end.
traced one "$moves" crowd "$tmp/data" /usr/bin/env DFTRACE_LAYERS=off "$moves" "$tmp/data"
line=$(lines one | grep 'device=0,201000')
like "$line" ' own=[1-9]' "the bytes of the threads without the children are known"
is "$(coverage one 'left out: devices')" "0 201000" "bytes of the threads"
is "$(coverage one 'not traced' | cut -d' ' -f2)" $((2 * child)) \
    "what the untraced children wrote, to the byte"
is "$(coverage one rest | cut -d' ' -f2)" 0 "no byte is left of what was written"

traced two "$moves" crowd "$tmp/data" "$moves" "$tmp/data"
is "$(coverage two 'not traced')" "0 0" "the same with traced children: all was traced"
is "$(coverage two 'left out: devices')" "8000 211000" "bytes of the threads and of the children"
is "$(coverage two rest)" "0 0" "no byte is left"

done_testing
