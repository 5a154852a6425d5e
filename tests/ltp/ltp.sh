#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# ltp.sh TREE [FAMILIES] - run the Linux Test Project's syscall tests untraced
# and traced; print those whose outcome differs
#
# TREE      a built tree of LTP (make in lib, libs, testcases/kernel/syscalls)
# FAMILIES  names of folders of testcases/kernel/syscalls, or "all"; the ones
#           of files, I/O, processes and signals without that
# DFTRACE   the command, DFTRACE_PRELOAD the library: as the tests have them
#
# The outcome is the exit status of a test and how many of its lines say TPASS,
# TFAIL, TBROK, TCONF and TWARN. One that differs is run again, three times each
# way: outcomes that have one in common change by themselves. Exit status: 1 if
# one differs.

tree=${1:?a built tree of LTP}
here=$(cd "$(dirname "$0")" && pwd)
library=${DFTRACE_PRELOAD:?the preload library}
limit=${LTP_SECONDS:-120} # for one run of one test
layers=${LTP_LAYERS:-posix,stdio,app}

if ! [ -d "$tree/testcases/kernel/syscalls" ] || ! [ -e "$tree/runtest/syscalls" ]; then
    echo "ltp: $tree: no tree of LTP: give the folder that has runtest/ and testcases/" >&2
    exit 2
fi
tree=$(cd "$tree" && pwd)
calls=$tree/testcases/kernel/syscalls
families=${2:-$(sed 's/#.*//' "$here/families.list")}
[ "$families" = all ] && families=$(cd "$calls" && echo */)

# Shorter, and on one file system where a test would take all there are.
export LTPROOT=$tree LTP_COLORIZE_OUTPUT=n KCONFIG_SKIP_CHECK=1 \
    LTP_RUNTIME_MUL=${LTP_RUNTIME_MUL:-0.1} LTP_SINGLE_FS_TYPE=${LTP_SINGLE_FS_TYPE:-ext4}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dftrace-ltp.XXXXXX") || exit 2
chmod 755 "$tmp"
export TMPDIR=$tmp/work
trap 'tidy; rm -rf "$tmp"' EXIT
plain=$PATH

# What a test that was killed has left mounted goes, too.
tidy ()
{
    local at
    while read -r _ at _; do
        case $at in "$tmp"/*) umount -l "$at" 2>/dev/null ;; esac
    done </proc/mounts
    rm -rf "$tmp/job" "$tmp/work"
}

# run HOW DIR COMMAND…: its status, output in $tmp/HOW.out
run ()
{
    local how=$1 dir=$2 status job=$tmp/job
    shift 2
    tidy
    mkdir -m 1777 "$job" "$tmp/work"
    # bash has a line of its own for who is killed
    {
        (
            cd "$dir" || exit 99
            [ "$how" = traced ] &&
                export DFTRACE_LAYERS=$layers DFTRACE_JOB_DIR=$job LD_PRELOAD=$library
            PATH=$dir:$tree/testcases/lib:$plain exec setsid timeout -k 5 "$limit" "$@"
        ) >"$tmp/$how.out" 2>&1 </dev/null
        status=$?
    } 2>/dev/null
    return $status
}

# outcome HOW DIR COMMAND…: as in 0,2TCONF,5TPASS
outcome ()
{
    local status
    run "$@"
    status=$?
    {
        echo "$status"
        grep -owaE 'T(PASS|FAIL|BROK|CONF|WARN)' "$tmp/$1.out" | sort | uniq -c | tr -d ' '
    } | xargs | tr ' ' ,
}

# settled HOW DIR COMMAND…: the outcomes of three runs, sorted
settled ()
{
    for _ in 1 2 3; do
        outcome "$@"
    done | sort -u | xargs
}

declare -A where
for family in $families; do
    for file in "$calls/${family%/}"/*; do
        [ -f "$file" ] && [ -x "$file" ] && where[${file##*/}]=$calls/${family%/}
    done
done

ran=0 differ=0 unsteady=0
while read -r name line; do
    # shellcheck disable=SC2086 # words, as LTP's own runner takes them
    set -- $line
    dir=${where[$1]-}
    [ -n "$dir" ] || continue
    ran=$((ran + 1))
    program=$1
    shift
    before=$(outcome untraced "$dir" "$dir/$program" "$@")
    after=$(outcome traced "$dir" "$dir/$program" "$@")
    [ "$before" = "$after" ] && continue
    before=$(settled untraced "$dir" "$dir/$program" "$@")
    after=$(settled traced "$dir" "$dir/$program" "$@")
    if [ -n "$(comm -12 <(tr ' ' '\n' <<<"$before" | sort) <(tr ' ' '\n' <<<"$after" | sort))" ]; then
        unsteady=$((unsteady + 1))
        echo "unsteady $name: untraced $before, traced $after"
    else
        differ=$((differ + 1))
        echo "DIFFERS $name: untraced $before, traced $after"
        grep -E 'TFAIL|TBROK|TCONF|Summary' "$tmp/traced.out" | head -n 5 | sed 's/^/    /'
    fi
done < <(sed 's/#.*//' "$tree/runtest/syscalls" | grep '[a-z]')
echo "ltp: $ran tests, $differ differ, $unsteady change by themselves"
[ "$ran" -gt 0 ] && [ "$differ" = 0 ]
