#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5350-frameworks.t - a few steps with transformers, Lightning, torchvision

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
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

# inside JOB CATEGORY NAME CATEGORY NAME: the first ones while the second ones ran
inside() {
    awk -F'\t' -v c="$2" -v n="$3" -v rc="$4" -v rn="$5" '
        $5 == rc && $6 == rn { from[++k] = $1; to[k] = $1 + $2 }
        $5 == c && $6 == n { at[++m] = $1 }
        END { for (i = 1; i <= m; i++) for (j = 1; j <= k; j++)
                  if (at[i] >= from[j] && at[i] <= to[j]) { all++; break }
              print all + 0 }' "$1.txt"
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
        "$job" compute step)" 544 "huggingface: steps, and the forward of the evaluation"
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
    is "$(inside "$job" my saving checkpoint capture)" 1 \
        "lightning: which is all of Trainer.save_checkpoint, not torch.save alone"
fi

# The points of DeepSpeed, which few machines have, in a module of the same names:
# make check-frameworks runs them in DeepSpeed itself.
mkdir -p "$tmp/like/deepspeed/runtime"
: >"$tmp/like/deepspeed/__init__.py"
: >"$tmp/like/deepspeed/runtime/__init__.py"
cat >"$tmp/like/deepspeed/runtime/engine.py" <<'END'
import dftrace


class DeepSpeedEngine:
    def forward(self, x):
        return x

    backward = step = forward

    def save_checkpoint(self, where):
        dftrace.instant("my", "saving")

    def load_checkpoint(self, where):
        dftrace.instant("my", "loading")
END
job=$tmp/deepspeed
PYTHONPATH=$tmp/like${PYTHONPATH:+:$PYTHONPATH} traced "$job" -c "
from deepspeed.runtime.engine import DeepSpeedEngine
engine = DeepSpeedEngine ()
engine.save_checkpoint ('x')
engine.load_checkpoint ('x')"
is "$(inside "$job" my saving checkpoint capture) $(inside "$job" my loading checkpoint restart)" \
    "1 1" "deepspeed: saving and loading are regions"

done_testing
