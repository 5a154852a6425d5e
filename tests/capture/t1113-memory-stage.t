#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1113-memory-stage.t - a trace that is staged in a file system in memory does
# not bring a job to its memory limit: there it is not used

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

[ "$(id -u)" = 0 ] || skip_all "only root can limit memory"
[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip_all "/dev/shm is not in memory"
[[ $(stat -f -c %T "$tmp") != @(tmpfs|overlayfs) ]] || skip_all "$tmp is, or may be, in memory: a job directory there counts, too"

# A cgroup with a limit of 40 MiB, of either version.
limit=$((40 << 20))
name=dftrace-test-$$
if [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
    group=/sys/fs/cgroup/memory/$name
    mkdir "$group" 2>/dev/null && echo $limit 2>/dev/null >"$group/memory.limit_in_bytes" ||
        skip_all "no cgroup can be made here"
    echo 0 2>/dev/null >"$group/memory.swappiness" || :
else
    group=/sys/fs/cgroup/$name
    mkdir "$group" 2>/dev/null && echo $limit 2>/dev/null >"$group/memory.max" ||
        { rmdir "$group" 2>/dev/null; skip_all "no cgroup can be made here"; }
    echo 0 2>/dev/null >"$group/memory.swap.max" || :
fi
stage=$(mktemp -d /dev/shm/dftrace-test.XXXXXX)
at_exit "rm -rf $stage"
at_exit "rmdir $group"

head -c 200000 /dev/urandom >"$tmp/file"
mkdir -p "$tmp/job"
# limited COMMAND…: in the cgroup; it goes before its memory is counted elsewhere
limited () { sh -c "echo \$\$ >$group/cgroup.procs && exec \"\$@\"" sh "$@"; }

limited true 2>/dev/null || skip_all "no process can be put there"
# killed: processes that the kernel killed in the cgroup for want of memory
killed () { sed -n 's/^oom_kill //p' "$group/memory.oom_control" "$group/memory.events" 2>/dev/null; }
reads () {
    "$dftrace" analyze --no-write -f csv --view metric "$job" 2>/dev/null |
        sed -n 's/^read_count,//p' | cut -d, -f1
}
needs=$((limit - (4 << 20))) # the rest is libc, the library, the stack, a mapped chunk
job=$tmp/job

ok "untraced, the program needs nearly all of its limit" \
    limited "$victims/odd/preads" "$tmp/file" 1000000 $needs
before=$(killed)
nok "with more than its limit it ends" limited "$victims/odd/preads" "$tmp/file" 1 $((limit + (1 << 20)))
cmp_num "$(killed)" -gt "$before" "killed by the kernel, by its own count"
before=$(killed)
status=0
limited env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$job" DFTRACE_STAGE="$stage/trace" \
    LD_PRELOAD="$library" "$victims/odd/preads" "$tmp/file" 1000000 $needs 2>"$tmp/err" || status=$?
is "$status" 0 "traced, staged in memory: it ends as untraced"
is "$(killed)" "$before" "and the kernel killed nothing"
is "$(find "$stage" -name '*.dft')" "" "nothing of the trace is in memory"
is "$(reads)" 1000000 "but in the job directory, each of them"

# Other machines, by what they show of their cgroups.
holds () { cat "$1"/shards/*.dft 2>/dev/null | grep -q "$tmp/file"; }
# machine NAME PLACE COMMANDS: where the trace of cat goes, which starts after COMMANDS
machine () {
    local place=nowhere
    job=$tmp/machine
    rm -rf "$job" "$stage/trace"
    unshare -m sh -c "mount --make-rprivate / && mount -t tmpfs none /sys/fs/cgroup &&
        cd /sys/fs/cgroup && $3" 2>/dev/null ||
        { skip "no mounts here" "$1"; return; }
    unshare -m sh -c "mount --make-rprivate / && mount -t tmpfs none /sys/fs/cgroup &&
        cd /sys/fs/cgroup && $3 && exec \"\$@\"" sh "${@:4}" env DFTRACE_LAYERS=posix \
        DFTRACE_JOB_DIR="$job" DFTRACE_STAGE="$stage/trace" LD_PRELOAD="$library" \
        cat "$tmp/file" >"$tmp/out" 2>"$tmp/err"
    ! holds "$job" || place=job
    ! holds "$stage/trace" || place=stage
    is "$place" "$2" "$1"
}
own=$(sed -n 's/^0:://p' /proc/self/cgroup)
v2="mkdir -p .$own && echo memory >cgroup.controllers && echo 1 >.$own/cgroup.procs && echo"
unlimited=stage
[ "$(readlink /proc/self/ns/cgroup)" = 'cgroup:[4026531835]' ] || unlimited=job
machine "version 2 without a limit: in memory" $unlimited "$v2 max >memory.max"
machine "version 2 with a limit: not in memory" job "$v2 41943040 >memory.max"
machine "version 2, another group's path: not in memory" job "echo memory >cgroup.controllers"
machine "no cgroup to be seen: not in memory" job true
mkdir -p "$tmp/lower" "$tmp/upper" "$tmp/work"
machine "an overlay, which may be in memory, with a limit: not there" job "$v2 41943040 >memory.max &&
    mount -t overlay -o lowerdir=$tmp/lower,upperdir=$tmp/upper,workdir=$tmp/work none $stage"
machine "a namespace of cgroups: not in memory" job "$v2 max >memory.max" unshare -C

# A temporary file that finds no space is not a lack of memory. The analysis keeps that
# file in /var/tmp, which is small and full here.
if unshare -m sh -c 'mount --make-rprivate / && mount -t tmpfs -o size=64k none /var/tmp' 2>/dev/null; then
    exits 1 "no space in /var/tmp: the analysis fails" unshare -m sh -c 'mount --make-rprivate / &&
        mount -t tmpfs -o size=64k none /var/tmp && head -c 65536 /dev/zero >/var/tmp/fill
        exec "$@"' sh "$dftrace" analyze --no-write --memory 1 "$tmp/job"
    like "$(cat "$tmp/err")" "no space left for its temporary file in /var/tmp" "no space in /var/tmp: says so"
else
    skip "no mounts here" "no space in /var/tmp: the analysis fails"
    skip "no mounts here" "no space in /var/tmp: says so"
fi

done_testing
