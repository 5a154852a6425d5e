#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1030-processes.t - fork, vfork, clone, exec, threads, signals: nothing
# hangs, nothing is lost, nothing is counted twice

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

# procs KIND: run traced; events of FILE in $tmp/events.
procs ()
{
    local status=0
    rm -rf "${tmp:?}/$1"
    traced "$1" timeout 300 "$victims/procs" "$1" "$tmp/file" >"$tmp/said" || status=$?
    is "$status $(cat "$tmp/said")" "5 end" "$1: runs to its end"
    events "$1" | grep " file=$tmp/file " >"$tmp/events"
    is "$(health "$1" lost)$(health "$1" missing)" 00 "$1: nothing was lost"
}

writes () { grep -c ' write ' "$tmp/events"; }
pids () { awk '{ print $1 }' "$tmp/events" | sort -u | wc -l; }
size () { stat -c %s "$tmp/file"; }

for kind in fork fork_exit bare; do
    procs $kind
    is "$(writes) $(pids)" "102 2" "$kind: every write of parent and child, once"
    is "$((10 * $(writes)))" "$(size)" "$kind: as many as the file has"
done

# A child is begun as a process by its first event: once, whoever has it.
procs late
is "$(writes) $(pids)" "82 21" "late: every write of twenty children, in three threads each"
is "$(processes late)" 22 "late: each is one process, beside timeout and the parent"

procs inherits
is "$(grep ' read ' "$tmp/events" | sed 's/.* size=4 off=\(-*[0-9]*\) .*/\1/' | sort | xargs)" \
    "0 4" "inherits: the child's position goes on where the parent's was"
is "$(grep -c ' read .* size=4 off=' "$tmp/events")" 2 "inherits: its file is"

procs vfork
is "$(writes) $(pids)" "22 1" "vfork: the parent goes on being traced"

procs clone_vm
is "$(pids)" 1 "clone_vm: a child in our memory records nothing under our pid"
is "$(writes)" 2 "clone_vm: the parent goes on being traced"
is "$(health clone_vm untraced)" 1 "clone_vm: the trace says that one child is not in it"

procs exec
is "$(writes) $(pids)" "102 2" "exec: what came before is kept; failed ones change nothing"

procs threads
is "$((10 * $(writes)))" "$(size)" "threads: as many writes as the file has"
is "$(pids)" 21 "threads: twenty children of a process with busy threads"

# A handler that interrupts our own code cannot be recorded, but is counted.
traced signals timeout 300 "$victims/procs" signals "$tmp/file" >"$tmp/said"
is $? 5 "signals: runs to its end"
events signals | grep " file=$tmp/file " >"$tmp/events"
calls=$(sed -n 's/^calls //p' "$tmp/said")
is "$(($(wc -l <"$tmp/events") + $(health signals lost)))" "$calls" \
    "signals: every call is in the trace or counted as lost"
is "$((10 * $(writes)))" "$(size)" "signals: what was interrupted is not lost"
cmp_num "$(grep -c ' read ' "$tmp/events")" -ge 300 "signals: the handler's reads are seen"

# SIGKILL at any moment after it began: what the program has done is in the trace.
for delay in 0 0.05 0.3; do
    rm -rf "$tmp/kill" "$tmp/file"
    # shellcheck disable=SC2016 # for sh
    "$dftrace" run -q -o "$tmp/kill" -- sh -c '
        "$1" kill "$2" & pid=$!
        tries=6000 # of 10 ms
        until [ -s "$2" ] || [ $((tries -= 1)) = 0 ]; do sleep 0.01; done
        sleep "$3"
        kill -KILL $pid
        wait $pid' sh "$victims/procs" "$tmp/file" $delay >"$tmp/progress" 2>"$tmp/said"
    n=$(events kill | grep -c " write .*file=$tmp/file ")
    done=$(($(size) / 10))
    # One call may have reached the kernel and not yet the trace.
    ok "killed after $delay s: $n of $done writes are in the trace" \
        test "$done" -gt 0 -a "$n" -le "$done" -a "$n" -ge $((done - 1))
done

done_testing
