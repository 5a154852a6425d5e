#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1071-preloads.t - other preloaded libraries beside us, before and behind:
# the program is as it was without us, and every event is in the trace
#
# One of them is always there: tests/victims/interposer.c, which does what such
# libraries do. Darshan's runtime is tried where it is found (DARSHAN_LIBRARY,
# or where the loader finds libdarshan.so), allocators where they are installed.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"
python=$(python3 -c 'import sys; print (sys.executable)' 2>/dev/null) || python=
head -c 400000 /dev/urandom >file
cp "$top_srcdir/tests/victims/workers.py" .

# with LIBRARIES COMMAND…: status in $status, output and errors in out. Once
# more where it hangs: Python's pools do now and then, untraced, too.
with ()
{
    local libs=$1 try
    shift
    for try in 1 2 3 4; do
        status=0
        # bash itself has a line for who is aborted
        { timeout -k 5 60 env LD_PRELOAD="$libs" "$@" >out 2>&1 </dev/null || status=$?; } 2>/dev/null
        [ $status = 124 ] || return 0
        diag "try $try had to be ended: $*"
        rm -rf job && mkdir job
    done
}

# beside NAME LIBRARY PATTERN COUNT COMMAND…: as it is with the library alone,
# and COUNT events are like PATTERN; "said" is what the program counts.
beside ()
{
    local name=$1 lib=$2 pattern=$3 count=$4 plain order n
    shift 4
    with "$lib" "$@"
    plain="$status $(cat out)"
    for order in "$library:$lib" "$lib:$library"; do
        rm -rf job && mkdir job
        with "$order" env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/job" "$@"
        [ "$count" = said ] && n=$(sed -n 's/^writes //p' out) || n=$count
        is "$status $(cat out)" "$plain" "$name: the same with ${order//"$library"/us}"
        is "$(events job | grep -c "$pattern")+$(health job lost)" "$n+0" "$name: and all is in the trace"
    done
}

# What of it is tried beside each library.
write_of=" write .* file=$tmp/written "
beside_programs ()
{
    local name=$1 lib=$2 kind
    shift 2
    for kind in exit _exit quick abort destructors exec; do
        beside "$name: $kind" "$lib" "$write_of" said "$victims/harsh" $kind written
    done
    for kind in fork fork_exit exec; do
        beside "$name: $kind" "$lib" "$write_of" 102 "$victims/procs" $kind written
    done
    beside "$name: vfork" "$lib" "$write_of" 22 "$victims/procs" vfork written
    beside "$name: inherits" "$lib" " read .* file=$tmp/written size=4 " 2 "$victims/procs" inherits written
    [ -z "$python" ] || for kind in "$@"; do
        beside "$name: python $kind" "$lib" " pread .*file=$tmp/file size=100 " 2000 \
            "$python" workers.py $kind
    done
}

ok "the interposer is built" "$cc" -w -O1 -shared -fPIC -pthread \
    -o libinterposer.so "$top_srcdir/tests/victims/interposer.c" -ldl
export INTERPOSER_LOG=$tmp/log
beside_programs interposer "$tmp/libinterposer.so" threads popen fork-process fork-pool
for order in "$library:$tmp/libinterposer.so" "$tmp/libinterposer.so:$library"; do
    rm -rf job log && mkdir job
    with "$order" env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/job" "$victims/harsh" exit written
    like "$(cat log)" ' write=101 ' "interposer: it counted the program's writes with ${order//"$library"/us}"
    rm -rf job && mkdir job
    with "$order" env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/job" "$victims/procs" threads written
    is "$status $(cat out)" "5 end" "interposer: children of a process with busy threads"
done

