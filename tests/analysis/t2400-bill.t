#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2400-bill.t - where the time of the ranks went and what I/O costs, against a
#                plain computation over the events; what it says of a few jobs

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v python3 >/dev/null || skip_all "no python3"

# compare NAME DIR: to the ns
compare ()
{
    local name=$1 job=$2 start

    start=$("$dftrace" analyze --no-write --format json "$job" 2>/dev/null |
        sed -n 's/^ *"start_real_ns": \([0-9]*\),*$/\1/p')
    "$dftrace" analyze --no-write --format csv --view process "$job" \
        >"$tmp/process.csv" 2>/dev/null
    "$dftrace" analyze --no-write --format csv --view file "$job" \
        >"$tmp/file.csv" 2>/dev/null
    "$dftrace" export -f jsonl "$job" 2>/dev/null |
        python3 "$top_srcdir/tests/python/bill.py" "$tmp/process.csv" \
            "$tmp/file.csv" "$start" >"$tmp/want"
    {
        "$dftrace" analyze --no-write --format csv --view bill "$job" \
            2>/dev/null | awk -F, 'NR > 1 && $2 != "all" {
                printf "%s %s", $2, $3
                for (i = 4; i <= NF; i++) printf " %.0f", $i * 1e9
                print "" }' | sort
        "$dftrace" analyze --no-write --format csv --view io "$job" \
            2>/dev/null | awk -F, 'BEGIN { printf "io" }
                NR > 1 && $1 != "all" { printf " %.0f", $2 * 1e9 }
                END { print "" }'
    } >"$tmp/got"
    is "$(diff <(sort "$tmp/want") <(sort "$tmp/got"))" "" \
        "$name: each ns of each rank as the events say"
    ok "$name: the parts add up to the time" awk '$1 != "io" {
        sum = 0
        for (i = 4; i <= NF; i++) sum += $i
        n++
        bad += sum != $3 } END { exit !(n && !bad) }' "$tmp/got"
}

# metric NAME JOB
metric ()
{
    "$dftrace" analyze --no-write --format csv "$2" 2>/dev/null |
        awk -F, -v want="$1" '$1 == want { printf "%.10g\n", $2 }'
}

# percent JOB: what all parts in percent add up to
percent ()
{
    "$dftrace" analyze --no-write --format csv "$1" 2>/dev/null |
        awk -F, '/^bill_/ && $1 !~ /_time$/ { sum += $2 }
            END { printf "%.6f", sum }'
}

# screen JOB: at most 24 lines of at most 80 characters, and no n/a
screen ()
{
    "$dftrace" analyze --no-write "$2" >"$tmp/screen" 2>/dev/null
    ok "$1: fits 80 columns and 24 lines" python3 -c '
import sys
lines = open (sys.argv[1], encoding="utf-8").read ().splitlines ()
sys.exit (not (lines and len (lines) <= 24 and
               max (len (line) for line in lines) <= 80))' "$tmp/screen"
}

# --- ranks with workers, threads, checkpoints ------------------------------

"$top_builddir/tests/tools/mkshard" "$tmp/direct" direct 40 >/dev/null
compare "a training" "$tmp/direct"
is "$(percent "$tmp/direct")" 100.000000 "a training: 100 %"
is "$("$dftrace" analyze --no-write -j 1 --view bill "$tmp/direct" | cksum)" \
    "$("$dftrace" analyze --no-write -j 7 --view bill "$tmp/direct" | cksum)" \
    "any number of threads gives the same"
screen "a training" "$tmp/direct"
like "$(cat "$tmp/screen")" "computing" "a training: computes"

# --- regions at random -------------------------------------------------------

for seed in 1 2 3; do
    python3 "$top_srcdir/tests/python/regions.py" $seed train >"$tmp/random$seed.pfw"
    compare "random regions, seed $seed" "$tmp/random$seed.pfw"
    is "$(percent "$tmp/random$seed.pfw")" 100.000000 "seed $seed: 100 %"
done
for kind in train plain; do
    python3 "$top_srcdir/tests/python/regions.py" 5 $kind threads >"$tmp/threads.pfw"
    compare "threads, $kind" "$tmp/threads.pfw"
    is "$(percent "$tmp/threads.pfw")" 100.000000 "threads, $kind: 100 %"
    cmp_num "$(metric bill_threads_time "$tmp/threads.pfw" | awk '{ print int ($1 * 1e6) }')" -gt 0 \
        "threads, $kind: I/O of others beside nothing of the main thread"
