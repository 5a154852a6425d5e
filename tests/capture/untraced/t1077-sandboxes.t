#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1077-sandboxes.t - programs that forbid themselves system calls or the clock
# live on as untraced; where their trace ends is said

. "${top_srcdir:-$(dirname "$0")/../../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

case $(uname -m) in
x86_64 | aarch64) ;;
*) skip_all "no filters for this machine" ;;
esac
chmod 755 "$tmp"

# sandbox KIND DIR LIBRARY [LAYERS]: status, output and size of the file
sandbox ()
{
    rm -rf "${tmp:?}/file" "${tmp:?}/$2"
    mkdir -m 777 "$tmp/$2"
    (DFTRACE_LAYERS=${4:-posix,stdio,app} DFTRACE_JOB_DIR=$tmp/$2 LD_PRELOAD=$3 \
        timeout -k 5 60 "$victims/sandbox" "$1" "$tmp/file") >"$tmp/out" 2>&1 </dev/null
    echo "status $?" >>"$tmp/out"
    stat -c %s "$tmp/file" >>"$tmp/out"
}

# boxed KIND WRITES STOPS: the same untraced and traced; in the trace are so
# many writes of its lines, and so many ends of tracing.
boxed ()
{
    sandbox "$1" plain ""
    cp "$tmp/out" "$tmp/plain.out"
    sandbox "$1" "$1" "$library"
    is "$(cat "$tmp/out")" "$(cat "$tmp/plain.out")" "$1: the same"
    is "$(events "$1" | grep -c " write .*/file size=10 ")" "$2" "$1: what can be is traced"
    is "$(events "$1" | grep -c ' trace_stopped ')" "$3" "$1: where it ends is in the trace"
}

boxed strict 100 1
boxed filter 100 1
boxed seccomp 100 1
boxed all 100 1
boxed thread 100 1
boxed child 200 1
boxed mild 200 0
boxed refused 200 2 # it goes on, which is said, too
boxed clock 100 1
boxed asks 200 0 # whether there are such calls
is "$(health asks untraced)" 0 "asks: nothing of it is untraced"
sandbox ring plain ""
if grep -qx 'status 77' "$tmp/out"; then
    skip "no io_uring here" "ring"
else
    boxed ring 100 1
fi

# A program that is started in the sandbox is not started with us.
boxed fork 100 1
is "$(grep -cx 0 "$tmp/out")" 1 "fork: a program that is started is not traced"
is "$(health fork untraced)" 2 "fork: both are counted"

said=$("$dftrace" analyze "$tmp/filter" 2>&1)
like "$said" 'sandbox: traced only until seccomp or prctl: seccomp filter' "analyze says it"
like "$said" 'not traced: 1 process: 1 × sandbox .stopped.' "and counts it"

# The layers' own threads are out of the way, too.
sandbox all mmap "$library" posix,mmap
is "$(cat "$tmp/out")" "$(sandbox all plain "" && cat "$tmp/out")" "all: the same with layer mmap"

# Who forgot to name a call of ours in ours.def would be killed.
named=$(sed -n 's/^OURS (\([a-z0-9_]*\)).*/\1/p' "$top_srcdir/preload/ours.def" | sort)
# Those of wrap_syscall.c, wrap_exec.c, wrap_shell.c and of a `case` are the program's.
used=$(grep -rhE 'SYS_[a-z0-9_]+' "$top_srcdir/lib/base/sys.h" "$top_srcdir/preload/record" \
    "$top_srcdir/preload" --include=*.c --include=*.h --exclude=wrap_syscall.c \
    --exclude=wrap_exec.c --exclude=wrap_shell.c | grep -v '^# *\(define\|ifndef\|ifdef\)\|case SYS_' |
    grep -oE 'SYS_[a-z0-9_]+' | sed s/SYS_// | sort -u)
is "$(comm -13 <(echo "$named") <(echo "$used"))" "" "ours.def has every call of ours"

done_testing
