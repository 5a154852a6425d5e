#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1076-leaving.t - programs that change their root or user go on as they do
# untraced, and what they do then is in the trace, to which there is no way any
# more

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

export DFTRACE_CHUNK=16K # so that space is needed again

# leaver CALL DIR LIBRARY: in an empty place, from which there is no way to DIR
leaver ()
{
    rm -rf "${tmp:?}/place" "${tmp:?}/$2"
    mkdir -m 755 "$tmp/place" "$tmp/$2"
    (cd "$tmp/place" && DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/$2 LD_PRELOAD=$3 \
        timeout 300 "$victims/leaver" "$1" "$tmp/place/file") >"$tmp/out" 2>&1
    echo "status $?" >>"$tmp/out"
    stat -c %s "$tmp/place/file" >>"$tmp/out"
}

# Its child has no way to a file of its own: where it has none, its parent's says
# how many of its 10 events there were, and that it was not followed.
child ()
{
    local n
    n=$(events job | grep -c " write .*/file size=11 ")
    is "$((n + $(health job lost)))" 10 "$call: its child's are there, or counted"
    [ "$n" -gt 0 ] || like "$("$dftrace" stat "$tmp"/job/shards/*.dft)" ' 1 children not traced' \
        "$call: and who made them"
}

for call in chroot setuid seteuid setreuid setresuid setgid setegid setregid setresgid setgroups; do
    leaver $call plain ""
    cp "$tmp/out" "$tmp/plain.out"
    leaver $call job "$library"
    is "$(cat "$tmp/out")" "$(cat "$tmp/plain.out")" "$call: the same"
    is "$(events job | grep -c " write .*/file size=10 ")" 8020 "$call: every write is there"
    child
done

# The number of what we keep may become the program's: nothing of ours may be
# written there.
leaver taken plain ""
cp "$tmp/out" "$tmp/plain.out"
leaver taken job "$library"
is "$(cat "$tmp/out")" "$(cat "$tmp/plain.out")" "taken: the same, and its file is as it was"
n=$(events job | grep -c " write .*/file size=10 ")
cmp_num "$n" -ge 8010 "taken: what was before is there"
cmp_num $((n + $(not_events job))) -ge 16020 "taken: what is not is counted"

# Layer mmap has a thread of its own. Libc makes calls on users and groups in
# each thread, and aborts where some may and some may not; who has threads may
# not change some namespaces.
head -c 4M /dev/urandom >"$tmp/mapped"
for way in ids unshare setns rights; do
    run_options="--layers posix,mmap"
    if [ $way = ids ] && [ "$(id -u)" != 0 ]; then
        skip "only root has capabilities to keep" "ids: the same traced and untraced"
        continue
    fi
    alike $way "$victims/odd/drops" $way "$tmp/mapped"
    is "$(events $way | grep -c " mmap .*file=$tmp/mapped ")" "$(case $way in ids) echo 11 ;; *) echo 2 ;; esac)" \
        "$way: every mapping is in the trace"
done

# Pages of ours are not put behind mappings of the program.
alike grow "$victims/odd/grow" "$tmp/grows" 50
is "$(cat "$tmp/out")" "0 could not" "a mapping grows where it is"

done_testing
