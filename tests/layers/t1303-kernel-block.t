#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1303-kernel-block.t - layer kernel: requests to block devices by file, as the
#     device itself counts them; what reads found in the page cache, as fincore has
#     it

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/mmap.sh"

cd "$tmp" || exit 99
layers=posix,kernel
[ -x "$top_builddir/dftrace-kernel" ] || skip_all "layer kernel is not built"
"$dftrace" run -q -o probe --layers $layers,strict -- true 2>probe.err ||
    skip_all "layer kernel: $(tail -n 1 probe.err)"
! grep -q 'block devices' probe.err || skip_all "$(cat probe.err)"
disk 64
head -c 8M /dev/urandom >"$disk/a"
head -c 3000001 /dev/urandom >"$disk/b"
head -c 4M /dev/urandom >"$disk/c"
# else the kernel itself reads block bitmaps after each mount
disk_options=,no_prefetch_block_bitmaps,noinit_itable
cold 2>/dev/null || { disk_options='' && cold; }
written ()
{
    echo $(($(awk '{ print $7 }' "/sys/block/${device##*/}/stat") * 512))
}

# job COMMAND …: traced and analyzed; $read, $wrote: bytes by the device's count
job ()
{
    trace=$tmp/j
    rm -rf "$trace"
    device=$(findmnt -no SOURCE "$disk") # another one after each mount, maybe
    read=$(device_read) wrote=$(written)
    "$dftrace" run -q -o "$trace" --layers $layers -- "$@" >/dev/null 2>&1
    status=$?
    read=$(($(device_read) - read)) wrote=$(($(written) - wrote))
    "$dftrace" analyze "$trace" >/dev/null 2>&1
}
# block COLUMN FILE: of the disk's device
block ()
{
    row blocks "$1" file="$2"
}
# all COLUMN: sum over what is on the device
all ()
{
    awk -F, -v column="$1" -v device="$device" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["device"] == device { n += $at[column] } END { print n + 0 }' "$trace/tables/blocks.csv"
}

# reads COMMAND …: a job on a cold disk, after warm. The end of a request that
# interrupts a thread which the kernel keeps programs out of is told to nobody
# (doc/kernel.md), and the kernel may read a block for itself: so a job whose requests
# are not those of the device has four more tries. So has one of whose cached bytes the
# node has taken some back: what `cached` says does not hold.
cached ()
{
    :
}
warm ()
{
    :
}
reads ()
{
    local try

    for try in 1 2 3 4 5; do
        cold
        warm
        job "$@"
        [ "$(all read_bytes)" = "$read" ] && cached && return
        diag "try $try: asked for $(all read_bytes) bytes, the device read $read"
    done
}

# --- reads ---------------------------------------------------------------------

held ()
{
    echo $(($(fincore -nb -o RES "$1")))
}
cached ()
{
    [ "$(row page_cache fill_bytes file="$disk/b") $(row page_cache hit_bytes file="$disk/a")" = \
        "$(held "$disk/b") 2097152" ]
}
reads sh -c 'cat "$1/a" "$1/b"; dd if="$1/a" bs=1M count=2' sh "$disk"
is "$status" 0 "its status"
is "$(block read_bytes "$disk/a")" 8388608 "bytes of a cold file, once"
bs=$(stat -f -c %S "$disk")
is "$(block read_bytes "$disk/b")" $(((3000001 + bs - 1) / bs * bs)) "of one that ends inside a page: whole blocks"
is "$(all read_bytes)" "$read" "of all: the device's own count"
is "$(metric lost_events)" 0 "nothing is lost"
is_kept "$(row page_cache fill_bytes file="$disk/b")" "$(held "$disk/b")" \
    "page cache: what was brought is there"
is_kept "$(row page_cache read_bytes file="$disk/a") $(row page_cache hit_bytes file="$disk/a")" \
    "10485760 2097152" "what was read again was found there"
is "$(row page_cache exact file="$disk/a") $(row page_cache exact file="$disk/b")" "yes no" \
    "exact but for the rest of the last page"
