#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5350-frameworks.t - a few steps with transformers, Lightning, torchvision

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh"
. "$top_srcdir/tests/python.sh"
export PYTHONWARNINGS=ignore

# framework NAME MODULE…: runs it; false where a module is not installed
framework() {
    local name=$1 modules
    shift
    modules=$*
    if ! "$python" -c "import ${modules// /, }" 2>/dev/null; then
        skip "$modules: not installed for $python" "$name"
        return 1
    fi
    job=$tmp/$name
    mkdir "$job.d"
    traced "$job" "$scripts/frameworks.py" "$name" "$job.d"
    is "$(count "$job" dftrace metadata '_points=')" 0 "$name: every point is there"
}

if framework torchvision torchvision PIL; then
    is "$(count "$job" data item)$(count "$job" data preprocess.decode class/)" 44 \
        "torchvision: items, images loaded"
    is "$(count "$job" dataloader fetch)" 2 "torchvision: fetches"
fi
if framework huggingface transformers datasets accelerate; then
    is "$(count "$job" pipeline train)$(count "$job" pipeline evaluate)" 11 \
        "huggingface: training and evaluation"
    is "$(count "$job" compute forward)$(count "$job" compute backward)$(count \
        "$job" compute step)" 444 "huggingface: steps"
    is "$(count "$job" dataloader fetch)" 5 "huggingface: fetches, one to evaluate"
    is "$(args "$job" data item | sort | uniq -c | xargs)" "5 count=4" \
        "huggingface: reads of a batch at once"
    is "$(count "$job" checkpoint capture)" 1 "huggingface: a checkpoint"
    is "$(count "$job" io datasets.save)$(count "$job" io datasets.load)" 11 \
        "huggingface: the data set saved and loaded"
fi
if framework lightning lightning; then
    is "$(count "$job" pipeline train)$(count "$job" pipeline epoch)" 12 \
        "lightning: training and epochs"
    is "$(count "$job" compute forward)$(count "$job" compute backward)$(count \
        "$job" compute step)" 888 "lightning: steps"
    is "$(count "$job" dataloader fetch) $(count "$job" data item)" "8 32" \
        "lightning: fetches, items"
    is "$(count "$job" checkpoint capture)" 1 "lightning: a checkpoint"
fi

done_testing
