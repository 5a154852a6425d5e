#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9036-stage.t - shards on the node first: collected, packed, never lost

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

# where memory is limited, a stage in memory is not used
[[ $(stat -f -c %T "$tmp") != @(tmpfs|overlayfs) ]] || skip_all "$tmp is, or may be, in memory"
cluster_start --nodes 2 --cpus 8
logs=$home/dftrace
echo 'some data' >"$cluster/data"
mkdir -m 1777 "$tmp/local"

shards() {
    find "$1/shards" -name '*.dft' 2>/dev/null | wc -l
}
metric() {
    json "$1/metrics.json" ".metrics.$2.value"
}

# -- a directory of the node -------------------------------------------

submit -J local -N2 -n8 --dftrace=posix,stage="$tmp/local/%u" \
    --wrap "srun cat $cluster/data; srun -N1 -n1 cat $cluster/data"
dir=$logs/local-$job
is "$(metric "$dir" read_bytes)" 90 "every task of both steps is in the trace"
is "$(metric "$dir" lost_events)" 0 "nothing is lost"
is "$(shards "$dir")" 3 "one shard for each step and node"
is "$(find "$tmp/local" -name "local-*")" "" "the stage is gone"
is "$(find "$dir" ! -user dftester)" "" "nothing in the job directory is root's"
is "$(find "$dir" -type f -perm /077)" "" "no file is open to others"
is "$(find "$dir" -name '.pack*')" "" "no work is left half done"

# -- a directory that only the tasks see -------------------------------

