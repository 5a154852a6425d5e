#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1079-unnamed.t - files whose path cannot be told are recorded, with the name
# that can be had

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99

# moved JOB CALL REGEX: "calls bytes" of files like that
moved ()
{
    events "$1" | awk -v call="$2" -v re="$3" '$3 == call && $0 ~ re {
        n++; if (match ($0, " ret=[0-9]+")) bytes += substr ($0, RSTART + 5, RLENGTH - 5)
    } END { print n + 0, bytes + 0 }'
}

mkdir deep.work removed.work
for way in deep removed; do
    cd "$tmp/$way.work" || exit 99
    exits 0 "$way: the program ran" traced "$way" "$victims/odd/unnamed" "$way"
    cd .. || exit 99
    is "$(health "$way" lost)" 0 "$way: nothing was lost"
done
is "$(moved deep write 'file=/.*/leaf ')" "10 10000" \
    "a directory whose path is longer than PATH_MAX: all writes are there"
is "$(events deep | grep -c 'file=/.too.x20long./[0-9]*/leaf ')" 12 \
    "and open, writes and close have one name"
is "$(moved removed write "file=$tmp/removed.work/beside ")" "10 10000" \
    "a directory that has been removed: all writes are there, by their path"
is "$(moved removed read "file=$tmp/removed.work/beside ")" "1 1000" \
    "and so is the read by a descriptor of it"

# A file system that was unmounted while in use.
mkdir lazy.work
cat >lazy.sh <<-'END'
mount -t tmpfs none lazy.work && cd lazy.work && umount -l ../lazy.work || exit 77
exec dd if=/dev/zero of=inlazy bs=1000 count=5 2>/dev/null
END
if unshare -m true 2>/dev/null; then
    status=0
    unshare -m "$dftrace" run -q -o "$tmp/lazy" -- sh lazy.sh || status=$?
else
    status=77
fi
if [ "$status" = 77 ]; then
    skip "no mounts here" "a file system that was unmounted: all writes are there"
else
    is "$(moved lazy write 'file=/.unreachable./inlazy ')" "5 5000" \
        "a file system that was unmounted: all writes are there"
fi

# Nothing of that breaks tables that people read.
exits 0 "analyzed" "$dftrace" analyze --quiet deep
is "$(awk -F, '/leaf/ { n++ } END { print n + 0 }' deep/tables/files.csv)" 1 "the file is in the table of files"

done_testing
