#!/bin/bash
# SPDX-License-Identifier: MIT
#
# How long threads slept for pages of mapped files, on a cold file system: what
# layer mmap says is what the program finds by the kernel's own account of its
# time; with perf events and without, as root and as somebody else. And which
# file the bytes came from.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/mmap.sh"

mib=${STALLS_MIB:-32} # of the larger file
disk $((mib * 2 + 32))
head -c "${mib}M" /dev/urandom >"$disk/a.bin"
head -c "$((mib * 3 / 4))M" /dev/urandom >"$disk/b.bin"
[ -r /proc/thread-self/schedstat ] || skip_all "no /proc/PID/schedstat"

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
mkdir "$tmp/nobody" && chown 65534:65534 "$tmp/nobody"
$nobody test -x "$victims/staller" 2>/dev/null || nobody=

declare -A held # bytes of each file that are in the cache at the end; "": not known

# staller USER PERF CASE [plain]: cold, traced, analyzed; its output in $out
staller ()
{
    local as= file

    [ "$1" = root ] || as=$nobody
    trace=$tmp/nobody/j
    cold
    rm -rf "$trace"
    out=$(DFTRACE_MMAP_PERF=$2 $as "$dftrace" run -q -o "$trace" \
        --layers posix,app,mmap -- "$victims/staller" "$3" "$disk" ${4-})
    status=$?
    for file in a.bin b.bin; do
        held[$file]=$(fincore -nb -o RES "$disk/$file" 2>/dev/null)
    done
    $as "$dftrace" analyze "$trace" >"$tmp/analyzed" 2>&1
}

# What is said in seconds is what was slept. What is short may differ by two
# milliseconds.
near ()
{
    awk -v a="$1" -v b="$(said slept)" 'BEGIN {
        b /= 1e9; d = a - b; if (d < 0) d = -d
        exit !(a ~ /^[0-9.]+$/ && d <= b * 0.15 + 0.002) }'
}

# The same as staller. Two clocks that are read one after the other may have the
# thread stopped between them, and the node may take pages back; so a run that differs
# has two more tries.
stalled ()
{
    local try file files=a.bin

    case $3 in files | threads | forked) files="a.bin b.bin" ;; esac
    for try in 1 2 3; do
        staller "$@"
        region=$(row faults fault_stall_s name=touch)
        near "$(metric fault_stall_time)" && { [ "${4-}" ] || near "$region"; } &&
            for file in $files; do bytes_of $file || break; done && bytes_of $file && return
        diag "try $try: region $region s, metric $(metric fault_stall_time) s, slept $(said slept) ns;
in the cache ${held[*]}"
    done
}

is_slept ()
{
    if near "$1"; then
        pass "$2"
    else
        fail "$2"
        diag "said $1 s; the program slept $(said slept) ns of $(said wall)"
    fi
}

# bytes_of FILE: within 5 % of those that were in the cache at the end, or marked as
# an estimate, which is no more than the file has.
bytes_of ()
{
    said=$(row mappings storage_bytes_faults file="$disk/$1")
    exact=$(row mappings exact file="$disk/$1")
    now=${held[$1]-}
    [ -z "$now" ] ||
        awk -v a="$said" -v b="$now" -v exact="$exact" -v all="$(stat -c %s "$disk/$1")" '
        BEGIN {
            d = a - b; if (d < 0) d = -d
            exit !(a ~ /^[0-9]+$/ && a <= all * 1.05 && (exact == "no" || d <= b * 0.05)) }'
}

are_bytes ()
{
    if bytes_of "$1" && [ -z "$now" ]; then
        skip "no fincore" "$2: bytes of $1"
    elif bytes_of "$1"; then
        pass "$2: bytes of $1"
    elif taken; then
        skip "the node may have taken pages back: said $said, in the cache $now" "$2: bytes of $1"
    else
        fail "$2: bytes of $1"
        diag "said $said, exact: $exact; in the cache $now"
    fi
}

for way in "root 1" "root 0" "nobody 1"; do
    user=${way% *} perf=${way#* }
    for case in sequential random strided files threads forked; do
        what="$user, perf $perf, $case"
        if [ $user = nobody ] && [ -z "$nobody" ]; then
            skip "the build cannot be read by others" "$what: region"
            skip "the build cannot be read by others" "$what: metric"
            continue
        fi
        stalled "$user" "$perf" $case
        is_slept "$region" "$what: region"
        is_slept "$(metric fault_stall_time)" "$what: metric"
        are_bytes a.bin "$what"
        case $case in files | threads | forked) are_bytes b.bin "$what" ;; esac
    done
done
if [ -n "$nobody" ]; then
    is "$(row mappings exact file="$disk/b.bin")" no \
        "who may not look at the cache is told that it is an estimate"
    like "$("$dftrace" analyze --no-write --view mapping "$trace")" "≈[0-9]+" \
        "in text, too"
fi

# Outside of regions, too; killed before it can say so, not without perf.
for perf in 1 0; do
    stalled root $perf random plain
    is_slept "$(metric fault_stall_time)" "no region, perf $perf"
done
staller root 0 random killed
# What came after its last event is in no number of the job.
ok "killed, without perf, in no region: n/a, or within the job's time" \
    awk -v stall="$(metric fault_stall_time)" -v job="$(metric job_time)" \
    'BEGIN { exit !(stall == "" || stall + 0 <= job + 0) }'

done_testing
