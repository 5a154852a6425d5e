#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The example workload: both ways of access see the same tokens, and the
# document parts it says it read are the reads that strace counts.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

mkcorpus=$top_builddir/etc/examples/minigpt/mkcorpus
minigpt=$top_builddir/etc/examples/minigpt/minigpt
unset SLURM_PROCID SLURM_NTASKS
corpus=$tmp/corpus

# Value of KEY=VALUE in a result line.
field ()
{
    sed -n "s/.*[ ]$1=\([^ ]*\).*/\1/p" <<<"$2"
}

train ()
{
    "$minigpt" --data "$corpus" --steps 3 --save-every 2 \
        --checkpoint-bytes 2M --compute-us-per-ktoken 0 \
        --compute-us-per-step 0 "$@"
}

# --- bad words ------------------------------------------------------------

exits 2 "mkcorpus without a prefix" "$mkcorpus"
exits 2 "mkcorpus: not a size" "$mkcorpus" --bytes=1X "$corpus"
exits 1 "mkcorpus: no such directory" "$mkcorpus" "$tmp/no/x"
exits 2 "minigpt without data" "$minigpt"
exits 2 "minigpt: unknown access" train --access=tape
like "$(cat "$tmp/err")" "minigpt: --access: tape: mmap, direct or mock" "says why"
exits 2 "minigpt: batch that cannot be shared out" \
    train --global-batch=6 --micro-batch=4
exits 1 "minigpt: no corpus" train
like "$(cat "$tmp/err")" "minigpt: .*corpus.bin: cannot read" "says which"
ok "minigpt --help" "$minigpt" --help

# --- corpus ---------------------------------------------------------------

out=$("$mkcorpus" --bytes=1M "$corpus")
like "$out" "documents=[0-9]+ tokens=[0-9]+ bytes=[0-9]+$" "mkcorpus says what it made"
size=$(stat -c %s "$corpus.bin")
cmp_num "$size" -ge 1048576 "the .bin is large enough"
is "$(field bytes "$out")" "$size" "its size is the one in the message"
documents=$(field documents "$out")
is "$(stat -c %s "$corpus.idx")" $((34 + documents * 20 + 8)) \
    "the .idx has 20 bytes for each document"
is "$(od -An -v -td4 -w4 -j 34 -N $((documents * 4)) "$corpus.idx" | awk '{ n += $1 } END { print n }')" \
    "$(field tokens "$out")" "the lengths in the .idx add up to all tokens"
is "$(od -An -v -tu2 -w2 "$corpus.bin" | awk '$1 == 0' | wc -l)" "$documents" \
    "each document ends in token 0, which occurs nowhere else"
cp "$corpus.bin" "$tmp/first"
"$mkcorpus" --bytes=1M "$corpus" >/dev/null
ok "the generator repeats itself" cmp "$tmp/first" "$corpus.bin"
"$mkcorpus" --bytes=1M --seed=2 "$tmp/second" >/dev/null
nok "another seed gives another corpus" cmp -s "$tmp/first" "$tmp/second.bin"

# --- files that do not fit -------------------------------------------------

for size in 33 100; do
    cp "$corpus.bin" "$tmp/bad.bin" && head -c $size "$corpus.idx" >"$tmp/bad.idx"
    exits 1 "an index cut at byte $size" train --data "$tmp/bad"
    like "$(cat "$tmp/err")" "bad.idx: not a Megatron index" "the message names the index"
done
cp "$corpus.idx" "$tmp/bad.idx" && truncate -s -2 "$tmp/bad.bin"
exits 1 "a corpus that lacks a token" train --data "$tmp/bad"
like "$(cat "$tmp/err")" "bad.idx: points outside" "the message says so"
exits 1 "too few tokens" train --seq 1048576 --global-batch 4
like "$(cat "$tmp/err")" "tokens are too few for samples of 1048576" "the message says so"
# --- access ---------------------------------------------------------------

mapped=$(train --seq 256 --global-batch 32 --access mmap)
for workers in 0 1 3; do
    direct=$(train --seq 256 --global-batch 32 --access direct \
        --workers $workers)
    is "$direct" "$mapped" "direct with $workers workers reads what mmap reads"
done
is "$(field samples "$mapped")" 96 "samples: steps times batch"
is "$(field bytes "$mapped")" $((96 * 257 * 2)) "bytes: samples of 257 tokens"
isnt "$(train --seq 256 --global-batch 32 --seed 5)" "$mapped" \
    "another seed reads other data"
unlike "$(field digest "$mapped")" "^cbf29ce484222325$" "the digest is of data"

mock=$("$minigpt" --access mock --seq 256 --global-batch 32 --steps 3 \
    --compute-us-per-ktoken 0 --compute-us-per-step 0)
like "$mock" "steps=3 samples=96 parts=0 bytes=0 " "mock: no corpus"
is "$(train --seq 256 --global-batch 32 --access mock --workers 0)" "$mock" \
    "mock: the same samples, whatever the workers and the corpus"

# --- ranks ----------------------------------------------------------------

SLURM_PROCID=1 SLURM_NTASKS=2 train --seq 128 --global-batch 16 \
    >"$tmp/rank1" 2>&1 &
SLURM_PROCID=0 SLURM_NTASKS=2 train --seq 128 --global-batch 16 \
    --save "$tmp/save" >"$tmp/rank0" 2>&1
wait
like "$(cat "$tmp/rank0")" "samples=24 .*checkpoints=1 .*rank=0/2" "rank 0"
like "$(cat "$tmp/rank1")" "samples=24 .*checkpoints=0 .*rank=1/2" \
    "rank 1"
whole=$(train --seq 128 --global-batch 16)
is "$(($(field parts "$(cat "$tmp/rank0")") + $(field parts "$(cat "$tmp/rank1")")))" \
    "$(field parts "$whole")" "two ranks read what one reads"
is "$(cd "$tmp/save" && find . -type f | sort | tr '\n' ' ')" \
    "./checkpoint-0000002/distrib_optim_000.pt\
 ./checkpoint-0000002/model_optim_rng.pt ./checkpoint-0000002/rng_000.pt\
 ./latest_checkpointed_iteration.txt " "the files of a checkpoint"
is "$(stat -c %s "$tmp/save/checkpoint-0000002/model_optim_rng.pt")" 2097152 \
    "of the size asked for"

# --- strace ---------------------------------------------------------------

# Calls of one name on the .bin, in all processes.
calls ()
{
    awk -v name="$1" '$NF == name { n = $4 } END { print n + 0 }' "$tmp/strace"
}

if strace -f -qq -c -o /dev/null true 2>/dev/null; then
    for seq in 128 512; do
        out=$(strace -f -c -P "$corpus.bin" -o "$tmp/strace" "$minigpt" \
            --data "$corpus" --steps 3 --seq $seq \
            --global-batch 16 --access direct --compute-us-per-step 0)
        parts=$(field parts "$out")
        is "$(calls read)" "$parts" "direct, $seq tokens: a read per part"
        is "$(calls lseek)" "$parts" "an lseek per part"
        is "$(calls close)" $((parts + 1)) "a close per part, one at the start"
        strace -f -c -P "$corpus.bin" -o "$tmp/strace" "$minigpt" \
            --data "$corpus" --steps 3 --seq $seq \
            --global-batch 16 --access mmap --compute-us-per-step 0 >/dev/null
        is "$(calls read)" 0 "mmap, $seq tokens: no read"
        is "$(calls mmap)" 1 "one mapping"
        is "$(calls close)" 1 "and nothing after it"
    done
else
    skip "strace cannot trace here" "parts are the reads that strace counts"
fi

done_testing
