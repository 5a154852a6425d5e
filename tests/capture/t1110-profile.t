#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1110-profile.t - layer word profile: the same numbers as a trace, in bounded
# space, whatever happens to the process

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99

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
        awk -F, -v drop="${3-}" 'NR == 1 { for (i = 1; i <= NF; i++)
                keep[i] = $i !~ /_s$|_us$|^bandwidth$|^percent$|^p?pid$/ && !(drop && $i ~ drop) }
            { line = ""; for (i = 1; i <= NF; i++) if (keep[i]) line = line $i ","; print line }' | sort
}

metrics () { # that both have
    "$dftrace" analyze --no-write --view metric --format csv "$1" | cut -d, -f1-3 | sort
}

apart='^(consecutive|strided|sequential|backward|unplaced|switches|fs_type|mount|stripes|stripe_bytes)$'

# alike_tables NAME: jobs full and sums
alike_tables ()
{
    local view
    for view in call operation kind io process file accesspattern; do
        # how calls follow each other: below; file systems are in arguments of events
        is "$(diff <(table sums $view "$apart") <(table full $view "$apart") | head -6)" "" "$1: --view $view"
            cmp_num "$(table full $view | wc -l)" -gt 1 "$1: --view $view has rows"
    done
}

# mapped JOB: calls, bytes read and written of its map of time, microseconds in all
mapped ()
{
    "$dftrace" analyze --no-write --view timemap --format csv --top 0 "$1" |
        awk -F, 'NR > 1 { n += $3 + $6 + $9; r += $4; w += $7; s += $5 + $8 + $10 }
            END { printf "%d %d %d %.0f\n", n, r, w, s * 1e6 }'
}

# stored JOB: the same of its files on storage, from the table of files
stored ()
{
    "$dftrace" analyze --no-write --view file --format csv --top 0 "$1" |
        awk -F, -v n="$("$dftrace" analyze --no-write --view io --format csv "$1" | awk -F, '$1 == "all" { print $7 }')" \
            -v s="$("$dftrace" analyze --no-write --view io --format csv "$1" | awk -F, '$1 == "all" { print $6 }')" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR > 1 && $at["class"] == "storage" { r += $at["read_bytes"]; w += $at["write_bytes"] }
            END { printf "%d %d %d %.0f\n", n, r, w, s * 1e6 }'
}

io_of () { # JOB COLUMN: of all calls on storage
    "$dftrace" analyze --no-write --view io --format csv "$1" | awk -F, -v i="$2" '$1 == "all" { print $i }'
}

# mapped JOB: calls, bytes read and written, seconds, all of its map of time
mapped ()
{
    "$dftrace" analyze --no-write --view timemap --format csv --top 0 "$1" |
        awk -F, 'NR > 1 { n += $3 + $6 + $9; r += $4; w += $7; s += $5 + $8 + $10 }
            END { printf "%d %d %d %.9f %s\n", n, r, w, s, (NR > 257 ? "rows: " NR - 1 : "") }'
}

# stored COUNTS TIMES: the same of files on storage, from other tables of two jobs
stored ()
{
    "$dftrace" analyze --no-write --view file --format csv --top 0 "$1" |
        awk -F, -v n="$(io_of "$1" 6)" -v s="$(io_of "$2" 5)" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR > 1 && $at["class"] == "storage" { r += $at["read_bytes"]; w += $at["write_bytes"] }
            END { printf "%d %d %d %.9f \n", n, r, w, s }'
}

python=$(command -v /usr/bin/python3 || command -v python3)

# --- random programs ----------------------------------------------------------
for seed in 1 2 3; do
    words=("$victims/random/mixture" "$seed" "$((seed * 500))" "$((seed * 15))" "$((1 + seed % 2))" "$((seed - 1))" work)
    plain=$(rm -rf work && mkdir work && "${words[@]}")
    is "$(run full posix,app "${words[@]}")" "$plain" "seed $seed: traced, it does the same"
    is "$(run sums profile "${words[@]}")" "$plain" "seed $seed: with a profile, too"
    alike_tables "seed $seed"
    is "$(mapped sums)" "$(stored full sums)" "seed $seed: the map of time has all calls, bytes and times"
    is "$(metrics sums | awk -F, '$2 != "" && $1 !~ /_time|_bandwidth|_s$|job_time|_coverage_/' | cut -d, -f1,2)" \
        "$(metrics full | grep -f <(metrics sums | awk -F, '$2 != "" { print "^" $1 "," }') |
            awk -F, '$1 !~ /_time|_bandwidth|_s$|job_time|_coverage_/' | cut -d, -f1,2)" "seed $seed: metrics"
