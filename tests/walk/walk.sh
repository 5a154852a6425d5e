#!/bin/bash
# SPDX-License-Identifier: MIT
#
# walk.sh - a newcomer's walk: the commands of a page, as they stand, in a fresh
#           Debian 12 root file system
#
# In:  README.md, doc/admin.md; a mirror of Debian; root, debootstrap
# Out: TAP; all output of the commands in WALK_DIR/NAME.log
# Caveat: Slurm listens on its usual ports meanwhile, so none may run here.
#
# The commands are taken out of the page: blocks of a section that are indented
# by four blanks, in their order, in one shell. A block fails where one of its
# commands fails.

set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WALK_DIR=${WALK_DIR:-/var/tmp/dftrace-walk}
WALK_MIRROR=${WALK_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' 2>/dev/null | head -n 1)} # this machine's
WALK_SECONDS=${WALK_SECONDS:-3600} # for one page
source_dir=/usr/local/src/dftrace  # in the new system
tests=0
failed=0
holder= # of the namespaces
walker= # a process inside

usage() {
    cat <<END
Usage: walk.sh [quickstart | readme | admin]…
Walk through README's quickstart, README's "Five minutes without Slurm" and
doc/admin.md's "From an empty machine to a traced job", each in a root file
system of its own. Without arguments: all three. Root.

Environment: WALK_DIR ($WALK_DIR), WALK_MIRROR (this machine's first one:
$WALK_MIRROR), WALK_SECONDS ($WALK_SECONDS) for each
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
    [ ! -e "$WALK_DIR/base/etc/debian_version" ] || return 0
    rm -rf --one-file-system "$WALK_DIR/base" "$WALK_DIR/base.new"
    debootstrap --variant=minbase bookworm "$WALK_DIR/base.new" \
        "$WALK_MIRROR" >"$WALK_DIR/debootstrap.log" 2>&1 &&
        mv "$WALK_DIR/base.new" "$WALK_DIR/base"
}

root_make() { # NAME
    local root=$WALK_DIR/$1
    rm -rf --one-file-system "$root"
    cp -a "$WALK_DIR/base" "$root" && mkdir -p "$root$source_dir" || return 1
    if [ -e "$top/.git" ]; then
        git -C "$top" archive HEAD | tar -x -C "$root$source_dir"
    else
        tar -c -C "$top" . | tar -x -C "$root$source_dir"
    fi
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    echo "127.0.0.1 localhost walk" >"$root/etc/hosts"
}

# A host name, processes and mounts of its own; all end with the holder.
root_enter() { # NAME
    # shellcheck disable=SC2016 # for that bash
    unshare --mount --pid --uts --ipc --fork --kill-child bash -c '
        hostname walk &&
        mount --make-rprivate / &&
        mount -t proc proc "$1/proc" &&
        mount --rbind /sys "$1/sys" &&
        mount --rbind /dev "$1/dev" &&
        mount -t tmpfs tmpfs "$1/run" &&
        mkdir -p "$1/run/lock" &&
        : >"$1/run/ready" && exec sleep infinity' - "$WALK_DIR/$1" \
        2>"$WALK_DIR/$1.unshare" &
    holder=$!
    local try
    for try in {1..100}; do
        read -r walker _ <"/proc/$holder/task/$holder/children" 2>/dev/null
        if [ -n "$walker" ] && nsenter -t "$walker" -m \
            test -e "$WALK_DIR/$1/run/ready"; then
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

# walk NAME <SCRIPT, in this shell, which counts
walk() {
    local name=$1 begun=nothing word n first all='' left
    {
        # daemons that a page starts keep descriptor 3: say when it is over
        echo 'trap "echo over >&3" EXIT; set -e; exec </dev/null'
        cat
        echo 'echo all >&3'
    } >"$WALK_DIR/$name.sh"
    left=$(grep -c '^echo "begin' "$WALK_DIR/$name.sh")
    [ "$left" -gt 0 ] || die "$name: the page has no such section"
    root_make "$name" || die "$name: cannot make a root file system"
    root_enter "$name"
    cp "$WALK_DIR/$name.sh" "$WALK_DIR/$name/root/walk.sh"
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
    done < <(timeout "$WALK_SECONDS" nsenter -t "$walker" -m -p -u -i \
        chroot "$WALK_DIR/$name" env -i HOME=/root USER=root LANG=C.UTF-8 \
        TERM=dumb DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        bash -c "cd $source_dir && . /root/walk.sh" 3>&1 \
        >"$WALK_DIR/$name.log" 2>&1)
    root_leave
    if [ -z "$all" ]; then
        result 1 "$name $begun"
        tail -n 15 "$WALK_DIR/$name.log" | sed 's/^/# /'
    fi
    [ -n "$all" ] && [ "$left" = 0 ]
    result $? "$name: every block of the page worked"
}

walk_quickstart() {
    walk quickstart < <(
        echo 'echo "begin 1 quickstart" >&3'
        sed -n 's/^    \(\.\/quickstart\) .*/\1/p' "$top/README.md"
        echo 'echo "done 1 quickstart" >&3'
    )
    grep -q 'report.html' "$WALK_DIR/quickstart.log"
    result $? "quickstart: it made a report"
}

walk_readme() {
    walk readme < <(walk_blocks README.md "Five minutes without Slurm")
    grep -q 'I/O of any process' "$WALK_DIR/readme.log"
    result $? "readme: the tables were printed"
}

walk_admin() {
    local job
    walk admin < <(walk_blocks doc/admin.md \
        "From an empty machine to a traced job")
    job=$(echo "$WALK_DIR"/admin/home/ada/dftrace/first-*)
    test -s "$job/trace.dft"
    result $? "admin: the epilog merged the traces of the job"
    grep -A 1 '"write_bytes": {' "$job/metrics.json" | grep -q ' 1000000,'
    result $? "admin: the job wrote 1000000 bytes"
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
base_make || die "debootstrap failed: see $WALK_DIR/debootstrap.log"
[ $# -gt 0 ] || set -- quickstart readme admin
for page in "$@"; do
    case $page in
    quickstart | readme | admin) "walk_$page" ;;
    *) die "$page: no such walk" ;;
    esac
done
echo "1..$tests"
[ $failed -eq 0 ]
