#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1061-memory.t - what tracing adds to a program's memory: less than 4 MiB and
# 512 KiB a thread, however long it runs and however many files it looks at
#
# Others grow with the events (DXT 143 MB for a million) or stop recording names
# (Darshan after 1,024 files).

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

file=$tmp/file
head -c 8192 /dev/urandom >"$file"

# added NAME THREADS READS NAMES: KiB that tracing adds
added ()
{
    local name=$1 plain with
    shift
    plain=$("$victims/memory" "$file" "$@")
    with=$(traced "$name" "$victims/memory" "$file" "$@")
    echo $((with - plain))
}

few=$(added few 1 1000 100)
cmp_num "$few" -lt $((4096 + 512)) "a thread, few events"
more=$(added more 1 100000 60000)
cmp_num "$more" -lt $((4096 + 512)) "a thread, 60000 files"
most=$(added most 1 400000 240000)
cmp_num "$most" -lt $((4096 + 512)) "a thread, 240000 files"
# but what there is of the chunk that each is filling, of 256 KiB
cmp_num $((most - more)) -lt $((256 + 256)) "no more for four times as many"
cmp_num "$(added threads 16 20000 10000)" -lt $((4096 + 16 * 512)) "16 threads"

events more >"$tmp/events"
is "$(sed -n 's/.* stat file=\([^ ]*part[^ ]*\) .*/\1/p' "$tmp/events" | sort -u | wc -l)" 60000 \
    "each of the names is in the trace"
is "$(health more lost)+$(health more lost_names)" "0+0" "nothing is lost"
is "$(grep -c " read fd=[0-9]* file=$file .*off=0 ret=512 " "$tmp/events")" 1 \
    "a descriptor from before has its name still"
is "$(grep -c " munmap file=$file " "$tmp/events")" 1 "and so has a mapping"

# A program that locks its memory: all that is mapped counts, and of that ours
# is 4 MiB at most, and 512 KiB a thread.
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$tmp"
    echo "some data" >"$tmp/data"
    mkdir -m 777 "$tmp/locked"
    limit=$(($("$victims/locker" 0 "$tmp/data" | tail -n 1) + 4096 + 512))
    plain=$("$victims/locker" $limit "$tmp/data")
    with=$(DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/locked LD_PRELOAD=$library \
        "$victims/locker" $limit "$tmp/data")
    is "$with" "$plain" "mlockall works within 4.5 MiB more than untraced"
    like "$with" 'MCL_FUTURE\) = 0' "and does work"
    is "$(events locked | grep -c ' read .*/data ')" 3 "traced, also with high descriptors"
    # A table that is mapped and not used was 17 MiB more in getrusage's maxrss of
    # children.
    plain=$("$victims/locker" child "$tmp/data" | tail -n 1)
    with=$(traced child "$victims/locker" child "$tmp/data" | tail -n 1)
    cmp_num $((with - plain)) -lt $((4096 + 512)) "a child that locks its memory: $with KiB at most, untraced $plain"
else
    skip "not root" "mlockall works within 4.5 MiB more than untraced"
fi

done_testing
