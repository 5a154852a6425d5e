#!/bin/bash
# SPDX-License-Identifier: MIT
#
# kernels.sh - tests under another kernel, in a virtual machine: of layer kernel, or
#              those that are named
#
# In:  a package of a Debian kernel (KERNELS_DEB), or the one that apt offers;
#      this machine's own files, read-only (9p), what is written goes to memory, files of
#      tests to an ext4 of their own; cgroups of version 2 with a memory controller
# Out: TAP, each test's lines in KERNELS_DIR/NAME.tap; exit status 1: some failed
# Caveat: root; qemu-system-x86, kmod, cpio and busybox-static. The processor is
#         emulated, at minutes a test, unless KERNELS_ACCEL=kvm.

set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${top_builddir:-$top/build}" && pwd)
KERNELS_DIR=${KERNELS_DIR:-/var/tmp/dftrace-kernels}
KERNELS_PACKAGE=${KERNELS_PACKAGE:-linux-image-amd64}
KERNELS_SECONDS=${KERNELS_SECONDS:-1800} # for all tests
modules="9pnet_virtio virtio_pci virtio_blk 9p overlay loop ext4"
tests=("$@")
[ $# -gt 0 ] ||
    tests=(layers/t1300-kernel layers/t1301-kernel-rings layers/t1302-kernel-losses
        layers/t1303-kernel-block study/t4502-kernel-stalls)

die ()
{
    echo "Bail out! kernels.sh: $*"
    exit 1
}

skip ()
{
    echo "1..0 # SKIP $*"
    exit 0
}

# --- a kernel ---------------------------------------------------------------

# The package that a name which stands for the newest one leads to.
kernel_package ()
{
    local depends

    depends=$(apt-cache depends "$1" 2>/dev/null | sed -nE 's/^ *Depends: (linux-image-.*)/\1/p' | head -n 1)
    echo "${depends:-$1}"
}

kernel_fetch ()
{
    local package

    package=$(kernel_package "$KERNELS_PACKAGE")
    deb=$(find "$KERNELS_DIR" -maxdepth 1 -name "${package}_*.deb" | sort | tail -n 1)
    [ "$deb" ] || (cd "$KERNELS_DIR" && apt-get -qq download "$package") >&2 ||
        skip "$package cannot be had: name a package in KERNELS_DEB"
    deb=$(find "$KERNELS_DIR" -maxdepth 1 -name "${package}_*.deb" | sort | tail -n 1)
}

kernel_unpack ()
{
    root=$KERNELS_DIR/$(basename "$deb" .deb)
    [ -d "$root" ] || { dpkg -x "$deb" "$root.new" && mv "$root.new" "$root"; } ||
        die "$deb: cannot be unpacked"
    image=$(find "$root/boot" -name 'vmlinuz-*' | head -n 1)
    release=${image##*/vmlinuz-}
    [ "$image" ] || die "$deb: no kernel is in it"
    [ -e "$root/lib/modules/$release/modules.dep" ] || depmod -b "$root" "$release" ||
        die "$deb: no list of its modules"
}

# --- its first programs --------------------------------------------------------

kernel_modules ()
{
    local module

    for module in $modules; do
        modprobe -S "$release" -d "$root" --show-depends "$module"
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

write_init ()
{
    cat <<'END_INIT'
#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /lower /upper /new
while read -r module; do
    /bin/busybox insmod "/modules/$module" || echo "insmod $module failed"
done </modules/list
/bin/busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=512000 root /lower
/bin/busybox mount -t tmpfs -o size=80% upper /upper
/bin/busybox mkdir /upper/up /upper/work
/bin/busybox mount -t overlay -o lowerdir=/lower,upperdir=/upper/up,workdir=/upper/work root /new
for at in proc sys dev tmp var/tmp run root mnt; do /bin/busybox mkdir -p /new/$at; done
/bin/busybox mount -t proc proc /new/proc
/bin/busybox mount -t sysfs sys /new/sys
/bin/busybox mount -t devtmpfs dev /new/dev
/bin/busybox mount -t ext4 /new/dev/vda /new/mnt || /bin/busybox poweroff -f
/bin/busybox mount -t cgroup2 cgroup2 /new/sys/fs/cgroup
echo +memory >/new/sys/fs/cgroup/cgroup.subtree_control
/bin/busybox mkdir -p /new/dev/shm /new/dev/pts
/bin/busybox mount -t tmpfs shm /new/dev/shm
/bin/busybox mount -t devpts pts /new/dev/pts
/bin/busybox cp /job /new/run/job
/bin/busybox ip link set lo up 2>/dev/null
echo "=== begin"
/bin/busybox chroot /new /bin/bash /run/job
echo "=== end"
/bin/busybox poweroff -f
END_INIT
}

write_job ()
{
    local test

    echo "export PATH='$PATH' HOME=/root TMPDIR=/mnt"
    echo "export top_srcdir='$top' top_builddir='$build'"
    [ "${KERNELS_ACCEL:-tcg}" = kvm ] || echo "export EMULATED=yes"
    echo "uname -r"
    for test in "${tests[@]}"; do
        # loading the programs may take longer there than the layer waits (10 s)
        echo "for try in 1 2; do echo '=== test $test'; bash '$top/tests/$test.t' 2>&1 && break; done"
        echo "echo \"=== status \$?\""
    done
}

make_initramfs ()
{
    local at=$KERNELS_DIR/initramfs module

    rm -rf "$at"
    mkdir -p "$at/bin" "$at/modules"
    cp "$(command -v busybox)" "$at/bin/busybox" || die "no busybox-static"
    for module in $(kernel_modules); do
        cp "$module" "$at/modules"
        basename "$module" >>"$at/modules/list"
    done
    write_init >"$at/init"
    chmod 755 "$at/init"
    write_job >"$at/job"
    (cd "$at" && find . | cpio -o -H newc --quiet | gzip -1) >"$KERNELS_DIR/initramfs.gz"
}

# --- run ------------------------------------------------------------------------

kernel_run ()
{
    rm -f "$KERNELS_DIR/disk"
    truncate -s 2G "$KERNELS_DIR/disk" || die "no disk can be made"
    mke2fs -q -t ext4 "$KERNELS_DIR/disk" || die "no file system can be made"
    timeout "$KERNELS_SECONDS" qemu-system-x86_64 -accel "${KERNELS_ACCEL:-tcg}" -cpu max -smp 2 -m 3G \
        -nodefaults -no-user-config -display none -no-reboot -serial stdio \
        -kernel "$image" -initrd "$KERNELS_DIR/initramfs.gz" \
        -append "console=ttyS0 quiet tsc=reliable edd=off panic=-1 mitigations=off" \
        -drive "file=$KERNELS_DIR/disk,format=raw,if=virtio,cache=unsafe" \
        -virtfs local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap \
        </dev/null 2>"$KERNELS_DIR/qemu.err" | sed -u 's|\r||g' >"$KERNELS_DIR/console"
}

# Of the console: each test's lines in a file of its own, and one line for it.
kernel_report ()
{
    awk -v dir="$KERNELS_DIR" '
        /^=== test / { name = $3; sub(/.*\//, "", name); out = dir "/" name ".tap"; printf "" >out
                       ok = bad = skipped = 0; said = why = ""; next }
        /^=== status / {
            n++
            printf "%s", said
            if ($3 != 0 || bad || (!ok && !why)) { failed = 1; printf "not " }
            printf "ok %d - %s: %d passed, %d failed, %d skipped%s\n", n, name, ok, bad, skipped, why
            out = why = ""
            next }
        out { print >out }
        out && /^ok .*# SKIP/ { skipped++; next }
        out && /^ok/ { ok++ }
        out && /^not ok/ { bad++; said = said "# " $0 "\n" }
        out && /^1\.\.0/ { why = " " substr($0, 6) }
        END { print "1.." n; exit failed || !n }' "$KERNELS_DIR/console"
}

[ "$(id -u)" = 0 ] || die "root only: it reads all files of this machine"
for tool in qemu-system-x86_64 depmod modprobe cpio dpkg busybox mke2fs; do
    command -v $tool >/dev/null || skip "no $tool: install qemu-system-x86, kmod, cpio, busybox-static, e2fsprogs"
done
[ $# -gt 0 ] || [ -x "$build/dftrace-kernel" ] || die "$build: layer kernel is not built"
mkdir -p "$KERNELS_DIR"
deb=${KERNELS_DEB-}
[ "$deb" ] || kernel_fetch
kernel_unpack
make_initramfs
echo "# kernel $release"
kernel_run
grep -q '^=== end' "$KERNELS_DIR/console" || {
    tail -n 20 "$KERNELS_DIR/console" "$KERNELS_DIR/qemu.err" | sed 's/^/# /'
    die "the machine did not come to its end: $KERNELS_DIR/console"
}
kernel_report
