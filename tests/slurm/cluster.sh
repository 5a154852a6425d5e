#!/bin/bash
# SPDX-License-Identifier: MIT
#
# cluster.sh - a private Slurm on this host: munged, slurmctld, slurmds
#
# In:  a directory; nothing outside it is read or written, no systemd
# Out: DIR/slurm.conf, DIR/plugstack.conf, DIR/epilog.d/, DIR/log/, DIR/home/
# Caveat: root only; makes the unprivileged user who submits if need be.

set -u
PATH=$PATH:/usr/sbin:/sbin

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/slurm/cluster-conf.sh
. "$HERE/cluster-conf.sh"
NODES=3
CPUS=2
USER_NAME=dftester
PLUGIN=
EPILOG=
BUILD=
BUILD_FILES="dftrace spank/.libs/dftrace.so
    preload/.libs/libdftrace_preload.so
    etc/examples/minigpt/minigpt etc/examples/minigpt/mkcorpus"
SITE=
CONF=
CGROUP=
GRES=
NODE_KEYS="RealMemory=1000"
START_SECONDS=180 # a loaded machine needs ten, or more
STOP_SECONDS=5   # for jobs to end, then for daemons; what is left is killed
KILL_SECONDS=180 # for what was killed to be gone; a loaded machine needs ten

usage() {
    cat <<END
Usage: cluster.sh start  DIR [OPTION…]   start, wait until every node is idle
       cluster.sh stop   DIR             cancel jobs, end every process of it
       cluster.sh status DIR             nodes and jobs; exit 0 when it runs
       cluster.sh run    DIR CMD …       run CMD as the unprivileged user
       cluster.sh kill   DIR NODE        as if its power had failed: slurmd, steps
                                         and what jobs run on it
       cluster.sh revive DIR NODE        start its slurmd again
       cluster.sh user   add|remove      make or remove that user

Options of start
  --nodes N      nodes n1 … nN ($NODES)
  --cpus N       CPUs each node claims to have ($CPUS)
  --user NAME    who submits ($USER_NAME)
  --plugin LINE  line of plugstack.conf, e.g. "optional /x/dftrace.so layers=off"
  --epilog FILE  script to link into DIR/epilog.d
  --build DIR    plugin, preload library, command and epilog of this build
                 tree; of a copy in DIR/build when the user cannot reach it
  --site KEYS    with --build: more key=value words for the plugin
  --conf LINES   more lines of slurm.conf
  --cgroup LINES cgroup.conf
  --gres GRES    what each node claims to have besides: gpu:4, gpu:H100:4
  --node KEYS    what else each node's line says ($NODE_KEYS)

Example
  cluster.sh start /tmp/c1 --nodes 2
  cluster.sh run /tmp/c1 srun -N2 hostname
  cluster.sh stop /tmp/c1
END
}

say() {
    printf 'cluster.sh: %s\n' "$*" >&2
}

fail_exit() {
    say "$*"
    exit 1
}

need_root() {
    [ "$(id -u)" = 0 ] ||
        fail_exit "must run as root: slurmd changes user; use sudo"
}

need_programs() {
    local p missing=
    for p in munged slurmctld slurmd sinfo squeue scancel runuser useradd; do
        command -v $p >/dev/null || missing="$missing $p"
    done
    [ -z "$missing" ] ||
        fail_exit "missing:$missing: apt-get install slurm-wlm munge"
}

# Sets DIR (absolute) and the variables of a cluster that was started in it.
set_dir() {
    DIR=$(realpath -m -- "$1")
    case $DIR in
    *[[:space:]]* | *\#*) fail_exit "$DIR: blanks and # break slurm.conf" ;;
    esac
    export SLURM_CONF=$DIR/slurm.conf
    if [ -r "$DIR/cluster.env" ]; then
        # shellcheck disable=SC1091 # written by start
        . "$DIR/cluster.env"
    fi
}

