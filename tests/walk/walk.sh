#!/bin/bash
# SPDX-License-Identifier: MIT
#
# walk.sh - a newcomer's walk: the commands of a page, as they stand, in a fresh
#           Debian 12 or 13 root file system
#
# In:  README.md, doc/admin.md; a mirror of Debian; root, debootstrap
# Out: TAP, one line for each of README's two commands, each block of a page and each
#      result; all output of the commands in WALK_DIR/NAME.log
# Caveat: Slurm listens on its usual ports meanwhile, so none may run here.
#
# The commands are taken out of the page: blocks of a section that are indented
# by four blanks, in their order, in one shell. A block fails where one of its
# commands fails.

set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WALK_DIR=${WALK_DIR:-/var/tmp/dftrace-walk}
# shellcheck disable=SC2016 # for apt
WALK_MIRROR=${WALK_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' 2>/dev/null | head -n 1)} # this machine's
WALK_SECONDS=${WALK_SECONDS:-7200} # for one page
WALK_SUITES=${WALK_SUITES:-bookworm trixie}
WALK_CGROUPS=${WALK_CGROUPS:-yes no} # whether cgroup file systems are mounted
WALK_AS=${WALK_AS:-root sudo}
source_dir=/srv/dftrace # in the new system; not below /usr, which is not traced
suite=
cgroups=yes
account=root
tests=0
failed=0
holder= # of the namespaces
walker= # a process inside

usage() {
    cat <<END
Usage: walk.sh [quickstart | tests | readme | admin]…
Walk through pages, each in a root file system of its own, as root:
  quickstart  README's ./quickstart
  tests       README's ./run-tests
  readme      README's "Five minutes without Slurm"
  admin       doc/admin.md's "From an empty machine to a traced job"
Without arguments: all. The first two are walked with and without cgroup file
systems (as in a container), by root and by a user with sudo.

Environment: WALK_SUITES ($WALK_SUITES), WALK_CGROUPS ($WALK_CGROUPS), WALK_AS ($WALK_AS),
WALK_DIR ($WALK_DIR), WALK_MIRROR (this machine's first one: $WALK_MIRROR),
WALK_SECONDS ($WALK_SECONDS) for each page
END
}

die() {
    printf 'Bail out! walk.sh: %s\n' "$*"
    exit 1
}

result() { # STATUS NAME
    tests=$((tests + 1))
    if [ "$1" = 0 ]; then
        echo "ok $tests - $2"
    else
        echo "not ok $tests - $2"
        failed=$((failed + 1))
        return 1
    fi
}

# --- pages ----------------------------------------------------------------

# walk_blocks PAGE HEADING: a script of the blocks of a section; before and
# behind each one a word to the log and to descriptor 3.
walk_blocks() {
    awk -v heading="## $2" '
        function finish() {
            if (inside)
                printf "echo \"done %d %s\" >&3\n", n, first
            inside = 0
        }
        /^## / { finish(); wanted = $0 == heading; next }
        !wanted { next }
        /^    / {
            text = substr($0, 5)
            if (!inside) {
                inside = 1
                n++
                first = text
                gsub(/[\\"$`]/, "", first)
                printf "echo \"begin %d %s\" >&3\n", n, first
                printf "echo \"== block %d ==\"\n", n
            }
            print text
            next
        }
        /^$/ { if (inside) print ""; next }
        { finish() }
        END { finish() }' "$top/$1"
}

# --- a new system ---------------------------------------------------------

base_make() {
    [ "$WALK_MIRROR" ] ||
        die "no mirror of Debian is known to apt: next step: run apt-get update, or set WALK_MIRROR"
    local base=$WALK_DIR/base-$suite
    [ ! -e "$base/etc/debian_version" ] || return 0
    rm -rf --one-file-system "$base" "$base.new"
    debootstrap --variant=minbase "$suite" "$base.new" \
        "$WALK_MIRROR" >"$WALK_DIR/debootstrap.log" 2>&1 &&
        mv "$base.new" "$base"
}

root_make() { # NAME
    local root=$WALK_DIR/$1
    rm -rf --one-file-system "$root"
    cp -a "$WALK_DIR/base-$suite" "$root" && mkdir -p "$root$source_dir" || return 1
    if [ -e "$top/.git" ]; then
        git clone -q --no-hardlinks "$top" "$root$source_dir" || return 1
    else
        tar -c -C "$top" . | tar -x -C "$root$source_dir"
    fi
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    echo "127.0.0.1 localhost walk" >"$root/etc/hosts"
}

# An ordinary user who may use sudo, to whom the source belongs.
root_user() { # NAME
    [ "$account" != root ] || return 0
    # shellcheck disable=SC2016 # for that shell
    root_run sh -c 'apt-get -q update && apt-get -q -y --no-install-recommends install sudo passwd &&
        useradd -m -s /bin/bash "$1" && echo "$1 ALL=(ALL) NOPASSWD: ALL" >"/etc/sudoers.d/$1" &&
        chown -R "$1" "$2"' - "$account" "$source_dir" >"$WALK_DIR/$1.sudo" 2>&1
}

root_run() { # COMMAND…: as root, inside
    timeout "$WALK_SECONDS" nsenter -t "$walker" -m -p -u -i \
        env -i HOME=/root USER=root LANG=C.UTF-8 \
        TERM=dumb DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# A host name, processes and mounts of its own, and the root of a container: in a
# chroot mounts cannot be made private. All end with the holder.
root_enter() { # NAME
    # shellcheck disable=SC2016 # for that bash
    unshare --mount --pid --uts --ipc --fork --kill-child bash -c '
        hostname walk &&
        mount --make-rprivate / &&
        mount --bind "$1" "$1" &&
        mount -t proc proc "$1/proc" &&
        if [ "$2" = yes ]; then mount --rbind /sys "$1/sys"; else mount -t sysfs sysfs "$1/sys"; fi &&
        mount --rbind /dev "$1/dev" &&
        mount -t tmpfs tmpfs "$1/run" &&
        mkdir -p "$1/run/lock" &&
        cd "$1" && pivot_root . . && umount -l . && cd / &&
        : >/run/ready && exec sleep infinity' - "$WALK_DIR/$1" "$cgroups" \
        2>"$WALK_DIR/$1.unshare" &
    holder=$!
    local try
    for try in {1..100}; do
        read -r walker _ <"/proc/$holder/task/$holder/children" 2>/dev/null
        if [ -n "$walker" ] && nsenter -t "$walker" -m \
            test -e /run/ready; then
            return 0
        fi
        sleep 0.1
    done
    die "$1: not ready after $try tries"
}

root_leave() {
    [ -z "$walker" ] || kill -9 "$walker" 2>/dev/null
    [ -z "$holder" ] || wait "$holder" 2>/dev/null
    holder=
    walker=
}

# --- the walk -------------------------------------------------------------

# begin NAME: a new root file system with the source, entered.
begin() {
    root_make "$1" || die "$1: cannot make a root file system"
    root_enter "$1"
    root_user "$1" || die "$1: no user with sudo: see $WALK_DIR/$1.sudo"
}

# run_script NAME <SCRIPT: in that root file system, as the account; what it writes to
# descriptor 3 is our output, all else is in NAME.log.
run_script() {
    local name=$1 home=/root
    [ "$account" = root ] || home=/home/$account
    {
        # daemons that a page starts keep descriptor 3: say when it is over
        echo 'trap "echo over >&3" EXIT; set -e; exec </dev/null'
        cat
        echo 'echo all >&3'
    } >"$WALK_DIR/$name.sh"
    install -m 644 "$WALK_DIR/$name.sh" "$WALK_DIR/$name/var/tmp/walk.sh"
    root_run setpriv --reuid "$account" --regid "$account" --init-groups \
        env HOME="$home" USER="$account" \
        bash -c "cd $source_dir && . /var/tmp/walk.sh" 3>&1 >"$WALK_DIR/$name.log" 2>&1
}

last_lines() {
    tail -n 15 "$WALK_DIR/$1.log" | sed 's/^/# /'
}

# walk NAME <SCRIPT, in this shell, which counts
walk() {
    local name=$1 script begun=nothing word n first all='' left
    script=$(cat)
    left=$(grep -c '^echo "begin' <<<"$script")
    [ "$left" -gt 0 ] || die "$name: the page has no such section"
    begin "$name"
    while read -r word n first; do
        case $word in
        begin) begun="$n: $first" ;;
        done)
            result 0 "$name $n: $first"
            left=$((left - 1))
            ;;
        all) all=yes ;;
        over) break ;;
        esac
    done < <(run_script "$name" <<<"$script")
    root_leave
    if [ -z "$all" ]; then
        result 1 "$name $begun"
        last_lines "$name"
    fi
    [ -n "$all" ] && [ "$left" = 0 ]
    result $? "$name: every block of the page worked"
}

# command_once COMMAND REGEX: one of README's two commands ends well and says what matches.
command_once() {
    local name=${1#./}-$suite-$account word all='' with=with said
    [ "$cgroups" = yes ] || with=without
    name+=-$with-cgroups
    grep -q "^    $1 " "$top/README.md" || die "README.md does not have $1"
    begin "$name"
    while read -r word; do
        case $word in
        all) all=yes ;;
        over) break ;;
        esac
    done < <(run_script "$name" <<<"$1")
    root_leave
    said=$(grep -oE '[0-9]+ of [0-9]+ runs done|^[0-9]+ passed.*' "$WALK_DIR/$name.log" | tail -n 1)
    [ -n "$all" ] && grep -q "$2" <<<"$said"
    result $? "$suite $with cgroups, ${account/walker/sudo}, $1: $said" || last_lines "$name"
}

