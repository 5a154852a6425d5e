#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2424-index.t - the index of a merged trace: the same answers from fewer
# events, whatever has become of the trace or of the index

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

# What a random condition gives is what it gives without the index.
"$python" "$scripts/askindex.py" "$dftrace" "$tmp" 3 30 >"$tmp/tap"
is "$(grep -c '^ok' "$tmp/tap")" 66 "66 conditions"
grep '^not ok' "$tmp/tap" | sed 's/^/# /'
cmp_num "$(sed -n 's/^# fewer: //p' "$tmp/tap")" -ge 20 \
    "many of them read a part only"

job=$tmp/job
"$top_builddir/tests/tools/mkshard" "$job" direct 200
"$dftrace" merge -q --index always "$job"
trace=$tmp/one.dft
mv "$job/trace.dft" "$trace"
mv "$job/trace.dft.index" "$tmp/index"
where='pid = 1000 and dur > 5us'

# ask: the answer, and how many events were read
ask ()
{
    "$dftrace" analyze --no-write --debug -f csv --by name,file \
        --show count,union --where "$where" "$trace" 2>"$tmp/said"
}
events_read ()
{
    sed -n 's/.*debug: .*: \([0-9]*\) events read$/\1/p' "$tmp/said"
}

ask >"$tmp/want"
all=$(events_read)
cp "$tmp/index" "$trace.index"
is "$(ask)" "$(cat "$tmp/want")" "with the index"
cmp_num "$(events_read)" -lt "$all" "from fewer events"

# wrong NAME: an index of which nothing, or not all, is believed
wrong ()
{
    is "$(ask)" "$(cat "$tmp/want")" "$1: the answer is right"
    is "$(grep -vc 'events read$' "$tmp/said")" 0 "$1: nothing is said"
}

head -c 500 "$tmp/index" >"$trace.index"
wrong "cut"
is "$(events_read)" "$all" "cut: everything is read"
: >"$trace.index"
wrong "empty"
"$python" -c 'import sys
index = bytearray (open (sys.argv[1], "rb").read ())
index[len (index) // 2] ^= 4
open (sys.argv[2], "wb").write (index)' "$tmp/index" "$trace.index"
wrong "a flipped bit"
rm "$trace.index"
ln -s "$tmp/index" "$trace.index"
wrong "a link"
is "$(events_read)" "$all" "a link: is not followed"
rm "$trace.index"
mkdir "$trace.index"
wrong "a directory"
rmdir "$trace.index"
mkfifo "$trace.index"
wrong "a pipe"
rm "$trace.index"

# Another trace of the same name: chunks that are not the same are read.
"$top_builddir/tests/tools/mkshard" "$tmp/other" direct 150
"$dftrace" merge -q --index never "$tmp/other"
ok "merge --index never" test ! -e "$tmp/other/trace.dft.index"
mv "$tmp/other/trace.dft" "$trace"
ask >"$tmp/want"
cp "$tmp/index" "$trace.index"
wrong "the index of another trace"

# Clocks that are set right afterwards; any number of threads.
"$dftrace" merge -q --force -j 1 --index always "$job"
cp "$job/trace.dft.index" "$tmp/index1"
"$dftrace" merge -q --force -j 4 --index always "$job"
ok "the same bytes with any number of threads" \
    cmp "$tmp/index1" "$job/trace.dft.index"
is "$(stat -c %a "$job/trace.dft.index")" 600 "only its user reads it"

# A small trace has none unasked, and an old one goes.
"$dftrace" merge -q --force "$job"
ok "a small trace has no index" test ! -e "$job/trace.dft.index"
echo mine >"$job/trace.dft.index"
"$dftrace" merge -q --force "$job"
is "$(cat "$job/trace.dft.index")" "mine" "what is no index stays"
exits 2 "a wrong word" "$dftrace" merge --index some "$job"
"$dftrace" merge -q --force --index always "$job"

# Words that only chunks left out have are no mistakes.
exits 0 "a name of another chunk" "$dftrace" analyze --no-write --by name \
    --where 'pid = 1000 and name = item or tid = 7' "$job"

done_testing