done
# a main thread that only waits for a pool of two, which read at the same time
{
    echo '{"name":"open","cat":"POSIX","pid":1,"tid":1,"ts":0,"dur":10,"ph":"X","args":{"hostname":"n1","fname":"/data/a.bin","ret":3}}'
    for at in {1000..90000..1000}; do
        for tid in 7 8; do
            echo '{"name":"read","cat":"POSIX","pid":1,"tid":'$tid',"ts":'$at',"dur":'$((tid * 100))',"ph":"X","args":{"hostname":"n1","fname":"/data/a.bin","ret":4096,"count":4096}}'
        done
    done
    echo '{"name":"close","cat":"POSIX","pid":1,"tid":1,"ts":99990,"dur":10,"ph":"X","args":{"hostname":"n1","fname":"/data/a.bin","ret":0}}'
} >"$tmp/pool.pfw"
compare "a pool" "$tmp/pool.pfw"
is "$(metric bill_threads_time "$tmp/pool.pfw") $(metric bill_threads "$tmp/pool.pfw")" "0.072 72" \
    "a pool: while one of its threads reads"
screen "a pool" "$tmp/pool.pfw"
like "$(tr -s ' \n' ' ' <"$tmp/screen")" "warning 72 ms 72.0 % threads_io: I/O of other threads, maybe waited for threads_io [(]read[)]: " \
    "a pool: what it could save at most"
python3 "$top_srcdir/tests/python/regions.py" 4 plain >"$tmp/plain.pfw"
compare "a plain program" "$tmp/plain.pfw"
is "$(percent "$tmp/plain.pfw")" 100.000000 "a plain program: 100 %"

# With damaged lines some processes are made up: a row for each that trains.
count="python3 $top_srcdir/tests/python/damaged.py"
$count make 30 5 >"$tmp/damaged.pfw"
is "$("$dftrace" analyze --no-write --format csv --view bill "$tmp/damaged.pfw" 2>/dev/null | tail -n +3 | wc -l)" \
    "$("$dftrace" export -f jsonl "$tmp/damaged.pfw" 2>/dev/null | $count count)" "360 damaged processes"
# In shares of Slurm tasks: the same bytes.
mkdir "$tmp/shares"
cp "$tmp/random1.pfw" "$tmp/shares/"
sed 's/"pid":1,"tid":1,/"pid":3,"tid":3,/; s/"pid":2,"tid":2,/"pid":4,"tid":4,/' \
    "$tmp/random2.pfw" >"$tmp/shares/other.pfw"
for view in bill io; do
    "$dftrace" analyze --no-write --view $view "$tmp/shares" >"$tmp/one.$view"
done
for i in 1 2; do
    "$dftrace" analyze --partial --partition $i/2 "$tmp/shares"
done
for view in bill io; do
    is "$("$dftrace" analyze --reduce --no-write --view $view "$tmp/shares")" \
        "$(cat "$tmp/one.$view")" "in shares: the same $view"
done

# --- what it says ------------------------------------------------------------

# lines of one process: event NAME CAT TS DUR ARGS…
event ()
{
    printf '{"name":"%s","cat":"%s","pid":1,"tid":1,"ts":%d,"dur":%d,' \
        "$1" "$2" "$3" "$4"
    printf '"ph":"X","args":{"hostname":"n1"%s}}\n' "${5:-}"
}
out=',"fname":"/out/a.txt"'

# 54 % of a second in fsync, 30 % in writes.
for ((i = 0; i < 100; i++)); do
    event write POSIX $((i * 10000)) 3000 "$out"',"ret":4096,"count":4096'
    event fsync POSIX $((i * 10000 + 3000)) 5400 "$out"',"ret":0'
done >"$tmp/sync.pfw"
event close POSIX 999999 1 "$out"',"ret":0' >>"$tmp/sync.pfw"
is "$(metric bill_sync "$tmp/sync.pfw")" 54 "54 % of the time is sync"
is "$(metric io_sync_time "$tmp/sync.pfw")" 0.54 "0.54 s of I/O are sync"
is "$(metric write_bandwidth "$tmp/sync.pfw")" 1.302083333 \
    "bytes written while writing"
