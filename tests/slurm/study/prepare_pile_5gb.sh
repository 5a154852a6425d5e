#!/bin/bash
# SPDX-License-Identifier: MIT
#
# prepare_pile_5gb.sh - as the study ran it (tests/slurm/t9077-study-script.t)
#SBATCH --job-name=pile_prep
#SBATCH --partition=grete-h100:shared
#SBATCH --gres=gpu:H100:1      # GPU node needed so TE can load libcudart
#SBATCH -C inet
#SBATCH --mem=32G
#SBATCH --time=02:00:00
#SBATCH --cpus-per-task=16
#SBATCH --output=logs/pile_prep_%j.out
#SBATCH --error=logs/pile_prep_%j.err

set -euo pipefail

# Environment
module load gcc/13.2.0; module load cuda/12.6.2; module load cudnn/9.8.0.87-12
module load miniforge3/24.3.0-0
conda activate megatron_env

WORKSPACE_DIR="@WORK@/"
OUTPUT_PREFIX="${WORKSPACE_DIR}/pile_subset"
JSONL_FILE="${WORKSPACE_DIR}/pile_5gb.jsonl"
TOKENIZER="meta-llama/Meta-Llama-3-8B"
TARGET_SAMPLES=900000      # 5 GB tokenized

# Step 1: Download from HuggingFace (streaming, resumes if partial)
if ! [ -f "$JSONL_FILE" ] || [ "$(wc -l < "$JSONL_FILE")" -lt "$TARGET_SAMPLES" ];
  then
  python3 -c "
import json
from datasets import load_dataset
target = $TARGET_SAMPLES; jsonl_path = '$JSONL_FILE'
ds = load_dataset('monology/pile-uncopyrighted', split='train', streaming=True)
written = 0
with open(jsonl_path, 'w', buffering=8*1024*1024) as f:
  for sample in ds:
    text = sample.get('text', '')
    if text.strip():
      f.write(json.dumps({'text': text}) + '\n')
      written += 1
      if written >= target: break
print(f'Done: {written:,} samples')
"
fi

# Step 2: Tokenize into Megatron binary format (.bin + .idx)
if ! [ -f "${OUTPUT_PREFIX}_text_document.bin" ]; then
  python tools/preprocess_data.py \
    --input          "$JSONL_FILE" \
    --output-prefix "${OUTPUT_PREFIX}" \
    --tokenizer-type HuggingFaceTokenizer \
    --tokenizer-model "$TOKENIZER" \
    --workers       "${SLURM_CPUS_PER_TASK:-16}" \
    --append-eod \
    --json-keys     text
fi

echo "DATA_PATH for training: ${OUTPUT_PREFIX}_text_document"
