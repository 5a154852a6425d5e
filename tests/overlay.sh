# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# overlay.sh - this machine again, to install things on: an overlay of /
#
# In:  tests/lib.sh; root or sudo without a password, overlayfs
# Out: overlay_start       false, with $overlay_missing, where it cannot be had
#      inside COMMAND…     there, as root; only $tmp is the same directory
#      beside COMMAND…     the same, but / is as it was; $overlay/upper has
#                          what has changed
#      overlay_stop        forget it; what still runs there is killed
# Caveat: the network is this machine's.

overlay=
overlay_pid=
overlay_missing=
as_root=

# Everything happens in namespaces of one process, which ends when we do: then
# its standard input ends. First it says what process it is.
overlay_script='
set -e
read -r pid _ </proc/self/stat
mount -t tmpfs -o mode=755 overlay "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount --rbind /sys "$1/root/sys" # slurmd looks there
mkdir -p "$1/root$2"
mount --bind "$2" "$1/root$2"
chroot "$1/root" test -x "$BASH"
echo "$pid"
exec cat'

overlay_start() {
    if [ "$(id -u)" != 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            overlay_missing="neither root nor sudo"
            return 1
        fi
        as_root="sudo -n"
    fi
    overlay=$tmp/overlay
    mkdir -p "$overlay"
    # shellcheck disable=SC2086 # words
    coproc overlay_machine {
        $as_root unshare -m -p -f bash -c "$overlay_script" bash \
            "$overlay" "$tmp" 2>"$tmp/overlay.log" || echo none
        cat >/dev/null
    }
    overlay_job=$!
    overlay_in=${overlay_machine[1]}
    read -r overlay_pid <&"${overlay_machine[0]}"
    at_exit overlay_stop
    if [ "$overlay_pid" = none ]; then
        overlay_missing="no overlay of /: $(head -n 1 "$tmp/overlay.log")"
        return 1
    fi
    if ! inside true 2>"$tmp/overlay.log"; then
        overlay_missing="no way into the overlay: $(head -n 1 "$tmp/overlay.log")"
        return 1
    fi
}

# Without what this test's environment has of ours. With the root directory of
# that process: ours may be a chroot, too.
beside() {
    # shellcheck disable=SC2086 # words
    $as_root nsenter -t "$overlay_pid" -m -p -r -- env -i \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C TERM=dumb HOME=/root "$@"
}

inside() {
    beside chroot "$overlay/root" "$@"
}

overlay_stop() {
    [ -n "$overlay_pid" ] || return 0
    exec {overlay_in}>&-
    wait "$overlay_job"
    overlay_pid=
}
