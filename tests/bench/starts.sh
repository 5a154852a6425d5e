#!/bin/bash
# SPDX-License-Identifier: MIT
#
# starts.sh - processor time of a process under several builds of the library
#
# starts.sh STARTS ROUNDS LIBDFTRACE_PRELOAD...: untraced and with each library in turn;
# prints, in us, the least tenth of the rounds. Each library is copied before,
# as one that the linker has just written takes longer to map. $NODE is what
# `dftrace run` sets as DFTRACE_NODE.
set -e -u
starts=$(realpath "$1") rounds=$2
shift 2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
head -c 100000 /dev/urandom >"$place/data"
n=0
for library; do
    mkdir -p "$place/$((++n))"
    cat "$library" >"$place/$n/libdftrace_preload.so"
    sync "$place/$n/libdftrace_preload.so"
    dd if="$place/$n/libdftrace_preload.so" iflag=nocache count=0 2>/dev/null
    cat "$place/$n/libdftrace_preload.so" >/dev/null
done

# once KIND NUMBER: microseconds of a process; number 0 is untraced
once () {
    local with=() what
    case $1 in
    start) what=(exec 100 "$starts" once) ;;
    file) what=(exec 100 "$starts" once "$place/data") ;;
    two) what=(exec 100 /bin/sh -c 'exec /bin/true') ;;
    fork) what=(fork 300) ;;
    forkfile) what=(fork 300 "$place/data") ;;
    esac
    rm -rf "$place/job" && mkdir "$place/job"
    [ "$2" -eq 0 ] || with=(LD_PRELOAD="$place/$2/libdftrace_preload.so" DFTRACE_JOB_DIR="$place/job"
        DFTRACE_LAYERS=posix ${NODE:+DFTRACE_NODE="$NODE"})
    env "${with[@]}" "$starts" "${what[@]}" | cut -d' ' -f2 >>"$place/$1.$2"
}

for ((round = 0; round < rounds; round++)); do
    for kind in start file two fork forkfile; do
        for ((i = 0; i <= n; i++)); do
            once "$kind" $(((i + round) % (n + 1)))
        done
    done
done
for kind in start file two fork forkfile; do
    printf '%s' "$kind"
    for ((i = 0; i <= n; i++)); do
        sort -g "$place/$kind.$i" | awk '{ v[NR] = $1 } END { printf " %.0f", v[int ((NR + 9) / 10)] }'
    done
    echo
done
