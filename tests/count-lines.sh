#!/bin/bash
# SPDX-License-Identifier: MIT
#
# count-lines.sh - lines of .c and .h by room, without tests, examples, bench
#
# In:  $1: the source tree
# Out: a line for each room, and the sum

cd "${1:-.}" || exit 1
find lib preload spank kernel analyze sweep cli -name '*.[ch]' \
    -exec wc -l {} + 2>/dev/null | awk '$2 != "total" {
        n = split ($2, part, "/")
        room = part[1]
        if ((part[1] == "lib" || part[1] == "analyze" || part[1] == "preload") && n > 2) room = room "/" part[2]
        lines[room] += $1; files[room]++; all += $1; many++
    } END {
        for (r in lines) printf "%-16s %4d files %6d lines\n", r, files[r], lines[r] | "sort"
        close ("sort")
        printf "%-16s %4d files %6d lines\n", "all", many, all
    }'
