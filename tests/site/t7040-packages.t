#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7040-packages.t - Debian and RPM packages: built, unpacked, installed
#
# Not part of `make check`: it builds everything twice. run-tests runs it, and
# `make check-packages`. Installed they are on an overlay of this machine, which
# needs root or sudo.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
# shellcheck source=tests/overlay.sh
. "$top_srcdir/tests/overlay.sh"

# What both kinds of packages must bring.
files='bin/dftrace lib.*/dftrace/libdftrace_preload.so include/dftrace/dftrace.h
share/dftrace/dftrace.conf.example share/dftrace/modulefile
share/dftrace/plugstack.conf.d/dftrace.conf.example share/dftrace/50-dftrace
share/bash-completion/completions/dftrace share/zsh/site-functions/_dftrace
man1/dftrace.1 man1/dftrace-sweep.1 man1/dftrace-analyze.1 man5/dftrace.conf.5
man5/dftrace-trace.5 man8/dftrace-spank.8'

(cd "$top_builddir" && make -s distdir >"$tmp/dist.log" 2>&1 &&
    tar -cJf "$tmp/dftrace-0.1.0.tar.xz" dftrace-[0-9]*/ &&
    chmod -R u+w dftrace-[0-9]*/ && rm -rf dftrace-[0-9]*/)
tarball=$(echo "$tmp"/dftrace-*.tar.xz)
ok "a tarball" test -s "$tarball"

# installed ROOT: what a package left below ROOT/usr works there.
installed() {
    local root=$1 f missing='' plugin conf
    for f in $files; do
        find "$root/usr" -regextype posix-extended -regex ".*/$f(\.gz)?" |
            grep -q . || missing+=" $f"
    done
    is "$missing" "" "$2: everything is there"
    is "$("$root/usr/bin/dftrace" --version)" "$("$dftrace" --version)" \
        "$2: the command runs"
    plugin=$(find "$root/usr" -name dftrace.so)
    conf=$root/usr/share/dftrace/plugstack.conf.d/dftrace.conf.example
    is "$root$(awk '$1 == "optional" { print $2 }' "$conf")" "$plugin" \
        "$2: the example names the plugin where it is"
    is "$(find "$root" -path '*/etc/slurm/*')" "" "$2: nothing is enabled"
    is "$(find "$root" -perm /6000)" "" "$2: no setuid program"
    is "$(find "$root/usr" -name 'libdftrace_preload.so' -exec nm -D --undefined-only {} + |
        grep -E '_chk(@|$)| (abort|_?exit|_Exit|quick_exit)(@|$)')" "" "$2: no check that ends a program is in the library"
    exits 0 "$2: the command traces with its library" \
        env DFTRACE_PRELOAD="$(find "$root/usr" -name libdftrace_preload.so)" \
        "$root/usr/bin/dftrace" run -q -o "$tmp/run-$2" -- cat /etc/hostname
    ok "$2: with a trace" test -n "$(ls "$tmp/run-$2/shards")"
}

# What rpmbuild of RHEL 9 gives to configure, but for files of its own.
rhel='-O2 -flto=auto -ffat-lto-objects -fexceptions -g -pipe -Wall -Werror=format-security
    -Wp,-D_FORTIFY_SOURCE=2 -fstack-protector-strong -fasynchronous-unwind-tables
    -fstack-clash-protection'

