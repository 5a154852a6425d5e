#!/bin/bash
# SPDX-License-Identifier: MIT
#
# load.sh - what tracing costs an array and a step of many tasks, and a node's
#           epilog: traced against untraced, in alternating rounds
#
# In:  root; ROUNDS (3), ARRAY_TASKS (2000), STEP_TASKS (1000), EPILOGS (20); 0: not that;
#      LAYERS (posix) of what is traced; FINISH: what the site says of `finish`
# Out: lines for doc/admin.md: medians and ratios of time and of the CPU time of the
#      whole private cluster, its jobs included (cgroup v2), which other work on
#      the machine does not change much
# `make check-load`, part of `make check-big`, never of `make check`: it asserts nothing but counts.

# shellcheck source=tests/lib.sh
. "${top_srcdir:-.}/tests/lib.sh"
# shellcheck source=tests/slurm/lib-cluster.sh
. "$top_srcdir/tests/slurm/lib-cluster.sh"

ROUNDS=${ROUNDS:-3}
ARRAY_TASKS=${ARRAY_TASKS:-2000}
STEP_TASKS=${STEP_TASKS:-1000}
EPILOGS=${EPILOGS:-20}
LAYERS=${LAYERS:-posix}
FINISH=${FINISH:-}
WAIT_SECONDS=3600
NODES=3

# before the cluster starts: everything of it is in there
groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
group=$groups/dftrace-load.$$
[ -n "$groups" ] && mkdir "$group" 2>/dev/null ||
    skip_all "no cgroup v2 here that root may write: CPU time cannot be counted"
at_exit "rmdir '$group'"
at_exit "echo $$ >'$groups/cgroup.procs'"
echo $$ >"$group/cgroup.procs"
# A file system of its own, new: ext4 passes over inodes that were deleted in the last
# minutes, one by one, so what was removed before would be part of what is measured.
mkdir -p "$cluster"
truncate -s 8G "$tmp/ext4" && mkfs.ext4 -q -N 1000000 "$tmp/ext4" &&
    mount -o loop "$tmp/ext4" "$cluster" && chmod 755 "$cluster" &&
    at_exit "umount '$cluster'" ||
    echo "no new ext4 here: the figures depend on what was deleted before" >&2
cluster_start --nodes $NODES --cpus 16 --conf MinJobAge=2
logs=$home/dftrace
as_user mkdir -p "$logs/kept"
echo "some data" >"$cluster/data"
[ -z "$FINISH" ] || echo "finish = $FINISH" >>"$cluster/dftrace.conf"
# what an epilog costs: rusage of all that it started, as bash says
cat >"$cluster/epilog.d/50-dftrace" <<END
#!/bin/bash
exec 2>>$cluster/log/epilog.cpu
export DFTRACE_EPILOG_CONF=$cluster/epilog.conf TIMEFORMAT='%R %U %S'
time $top_srcdir/etc/epilog.d/50-dftrace
END

# microseconds of CPU of the cluster and its groups since the start
busy() {
    awk '$1 == "usage_usec" { print $2 }' "$group/cpu.stat"
}
# queue_empty: all epilogs have ended, too
queue_empty() {
    [ -z "$(squeue -h 2>&1)" ]
}
# forgotten: slurmctld knows no job any more, a minute after the last one at most
forgotten() {
    [ -z "$(squeue -h -t all 2>&1)" ]
}
# Epilogs that have ended: each says its times in one line.
ended() {
    [ "$(grep -cE '^([0-9.]+ ?){3}$' "$cluster/log/epilog.cpu")" -ge "$1" ]
}
# measure FILE EPILOGS COMMAND…: seconds and CPU seconds until so many epilogs have
# ended. sbatch --wait looks every 32 s only, squeue is work for slurmctld.
# Jobs that slurmctld still knows cost it time: none is known when a measurement begins.
measure() {
    local began cpu
    wait_for forgotten
    : >"$cluster/log/epilog.cpu"
    began=$EPOCHREALTIME
    cpu=$(busy)
    as_user "${@:3}" >/dev/null 2>"$tmp/err" </dev/null || diag "failed: ${*:3}: $(tail -n 3 "$tmp/err")"
    wait_for ended "$2"
    wait_for queue_empty
    awk -v a="$began" -v b="$EPOCHREALTIME" -v c="$cpu" -v d="$(busy)" \
        'BEGIN { printf "%.2f %.2f\n", b - a, (d - c) / 1e6 }' >>"$1"
}
median() {
    cut -d ' ' -f "$2" "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int ((NR + 1) / 2)] }'
}
# say NAME PLAIN TRACED
say() {
    awk -v name="$1" -v a="$(median "$2" 1)" -v b="$(median "$3" 1)" \
        -v c="$(median "$2" 2)" -v d="$(median "$3" 2)" 'BEGIN {
        printf "| %s | %.2f s | %.2f s | %.2f | %.2f s | %.2f s | %.2f |\n",
            name, a, b, b / a, c, d, d / c }'
}

