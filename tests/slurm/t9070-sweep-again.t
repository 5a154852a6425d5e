#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9070-sweep-again.t - on Slurm: untraced twins, a killed task, resume, retry

. "${top_srcdir:-.}/tests/lib.sh"
. "$top_srcdir/tests/slurm/lib-cluster.sh"

cluster_start --nodes 3
head -c 1M /dev/zero >"$cluster/data"
cat >"$cluster/sweep.yaml" <<'END'
sweep: again
axes:
  block: [4096, 16384]
  hang: [no, once]
env: {BLOCK: "${block}", HANG: "${hang}"}
run: |
  srun bash -c 'echo ${LD_PRELOAD:-none}' >preload.$SWEEP_RUN
  srun dd if=$DATA of=/dev/null bs=$BLOCK count=8 status=none
  [ $HANG$SWEEP_ATTEMPT$SWEEP_REPEAT != once00 ] || sleep 300
control: {where: hang == 'no'}
data: ["data"]
repeats: 2
slurm: {nodes: 1, time: "00:05:00"}
max_running: 3
END

export DATA=$cluster/data
dir=$home/again
ok "submit" as_user dftrace sweep submit --dir "$dir" "$cluster/sweep.yaml"
rows() { # filter
    as_user dftrace sweep status "$dir" --json "$@" | grep -c '"run": "'
}
wait_rows() { # count, filter
    local i want=$1
    shift
    for ((i = 0; i < 120; i++)); do
        [ "$(rows "$@")" = "$want" ] && return 0
        sleep 0.5
    done
    as_user dftrace sweep status "$dir" | sed 's/^/# /'
    return 1
}
ok "all but those that hang" wait_rows 10 --only done
is "$(rows --only running)" 2 "two hang"
exits 0 "throttle" as_user dftrace sweep throttle "$dir" 1
like "$(scontrol show job)" "ArrayTaskThrottle=1" "Slurm has it"

# one of them is killed with its node's daemon none the wiser
ok "cancel one run" as_user dftrace sweep cancel "$dir" '*.r0' --where "block == 4096" --only running
task=$(squeue -h -o '%F_%K' -t R | head -n 1)
ok "kill another behind our back" scancel --signal=KILL --full "$task"
ok "both have ended" wait_rows 2 --only bad
ok "resume" as_user dftrace sweep resume "$dir" --wait
is "$(rows --only done)" 12 "all are done"
is "$(tail -n +2 "$dir/results/runs.csv" | cut -d, -f 1 | sort -u | wc -l)" 12 \
    "every run once in the results"
is "$(find "$dir/runs" -name a1 | wc -l)" 2 "two of them in a second attempt"

is "$(ls "$home"/preload.*c | wc -l)" 4 "twins ran"
is "$(cat "$home"/preload.*c | sort -u)" "none" "srun loads nothing into a twin"
is "$(cat "$home"/preload.*.r[01] | grep -c libdftrace_preload)" 8 "and the library into the rest"
is "$(find "$dir/runs" -path '*control*' -name trace.dft | wc -l)" 0 "a twin has no trace"
is "$(find "$dir/runs" -name trace.dft | wc -l)" 10 "each attempt but twins has one"
like "$(as_user dftrace sweep status "$dir")" "tracing costs .*4 pairs" "the price of tracing"
is "$(node_states)" "idle idle idle" "nodes are idle"

done_testing
