#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1014-aio.t - requests of libaio and POSIX aio are reads and writes: bytes,
#               calls, and from when to when, as fio has them

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

command -v fio >/dev/null || skip_all "no fio"
cd "$tmp" || exit 99
for engine in libaio posixaio; do
    if ! fio --name=j --filename=f.dat --size=1m --bs=4k --rw=randrw --ioengine=$engine \
        --iodepth=4 --thread --fsync=0 --output-format=json --output=plain.json >err 2>&1; then
        skip "fio cannot $engine here" "$engine: calls"
        skip "the same" "$engine: bytes"
        continue
    fi
    rm -f f.dat
    head -c 1M /dev/zero >f.dat
    traced $engine fio --name=j --filename="$tmp/f.dat" --size=1m --bs=4k --rw=randrw \
        --ioengine=$engine --iodepth=4 --thread --output-format=json --output=out.json
    "$dftrace" analyze "$tmp/$engine" --format json >m.json 2>/dev/null
    want=$(jq -r '.jobs[0] | "\(.read.total_ios) \(.read.io_bytes) \(.write.total_ios) \(.write.io_bytes)"' out.json)
    # Of the file alone: fio writes its report, too.
    is "$(events $engine | awk -v f="file=$tmp/f.dat" '
        $0 ~ f && $3 ~ /^(aio_read|p?read)$/ { sub (/.* ret=/, ""); r++; rb += $1; next }
        $0 ~ f && $3 ~ /^(aio_write|p?write)$/ { sub (/.* ret=/, ""); w++; wb += $1 }
        END { print r + 0, rb + 0, w + 0, wb + 0 }')" "$want" "$engine: each transfer, with its bytes"
    is "$(jq -r '.metrics | .read_count.value, .read_bytes.value' m.json | xargs)" \
        "$(cut -d' ' -f1,2 <<<"$want")" "$engine: and they are the reads of the job"
done
# What is asked for has its bytes, too: all of them, in requests of 4 KiB.
is "$(events libaio | awk -v f="file=$tmp/f.dat" '$0 ~ f && $3 == "aio_submit" {
    match ($0, / size=[0-9]+/); n += substr ($0, RSTART + 6, RLENGTH - 6) } END { print n }')" \
    $((1024 * 1024)) "libaio: the bytes of all requests"
# A transfer lasts from its submission on.
is "$(events libaio | awk '
    { match ($0, /start=[0-9]+/); s = substr ($0, RSTART + 6, RLENGTH - 6) }
    $3 == "aio_submit" { last[++m] = s }
    $3 == "aio_read" { for (i = m; i > 0 && i > m - 9; i--)
        if (s - last[i] < 100 && last[i] - s < 100) next
        n++ } END { print n + 0 }')" 0 \
    "a transfer begins with the call that submitted it"
is "$("$dftrace" analyze "$tmp/libaio" --view call --format csv | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $at["name"] ~ /^aio_/ { print $at["class"] == "meta" ? $at["name"] : "other" }' | sort -u)" other \
    "requests are no metadata"

done_testing
