#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1301-kernel-rings.t - layer kernel: requests of io_urings, by system calls or
#     by the kernel's own thread (SQPOLL), with registered files and buffers or
#     without: fio's own counts and bytes

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
layers=posix,kernel
[ -x "$top_builddir/dftrace-kernel" ] || skip_all "layer kernel is not built"
"$dftrace" run -q -o probe --layers $layers,strict -- true 2>probe.err ||
    skip_all "layer kernel: $(tail -n 1 probe.err)"
! grep -q 'io_urings' probe.err || skip_all "$(cat probe.err)"
command -v fio >/dev/null || skip_all "no fio"
fio --name=x --ioengine=io_uring --size=4k --filename=probe.dat >/dev/null 2>&1 ||
    skip_all "no io_uring here"

# transfers DIR: "NAME COUNT BYTES" of each kind of request on the file
transfers ()
{
    "$dftrace" export -f jsonl "$1" | jq -r --arg f "$tmp/data" \
        'select (.file == $f and (.name == "aio_read" or .name == "aio_write" or
                                  .name == "aio_fsync")) | [.name, .ret] | @tsv' |
        awk '{ n[$1]++; b[$1] += $2 } END { for (x in n) print x, n[x], b[x] }' | sort
}

# What fio says of itself, in the same words; its fsyncs are those of the options.
fio_said ()
{
    jq -r '.jobs[0] | "aio_read \(.read.total_ios) \(.read.io_bytes)",
                      "aio_write \(.write.total_ios) \(.write.io_bytes)"' said.json |
        grep -v ' 0 0$'
}

# by_fio TITLE OPTIONS …
# Where the kernel keeps programs out of some threads, the end of a request to the
# device that interrupts one of them stays unseen, and is counted as lost
# (doc/kernel.md): so a run that lost some has four more tries.
by_fio ()
{
    local title=$1 status try

    for try in 1 2 3 4 5; do
        rm -rf t
        "$dftrace" run -q -o t --layers $layers -- fio --name=j --filename="$tmp/data" --size=2M \
            --ioengine=io_uring --output-format=json --output=said.json "${@:2}" >fio.out 2>&1
        status=$?
        [ "$(health t lost)" = 0 ] && break
        diag "try $try: $(health t lost) lost"
    done
    is "$status" 0 "$title: fio's status"
    is "$(transfers t | grep -v fsync)" "$(fio_said)" "$title: counts and bytes are fio's"
    is "$(health t lost)" 0 "$title: nothing is lost"
    is "$("$dftrace" export -f jsonl t | jq -r 'select (.name == "aio_read" and
        (.dur_ns <= 0 or .dur_ns > 60000000000)) | .name' | wc -l)" 0 "$title: each with a latency"
}

by_fio "read" --rw=randread --bs=4k --iodepth=16
is "$("$dftrace" export -f jsonl t | jq -s '[.[] | select (.name == "aio_read") | .offset] |
    unique | length')" 512 "each block of the file at its offset, once"
by_fio "read and write" --rw=randrw --bs=16k --iodepth=4
by_fio "vectors" --rw=randrw --bs=16k --iodepth=4 --nonvectored=0
by_fio "registered files and buffers" --rw=randrw --bs=16k --iodepth=8 --registerfiles=1 --fixedbufs=1
by_fio "SQPOLL" --rw=randrw --bs=16k --iodepth=8 --sqthread_poll=1
by_fio "SQPOLL, registered" --rw=randread --bs=4k --iodepth=8 --sqthread_poll=1 --registerfiles=1 \
    --fixedbufs=1
by_fio "sync" --rw=write --bs=64k --iodepth=4 --fsync=4
cmp_num "$(transfers t | awk '$1 == "aio_fsync" { print $2 }')" -ge 7 "sync: its fsyncs"
"$dftrace" analyze t >/dev/null 2>&1
if numbered_alike; then
    is "$(jq .health.io_uring_requests t/metrics.json)" 0 "no request is said to be unseen"
else
    skip "in a namespace of processes requests are not joined" "no request is said to be unseen"
fi

# Where it is not asked for, nothing of it is there.
"$dftrace" run -q -o p --layers posix -- fio --name=j --filename="$tmp/data" --size=2M \
    --ioengine=io_uring --rw=read >/dev/null 2>&1
is "$(transfers p)" "" "without layer kernel: none"

done_testing
