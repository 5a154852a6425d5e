#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1111-detail.t - a trace that goes on as a profile, and what is traced in
# full: each call is an event or is counted, and all sums are those of a trace

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
unset SLURM_JOB_ID SLURM_JOB_START_TIME SLURM_PROCID RANK PMI_RANK PMIX_RANK OMPI_COMM_WORLD_RANK

# run JOB LAYERS COMMAND…: in a fresh directory work
run ()
{
    local job=$1 layers=$2
    shift 2
    rm -rf "$job" work && mkdir work
    "$dftrace" run -q -o "$tmp/$job" --layers "$layers" -- "$@"
}

# table JOB VIEW: all rows without the columns of time, sorted
table ()
{
    "$dftrace" analyze --no-write --view "$2" --format csv --top 1000000 "$1" 2>err.analyze |
        awk -F, -v drop="$apart" 'NR == 1 { for (i = 1; i <= NF; i++)
                keep[i] = $i !~ /_s$|_us$|^bandwidth$|^percent$|^p?pid$/ && !($i ~ drop) }
            { line = ""; for (i = 1; i <= NF; i++) if (keep[i]) line = line $i ","; print line }' | sort
}

# how calls follow each other begins anew; file systems are in arguments of events
apart='^(consecutive|strided|sequential|backward|unplaced|switches|fs_type|mount|stripes|stripe_bytes)$'

# fact JOB NAME: of metrics.json
fact () { "$dftrace" analyze -q "$1" 2>/dev/null; grep -o "\"$2\": *[0-9]*" "$1/metrics.json" | head -1 | grep -o '[0-9]*$'; }
writes () { "$dftrace" analyze --no-write --view call --format csv "$@" 2>/dev/null | awk -F, '$2 == "write" { print $3, $12 }'; }

io_all () { # JOB: calls on storage and the sum of their times, of --view io
    "$dftrace" analyze --no-write --view io --format csv "$1" | awk -F, '$1 == "all" { printf "%d %.9f", $6, $5 }'
}

# mapped JOB: calls and time, bytes read and written of its map of time
mapped ()
{
    "$dftrace" analyze --no-write --view timemap --format csv --top 0 "$1" |
        awk -F, 'NR > 1 { n += $3 + $6 + $9; r += $4; w += $7; s += $5 + $8 + $10 }
            END { printf "%d %.9f %d %d %s\n", n, s, r, w, (NR > 257 ? "rows: " NR - 1 : "") }'
}

# stored JOB: the same of files on storage, from the tables of files and costs
stored ()
{
    "$dftrace" analyze --no-write --view file --format csv --top 0 "$1" |
        awk -F, -v io="$(io_all "$1")" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR > 1 && $at["class"] == "storage" { r += $at["read_bytes"]; w += $at["write_bytes"] }
            END { printf "%s %d %d \n", io, r, w }'
}

export DFTRACE_WAITS=0 # a profile has none, so that events and calls would not add up

# --- random programs that reach their limit -----------------------------------
for seed in 1 2 3 4; do
    words=("$victims/random/mixture" "$seed" "$((seed * 400))" "$((seed * 15))" "$((1 + seed % 2))" "$((seed % 3))" work)
    plain=$(rm -rf work && mkdir work && "${words[@]}")
    run full posix,app "${words[@]}" >/dev/null
    if [ $((seed % 2)) -eq 0 ]; then
        export DFTRACE_MAX_BYTES=$((2 * seed + 8))K # of a shared file: pages
    else
        export DFTRACE_MAX_BYTES=$((8 * seed + 12))K DFTRACE_SHARE=0
    fi
    is "$(run both posix,app "${words[@]}")" "$plain" "seed $seed: it does the same"
    unset DFTRACE_MAX_BYTES DFTRACE_SHARE
    for view in call operation kind process file accesspattern; do
        is "$(diff <(table both $view) <(table full $view) | head -6)" "" "seed $seed: --view $view, as in a full trace"
    done
    is "$(mapped both)" "$(stored both)" "seed $seed: the map of time has all calls, bytes and times of the job"
    events=$(fact both events_in_trace) counted=$(fact both calls_in_profile)
    cmp_num "$events" -gt 0 "seed $seed: $events events in the trace"
    cmp_num "$counted" -gt 0 "seed $seed: $counted calls in the profile"
    is "$((events + counted)) $(fact both lost_events)" "$(fact full events) 0" "seed $seed: each call is in one of both"
