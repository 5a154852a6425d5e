#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# analyze.sh - events a second, memory and bytes of analysis and merging: make
#              bench-analyze
#
# EVENTS (10000000) and THREADS (8) say how large; DIR (/dev/shm) where. CPU is
# what to compare on a machine that does other work, too; "1 / 2 threads" says
# how well both are used where none does.

set -eu
events=${EVENTS:-10000000} threads=${THREADS:-8}
dir=$(mktemp -d "${DIR:-/dev/shm}/dftrace-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
dftrace=$top_builddir/dftrace

timed ()
{
    local name=$1
    shift
    /usr/bin/time -f "%e %U %S %M" -o "$dir/time" "$@" >"$dir/out"
    awk -v name="$name" -v n="$events" '{
        printf "%-30s %6.2f s, %5.1f M events/s, CPU %6.2f s, %4d MiB\n",
            name, $1, n / $1 / 1e6, $2 + $3, $4 / 1024 }' "$dir/time"
    wall=$(cut -d' ' -f1 "$dir/time")
}

# both NAME WORD…: with 2 threads and with 1, and what the second one is for
both ()
{
    local name=$1 two
    shift
    timed "$name, 2 threads" "$dftrace" "$@" -j 2
    two=$wall
    timed "$name, 1 thread" "$dftrace" "$@" -j 1
    awk -v one="$wall" -v two="$two" \
        'BEGIN { printf "%-30s %6.2f\n", "  1 / 2 threads", one / two }'
}

# size NAME FILE
size ()
{
    du -sb "$2" | awk -v name="$1" -v n="$events" '{
        printf "%-30s %6d MB, %.2f bytes an event\n", name, $1 / 1e6, $1 / n }'
}

"$top_builddir/tests/bench/gen_trace" "$dir/job" "$events" "$threads"
size "shards" "$dir/job/shards"
both "analyze" analyze --no-write --quiet "$dir/job"
timed "analyze, --memory 1M" "$dftrace" analyze -j 2 --memory 1M --no-write \
    --quiet "$dir/job"
both "merge" merge --quiet --force -o "$dir/dense.dft" "$dir/job"
size "trace.dft" "$dir/dense.dft"
timed "merge --plain" "$dftrace" merge --quiet --plain -o "$dir/plain.dft" \
    "$dir/job"
size "trace.dft, --plain" "$dir/plain.dft"
rm "$dir/plain.dft"
timed "analyze trace.dft, 2 threads" "$dftrace" analyze -j 2 --no-write \
    --quiet "$dir/dense.dft"
rm "$dir/dense.dft"
if ((events <= 20000000)); then
    both "merge --pfw" merge --quiet --force --pfw "$dir/job"
    mkdir "$dir/pfw"
    mv "$dir/job/combined.pfw.gz" "$dir/pfw/a.pfw.gz"
    size "combined.pfw.gz" "$dir/pfw/a.pfw.gz"
    both "analyze .pfw.gz" analyze --no-write --quiet "$dir/pfw"
    mkdir "$dir/one"
    gzip -dc "$dir/pfw/a.pfw.gz" | gzip -1 >"$dir/one/a.pfw.gz"
    both "analyze .pfw.gz, one member" analyze --no-write --quiet "$dir/one"
fi

# --- ratios: what the targets of doc/performance.md speak of -------------------
#
# Rounds alternate between zcat and the three analyses, so that what else the
# machine does falls on all of them; medians are compared.

rounds=${ROUNDS:-5}
((events <= 20000000)) || exit 0
rm -rf "$dir/job" "$dir/pfw" "$dir/one"
train=$dir/train
"$top_builddir/tests/bench/gen_training" "$train" "$events"
"$dftrace" merge --quiet --pfw "$train"
mkdir "$dir/trace.pfw"
mv "$train/combined.pfw.gz" "$dir/trace.pfw/a.pfw.gz"
mv "$train/trace.dft" "$dir/train.dft"
"$top_builddir/tests/bench/gen_trace" "$dir/job" "$events" "$threads"

# round NAME WORD…: wall and CPU time of one run, appended to $dir/NAME
round ()
{
    local name=$1
    shift
    /usr/bin/time -f "%e %U %S" -o "$dir/time" "$@" >"$dir/out"
    awk '{ print $1, $2 + $3 }' "$dir/time" >>"$dir/$name.times"
}

# median NAME COLUMN
median ()
{
    cut -d' ' -f"$2" "$dir/$1.times" | sort -n | awk '{ v[NR] = $1 }
        END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# ratio NAME TARGET
ratio ()
{
    awk -v name="$1" -v target="$2" -v a="$(median "$1" 1)" \
        -v b="$(median zcat 1)" -v ac="$(median "$1" 2)" \
        -v bc="$(median zcat 2)" 'BEGIN {
        printf "%-30s %6.2f s of %5.2f: %.3f; CPU %6.2f s of %5.2f: %.3f " \
            "for each of 2 threads; target %s\n",
            name, a, b, a / b, ac, bc, ac / bc / 2, target }'
}

for ((i = 0; i < rounds; i++)); do
    round zcat sh -c "zcat '$dir/trace.pfw/a.pfw.gz' | wc -l"
    round training "$dftrace" analyze -j 2 --no-write --quiet "$dir/train.dft"
    round shards "$dftrace" analyze -j 2 --no-write --quiet "$dir/job"
    round pfw "$dftrace" analyze -j 2 --no-write --quiet "$dir/trace.pfw"
done
echo "against zcat | wc -l of the training's .pfw.gz, medians of $rounds:"
ratio training 0.055
ratio shards 0.035
ratio pfw 0.25
