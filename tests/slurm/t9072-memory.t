#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t9072-memory.t - on Slurm: a sweep one of whose steps is killed for its
# memory: Slurm calls the job FAILED, the sweep knows better, and tries again
# with more

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

# Memory is looked at each second.
cluster_start --nodes 1 --cpus 4 --conf "SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill"
cat >"$cluster/sweep.yaml" <<'END'
sweep: hungry
axes: {mb: [1, 150]}
env: {MB: "${mb}"}
slurm: {mem: 60M, time: "00:10:00"}
trace: {layers: [posix]}
retry: {on: [out_of_memory], times: 1, grow: {mem: 8}}
run: |
  srun perl -e 'open my $f, "<", "$ENV{SWEEP_DIR}/spec.yaml"; my @lines = <$f>;
    my $x = "x" x ($ENV{MB} * 1048576);
    sleep 1 while $ENV{MB} > 1 && !$ENV{SWEEP_ATTEMPT};
    print length $x, "\n"'
END
dir=$home/hungry
# column NAME RUN
column() {
    as_user dftrace sweep status "$dir" --format csv "$2" |
        awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++)
            if ($i == name) c = i; next } { print $c }'
}

ok "a sweep is submitted" as_user dftrace sweep submit --dir "$dir" \
    "$cluster/sweep.yaml"
over() {
    [ "$(as_user dftrace sweep status "$dir" --format csv |
        grep -cE ',(running|queued)(,|$)')" = 0 ] && ! squeue -h | grep -q .
}
ok "it comes to an end" wait_for over
is "$(column state mb1.r0)" "done" "little memory: done"
is "$(column state mb150.r0)" "done" "much memory: done, with more of it"
first=$(echo "$dir"/runs/mb150.*/r0/a0/status)
is "$(grep -c ' Name=hungry.* JobState=OUT_OF_MEMORY' "$cluster/jobcomp.txt")" 0 \
    "Slurm has no word of it"
is "$(awk '$1 == "oom" { print $2 }' "$first")" 1 "the first attempt had too little"
nodes_idle "nodes are idle"

done_testing
