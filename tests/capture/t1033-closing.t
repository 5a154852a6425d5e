#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1033-closing.t - programs that close descriptors they do not know: ours are
# not in the way, theirs stay theirs, tracing goes on

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
export DFTRACE_CHUNK=16K # so that our file is opened all the time
# Some machines allow a thousand million: too many to close one by one.
[[ $(ulimit -Sn) =~ ^[0-9]{1,5}$ ]] || ulimit -Sn 65536

# closing KIND: as untraced; every write is in the trace.
closing ()
{
    local plain with=0
    (timeout -k 5 60 "$victims/closing" "$1" "$tmp/file") >plain.out 2>/dev/null </dev/null
    plain=$?
    (timeout -k 5 60 "$dftrace" run -q -o "$tmp/$1" -- "$victims/closing" "$1" "$tmp/file") \
        >out 2>said </dev/null || with=$?
    is "$with $(cat out)" "$plain $(cat plain.out)" "$1: the same"
    is "$(events "$1" | grep -c " write .* file=$tmp/file ")+$(health "$1" lost)" \
        "$(sed -n 's/^writes //p' said)+0" "$1: every write is in the trace"
}

# all DIR [COMMAND… [ROUNDS]]: by that command, such as strace.
all ()
{
    local dir=$1
    shift
    (timeout -k 5 60 "$dftrace" run -q -o "$tmp/$dir" -- "$@") >out 2>said </dev/null
}

# whole DIR NAME
whole ()
{
    is "$(events "$1" | grep -c " write .* file=$tmp/file ")+$(health "$1" lost)" \
        "$(sed -n 's/^writes //p' said)+0" "$2: every write is in the trace"
}

closing one
# A thread that is suspended within the 0.1 us that are left to chance (see
# lib/base/highfd.c) may close a number of the program's: not three times.
for ((try = 0; try < 3; try++)); do
    all "try$try" "$victims/closing" all "$tmp/file"
    grep -qx 'bad = 0' out && break
done
cmp_num "$try" -lt 3 "all: nothing that it opened was closed for it"
is "$(sed -n 's/^before = //p' out)" 0 "all: nor of what its threads write to"
whole "try$try" all

# Whatever is opened is closed by that thread before the call comes back.
slow=(strace -f -qq -o /dev/null -e trace=openat -e inject=openat:delay_exit=500)
if "${slow[@]}" true 2>/dev/null; then
    all slow "${slow[@]}" "$victims/closing" all "$tmp/file" 500
    like "$(cat said)" "writes [1-9]" "slow calls: the program ran"
    whole slow "slow calls"
else
    skip "no strace, or it may not trace here" "slow calls"
fi

# A disk that is busy: the thread that makes the file takes 0.4 s for it, and
# the others wait.
slow=(strace -f -qq -o /dev/null -e trace=linkat -e inject=linkat:delay_enter=400000)
if "${slow[@]}" true 2>/dev/null; then
    mkdir "$tmp/work"
    all made "${slow[@]}" "$victims/random/mixture" 7 300 20 3 0 "$tmp/work"
    is "$(health made lost)" 0 "a file that takes long to make: nothing is lost"
    cmp_num "$(events made | grep -c " read ")" -gt 50 "and the threads' calls are there"
else
    skip "no strace, or it may not trace here" "a file that takes long to make"
fi

done_testing