# Both builds at once: much of each is not compiling.
rpm_build=
if command -v rpmbuild >/dev/null && command -v cpio >/dev/null; then
    CFLAGS=${rhel//$'\n'/ } "$top_srcdir/etc/packaging/build" rpm "$tarball" "$tmp/rpms" \
        >"$tmp/rpm.log" 2>&1 &
    rpm_build=$!
fi

if command -v dh >/dev/null && dpkg-query -W libslurm-dev >/dev/null 2>&1; then
    # RPM packages are optimized; this halves the time of both
    if DEB_BUILD_OPTIONS=noopt "$top_srcdir/etc/packaging/build" deb "$tarball" "$tmp/debs" \
        >"$tmp/deb.log" 2>&1; then
        pass "Debian packages"
    else
        fail "Debian packages"
        diag "$(tail -n 20 "$tmp/deb.log")"
    fi
    for deb in "$tmp"/debs/*.deb; do
        dpkg-deb -x "$deb" "$tmp/deb-root"
    done
    installed "$tmp/deb-root" deb
    like "$(dpkg-deb -f "$tmp"/debs/dftrace-slurm-plugin_*.deb Depends)" \
        "slurm-[a-z-]+ \(>= [0-9]+\.[0-9]+\), slurm-[a-z-]+ \(<< [0-9]+" \
        "the plugin's package wants its release of Slurm"
    unlike "$(dpkg-deb -f "$tmp"/debs/dftrace-slurm-plugin_*.deb Depends)" \
        "libslurm" "but not libslurm"
else
    skip "no debhelper or libslurm-dev here" "Debian packages"
fi

if [ "$rpm_build" ]; then
    if wait "$rpm_build"; then
        pass "RPM packages"
    else
        fail "RPM packages"
        diag "$(tail -n 20 "$tmp/rpm.log")"
    fi
    mkdir "$tmp/rpm-root"
    for rpm in "$tmp"/rpms/*.rpm; do
        (cd "$tmp/rpm-root" && rpm2cpio "$rpm" | cpio -idm 2>/dev/null)
    done
    installed "$tmp/rpm-root" rpm
    like "$(rpm -qpR "$tmp"/rpms/dftrace-slurm-plugin*.rpm 2>/dev/null)" \
        "slurm >= [0-9]+\.[0-9]+" "the plugin's package wants its release of Slurm"
else
    skip "no rpmbuild or cpio here" "RPM packages"
fi

# -- Debian packages, installed ----------------------------------------

cluster=/var/tmp/dftrace-site

# As doc/admin.md says it, on a private Slurm with what is in /usr and /etc.
deploy() {
    inside sh -ec "
        mkdir -p /etc/slurm/plugstack.conf.d /etc/dftrace
        ln -s /usr/share/dftrace/plugstack.conf.d/dftrace.conf.example \
            /etc/slurm/plugstack.conf.d/dftrace.conf
        cp /usr/share/dftrace/dftrace.conf.example /etc/dftrace/dftrace.conf
        echo 'log_root = $cluster/home/traces' >>/etc/dftrace/dftrace.conf
        '$tmp/cluster.sh' start $cluster --nodes 1 --epilog \
            /usr/share/dftrace/50-dftrace \
            --plugin 'include /etc/slurm/plugstack.conf.d/*'
        echo some data >$cluster/home/data"
}

as_user() {
    inside "$tmp/cluster.sh" run "$cluster" "$@"
}

# traced NAME: a job of that name, and what its epilog made of it.
traced() {
    local end
    as_user timeout 600 sbatch --wait --job-name "$1" --dftrace=posix --output out \
        --wrap 'srun cat data' || return 1
    end=$((SECONDS + 300)) # sbatch --wait itself may have taken a minute
    until inside sh -c "test -s $cluster/home/traces/$1-*/metrics.json"; do
        [ $SECONDS -lt $end ] || {
            inside sh -c "ls -lR $cluster/home/traces; tail -n 5 $cluster/log/*"
            return 1
        }
        sleep 0.1
    done
    as_user sh -c "cat traces/$1-*/metrics.json" >"$tmp/metrics.json"
    grep -A 1 '"read_bytes"' "$tmp/metrics.json" | grep '\b10\b'
}

# repack FROM VERSION TO: the same packages as another version.
repack() {
    local deb
    mkdir "$3"
    for deb in "$1"/*.deb; do
        rm -rf "$tmp/repack"
        dpkg-deb -R "$deb" "$tmp/repack" &&
            sed -i "/^Version:\|dftrace (=/s/0\.1\.0/$2/" \
                "$tmp/repack/DEBIAN/control" &&
            dpkg-deb --root-owner-group -b "$tmp/repack" "$3" >/dev/null ||
            return 1
    done
}

# slurm_is VERSION: dpkg believes that this one is installed.
slurm_is() {
    inside sed -i "/^Package: $slurm_package\$/,/^\$/s/^Version: .*/Version: $1/" \
        /var/lib/dpkg/status
}

# What is in / that was not, or is another file, but for what dpkg and
# ldconfig remember, logs, and /run.
changed() {
    # shellcheck disable=SC2016 # expands there
    beside bash -c 'cd "$1" && find . -mindepth 1 | while read -r f; do
        if ! [ -d "$f" ] || ! [ -d "/$f" ]; then echo "${f#.}"; fi
    done' bash "$overlay/upper" | grep -vE "^/(run|var/lib/(dpkg|man-db|rpm)|var/log|\
var/cache/(man|ldconfig))/|^/etc/ld.so.cache|^$tmp" | sort
}

