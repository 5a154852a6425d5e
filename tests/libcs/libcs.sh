#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# libcs.sh - the built libraries below other glibcs: minimal root file systems of
#            Ubuntu 18.04, 22.04 and 24.04, Debian 11, 12 and 13; and a root
#            with musl alone, as Alpine has it
#
# In:  a build and the wheel of `make wheel`, mmdebstrap, strace, a mirror of Debian, root
# Out: TAP: programs end as untraced, the trace has the calls and bytes that strace
#      has, and the wheel's command runs and analyzes
#
# Root file systems are kept in LIBCS_DIR and used again; any SUITE.tar that is there is
# taken. LIBCS_TREES names the suites, LIBCS_MIRROR the mirror of Debian; without, this
# machine's first one. LIBCS_UBUNTU is a line of sources.list for Ubuntu, with SUITE for the suite.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

LIBCS_DIR=${LIBCS_DIR:-/var/tmp/dftrace-libcs}
LIBCS_TREES=${LIBCS_TREES:-bionic jammy noble bullseye bookworm trixie}
# shellcheck disable=SC2016 # for apt and for shells
LIBCS_MIRROR=${LIBCS_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' 2>/dev/null | head -n 1)}
[ "$(id -u)" = 0 ] || skip_all "not root"
for tool in mmdebstrap strace chroot unshare; do
    command -v $tool >/dev/null || skip_all "no $tool here"
done
[ -n "$LIBCS_MIRROR" ] || skip_all "no mirror of Debian is known to apt: set LIBCS_MIRROR"
wheel=$(ls "$top_builddir"/dftrace-*-manylinux_2_17_*.whl) || skip_all "no wheel: make wheel"
mkdir -p "$LIBCS_DIR" || exit 99

root_make ()
{
    local archive=$LIBCS_DIR/$1.tar from=$LIBCS_MIRROR
    if [ ! -e "$archive" ]; then
        if ! grep -qw "$1" <<<"bullseye bookworm trixie"; then
            from=${LIBCS_UBUNTU-} from=${from//SUITE/$1}
            [ -n "$from" ] || { echo "LIBCS_UBUNTU is not set" >"$LIBCS_DIR/$1.log"; return 1; }
        fi
        mmdebstrap --format=tar --variant=minbase "$1" "$archive.new" "$from" \
            >"$LIBCS_DIR/$1.log" 2>&1 && mv "$archive.new" "$archive" || return 1
    fi
    root=$tmp/$1
    mkdir "$root" && tar -C "$root" -xf "$archive" --exclude='./dev/*' &&
        mkdir -p "$root/data" "$root/opt/dftrace" &&
        cp "${library%/*}"/*.so "$root/opt/dftrace" &&
        mknod -m 666 "$root/dev/null" c 1 3 &&
        python3 -m zipfile -e "$wheel" "$root/opt/wheel" &&
        mv "$root"/opt/wheel/*.data/data/lib "$root"/opt/wheel/*.data/scripts "$root/opt/wheel" &&
        chmod +x "$root/opt/wheel/scripts/dftrace"
}

preloads=/opt/dftrace/libdftrace_preload.so
for layer in mpi hdf5 netcdf pnetcdf; do
    preloads+=:/opt/dftrace/libdftrace_$layer.so
done

# inside VARIABLE=VALUE… -- COMMAND: in the new root, with what it needs of /proc
inside ()
{
    local set=()
    while [ "$1" != -- ]; do
        set+=("$1")
        shift
    done
    shift
    # shellcheck disable=SC2016 # for that shell
    unshare --mount bash -c 'mount -t proc proc "$1/proc" && exec "${@:2}"' - "$root" \
        chroot "$root" env -i PATH=/usr/bin:/bin LC_ALL=C "${set[@]}" sh -c "$1"
}

# strace's files -> "N bytes call" of files below /data
of_strace ()
{
    cat "$tmp"/strace.* |
        sed -nE "s,^($1)(64)?\\([0-9]+<$root/data/.* = ([0-9]+)\$,\\1 \\3,p" | sum_calls
}

# of_trace CALLS [FILE]: the same of the trace
of_trace ()
{
    for file in "$root"/job/shards/*.dft; do
        "$top_builddir/tests/tools/dump" "$file"
    done | sed -nE "s,^[0-9]+ [0-9]+ ($1) .*file=${2:-/data/[^ ]*} .* ret=([0-9]+) .*,\\1 \\2,p" |
        sum_calls
}

sum_calls ()
{
    awk '{ n[$1]++; bytes[$1] += $2 } END { for (c in n) print n[c], bytes[c], c }' | sort -k3
}

# try NAME CALLS COMMAND: CALLS are those that its programs make by themselves; what
# streams of libc read and write is in events of streams
try ()
{
    local name="$tree: $1" calls=$2 plain
    rm -rf "$root/job"
    mkdir "$root/job"
    plain=$(inside X=1 -- "$3" 2>&1)
    plain+=" $?"
    is "$(inside DFTRACE_LAYERS=posix,stdio DFTRACE_JOB_DIR=/job LD_PRELOAD=$preloads \
        -- "$3" 2>&1) $?" "$plain" "$name: ends as untraced"
    rm -rf "$root/job"
    mkdir "$root/job"
    inside DFTRACE_LAYERS=posix,stdio DFTRACE_JOB_DIR=/job LD_PRELOAD=$preloads -- "$3" >/dev/null 2>&1
    of_trace "$calls" >"$tmp/trace"
    rm -f "$tmp"/strace.*
    # shellcheck disable=SC2016 # for that shell
    strace -ff -y -s 0 -qq -o "$tmp/strace" -e trace=read,write,pread64,pwrite64,copy_file_range \
        unshare --mount bash -c 'mount -t proc proc "$1/proc" && exec "${@:2}"' - "$root" \
        chroot "$root" env -i PATH=/usr/bin:/bin LC_ALL=C sh -c "$3" >/dev/null 2>&1
    of_strace "$calls" >"$tmp/seen"
    cmp_num "$(wc -l <"$tmp/seen")" -ge 1 "$name: strace has calls"
    is "$(cat "$tmp/trace")" "$(cat "$tmp/seen")" "$name: calls and bytes as strace has them"
}

# shellcheck disable=SC2016 # for shells
for tree in $LIBCS_TREES; do
    if ! root_make "$tree"; then
        skip "no root file system: $(tail -n 1 "$LIBCS_DIR/$tree.log" 2>/dev/null)" "$tree"
        continue
    fi
    seq 200000 >"$root/data/in"
    diag "$tree: $(chroot "$root" ldd --version 2>/dev/null | head -n 1)"
    all='read|write|pread|pwrite|copy_file_range'
    try cat "$all" 'cat /data/in >/data/out; wc -c </data/out'
    try cp "$all" 'cp /data/in /data/copy && cmp /data/in /data/copy'
    try dd "$all" 'dd if=/data/in of=/data/dd bs=4k count=100 2>/dev/null; echo $?'
    try grep read 'grep 7 /data/in | sed s/7/8/ | cat >/data/sed; wc -l </data/sed'
    try perl read 'perl -ne "\$n++; END { print \$n }" /data/in'
    try 'a shell that reads' read 'head -n 50 /data/in >/data/few; while read -r a; do echo $a; done </data/few'
    try tar "$all" 'tar -C /data -cf /data/t.tar few && tar -tf /data/t.tar'
    # a thread library, which was another one than libc before glibc 2.34
    rm -rf "$root/job"
    mkdir "$root/job"
    inside DFTRACE_LAYERS=posix,stdio,mmap DFTRACE_JOB_DIR=/job LD_PRELOAD=$preloads -- \
        'sort --parallel=2 -S 1M -T /data -r /data/in >/data/sorted' >"$tmp/out" 2>&1
    is "$? $(cat "$tmp/out")" "0 " "$tree: sort with threads ends well"
    is "$(of_trace 'fread' /data/in)" "$(of_trace fread /data/in | cut -d' ' -f1) $(stat -c %s "$root/data/in") fread" \
        "$tree: and its streams read each byte once"
    # the command finds its library beside it
    is "$(inside HOME=/data -- 'cd /data; /opt/wheel/scripts/dftrace run -q -o run dd if=in bs=1k 2>/dev/null | cksum')" \
        "$(cksum <"$root/data/in")" "$tree: dftrace run: output as untraced"
    is "$(inside HOME=/data -- '/opt/wheel/scripts/dftrace stat --events /data/run' |
        awk -F '\t' '$6 == "read" && /\/data\/in$/ { sub (/.*\tret=/, ""); n += $1 } END { print n }')" \
        "$(stat -c %s "$root/data/in")" "$tree: its trace has each byte"
    like "$(inside HOME=/data -- 'cd /data; /opt/wheel/scripts/dftrace analyze run')" '1 process, 1 host' \
        "$tree: dftrace analyze reads it"
    rm -rf --one-file-system "$root"
done

# Nothing of glibc is here but our libraries; the shell is static
tree=musl root=$tmp/musl
if musl-gcc -w -o "$tmp/calls" "$top_srcdir/tests/libcs/calls.c" 2>/dev/null &&
    ! ldd "$(command -v busybox)" >/dev/null 2>&1; then
    mkdir -p "$root"/{bin,lib,dev,proc,tmp,data,opt/dftrace} && cp "${library%/*}"/*.so "$root/opt/dftrace"
    cp -L "$(readelf -l "$tmp/calls" | sed -n 's/.*interpreter: \(.*\)]/\1/p')" "$root/lib" && cp "$tmp/calls" "$root"
    cp "$(command -v busybox)" "$root/bin/sh" && ln -s sh "$root/bin/env"
    # its streams call read by themselves
    try calls 'write|pwrite' 'cd /data && /calls; echo $?'
else
    skip "no musl-gcc, or no static busybox" musl
fi

done_testing
