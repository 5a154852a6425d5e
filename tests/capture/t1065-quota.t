#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1065-quota.t - a user who has no more blocks: his program ends as untraced,
# what was recorded before is readable, the rest is counted
#
# Once with the quota of ext4, by user, once with that of btrfs, by subvolume;
# what the kernel cannot is skipped.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

[ "$(id -u)" = 0 ] || skip_all "needs root to mount"
for p in setpriv jq findmnt; do
    command -v $p >/dev/null || skip_all "no $p here"
done

OWNER=54321
KIB=512  # he may use
N=150000 # writes, whose trace takes more
PATH=$PATH:/usr/sbin:/sbin
chmod 755 "$tmp"
mkdir -m 755 "$tmp/bin" "$tmp/state"
mkdir -m 1777 "$tmp/free"
install "$dftrace" "$victims/squeeze" "$library" "$tmp/bin"
as_owner ()
{
    setpriv --reuid $OWNER --regid $OWNER --clear-groups "$@"
}

# same NAME JOBDIR COMMAND…: as that user, untraced and traced; the job
# directory is there as if the plugin had made it
same ()
{
    local name=$1 job=$2 plain=0 with=0
    shift 2
    as_owner timeout 300 "$@" >"$tmp/plain" 2>&1 </dev/null || plain=$?
    as_owner env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$job" \
        LD_PRELOAD="$tmp/bin/${library##*/}" SLURMD_NODENAME=node7 \
        timeout 300 "$@" >"$tmp/with" 2>&1 </dev/null || with=$?
    is "$with $(cat "$tmp/with")" "$plain $(cat "$tmp/plain")" "$name: ends and says as untraced"
}

epilog ()
{
    (umask 077 && echo "$OWNER $OWNER 20000 $1" >"$tmp/state/7.node7")
    SLURM_JOB_ID=7 SLURMD_NODENAME=node7 DFTRACE_STATE_DIR=$tmp/state \
        "$dftrace" epilog </dev/null
}

# quota KIND DIR LIFT: DIR is the user's, who may use $KIB KiB there until the
# command LIFT has run
quota ()
{
    local kind=$1 dir=$2 lift=$3 writes lost job

    for job in "$dir/job" "$dir/job2" "$tmp/free/$kind"; do
        as_owner mkdir -p -m 700 "$job/shards"
        as_owner touch "$job/shards/started.node7"
    done
    same "$kind: a trace over quota" "$dir/job" \
        "$tmp/bin/squeeze" none $N "$tmp/free/file"
    like "$(cat "$tmp/with")" "failed = 0" "$kind: no call of the program failed"
    rm -rf "${tmp:?}/$kind"
    cp -r "$dir/job" "$tmp/$kind"
    writes=$(events "$kind" | grep -c " write .* file=$tmp/free/file ")
    lost=$(not_events "$kind")
    cmp_num "$writes" -gt 10000 "$kind: what there was room for is readable"
    cmp_num "$lost" -gt 0 "$kind: what there was none for is counted"
    ok "$kind: every write is in the trace or counted ($writes, $lost)" \
        test $((writes + lost)) -ge $N -a $((writes + lost)) -le $((N + 16))

    # nothing is left: now his own file
    as_owner bash -c 'head -c 8M /dev/zero >"$0/zeros"' "$dir" 2>/dev/null
    same "$kind: a program over quota" "$dir/job2" \
        bash -c 'head -c 8M /dev/zero >>"$0/zeros"; echo $?' "$dir"
    like "$(cat "$tmp/with")" "Disk quota exceeded" "$kind: and it is told so"
    same "$kind: a program over quota, its trace elsewhere" "$tmp/free/$kind" \
        bash -c 'head -c 8M /dev/zero >>"$0/zeros"; echo $?' "$dir"

    ok "$kind: the epilog ends well" epilog "$dir/job"
    is "$("$top_builddir/tests/tools/dump" "$dir"/job/shards/*.dft | grep -c ' write ')" \
        "$("$top_builddir/tests/tools/dump" "$tmp/$kind"/shards/*.dft | grep -c ' write ')" \
        "$kind: and spoils nothing"
    eval "$lift"
    ok "$kind: the next one, when there is room" epilog "$dir/job"
    is "$(jq .events_lost "$dir/job/node.node7.json") $(jq .health.lost_events "$dir/job/metrics.json")" \
        "$(health "$kind" lost) $(health "$kind" lost)" "$kind: node.HOST.json and metrics.json say what was lost"
}

# image NAME: an empty one and a place for it
image ()
{
    mkdir "$tmp/$1.disk" && truncate -s 200M "$tmp/$1.image"
    at_exit "umount '$tmp/$1.disk'"
}

image ext4
disk=$tmp/ext4.disk
if ! mkfs.ext4 -q -O quota -E quotatype=usrquota "$tmp/ext4.image" 2>/dev/null; then
    skip "no mkfs.ext4 with quotas" "ext4"
elif ! mount -o loop,usrquota "$tmp/ext4.image" "$disk" 2>/dev/null; then
    skip "this kernel mounts no ext4 with quotas" "ext4"
else
    install -d -o $OWNER "$disk/user"
    device=$(findmnt -n -o SOURCE "$disk")
    ok "ext4: a limit" "$top_builddir/tests/tools/setquota" "$device" $OWNER $KIB
    quota ext4 "$disk/user" "'$top_builddir/tests/tools/setquota' '$device' $OWNER 0"
fi

image btrfs
disk=$tmp/btrfs.disk
if ! mkfs.btrfs -q "$tmp/btrfs.image" >/dev/null 2>&1; then
    skip "no mkfs.btrfs" "btrfs"
elif ! mount -o loop "$tmp/btrfs.image" "$disk" 2>/dev/null ||
    ! btrfs quota enable "$disk" 2>/dev/null; then
    skip "this kernel mounts no btrfs with quotas" "btrfs"
else
    btrfs subvolume create "$disk/user" >/dev/null
    chown $OWNER "$disk/user"
    ok "btrfs: a limit" btrfs qgroup limit ${KIB}K "$disk/user"
    quota btrfs "$disk/user" "btrfs qgroup limit none '$disk/user'"
fi

done_testing
