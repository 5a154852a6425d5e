#!/bin/bash
# SPDX-License-Identifier: MIT
#
# submit_4gpu_h100_sweep.sh - as the study ran it (tests/slurm/t9077-study-script.t)
#SBATCH --job-name=llama3_8b_h100_sweep_mmap
#SBATCH --partition=grete-h100:shared
#SBATCH --account=nhr_ni_test
#SBATCH --gres=gpu:H100:4
#SBATCH -C inet
#SBATCH --mem=240G
#SBATCH --time=48:00:00
#SBATCH --cpus-per-task=32
#SBATCH --output=logs/h100_sweep_mmap_%A_%a.out
#SBATCH --error=logs/h100_sweep_mmap_%A_%a.err
#SBATCH --array=0-8 # 3 seq lengths x 3 batch sizes = 9 combinations

# Parameter grid
SEQ_LENGTHS=(512 1024 2048)
BATCH_SIZES=(128 256 512)
SEQ_IDX=$(( SLURM_ARRAY_TASK_ID / 3 ))
BS_IDX=$(( SLURM_ARRAY_TASK_ID % 3 ))
export SEQ_LENGTH=${SEQ_LENGTHS[$SEQ_IDX]}
export GLOBAL_BATCH_SIZE=${BATCH_SIZES[$BS_IDX]}
export NO_MMAP_BIN_FILES=0 # 0 = memory-mapped; 1 = direct read

# Runtime environment
unset LD_PRELOAD
module load gcc/13.2.0; module load cuda/12.6.2; module load cudnn/9.8.0.87-12
module load miniforge3/24.3.0-0
conda activate megatron_env

# Force CUDA 12 runtime to avoid conflict with PyTorch-bundled CUDA 13
export LD_PRELOAD=$(find "${CUDA_HOME}/lib64" -name "libcudart.so.12.*" \
    ! -type l | head -1)

# DFTracer configuration
WORKSPACE_DIR="@WORK@/RedPajama"
export DFTRACER_ENABLE=1
export DFTRACER_INC_METADATA=1
export DFTRACER_LOG_DIR="${WORKSPACE_DIR}/dftracer_logs/\
${SLURM_JOB_NAME}_${SLURM_ARRAY_JOB_ID}_task${SLURM_ARRAY_TASK_ID}_\
mmap_seq${SEQ_LENGTH}_bs${GLOBAL_BATCH_SIZE}"
export DFTRACER_DATA_DIR="${WORKSPACE_DIR}"
mkdir -p "$DFTRACER_LOG_DIR"

# Launch
TIMESTAMP=$(date +%Y%m%d_%H%M%S)
RUN_TAG="mmap_seq${SEQ_LENGTH}_bs${GLOBAL_BATCH_SIZE}_${TIMESTAMP}"
CHECKPOINT_DIR="${WORKSPACE_DIR}/checkpoints/llama3_8b_4h100_${RUN_TAG}"
TENSORBOARD_DIR="${WORKSPACE_DIR}/tensorboard_logs/llama3_8b_4h100_${RUN_TAG}"
DATA_PATH="${WORKSPACE_DIR}/pile_subset_text_document"

bash examples/llama/train_llama3_8b_4gpu_h100.sh \
    "$CHECKPOINT_DIR" "$TENSORBOARD_DIR" \
    meta-llama/Meta-Llama-3-8B "$DATA_PATH"
