#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9000-cluster.t - the private Slurm itself: starts, runs jobs, leaves nothing

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

exits 2 "no verb" "$cluster_sh"
exits 1 "no such option" "$cluster_sh" start "$cluster" --nodez 2
exits 1 "a directory Slurm cannot name" "$cluster_sh" start "$tmp/a b"
ok "the user" "$cluster_sh" user add
exits 1 "not root" runuser -u dftester -- bash "$cluster_sh" start "$cluster"
like "$(cat "$tmp/err")" "must run as root" "says so"
mkdir -m 700 "$tmp/closed"
exits 1 "a directory that the user cannot reach" \
    "$cluster_sh" start "$tmp/closed/c"
like "$(cat "$tmp/err")" "cannot reach" "says so"

cluster_start --nodes 2
nodes_idle "nodes are idle"
is "$(as_user srun -N2 id -un | sort -u)" dftester "steps run as the user"
is "$(as_user srun -N2 printenv SLURMD_NODENAME | sort | xargs)" "n1 n2" \
    "on both nodes"
is "$(as_user scontrol show config | awk '$1 == "TmpFS" { print $3 }')" "$cluster/tmp-%n" \
    "what Slurm makes for PMIx is not in the way of another cluster's"
pid=$(cat "$cluster/run/slurmctld.pid")
ok "a second start" "$cluster_sh" start "$cluster"
is "$(cat "$cluster/run/slurmctld.pid")" "$pid" "changes nothing"

# a job that does not want to end
sleep="sleep 9731.$$" # nobody else's
as_user sbatch -o /dev/null --wrap \
    "srun bash -c 'trap : TERM; setsid $sleep & wait; wait'" >/dev/null
ok "a job that does not want to end" wait_for pgrep -fx "$sleep"
ok "stop" "$cluster_sh" stop "$cluster"
nok "no process of a job is left" pgrep -fx "$sleep"
is "$(pgrep -a 'slurm|munge' | grep -cF "$cluster")" 0 "no daemon is left"
exits 1 "status says that nothing runs" "$cluster_sh" status "$cluster"
if command -v strace perl >/dev/null; then
    # 1,300 of them were left where the first process of a container waits for nobody
    perl -e 'fork || exit for 1 .. 300; sleep 600' &
    ok "stop again, among ended processes" strace -f -qq -e trace=execve -o "$tmp/execs" \
        "$cluster_sh" stop "$cluster"
    kill $!
    cmp_num "$(grep -c 'execve(' "$tmp/execs")" -lt 300 "does not start a program for each of them"
else
    skip "no strace or perl" "stop does not start a program for each process"
fi

done_testing
