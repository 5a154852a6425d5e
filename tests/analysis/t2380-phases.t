#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2380-phases.t - start, training, epochs, checkpoints, against numbers that
#                  were worked out by hand

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

# One process each; times are microseconds.
id=0
event () # FILE PID CAT NAME TS DUR ARGS
{
    echo "{\"id\":$((id++)),\"name\":\"$4\",\"cat\":\"$3\",\"pid\":$2,\"tid\":${tid:-$2},\"ts\":$5,\"dur\":$6,\"ph\":\"X\",\"args\":{$7}}" >>"$1"
}
names () # FILE PID HASH=NAME…
{
    local f=$1 pid=$2 pair
    shift 2
    for pair; do
        echo "{\"id\":$((id++)),\"name\":\"FH\",\"cat\":\"dftracer\",\"pid\":$pid,\"tid\":$pid,\"ph\":\"M\",\"args\":{\"name\":\"${pair#*=}\",\"value\":\"${pair%%=*}\"}}" >>"$f"
    done
}
# value NAME: of a metric
value ()
{
    awk -F, -v want="$1" '$1 == want { print $2 }' "$job/tables/metrics.csv"
}
near () # GOT WANT NAME
{
    ok "$3 is $2 (got $1)" awk -v a="$1" -v b="$2" \
        'BEGIN { d = a - b; if (d < 0) d = -d
        exit !(a ~ /^[0-9.e+-]+$/ && d <= 1e-6 * b) }'
}

# --- rank 0 builds the index, rank 1 waits ---------------------------------------

job=$tmp/job
mkdir -p "$job/shards"
a=$job/shards/a.pfw b=$job/shards/b.pfw
names "$a" 10 11=/cache/x.npy 22=/data/t.bin 33=/out/ckpt/optim_0.pt \
    44=/out/ckpt/layer_00-model.pt
event "$a" 10 POSIX open 1000000 100 '"fhash":"11","ret":5'
for i in 0 1 2 3; do # builds from 1.1 s to 4.2 s
    event "$a" 10 POSIX write $((1100000 + i * 1000000)) 100000 \
        '"fhash":"11","count":1000,"ret":1000'
done
event "$a" 10 POSIX mmap 4300000 1000 '"fhash":"11","length":4000,"ret":1'
# Two epochs; a cold one reads four times as long.
event "$a" 10 POSIX read 5000000 400000 '"fhash":"22","count":1048576,"ret":1048576'
event "$a" 10 data item 4990000 500000 '"image_size":1048576'
event "$a" 10 dataloader fetch 4980000 520000 '"epoch":0'
event "$a" 10 compute step 5500000 500000 '"epoch":0'
event "$a" 10 POSIX read 6100000 100000 '"fhash":"22","count":1048576,"ret":1048576'
event "$a" 10 data item 6050000 200000 '"image_size":1048576'
event "$a" 10 dataloader fetch 6000000 300000 '"epoch":1'
event "$a" 10 compute step 6300000 500000 '"epoch":1'
# A checkpoint: 0.5 s of writing, 0.2 s of it blocking; the rest is a thread's,
# which has a region, too.
event "$a" 10 POSIX write 7000000 200000 '"fhash":"33","count":2097152,"ret":2097152'
event "$a" 10 checkpoint capture 7000000 200000 ''
tid=11 event "$a" 10 checkpoint capture 7200000 310000 ''
tid=11 event "$a" 10 POSIX write 7200000 300000 '"fhash":"44","count":3145728,"ret":3145728'

names "$b" 20 11=/cache/x.npy 33=/out/ckpt/optim_1.pt
event "$b" 20 POSIX open 1000000 100 '"fhash":"11","ret":-1'
event "$b" 20 POSIX open 4250000 100 '"fhash":"11","ret":5'
event "$b" 20 POSIX mmap 4310000 1000 '"fhash":"11","length":4000,"ret":1'
event "$b" 20 compute step 5500000 1000000 '"epoch":0'
tid=21 event "$b" 20 POSIX write 7000000 2500000 '"fhash":"33","count":1048576,"ret":1048576'

# Not declared, but the main thread's: it is waited for.
event "$b" 20 POSIX write 7000000 100000 '"fhash":"33","count":0,"ret":0'

