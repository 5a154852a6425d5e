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
    "$minigpt" --data "$corpus" --cache "$tmp/cache" --steps 3 --save-every 2 \
        --checkpoint-bytes 2M --compute-us-per-ktoken 0 \
        --compute-us-per-step 0 "$@"
}

# --- bad words ------------------------------------------------------------

exits 2 "mkcorpus without a prefix" "$mkcorpus"
exits 2 "mkcorpus: not a size" "$mkcorpus" --bytes=1X "$corpus"
exits 1 "mkcorpus: no such directory" "$mkcorpus" -t none "$tmp/no/x"
exits 2 "minigpt without data" "$minigpt"
exits 2 "minigpt: unknown access" train --access=tape
like "$(cat "$tmp/err")" "minigpt: --access: tape: mmap, direct or mock" "says why"
exits 2 "minigpt: batch that cannot be shared out" \
    train --global-batch=6 --micro-batch=4
exits 1 "minigpt: no corpus" train
like "$(cat "$tmp/err")" "minigpt: .*corpus.bin: cannot read" "says which"
ok "minigpt --help" "$minigpt" --help

# --- corpus ---------------------------------------------------------------

mkdir "$tmp/text"
printf 'A text of its own, long enough to be taken as a document of some size.
' >"$tmp/text/a"
gzip -c "$tmp/text/a" >"$tmp/text/b.gz"
printf 'binary\0%200s' x >"$tmp/text/c"
ln -s /usr/share "$tmp/text/link"

out=$("$mkcorpus" --bytes=1M --text="$tmp/text" "$corpus")
like "$out" "documents=[0-9]+ tokens=[0-9]+ bytes=[0-9]+ generated=100%" \
    "mkcorpus says what it made"
size=$(stat -c %s "$corpus.bin")
cmp_num "$size" -ge 1048576 "the .bin is large enough"
is "$(field bytes "$out")" "$size" "and as large as said"
n=$(($(od -An -td4 -j 34 -N 4 "$corpus.idx") * 2)) # bytes of a document
is "$(od -An -tu2 -N $n "$corpus.bin")" \
    "$(od -An -tu2 -j $n -N $n "$corpus.bin")" \
    "a compressed file gives the tokens of the plain one"
before=$(stat -c %i:%Y "$corpus.bin")
like "$("$mkcorpus" --bytes=1M "$corpus")" "was there" "a second run"
is "$(stat -c %i:%Y "$corpus.bin")" "$before" "leaves the files alone"
truncate -s -1 "$corpus.bin"
like "$("$mkcorpus" --bytes=1M --text=none "$corpus")" "generated=100%" \
    "a damaged pair is made anew"
cp "$corpus.bin" "$tmp/first"
"$mkcorpus" --force --bytes=1M --text=none "$corpus" >/dev/null
ok "the generator repeats itself" cmp "$tmp/first" "$corpus.bin"

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
train --seq 64 --global-batch 4 --cache "$tmp/other" >/dev/null
for index in "$tmp"/other/*shuffle_index.npy; do
    printf '\377\377\377\377' |
        dd bs=1 seek=$(($(stat -c %s "$index") - 4)) conv=notrunc of="$index" status=none
done
exits 1 "an index file of other data" train --seq 64 --global-batch 4 --cache "$tmp/other"
like "$(cat "$tmp/err")" "shuffle_index.npy: does not fit the data" "the message names the file"

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
exits 0 "mock: no index" "$minigpt" --access mock --index-only 1

# --- ranks ----------------------------------------------------------------

SLURM_PROCID=1 SLURM_NTASKS=2 train --seq 128 --global-batch 16 \
    >"$tmp/rank1" 2>&1 &
SLURM_PROCID=0 SLURM_NTASKS=2 train --seq 128 --global-batch 16 \
    --save "$tmp/save" >"$tmp/rank0" 2>&1
wait
like "$(cat "$tmp/rank0")" "samples=24 .*checkpoints=1 .*rank=0/2" "rank 0"
like "$(cat "$tmp/rank1")" "samples=24 .*checkpoints=0 .*rank=1/2" \
    "rank 1 waits for the index that rank 0 builds"
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
            --data "$corpus" --cache "$tmp/cache" --steps 3 --seq $seq \
            --global-batch 16 --access direct --compute-us-per-step 0)
        parts=$(field parts "$out")
        is "$(calls read)" "$parts" "direct, $seq tokens: a read per part"
        is "$(calls lseek)" "$parts" "an lseek per part"
        is "$(calls close)" $((parts + 1)) "a close per part, one at the start"
        strace -f -c -P "$corpus.bin" -o "$tmp/strace" "$minigpt" \
            --data "$corpus" --cache "$tmp/cache" --steps 3 --seq $seq \
            --global-batch 16 --access mmap --compute-us-per-step 0 >/dev/null
        is "$(calls read)" 0 "mmap, $seq tokens: no read"
        is "$(calls mmap)" 1 "one mapping"
        is "$(calls close)" 1 "and nothing after it"
    done
else
    skip "strace cannot trace here" "parts are the reads that strace counts"
fi

done_testing
