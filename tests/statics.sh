#!/bin/bash
# SPDX-License-Identifier: MIT
#
# statics.sh - static functions of one name in several files
#
# In:  $1: the source tree
# Out: a line for each other name: the name, and the files; exit status 1 when
#      there is one
#
# `break pack_put` in a debugger must find one function.

cd "${1:-.}" || exit 2
find lib preload app mpi hdf kernel spank epilog sweep analyze reader report top cli -name '*.c' |
    sort | while read -r file; do
    # "static int name (", or "static int" and "name (" on the next line
    sed 's/__attribute__ (([^()]*))//' "$file" | awk -v file="$file" '
        /^static [^;=]*[a-z_0-9] \(/ { line = $0; sub (/ \(.*/, "", line); n = split (line, w, /[ *]+/)
            print w[n], file; held = 0; next }
        held && /^[a-z_0-9]+ \(/ { print $1, file }
        { held = /^static [^;=(]*$/ }'
done | sort -u | awk '{ n[$1]++; f[$1] = f[$1] " " $2 }
    END { for (x in n) if (n[x] > 1) print x ":" f[x] }' | sort |
    grep . && exit 1
exit 0
