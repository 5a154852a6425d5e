#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9020-jobdir.t - a traced job -> job directory -> epilogs -> trace, metrics

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

# The daemons are in a group whose limit is set for one job.
own=$(sed -n 's/^[0-9]*:cpu\(,cpuacct\)*:\/*//p' /proc/self/cgroup)
group=/sys/fs/cgroup/cpu/$own/dftrace-test-$$
if mkdir "$group" 2>/dev/null && echo $$ >"$group/cgroup.procs"; then
    at_exit "echo $$ >'/sys/fs/cgroup/cpu/$own/cgroup.procs'; rmdir '$group' 2>/dev/null"
else
    group=
fi

cluster_start --nodes 2
head -c 1M /dev/zero >"$cluster/data"
logs=$home/dftrace

# -- two nodes ---------------------------------------------------------

submit -J two -N2 --ntasks-per-node=2 --dftrace=posix,app \
    --wrap "srun dd if=$cluster/data of=/dev/null bs=64K status=none"
dir=$logs/two-$job
ok "the job directory is there" test -d "$dir"
is "$(stat -c %a:%U "$dir")" "700:dftester" "the user's, and private"
is "$(find "$logs" ! -user dftester)" "" "nothing in it is root's"
is "$(find "$dir" -type f -perm /077)" "" "no file is open to others"
is "$(json "$dir/job.json" '.format + " " + .job_name + " " + .layers')" \
    "dftrace-job two posix,app" "job.json: format, name, layers"
is "$(json "$dir/job.json" '"\(.job_id) \(.nnodes) \(.nodelist) \(.user)"')" \
    "$job 2 n[1-2] dftester" "job.json: ids"
is "$(json "$dir/job.json" '.array_task_id')" null "job.json: no array"
for n in n1 n2; do
    ok "$n marked its start" test -e "$dir/shards/started.$n"
    is "$(json "$dir/node.$n.json" '"\(.host) \(.processes) \(.shards) \(.events_lost)"')" \
        "$n 2 1 0" "$n collected its shard of two processes"
done
is "$(find "$dir/shards" -name '*.dft' | wc -l)" 2 "a shard per node"
ok "merged" test -s "$dir/trace.dft"
is "$(json "$dir/metrics.json" .metrics.read_bytes.value)" $((4 << 20)) \
    "metrics: bytes read by four tasks"
is "$(json "$dir/metrics.json" .metrics.read_count.value)" $((4 * 17)) \
    "metrics: reads, with the one at the end of the file"
ok "no claim is left" test ! -e "$dir/.claim"
is "$(find "$dir" -name 'epilog.*.log' -exec cat {} +)" "" \
    "the epilogs had nothing to complain of"
is "$(find "$cluster/marker" -type f)" "" "the markers are gone"

# -- arrays ------------------------------------------------------------

# What epilogs find; those whose names come later run before it.
cat >"$cluster/epilog.d/60-markers" <<END
#!/bin/sh
cat $cluster/marker/\$SLURM_JOB_ID.* >>$cluster/log/markers
END
chmod 755 "$cluster/epilog.d/60-markers"
submit -J arr --array=3,5%1 --dftrace=posix \
    --wrap "srun dd if=$cluster/data of=/dev/null bs=1M status=none"
array=$job
for t in 3 5; do
    dir=$logs/arr-${job}_$t
    is "$(json "$dir/job.json" '"\(.array_job_id) \(.array_task_id)"')" \
        "$job $t" "array task $t has its directory"
    is "$(json "$dir/metrics.json" .metrics.read_bytes.value)" 1048576 \
        "and its metrics"
done
is "$(cut -f 4 "$cluster/log/markers" | sort -u)" "$(as_user id -G | tr ' ' ,)" \
    "their markers have the groups of the user"
is "$(json "$(echo "$dir"/node.*.json)" 'has ("epilog_cpu_ms")')" true \
    "a node says what its epilog took"
is "$(stat -c %y "$dir"/node.*.json)" "$(stat -c %y "$dir/metrics.json")" \
    "and is as old as the metrics"
rm "$cluster/epilog.d/60-markers"

# -- a limit of processor time --------------------------------------------

