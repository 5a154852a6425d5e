#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1330-mounts.t - which file system a file is on, as the kernel says: once for
#                  each mount of a process, over symbolic links, bind mounts
#                  and mount namespaces, too

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

mkdir -p "$tmp/d/e"
echo data >"$tmp/d/e/a"
cp "$tmp/d/e/a" "$tmp/d/e/b"

# fields of opens that tell of a mount: file, type, mount, prefix
told ()
{
    "$dftrace" export -f jsonl "$tmp/$1" 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads (line)
    a = e.get ("args", {})
    if "fs.type" in a:
        print (e["file"], a["fs.type"], a["fs.mount"], a.get ("fs.prefix", "="))'
}
# of one file: its type and mount by the analysis
shown ()
{
    "$dftrace" analyze --no-write "$tmp/$1" --view file -f json 2>/dev/null | python3 -c '
import json, sys
for f in json.load (sys.stdin):
    if f["file"] == sys.argv[1]:
        print (f["fs_type"], f["mount"], f["stripes"])' "$2"
}
kernel () { findmnt -n -o FSTYPE,TARGET -T "$1" | tail -n 1 | xargs; }

[ -n "$(kernel "$tmp/d/e/a")" ] ||
    skip_all "the kernel lists no mount of $tmp: in a chroot that is no mount point"
traced job cat "$tmp/d/e/a" "$tmp/d/e/b" >/dev/null
is "$(told job | grep -c "$tmp/d/e")" 1 "two files of a mount: told once"
is "$(told job | cut -d' ' -f2-3)" "$(kernel "$tmp/d/e/a")" \
    "type and mount are those that the kernel has"
is "$(shown job "$tmp/d/e/a")" "$(kernel "$tmp/d/e/a") None" "the file has them"
is "$(shown job "$tmp/d/e/b")" "$(kernel "$tmp/d/e/b") None" \
    "so has the file that came later"
cmp_num "$("$dftrace" analyze --no-write "$tmp/job" --view mount -f csv | sed -n 2p | cut -d, -f4)" \
    -ge 2 "table of mounts: two files and what else cat looked at"
is "$("$dftrace" analyze --no-write "$tmp/job" --view mount -f csv | sed -n 2p | cut -d, -f3)" \
    "$(stat -c %o "$tmp/d/e/a")" "its block size is that of stat"

# A filter that leaves opens out leaves this out, and nothing else breaks.
DFTRACE_EXCLUDE_CALLS=open:openat traced noopen cat "$tmp/d/e/a" >/dev/null
is "$(told noopen)" "" "no opens: not told"
is "$(shown noopen "$tmp/d/e/a")" "None None None" "and n/a"

# Over a symbolic link to another file system.
other=$(mktemp -d -p /dev/shm dft-mounts-XXXXXX 2>/dev/null)
if [ -n "$other" ] && [ "$(stat -c %d "$other")" != "$(stat -c %d "$tmp")" ]; then
    trap 'rm -rf "$other" "$tmp"' EXIT
    echo x >"$other/x"
    echo y >"$other/y"
    ln -s "$other" "$tmp/d/link"
    ln -s "$other/x" "$tmp/d/e/x"
    traced link cat "$tmp/d/e/a" "$tmp/d/link/x" "$tmp/d/link/y" "$tmp/d/e/x" \
        "$tmp/d/e/b" >/dev/null
    want=$(kernel "$other/x")
    is "$(told link | wc -l)" 3 "mount, directory behind a link, file that is one"
    is "$(shown link "$tmp/d/link/x")" "$want None" "a directory that is a link"
    is "$(shown link "$tmp/d/link/y")" "$want None" "its other files"
    is "$(shown link "$tmp/d/e/x")" "$want None" "a file that is a link"
    is "$(shown link "$tmp/d/e/b")" "$(kernel "$tmp/d/e/b") None" \
        "not those beside it"
else
    skip 5 "/dev/shm is no other file system"
fi

# A child that begins while another thread asks for a mount.
if [ -L "$tmp/d/link" ]; then
    traced forks "$victims/forks/mounts" "$tmp/d/e/a" "$tmp/d/link/x"
    status=$?
    if [ $status = 77 ]; then
        skip "nothing was asked that can be caught" "a child of a thread beside one that asks"
    else
        is "$status $(told forks | grep -c "^$tmp/d/link/x ")" "0 1" \
            "a child of a thread beside one that asks: it tells of mounts, too"
    fi
else
    skip "/dev/shm is no other file system" "a child of a thread beside one that asks"
fi

# In a mount namespace of its own: tmpfs, bind mount, overlay, ext4 of a file.
cat >"$tmp/inside" <<'END'
set -e
mkdir -p t b o lower upper work big
mount -t tmpfs -o size=1m none t
mount --bind d/e b
echo 1 >t/f
echo low >lower/f
overlay=none
mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none o 2>/dev/null && overlay=o/f
loop=none
if truncate -s 4M disk && mkfs.ext4 -q -F disk 2>/dev/null && mount -o loop disk big 2>/dev/null; then
    echo e >big/f
    loop=big/f
fi
echo "$overlay $loop" >where
files="t/f b/a"
for f in $overlay $loop; do [ "$f" = none ] || files="$files $f"; done
for f in $files; do echo "$f $(findmnt -n -o FSTYPE,TARGET -T "$f" | tail -n 1 | xargs)"; done >kernel
exec "$DFTRACE" run -q -o space -- cat $files
END
if (cd "$tmp" && DFTRACE=$dftrace unshare -m bash ./inside) >"$tmp/out" 2>"$tmp/err"; then
    while read -r file type mount; do
        is "$(shown space "$tmp/$file")" "$type $mount None" "$file: $type"
    done <"$tmp/kernel"
    grep -q '^o/f' "$tmp/kernel" || skip 1 "no overlay can be mounted"
    grep -q '^big/f' "$tmp/kernel" || skip 1 "no loop device can be mounted"
else
    skip 4 "no mount namespace: $(tail -1 "$tmp/err")"
fi

done_testing