# What a job has in its directory when its epilog has ended.
of_each() {
    case $FINISH in large | later) echo shards ;; *) echo metrics.json ;; esac
}

# Out of the way; not deleted, see above.
keep() {
    local to
    to=$logs/kept/$(find "$logs/kept" -mindepth 1 -maxdepth 1 | wc -l)
    mkdir "$to" && find "$logs" -mindepth 1 -maxdepth 1 ! -name kept ! -name lost+found -exec mv -t "$to" {} +
}

# array_rounds: all tasks of an array, from sbatch to the last epilog
array_rounds() {
    local i way
    for ((i = 0; i < ROUNDS; i++)); do
        for way in off "$LAYERS"; do
            measure "$tmp/array.$way" "$ARRAY_TASKS" sbatch -Q -o /dev/null -J "array-$way" \
                --array="0-$((ARRAY_TASKS - 1))" --dftrace=$way --wrap "cat $cluster/data"
        done
        [ "$i" -gt 0 ] || {
            is "$(find "$logs" -mindepth 2 -maxdepth 2 -name "$(of_each)" | wc -l)" "$ARRAY_TASKS" \
                "each task of an array has its $(of_each)"
            nodes_idle "nodes are idle"
        }
        keep
    done
    say "array of $ARRAY_TASKS tasks" "$tmp/array.off" "$tmp/array.$LAYERS"
}

# step_rounds: one step of many tasks
step_rounds() {
    local i way
    for ((i = 0; i < ROUNDS; i++)); do
        for way in off "$LAYERS"; do
            measure "$tmp/step.$way" $NODES srun -Q -J "step-$way" -N $NODES -n "$STEP_TASKS" \
                --overcommit --dftrace=$way cat "$cluster/data"
        done
        [ "$i" -gt 0 ] || [ "$FINISH" = later ] || {
            is "$(cat "$logs"/step-$LAYERS-*/metrics.json |
                jq '[.processes[] | select (.exe | endswith ("cat"))] | length')" "$STEP_TASKS" \
                "each task of a step is in the trace"
            nodes_idle "nodes are idle"
        }
        keep
    done
    say "step of $STEP_TASKS tasks" "$tmp/step.off" "$tmp/step.$LAYERS"
}

# epilogs WAY: of a small job, one at a time: trace, metrics and tables
epilogs() {
    local i
    : >"$cluster/log/epilog.cpu"
    for ((i = 0; i < EPILOGS; i++)); do
        submit -J small "--dftrace=$1" --wrap "cat $cluster/data"
    done
    awk 'NF == 3 { print $1 * 1000, ($2 + $3) * 1000 }' "$cluster/log/epilog.cpu" >"$tmp/epilog"
    echo "epilog, --dftrace=$1: $(median "$tmp/epilog" 1) ms, CPU $(median "$tmp/epilog" 2) ms (median of $(wc -l <"$tmp/epilog"))"
}

echo "| | untraced | traced | ratio | CPU untraced | CPU traced | ratio |"
echo "|---|---|---|---|---|---|---|"
[ "$ARRAY_TASKS" = 0 ] || array_rounds
[ "$STEP_TASKS" = 0 ] || step_rounds
[ "$EPILOGS" = 0 ] || {
    epilogs off
    epilogs "$LAYERS"
}
done_testing
