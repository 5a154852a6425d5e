#!/bin/bash
# SPDX-License-Identifier: MIT
#
# mmap against direct in a sweep: the example that is shipped, and its tables.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

unset SLURM_PROCID SLURM_NTASKS SLURM_JOB_ID LD_PRELOAD
cd "$tmp" || exit 99
"$top_builddir/etc/examples/minigpt/mkcorpus" --bytes=4M "$tmp/corpus" \
    >/dev/null || exit 99
export DATA_PATH=$tmp/corpus MINIGPT=$top_builddir/etc/examples/minigpt/minigpt

exits 0 "the example runs" "$dftrace" sweep run --local \
    "$top_srcdir/etc/examples/mmap-direct.yaml"
exits 0 "and has results" "$dftrace" sweep results mmap-direct
like "$(cat "$tmp/out")" "Bytes from storage, page faults" "with a table of bytes"
table=$(sed -n '/^Bytes from storage/,/^Checkpoints/p' "$tmp/out")
is "$(grep -cE '^ *(512|2048) +(mmap|direct) ' <<<"$table")" 4 "of all points"

# Column of results/points.csv at a point.
cell ()
{
    awk -F, -v column="$1" -v seq="$2" -v access="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["seq"] == seq && $at["access"] == access { print $at[column] }' \
        mmap-direct/results/points.csv
}
head -n 1 mmap-direct/results/points.csv | tr , '\n' >columns
for metric in storage_bytes storage_bytes_faults storage_bytes_calls \
    read_amplification input_wait_time; do
    ok "points.csv has $metric" grep -q "^$metric" columns
done
isnt "$(cell samples_mean 512 mmap)" "" "samples are known"
is "$(cell samples_mean 512 mmap)" "$(cell samples_mean 512 direct)" \
    "both ways use the same samples"
exits 0 "one is compared with the other" "$dftrace" sweep results mmap-direct \
    --compare access=mmap:direct --metric storage_bytes
like "$(cat "$tmp/out")" "storage_bytes" "in bytes that moved"

cd "$tmp" && rm -rf posix && cat >posix.yaml <<'END'
sweep: posix
axes: {n: [1]}
run: 'true'
trace: posix
END
"$dftrace" sweep run --local posix.yaml >/dev/null 2>&1
unlike "$("$dftrace" sweep results posix)" "Bytes from storage" \
    "no such table where the layer was not traced"

done_testing
