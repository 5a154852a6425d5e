#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The study without Slurm: what a trace of the workload counts is what strace
# counts, under direct access it grows with batch x sequence length, under
# mmap it does not; the spec is the 18 points of the study.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

spec=$top_srcdir/etc/examples/megatron-io.yaml
minigpt=$top_builddir/etc/examples/minigpt/minigpt
unset SLURM_PROCID SLURM_NTASKS SLURM_JOB_ID LD_PRELOAD
corpus=$tmp/corpus
"$top_builddir/etc/examples/minigpt/mkcorpus" --bytes=2M "$corpus" \
    >/dev/null || exit 99

train ()
{
    "$@" "$minigpt" --data "$corpus" --steps 4 \
        --save "$tmp/save" --save-every 2 --checkpoint-bytes 2M \
        --seq "$seq" --global-batch "$batch" --access "$access" \
        --compute-us-per-ktoken 0 --compute-us-per-step 0
}

field ()
{
    sed -n "s/.*[ ]$1=\([^ ]*\).*/\1/p" <<<"$2"
}

# Value of a metric of the last trace.
metric ()
{
    "$dftrace" analyze --no-write --view metric --format csv "$tmp/trace" |
        awk -F, -v name="$1" '$1 == name { print $2 }'
}

trace ()
{
    rm -rf "$tmp/trace" "$tmp/save"
    out=$(train "$dftrace" run -o "$tmp/trace" --layers posix,app -- \
        2>"$tmp/err")
}

# Calls of the last trace, of all of its processes.
traced_calls ()
{
    "$dftrace" analyze --no-write --view call --format csv --top 0 \
        "$tmp/trace" |
        awk -F, -v name="$1" '$2 == name { n += $3 } END { print n + 0 }'
}

# Lines of strace about a file of this test. fstat and open have other names
# in the kernel.
strace_calls ()
{
    local name=$1
    [[ $name == fstat ]] && name='(fstat|newfstatat)'
    [[ $name == open ]] && name='open(at)?'
    grep -F "$tmp/" "$tmp/strace" | grep -cE "^[0-9]+ +$name\("
}

# --- the spec -------------------------------------------------------------

exits 0 "the spec of the study is good" "$dftrace" sweep plan "$spec"
like "$(cat "$tmp/out")" "3 seq x 3 gbs x 2 access = 18 points" "18 points"
for point in mmap-s512-b128 direct-s2048-b512; do
    like "$(cat "$tmp/out")" "$point" "$point is one of them"
done

# --- against strace -------------------------------------------------------

if ! strace -f -qq -c -o /dev/null true 2>/dev/null; then
    skip "strace cannot trace here" "counts are those of strace"
else
    seq=256 batch=32
    for access in direct mmap; do
        rm -rf "$tmp/save"
        train strace -f -y -qq -o "$tmp/strace" >/dev/null
        trace
        for call in open read write writev lseek fstat close mmap fsync \
            mkdir rmdir rename unlink; do
            is "$(traced_calls $call)" "$(strace_calls $call)" \
                "$access: $call as often as strace says"
        done
    done
fi

# --- growth ---------------------------------------------------------------

declare -A events parts writes
for access in direct mmap; do
    for point in 128.16 128.32 512.16 512.32; do
        seq=${point%.*} batch=${point#*.}
        trace
        key=$access.$point
        events[$key]=$(metric posix_events)
        writes[$key]=$(metric checkpoint_count)
        parts[$key]=$(field parts "$out")
        is "$(metric samples)" $((4 * batch)) "$key: samples"
        if [[ $access == direct ]]; then
            is "$(metric read_count)" "${parts[$key]}" "$key: reads are parts"
            is "$(metric read_bytes)" "$(field bytes "$out")" "$key: bytes"
        else
            is "$(metric read_count)" 0 "$key: no reads"
            is "$(metric read_bandwidth)" "" "$key: no bandwidth of no reads"
        fi
        is "${writes[$key]}" "${writes[direct.128.16]}" "$key: checkpoints"
        cmp_num "${writes[$key]}" -gt 0 "$key: which were written"
    done
done
for pair in 128.16:128.32 128.16:512.16 128.32:512.32 512.16:512.32; do
    small=${pair%:*} large=${pair#*:}
    cmp_num "${events[direct.$large]}" -gt "${events[direct.$small]}" \
        "direct: more events at $large than at $small"
    is "${events[mmap.$large]}" "${events[mmap.$small]}" \
        "mmap: the same events at $large as at $small"
    is $((events[direct.$large] - events[direct.$small])) \
        $((5 * (parts[direct.$large] - parts[direct.$small]))) \
        "direct: five calls for each part more"
done

done_testing