exits 0 "analyzed" "$dftrace" analyze --quiet "$job"
near "$(value index_build_time)" 3.1 "index_build_time"
near "$(value barrier_wait_time)" 3.1 "barrier_wait_time"
near "$(value startup_time)" 4.5 "startup_time"
is "$(value index_maps)" 2 "index_maps"
is "$(value index_mapped_bytes)" 8000 "index_mapped_bytes"
near "$(value index_map_burst)" 0.011 "index_map_burst"
like "$(cat "$job/tables/startup.csv")" "silence while the index was written" \
    "how the wait is known"

near "$(value train_time)" 1.82 "train_time"
near "$(value sample_rate)" 1.0989010989 "sample_rate"
near "$(value theoretical_bandwidth)" 1.0989010989 "theoretical_bandwidth"
near "$(value delivered_bandwidth)" 1.0989010989 "delivered_bandwidth"
near "$(value read_bandwidth)" 4 "read_bandwidth"
near "$(value bandwidth_used)" 27.4725274725 "bandwidth_used"
near "$(value wait_percent)" 29.0780141844 "wait_percent" # 0.82 of 2.82 s
near "$(value compute_percent)" 70.9219858156 "compute_percent"
is "$(value framework_percent)" 0 "framework_percent"
near "$(value loader_read_percent)" 71.4285714286 "loader_read_percent"

near "$(value checkpoint_time)" 0.2 "checkpoint_time"
near "$(value checkpoint_async_time)" 2.4 "checkpoint_async_time"
near "$(value checkpoint_bandwidth)" 2.4 "checkpoint_bandwidth"
near "$(value checkpoint_bandwidth_best)" 10 "checkpoint_bandwidth_best"
near "$(value checkpoint_bandwidth_worst)" 0.4 "checkpoint_bandwidth_worst"
is "$(cut -d, -f1,2,4 "$job/tables/checkpointkinds.csv" | tail -n +2 |
    tr '\n' ' ')" "optimizer,2,3145728 layer,1,3145728 " "checkpoints by kind"
is "$(awk -F, 'NR > 1 && $NF == "straggler" { print $4 }' "$job/tables/checkpoints.csv")" \
    1048576 "the straggler is found"
is "$(awk -F, 'NR > 1 { printf "%s ", $9 }' "$job/tables/checkpoints.csv")" \
    "0.3 2.4 " "the asynchronous parts"

rules=$(cut -d, -f2 "$job/tables/insights.csv" | tr '\n' ' ')
like "$rules" "cold_cache" "the cold epoch is found"
like "$(grep cold_cache "$job/tables/insights.csv")" ",4,2," "four times"
like "$rules" "checkpoint_straggler" "the straggler is a finding"
like "$rules" "startup_wait" "the wait is a finding"
for part in training waiting computing framework loader loader_reads \
    loader_other page_faults; do
    like "$(cut -d, -f1 "$job/tables/gap.csv")" "$part" "gap has $part"
done
is "$(awk -F, '$1 == "loader_other" { print $2 }' "$job/tables/gap.csv")" 0.2 \
    "what of the loader is no reading"


# A barrier region says more than silence.
event "$tmp/barrier" 20 comm barrier 1100000 2000000 ''
sed -i "/\"name\":\"mmap\"/r $tmp/barrier" "$b"
"$dftrace" analyze --quiet "$job"
near "$(value barrier_wait_time)" 2 "with a barrier region barrier_wait_time"
like "$(cat "$job/tables/startup.csv")" "barrier regions" \
    "and how it is known"

# --- the same without real data ------------------------------------------------

baseline=$tmp/baseline
mkdir -p "$baseline/shards"
id=0
c=$baseline/shards/c.pfw
event "$c" 10 dataloader fetch 4980000 20000 '"step":0'
event "$c" 10 compute step 5000000 500000 '"step":0'
event "$c" 10 dataloader fetch 5500000 20000 '"step":1'
event "$c" 10 compute step 5520000 500000 '"step":1'
exits 0 "a baseline" "$dftrace" analyze --no-write --format csv --baseline "$baseline" "$job"
near "$(awk -F, '$1 == "loader_cost" { print $4 }' "$tmp/out")" 0.78 \
    "the cost of the loader"
near "$(awk -F, '$1 == "loader_cost_step" { print $3 }' "$tmp/out")" 520 \
    "ms of a step of the baseline"
near "$(awk -F, '$1 == "stall_time" { print $4 }' "$tmp/out")" 0.78 \
    "the difference of the waits"

done_testing