done
cmp_num "$(table sums call | awk -F, '{ n += $3 } END { print n }')" -gt 1000 "there was something to compare"
like "$("$dftrace" analyze --no-write --view metric --format csv sums)" 'io_time,,s,profile: it needs the time of each event' \
    "what needs each event says so"
is "$("$dftrace" analyze --no-write --view wall --format csv sums | grep -vc ',,,,profile: it needs the time of each event$')" 1 \
    "the wall time is not known, and each of its rows says why"
is "$("$dftrace" analyze --no-write --view call sums | awk '$2 == "read" { print $6 }')" n/a "unions are n/a"
exits 1 "a question about single events is refused" "$dftrace" analyze --no-write --where 'class = read' --view rank,file sums
like "$(cat err)" 'dftrace: .*: n/a: profile: ' "it says why"

exits 1 "an export of its events is refused" "$dftrace" export sums
like "$(cat err)" 'n/a: profile: it has sums' "it says why"
like "$("$dftrace" stat sums)" 'profile +[0-9]+ bytes in [0-9]+ blocks' "stat says what there is instead"

# Where the reads and writes are: of few calls, which are in one chunk of a
# trace, exactly; a new chunk begins anew, so that of many a trace has fewer.
run full posix "$victims/random/mixture" 5 150 3 1 0 work >/dev/null
run sums posix,profile "$victims/random/mixture" 5 150 3 1 0 work >/dev/null
placed () { table "$1" file | awk -F, '{ for (i = NF - 5; i < NF - 1; i++) n += $i } END { print n }'; }
cmp_num "$(placed sums)" -ge "$(placed full)" "places: not fewer than in a trace"
cmp_num $(($(placed sums) - $(placed full))) -le 54 "places: as many, but at new chunks"

# Of one thread and few calls, in one chunk, each of them: next byte 3, same
# stride 2, further on 2, back 2; a read behind a write and a write behind a read.
cat >places.py <<'END2'
import os
fd = os.open("work/places", os.O_RDWR | os.O_CREAT)
for at, n in ((0, 100), (100, 100), (200, 4096), (4396, 100), (4596, 100), (4796, 100), (0, 50)):
    os.pwrite(fd, b"x" * n, at)
os.pread(fd, 10, 50), os.pread(fd, 10, 4096), os.pwrite(fd, b"y", 0)
END2
for layers in posix posix,profile; do
    DFTRACE_INCLUDE="$tmp/work" run "places-$layers" "$layers" "$python" -S places.py # no chunk ends between
    is "$("$dftrace" analyze --no-write --view accesspattern --format csv "places-$layers" | grep -c ',10,3,2,2,2,1,2,6,.*work/places$')" 1 \
        "$layers: a row of --view accesspattern, number for number"
done

# Many processes with the same files.
head -c 10000 /dev/zero >one && head -c 20000 /dev/zero >two
for layers in posix profile; do
    # shellcheck disable=SC2016
    run "many-$layers" "$layers" bash -c 'for i in {1..9}; do dd if=one of=/dev/null bs=1000 2>/dev/null
        dd if=two of=three bs=2000 count=$i 2>/dev/null; done'
done
is "$(table many-profile shared "$apart|rank|slowest|fastest")" "$(table many-posix shared "$apart|rank|slowest|fastest")" \
    "nine processes that share files: the same rows"
cmp_num "$(table many-profile shared | wc -l)" -eq 4 "of three files"