# every_way COMMAND REGEX
every_way() {
    local as
    for cgroups in $WALK_CGROUPS; do
        for as in $WALK_AS; do
            account=${as/sudo/walker}
            command_once "$@"
        done
    done
    cgroups=yes account=root
}

walk_quickstart() {
    every_way ./quickstart '18 of 18 runs done'
}

walk_tests() {
    every_way ./run-tests ' passed, 0 failed'
}

walk_readme() {
    walk "readme-$suite" < <(walk_blocks README.md "Five minutes without Slurm")
    grep -q 'I/O of any process' "$WALK_DIR/readme-$suite.log"
    result $? "readme-$suite: the tables were printed"
}

walk_admin() {
    local name=admin-$suite job
    walk "$name" < <(walk_blocks doc/admin.md \
        "From an empty machine to a traced job")
    job=$(echo "$WALK_DIR/$name"/home/ada/dftrace/first-*)
    test -s "$job/trace.dft"
    result $? "$name: the epilog merged the traces of the job"
    grep -A 1 '"write_bytes": {' "$job/metrics.json" | grep -q ' 1000000,'
    result $? "$name: the job wrote 1000000 bytes"
}

# --- the story ------------------------------------------------------------

case ${1-} in
-h | --help)
    usage
    exit 0
    ;;
esac
[ "$(id -u)" = 0 ] || die "must run as root"
for tool in debootstrap unshare nsenter git; do
    command -v $tool >/dev/null || die "no $tool: install it"
done
trap root_leave EXIT
trap 'exit 130' INT TERM
mkdir -p "$WALK_DIR" || exit 1
[ $# -gt 0 ] || set -- quickstart readme admin tests
for suite in $WALK_SUITES; do
    base_make || die "debootstrap of $suite failed: see $WALK_DIR/debootstrap.log"
    for page in "$@"; do
        case $page in
        quickstart | tests | readme | admin) "walk_$page" ;;
        *) die "$page: no such walk" ;;
        esac
    done
done
echo "1..$tests"
[ $failed -eq 0 ]
