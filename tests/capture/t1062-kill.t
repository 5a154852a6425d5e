#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1062-kill.t - SIGKILL at any instruction: all that was recorded is readable
#
# A tracer of another kind (ptrace) lets a traced program take one instruction
# after the other through our code and kills it at one of them: through the
# first event of a process, events as they usually are, and those that begin new
# chunks; some instructions in `make check`, very many in `make check-big`.
# Then at moments of the clock: a process with threads, one with children.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
if [ "${DFTRACE_TEST_BIG-0}" = 1 ]; then
    points=400 kills=20 seed=${DFTRACE_TEST_SEED-$RANDOM}
    diag "DFTRACE_TEST_SEED=$seed: the places where it is killed"
else
    points=12 kills=5 seed=1
fi
RANDOM=$seed

# kill_after STEPS BEFORE AFTER LENGTH: into job directory job; the steps taken
kill_after ()
{
    local steps=$1
    shift
    rm -rf job file
    mkdir job
    "$top_builddir/tests/tools/stepkill" "$steps" /usr/bin/env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/job" \
        LD_PRELOAD="$library" "$top_builddir/tests/tools/stepkill" victim "$@" "$tmp/file"
}

# What the last one left must be right: each write in the trace but the one
# under way, before each write its open. Says what is not.
judge ()
{
    local done shards=(job/shards/*.dft) writes opens
    done=$(($(stat -c %s file) / 10))
    if [ ! -e "${shards[0]}" ]; then
        [ "$done" -le 1 ] || echo "no trace of $done"
        return
    fi
    # a file that is only begun says nothing yet
    if ! "$top_builddir/tests/tools/dump" "${shards[@]}" >trace 2>err; then
        [ "$done" -le 1 ] || echo "$(cat err) after $done"
        return
    fi
    writes=$(grep -c " write .* file=$tmp/file " trace)
    opens=$(grep -c ' open .* err=2 ' trace)
    [ "$writes" = "$done" ] || [ "$writes" = $((done - 1)) ] || echo "$writes of $done writes"
    [ "$2" = 0 ] || [ "$opens" = "$writes" ] || [ "$opens" = $((writes + 1)) ] ||
        echo "$opens opens with $writes writes"
    [ "$(grep -o ' lost=[0-9]*' trace)" = " lost=0" ] || echo "something is lost"
    [ "$done" = "$3" ] || grep -q ' unfinished=1 ' trace || echo "not said to be unfinished"
}

# stepped NAME BEFORE AFTER LENGTH: kill it at $points places of $all
stepped ()
{
    local name=$1 i step bad=0 why
    shift
    [ -n "$all" ] || all=$(kill_after 10000000 "$@")
    cmp_num "$all" -gt 1000 "$name: $all instructions"
    for ((i = 0; i < points; i++)); do
        # spread over all of them
        step=$(((i * all + RANDOM * all / 32768) / points))
        kill_after "$step" "$@" >/dev/null || continue
        why=$(judge "$1" "$3" $(($1 + $2)))
        [ -z "$why" ] || {
            bad=$((bad + 1))
            diag "$name: killed after $step instructions: $why"
        }
    done
    is "$bad" 0 "$name: all is there, wherever it is killed ($points times)"
    all=
}

# Whether the file is larger than with one chunk.
grown () { [ "$(stat -c %s job/shards/*.dft)" -gt "$first" ]; }

# How many fit before the file grows: an event has a byte more where it comes
# later, so that beside others who use the machine this is not always the same.
find_full ()
{
    local bit
    full=1
    for ((bit = 128; bit > 0; bit /= 2)); do
        kill_after 0 $((full + bit)) 0 200 >/dev/null
        grown || full=$((full + bit))
    done
}

all=
if "$top_builddir/tests/tools/stepkill" 10 "$top_builddir/tests/tools/stepkill" victim 1 1 0 file >/dev/null 2>&1; then
    stepped "first events" 0 2 0
    stepped "usual events" 5 6 0
    kill_after 0 1 0 200 >/dev/null
    first=$(stat -c %s job/shards/*.dft)
    for ((try = 0; try < 10; try++)); do
        find_full
        all=$(kill_after 10000000 "$full" 2 200)
        grown && break
    done
    ok "a new chunk: is begun after $full events" grown
    points=$(((points + 3) / 4)) # it takes ten times as many instructions
    stepped "a new chunk" "$full" 2 200
else
    skip "no ptrace" "first events: all is there"
fi

# Threads, and children that come and go.
cat >busy.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void put (int i, long n)
{
    char name[20];
    int fd;
    sprintf (name, "file.%d", i);
    fd = open (name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    while (n-- != 0)
        write (fd, "0123456789", 10);
    close (fd);
}
static void *thread (void *i)
{
    put ((int)(long)i, -1);
    return 0;
}
int main (int argc, char **argv)
{
    pthread_t t;
    put (0, 1); /* ours is made here, and none waits for it */
    for (long i = 1; i < 4; i++)
        pthread_create (&t, 0, thread, (void *)i);
    for (;;) {
        if (fork () == 0) {
            put (4, 50);
            _exit (0);
        }
        wait (0);
        put (0, 50);
    }
}
END
if "${CC:-cc}" -w -O1 -pthread -o busy busy.c 2>err; then
    bad=0
    for ((i = 0; i < kills; i++)); do
        rm -rf job file.*
        # the last child may be alive a moment longer than its parent: until
        # nobody has the pipe any more
        "$dftrace" run -q -o job -- sh -c 'timeout -s KILL "0.$1" ./busy; :' sh $((i % 10))$((RANDOM % 10))7 \
            2>/dev/null | cat
        for f in file.*; do
            [ -e "$f" ] || continue
            done=$(($(stat -c %s "$f") / 10))
            n=$(events job 2>>err | grep -c " write .* file=$tmp/$f ")
            [ "$n" -le "$done" ] && [ "$n" -ge $((done - 1)) ] || {
                bad=$((bad + 1))
                diag "$f: $n of $done"
            }
        done
    done
    is "$bad" 0 "threads and children: all but the call under way is there ($kills times)"
else
    skip "no compiler" "threads and children: all is there"
fi

done_testing