# What job_container/tmpfs does to /tmp, by a plugin in front of ours.
cat >"$tmp/private.c" <<END
#define _GNU_SOURCE
#include <sched.h>
#include <slurm/spank.h>
#include <sys/mount.h>
SPANK_PLUGIN (private, 1)
int slurm_spank_task_init_privileged (spank_t sp, int ac, char **av)
{
    return unshare (CLONE_NEWNS | (ac > 1 ? CLONE_NEWCGROUP : 0)) ||
           mount ("", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
           mount ("tmpfs", av[0], "tmpfs", 0, "mode=1777") ? -1 : 0;
}
END
line=$(cat "$cluster/plugstack.conf")
mkdir -m 1777 "$tmp/own"
# headers of the Slurm that our plugin is built for
read -ra flags < <(sed -n 's/^SLURM_CPPFLAGS = //p' "$top_builddir/Makefile")
if unshare --mount true 2>/dev/null &&
    gcc -shared -fPIC "${flags[@]}" -o "$tmp/private.so" "$tmp/private.c" 2>/dev/null; then
    printf '%s\n' "required $tmp/private.so $tmp/own" "$line" \
        >"$cluster/plugstack.conf"
    is "$(as_user srun bash -c "touch $tmp/own/mine; ls $tmp/own" 2>/dev/null)" \
        mine "tasks have a directory of their own"
    submit -J private -N2 -n2 --dftrace=posix,stage=$tmp/own \
        --wrap "srun cat $cluster/data"
    dir=$logs/private-$job
    is "$(metric "$dir" read_bytes)" 20 "a stage that only they see is collected"
    is "$(shards "$dir")" 2 "one shard for each node"
    is "$(ls "$tmp/own")" "" "none of it was on the host"
    submit -J killed --dftrace=posix,stage=$tmp/own \
        --wrap "srun bash -c 'cat $cluster/data; kill -9 \$\$'"
    is "$(metric "$logs/killed-$job" read_bytes)" 10 \
        "that of a killed task, too"
    job=$(as_user sbatch --parsable -J cancel -o /dev/null \
        --dftrace=posix,stage=$tmp/own \
        --wrap "srun bash -c 'cat $cluster/data; touch \$HOME/read; sleep 600'")
    ok "a task has read" wait_for test -e "$home/read"
    scancel "$job"
    wait_for job_gone "$job"
    is "$(metric "$logs/cancel-$job" read_bytes)" 10 "that of a cancelled one"
    # Limits above a namespace of cgroups cannot be seen: there may be one.
    printf '%s\n' "required $tmp/private.so $tmp/own cgroup" "$line" \
        >"$cluster/plugstack.conf"
    submit -J limited -N2 -n2 --dftrace=posix,stage=$tmp/own --wrap "srun cat $cluster/data"
    dir=$logs/limited-$job
    is "$(metric "$dir" read_bytes)" 20 "in memory that may be limited: the trace is whole"
    is "$(grep -c 'dftrace: .* in memory that counts against the job.s limit' "$home/out")" 1 \
        "and it is said once that it is not staged"
    is "$(json "$dir/node.n1.json" .stages_missing) $(find "$dir/shards" -name 'staged.*')" "0 " \
        "and nobody waits for a stage"
    echo "$line" >"$cluster/plugstack.conf"
else
    skip "no compiler, headers or mount namespaces here" "a stage in a private directory"
fi

# -- the epilog finds what slurmstepd could not collect ----------------

echo "${line//command=*dftrace conf/command=\/nothing conf}" \
    >"$cluster/plugstack.conf"
submit -J later -N2 -n4 --dftrace=posix,stage="$tmp/local" \
    --wrap "srun cat $cluster/data"
dir=$logs/later-$job
is "$(metric "$dir" read_bytes)" 40 "collected by the epilog"
[ "$(metric "$dir" read_bytes)" = 40 ] ||
    diag "$(find "$dir" -ls; cat "$home/out" "$dir"/node.*.json "$dir"/*.log 2>/dev/null)"
is "$(find "$tmp/local" -name "later-*")" "" "and the stage is gone"
echo "$line" >"$cluster/plugstack.conf"

# -- a stage that is none ----------------------------------------------

submit -J none --dftrace=posix,stage=/proc --wrap "srun cat $cluster/data"
like "$(cat "$home/out")" "some data.*" "a stage nobody can write: the job runs"
like "$(cat "$home/out")" "/proc/none-.*running untraced" "and says so"
mkdir -m 700 "$tmp/local/evil"
chmod 1777 "$tmp/local/evil"
as_user bash -c "ln -s $cluster '$tmp/local/evil/link'"
submit -J evil --dftrace=posix,stage="$tmp/local/evil" --wrap "
srun bash -c 'cat $cluster/data; cd \$DFTRACE_STAGE/shards &&
ln -s $cluster/plugstack.conf n1-1-1.dft && mkfifo n1-2-2.dft && mkdir n1-3-3.dft'"
is "$(cat "$cluster/plugstack.conf")" "$line" "links in a stage are not followed"
is "$(metric "$logs/evil-$job" read_bytes)" 10 "what is a shard is collected"

# -- many processes, few files -----------------------------------------

echo "share = 0" >"$cluster/dftrace.conf"
submit -J many --dftrace=posix --wrap \
    "srun bash -c 'for i in {1..20}; do cat $cluster/data; done'"
dir=$logs/many-$job
is "$(shards "$dir")" 1 "twenty shards of a node become one"
is "$(metric "$dir" read_bytes)" 200 "without a loss"
is "$(json "$dir/node.n1.json" '.shards > 19')" true "they were counted"
printf 'share = 0\npack = 0\n' >"$cluster/dftrace.conf"
submit -J loose --dftrace=posix --wrap \
    "srun bash -c 'for i in {1..20}; do cat $cluster/data; done'"
cmp_num "$(shards "$logs/loose-$job")" -ge 20 "pack = 0: they stay"
echo "finish = later" >"$cluster/dftrace.conf"
submit -J small --array=1-4 --dftrace=posix --wrap "srun cat $cluster/data"
is "$(find "$logs/small-${job}_2" -type f | wc -l)" 5 \
    "finish = later: five files of an array task"
ok "who asks first finishes" as_user "$top_builddir/dftrace" analyze --quiet \
    "$logs/small-${job}_2"
is "$(metric "$logs/small-${job}_2" read_bytes)" 10 "with all of it"

nodes_idle "nodes are idle"
done_testing
