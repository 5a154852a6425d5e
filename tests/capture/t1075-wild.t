#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1075-wild.t - pointers that lead nowhere give the errors that they give
# untraced: in every call that we stand in front of, wherever they are passed
#
# What a call says need not come from the argument that is wild: rename of a
# file that is not there says so, and nothing of its new name.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

# wild LIBRARY LAYERS [FILE]: its lines, in $tmp/out; each in the same empty
# place; it removes FILE
wild ()
{
    rm -rf "${tmp:?}/place" "${tmp:?}/job"
    mkdir "$tmp/place" "$tmp/job"
    cd "$tmp/place" || exit 99
    DFTRACE_LAYERS=$2 DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$1 \
        "$victims/wild" "${@:3}" >"$tmp/out" 2>/dev/null </dev/null
}

wild "" ""
is "$?" 0 "untraced"
cp "$tmp/out" "$tmp/plain.out"
cmp_num "$(cut -d' ' -f1 "$tmp/plain.out" | sort -u | wc -l)" -ge 100 "of more than a hundred calls"
cmp_num "$(grep -c ': -1 14$' "$tmp/plain.out")" -ge 500 "hundreds of lines are EFAULT"

wild "$library" posix,stdio
is "$? $(diff "$tmp/plain.out" "$tmp/out" | head -n 20)" "0 " "the same, traced"
cmp_num "$(events job | wc -l)" -ge 500 "which it was"
wild "$library" posix,stdio,mmap,app
is "$? $(diff "$tmp/plain.out" "$tmp/out" | head -n 20)" "0 " "the same with all layers"

# Gone while it runs: programs get an environment of our making then.
cp "$library" "$tmp/libdftrace_preload.so"
wild "$tmp/libdftrace_preload.so" posix "$tmp/libdftrace_preload.so"
is "$? $(diff "$tmp/plain.out" "$tmp/out" | head -n 20)" "0 " "the same where our library has gone"
ok "which it was" [ ! -e "$tmp/libdftrace_preload.so" ]

done_testing