# --- merging ------------------------------------------------------------------
run sums profile "$victims/random/mixture" 7 500 20 3 2 work >/dev/null
for view in call file operation metric process timemap accesssize accessstride; do
    "$dftrace" analyze --no-write --view $view --format csv --top 100000 sums >before.$view
done
for ((i = 1; i <= 2; i++)); do
    "$dftrace" analyze -q --partial --partition=$i/2 sums
done
for view in call file metric timemap accesssize accessstride; do
    is "$("$dftrace" analyze --reduce --no-write --view $view --format csv --top 100000 sums)" "$(cat before.$view)" \
        "by two tasks: --view $view, to the byte"
done
"$dftrace" report -o page.html sums >/dev/null
like "$(cat page.html)" 'A profile: sums by call and file, no events' "its page says what it is"
like "$(cat page.html)" 'id="fig-rates".*id="fig-busy"' "its page has figures over time"
unlike "$(cat page.html)" 'No process read or wrote a file on storage' "its page says nothing that is not so"
exits 0 "it is merged" "$dftrace" merge sums
rm -r sums/shards
for view in call file operation metric process timemap accesssize accessstride; do
    is "$("$dftrace" analyze --no-write --view $view --format csv --top 100000 sums)" "$(cat before.$view)" \
        "merged: --view $view, to the byte"
done