is "$(metric posix_size "$tmp/sync.pfw")" 4 "transfer size, writes included"
screen "a program that syncs" "$tmp/sync.pfw"
like "$(cat "$tmp/screen")" "sync +540 ms +54.0 %" "sync 54 % on the screen"
like "$(grep -A1 '^What could be saved' "$tmp/screen")" \
    "critical +540 ms +54.0 % +waiting for sync" \
    "and as the first finding"
is "$("$dftrace" analyze --no-write --format csv --view insight \
    "$tmp/sync.pfw" | sed -n 2p | cut -d, -f2)" sync_stall "sorted by cost"

# Three findings, of which the table of rules has the cheapest first.
{
    cat "$tmp/sync.pfw"
    for ((i = 0; i < 100; i++)); do
        event fetch dataloader $((i * 10000 + 8400)) 1600
    done
} >"$tmp/three.pfw"
is "$("$dftrace" analyze --no-write --format csv --view insight "$tmp/three.pfw" |
    cut -d, -f2 | grep '_stall$' | xargs)" "sync_stall write_stall loader_stall" \
    "findings by what they cost, not by the table of rules"

# 100 MiB by fwrite, and again by fread.
for ((i = 0; i < 100; i++)); do
    event fwrite STDIO $((i * 1000)) 500 "$out"',"size":1,"count":1048576,"ret":1048576'
    event fread STDIO $((200000 + i * 1000)) 250 "$out"',"size":1,"count":1048576,"ret":1048576'
done >"$tmp/streams.pfw"
is "$(metric io_stdio_bytes "$tmp/streams.pfw")" 209715200 "200 MiB by streams"
is "$(metric io_stdio_time "$tmp/streams.pfw")" 0.075 "which took time"
is "$(metric io_time "$tmp/streams.pfw")" 0.075 "which is I/O"
is "$(metric stdio_bandwidth "$tmp/streams.pfw")" 2666.666667 \
    "bytes of streams while they were used"
like "$("$dftrace" analyze --no-write "$tmp/streams.pfw")" \
    "streams 75 ms .200 MiB." "streams on the screen"

# Megatron-LM's step is around its fetch: without workers nothing is hidden.
{
    event read POSIX 101000 200000 ',"fname":"/data/a.bin","ret":8,"count":8'
    event item data 101000 250000
    event fetch dataloader 101000 300000
    event step compute 1000 1000000
} >"$tmp/step.pfw"
is "$(metric loader_overlap "$tmp/step.pfw")" 0 "loader overlap without workers"
is "$(metric io_overlap "$tmp/step.pfw")" 0 "I/O overlap"
is "$("$dftrace" analyze --no-write --format csv --view bill "$tmp/step.pfw" |
    sed -n 2p | cut -d, -f4,5,8-11)" "1,0.7,0.2,0,0,0.05" "the step's own time"
is "$(metric compute_percent "$tmp/step.pfw")" 70 "computing"
is "$(metric wait_percent "$tmp/step.pfw")" 30 "and waiting: 100 %"

# The same training in a thread that the first one waits for.
{
    event open POSIX 1000 100 ',"fname":"/etc/my.conf","ret":3'
    sed 's/"tid":1,/"tid":7,/' "$tmp/step.pfw"
} >"$tmp/thread.pfw"
is "$("$dftrace" analyze --no-write --format csv --view bill \
    "$tmp/thread.pfw" | sed -n 2p | cut -d, -f4,5,8-11)" "1,0.7,0.2,0,0,0.05" \
    "steps on another thread: its time is the rank's"
is "$(metric loader_overlap "$tmp/thread.pfw")" 0 "and nothing is hidden"
is "$(percent "$tmp/thread.pfw")" 100.000000 "and it is 100 %"

