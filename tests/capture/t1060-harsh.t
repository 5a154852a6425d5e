#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1060-harsh.t - ends and limits of every kind: the program behaves as it
# does untraced, and what it did is in the trace or counted as lost
#
# Here are the cases in which other tracers lost everything, hung, or killed
# the program: _exit, quick_exit, abort and SIGKILL before a buffer was written
# (DFTracer, Darshan, Recorder), a full file system (Darshan: SIGBUS), a
# read-only directory (Recorder: SIGSEGV), the table of 1024 descriptors
# (DFTracer), 1024 files (Darshan), an orphan per short process (Darshan).

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

# both KIND: run untraced and traced; output, errors and status must agree.
both ()
{
    local kind=$1 plain=0 with=0
    (timeout 300 "$victims/harsh" "$kind" "$tmp/file") >"$tmp/plain" 2>"$tmp/plain.err" || plain=$?
    rm -rf "${tmp:?}/$kind"
    (traced "$kind" timeout 300 "$victims/harsh" "$kind" "$tmp/file") >"$tmp/with" 2>"$tmp/with.err" || with=$?
    is "$with $(cat "$tmp/with")" "$plain $(cat "$tmp/plain")" "$kind: the same"
    said=$(sed -n 's/^writes //p' "$tmp/with" "$tmp/with.err")
    events "$kind" | grep " file=$tmp/file " >"$tmp/events"
    seen=$(grep -c ' write ' "$tmp/events")
    lost=$(not_events "$kind")
}

for kind in exit _exit quick raw kill term segv abort sigpipe exec cancel destructors; do
    both $kind
    is "$seen+$lost" "$said+0" "$kind: every write is in the trace"
done
is "$(health exec unfinished)" 0 "exec: is not taken for a death"
is "$(health kill unfinished)" 1 "kill: is"
is "$(health exit unfinished)$(health _exit unfinished)" 00 "exit, _exit: orderly ends"

# Where the trace cannot grow, events are counted: with the opens, closes and
# prints among them a few more than said, and the waits of a busy machine.
accounted ()
{
    ok "$3 is in the trace or counted ($1, $2)" test "$1" -ge "$2" -a "$1" -le $(($2 + 100))
}

both fsize
accounted $(($(grep -c ' pread ' "$tmp/events") + lost)) 60000 "fsize: every read"
both nofile
accounted $((seen + lost)) "$said" "nofile: every write"
cmp_num "$seen" -gt 0 "nofile: some are there"

at_exit 'umount "$tmp/full" "$tmp/readonly"'
mkdir "$tmp/full" "$tmp/readonly"
if mount -t tmpfs -o size=128k none "$tmp/full" 2>/dev/null; then
    "$victims/harsh" long "$tmp/file" >"$tmp/plain"
    "$dftrace" run -q -o "$tmp/full/job" -- "$victims/harsh" long "$tmp/file" >"$tmp/with"
    is "$? $(cat "$tmp/with")" "5 $(cat "$tmp/plain")" "full: the same"
    n=$("$top_builddir/tests/tools/dump" "$tmp"/full/job/shards/*.dft | grep -c ' write ')
    lost=$("$top_builddir/tests/tools/dump" "$tmp"/full/job/shards/*.dft |
        sed -n 's/.* lost=\([0-9]*\) .* counted=\([0-9]*\)/\1 + \2/p')
    accounted $((n + ${lost:-0})) 60000 "full: every write"
    cmp_num "$n" -gt 1000 "full: many are there"
    head -c 200k /dev/zero >"$tmp/full/zeros" 2>/dev/null
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/full/job LD_PRELOAD=$library \
        "$victims/harsh" _exit "$tmp/file" >"$tmp/with"
    is "$? $(cat "$tmp/with")" "3 writes 100" "full from the start: the same"
else
    skip "no mount" "full: the same"
fi
if mount -t tmpfs -o ro none "$tmp/readonly" 2>/dev/null; then
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/readonly LD_PRELOAD=$library \
        "$victims/harsh" long "$tmp/file" >"$tmp/with" 2>&1
    is "$? $(cat "$tmp/with")" "5 writes 60000" "read-only: the same, and silent"
else
    skip "no mount" "read-only: the same"
fi
mkdir "$tmp/vanished"
VANISH=$tmp/vanished DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/vanished LD_PRELOAD=$library \
    "$victims/harsh" vanish "$tmp/file" >"$tmp/with" 2>&1
is "$? $(cat "$tmp/with")" "5 writes 60100" "vanished: the same, and silent"
is "$(find "$tmp/vanished" -type f 2>/dev/null | wc -l)" 0 "vanished: nothing is made again"

if [ "$(id -u)" = 0 ]; then
    chmod 711 "$tmp"
    both setuid
    accounted $((seen + lost)) "$said" "setuid: every write"
    is "$lost" 0 "setuid: all are there"
    both chroot
    n=$(events chroot | grep -c ' write .* file=[^ ]*/file \| write fd=[0-9]* file=/file ')
    accounted $((n + $(not_events chroot))) "$said" "chroot: every write"
    is "$(health chroot lost)" 0 "chroot: all are there"
else
    skip "not root" "setuid: the same"
    skip "not root" "chroot: the same"
fi

# Short processes without I/O of their own: no file, no orphan.
before=$(astray)
traced short bash -c 'for i in {1..300}; do /bin/true; done'
cmp_num "$(find "$tmp/short" -name '*.dft' | wc -l)" -le 1 \
    "300 short processes leave no file but their shell's"
is "$(astray)" "$before" "nor one elsewhere"

done_testing