# throttled: periods and seconds of that group, by the kernel
throttled() {
    awk '$1 == "nr_throttled" { n = $2 } $1 == "throttled_time" { s = $2 / 1e9 } END { print n, s }' "$group/cpu.stat"
}
if [ "$group" ]; then
    before=$(throttled)
    echo 40000 >"$group/cpu.cfs_quota_us"
    submit -J slow -N1 --dftrace=posix \
        --wrap "head -c 1000 $cluster/data >/dev/null; timeout 1 sh -c 'while :; do :; done'; true"
    echo -1 >"$group/cpu.cfs_quota_us"
    slow=$(json "$logs/slow-$job/job.json" '"\(.cpu_limit) \(.cpu_throttled_periods) \(.cpu_throttled_s)"')
    like "$slow" '^0\.4(00)? [0-9]+ [0-9.]+$' "a job says how much it may compute, and for how long it was stopped"
    ok "that is no more than the kernel counted" awk -v job="$slow" -v before="$before" -v after="$(throttled)" \
        'BEGIN { split (job, j); split (before, b); split (after, a)
                 exit !(j[2] <= a[1] - b[1] && j[3] <= a[2] - b[2] + 1e-6) }'
    is "$(json "$logs/arr-${array}_3/job.json" .cpu_limit)" null "one without a limit says nothing"
else
    skip "no cgroup of version 1 for processor time here" "a limit of processor time"
fi

# -- requeue -----------------------------------------------------------

job_waits_again() {
    scontrol show job "$1" | grep -q 'Restarts=1' &&
        squeue -h -t PD -j "$1" | grep -q .
}
cat >"$home/again" <<END
#!/bin/bash
srun cat $cluster/data >/dev/null
if [ -z "\$SLURM_RESTART_COUNT" ]; then
    scontrol requeue \$SLURM_JOB_ID
    sleep 600
fi
END
job=$(as_user sbatch --parsable -J again -o "$home/out" --requeue \
    --dftrace=posix "$home/again")
# Slurm waits two minutes before it starts a job anew, because a credential of
# the second in which the old one was revoked is not accepted
wait_for job_waits_again "$job"
sleep 2
scontrol update "JobId=$job" StartTime=now
wait_for job_gone "$job"
ok "first life" test -e "$logs/again-$job/metrics.json"
ok "second life" test -e "$logs/again-$job.r1/metrics.json"
is "$(json "$logs/again-$job.r1/job.json" .restart)" 1 "knows that it is one"

# -- where -------------------------------------------------------------

as_user mkdir "$home/elsewhere"
submit -J where --chdir="$home/elsewhere" --dftrace=posix \
    --wrap "cd /; srun cat $cluster/data >/dev/null"
ok "in the job's working directory" \
    test -e "$home/elsewhere/dftrace/where-$job/metrics.json"
as_user env DFTRACE_LOG_ROOT="$home/%u" true
export DFTRACE_LOG_ROOT=$home/traces/%u
submit -J root --dftrace=posix --wrap "srun cat $cluster/data >/dev/null"
unset DFTRACE_LOG_ROOT
ok "under DFTRACE_LOG_ROOT" test -e "$home/traces/dftester/root-$job/metrics.json"

# steps of one job share one directory
submit -J steps -N2 --dftrace=posix --wrap \
    "srun -N1 -w n1 true; cd /tmp; srun -N1 -w n2 cat $cluster/data >/dev/null"
is "$(find "$logs/steps-$job/shards" -name 'started.*' | wc -l)" 2 \
    "two steps on two nodes, one directory"
ok "merged once both epilogs were done" test -e "$logs/steps-$job/metrics.json"

# -- the end is not always orderly -------------------------------------

submit -J killed --dftrace=posix --wrap \
    "srun bash -c 'read -r line <$cluster/data; kill -9 \$\$'"
ok "a killed task has metrics" test -e "$logs/killed-$job/metrics.json"
is "$(json "$(echo "$logs/killed-$job"/node.n?.json)" .unfinished)" 1 \
    "and is counted as unfinished"
job=$(as_user sbatch --parsable -J cancel -o /dev/null --dftrace=posix \
    --wrap "srun bash -c 'cat $cluster/data >/dev/null; sleep 600'")
ok "a task has read" wait_for compgen -G "$logs/cancel-$job/shards/*.dft"
scancel "$job"
wait_for job_gone "$job"
ok "a cancelled job has metrics" test -e "$logs/cancel-$job/metrics.json"
nodes_idle "nodes are idle"

done_testing
