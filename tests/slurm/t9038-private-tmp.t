#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9038-private-tmp.t - job_container/tmpfs: /tmp and /dev/shm are the job's own
#
# Nothing of the host's /tmp is to be seen in such a job, so the cluster, the
# user's home and what was built are elsewhere here.

TMPDIR=/var/tmp
export TMPDIR
. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

slurmd=$(PATH=$PATH:/usr/sbin command -v slurmd)
find "${slurmd%/sbin/slurmd}/lib/" -name job_container_tmpfs.so 2>/dev/null |
    grep -q . || skip_all "no job_container/tmpfs in this Slurm"
unshare -m mount -t tmpfs none "$tmp" 2>/dev/null ||
    skip_all "no mounts here"

# job_container binds the namespace of each job to a file. Linux 6.18 numbers
# namespaces by processor, in steps, and refuses to bind one with a lower number
# than ours (EINVAL), as if it were an older one. Where ours is young, as in a
# container, that depends on the processor: jobs then are "not ready" for ever.
binds_namespaces() {
    local cpu
    mkdir "$tmp/ns" && mount -t tmpfs none "$tmp/ns" && mount --make-private "$tmp/ns" &&
        : >"$tmp/ns/holder" || return
    for ((cpu = 0; cpu < $(nproc --all); cpu++)); do
        taskset -c $cpu true 2>/dev/null || continue
        taskset -c $cpu unshare --mount="$tmp/ns/holder" true 2>/dev/null || return
        umount "$tmp/ns/holder"
    done
}
binds_namespaces
bound=$?
umount -l "$tmp/ns"
[ $bound = 0 ] || skip_all "this kernel refuses to bind new mount namespaces here: job_container/tmpfs cannot start a job"

for f in dftrace spank/.libs/dftrace.so preload/.libs/libdftrace_preload.so; do
    install -D "$top_builddir/$f" "$tmp/build/$f"
done
mkdir -m 755 "$cluster" "$tmp/base"
printf '%s\n' AutoBasePath=true BasePath="$tmp/base" \
    >"$cluster/job_container.conf"
mounts() {
    cut -d ' ' -f 2 /proc/mounts | grep "^$tmp/base/" | sort -r
}
at_exit 'mounts | xargs -r -n 1 umount -l'
cluster_start --nodes 2 --cpus 8 --build "$tmp/build" --conf "PrologFlags=Contain
JobContainerType=job_container/tmpfs"
logs=$home/dftrace
data=$cluster/data
echo 'some data' >"$data"

metric() {
    json "$1/metrics.json" ".metrics.$2.value"
}
shards() {
    find "$1/shards" -name '*.dft' 2>/dev/null | wc -l
}

is "$(as_user srun bash -c 'touch /tmp/mine /dev/shm/mine; ls /tmp /dev/shm')" \
    "$(printf '/dev/shm:\nmine\n\n/tmp:\nmine')" "a job has a /tmp of its own"

for stage in /tmp /dev/shm; do
    submit -J own -N2 -n8 --dftrace=posix,stage=$stage \
        --wrap "srun cat $data; srun -N1 -n1 cat $data"
    dir=$logs/own-$job
    is "$(metric "$dir" read_bytes) $(metric "$dir" lost_events)" "90 0" \
        "stage=$stage: every task of both steps is in the trace"
    if grep -q '^dftrace: .*memory' "$home/out"; then
        skip "memory is limited here" "stage=$stage: one shard for each step and node"
    else
        is "$(shards "$dir")" 3 "stage=$stage: one shard for each step and node"
    fi
    is "$(find "$dir" ! -user dftester)" "" "stage=$stage: all of it the user's"
    is "$(find $stage -maxdepth 1 -name "own-$job*")" "" \
        "stage=$stage: none of it was on the host"
done

