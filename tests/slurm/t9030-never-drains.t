#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9030-never-drains.t - whatever is wrong with us, jobs run and nodes stay

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

cluster_start --nodes 2
logs=$home/dftrace
echo 'some data' >"$cluster/data"

# job NAME WHAT: a two-node job ends well, the nodes are idle, and each node
# said at most one line of ours.
job_runs() {
    submit -J "$1" -N2 -n4 --dftrace=posix \
        --wrap "srun -l cat $cluster/data && echo good"
    is "$(tail -n 1 "$home/out")" good "$2: the job ends well"
    is "$(grep -c 'some data' "$home/out")" 4 "$2: every task did its work"
    nodes_idle "$2: nodes stay idle"
    is "$(scontrol show job "$job" | grep -o 'JobState=[A-Z]*')" \
        "JobState=COMPLETED" "$2: Slurm says so, too"
}

warnings() {
    grep -c "dftrace: .*running untraced" "$home/out"
}

# -- the preload library -----------------------------------------------

export DFTRACE_PRELOAD=$cluster/nothing.so
job_runs nolib "no preload library"
is "$(warnings)" 2 "no preload library: one warning per node"
like "$(cat "$home/out")" "$cluster/nothing.so: .*No such file" \
    "no preload library: the warning names it"
nok "no preload library: no directory" test -e "$logs/nolib-$job"
: >"$cluster/empty.so"
export DFTRACE_PRELOAD=$cluster/empty.so
job_runs empty "an empty preload library"
is "$(warnings)" 2 "an empty preload library: one warning per node"
unset DFTRACE_PRELOAD

# -- the log root ------------------------------------------------------

install -d -m 755 "$cluster/roots"
export DFTRACE_LOG_ROOT=$cluster/roots
job_runs unwritable "unwritable log root"
is "$(warnings)" 2 "unwritable log root: one warning per node"
like "$(cat "$home/out")" "DFTRACE_LOG_ROOT" \
    "unwritable log root: the warning says what to do"
unset DFTRACE_LOG_ROOT
mkdir "$cluster/victim" && chmod 777 "$cluster/victim"
export DFTRACE_JOB_DIR=$cluster/link
ln -s "$cluster/victim" "$cluster/link"
job_runs link "a symbolic link as job directory"
is "$(warnings)" 2 "a symbolic link: one warning per node"
is "$(ls -A "$cluster/victim")" "" "a symbolic link: not followed"
unset DFTRACE_JOB_DIR

# -- strict ------------------------------------------------------------

export DFTRACE_PRELOAD=$cluster/nothing.so
submit -J strict -N2 --dftrace=posix,strict,nobatch \
    --wrap "srun cat $cluster/data; echo status \$?"
is "$(grep -c "^status 1" "$home/out")" 1 "strict: the step fails"
is "$(grep -c 'some data' "$home/out")" 0 "strict: no task ran"
submit -J strictbatch --dftrace=posix,strict --wrap "cat $cluster/data"
is "$(cut -d : -f 1 "$home/out")" dftrace "strict: the batch script does not start"
is "$(scontrol show job "$job" | grep -o 'ExitCode=[0-9:]*')" ExitCode=1:0 \
    "strict: and the job fails"
nodes_idle "strict: nodes stay idle"
unset DFTRACE_PRELOAD

# -- the epilog --------------------------------------------------------

epilog() {
    printf '%s=%s\n' DFTRACE_BIN "$1" DFTRACE_STATE_DIR "$cluster/marker" \
        >"$cluster/epilog.conf"
}
good=$(sed -n 's/^DFTRACE_BIN=//p' "$cluster/epilog.conf")
epilog /bin/false
job_runs false "an epilog that fails"
epilog "$cluster/nothing"
job_runs gone "an epilog without a command"
echo 'syntax error (' >"$cluster/epilog.conf"
job_runs syntax "a site file that sh cannot read"
epilog "$good"

# a job directory that the epilog finds broken
submit -J broken -N2 --dftrace=posix --wrap \
    "srun cat $cluster/data; rm -rf \$DFTRACE_JOB_DIR/shards; echo good"
is "$(jq .health.complete "$logs/broken-$job/metrics.json")" false \
    "shards removed: the trace is not complete"
is "$(grep -c good "$home/out")" 1 "shards removed: the job ends well"
nodes_idle "shards removed: nodes stay idle"
submit -J fifo -N2 --dftrace=posix --wrap "srun cat $cluster/data; \
cd \$DFTRACE_JOB_DIR && mkfifo shards/n1-1-1.dft epilog.n1.log node.n2.json"
nodes_idle "FIFOs in its way: nodes stay idle"

# what a user puts into his directory must not be done as root
submit -J evil --dftrace=posix --wrap "srun cat $cluster/data; \
cd \$DFTRACE_JOB_DIR && ln -s $cluster/plugstack.conf epilog.n1.log; \
ln -s $cluster/pwned node.n1.json; ln -s $cluster/pwned trace.dft; \
ln -s $cluster/pwned metrics.json"
nok "links of the user: nothing is written through them" \
    test -e "$cluster/pwned"
is "$(grep -c dftrace.so "$cluster/plugstack.conf")" 1 \
    "links of the user: the file of root is as it was"

# a marker that is not of root
install -d -o dftester "$cluster/marker"
job_runs stranger "a state directory of somebody else"
nok "a state directory of somebody else: nothing is merged" \
    test -e "$logs/stranger-$job/metrics.json"
chown root "$cluster/marker"

# -- the site's words --------------------------------------------------

"$cluster_sh" stop "$cluster"
"$cluster_sh" start "$cluster" --nodes 2 --build "$top_builddir" \
    --site "log_rot=/x"
job_runs quick "an unknown site key"
ok "an unknown site key: traced all the same" \
    test -e "$logs/quick-$job/metrics.json"
ok "an unknown site key: slurmd says it" \
    grep -q 'log_rot: unknown key.*log_root' "$cluster/log/n1.log"

done_testing
