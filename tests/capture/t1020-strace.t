#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1020-strace.t - counts of calls per file agree with the kernel's

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

command -v strace >/dev/null || skip_all "no strace"
strace -o /dev/null true 2>/dev/null || skip_all "strace may not trace here"

# Names of system calls -> rows of calls.def.
canonical ()
{
    sed -E 's/ (newfstatat)$/ fstatat/; s/ (pread|pwrite|fadvise|stat|lstat)64$/ \1/;
            s/ (preadv|pwritev)2$/ \1/; s/ renameat2$/ renameat/; s/ openat$/ open/; s/ fcntl$/ dup/'
}

# strace's count of COMMAND's calls on FILE: "N call", sorted.
kernel ()
{
    local file=$1
    shift
    strace -f -c -P "$file" -U calls,name -o "$tmp/count" "$@" >/dev/null 2>&1
    awk '$1 ~ /^[0-9]+$/ && $2 != "total" { print $1, $2 }' "$tmp/count" | canonical | sort -k 2
}

# Ours: only what the kernel sees, open as libc sends it.
ours ()
{
    grep " file=$2 " <<<"$(events "$1")" |
        awk '$3 !~ /^(f(open|close|read|write|gets|puts|seek|flush|printf|dopen)|getline)$/' |
        rows | sed -E 's/ (openat|creat)$/ open/' |
        awk '{ n[$2] += $1 } END { for (c in n) print n[c], c }' | sort -k 2
}

# ioctl (is it a terminal?) and fcntl are not recorded; libc makes stat and
# fstat of newfstatat on some machines.
same ()
{
    grep -vE 'ioctl|dup' | sed -E 's/ (fstatat|lstat|stat)$/ fstat/' |
        awk '{ n[$2] += $1 } END { for (c in n) print n[c], c }' | sort -k 2
}

head -c 300000 /dev/urandom >"$tmp/data"

# dd: read and lseek; 4 KiB blocks from the middle.
want=$(kernel "$tmp/data" dd if="$tmp/data" of=/dev/null bs=4096 skip=3 count=50)
traced dd dd if="$tmp/data" of=/dev/null bs=4096 skip=3 count=50 2>/dev/null
is "$(ours dd "$tmp/data" | same)" "$(same <<<"$want")" \
    "dd: every call on its input"
like "$want" "50 read" "dd: and there were 50 reads"

if command -v python3 >/dev/null; then
    python=$(python3 -c 'import sys; print (sys.executable)')
    cat >"$tmp/read.py" <<-'END'
	import os, sys, mmap
	for i in range (40):
	    with open (sys.argv[1], "rb", buffering=0) as f:
	        f.seek (i * 100)
	        f.read (64)
	fd = os.open (sys.argv[1], os.O_RDWR)
	os.pread (fd, 10, 5)
	os.preadv (fd, [bytearray (4), bytearray (8)], 7)
	os.fstat (fd)
	os.fsync (fd)
	os.close (fd)
	os.stat (sys.argv[1])
	END
    want=$(kernel "$tmp/data" "$python" "$tmp/read.py" "$tmp/data")
    traced py "$python" "$tmp/read.py" "$tmp/data"
    is "$(ours py "$tmp/data" | same)" "$(same <<<"$want")" \
        "python: open, fstat, lseek, read, close per part"
    cmp_num "$(ours py "$tmp/data" | awk '$2 == "read" { print $1 }')" -ge 40 \
        "python: its reads are there"
else
    skip "no python3" "python: open, fstat, lseek, read, close per part"
    skip "no python3" "python: its reads are there"
fi

# Whether a path can be read is asked only where a failure leaves that open: 100
# failures that do not add no call of ours.
if command -v python3 >/dev/null; then
    cat >"$tmp/fail.py" <<-'END'
	import os, sys
	file, failed = sys.argv[1], 0
	for i in range (int (sys.argv[2])):
	    for call in (lambda: os.stat (file + ".none"), lambda: os.stat (file + "/x"),
	                 lambda: os.mkdir (file), lambda: os.readlink (file)):
	        try:
	            call ()
	        except OSError:
	            failed += 1
	print (failed)
	END
    for n in 0 100; do
        mkdir "$tmp/fail$n"
        DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/fail$n strace -f -e trace=rt_sigprocmask -o "$tmp/asked$n" \
            -E LD_PRELOAD="$library" "$python" "$tmp/fail.py" "$tmp/data" $n >"$tmp/failed"
    done
    is "$(cat "$tmp/failed") $(events fail100 | grep -c " file=$tmp/data.* err=")" "400 400" \
        "failures: each is in the trace with its path"
    # 0xfffffffe is asked for last words, before a call: so often as time goes by.
    is "$(grep -vc 0xfffffffe "$tmp/asked100")" "$(grep -vc 0xfffffffe "$tmp/asked0")" "failures: whose path is known to be there ask nothing"
else
    skip "no python3" "failures: each is in the trace with its path"
    skip "no python3" "failures: whose path is known to be there ask nothing"
fi

# Children, too: sh opens the file for three of them.
script="for i in 1 2 3; do head -c 1000 <'$tmp/data'; done"
want=$(kernel "$tmp/data" sh -c "$script" | grep ' read')
traced sh sh -c "$script" >/dev/null
is "$(ours sh "$tmp/data" | grep ' read')" "$want" "sh: reads of three children"

done_testing
