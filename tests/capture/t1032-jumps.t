#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1032-jumps.t - signals at any moment, whose handlers fork, return in the
# child, or jump away; threads cancelled at any instruction; interrupted calls;
# small stacks: the program goes on as it does untraced, and so does tracing

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

# jumps KIND: as untraced; $calls that it says, $writes of its file, $seen of
# them in the trace, $lost.
jumps ()
{
    local plain with=0
    (timeout -k 5 60 "$victims/jumps" "$1" "$tmp/file") >"$tmp/plain" 2>/dev/null
    plain=$?
    (timeout -k 5 60 "$dftrace" run -q -o "$tmp/$1" -- "$victims/jumps" "$1" "$tmp/file") >"$tmp/with" 2>"$tmp/said" || with=$?
    is "$with $(cat "$tmp/with")" "$plain $(cat "$tmp/plain")" "$1: the same"
    calls=$(sed -n 's/^writes //p' "$tmp/said")
    writes=$(($(stat -c %s "$tmp/file") / 10))
    seen=$(events "$1" | grep -c " write .* file=$tmp/file ")
    lost=$(health "$1" lost)
}

jumps forks
is "$seen+$lost $calls" "$writes+0 $writes" "forks: every write of the parent and of 200 children is in the trace"

# The child goes on in the middle of our code, in a copy of our memory.
jumps returns
is "$seen" "$writes" "returns: every write of the parent and of 200 children is in the trace"
cmp_num "$lost" -le 200 "returns: no more than the call that each child went on with is counted as lost"
is "$(processes returns)" 201 "returns: each is a process of its own"

# A jump leaves a call that has been made and not yet recorded: one each.
jumps jumps
ok "jumps: what returned before a jump is in the trace ($seen of $writes)" \
    test "$seen" -le "$writes" -a $((seen + lost)) -ge $((writes - 300))
is "$(events jumps | awk '$1 == $2' | grep ' write .* ret=10 ' | grep -c " file=$tmp/file ")" 100 \
    "jumps: so is all that the main thread does after 300 of them"
cmp_num "$lost" -le 300 "jumps: no more than one is lost by each"

jumps cancels
ok "cancels: what returned before is in the trace ($seen of $calls to $writes)" \
    test "$seen" -le "$writes" -a $((seen + lost)) -ge "$calls"

# steps KIND LAYERS EVERY [PREADS]: $children that a signal interrupted in a pread,
# each after another instruction; how many have all 10 calls of stat and PREADS of
# pread in the trace; events in all, lost ones.
steps ()
{
    children=$("$dftrace" run -q --layers "$2" -o "$tmp/$1-$2" -- \
        "$victims/odd/stepjump" "$1" "$tmp/file" "$3" | cat)
    whole=$(events "$1-$2" | awk -v preads="${4-0}" '{ n[$1 " " $3]++; pid[$1] }
        END { for (p in pid) k += n[p " stat"] == 10 && n[p " pread"] >= preads; print k + 0 }')
    lost=$(health "$1-$2" lost)
    all=$(($(health "$1-$2" counted) + lost))
}
echo abc >"$tmp/file"
steps reads posix 1 14
if [ "$children" = none ]; then
    skip "no single steps here" "a jump out of each instruction of a call"
else
    is "$whole" "$children" "a jump out of each instruction of a call ($children): later events are there"
    cmp_num "$lost" -le "$children" "no more than one is lost by each"
    steps paths posix 1 14
    is "$whole" "$children" "so they are if calls of stat come first"
    cmp_num "$lost" -le "$children" "no more than one is lost by each"
    steps handler posix 1 15
    is "$whole" "$children" "a handler's read at each instruction ($children): later events are there"
    cmp_num $(($(events handler-posix | grep -c ' pread ') + lost)) -ge $((16 * children - 1)) \
        "each read of a handler is in the trace or counted as lost"
    steps paths posix,profile 13
    cmp_num "$lost" -le "$children" "a profile loses no more than one by each jump ($children)"
    cmp_num "$all" -ge $((24 * children)) "and has the others"
fi

jumps interrupts
like "$(cat "$tmp/with")" 'Interrupted.*Interrupted.*= 1' "interrupts: EINTR where it was asked for"

jumps stacks
is "$(events stacks | awk '{ print $1, $2 }' | sort -u | wc -l)" 3 \
    "stacks: handlers on 8 KiB, a thread on 16 KiB, a child: all are in the trace"
is "$(events stacks | grep -c ' open .* file=/x.* err=2 ')" 3 "stacks: with a path of 4000 bytes"

done_testing