add_user() {
    # one at a time: two that add the same name at once may both do so, and the second
    # one's uid remains, of which the first one's files are not
    (
        flock 9 &&
            { id "$USER_NAME" >/dev/null 2>&1 ||
                useradd --no-create-home --home-dir /nonexistent --shell /bin/bash "$USER_NAME"; }
    ) 9>/run/dftrace-tests-user.lock || fail_exit "cannot make the user $USER_NAME"
}

make_dirs() {
    local i
    umask 022
    mkdir -p "$DIR" || exit 1
    chmod 755 "$DIR"
    mkdir -p "$DIR"/{munge,run,log,state,epilog.d,home}
    for ((i = 1; i <= NODES; i++)); do
        # Slurm names directories of a step of PMIx by user, job and step only
        mkdir -p "$DIR/spool-n$i" "$DIR/tmp-n$i"
        chmod 1777 "$DIR/tmp-n$i"
    done
    chown "$USER_NAME": "$DIR/home"
    runuser -u "$USER_NAME" -- test -x "$DIR/home" ||
        fail_exit "$DIR: $USER_NAME cannot reach it: choose a directory" \
            "whose parents all are mode o+x (not under /root)"
}

start_daemons() {
    local i
    (umask 077 && head -c 1024 /dev/urandom >"$DIR/munge/key") || exit 1
    munged --force --key-file="$DIR/munge/key" --socket="$DIR/munge/socket" \
        --pid-file="$DIR/munge/pid" --log-file="$DIR/munge/log" \
        --seed-file="$DIR/munge/seed" 2>>"$DIR/log/start.log" ||
        fail_exit "munged did not start: see $DIR/log/start.log"
    slurmctld -c >>"$DIR/log/start.log" 2>&1 </dev/null ||
        fail_exit "slurmctld did not start: see $DIR/log/start.log"
    for ((i = 1; i <= NODES; i++)); do
        slurmd -N "n$i" >>"$DIR/log/start.log" 2>&1 </dev/null ||
            fail_exit "slurmd of n$i did not start: see $DIR/log/start.log"
    done
}

idle_nodes() {
    sinfo -h -N -o '%N %T' 2>/dev/null | sort -u | grep -cE ' (idle|planned)$'
}

wait_idle() {
    local end=$((SECONDS + START_SECONDS))
    while [ "$(idle_nodes)" != "$NODES" ]; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

start() {
    need_root
    need_programs
    add_user
    if running && wait_idle; then
        return 0
    fi
    stop
    make_dirs
    write_config
    write_epilog
    (
        # daemons as at boot: nothing of this shell reaches jobs or epilogs
        while read -r variable; do
            case $variable in
            PATH | SLURM_CONF) ;;
            *) unset "$variable" 2>/dev/null ;;
            esac
        done < <(compgen -e)
        start_daemons
    ) || exit 1
    wait_idle || {
        sinfo -N -l >&2
        stop
        fail_exit "nodes not idle after $START_SECONDS s: see $DIR/log"
    }
}

