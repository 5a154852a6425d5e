#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1034-spawns.t - posix_spawn, clone, system, popen, vfork and exec in
# processes whose other threads do I/O

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
for kind in spawns clones shells vforks execs; do
    with=0
    (timeout -k 5 60 "$victims/spawns" $kind "$tmp/file") >plain.out 2>plain.err </dev/null
    plain=$?
    (timeout -k 5 60 "$dftrace" run -q -o "$tmp/$kind" -- "$victims/spawns" $kind "$tmp/file") \
        >out 2>said </dev/null || with=$?
    is "$plain $with $(cat out)" "5 5 $(cat plain.out)" "$kind: the same"
    is "$(grep -v '^writes' said)" "$(grep -v '^writes' plain.err)" "$kind: and the same errors"
    n=$(events $kind | grep -c " write .* file=$tmp/file ")
    writes=$(($(stat -c %s file) / 10))
    said=$(sed -n 's/^writes //p' said)
    # Threads that an exec ends may have a call under way.
    ok "$kind: every write is in the trace ($n of $writes, $said returned)" \
        test "$n" -le "$writes" -a "$n" -ge "$said"
    is "$(health $kind lost)" 0 "$kind: nothing was lost"
    [ $kind = execs ] || is "$n" "$writes" "$kind: all of them"
done

done_testing