darshan=${DARSHAN_LIBRARY-}
[ -n "$darshan" ] || darshan=$(ldconfig -p | awk '$1 == "libdarshan.so" { print $NF; exit }')
if [ -e "$darshan" ]; then
    mkdir logs
    export DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGPATH=$tmp/logs DARSHAN_LOG_PATH=$tmp/logs DARSHAN_MMAP_LOGPATH=$tmp/logs
    beside_programs darshan "$darshan" threads fork-process spawn-process
    rm -rf logs/*
    with "$library:$darshan" env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/job" "$victims/harsh" exit written
    ok "darshan: writes its log" test -n "$(find logs -name '*.darshan')"
    unset DARSHAN_ENABLE_NONMPI
else
    skip "no libdarshan.so (DARSHAN_LIBRARY)" "darshan: the same"
fi

# Allocators that ask for memory, and read /proc and /sys, before and in main.
cat >memory.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *busy (void *unused)
{
    char *p[200] = {0}, buf[100];
    int fd = open ("file", O_RDONLY);
    for (int i = 0; i < 20000; i++) {
        char **q = &p[i * 7919 % 200];
        free (*q);
        *q = malloc (1 << i % 18);
        (*q)[0] = 1;
        if (i % 40 == 0 && pread (fd, buf, 100, i) != 100)
            exit (1);
    }
    for (int i = 0; i < 200; i++)
        free (p[i]);
    close (fd);
    return 0;
}
int main (void)
{
    pthread_t t[4];
    int status, bad = 0;
    close (open ("file", O_RDONLY)); /* ours is made here, and none waits for it */
    for (int i = 0; i < 4; i++)
        pthread_create (&t[i], 0, busy, 0);
    for (int i = 0; i < 5; i++) {
        pid_t pid = fork ();
        if (pid == 0) {
            busy (0);
            exit (0);
        }
        waitpid (pid, &status, 0);
        bad += status != 0;
    }
    for (int i = 0; i < 4; i++)
        pthread_join (t[i], 0);
    printf ("%d\n", bad);
    return 5;
}
END
"$cc" -w -O1 -pthread -o memory memory.c
for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4 libtcmalloc.so.4; do
    path=$(ldconfig -p | awk -v a="$allocator" '$1 == a { print $NF; exit }')
    if [ -z "$path" ]; then
        skip "not installed" "$allocator"
        continue
    fi
    beside "$allocator: threads and children" "$path" " pread .*file=$tmp/file size=100 " 4500 ./memory
    beside "$allocator: destructors" "$path" "$write_of" said "$victims/harsh" destructors written
    beside "$allocator: vfork" "$path" "$write_of" 22 "$victims/procs" vfork written
    [ -z "$python" ] ||
        beside "$allocator: python" "$path" " pread .*file=$tmp/file size=100 " 2000 \
            "$python" workers.py fork-pool
    # the program's own allocator, not a preloaded one
    if "$cc" -w -O1 -pthread -o linked memory.c -Wl,--no-as-needed "$path" 2>/dev/null; then
        rm -rf job && mkdir job
        with "$library" env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/job" ./linked
        is "$status $(cat out)" "5 0" "$allocator: linked to the program: the same"
        is "$(events job | grep -c " pread .*file=$tmp/file size=100 ")" 4500 "$allocator: and all is in the trace"
    fi
done

# Another clock, three years ahead and a hundred times as fast, as libfaketime
# gives to programs: times in the trace are the kernel's.
cat >otherclock.c <<-'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime (clockid_t id, struct timespec *ts)
{
    int rc = (int)syscall (SYS_clock_gettime, id, ts);
    ts->tv_sec = ts->tv_sec * 100 + 3 * 365 * 86400;
    return rc;
}
int gettimeofday (struct timeval *tv, void *zone)
{
    struct timespec ts;
    clock_gettime (CLOCK_REALTIME, &ts);
    tv->tv_sec = ts.tv_sec;
    tv->tv_usec = 0;
    return 0;
}
time_t time (time_t *t)
{
    struct timespec ts;
    clock_gettime (CLOCK_REALTIME, &ts);
    return t ? *t = ts.tv_sec : ts.tv_sec;
}
END
"$cc" -w -O1 -shared -fPIC -o otherclock.so otherclock.c
cat >clocks.sh <<-END
dd if=/dev/zero of=$tmp/clock1 bs=1000 count=3 2>/dev/null
date +%Y
LD_PRELOAD=\$LD_PRELOAD:$tmp/otherclock.so dd if=/dev/zero of=$tmp/clock2 bs=1000 count=3 2>/dev/null
LD_PRELOAD=$tmp/otherclock.so:\$LD_PRELOAD dd if=/dev/zero of=$tmp/clock3 bs=1000 count=3 2>/dev/null
LD_PRELOAD=$tmp/otherclock.so:\$LD_PRELOAD date +%Y
END
rm -rf job
"$dftrace" run -q -o job -- sh clocks.sh >out
cmp_num "$(tail -n 1 out)" -gt "$(head -n 1 out)" "another clock: the program has it"
is "$(events job | grep -c " write .*file=$tmp/clock[123] size=1000 ")" 9 "another clock: all is in the trace"
exits 0 "another clock: analyzed" "$dftrace" analyze --quiet job
is "$(awk -F, '$1 == "job_time" { print ($2 > 0 && $2 < 86400) }' job/tables/metrics.csv)" 1 \
    "another clock: the job took less than a day"

# A clock that is wrong for all: processes that began years before or after
# their job are told on the first screen.
unlike "$("$dftrace" analyze --no-write job 2>&1)" "doubtful" "another clock: no start is doubtful"
for year in 2011 2099; do
    sed -i "s/\"created\": \"[0-9]*/\"created\": \"$year/" job/job.json
    like "$("$dftrace" analyze --no-write job 2>&1)" "clocks are doubtful" "a job of $year: its starts are doubtful"
done

done_testing
