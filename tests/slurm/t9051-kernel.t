#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9051-kernel.t - layer kernel in jobs: where the site allows it, root's
#     recorder follows the tasks, writes as the user, and ends with the step

. "${top_srcdir:-.}/tests/lib.sh"
. "$top_srcdir/tests/slurm/lib-cluster.sh"

recorder=$top_builddir/dftrace-kernel
[ -x "$recorder" ] || skip_all "layer kernel is not built"
why=$("$recorder" --check) || skip_all "$why"
cluster_start --nodes 1 --cpus 4
logs=$home/dftrace
gcc -O1 -static -pthread -o "$cluster/static" "$top_srcdir/tests/victims/plain.c" 2>/dev/null ||
    skip_all "no static libc"
chmod 755 "$cluster/static"

# bytes DIR CALL: sum of the results of a call in the job's trace
bytes ()
{
    as_user "$dftrace" export -f jsonl "$1" 2>/dev/null |
        jq -s "[.[] | select (.name == \"$2\") | .ret] | add"
}
# pids of this cluster's recorders
recorders ()
{
    local pid
    for pid in $(pgrep -f "^dftrace-kernel" -u dftester); do
        grep -qzF "DFTRACE_JOB_DIR=$logs/" "/proc/$pid/environ" 2>/dev/null && echo "$pid"
    done
}
a_recorder ()
{
    [ -n "$(recorders)" ]
}
no_recorder ()
{
    ! a_recorder
}
no_job ()
{
    [ -z "$(squeue -h)" ]
}

# -- a site that does not allow it ---------------------------------------

as_user mkdir -p "$home/w" "$home/w/sub"
as_user srun --chdir="$home/w" --dftrace=posix,kernel,root="$logs" "$cluster/static" 2>"$tmp/err"
like "$(cat "$tmp/err")" 'layer kernel: this site does not allow it: going on without it' \
    "without kernel = yes: it is said"
nok "strict: the task does not start" as_user srun --chdir="$home/w" \
    --dftrace=posix,kernel,strict "$cluster/static"

# -- one that does ---------------------------------------------------------

echo "kernel = yes" >>"$cluster/dftrace.conf"
ok "a step" as_user srun --chdir="$home/w" -J one --dftrace=posix,kernel,root="$logs" "$cluster/static"
dir=$(ls -d "$logs"/one-*)
is "$(bytes "$dir" write) $(bytes "$dir" read) $(bytes "$dir" pread)" "50000 50000 75123" \
    "a static program's bytes"
is "$(find "$dir" ! -user dftester)" "" "nothing in the job directory is root's"
ok "the recorder ends with the step" wait_for no_recorder
submit -J two --chdir="$home/w" --dftrace=posix,kernel,root="$logs" \
    --wrap "$cluster/static; srun -n2 cat $cluster/static | wc -c; srun $cluster/static"
dir=$(ls -d "$logs"/two-*)
is "$(bytes "$dir" write) $(bytes "$dir" pread)" "100000 150246" \
    "a batch script and its steps, each once"
is "$(json "$dir/metrics.json" .metrics.lost_events.value)" 0 "nothing is lost"
is "$(json "$dir/job.json" '.untraced | length')" 0 "and nobody is said to be untraced"

# -- deaths ------------------------------------------------------------------

as_user srun --chdir="$home/w" -J killed --dftrace=posix,kernel,root="$logs" \
    bash -c "while :; do $cluster/static; done" 2>/dev/null &
wait_for a_recorder
kill -KILL $(recorders)
sleep 0.5
is "$(squeue -h -o %T -n killed)" RUNNING "the recorder is killed: the job runs on"
scancel -n killed
wait
ok "a cancelled job" wait_for no_job
as_user srun --chdir="$home/w" -J held --dftrace=posix,kernel,root="$logs" \
    bash -c 'kill -STOP $(pgrep -f ^dftrace-kernel); true' 2>"$tmp/err"
like "$(cat "$tmp/err")" 'recorder did not end' "a recorder that the user stops: the step ends, and it is said"
ok "no recorder is left" wait_for no_recorder
nodes_idle "the node is idle"

done_testing
