#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Page faults on a cold file system as layer kernel tells them: how long threads
# slept is what the program finds by the kernel's own account of its time; the
# bytes of each file are those that are in the page cache, to the byte, whoever
# owns the files; pages that system calls touch, too. The device's own counter
# agrees.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/mmap.sh"

layers=posix,app,mmap,kernel
[ -x "$top_builddir/dftrace-kernel" ] || skip_all "layer kernel is not built"
"$dftrace" run -q -o "$tmp/probe" --layers $layers,strict -- true 2>"$tmp/probe.err" ||
    skip_all "layer kernel: $(tail -n 1 "$tmp/probe.err")"
! grep -q 'page faults of mapped files' "$tmp/probe.err" || skip_all "$(cat "$tmp/probe.err")"
[ -r /proc/thread-self/schedstat ] || skip_all "no /proc/PID/schedstat"
command -v fincore >/dev/null || skip_all "no fincore"
numbered_alike || skip_all "in a namespace of processes layer kernel has other numbers"
disk 96
head -c 32M /dev/urandom >"$disk/a.bin"
head -c 24M /dev/urandom >"$disk/b.bin"
# else the kernel itself reads block bitmaps after each mount
disk_options=,no_prefetch_block_bitmaps,noinit_itable
cold 2>/dev/null || { disk_options='' && cold; }

warm ()
{
    :
}

# staller COMMAND …: cold, what warm reads but that, traced, analyzed
staller ()
{
    trace=$tmp/j
    cold
    warm
    before=$(device_read)
    rm -rf "$trace"
    out=$("$dftrace" run -q -o "$trace" --layers $layers -- "$@")
    status=$?
    "$dftrace" analyze "$trace" >"$tmp/analyzed" 2>&1
}

# What is short may differ by a millisecond.
near ()
{
    awk -v a="$1" -v b="$(said slept)" 'BEGIN {
        b /= 1e9; d = a - b; if (d < 0) d = -d
        exit !(a ~ /^[0-9.]+$/ && d <= b * 0.05 + 0.001) }'
}

# Bytes of the job's reads of the device of $disk
asked_of_device ()
{
    awk -F, -v device="$(findmnt -no SOURCE "$disk")" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["device"] == device { n += $at["read_bytes"] } END { print n + 0 }' "$trace/tables/blocks.csv"
}

# Nothing of what was brought has left the page cache since, for want of memory.
resident ()
{
    held_a=$(fincore -nb -o RES "$disk/a.bin")
    held_b=$(fincore -nb -o RES "$disk/b.bin")
    [ $((held_a + held_b)) = "$(metric storage_bytes_faults)" ]
}

# Others use the processors, too: threads wait for one between two looks at their
# clocks, and ends of requests that interrupt some threads are not told (doc/kernel.md).
busy ()
{
    awk -v cores="$(nproc)" '{ exit !($1 > cores / 2 || $4 + 0 > cores) }' /proc/loadavg
}

# about A B: half to twice of it, and 10 ms
about ()
{
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a ~ /^[0-9.]+$/ && a <= 2 * b + 0.01 && a >= b / 2 - 0.01) }'
}

# The clocks of an emulated processor (kernels.sh) go on while it stands still.
slept ()
{
    if [ "${EMULATED-}" ]; then
        skip "the processor is emulated" "$1"
    elif near "$2"; then
        pass "$1"
    elif busy && about "$2" "$(awk "BEGIN { print $(said slept) / 1e9 }")"; then
        skip "the machine is busy: $2 s, slept $(said slept) ns" "$1"
    else
        fail "$1"
        diag "$2 s, slept $(said slept) ns"
    fi
}

# same GOT WANTED NAME: bytes
same ()
{
    if [ "$1" != "$2" ] && busy && about "$1" "$2"; then
        skip "the machine is busy: $1 of $2 bytes" "$3"
    else
        is "$1" "$2" "$3"
    fi
}

# The program reads its clocks one after the other, and may be stopped between
# them; and the kernel itself may read a block of the file system meanwhile. So a
# run that differs has four more tries.
stalled ()
{
    local try

    for try in 1 2 3 4 5; do
        staller "$victims/staller" "$1" "$disk"
        read=$(($(device_read) - before))
        region=$(row faults fault_stall_s name=touch)
        [ "${EMULATED-}" ] && return
        near "$region" && near "$(metric fault_stall_time)" && resident &&
            [ "$(asked_of_device)" = "$read" ] && return
        diag "try $try: region $region s, metric $(metric fault_stall_time) s, slept $(said slept) ns
the job asked the device for $(asked_of_device) bytes, which read $read"
    done
}

for case in sequential random strided files threads forked written filled; do
    case $case in
    written | filled)
        if grep -q 'inside of system calls' "$tmp/probe.err"; then
            skip "$(tail -n 1 "$tmp/probe.err")" "$case"
            continue
        fi
        ;;
    esac
    stalled $case
    slept "$case: stall of the region" "$region"
    slept "$case: of the job" "$(metric fault_stall_time)"
    same "$(asked_of_device)" "$read" "$case: bytes are those of the device"
    is "$(row faults stall_source name=touch)" faults "$case: fault by fault"
    resident || { skip "the node wants memory" "$case: bytes of the page cache" && continue; }
    for file in a b; do
        now=held_$file
        now=${!now}
        [ "$now" -gt 0 ] || continue
        is "$(row mappings storage_bytes_faults file="$disk/$file.bin")" $((now)) \
            "$case: bytes of $file.bin"
        is "$(row mappings exact file="$disk/$file.bin")" yes "$case: exact"
        same "$(row blocks read_bytes file="$disk/$file.bin")" $((now)) \
            "$case: what the device was asked for of $file.bin"
    done
done
like "$(cat "$trace/tables/fault_workers.csv")" 'kernel' "the source is said"
lost=$(metric lost_events)
if [ "$lost" != 0 ] && busy; then
    skip "the machine is busy: $lost are lost, and counted" "nothing is lost"
else
    is "$lost" 0 "nothing is lost"
fi

# Where the library is not, and with no other layer; of a file of which 10 MiB in three
# places are in the page cache already: faults on these bring nothing.
warm ()
{
    local skip

    for skip in 0 13 26; do
        dd if="$disk/a.bin" of=/dev/null bs=1M count=$((skip ? 3 : 4)) skip=$skip status=none
    done
    there=$(($(fincore -nb -o RES "$disk/a.bin")))
}
if gcc -O1 -static -o "$tmp/static" \
    "$top_srcdir/tests/victims/toucher.c" 2>/dev/null; then
    layers=kernel
    for try in 1 2 3 4 5; do
        staller "$tmp/static" "$disk/a.bin"
        held=$(($(fincore -nb -o RES "$disk/a.bin") - there))
        [ "${EMULATED-}" ] || near "$(metric fault_stall_time)" && [ "$(metric storage_bytes_faults)" = $held ] && break
        diag "try $try: $(metric fault_stall_time) s, slept $(said slept) ns"
    done
    slept "static: stall" "$(metric fault_stall_time)"
    same "$(row mappings storage_bytes_faults file="$disk/a.bin")" $held "static: bytes that were not there before"
    slept "static: stall of the file" "$(row mappings fault_stall_s file="$disk/a.bin")"
    slept "static: of the process" "$(awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { n += $at["fault_stall_s"] } END { print n }' "$trace/tables/fault_workers.csv")"
else
    skip "no static libc" "static"
fi

done_testing
