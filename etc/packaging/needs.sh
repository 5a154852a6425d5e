# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # lists are for who sources this
#
# needs.sh - Debian packages that building, running and testing need
#
# In:  sourced by quickstart and run-tests
# Out: $SUDO (empty for root); packages installed; or one line and exit 1

NEEDS_BUILD="autoconf automake libtool make gcc libc6-dev pkg-config
    libslurm-dev zlib1g-dev libisal-dev libsqlite3-dev libyaml-dev libbz2-dev libopen-trace-format2-dev libcmocka-dev python3-dev
    clang bpftool libbpf-dev"
NEEDS_RUN="slurm-wlm munge util-linux passwd"
NEEDS_TEST="clang-format g++ strace jq sqlite3 valgrind libcap2-bin libxml2-utils util-linux-extra perl git xz-utils shellcheck
    chromium fonts-dejavu-core build-essential debhelper rpm cpio e2fsprogs btrfs-progs
    libopenmpi-dev openmpi-bin libmpich-dev mpich gfortran libhdf5-dev libhdf5-openmpi-dev libhdf5-mpich-dev
    libnetcdf-dev libnetcdf-mpi-dev libpnetcdf-dev python3-h5py python3-netcdf4 python3-mpi4py golang-go zsh
    bubblewrap musl-tools libjemalloc2 libtcmalloc-minimal4 liburing-dev libaio-dev fio rsync busybox-static otf2-tools"

SUDO=
if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then
    SUDO=sudo
fi

may_be_root() {
    [ "$(id -u)" = 0 ] || [ -n "$SUDO" ]
}

# Names of the packages in $* that are not installed.
missing_packages() {
    local p
    command -v dpkg-query >/dev/null || return 0 # not Debian: configure says
    for p in "$@"; do
        dpkg-query -W -f '${Status}' "$p" 2>/dev/null |
            grep -q 'ok installed' || echo "$p"
    done
}

# Install packages without letting apt start their services: the private
# cluster has its own munged and slurmds. A policy that is there stays.
install_packages() {
    local policy=/usr/sbin/policy-rc.d ours='' rc=0
    if ! [ -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' | $SUDO tee $policy >/dev/null &&
            $SUDO chmod 755 $policy
        ours=yes
    fi
    $SUDO env DEBIAN_FRONTEND=noninteractive sh -c '
        apt-get -q update &&
        apt-get -q -y --no-install-recommends install "$@"' sh "$@" || rc=$?
    if [ -n "$ours" ]; then
        $SUDO rm -f $policy
    fi
    if [ -d /run/systemd/system ]; then
        case " $* " in
        *" slurm-wlm "* | *" munge "*)
            $SUDO systemctl -q disable munge slurmctld slurmd 2>/dev/null
            ;;
        esac
    fi
    return $rc
}

# need_root_or_packages NAME…: without root and sudo, name what is missing and
# exit.
need_root_or_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    if ! may_be_root && [ ${#missing[@]} -gt 0 ]; then
        echo "${0##*/}: missing packages: ${missing[*]}: install them as root:" \
            "apt-get install ${missing[*]}" >&2
        exit 1
    fi
}

# need_packages NAME…: install what is missing.
need_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}
