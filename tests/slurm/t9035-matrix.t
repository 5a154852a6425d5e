#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9035-matrix.t - traced or not, a job ends alike, and no node drains
#
# Each row of a table is a command. It runs as it is and, with --dftrace=OPTION
# in the place of @, traced; exit status and output must be the same. Rows of a
# table run at the same time. Every job has an extern step, a TaskProlog and a
# TaskEpilog.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

AT_ONCE=16 # they mostly wait

printf '#!/bin/sh\necho "export FROM_PROLOG=prolog"\n' >"$tmp/taskprolog"
printf '#!/bin/sh\n[ -z "$LD_PRELOAD" ] || echo TaskEpilog is traced\n' \
    >"$tmp/taskepilog"
chmod 755 "$tmp/taskprolog" "$tmp/taskepilog"
# A requeued job starts when its old credential is no longer valid. That is late enough
# for a busy machine, on which a step must start with it. Two nodes are for those that
# give way to urgent ones.
cluster_start --nodes 5 --cpus 32 --conf "PrologFlags=Contain
TaskProlog=$tmp/taskprolog
TaskEpilog=$tmp/taskepilog
AuthInfo=socket=$cluster/munge/socket,cred_expire=20
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=low Nodes=n[4-5] State=UP
PartitionName=urgent Nodes=n[4-5] PriorityTier=10 PreemptMode=off State=UP"
scontrol update PartitionName=debug "Nodes=n[1-3]"
good_line=$(cat "$cluster/plugstack.conf")
logs=$home/dftrace

# -- what jobs run -----------------------------------------------------

data=$cluster/data
echo 'some data' >"$data"
file() {
    cat >"$home/$1"
    chmod 755 "$home/$1"
}
file read <<END
#!/bin/sh
cat $data
END
file fail3 <<END
#!/bin/sh
cat $data
exit 3
END
file segv <<END
#!/bin/sh
cat $data
kill -SEGV \$\$
END
file term <<END
#!/bin/sh
kill -TERM \$\$
END
file limited <<END
#!/bin/bash
ulimit -f 1
cat $data
END
file few <<END
#!/bin/bash
ulimit -n 8
cat $data
END
file small <<END
#!/bin/bash
ulimit -v 60000
cat $data
END
file closed <<END
#!/bin/bash
exec 0<&- 2>&-
cat $data
END
file prolog <<END
#!/bin/sh
echo "\$FROM_PROLOG"
END
file steps <<END
#!/bin/bash
srun --overlap -N1 -n1 ./read & srun --overlap -N1 -n1 ./fail3
echo "\$?"
wait
srun --dftrace=off -N1 -n1 ./read
srun -N1 -n1 --export=NONE ./read
END
file het <<END
#!/bin/bash
#SBATCH -N1
#SBATCH hetjob
#SBATCH -N1
srun --het-group=0 ./read
srun --het-group=0,1 ./read
END
file mpi <<END
#!/bin/bash
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,tcp
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
# Who ends removes ompi.HOST.UID while another one makes its directory in it.
export OMPI_MCA_orte_tmpdir_base=\$(mktemp -d -p "$home")
mpirun -n 2 ./read
END
# sbatch --wait of Slurm 26.05 may answer when a job is requeued
file whole <<'END'
#!/bin/bash
job=$(sbatch --parsable "$@") || exit
[ -n "$job" ] || exit 99
until squeue -h -t all -j "$job" -o %T | grep -qxE 'COMPLETED|FAILED|CANCELLED'; do sleep 0.2; done
exit "$(scontrol show job "$job" | sed -n 's/.* ExitCode=\([0-9]*\):.*/\1/p')"
END
# sbatch --wait may answer before the exit code of a cancelled job is known
file cancelled <<END
#!/bin/bash
job=\$(sbatch --parsable -o "\$@" \
    --wrap 'cat $data; scancel \$SLURM_JOB_ID; exec sleep 600')
