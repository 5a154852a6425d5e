#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1064-crowds.t - very many threads, descriptors and processes
#
# In `make check` as many as take a second or two; `make check-big` sets
# DFTRACE_TEST_BIG=1: 10,000 threads, 1,000,000 descriptors, 100,000 processes.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
if [ "${DFTRACE_TEST_BIG-0}" = 1 ]; then
    threads=10000 files=1000000 fakes=1000000 forks=100000 spawns=100000 workers=10000 names=19000
    alike_limit=2000
    ulimit -n unlimited 2>/dev/null || ulimit -n "$(cat /proc/sys/fs/nr_open)" 2>/dev/null
else
    threads=2000 files=100000 fakes=50000 forks=1000 spawns=300 workers=300 names=3000
fi
# All threads may have the file open at once, and for a moment the trace, too.
soft=$(ulimit -Sn)
room=$((2 * threads + 200))
if [ "$soft" != unlimited ] && [ "$soft" -lt $room ] &&
    ! ulimit -Sn $room 2>/dev/null && ! ulimit -n $room 2>/dev/null; then
    diag "$soft descriptors: fewer threads"
    threads=$(((soft - 200) / 2))
fi

shards () { find "$tmp/$1/shards" -name '*.dft' | wc -l; }
# of_file CALL: how many of these there are in the trace of the last crowd
of_file () { grep -c " $1 .*file=$tmp/file " trace; }
# crowd KIND N: as untraced, and says how long each took
crowd ()
{
    alike "$1" "$victims/crowd" "$1" "$2" "$tmp/file"
    diag "$1 $2: untraced $plain_ms ms, traced $with_ms ms"
    rm -f file.*
    events "$1" >trace
}

crowd threads $threads
is "$(cat out)" "made = $threads" "threads: $threads together"
is "$(of_file write)+$(health threads lost)" "$((10 * threads))+0" "threads: every write is in the trace"
cmp_num "$(du -sk threads/shards | cut -f1)" -le $((threads * 24)) "threads: no more than 24 KiB each"
# The first get more room than they need, and give it back at their end.
cmp_num "$(stat -c %s threads/shards/*.dft)" -le $((260 * 16384 + threads * 4096)) "threads: most ask for a page"

crowd files $files
open=$(sed -n 's/^count = //p' out)
diag "open at once: $open, of $files (hard limit $(ulimit -Hn))"
is "$(of_file open) $(of_file write) $(health files lost)" "$((open + 1 + (open < files) + 1)) 14 0" \
    "files: $open open at once, and all that was done with them, are in the trace"
crowd names $names
open=$(sed -n 's/^count = //p' out)
is "$(sed -n "s|.* write fd=[0-9]* file=$tmp/file\.\([0-9]*\) .*|\1|p" trace | sort -nu | wc -l)" "$open" \
    "names: each of $open open files has its own"

# More than this machine may let us have: descriptors of another library.
if "${CC:-cc}" -shared -fPIC -o libmanyfds.so "$top_srcdir/tests/victims/manyfds.c" -ldl 2>err; then
    mkdir job
    LD_PRELOAD=$tmp/libmanyfds.so "$victims/crowd" fakes $fakes file >plain.out
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$library:$tmp/libmanyfds.so \
        "$victims/crowd" fakes $fakes file >out
    is "$? $(cat out)" "5 $(cat plain.out)" "fakes: the same"
    is "$(events job | grep 'file=/fake/[0-9]* ' | rows | xargs)+$(health job lost)" \
        "$fakes close $fakes open $((fakes + 3)) write+0" "fakes: $fakes descriptors are in the trace"
else
    skip "no compiler" "fakes: the same"
fi

# Processes that do nothing leave nothing; those that do, little.
before=$(astray)
crowd forks $forks
is "$(cat out) $(shards forks)" "bad = 0 1" "forks: $forks children leave no file"
crowd spawns $spawns
is "$(cat out) $(shards spawns)" "bad = 0 1" "spawns: $spawns programs leave no file"
crowd workers $workers
is "$(cat out) $(processes workers)" "bad = 0 $((workers + 1))" "workers: $workers that write are processes of the trace"
is "$(shards workers)" 1 "workers: in one file"
is "$(of_file write)+$(health workers lost)" "$workers+0" "workers: in which their writes are"
cmp_num "$(du -sk workers/shards | cut -f1)" -le $(((workers + 1) * 12)) "workers: of no more than 12 KiB"
is "$(astray)" "$before" "and nothing is left elsewhere"

done_testing