"$dftrace" export -f jsonl "$trace" >lines
is "$(jq -r 'select (.name == "block_read" and (.dur_ns <= 0 or .dur_ns > 60000000000)) | .name' lines | wc -l)" \
    0 "each request with a latency"
is "$(jq -r --arg f "$disk/a" 'select (.name == "block_read" and .file == $f) | "\(.offset) \(.size)"' lines |
    sort -n | awk '$1 != at { print "gap at", at } { at = $1 + $2 } END { print at }')" 8388608 \
    "their offsets cover the file"
is "$(row files read_bytes file="$disk/a")" 10485760 "bytes of the calls are the calls' alone"

for _ in 1 2 3 4 5; do
    job sh -c 'cat "$1/a"' sh "$disk"
    [ "$(block read_bytes "$disk/a")" ] || break
done
is_kept "$(block read_bytes "$disk/a")" "" "from memory: no request"

# Of a file of which parts are there already, as fincore has them before and after.
warm ()
{
    local i

    for i in 1 6 11; do
        dd if="$disk/c" of=/dev/null bs=128K count=1 skip=$i status=none
    done
    before=$(held "$disk/c")
}
cached ()
{
    [ "$(row page_cache hit_bytes file="$disk/c") $(held "$disk/c")" = "$before 4194304" ]
}
reads dd if="$disk/c" bs=64K
is_kept "$(row page_cache hit_bytes file="$disk/c")" "$before" "page cache: hits are what was there (fincore)"
is_kept "$(row page_cache fill_bytes file="$disk/c") $(row page_cache exact file="$disk/c")" \
    "$((4194304 - before)) yes" "the rest was brought, and both are exact"
is_kept "$(held "$disk/c") $(block read_bytes "$disk/c")" "4194304 $((4194304 - before))" \
    "and what the device was asked for"
is "$(all read_bytes)" "$read" "which is the device's own count"

warm ()
{
    :
}
cached ()
{
    :
}
reads dd if="$disk/c" bs=1M iflag=direct
is "$(block read_bytes "$disk/c") $(block direct_bytes "$disk/c")" "4194304 4194304" "direct reads: their file"
is "$(all read_bytes)" "$read" "the device's own count"

# --- writes --------------------------------------------------------------------

job dd if=/dev/zero of="$disk/synced" bs=64K count=32 conv=fsync
is "$(block write_bytes "$disk/synced") $(block late_bytes "$disk/synced")" "2097152 0" "written and synced"
cmp_num "$wrote" -ge 2097152 "no more than the device has written"
job sh -c 'busybox dd if=/dev/zero of="$1/late" bs=64K count=16 ||
           dd if=/dev/zero of="$1/late" bs=64K count=16
           sync -f "$1"' sh "$disk"
is "$(block write_bytes "$disk/late")" 1048576 "written back by the kernel: its file"
job dd if=/dev/zero of="$disk/straight" bs=256K count=4 oflag=direct
is "$(block write_bytes "$disk/straight") $(block direct_bytes "$disk/straight")" "1048576 1048576" \
    "direct writes: their file"

# --- of whom -------------------------------------------------------------------

cold
job sh -c 'cat "$1/a"; echo >"$2"; read -r x <"$3"' sh "$disk" "$tmp/go" "$tmp/done" &
mkfifo "$tmp/done"
for ((i = 0; i < 500; i++)); do
    [ -s "$tmp/go" ] && break
    sleep 0.02
done
cat "$disk/c" >/dev/null # not the job's
echo x >"$tmp/done"
wait
trace=$tmp/j
is "$(block read_bytes "$disk/a") $(block read_bytes "$disk/c")" "8388608 " "others' requests are not recorded"

if command -v fio >/dev/null; then
    for engine in io_uring libaio; do
        for how in 0 1; do
            reads fio --name=x --ioengine=$engine --rw=read --bs=64k --iodepth=8 --direct=$how \
                --filename="$disk/c" --size=4M --invalidate=0
            [ "$status" = 0 ] || { skip "no $engine" "$engine" && continue; }
            is "$(block read_bytes "$disk/c")" 4194304 "fio, $engine, direct=$how: bytes of the file"
        done
    done
else
    skip "no fio" "io_uring and libaio"
fi

done_testing
