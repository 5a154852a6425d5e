#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1012-syscall.t - calls through syscall () of libc: those that move data or
# give descriptors are in the trace, the others pass as if nobody were there

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

fresh () { rm -rf "${tmp:?}/place" && mkdir "$tmp/place"; }

alike raw "$victims/raw" "$tmp/place"
events raw >"$tmp/trace"

# row CALL FILE REST: how many events there are
row () { grep -cE " $1 .*file=$tmp/place/$2 ${3-}" "$tmp/trace"; }

is "$(row write file 'size=7 off=0 ret=7 ') $(row writev file 'size=7 off=7 ret=7 ')" "1 1" "write, writev: with their places"
is "$(row pwrite file 'size=7 off=100 ret=7 ') $(row pwritev file 'size=7 off=[23]00 ret=7 ')" "1 2" "pwrite, pwritev: the same"
is "$(row read file 'size=2 off=1 ret=2 ') $(row readv file 'size=7 off=3 ret=7 ')" "1 1" "read, readv: where lseek went"
is "$(row pread file 'size=3 off=100 ret=3 ') $(row preadv file 'size=7 off=100 ret=7 ') $(row preadv file 'size=7 off=10 ret=7 ')" \
    "1 1 1" "pread, preadv: and where there was none"
is "$(row fsync file) $(row fdatasync file) $(row fallocate file)" "1 1 1" "fsync, fdatasync, fallocate"
is "$(row copy_file_range file) $(row sendfile file)" "1 1" "copy_file_range, sendfile"
is "$(row pwritev other 'size=6 off=-1 ret=6 ') $(row sync_file_range other) $(row ftruncate other 'size=4 ') $(row splice file 'size=4 ')" \
    "1 1 1 1" "RWF_APPEND, sync_file_range, ftruncate, splice"
is "$(row statx file '.* ret=0 ') $(row statx none '.* err=2 ') $(row mmap file 'size=4096 ') $(row msync file) $(row munmap file)" \
    "2 1 1 1 1" "statx, mmap, msync, munmap"
is "$(row openat none '.* err=2 ')" 1 "a file that is not there"
is "$(row write file 'size=5 .*ret=5 ')" 1 "a child of clone writes"
is "$(processes raw)" 2 "and is a process of its own there"
is "$(row read file 'size=1 ') $(row read other 'size=1 ')" "2 1" "a number that comes back is the file that it is then"

# An io_uring that no library made.
printf abcdefg >"$tmp/file"
if "$victims/raw" ring "$tmp/file" >/dev/null; then
    alike ring "$victims/raw" ring "$tmp/file"
    is "$(health ring rings)" 1 "ring: is said"
    # not the three behind it, as an event loop has them, that move nothing
    like "$("$dftrace" stat "$tmp"/ring/shards/*.dft)" ' 1 requests of io_urings' "ring: and what was asked of it"
    alike polled "$victims/raw" polled "$tmp/file"
    like "$("$dftrace" stat "$tmp"/polled/shards/*.dft)" ' 3 requests of io_urings' "a ring that the kernel polls: its requests are counted at the end"
    alike unseen "$victims/raw" unseen "$tmp/file"
    like "$("$dftrace" stat "$tmp"/unseen/shards/*.dft)" ' 3 requests of io_urings' "submitted by the instruction itself, as fio does: counted at the end"
    like "$("$dftrace" analyze "$tmp/unseen" 2>&1)" '3 requests of io_urings, whose results cannot be seen' "and on the first screen"
else
    skip "no io_uring here" "ring: the same"
fi

done_testing