done
like "$("$dftrace" analyze --no-write both)" 'events in the trace.*; .* in the profile' "the first screen says how much is where"
like "$("$dftrace" analyze --no-write --view metric --format csv both)" 'io_time,,s,profile: it needs the time of each event: see --trace-part' \
    "what only the trace knows says so"
is "$("$dftrace" analyze --no-write --trace-part --view metric --format csv both | grep -c 'it needs the time')" 0 \
    "of the trace alone everything is known"
exits 0 "a question is answered from the trace" "$dftrace" analyze --no-write --by call both
like "$(cat err)" 'of the [0-9]+ events in the trace alone \(all to [0-9.]+ s\): [0-9]+ calls are in the profile' "it says so"
for view in call file metric timemap; do
    "$dftrace" analyze --no-write --view $view --format csv --top 100000 both >before.$view
done
for ((i = 1; i <= 2; i++)); do
    "$dftrace" analyze -q --partial --partition=$i/2 both
done
for view in call file metric timemap; do
    is "$("$dftrace" analyze --reduce --no-write --view $view --format csv --top 100000 both)" "$(cat before.$view)" \
        "by two tasks: --view $view, to the byte"
done
"$dftrace" report -o page.html both >/dev/null
is "$(tr '\n' ' ' <page.html | sed $'s/\xe2\x80\xaf/ /g' | grep -o '[0-9][0-9.kM ]* events in the trace.* in the profile[^.]*')" \
    "$("$dftrace" analyze --no-write both | grep -o '[0-9][0-9.kM ]* events in the trace.* in the profile.*')" \
    "its page says how much is where, in the words of the first screen"
exits 0 "it is merged" "$dftrace" merge both
rm -r both/shards
for view in call file metric timemap; do
    is "$("$dftrace" analyze --no-write --view $view --format csv --top 100000 both)" "$(cat before.$view)" \
        "merged: --view $view, to the byte"
done

# A number of events; the trace is whole up to the first call that is counted.
DFTRACE_MAX_EVENTS=1000 run one posix dd if=/dev/zero of=work/out bs=10 count=20000 status=none
is "$(writes one)" "20000 200000" "max_events: every write"
traced=$(writes --trace-part one) && traced=${traced%% *}
cmp_num "$traced" -ge 1000 "max_events: $traced of them in the trace"
cmp_num "$traced" -lt 15000 "max_events: no more than in a chunk"
like "$("$dftrace" analyze --no-write one)" 'events in the trace, all to [0-9.]+ s; .* in the profile after that' "until when, is said"
"$dftrace" export -f jsonl -o one.jsonl one 2>err.export
is "$(grep -c '"write"' one.jsonl)" "$traced" "an export has the trace"