submit -J within --dftrace=posix,job_dir=/tmp/y --wrap "cat $data; srun cat $data"
is "$(grep -c 'dftrace: .* /tmp/y: in the job.s private directory, with which the trace goes' "$home/out")" 1 \
    "dir=/tmp/y: the trace goes with the private /tmp, which is said once"

submit -J killed --dftrace=posix,stage=/tmp \
    --wrap "srun bash -c 'cat $data; kill -9 \$\$'"
is "$(metric "$logs/killed-$job" read_bytes)" 10 "that of a killed task, too"

# Here all steps of the job end at once; before Slurm 24.05 the extern step,
# which takes /tmp with it, often first.
job=$(as_user sbatch --parsable -J cancel -o /dev/null \
    --dftrace=posix,stage=/tmp \
    --wrap "srun bash -c 'trap \"sleep 0.5; exit\" TERM
        cat $data; touch \$HOME/read; sleep 600 & wait'")
ok "a task has read" wait_for test -e "$home/read"
scancel "$job"
wait_for job_gone "$job"
is "$(metric "$logs/cancel-$job" read_bytes)" 10 \
    "that of a cancelled one that takes its time"
rm "$home/read"
submit -J left --dftrace=posix,stage=/tmp --wrap "
srun bash -c 'cat $data; touch \$HOME/read; exec sleep 600' &
until [ -e \$HOME/read ]; do sleep 0.1; done"
is "$(metric "$logs/left-$job" read_bytes)" 10 \
    "and of a step that the script has left behind"

# Without a stage, and with one on the host, the plugin is in nobody's way.
submit -J batch --dftrace=posix,stage=/tmp --wrap "cat $data"
is "$(metric "$logs/batch-$job" read_bytes)" 10 \
    "a batch script without srun, in its own working directory"
submit -J direct -N2 -n2 --dftrace=posix --wrap "srun cat $data"
is "$(metric "$logs/direct-$job" read_bytes)" 20 "shards straight to their place"
mkdir -m 1777 "$tmp/local"
submit -J host -N2 -n2 --dftrace=posix,stage="$tmp/local" \
    --wrap "srun cat $data"
is "$(metric "$logs/host-$job" read_bytes)" 20 "a stage on the host"
is "$(ls "$tmp/local")" "" "which is empty again"

# A library in the host's /tmp is not there: the job runs, and says so.
site=$(cat "$cluster/plugstack.conf")
cp "$tmp/build/preload/.libs/libdftrace_preload.so" \
    "/tmp/dftrace-test-$$.so" && at_exit "rm -f /tmp/dftrace-test-$$.so"
sed "s,preload=[^ ]*,preload=/tmp/dftrace-test-$$.so," <<<"$site" \
    >"$cluster/plugstack.conf"
submit -J unseen --dftrace=posix --wrap "srun cat $data"
like "$(cat "$home/out")" "some data.*" "a library that only the host sees"
like "$(cat "$home/out")" "dftrace: n1: .*running untraced" "and it is said"

# slurmstepd cannot collect: the job is as it was, the stage is lost.
sed "s,command=[^ ]*,command=/nothing," <<<"$site" >"$cluster/plugstack.conf"
submit -J gone --dftrace=posix,nobatch,stage=/tmp --wrap "srun cat $data; exit 3"
is "$(cat "$home/out")" "some data" "no collector: the job runs"
like "$(scontrol show job "$job")" "ExitCode=3:0" "and ends as it would"
is "$(grep -h "dftrace: /nothing: .*gone-$job" "$cluster"/log/n?.log |
    grep -c "not collected")" 1 "slurmd's log has it"
missing=$(json "$logs/gone-$job/node.n1.json" .stages_missing)
is "$((missing + $(shards "$logs/gone-$job")))" 1 \
    "the node's file counts it, unless something still collected it"
diag "collected without slurmstepd: $(shards "$logs/gone-$job") of 1"

nodes_idle "nodes are idle"
is "$(grep -ci drain "$cluster/log/slurmctld.log")" 0 "none ever drained"
done_testing
