# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# cluster-conf.sh - what a private Slurm reads (a part of cluster.sh)
#
# In:  DIR, HERE, NODES, CPUS, BUILD, PLUGIN, SITE, CONF, CGROUP, GRES, NODE_KEYS, EPILOG
# Out: DIR/slurm.conf, gres.conf, plugstack.conf, epilog.d/, cluster.env

# First of COUNT consecutive TCP ports nobody listens on, below the range
# from which the kernel gives out ephemeral ones.
free_ports() {
    local count=$1 base p try used
    used=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
        while read -r _ address _; do
            p=${address##*:}
            case $p in
            [0-9A-F][0-9A-F][0-9A-F][0-9A-F]) printf ' %d ' "0x$p" ;;
            esac
        done)
    for try in 1 2 3 4 5 6 7 8 9 10; do
        base=$((17000 + (RANDOM % 1400) * 10))
        for ((p = base; p < base + count; p++)); do
            case $used in
            *" $p "*) continue 2 ;;
            esac
        done
        echo $base
        return 0
    done
    fail_exit "no $count free ports after $try tries"
}

# Make BUILD a directory that the user can read: itself, or a copy of the few
# files that a cluster and its jobs need, at the same places.
reachable_build() {
    local f
    runuser -u "$USER_NAME" -- test -r "$BUILD/dftrace" && return 0
    for f in $BUILD_FILES; do
        [ -e "$BUILD/$f" ] || continue
        mkdir -p "$(dirname "$DIR/build/$f")" && cp "$BUILD/$f" "$DIR/build/$f" ||
            return 1
    done
    BUILD=$DIR/build
}

# Without --cgroup no daemon here uses cgroups. Where none are mounted, as in a container, slurmd does
# not start unless it is told so; before Slurm 24 it does not know the word, but looks
# for none if a version is named.
write_cgroup_conf() {
    local version
    version=$(slurmd -V | sed -n 's/^slurm[^0-9]*\([0-9]*\).*/\1/p')
    if [ -n "$CGROUP" ]; then
        echo "$CGROUP" >"$DIR/cgroup.conf"
    elif [ "${version:-0}" -ge 24 ]; then
        echo CgroupPlugin=disabled >"$DIR/cgroup.conf"
    elif ! grep -q ' cgroup2\? ' /proc/self/mounts; then
        echo CgroupPlugin=cgroup/v1 >"$DIR/cgroup.conf"
    fi
}

write_config() {
    local base i
    base=$(free_ports $((NODES + 1))) || exit 1
    {
        cat <<END
ClusterName=private
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$base
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$DIR/munge/socket
CredType=cred/munge
StateSaveLocation=$DIR/state
SlurmdSpoolDir=$DIR/spool-%n
TmpFS=$DIR/tmp-%n
SlurmctldPidFile=$DIR/run/slurmctld.pid
SlurmdPidFile=$DIR/run/%n.pid
SlurmctldLogFile=$DIR/log/slurmctld.log
SlurmdLogFile=$DIR/log/%n.log
SlurmctldDebug=info
SlurmdDebug=verbose
PlugStackConfig=$DIR/plugstack.conf
Epilog=$DIR/epilog.d/*
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$DIR/jobcomp.txt
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
CompleteWait=0
EpilogMsgTime=0
InactiveLimit=0
MessageTimeout=60
TCPTimeout=30
BatchStartTimeout=300
KillWait=2
MinJobAge=600
MaxArraySize=10001
PropagateResourceLimitsExcept=MEMLOCK
END
        for ((i = 1; i <= NODES; i++)); do
            echo "NodeName=n$i NodeHostname=localhost NodeAddr=127.0.0.1" \
                "Port=$((base + i)) CPUs=$CPUS $NODE_KEYS" \
                "${GRES:+Gres=$GRES}"
        done
        [ -z "$GRES" ] || echo "GresTypes=${GRES%%:*}"
        [ -z "$CONF" ] || printf '%s\n' "$CONF"
        echo "PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
    } >"$DIR/slurm.conf"
    write_cgroup_conf
    if [ -n "$GRES" ]; then # a count alone is taken for none: let there be files
        local type=${GRES#*:}
        [ "$type" != "${type%:*}" ] && type="Type=${type%:*}" || type=
        for ((i = 0; i < ${GRES##*:}; i++)); do : >"$DIR/${GRES%%:*}$i"; done
        echo "Name=${GRES%%:*} $type File=$DIR/${GRES%%:*}[0-$((i - 1))]" >"$DIR/gres.conf"
    fi
    if [ -n "$BUILD" ]; then
        reachable_build || exit 1
        PLUGIN="optional $BUILD/spank/.libs/dftrace.so"
        PLUGIN="$PLUGIN preload=$BUILD/preload/.libs/libdftrace_preload.so"
        PLUGIN="$PLUGIN python=$BUILD/python"
        PLUGIN="$PLUGIN command=$BUILD/dftrace recorder=$BUILD/dftrace-kernel conf=$DIR/dftrace.conf"
        PLUGIN="$PLUGIN state_dir=$DIR/marker $SITE"
        [ -e "$DIR/dftrace.conf" ] || echo "finish = epilog" >"$DIR/dftrace.conf"
    fi
    printf '%s\n' "$PLUGIN" >"$DIR/plugstack.conf"
    printf '%s=%q\n' NODES "$NODES" USER_NAME "$USER_NAME" BUILD "$BUILD" \
        >"$DIR/cluster.env"
}

write_epilog() {
    cat >"$DIR/epilog.d/10-seen" <<END
#!/bin/sh
# every epilog leaves a line, so that tests can wait for it
echo "\$SLURM_JOB_ID \${SLURMD_NODENAME:-unknown}" >>$DIR/log/epilog.seen
exit 0
END
    chmod 755 "$DIR/epilog.d/10-seen"
    if [ -n "$BUILD" ]; then
        cat >"$DIR/epilog.d/50-dftrace" <<END
#!/bin/sh
# the script that sites install, with this cluster's configuration
# jobs end when their epilogs have done all, so that tests need not wait
DFTRACE_EPILOG_WAIT=1h DFTRACE_EPILOG_CONF=$DIR/epilog.conf exec $HERE/../../etc/epilog.d/50-dftrace
END
        chmod 755 "$DIR/epilog.d/50-dftrace"
        printf '%s=%s\n' DFTRACE_BIN "$BUILD/dftrace" \
            DFTRACE_CONF "$DIR/dftrace.conf" DFTRACE_STATE_DIR "$DIR/marker" \
            >"$DIR/epilog.conf"
    fi
    if [ -n "$EPILOG" ]; then
        ln -sf "$(realpath -- "$EPILOG")" "$DIR/epilog.d/${EPILOG##*/}"
    fi
}
