#!/bin/bash
# SPDX-License-Identifier: MIT
#
# train_llama3_8b_4gpu_h100.sh - as the study ran it (tests/slurm/t9077-study-script.t)
# examples/llama/train_llama3_8b_4gpu_h100.sh
export CUDA_DEVICE_MAX_CONNECTIONS=1

WORKSPACE_DIR="@WORK@/RedPajama"
CHECKPOINT_DIR=$1; TENSORBOARD_DIR=$2; TOKENIZER=$3; DATA_PATH=$4
TRAIN_ITERS=${5:-100}

GPUS_PER_NODE=${GPUS_PER_NODE:-4}; NNODES=${NNODES:-1}
NODE_RANK=${NODE_RANK:-0}
MASTER_ADDR=${MASTER_ADDR:-localhost}; MASTER_PORT=${MASTER_PORT:-6000}
NUM_LAYERS=32; HIDDEN_SIZE=4096; NUM_ATTENTION_HEADS=32
NUM_KEY_VALUE_HEADS=8; FFN_HIDDEN_SIZE=14336


SEQ_LENGTH=${SEQ_LENGTH:-512}
MAX_POSITION_EMBEDDINGS=${SEQ_LENGTH}
MICRO_BATCH_SIZE=1
GLOBAL_BATCH_SIZE=${GLOBAL_BATCH_SIZE:-128}
TP_SIZE=${TP_SIZE:-2}; PP_SIZE=${PP_SIZE:-1}

FP8_ARGS="--bf16 --fp8-format hybrid --fp8-amax-history-len 1024 \
--fp8-amax-compute-algo max"
DATA_CACHE_DIR="${WORKSPACE_DIR}/data_cache"

DISTRIBUTED_ARGS="
    --nproc_per_node $GPUS_PER_NODE --nnodes $NNODES
    --node_rank $NODE_RANK --master_addr $MASTER_ADDR
    --master_port $MASTER_PORT
"

GPT_MODEL_ARGS="
    --num-layers $NUM_LAYERS --hidden-size $HIDDEN_SIZE
    --num-attention-heads $NUM_ATTENTION_HEADS
    --num-query-groups $NUM_KEY_VALUE_HEADS
    --ffn-hidden-size $FFN_HIDDEN_SIZE
    --seq-length $SEQ_LENGTH
    --max-position-embeddings $MAX_POSITION_EMBEDDINGS
    --position-embedding-type rope --rotary-base 500000
    --use-rotary-position-embeddings
    --swiglu --normalization RMSNorm
    --disable-bias-linear --untie-embeddings-and-output-weights
    --no-position-embedding --no-masked-softmax-fusion
    --attention-softmax-in-fp32
    # *** REQUIRED: fall back to unfused attention kernel;
    #     the TE FlashAttention kernel raises a CUDA
    #     illegal-memory-access on this driver stack ***
    --attention-backend unfused
"

TRAINING_ARGS="
    --micro-batch-size $MICRO_BATCH_SIZE
    --global-batch-size $GLOBAL_BATCH_SIZE
    --train-iters $TRAIN_ITERS
    --weight-decay 0.1 --adam-beta1 0.9 --adam-beta2 0.95
    --init-method-std 0.006 --clip-grad 1.0
    ${FP8_ARGS}
    --lr 1.5e-4 --lr-decay-style cosine --min-lr 1.0e-5
    --lr-decay-iters $(( TRAIN_ITERS * 9 / 10 ))
    --lr-warmup-iters $(( TRAIN_ITERS / 10 ))
    # *** REQUIRED: disabling the fused gradient-accumulation kernel
    #     prevents NaN losses that appear when it runs alongside
    #     the FP8 + BF16-gradient-reduction path ***
    --no-gradient-accumulation-fusion
    --recompute-activations
"

MODEL_PARALLEL_ARGS="
    --tensor-model-parallel-size $TP_SIZE
    --pipeline-model-parallel-size $PP_SIZE
    --use-distributed-optimizer
    --overlap-grad-reduce --overlap-param-gather
"

# Binary data IO mode (default: no-mmap; set NO_MMAP_BIN_FILES=0 for mmap)
if [ "${NO_MMAP_BIN_FILES:-1}" != "0" ]; then
    NO_MMAP_BIN_ARG="--no-mmap-bin-files"
else
    NO_MMAP_BIN_ARG=""
fi

DATA_ARGS="
    --data-path $DATA_PATH
    --tokenizer-type HuggingFaceTokenizer
    --tokenizer-model $TOKENIZER
    --split 949,50,1
    --data-cache-path $DATA_CACHE_DIR
    ${NO_MMAP_BIN_ARG}
"

EVAL_AND_LOGGING_ARGS="
    --log-interval 1
    --save-interval $TRAIN_ITERS
    --eval-interval $(( TRAIN_ITERS / 2 ))
    --eval-iters 10
    --save $CHECKPOINT_DIR --load $CHECKPOINT_DIR
    --tensorboard-dir $TENSORBOARD_DIR
    --log-throughput --log-params-norm
"

torchrun $DISTRIBUTED_ARGS pretrain_gpt.py \
    $GPT_MODEL_ARGS $TRAINING_ARGS $MODEL_PARALLEL_ARGS \
    $DATA_ARGS $EVAL_AND_LOGGING_ARGS