# Threads, and children that are forked before and behind the limit: a limit each.
cat >relay.c <<'END2'
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static int fd;
static void *work (void *n)
{
    for (long i = 0; i < (long)n; i++)
        if (write (fd, "0123456789", 10) != 10)
            _exit (1);
    return 0;
}
int main (void)
{
    pthread_t t[4];
    fd = open ("work/relay", O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (long i = 0; i < 4; i++)
        pthread_create (&t[i], 0, work, (void *)5000);
    for (int i = 0; i < 3; i++) {
        if (fork () == 0) {
            work ((void *)3000);
            _exit (0);
        }
        work ((void *)1500);
    }
    for (int i = 0; i < 4; i++)
        pthread_join (t[i], 0);
    while (wait (0) > 0)
        ;
    return 0;
}
END2
if ${CC:-cc} -O1 -w -pthread -o relay relay.c; then
    DFTRACE_MAX_BYTES=24K run crowd posix ./relay
    is "$(writes crowd)" "33500 335000" "threads and children: every write"
    is "$(fact crowd lost_events)" 0 "none is lost"
    cmp_num "$("$dftrace" analyze --no-write --trace-part --view process --format csv crowd 2>/dev/null | grep -c relay)" -eq 4 \
        "each process has a trace of its own"
else
    skip "no compiler" "threads and children: every write"
fi

# --- killed -------------------------------------------------------------------
stepkill=$top_builddir/tests/tools/stepkill
kill_after ()
{
    rm -rf job file && mkdir job
    "$stepkill" "$1" /usr/bin/env DFTRACE_LAYERS=posix DFTRACE_MAX_BYTES=8K DFTRACE_JOB_DIR="$tmp/job" \
        LD_PRELOAD="$library" "$stepkill" victim "$2" "$3" 800 "$tmp/file"
}

judge () # as many writes as the file has, but for the one at hand
{
    local all_done counted
    all_done=$(($(stat -c %s file) / 10))
    [ -e "$(echo job/shards/*.dft)" ] || { [ "$all_done" -le 1 ] || echo "nothing of $all_done"; return; }
    counted=$(writes job)
    # shellcheck disable=SC2086
    set -- ${counted:-0 0}
    [ $((all_done - $1)) -le 1 ] && [ "$1" -le "$all_done" ] || echo "$1 of $all_done writes"
    "$dftrace" analyze --no-write --view health job 2>&1 | grep -i 'damaged' | grep -v ' 0$'
}

if "$stepkill" 10 "$stepkill" victim 1 1 0 file >/dev/null 2>&1; then
    all=$(kill_after 10000000 0 2)
    bad=0
    is "$(judge)" "" "not killed: all is there"
    # near the end of the trace: where the process makes its profile
    for ((i = 0; i < 5; i++)); do
        kill_after $((all / 2 + all * i / 11 + 41 * i)) 0 2 >/dev/null || continue
        why=$(judge)
        [ -z "$why" ] || { bad=$((bad + 1)); diag "$why"; }
    done
    is "$bad" 0 "killed at 5 of $all instructions: events and counts up to then"
else
    skip "no ptrace" "killed: events and counts up to then"
fi

# --- what is traced in full ---------------------------------------------------
cat >steps.c <<'END2'
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "dftrace/dftrace.h"
static char big[4 << 20];
int main (int argc, char **argv)
{
    int fd = open ("work/data", O_RDWR | O_CREAT, 0600), n = atoi (argv[1]);

    for (int i = 0; i < n; i++) {
        dftrace_region_t r;
        dftrace_step (i);
        dftrace_region_begin (&r, "compute", "step");
        for (int k = 0; k < 10; k++)
            if (pwrite (fd, big, 10, k) != 10)
                return 1;
        dftrace_region_end (&r, 0);
    }
    dftrace_context_end ("step");
    if (argc > 2) { /* reads that become slow */
        if (pwrite (fd, big, sizeof (big), 0) != sizeof (big))
            return 1;
        for (int i = 0; i < 5000; i++)
            if (pread (fd, big, 10, 0) != 10)
                return 1;
        for (int i = 0; i < atoi (argv[2]); i++)
            if (pread (fd, big, sizeof (big), 0) != sizeof (big))
                return 1;
    }
    return 0;
}
END2
part () { "$dftrace" analyze --no-write --trace-part --view call --format csv "$1" 2>/dev/null | awk -F, -v c="$2" '$2 == c { print $3 }'; }
total () { "$dftrace" analyze --no-write --view call --format csv "$1" 2>/dev/null | awk -F, -v c="$2" '$2 == c { print $3 }'; }
if ${CC:-cc} -O1 -w -I"$top_srcdir/preload/app/include" -o steps steps.c; then
    DFTRACE_DETAIL=step:1/10 run some posix,app ./steps 95
    is "$(part some pwrite) $(total some pwrite)" "100 950" "step:1/10: one step of ten in full, all are counted"
    is "$("$dftrace" analyze --no-write --by step --top 1000 --format csv some 2>/dev/null | grep -cE '^[0-9]*0,11,')" 10 \
        "step:1/10: ten steps have events"
    like "$("$dftrace" analyze --no-write some)" 'in the trace; .* in the profile, of other times' "it is said"
    like "$("$dftrace" analyze --no-write --trace-part some 2>err.part)" "drawn by step:1/10: sums times 10 estimate the job's" \
        "and how much a step stands for"
    like "$(cat err.part)" 'of the [0-9]* events in the trace alone' "a warning, too"
    DFTRACE_DETAIL=step:20-22 run some posix,app ./steps 95
    is "$(part some pwrite) $(total some pwrite)" "30 950" "step:20-22: these three"
    SLURM_JOB_ID=77 DFTRACE_DETAIL=step:1/10 run drawn posix,app ./steps 100
    is "$(part drawn pwrite) $(total drawn pwrite)" "100 1000" "of a job of Slurm others are drawn, as many"
    for rank in 0 1 2 3; do
        PMI_RANK=$rank DFTRACE_DETAIL='rank 1/2+step:0-4' run "rank$rank" posix,app ./steps 50
    done
    is "$(for r in 0 1 2 3; do part "rank$r" pwrite || :; echo "/$(total "rank$r" pwrite)"; done | tr -d '\n')" "50/500/50050/500/500" \
        "rank 1/2+step:0-4: both must hold"
    DFTRACE_DETAIL=first:0s run none posix,app ./steps 10
    is "$(part none pwrite) $(total none pwrite)" " 100" "first:0s: nothing"
    DFTRACE_DETAIL=first:1h run all posix,app ./steps 10
    is "$(part all pwrite) $(fact all calls_in_profile)" "100 0" "first:1h: everything"
    SLURM_JOB_START_TIME=$(($(date +%s) - 100)) DFTRACE_DETAIL=first:90s run late posix,app ./steps 10
    is "$(part late pwrite) $(total late pwrite)" " 100" "first: counts from the start of the job"
    DFTRACE_DETAIL='p99:read>100us' run slow posix,app ./steps 1 800
    cmp_num "$(part slow pread)" -gt 0 "p99: reads that are slow are in the trace"
    cmp_num "$(part slow pread)" -lt 1000 "p99: the quick ones before are not"
    is "$(total slow pread)" 5800 "p99: all are counted"
    DFTRACE_DETAIL=p99:read:1h run quick posix,app ./steps 1 20
    is "$(part quick pread) $(total quick pread)" " 5020" "p99: no trace, while they are quick"
    DFTRACE_DETAIL=all run all profile ./steps 10
    is "$(part all pwrite) $(total all pwrite)" " 100" "all: beside the word profile, it is a profile"
    DFTRACE_DETAIL=rank:0 PMI_RANK=0 run all profile ./steps 10
    is "$(part all pwrite) $(total all pwrite)" "100 100" "of a profile, this rank in full"
else
    skip "no compiler" "step:1/10: one step of ten in full"
fi

for word in rank step:x first:ever p99:open:1s p99:read rank:5-2 step:0/5 step:7/5 rank:1+rank:2 some; do
    DFTRACE_DETAIL=$word exits 2 "detail=$word" "$dftrace" run -q -o "$tmp/no" --layers posix -- true
    like "$(cat err)" "cannot be traced in full: known: all, rank:N" "it says what there is"
done
done_testing
