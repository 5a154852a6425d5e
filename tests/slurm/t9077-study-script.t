#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9077-study-script.t - the study's own job scripts, which unset LD_PRELOAD and
#     export another, under sbatch --dftrace

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"
. "$top_srcdir/tests/slurm/study/lib-study.sh"

study_cluster
study_home 2000
mkdir "$home/logs" # as who uses these scripts has it
chown dftester: "$home/logs"
logs=$home/dftrace
size() {
    stat -c %s "$1"
}

# -- the data ----------------------------------------------------------------

job=$(study sbatch --parsable --dftrace=posix,app examples/llama/prepare_pile_5gb.sh)
ok "the data are prepared" wait_for job_gone "$job"
trace=$(echo "$logs"/pile_prep-"$job"*)
work=$home/work
like "$(cat "$home/logs/pile_prep_$job.out")" "Done: 2,000 samples" "by its own words"
is "$(json "$trace/job.json" .command)" examples/llama/prepare_pile_5gb.sh "job.json names the batch script"
jsonl=$(size "$work/pile_5gb.jsonl")
is "$(of_file "$trace" /pile_5gb.jsonl write_bytes)" "$jsonl" "what was downloaded was written"
is "$(of_file "$trace" /pile_5gb.jsonl read_bytes)" "$jsonl" "and read by the tokenizer"
for suffix in bin idx; do
    is "$(of_file "$trace" /pile_subset_text_document.$suffix write_bytes)" \
        "$(size "$work/pile_subset_text_document.$suffix")" "tokens: .$suffix"
done

# -- the campaign --------------------------------------------------------------

job=$(study sbatch --parsable --dftrace=posix,app examples/llama/submit_4gpu_h100_sweep.sh)
ok "nine tasks have run" wait_for job_gone "$job"
is "$(cat "$home"/logs/h100_sweep_mmap_"$job"_*.out | sort | uniq -c | xargs)" \
    "9 cudart True LD_PRELOAD $home/cuda/lib64/libcudart.so.12.6.77" \
    "each has the library that its script put into LD_PRELOAD, and sees no other"
is "$(cat "$home"/logs/h100_sweep_mmap_"$job"_*.err)" "" "and nobody complained"
task=0
for seq in 512 1024 2048; do
    for batch in 128 256 512; do
        trace=$(grep -lE "\"array_task_id\": *$task," \
            $(grep -lE "\"array_job_id\": *$job," "$logs"/*/job.json) /dev/null)
        trace=${trace%/job.json}
        is "$(of_file "$trace" /pile_subset_text_document.bin read_bytes)" $((seq * batch)) \
            "task $task: $seq x $batch: what its ranks read"
        is "$(of_file "$trace" /model.ckpt write_bytes)" $batch "task $task: and its checkpoint"
        is "$(json "$trace/metrics.json" '.health | "\(.complete) \(.untraced_processes)"')" "true 0" \
            "task $task: and nothing is missing"
        task=$((task + 1))
    done
done
nodes_idle "nodes are idle"
done_testing
