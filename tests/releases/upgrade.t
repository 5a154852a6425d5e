#!/bin/bash
# SPDX-License-Identifier: MIT
#
# upgrade.t - Slurm goes to another release while traced jobs run
#
# In:  OLD_SLURM, NEW_SLURM: prefixes; $top_builddir, $new_builddir: builds of
#      ours for them; part of `make check-slurm`
#
# First slurmctld, then one slurmd after the other. Each release has its
# slurm.conf and its plugin, as nodes have their own /usr.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
[ -x "${OLD_SLURM:-/nothing}/sbin/slurmd" ] && [ -x "${NEW_SLURM:-/nothing}/sbin/slurmd" ] ||
    skip_all "OLD_SLURM and NEW_SLURM name no two Slurms"
PATH=$OLD_SLURM/bin:$OLD_SLURM/sbin:$PATH
. "$top_srcdir/tests/slurm/lib-cluster.sh"
new_path=$NEW_SLURM/bin:$NEW_SLURM/sbin:$PATH

cluster_start --nodes 2 --conf 'DebugFlags=NO_CONF_HASH'
logs=$home/dftrace
echo 'some data' >"$cluster/data"

# -- what is installed where the new release runs -----------------------

mkdir "$cluster/new"
cp "$new_builddir/spank/.libs/dftrace.so" "$cluster/new/dftrace.so"
sed "s,^optional [^ ]*,optional $cluster/new/dftrace.so," "$cluster/plugstack.conf" \
    >"$cluster/new/plugstack.conf"
sed "s,^PlugStackConfig=.*,PlugStackConfig=$cluster/new/plugstack.conf," \
    "$cluster/slurm.conf" >"$cluster/new/slurm.conf"
as_new() {
    PATH=$new_path SLURM_CONF=$cluster/new/slurm.conf "$@"
}
user_new() {
    (cd "$home" && as_new runuser -u dftester -- env HOME="$home" PATH="$new_path" \
        SLURM_CONF="$cluster/new/slurm.conf" "$@")
}

# ends PIDFILE: SIGTERM, and wait until it has ended
ended() {
    ! runs "$1"
}
ends() {
    local pid
    pid=$(cat "$1") && kill "$pid" && wait_for ended "$pid"
}
replace_slurmd() {
    ends "$cluster/run/$1.pid" &&
        as_new env -u LD_PRELOAD slurmd -N "$1" >>"$cluster/log/start.log" 2>&1 </dev/null &&
        wait_for test -s "$cluster/run/$1.pid"
}

# -- jobs -----------------------------------------------------------------

# Reads 10 bytes now, 10 in a step, and 20 more when it may go on: then srun is
# that of the file `now`.
cat >"$home/job" <<END
#!/bin/bash
cat $cluster/data
srun -n1 cat $cluster/data
: >ready.\$SLURM_JOB_NAME
until [ -e go.\$SLURM_JOB_NAME ]; do sleep 0.1; done
. ./now
cat $cluster/data
srun -n1 cat $cluster/data
END
chmod 755 "$home/job"
as_user touch "$home/now"

began() {
    as_user sbatch --parsable -o "$home/out.$1" -J "$1" -w "$2" --dftrace=posix ./job
}
bytes() {
    jq '[.processes[] | select (.exe | endswith ("cat")).read_bytes] | add' \
        "$logs/$1-$2/metrics.json" 2>/dev/null
}
# whole NAME ID BYTES: it completed, said what it read, and the trace has that.
whole() {
    local lines=$(($3 / 10))
    is "$(grep -h " Name=$1 " "$cluster/jobcomp.txt" | grep -o 'JobState=[A-Z]*' | sort -u)" \
        JobState=COMPLETED "$1: completed"
    is "$(grep -vc '^some data$' "$home/out.$1") $(grep -c '^some data$' "$home/out.$1")" \
        "0 $lines" "$1: its output is what it read, and nothing else"
    ok "$1: the epilog analyzed it" wait_for test -s "$logs/$1-$2/metrics.json"
    is "$(bytes "$1" "$2")" "$3" "$1: the trace has every byte"
    is "$(jq .health.complete "$logs/$1-$2/metrics.json" 2>/dev/null)" true "$1: nothing is lost"
}

from=$(slurmctld -V | cut -d ' ' -f 2)
to=$(as_new slurmctld -V | cut -d ' ' -f 2)
diag "Slurm $from to $to"
one=$(began one n1)
ok "a job runs under $from" wait_for test -e "$home/ready.one"

ok "slurmctld of $to takes over" eval \
    'ends "$cluster/run/slurmctld.pid" && as_new slurmctld >>"$cluster/log/start.log" 2>&1'
answers() {
    as_new scontrol ping 2>/dev/null | grep -q UP
}
ok "it answers" wait_for answers
two=$(began two n2)
ok "sbatch and slurmd of $from start a job" wait_for test -e "$home/ready.two"
is "$(user_new srun -J three -w n2 --overcommit --dftrace=posix cat "$cluster/data")" "some data" \
    "srun of $to on a slurmd of $from"

ok "n1: slurmd of $to takes over" replace_slurmd n1
ok "n2: slurmd of $to takes over" replace_slurmd n2
job_runs() {
    [ "$(as_new squeue -h -j "$1" -o %T)" = RUNNING ]
}
ok "the jobs still run" eval 'wait_for job_runs "$one" && wait_for job_runs "$two"'
printf 'export PATH=%q SLURM_CONF=%q\n' "$new_path" "$cluster/new/slurm.conf" >"$home/now"
: >"$home/go.one"
: >"$home/go.two"
PATH=$new_path SLURM_CONF=$cluster/new/slurm.conf
export PATH SLURM_CONF
ok "they end" eval 'wait_for job_gone "$one" && wait_for job_gone "$two"'
whole one "$one" 40
whole two "$two" 40

job=$(user_new sbatch --parsable -o "$home/out.four" -J four -N2 --dftrace=posix \
    --wrap "srun cat $cluster/data")
ok "a job of $to alone ends" wait_for job_gone "$job"
whole four "$job" 20
nodes_idle "nodes are idle"
is "$(sinfo -h -R -o %E)$(grep -ci drain "$cluster/log/slurmctld.log")" 0 "none ever drained"
is "$(find "$cluster/marker" -type f | wc -l)" 0 "no epilog has left a marker"

done_testing