# members NODE FIND-TEST…: process ids that belong to this cluster and nobody else: its
# daemons have a file open that find finds; what its jobs left has this SLURM_CONF and a
# node name that matches. Two programs look at all processes, however many: where the
# first process waits for nobody, as in a container, ended ones remain: over a thousand.
members() {
    local path pid comm
    while read -r path; do
        pid=${path#/proc/}
        pid=${pid%%/*}
        read -r comm 2>/dev/null <"/proc/$pid/comm" || continue
        case $comm:$path in
        munged:*/fd/* | slurmctld:*/fd/* | slurmd:*/fd/* | slurmstepd:*/fd/*) echo "$pid" ;;
        munged:* | slurmctld:* | slurmd:* | slurmstepd:* | *:*/fd/*) ;;
        *) grep -szqx "SLURMD_NODENAME=$1" "$path" && echo "$pid" ;;
        esac
    done < <(
        find /proc/[0-9]*/fd \( "${@:2}" \) 2>/dev/null
        grep -lszxF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ
    ) | sort -u
}

# end_members SECONDS NODE FIND-TEST…: kill them, after some seconds with SIGKILL.
end_members() {
    local kill=$((SECONDS + $1)) end=$((SECONDS + KILL_SECONDS)) pids signal=TERM
    while pids=$(members "${@:2}") && [ -n "$pids" ]; do
        [ $SECONDS -lt $kill ] || signal=KILL
        # shellcheck disable=SC2086 # one word per process
        kill -$signal $pids 2>/dev/null
        [ $SECONDS -lt $end ] || fail_exit "does not die:" "$pids"
        sleep 0.1
    done
}

kill_node() {
    [ -d "$DIR/spool-$1" ] || fail_exit "$1: no such node"
    end_members 0 "$1" -lname "$DIR/spool-$1/*" -o -lname "$DIR/log/$1.log" \
        -o -lname "$DIR/run/$1.pid"
}

revive_node() {
    [ -d "$DIR/spool-$1" ] || fail_exit "$1: no such node"
    env -i PATH="$PATH" SLURM_CONF="$SLURM_CONF" slurmd -N "$1" \
        >>"$DIR/log/start.log" 2>&1 </dev/null
}

running() {
    [ -r "$DIR/run/slurmctld.pid" ] && scontrol ping 2>/dev/null | grep -q UP
}

stop() {
    local end=$((SECONDS + STOP_SECONDS))
    [ -d "$DIR" ] || return 0
    if running; then
        scancel --state=PENDING,RUNNING,SUSPENDED 2>/dev/null
        while squeue -h 2>/dev/null | grep -q . && [ $SECONDS -lt $end ]; do
            sleep 0.1
        done
    fi
    end_members $STOP_SECONDS '.*' -lname "$DIR/*"
    rm -rf "$DIR/marker" "$DIR/state" "$DIR/run" "$DIR/munge" "$DIR"/spool-n*
}

status() {
    running || {
        echo "no cluster in $DIR"
        return 1
    }
    sinfo -N -l
    squeue -o '%.12i %.9T %.20j %.10M %R'
}

run() {
    cd "$DIR/home" || exit 1
    [ -z "$BUILD" ] || PATH=$BUILD:$BUILD/etc/examples/minigpt:$PATH
    exec runuser -u "$USER_NAME" -- env HOME="$DIR/home" \
        PATH="$PATH" USER="$USER_NAME" LOGNAME="$USER_NAME" SLURM_CONF="$SLURM_CONF" "$@"
}

start_options() {
    while [ $# -gt 0 ]; do
        [ $# -ge 2 ] || fail_exit "$1: no value: see cluster.sh --help"
        case $1 in
        --nodes) NODES=$2 ;;
        --cpus) CPUS=$2 ;;
        --user) USER_NAME=$2 ;;
        --plugin) PLUGIN=$2 ;;
        --epilog) EPILOG=$2 ;;
        --build) BUILD=$(realpath -- "$2") || exit 1 ;;
        --site) SITE=$2 ;;
        --conf) CONF=$2 ;;
        --cgroup) CGROUP=$2 ;;
        --gres) GRES=$2 ;;
        --node) NODE_KEYS=$2 ;;
        *) fail_exit "$1: no such option: see cluster.sh --help" ;;
        esac
        shift 2
    done
    case $NODES$CPUS in
    *[!0-9]*) fail_exit "--nodes, --cpus: not a number" ;;
    esac
}

case ${1-} in
start | stop | status | run | kill | revive)
    [ $# -ge 2 ] || fail_exit "$1: no directory: see cluster.sh --help"
    verb=$1
    set_dir "$2"
    shift 2
    case $verb in
    start) start_options "$@" && start ;;
    stop) need_root && stop ;;
    status) status ;;
    run) need_root && run "$@" ;;
    kill) need_root && kill_node "${1-}" ;;
    revive) need_root && revive_node "${1-}" ;;
    esac
    ;;
user)
    need_root
    case ${2-} in
    add) add_user ;;
    remove) userdel "$USER_NAME" ;;
    *) fail_exit "user: add or remove" ;;
    esac
    ;;
-h | --help)
    usage
    ;;
*)
    usage >&2
    exit 2
    ;;
esac