# What only checkpoint regions write are checkpoints, whatever their names; a
# log that is written elsewhere, too, is none.
{
    event write POSIX 1000 100 ',"fname":"/out/log.csv","ret":5,"count":5'
    event write POSIX 10000 40000 ',"fname":"/out/m1","ret":700,"count":700'
    event write POSIX 51000 100 ',"fname":"/out/log.csv","ret":5,"count":5'
    event save checkpoint 9000 50000
    event read POSIX 80000 1000 ',"fname":"/data/a.bin","ret":8,"count":8'
    event read POSIX 82000 1000 ',"fname":"/out/m1","ret":700,"count":700'
} >"$tmp/save.pfw"
is "$("$dftrace" analyze --no-write --format csv --view file "$tmp/save.pfw" |
    awk -F, 'NR > 1 { print $NF "=" $2 }' | sort | tr '\n' ' ')" \
    "/data/a.bin=data /out/log.csv=data /out/m1=checkpoint " \
    "a checkpoint is what only checkpoint regions write"
is "$(metric checkpoint_bytes "$tmp/save.pfw")" 700 "and its bytes"
is "$(metric read_bytes "$tmp/save.pfw")" 8 "reading it is not reading data"
like "$("$dftrace" analyze --no-write --format csv \
    --view kind,class "$tmp/save.pfw")" "checkpoint,read,1," \
    "tables of keys know it, too"

mkdir "$tmp/kinds"
cp "$tmp/save.pfw" "$tmp/kinds/"
"$dftrace" analyze --no-write --view kind,class "$tmp/kinds" >"$tmp/one.kinds"
for round in 1 2; do
    "$dftrace" analyze --partial --partition 1/1 --view kind,class "$tmp/kinds"
    "$dftrace" analyze --reduce --no-write --view kind,class "$tmp/kinds" \
        >"$tmp/two.kinds" 2>/dev/null
done
ok "and so do partitions" cmp "$tmp/one.kinds" "$tmp/two.kinds"

# One that no region declares, by the main thread: it waits for each byte.
{
    event write POSIX 10000 40000 ',"fname":"/out/model.ckpt","ret":700,"count":700'
    event fsync POSIX 50000 60000 ',"fname":"/out/model.ckpt","ret":0'
    event write POSIX 120000 1000 ',"fname":"/out/log.csv","ret":5,"count":5'
} >"$tmp/undeclared.pfw"
is "$(for metric in checkpoint_time checkpoint_async_time bill_checkpoint_time; do
    metric $metric "$tmp/undeclared.pfw"; done | tr '\n' ' ')" "0.1 0 0.1 " \
    "what no region declares is blocking, never asynchronous"
is "$("$dftrace" analyze --no-write --format csv --view kind \
    "$tmp/undeclared.pfw" | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $1 == "checkpoint" || $1 == "data" {
        print $1, $at["write_bytes"], $at["write_sum_s"], $at["sync_count"],
            $at["sync_sum_s"] }' | tr '\n' ';')" \
    "checkpoint 700 0.04 1 0.06;data 5 0.001 0 0;" "writes and syncs by kind"

# Samples are items, with a size or without, not all that has an image_size;
# what the reader inside took wins.
{
    event preprocess.mmap_read data 1100 100 ',"image_size":200'
    event item data 1000 1000 ',"image_size":800'
    event item data 3000 500
    event item data 5000 1000 ',"image_size":50'
    event batch ai_framework 7000 1000 ',"image_size":999'
} >"$tmp/samples.pfw"
is "$(metric samples "$tmp/samples.pfw")" 3 "samples are items"
is "$(metric sample_bandwidth_total "$tmp/samples.pfw")" 0.1192092896 \
    "250 bytes in 2 ms, as the reader says"

# 92 % compute and 0.2 % reading: nothing to say; imports are no metadata.
{
    for ((i = 0; i < 200; i++)); do
        event stat POSIX $((i * 100)) 90 ',"fname":"/usr/lib/python3/a'$i'.py"'
    done
    event read POSIX 80000 2000 ',"fname":"/data/a.bin","ret":8,"count":8'
    event step compute 82000 9918000
} >"$tmp/quiet.pfw"
screen "a job that computes" "$tmp/quiet.pfw"
unlike "$(cat "$tmp/screen")" "MPI-IO" "not of a layer that nobody asked for"
like "$(cat "$tmp/screen")" "Nothing here costs more than 1 % of the job" \
    "nothing is an answer"
unlike "$("$dftrace" analyze --no-write --format csv --view insight \
    "$tmp/quiet.pfw")" metadata_time "imports are no metadata"