# --- space --------------------------------------------------------------------
size () { cat "$1"/shards/*.dft | wc -c; }
merged () { "$dftrace" merge "$1" >/dev/null 2>&1 && stat -c %s "$1/trace.dft"; } # without what was promised ahead
run wide profile "$victims/random/mixture" 1 5000 5 1 0 work >/dev/null
cmp_num "$(merged wide)" -le 98304 "sizes and durations of all kinds, 27 calls: $(stat -c %s wide/trace.dft) bytes"
run few profile dd if=/dev/zero of=work/few bs=512 count=5000 status=none
cmp_num "$(merged few)" -le 32768 "few files: $(stat -c %s few/trace.dft) bytes"
is "$("$dftrace" analyze --no-write --view call --format csv few | awk -F, '$2 == "write" { print $3, $12 }')" \
    "5000 2560000" "few files: all is counted"
cat >spread.py <<'END'
import os, sys
for d in range(7): os.mkdir("work/dir%d" % d)
for i in range(int(sys.argv[1])):
    fd = os.open("work/dir%d/shard-%d-of-many.bin" % (i % 7, i), os.O_RDWR | os.O_CREAT)
    os.write(fd, b"x" * 10)
    os.pread(fd, 4, 2)
    os.close(fd)
END
run thousand profile "$python" -S spread.py 1000
cmp_num "$(size thousand)" -le $((1 << 20)) "a thousand files: $(size thousand) bytes"
is "$("$dftrace" analyze --no-write --view file --format csv --top 100000 thousand | grep -c shard-)" 1000 \
    "a thousand files: each has its row"

run folded profile "$python" -S spread.py 6000
cmp_num "$(size folded)" -le $((4 << 20)) "6000 files: $(size folded) bytes"
is "$("$dftrace" analyze --no-write --view file --format csv --top 100000 folded | grep shard- |
    awk -F, '{ n += $3; r += $4; b += $8 } END { print n, r, b }')" "6000 6000 60000" \
    "6000 files: every call and byte is in a row"
like "$("$dftrace" analyze --no-write --view file --top 100000 folded)" 'work/dir#/shard-#-of-many.bin|work/dir[0-9]/shard-#-of-many.bin' \
    "6000 files: the last ones by their pattern"
like "$("$dftrace" analyze --no-write folded)" 'calls are of many files, in [0-9]+ series' "it is said"

# --- the end of a process -----------------------------------------------------
stepkill=$top_builddir/tests/tools/stepkill
kill_after ()
{
    rm -rf job file && mkdir job
    "$stepkill" "$1" /usr/bin/env DFTRACE_LAYERS=posix,profile DFTRACE_JOB_DIR="$tmp/job" \
        LD_PRELOAD="$library" "$stepkill" victim "$2" "$3" 40 "$tmp/file"
}

# What is counted: as many writes as the file has, but for the one at hand.
judge ()
{
    local all_done counted mapped
    all_done=$(($(stat -c %s file) / 10))
    [ -e "$(echo job/shards/*.dft)" ] || { [ "$all_done" -le 1 ] || echo "nothing of $all_done"; return; }
    counted=$("$dftrace" analyze --no-write --view call --format csv job 2>err | awk -F, '$2 == "write" { print $3 + 0, $12 / 10 }')
    # shellcheck disable=SC2086
    set -- ${counted:-0 0}
    [ $((all_done - $1)) -le 1 ] && [ "$1" -le "$all_done" ] || echo "$1 of $all_done writes"
    mapped=$("$dftrace" analyze --no-write --view timemap --format csv job 2>err | awk -F, '{ n += $6 } END { print n + 0 }')
    [ $((all_done - mapped)) -le 1 ] && [ "$mapped" -le "$all_done" ] || echo "$mapped of $all_done writes in the map of time"
    [ $((all_done - ${2%.*})) -le 1 ] && [ "${2%.*}" -le "$all_done" ] || echo "bytes of ${2%.*} of $all_done writes"
}

if "$stepkill" 10 "$stepkill" victim 1 1 0 file >/dev/null 2>&1; then
    for place in "0 2" "5 4"; do
        # shellcheck disable=SC2086
        all=$(kill_after 10000000 $place)
        bad=0
        for ((i = 0; i < 4; i++)); do
            # shellcheck disable=SC2086
            kill_after $(((i * all + 37 * i) / 4)) $place >/dev/null || continue
            why=$(judge)
            [ -z "$why" ] || { bad=$((bad + 1)); diag "$place: $why"; }
        done
        cmp_num "$all" -gt 1000 "killed: $all instructions"
        is "$bad" 0 "killed at 4 of them: it has what was counted up to then"
    done
else
    skip "no ptrace" "killed: it has what was counted up to then"
fi

# Threads that come and go take no new space; each one's calls are there.
cat >relay.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void *work (void *fd)
{
    write (*(int *)fd, "0123456789", 10);
    return 0;
}
static void *many (void *from) /* files, so that there are new blocks */
{
    for (int i = 0; i < 100; i++) {
        char name[] = "work/relay-000";
        int n = *(int *)from + i, fd;
        name[11] += n / 100, name[12] += n / 10 % 10, name[13] += n % 10;
        fd = open (name, O_WRONLY | O_CREAT, 0600);
        work (&fd);
        close (fd);
    }
    return 0;
}
int main (int argc, char **argv)
{
    int fd = open ("work/relay", O_WRONLY | O_CREAT, 0600);
    for (int from = 0; argc > 1 && from < 300; from += 100) {
        pthread_t t;
        if (pthread_create (&t, 0, many, &from) != 0)
            return 1;
        pthread_join (t, 0);
    }
    if (argc > 1)
        return 0;
    for (int i = 0; i < 3000; i++) {
        pthread_t t;
        if (pthread_create (&t, 0, work, &fd) != 0)
            return 1;
        pthread_join (t, 0);
    }
    return 0;
}
END
if ${CC:-cc} -O1 -w -pthread -o relay relay.c; then
    run relayed profile ./relay
    is "$("$dftrace" analyze --no-write --view call --format csv relayed | awk -F, '$2 == "write" { print $3, $12 }')" \
        "3000 30000" "3000 threads: all is counted"
    run handed profile ./relay many
    is "$("$dftrace" analyze --no-write --view call --format csv handed | awk -F, '$2 == "write" { print $3, $12 }')" \
        "300 3000" "a thread that goes on with the blocks of one that ended: all is counted"
    cmp_num "$(merged relayed)" -le 65536 "3000 threads: $(stat -c %s relayed/trace.dft) bytes"
else
    skip "no compiler" "3000 threads: all is counted"
    skip "no compiler" "a thread that goes on with the blocks of one that ended: all is counted"
fi

# --- words --------------------------------------------------------------------
exits 2 "profile and mmap" "$dftrace" run -q -o "$tmp/no" --layers profile,mmap -- true
like "$(cat err)" 'profile: cannot be had of layer mmap' "it says why"
done_testing
