#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9078-study-sweep.t - the study's job script, which selects its values by its
#     task, as `script:` of a sweep: each point has its own numbers

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"
. "$top_srcdir/tests/slurm/study/lib-study.sh"

study_cluster
study_home 2000
head -c 1M /dev/urandom >"$home/work/pile_subset_text_document.bin" # 2048 x 512
chown dftester: "$home/work/pile_subset_text_document.bin"

cat >"$home/study.yaml" <<'END'
sweep: llama
axes: {seq: [512, 1024, 2048], gbs: [128, 256, 512]}
script: examples/llama/submit_4gpu_h100_sweep.sh
END
exits 6 "without task_id the sweep is refused" study dftrace sweep submit study.yaml
like "$(cat "$tmp/err")" 'SLURM_ARRAY_TASK_ID.*task_id: grid' "with the remedy"
echo 'task_id: grid' >>"$home/study.yaml"
exits 0 "submit --wait" study dftrace sweep submit study.yaml --wait
ok "the folder of the script's own --output and --error was not needed" \
    test ! -e "$home/logs"
is "$(tail -n +2 "$home/llama/results/runs.csv" | wc -l)" 9 "nine runs, not those of its own --array"
isnt "$(sed -n 's/^[^ ]* \([0-9]*\)$/\1/p' "$home"/llama/jobs/*.map | xargs)" "0 1 2 3 4 5 6 7 8" \
    "the order is shuffled"
for seq in 512 1024 2048; do
    for batch in 128 256 512; do
        run=$(echo "$home"/llama/runs/seq$seq-gbs$batch.*/r0/a0)
        like "$(cat "$run/stdout")" '^cudart True ' "seq$seq-gbs$batch: has the script's library"
        is "$(of_file "$run/trace" /pile_subset_text_document.bin read_bytes)" $((seq * batch)) \
            "seq$seq-gbs$batch: the bytes of this point and no other"
        is "$(of_file "$run/trace" /model.ckpt write_bytes)" $batch "seq$seq-gbs$batch: its checkpoint"
        is "$(json "$run/trace/metrics.json" .health.complete)" true "seq$seq-gbs$batch: nothing is missing"
    done
done

# -- a folder that is not there, in a script that does not index ----------------

cat >"$home/plain.sbatch" <<'END'
#!/bin/bash
#SBATCH --error=logs/x_%j -o nowhere/y
cat work/pile_subset_text_document.bin | head -c $N >/dev/null
END
printf 'sweep: plain\naxes: {n: [1, 2]}\nenv: {N: "${n}"}\nscript: plain.sbatch\n' >"$home/plain.yaml"
exits 0 "--error=logs/x without logs/" study dftrace sweep submit plain.yaml --wait
nodes_idle "nodes are idle"
done_testing