until [ "\$(squeue -h -t all -j "\$job" -o %T)" = CANCELLED ]; do sleep 0.2; done
scontrol show job "\$job" | grep -o 'ExitCode=[0-9:]*'
END
file arrayfail <<END
#!/bin/bash
srun ./read
exit \$SLURM_ARRAY_TASK_ID
END
# begins anew, by its own wish or because somebody is more urgent
for way in 'scontrol requeue $SLURM_JOB_ID' \
    'sbatch -Q -o /dev/null -p urgent -w $SLURMD_NODENAME --exclusive --wrap true'; do
    file "${way%% *}" <<END
#!/bin/bash
srun ./read
if [ -z "\$SLURM_RESTART_COUNT" ]; then
    $way
    exec sleep 600
fi
echo "life \$SLURM_RESTART_COUNT"
srun ./fail3
END
done
mv "$home/scontrol" "$home/requeued"
mv "$home/sbatch" "$home/preempted"
printf '\177ELF' >"$cluster/stub.so"
: >"$cluster/empty.so"
install -d -m 755 "$cluster/roots"
ln -s "$cluster/roots" "$cluster/link"
long=$(printf '%20000s' '' | tr ' ' x)
export long

full=$cluster/full ro=$cluster/ro
mkdir "$full" "$ro"
if mount -t tmpfs -o size=32k,mode=1777 tmpfs "$full" 2>/dev/null; then
    at_exit "umount -l '$full'"
    head -c 64k /dev/zero >"$full/filled" 2>/dev/null
    mount -t tmpfs -o ro tmpfs "$ro" && at_exit "umount -l '$ro'"
else
    diag "no mounts here: cases with a full and a read-only disk do less"
fi

# -- the machine -------------------------------------------------------

S="sbatch --wait -Q -o %OUT%"
cases=0