# Two commands of a script, one after the other: what each waits for is time of
# the job. Beside each other it would be half of it.
one=',"fname":"/data/a.bin","ret":8,"count":8'
commands ()
{
    printf '{"name":"read","cat":"POSIX","pid":%d,"tid":%d,"ts":%d,"dur":%d,' "$@"
    printf '"ph":"X","args":{"hostname":"n1"%s}}\n' "$one"
}
{
    commands 1 1 0 300000
    commands 1 1 500000 1
    commands 2 2 500001 400000
    commands 2 2 999999 1
} >"$tmp/after.pfw"
{
    commands 1 1 0 300000
    commands 1 1 999999 1
    commands 2 2 0 300000
    commands 2 2 999999 1
} >"$tmp/beside.pfw"
saved ()
{
    "$dftrace" analyze --no-write --format json "$1" |
        python3 -c 'import json, sys
print (max ((i.get ("cost_s") or 0 for i in json.load (sys.stdin)["insights"]), default=0))'
}
screen "one after the other" "$tmp/after.pfw"
like "$(grep '^time of' "$tmp/screen")" '^time of the job +1 s +longest$' \
    "the time of both is that of the job"
like "$(cat "$tmp/screen")" 'reading +700 ms +70\.0 % +400 ms' "and what they waited"
is "$(saved "$tmp/after.pfw")" 0.700002 "which could be saved"
{
    commands 1 1 0 600000
    commands 1 1 999999 1
    commands 2 2 0 100000
    commands 2 2 999999 1
} >"$tmp/server.pfw"
is "$(saved "$tmp/server.pfw")" 0.600001 "of threads beside each other the longest"
screen "beside each other" "$tmp/beside.pfw"
like "$(grep '^time of' "$tmp/screen")" '^time of the job +1 s +longest$' \
    "the mean of both"
like "$(cat "$tmp/screen")" 'reading +300 ms +30\.0 % +300 ms' "and of what they waited"

# The finding names the large calls that it is about, if known; names are escaped.
bad=$'job\u202e.pfw'
{
    event unlink POSIX 0 500000 ',"fname":"/data/a.bin","ret":0'
    event open POSIX 500000 100000 ',"fname":"/data/a.bin","ret":3'
    event close POSIX 999999 1 ',"fname":"/data/a.bin","ret":0'
} >"$tmp/$bad"
screen "metadata" "$tmp/$bad"
like "$(cat "$tmp/screen")" 'metadata of data files +600 ms.* metadata_time [(]unlink, open[)]:' "its calls"
like "$("$dftrace" analyze --no-write -v insight -f csv "$tmp/$bad")" 'k; POSIX/open,' "but no close"
like "$(head -1 "$tmp/screen")" '^job.u202E[.]pfw: ' "a mark of direction is escaped"
event opendir POSIX 600000 300000 ',"fname":"/usr/lib/python3/x.py"' >>"$tmp/$bad"
screen "metadata of others" "$tmp/$bad"
like "$(cat "$tmp/screen")" ' metadata_time: ' "no call where others had more"

# What is found, and costs less than that, is one line.
{
    cat "$tmp/quiet.pfw"
    for ((i = 0; i < 300; i++)); do
        event read POSIX $((5000000 + i * 100)) 90 ',"fname":"/data/'$i'.bin","ret":8,"count":8'
    done
} >"$tmp/little.pfw"
like "$("$dftrace" analyze --no-write "$tmp/little.pfw" | grep -A1 '^Nothing here costs' | tail -n 1)" \
    "^1 .*below 1 %.*: small_reads$" "findings below 1 % are folded into one line"

# Findings are three lines of 80 characters each.
is "$("$dftrace" help rules | grep -A4 '^[a-z_]*:' |
    sed -n 's/^    Try: //p; s/^[a-z_]*: //p' | awk 'length > 78')" "" \
    "rules and advice fit a line"

# --- many ranks ----------------------------------------------------------------

for ((i = 1; i <= 1000; i++)); do
    printf '{"name":"step","cat":"compute","pid":%d,"tid":%d,"ts":%d,' $i $i $i
    printf '"dur":1000,"ph":"X","args":{"hostname":"n%d"}}\n' $((i % 8))
done >"$tmp/many.pfw"
screen "1000 processes" "$tmp/many.pfw"
is "$("$dftrace" analyze --no-write --format csv --view bill "$tmp/many.pfw" |
    wc -l)" 1002 "a row for each rank, and one for all"

done_testing
