#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7035-squash.t - job directories where root is nobody, or nobody may write

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

[ "$(id -u)" = 0 ] || skip_all "the epilog starts as root"
for p in setpriv jq; do
    command -v $p >/dev/null || skip_all "no $p here"
done

OWNER=54321
HOST=node7
victims=$top_builddir/tests/victims
chmod 755 "$tmp"
mkdir -m 755 "$tmp/bin" "$tmp/state" "$tmp/nfs" "$tmp/ro"
mkdir -m 1777 "$tmp/server"
install "$dftrace" "$top_builddir/preload/.libs/libdftrace_preload.so" "$tmp/bin"
echo 'some data' >"$tmp/data"
as_owner() {
    setpriv --reuid $OWNER --regid $OWNER --clear-groups "$@"
}

# job DIR: one traced process of the owner, as if on HOST
job() {
    as_owner env DFTRACE_PRELOAD="$tmp/bin/libdftrace_preload.so" \
        SLURMD_NODENAME=$HOST "$tmp/bin/dftrace" run -q -o "$1" -- \
        cat "$tmp/data" >/dev/null &&
        as_owner touch "$1/shards/started.$HOST"
}
epilog() {
    (umask 077 && echo "$OWNER $OWNER 20000 $1" >"$tmp/state/7.$HOST")
    SLURM_JOB_ID=7 SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR=$tmp/state \
        "$dftrace" epilog </dev/null >"$tmp/out" 2>&1
}

# -- root is nobody ----------------------------------------------------

if at_exit "umount -l '$tmp/nfs'" &&
    "$top_builddir/tests/tools/squash" "$tmp/server" "$tmp/nfs" 2>"$tmp/err"; then
    as_owner install -d -m 700 "$tmp/nfs/user"
    as_owner touch "$tmp/nfs/user/own"
    nok "root cannot look into a user's directory" ls "$tmp/nfs/user"
    nok "nor open a file in it" cat "$tmp/nfs/user/own"
    touch "$tmp/nfs/roots"
    is "$(stat -c %u "$tmp/nfs/roots")" 65534 "what root makes is nobody's"

    job=$tmp/nfs/user/logs/job
    ok "the user's program is traced" job "$job"
    ok "the epilog ends well" epilog "$job"
    is "$(cat "$tmp/out")" "" "and has nothing to say"
    is "$(as_owner jq .shards "$job/node.$HOST.json")" 1 "it has counted"
    is "$(as_owner jq .metrics.read_bytes.value "$job/metrics.json")" 10 \
        "merged and analyzed"
    is "$(as_owner find "$job" ! -user $OWNER)" "" "as the user"
    nok "root can read none of it" cat "$job/metrics.json"
    nok "root's own run is refused" env \
        DFTRACE_PRELOAD="$tmp/bin/libdftrace_preload.so" \
        "$dftrace" run -q -o "$tmp/nfs/user/roots" -- cat "$tmp/data"
    umount "$tmp/nfs"
else
    skip "no FUSE here: $(cat "$tmp/err")" "root is nobody"
fi

# -- nobody may write --------------------------------------------------

install -d -o $OWNER -g $OWNER -m 700 "$tmp/ro/user"
job=$tmp/ro/user/job
ok "a program is traced" job "$job"
if at_exit "umount -l '$tmp/ro'" && mount --bind "$tmp/ro" "$tmp/ro" 2>/dev/null &&
    mount -o remount,bind,ro "$tmp/ro" 2>/dev/null; then
    before=$(find "$job" | sort)
    ok "read-only by now: the epilog ends well" epilog "$job"
    is "$(find "$job" | sort)" "$before" "and what is there stays as it is"
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$job \
        LD_PRELOAD=$tmp/bin/libdftrace_preload.so \
        as_owner cat "$tmp/data" >"$tmp/out" 2>&1
    is "$? $(cat "$tmp/out")" "0 some data" "another program ends as untraced"
    ok "the user reads on, with the result elsewhere" as_owner \
        "$tmp/bin/dftrace" stat "$job"/shards/*.dft
    umount "$tmp/ro"
    ok "writable again: the epilog" epilog "$job"
    is "$(jq .metrics.read_bytes.value "$job/metrics.json")" 10 "does its work"
else
    skip "no mounts here" "read-only by now"
fi

done_testing