# What is here already would be taken for what packages bring.
here() {
    dpkg-query -W dftrace dftrace-slurm-plugin >/dev/null 2>&1 ||
        command -v dftrace >/dev/null || [ -e /etc/dftrace ]
}

# no_slurm: nor can one without us be started there.
no_slurm() {
    inside sh -c 'command -v slurmctld && command -v slurmd && command -v munged' \
        >/dev/null || return 0
    inside "$tmp/cluster.sh" stop "$cluster"
    inside "$tmp/cluster.sh" start "$cluster-bare" --nodes 1 >/dev/null 2>&1 &&
        return 1
    inside rm -rf "$cluster-bare"
}

slurm_package=slurm-wlm-basic-plugins
if ! ls "$tmp"/debs/*.deb >/dev/null 2>&1; then
    skip "no packages" "Debian packages, installed"
elif here; then
    skip "dftrace is installed here" "Debian packages, installed"
elif ! overlay_start; then
    skip "$overlay_missing" "Debian packages, installed"
else
    chmod 755 "$tmp"
    cp "$top_srcdir"/tests/slurm/cluster{,-conf}.sh "$tmp"
    # Not ours to test, and slow: the index of all manual pages.
    inside rm -f /var/lib/man-db/auto-update
    inside "$tmp/cluster.sh" user add
    before=$(changed)
    ok "deb: installs" inside sh -c "dpkg -i $tmp/debs/*.deb"
    is "$(inside dpkg -V dftrace dftrace-slurm-plugin 2>&1)" "" \
        "deb: every file as it was packed"
    is "$(inside dftrace --version)" "$("$dftrace" --version)" \
        "deb: the command is found"
    if inside sh -c 'command -v man' >/dev/null; then
        ok "deb: so are the manual pages" inside \
            man -w dftrace dftrace-sweep dftrace.conf dftrace-trace dftrace-spank
    else
        skip "no man here" "deb: so are the manual pages"
    fi
    inside env SLURM_CONF=/nothing dftrace doctor >"$tmp/out" 2>&1
    like "$? $(cat "$tmp/out")" "^1 BAD .*slurmctld" "deb: doctor: no Slurm runs"
    deployed=no
    if deploy >"$tmp/out" 2>&1; then
        pass "deb: the site is deployed"
        deployed=yes
    elif no_slurm; then
        skip "no private Slurm starts there" "deb: the site is deployed"
    else
        fail "deb: the site is deployed"
        diag "$(tail -n 20 "$tmp/out")"
    fi
    if [ $deployed = yes ]; then
        for c in sbatch srun salloc; do
            like "$(as_user $c --help)" "--dftrace=" "deb: $c has the option"
        done
        ok "deb: a job is traced, its epilog analyzes" traced one
        ok "deb: doctor: all is well" as_user dftrace doctor
    fi
    sum=$(inside md5sum /etc/dftrace/dftrace.conf)
    ok "deb: upgrade, while Slurm runs" \
        eval "repack '$tmp/debs' 0.1.1 '$tmp/newer' &&
            inside sh -c 'dpkg -i $tmp/newer/*.deb'"
    [ $deployed = no ] || ok "deb: a job is traced after it" traced two
    ok "deb: rollback" inside sh -c "dpkg -i $tmp/debs/*.deb"
    is "$(inside md5sum /etc/dftrace/dftrace.conf)" "$sum" \
        "deb: the site's configuration is as it was"
    [ $deployed = no ] || ok "deb: the cluster ends" inside "$tmp/cluster.sh" stop "$cluster"

    # As Python of another release would, run by root.
    inside sh -c 'cd /usr/lib/*/dftrace/python/dftrace/__pycache__ &&
        touch __init__.cpython-399.pyc'
    ok "deb: removed" inside dpkg -r dftrace-slurm-plugin dftrace
    is "$(inside md5sum /etc/dftrace/dftrace.conf)" "$sum" \
        "deb: the site's configuration is still there"
    inside rm -rf /etc/dftrace "$cluster"
    ok "deb: purged" inside dpkg -P dftrace-slurm-plugin dftrace
    is "$(changed)" "$before" "deb: nothing of it is left"

    # The plugin beside another Slurm than the one that it was built for.
    release=$(dpkg-query -W -f '${Version}' $slurm_package |
        sed 's/^\([0-9]*\.[0-9]*\)\..*/\1/')
    inside sh -c "dpkg -i $tmp/debs/dftrace_*.deb" >/dev/null
    for v in 20.11.7-1 "$release.0-1" "$release.12-1+b1" 35.11.1-1; do
        slurm_is "$v"
        inside sh -c "dpkg -i $tmp/debs/dftrace-slurm-*.deb" >"$tmp/out" 2>&1
        status=$?
        case $v in
        "$release".*) is $status 0 "deb: the plugin installs beside Slurm $v" ;;
        *)
            like "$status $(tr -s '\n ' ' ' <"$tmp/out")" \
                "^1 .*depends on $slurm_package" \
                "deb: it does not beside Slurm $v"
            ;;
        esac
        inside dpkg -P dftrace-slurm-plugin >/dev/null 2>&1
    done
    overlay_stop
