#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9050-strace.t - our counts of the workload's corpus are those of strace
#
# The same run of minigpt, once untraced under strace -f -c -P corpus.bin,
# once as a job with --dftrace: calls on the corpus must agree one by one.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"
command -v strace >/dev/null || skip_all "no strace"
strace -o /dev/null true 2>/dev/null || skip_all "strace may not trace here"

cluster_start --nodes 1
corpus=$cluster/corpus
bin=$corpus.bin
"$top_builddir/etc/examples/minigpt/mkcorpus" --bytes=2M "$corpus" \
    >/dev/null
chmod a+r "$corpus".*

# train ACCESS SEQ BATCH: the words of one run
train() {
    echo "minigpt --data $corpus --steps 3 --workers 2" \
        "--compute-us-per-ktoken 0 --compute-us-per-step 0" \
        "--access $1 --seq $2 --global-batch $3"
}

# strace's number of calls of a kind
strace_count() {
    awk -v re="^($2)\$" '$NF ~ re && $4 ~ /^[0-9]+$/ { n += $4 }
        END { print n + 0 }' "$1"
}

# ours, of the events on the corpus
our_count() {
    jq -s --arg file "$bin" --arg re "^($2)\$" \
        'map(select(.file == $file and (.name | test($re)))) | length' "$1"
}

# shellcheck disable=SC2046 # words
as_user $(train mmap 128 32) >/dev/null # makes the index files

reads=
for point in "mmap 128 32" "direct 128 32" "direct 256 32" "direct 128 64"; do
    # shellcheck disable=SC2046,SC2086 # words
    as_user env SLURM_PROCID= strace -f -c -P "$bin" -o "$home/strace" \
        $(train $point) >/dev/null
    # shellcheck disable=SC2086 # words
    submit -J train --dftrace=posix,app --wrap "srun $(train $point)"
    dir=$home/dftrace/train-$job
    as_user dftrace stat --events --format jsonl "$dir/trace.dft" >"$tmp/events"
    for call in read open:openat close lseek fstat:newfstatat mmap; do
        want=$(strace_count "$home/strace" "${call//:/|}")
        is "$(our_count "$tmp/events" "${call//:/|}")" "$want" \
            "$point: ${call%%:*}: $want calls"
    done
    is "$(json "$dir/metrics.json" .metrics.read_count.value)" \
        "$(strace_count "$home/strace" read)" "$point: metric read_count"
    reads="$reads $(strace_count "$home/strace" read)"
done
# shellcheck disable=SC2086 # four numbers
set -- $reads
is "$1" 0 "mmap leaves no reads"
cmp_num "$2" -gt 0 "direct does"
cmp_num "$3" -gt "$2" "more with longer samples"
cmp_num "$4" -gt "$2" "more with larger batches"

done_testing
