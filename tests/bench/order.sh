#!/bin/bash
# SPDX-License-Identifier: MIT
#
# order.sh - which functions run in each process, as lists for
# preload/sections.ld
#
# order.sh LIBDFTRACE_PRELOAD STARTS: needs valgrind. The first list is what runs
# in a child of fork that reads a file, the second what else runs in a program
# that starts. Under valgrind each process is slow enough to be worth a file, so
# that functions of one that has recorded nothing are missing: put_quiet and
# procline_text are added here, and what such a process runs is taken out of both
# lists by hand, to stand in front of them. What valgrind does not tell apart is found by
# its faults: perf record -e page-faults -c 1 -d.
set -e -u
library=$(realpath "$1") starts=$(realpath "$2")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# functions OPTION... COMMAND...: of all its processes
functions () {
    rm -rf "$place"/job "$place"/out.*
    DFTRACE_JOB_DIR=$place/job DFTRACE_LAYERS=posix LD_PRELOAD=$library \
        valgrind --tool=callgrind --trace-children=yes --callgrind-out-file="$place/out.%p" "$@" >"$place/said" 2>&1
    for out in "$place"/out.*; do
        callgrind_annotate --threshold=100 --show-percs=no "$out"
    done | grep -F -e "${library##*/}" -e '[???]' | sed 's/^[^:]*:\([^ ]*\) .*/\1/' | grep -v '^0x' | sort -u
}

# Copies that the compiler has made have endings.
list () {
    sed 's/\.\(isra\|part\|constprop\|cold\).*/.*/; s/^/.text./' | sort -u | fmt -w 68 | sed 's/^/          /'
}

functions --toggle-collect=main "$starts" fork 2 "$0" >"$place/child"
{
    functions "$starts" once
    functions "$starts" exec 2 "$starts" once "$0"
    functions /bin/sh -c 'exec /bin/true'
    printf 'put_quiet\nprocline_text\n'
} | sort -u >"$place/begin"
list <"$place/child"
echo
comm -13 "$place/child" "$place/begin" | list