fi

# -- RPM packages, installed -------------------------------------------

# fake NAME VERSION PROVIDES: an empty package, in $tmp/fake.
fake() {
    printf '%s\n' "Name: $1" "Version: $2" 'Release: 1' 'Summary: fake' \
        'License: none' 'BuildArch: noarch' "${3:+Provides: $3}" '%description' \
        fake '%files' >"$tmp/$1.spec"
    rpmbuild -bb --quiet --define "_topdir $tmp/rpmwork" \
        --define "_rpmdir $tmp/fake" "$tmp/$1.spec"
}

if ! ls "$tmp"/rpms/*.rpm >/dev/null 2>&1; then
    skip "no packages" "RPM packages, installed"
elif here; then
    skip "dftrace is installed here" "RPM packages, installed"
elif ! overlay_start; then
    skip "$overlay_missing" "RPM packages, installed"
else
    chmod 755 "$tmp"
    # rpm knows no package here: one stands for the whole system, one for Slurm
    release=$(rpm -qpR "$tmp"/rpms/dftrace-slurm-plugin*.rpm 2>/dev/null |
        sed -n 's/^slurm >= //p')
    provides=$(rpm -qpR "$tmp"/rpms/*.rpm 2>/dev/null |
        grep -vE '^(slurm|dftrace|rpmlib)\b' | sort -u | paste -sd ,)
    ok "rpm: stand-ins" eval "fake machine 1 '$provides' &&
        fake slurm 20.11.7 && fake slurm 35.11.1 && fake slurm $release.8"
    force=() # rpm 4.20 of Debian asks no more
    ! inside rpm --force-debian --version >/dev/null 2>&1 || force=(--force-debian)
    rpm_there() {
        inside rpm "${force[@]}" "$@"
    }
    before=$(changed)
    rpm_there -i "$tmp"/fake/noarch/machine-*.rpm
    for v in 20.11.7 35.11.1; do
        rpm_there -i "$tmp/fake/noarch/slurm-$v-1.noarch.rpm"
        rpm_there -i "$tmp"/rpms/*.rpm >"$tmp/out" 2>&1
        like "$? $(cat "$tmp/out")" "^[1-9].*slurm [<>]=? $release.* is needed by dftrace-slurm" \
            "rpm: not beside Slurm $v"
        rpm_there -e slurm
    done
    rpm_there -i "$tmp/fake/noarch/slurm-$release.8-1.noarch.rpm"
    ok "rpm: installs beside Slurm $release.8" rpm_there -i "$tmp"/rpms/*.rpm
    is "$(rpm_there -V dftrace dftrace-slurm-plugin)" "" \
        "rpm: every file as it was packed"
    is "$(inside dftrace --version)" "$("$dftrace" --version)" \
        "rpm: the command is found"
    nok "rpm: nor does Slurm go to another release alone" \
        rpm_there -U "$tmp"/fake/noarch/slurm-35.*.rpm
    inside sh -c 'cd /usr/lib*/dftrace/python/dftrace/__pycache__ &&
        touch __init__.cpython-399.pyc'
    ok "rpm: removed" rpm_there -e dftrace-slurm-plugin dftrace
    # but directories that other packages would have brought
    is "$(changed | grep -vxE "/root/\.rpmdb.*|/usr/share/licenses|\
/usr/share/zsh/site-functions|/usr/lib(64)?/slurm")" "$before" \
        "rpm: nothing of it is left"
    overlay_stop
fi

done_testing
