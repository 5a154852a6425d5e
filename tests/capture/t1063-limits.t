#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1063-limits.t - little memory, an OOM kill, refused system calls: the program
# behaves as untraced, what it did is in the trace or counted as lost

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
export DFTRACE_CHUNK=16K # so that more space is needed all the time
N=20000

# squeeze KIND: $writes in the trace and $lost
squeeze ()
{
    alike "$1" "$victims/squeeze" "$1" $N "$tmp/file"
    writes=$(events "$1" | grep -c " write .* file=$tmp/file ")
    lost=$(not_events "$1")
}

# The victim's own lines of output are a few events more.
accounted ()
{
    ok "$1: every write is in the trace or counted ($writes, $lost)" \
        test $((writes + lost)) -ge $((2 * N)) -a $((writes + lost)) -le $((2 * N + 16))
    cmp_num "$writes" -ge $N "$1: those of before are there"
}

squeeze address
accounted address
squeeze nomap
is "$writes+$lost" "$((2 * N))+0" "nomap: without mappings, chunks are written"
for kind in quota io nofiles; do
    squeeze $kind
    accounted $kind
    cmp_num "$lost" -gt 0 "$kind: and some were refused"
done

# Address space that is short from the start. A shell would need some itself before the exec,
# more or less so by its environment.
for kib in 3000 4000 12000 20000 40000; do
    alike ulimit$kib prlimit --as=$((kib * 1024)) "$victims/squeeze" none $N "$tmp/file"
done
ok "with 3 MB of it, the loader found no room for the library, and that is counted" \
    grep -q ' address%20space ' ulimit3000/shards/*
is "$(events ulimit40000 | grep -c " write .* file=$tmp/file ")" $N "with 40 MB of it, all is in the trace"
alike data3000 prlimit --data=3072000 "$victims/squeeze" none $N "$tmp/file"
ok "with 3 MB for data, too" grep -q ' address%20space ' data3000/shards/*

# The list of the processes is longer than the program may write.
alike filesize bash -c 'for i in {1..40}; do cat "$0"; done >copy; ulimit -f 4; cat "$0" | wc -c; cat "$0" | wc -c' \
    "$top_srcdir/README.md"
cmp_num "$(stat -c %s filesize/shards/processes.* | sort -n | tail -1)" -gt 4096 \
    "the list is longer than 4 KiB"

# Nor has the trace room for those that come later: each is counted.
for limit in 4 0; do
    alike later$limit bash -c 'for i in {1..40}; do cat "$0"; done >copy; ulimit -f $1; for i in {1..20}; do cat "$0" | wc -c; done' \
        "$top_srcdir/README.md" $limit
done
"$dftrace" analyze --no-write --view process --format csv later4 >rows 2>/dev/null
is "$(grep -c '/cat$' rows)" 60 "of 60 processes, 20 with a limit, each has a row"
cmp_num "$(grep -c 'not traced,no room,.*/cat$' rows)" -gt 0 "where the trace had no room it says so"
"$dftrace" analyze --no-write --format json later0 >json 2>/dev/null
ok "where nothing can be written it is not complete" grep -q '"complete": false' json

# A memory cgroup whose limit the program meets.
groups=/sys/fs/cgroup/memory
[ -d $groups ] || groups=/sys/fs/cgroup
group=$groups/dftrace-test-$$
if [ "$(id -u)" = 0 ] && mkdir "$group" 2>/dev/null; then
    at_exit 'rmdir "$group"'
    limit=$group/memory.limit_in_bytes
    [ -e "$limit" ] || limit=$group/memory.max
    if echo 48M 2>/dev/null >"$limit"; then
        [ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
        alike oom sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$victims/squeeze" fill $N "$tmp/file"
        written=$(($(stat -c %s file) / 10))
        writes=$(events oom | grep -c " write .* file=$tmp/file ")
        ok "oom: all but the call under way is in the trace ($writes of $written)" \
            test "$writes" -le "$written" -a "$writes" -ge $((written - 1)) -a "$writes" -gt $N
        is "$(health oom lost) $(health oom unfinished)" "0 1" "oom: it is said to be unfinished"
    else
        skip "no memory controller" "oom: the same"
    fi
else
    skip "no cgroup may be made" "oom: the same"
fi

done_testing
