# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# lib-study.sh - the study's scripts, and stand-ins for what they need
#
# In:  $home of a cluster that has the study's partition (study_cluster starts it)
# Out: functions below
#
#   study_cluster       a cluster with what the #SBATCH lines of the scripts ask for
#   study_home          the scripts, unchanged but for the work space and the number
#                       of samples, and stand-ins for model, tokenizer and libraries
#   study COMMAND…      as the user, with the site's functions module and conda
#   of_file TRACE NAME COLUMN   of the rows of view file whose file ends so, the sum

[ -x /usr/bin/python3 ] || skip_all "no python3 that every user has"
study=$top_srcdir/tests/slurm/study

study_cluster() {
    cluster_start --nodes 3 --cpus 32 --gres gpu:H100:4 \
        --node "RealMemory=245760 Feature=inet" \
        --conf "PartitionName=grete-h100:shared Nodes=ALL MaxTime=INFINITE State=UP"
}

study_home() {
    local work=$home/work cuda=$home/cuda/lib64 f
    mkdir -p "$home/examples/llama" "$home/tools" "$home/env/bin" "$home/env/lib" "$work" "$cuda"
    for f in prepare_pile_5gb submit_4gpu_h100_sweep train_llama3_8b_4gpu_h100; do
        sed "s,@WORK@,$work,; s/^TARGET_SAMPLES=900000/TARGET_SAMPLES=$1/" "$study/$f.sh" \
            >"$home/examples/llama/$f.sh"
    done
    ln -s . "$work/RedPajama"
    cp "$study/pretrain_gpt.py" "$home"
    cp "$study/preprocess_data.py" "$home/tools"
    cp "$study/torchrun" "$home/env/bin"
    cp "$study/datasets.py" "$home/env/lib"
    ln -s /usr/bin/python3 "$home/env/bin/python"
    # a library that is no other's: libz stands for the CUDA run time
    cp "$(find /lib /usr/lib -name 'libz.so.1.*' ! -type l 2>/dev/null | head -n 1)" \
        "$cuda/libcudart.so.12.6.77" || exit 99
    ln -s libcudart.so.12.6.77 "$cuda/libcudart.so.12"
    chown -R dftester: "$home"
}

# shellcheck disable=SC2016 # for the other bash
study() {
    as_user bash -c '
        module() { case $2 in cuda/*) export CUDA_HOME=$HOME/cuda ;; esac; }
        conda() {
            export PATH=$HOME/env/bin:$PATH PYTHONPATH=$HOME/env/lib${PYTHONPATH:+:$PYTHONPATH}
        }
        export -f module conda
        export GPUS_PER_NODE=2 PYTHONDONTWRITEBYTECODE=1
        exec "$@"' - "$@"
}

of_file() {
    "$dftrace" analyze --no-write --view file --format csv --top 0 "$1" |
        awk -F, -v name="$2" -v want="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            substr($NF, length ($NF) - length (name) + 1) == name { sum += $at[want] }
            END { printf "%d\n", sum }'
}
