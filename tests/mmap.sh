# SPDX-License-Identifier: MIT
#
# mmap.sh - a file system of our own, whose cache can be emptied; after
# preload.sh
#
#   disk MIB             ext4 in a file, mounted at $disk; skips all where that
#                        cannot be
#   cold                 nothing of it is in the cache; $disk_options: of mount
#   taken                the node may have taken pages back from its caches since
#                        `cold`: what was brought need not be there any more
#   is_kept GOT WANT NAME   as `is`; what differs where pages may have been taken is
#                        skipped: for what has been tried several times
#   device_read          bytes that its device has read so far
#   mapped DIR MODE …    mapper traced with layers posix, app, mmap; its output
#                        in $out; analyzed
#   row TABLE COLUMN KEY=VALUE   a cell of tables/TABLE.csv of the last trace
#   metric NAME          of the last trace
#   within A B PERCENT NAME

mapper=$victims/mapper
disk=$tmp/disk

disk ()
{
    [ "$(id -u)" = 0 ] || skip_all "only root can mount a file system"
    command -v mkfs.ext4 >/dev/null || skip_all "no mkfs.ext4"
    truncate -s "$1M" "$tmp/image" && mkfs.ext4 -q -F "$tmp/image" &&
        mkdir "$disk" || skip_all "no file system can be made"
    mount -o loop "$tmp/image" "$disk" 2>/dev/null ||
        skip_all "no loop device can be mounted here"
    at_exit "umount $disk"
    chmod 755 "$tmp" "$disk"
}

# Pages that the node has taken from its caches so far, for who wanted the memory.
taken_pages ()
{
    awk '/^pgsteal_|^drop_pagecache / { n += $2 } END { print n + 0 }' /proc/vmstat
}

# DAMON, where it is on, takes what was not used for some seconds. No counter of
# /proc/vmstat has these pages.
taken_before=
taken ()
{
    [ "$(taken_pages)" != "$taken_before" ] ||
        grep -qsx on /sys/kernel/mm/damon/admin/kdamonds/*/state ||
        grep -qsx Y /sys/module/damon_reclaim/parameters/enabled
}

is_kept ()
{
    if [ "$1" != "$2" ] && taken; then
        skip "the node has taken pages back: $1 of $2" "$3"
    else
        is "$1" "$2" "$3"
    fi
}

disk_options= # with a comma before each
cold ()
{
    # somebody may be looking at it
    for _ in {1..50}; do
        ! umount "$disk" 2>/dev/null || break
        sleep 0.1
    done
    mount -o "loop$disk_options" "$tmp/image" "$disk"
    # another mount namespace may hold it, with its cache
    find "$disk" -type f -exec dd if={} iflag=nocache count=0 status=none \;
    taken_before=$(taken_pages)
}

device_read ()
{
    local device

    device=$(findmnt -no SOURCE "$disk")
    echo $(($(awk '{ print $3 }' "/sys/block/${device##*/}/stat") * 512))
}

mapped ()
{
    trace=$tmp/$1
    shift
    rm -rf "$trace"
    status=0
    out=$("$dftrace" run -q -o "$trace" --layers posix,app,mmap -- \
        "$mapper" "$@" 2>"$tmp/stderr") || status=$?
    "$dftrace" analyze "$trace" >"$tmp/analyzed" 2>&1
}

said ()
{
    sed -n "s/^$1 //p" <<<"$out"
}

row ()
{
    awk -F, -v column="$2" -v key="${3%%=*}" -v value="${3#*=}" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at[key] == value { print $at[column]; exit }' "$trace/tables/$1.csv"
}

metric ()
{
    row metrics value metric="$1"
}

within ()
{
    if awk -v a="${1:-x}" -v b="${2:-x}" -v p="$3" 'BEGIN {
        d = a - b; if (d < 0) d = -d
        exit !(a ~ /^[0-9.]+$/ && b ~ /^[0-9.]+$/ && d <= b * p / 100) }'; then
        pass "$4"
    else
        fail "$4"
        diag "$1 is not within $3 % of $2"
    fi
}
