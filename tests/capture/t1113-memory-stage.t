#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1113-memory-stage.t - a trace that is staged in a file system in memory does
# not bring a job to its memory limit

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

[ "$(id -u)" = 0 ] || skip_all "only root can limit memory"
[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip_all "/dev/shm is not in memory"

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
status=0
limited env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/job" DFTRACE_STAGE="$stage" \
    LD_PRELOAD="$library" "$victims/odd/preads" "$tmp/file" 4000000 2>"$tmp/err" || status=$?
is "$status" 0 "4,000,000 reads under a limit of 40 MiB: the program ends as untraced"
used=$(du -s --block-size=1 "$stage" | cut -f1)
diag "in the stage: $used bytes"
cmp_num "$used" -le $((limit / 8 + (8 << 20))) "the stage has an eighth of the limit, and a profile"
cmp_num "$used" -gt 1000000 "and is used"
mkdir "$tmp/job/shards"
find "$stage" -name '*.dft' -exec mv {} "$tmp/job/shards/" \;
exits 0 "analyzed" "$dftrace" analyze --no-write -f csv --view metric "$tmp/job"
is "$(sed -n 's/^read_count,//p' "$tmp/out" | cut -d, -f1)" 4000000 "every read is counted, in the trace or in the profile"

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
