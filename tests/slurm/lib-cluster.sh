# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# lib-cluster.sh - a private Slurm under a test
#
# In:  . "$top_srcdir/tests/slurm/lib-cluster.sh" after tests/lib.sh
# Out: functions below; the cluster ends with the test
#
#   cluster_start OPTION…   see cluster.sh start; the built plugin is loaded
#   as_user COMMAND…        as the unprivileged user, in his home $home
#   submit OPTION… SCRIPT   sbatch, wait for it and for its epilogs; job id in
#                           $job, output in $home/out, its last line on stdout
#   own_words FILE          remove from a job's output what Slurm itself says on
#                           stderr and show it; submit does so
#   wait_for COMMAND…       until it succeeds, at most WAIT_SECONDS
#   epilogs_ended           wait until no job is left in the queue: srun ends
#                           before the epilogs of its job have touched its traces
#   node_states             "idle idle idle", one word per node
#   nodes_idle NAME         a test: every node is idle, now or when its epilogs
#                           have ended; one that is down or drains stays so
#   json FILE FILTER        what jq finds in a file; without one the logs say why

WAIT_SECONDS=300
cluster_sh=$top_srcdir/tests/slurm/cluster.sh

[ "$(id -u)" = 0 ] || skip_all "needs root: slurmd changes user"
for p in slurmctld slurmd munged runuser jq; do
    PATH=$PATH:/usr/sbin:/sbin command -v $p >/dev/null ||
        skip_all "no $p on this machine"
done
[ -e "$top_builddir/spank/.libs/dftrace.so" ] ||
    skip_all "the plugin is not built: no slurm/spank.h"

chmod 755 "$tmp"
cluster=$tmp/cluster
home=$cluster/home
unset "${!SLURM@}" "${!SBATCH@}" "${!DFTRACE@}"

cluster_start() {
    at_exit "'$cluster_sh' stop '$cluster'"
    "$cluster_sh" start "$cluster" --build "$top_builddir" "$@" || {
        fail "cluster starts"
        exit 1
    }
    export SLURM_CONF=$cluster/slurm.conf
}

as_user() {
    "$cluster_sh" run "$cluster" "$@"
}

wait_for() {
    local end=$((SECONDS + WAIT_SECONDS))
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

# Every task of the job has an end state, and so its epilogs have ended. No
# answer is no answer.
job_gone() {
    local states
    states=$(squeue -h -j "$1" -r -t all -o %T 2>/dev/null) || return 1
    [ -n "$states" ] && ! grep -qvxE \
        'COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL|PREEMPTED|OUT_OF_MEMORY' <<<"$states"
}

queue_is_empty() {
    local queue
    queue=$(squeue -h 2>/dev/null) && [ -z "$queue" ]
}

epilogs_ended() {
    wait_for queue_is_empty
}

# Slurm has its own to say about a busy machine (a step that has to wait for the
# end of the one before, a message that is sent again). The job's own words are
# what counts.
own_words() {
    local slurm='^(srun|sbatch|slurmstepd(-[^:]*)?): '

    [ -f "$1" ] && grep -qE "$slurm" "$1" || return 0
    diag "$(grep -E "$slurm" "$1" | sed 's/^/said by Slurm: /')"
    sed -i -E "/$slurm/d" "$1"
}

submit() {
    # shellcheck disable=SC2034 # for the test
    job=$(as_user sbatch --parsable -o "$home/out" "$@" 2>"$tmp/sbatch.err") ||
        return 1
    wait_for job_gone "$job" || return
    own_words "$home/out"
}

# A node that the scheduler keeps for a job that waits is planned: it is idle, and
# may stay so until the next job waits.
node_states() {
    sinfo -h -N -o '%N %T' | sort -u | cut -d ' ' -f 2 | sed 's/^planned$/idle/' | xargs
}

all_idle() {
    [[ $(node_states) =~ ^idle( idle)*$ ]]
}

# why_busy: of each node that is not idle what its slurmd is at, and said last
why_busy() {
    local node pid task

    for node in $(sinfo -h -N -o '%N %T' | sort -u | awk '$2 !~ /^(idle|planned)$/ { print $1 }'); do
        pid=$(cat "$cluster/run/$node.pid" 2>/dev/null)
        printf '%s: slurmd %s: %s\n' "$node" "$pid" \
            "$(ps -o pid=,stat=,wchan=,etime=,args= --ppid "${pid:-0}" -p "${pid:-0}" 2>&1)"
        for task in /proc/"${pid:-0}"/task/*; do
            printf '  thread %s: %s %s\n' "${task##*/}" "$(cat "$task/wchan" 2>/dev/null)" \
                "$(cut -d ' ' -f 1-7 "$task/syscall" 2>/dev/null)"
        done
        command -v gdb >/dev/null && [ -n "$pid" ] &&
            timeout 30 gdb -p "$pid" -batch -ex 'thread apply all bt 12' 2>/dev/null | grep '^[T#]'
        tail -n 25 "$cluster/log/$node.log"
    done
}

nodes_idle() {
    if wait_for all_idle; then
        pass "$1"
    else
        fail "$1"
        diag "$(sinfo -N -l; sinfo -R; squeue -a; why_busy)"
    fi
}

json() {
    [ -e "$1" ] || diag "not there: $1: $(tail -n 15 "$cluster"/log/n*.log)" >&2
    jq -r "$2" "$1"
}