# as_user without waiting for anybody: output and status of row $1.
run_row() {
    local key=$1 command=${2//%OUT%/$home/$1.out}
    as_user bash -c "$command" >"$tmp/$key.std" 2>"$tmp/$key.err" </dev/null
    echo $? >"$tmp/$key.status"
    # what a task says of us is for the user, not for comparison
    cat "$tmp/$key.std" "$home/$key".out* 2>/dev/null |
        grep -vE '^dftrace: .*(running untraced$|left no trace: )|^srun: (Job|Step) |^slurmstepd|^\[[-0-9T:.]+\] error: \*\*\* ' |
        sed 's/error: n[0-9]:/error: NODE:/' | sort >"$tmp/$key.text"
}

# table: rows NAME|OPTION|COMMAND from standard input, all at once.
table() {
    local name option command untraced n=0 key
    local -a names=() keys=() plain=()
    local -A seen=()
    while IFS='|' read -r name option command; do
        [ -n "$name" ] || continue
        key=r$((cases += 1))
        names+=("$name") keys+=("$key")
        while [ "$(jobs -rp | wc -l)" -ge $AT_ONCE ]; do wait -n; done
        untraced=$(sed -E 's/DFTRACE_[A-Z_]+=[^ ]+ //; s/@ ?//' <<<"$command")
        if [ -z "${seen[$untraced]-}" ]; then
            seen[$untraced]=p$key
            run_row "p$key" "$untraced" &
        fi
        plain+=("${seen[$untraced]}")
        while [ "$(jobs -rp | wc -l)" -ge $AT_ONCE ]; do wait -n; done
        run_row "$key" "${command//@/--dftrace=$option}" &
    done
    wait
    for ((n = 0; n < ${#names[@]}; n++)); do
        is "$(cat "$tmp/${keys[n]}.status" "$tmp/${keys[n]}.text")" \
            "$(cat "$tmp/${plain[n]}.status" "$tmp/${plain[n]}.text")" \
            "${names[n]}: ends and says as untraced"
    done
}

nodes_fine() {
    nodes_idle "$1: nodes are idle"
    is "$(sinfo -h -R -o %E)" "" "$1: no node has a reason to be down"
    is "$(grep -ciE 'drain' "$cluster/log/slurmctld.log")" 0 \
        "$1: none ever drained"
}

# -- good installation -------------------------------------------------

if command -v mpirun >/dev/null; then
    mpi="mpirun|posix|$S @ -n2 ./mpi
mpirun, steps only|posix,nobatch|$S @ -n2 ./mpi"
else
    diag "no mpirun here"
    mpi=
fi
table <<END
sbatch, requeued|posix|./whole -o %OUT% @ --requeue --open-mode=append ./requeued
sbatch, preempted|posix|./whole -o %OUT% @ --requeue --open-mode=append -p low --exclusive ./preempted
srun|posix|srun @ ./read
srun, exit 3|posix|srun @ ./fail3
srun, SIGSEGV|posix|srun @ ./segv
srun, SIGTERM|posix,app|srun @ ./term
srun, no such program|posix|srun @ ./nothing
srun, all layers|posix,app,mmap,nobatch,strict|srun @ ./read
srun, off|off|srun @ ./read
srun, nostdio|posix,nostdio|srun @ ./read
srun, settings|posix,job_dir=$home/d/%x-%j,max_bytes=64K,min_size=1K|srun @ ./read
srun, three nodes|posix|srun @ -N3 -n6 ./read
srun, one of many fails|posix|srun @ -N3 -n3 -K0 bash -c 'exit \$SLURM_PROCID'
srun --export=NONE|posix|srun @ --export=NONE ./read
srun --export=VAR|posix|srun @ --export=HOME ./read
srun, TaskProlog|posix,app|srun @ ./prolog
srun --task-prolog|posix|srun @ --task-prolog=$tmp/taskprolog ./prolog
srun, het|posix|srun @ -n1 ./read : -n1 ./read
srun, LD_PRELOAD of its own|posix|LD_PRELOAD=libm.so.6 srun @ ./read
srun, endless LD_PRELOAD|posix|LD_PRELOAD=\$long srun @ ./prolog 2>&-
srun, file size limit|posix|srun @ ./limited
srun, 8 descriptors|posix|srun @ ./few
srun, little memory|posix|srun @ ./small
srun, closed descriptors|posix|srun @ ./closed
srun, setuid program|posix|srun @ su --version
sbatch|posix,nobatch|$S @ --wrap 'srun ./read'
sbatch, exit 3|posix|$S @ --wrap 'srun ./fail3'
sbatch, SIGSEGV|posix|$S @ --wrap ./segv
sbatch, no step|posix|$S @ --wrap ./read
sbatch, no step, exit 3|posix|$S @ ./fail3
sbatch, no step, SIGSEGV, nobatch|posix,nobatch|$S @ ./segv
sbatch, off|off|$S @ --wrap ./read
sbatch --export=NONE|posix,app|$S @ --export=NONE --wrap 'srun ./read'
sbatch --export=VAR|posix,app|$S @ --export=HOME --wrap 'srun ./read'
sbatch, steps: overlap, off, failing|posix|$S @ -n4 ./steps
sbatch, array|posix|sbatch --wait -Q -o /dev/null @ --array=0-3 --wrap 'srun ./read'
sbatch, array with failures|posix,nobatch|sbatch --wait -Q -o /dev/null @ --array=0-3%2 ./arrayfail
sbatch, het|posix|$S @ ./het
sbatch, cancelled|posix|./cancelled %OUT% @
srun, time limit of a step|posix|srun @ -t 1 --kill-on-bad-exit=1 ./read
sbatch, job in a job|posix|$S @ --wrap 'sbatch --wait -Q -o /dev/null ./fail3; echo \$?'
salloc|posix|salloc -Q @ srun ./read
salloc, exit 3|posix|salloc -Q @ srun ./fail3
salloc, batch|posix,batch|salloc -Q @ ./read
salloc, two steps|posix|salloc -Q @ -n2 bash -c 'srun -n1 ./read; srun -n2 ./fail3'
$mpi
END
is "$(cat "$tmp"/{,p}r[12].text | grep -v '^srun: ' | sort | uniq -c | xargs)" \
    "4 life 1 12 some data" "requeued and preempted jobs have two lives"
traced=$(find "$logs" -name job.json 2>/dev/null | wc -l)
cmp_num "$traced" -ge 25 "most of these jobs were traced ($traced)"
nodes_fine "good installation"

# -- what can be wrong -------------------------------------------------

table <<END
no library|posix|DFTRACE_PRELOAD=/nothing.so srun @ ./read
no library, TaskProlog|posix|DFTRACE_PRELOAD=/nothing.so srun @ ./prolog
no library, batch|posix,batch|DFTRACE_PRELOAD=/nothing.so $S @ ./fail3
no library, salloc|posix|DFTRACE_PRELOAD=/nothing.so salloc -Q @ srun ./read
empty library|posix|DFTRACE_PRELOAD=$cluster/empty.so srun @ ./read
library with a colon|posix|DFTRACE_PRELOAD=/a:/b srun @ ./read
log root not writable|posix,log_root=$cluster/roots|srun @ ./read
log root not writable, array|posix,log_root=$cluster/roots|sbatch --wait -Q -o /dev/null @ --array=0-2 ./arrayfail
log root is a file|posix,log_root=$data|$S @ --wrap 'srun ./read'
log root relative|posix,log_root=here|srun @ ./read
log root unknown letter|posix,log_root=/x/%y|srun @ ./read
job directory a link|posix,job_dir=$cluster/link|srun @ ./read
job directory of root|posix,job_dir=$cluster/roots|$S @ -N2 --wrap 'srun ./fail3'
stage not writable|posix,stage=$cluster/roots|srun @ ./read
disk full|posix,log_root=$full|srun @ -n4 ./read
disk full, batch|posix,batch,log_root=$full|$S @ ./fail3
read-only disk|posix,log_root=$ro|srun @ ./read
bad variable|posix|DFTRACE_CHUNK=lots srun @ ./read
bad variable, sbatch|posix,app|DFTRACE_MAX_BYTES=-1 $S @ --wrap 'srun ./fail3'
END
nodes_fine "what users get wrong"

# -- what admins can get wrong -----------------------------------------

# site LINE TABLE-NAME: the same rows with another plugstack.conf.
site() {
    printf '%s\n' "$1" >"$cluster/plugstack.conf"
    table <<END
$2: srun|posix|srun @ ./read
$2: sbatch, exit 3|posix|$S @ --wrap 'srun ./fail3'
END
}
site "$good_line conf=/nothing.conf" "no site file"
printf 'rule = x\nlayers = y\n\001\377\n' >"$cluster/bad.conf"
site "$good_line conf=$cluster/bad.conf" "site file broken"
site "$good_line state_dir=/proc/none" "state_dir impossible"
site "$good_line
$good_line" "plugin listed twice"
site "required ${good_line#* } sample=x" "required, with a bad key"
site "$good_line
optional $cluster/stub.so" "another plugin broken"
nodes_fine "what admins get wrong"

# -- epilogs -----------------------------------------------------------

printf '%s\n' "$good_line" >"$cluster/plugstack.conf"
printf 'DFTRACE_BIN=/bin/false\n' >"$cluster/epilog.conf"
table <<END
epilog fails|posix|$S @ -N3 --wrap 'srun ./read'
epilog fails, exit 3|posix|srun @ ./fail3
END
printf 'exit 9 (\n' >"$cluster/epilog.conf"
table <<END
epilog file broken|posix|$S @ --wrap 'srun ./read'
END
nodes_fine "epilogs"

cmp_num $cases -ge 40 "$cases cases"
done_testing
