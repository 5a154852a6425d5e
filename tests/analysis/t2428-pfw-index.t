#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2428-pfw-index.t - the index of a .pfw.gz whose gzip has members: the same
# answers from fewer events, whatever has become of the trace or of the index

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

umask 022
chmod 755 "$tmp"
job=$tmp/job
mkdir "$job"
trace=$job/one.pfw.gz
script=$scripts/askpfw.py

# random NAME FILE SEED COUNT LEAST: conditions with the index and without
random ()
{
    "$python" "$script" "$dftrace" "$job" "$2" "$3" "$4" >"$tmp/tap"
    is "$(grep -c '^ok' "$tmp/tap")" "$4" "$1: $4 conditions"
    grep '^not ok' "$tmp/tap" | sed 's/^/# /'
    cmp_num "$(sed -n 's/^# fewer: //p' "$tmp/tap")" -ge "$5" \
        "$1: some of them read a part only"
}

"$python" "$script" write "$trace" 1 45000 300001
random "members within lines, a bad line, names at the end" one.pfw.gz 5 12 4

"$top_builddir/tests/tools/mkshard" "$tmp/made" direct 1000
"$dftrace" merge -q --pfw "$tmp/made"
mv "$tmp/made/combined.pfw.gz" "$job/ours.pfw.gz"
random "written by merge --pfw" ours.pfw.gz 6 12 2
rm -r "$job"/ours.pfw.gz*

# A directory with several files, only some of which have members.
several=$tmp/several
mkdir "$several"
cp "$trace" "$several/a.pfw.gz"
"$python" "$script" write "$several/b.pfw.gz" 2 900 100000000
printf '%s%s\n' '{"id":1,"name":"FH","cat":"dftracer","pid":100,"tid":100,"ph":"M",' \
    '"args":{"name":"/data/late","value":"f003"}}' >"$several/c.pfw"
job=$several random "several files" "" 7 6 1

# ask [WORD…]: the answer, and how many events were read
where='time < 0.2 and dur > 5us'
ask ()
{
    "$dftrace" analyze --debug -f csv --by name,file --show count,union \
        --where "$where" "$@" "$trace" 2>"$tmp/said"
}
events_read ()
{
    sed -n 's/.*debug: .*: \([0-9]*\) events read$/\1/p' "$tmp/said" | head -1
}
indexes ()
{
    grep -l 'blocks of .pfw.gz' "$trace.answers/"* 2>/dev/null
}

# wrong NAME: an index that is not believed: all is read, and the answer is right
wrong ()
{
    is "$(ask --no-write)" "$(cat "$tmp/want")" "$1: the answer is right"
    is "$(events_read)" 45000 "$1: everything is read"
}

ask --no-answers >"$tmp/want"
index=$(indexes)
cp -p "$index" "$tmp/index"
is "$(ask --no-write)" "$(cat "$tmp/want")" "with the index"
cmp_num "$(events_read)" -lt 45000 "from fewer events"
is "$(stat -c %a "$index")" 600 "only its user reads it"
is "$(ask --no-write -j 1)" "$(cat "$tmp/want")" "on one thread"
is "$(ask --no-write -j 4)" "$(cat "$tmp/want")" "on four"

head -c 3000 "$tmp/index" >"$index"
wrong "cut"
: >"$index"
wrong "empty"
"$python" -c 'import sys
index = bytearray (open (sys.argv[1], "rb").read ())
index[len (index) // 2] ^= 4
open (sys.argv[2], "wb").write (index)' "$tmp/index" "$index"
wrong "a flipped bit"
rm "$index"
ln -s "$tmp/index" "$index"
wrong "a link"
rm "$index"
mkfifo "$index"
wrong "a pipe"
rm "$index"
cp "$tmp/index" "$index"
chmod 666 "$index"
wrong "others may write to it"
chmod 600 "$index"
chmod 777 "$trace.answers"
wrong "others may write to its directory"
chmod 700 "$trace.answers"
if chown 65534 "$index" 2>"$tmp/chown"; then
    wrong "of another user"
    chown "$(id -u)" "$index"
    chown 65534 "$trace.answers"
    wrong "in a directory of another user"
    rm "$index"
    ask >"$tmp/got"
    is "$(indexes)" "" "in a directory of another user: none is written"
    chown "$(id -u)" "$trace.answers"
else
    for name in "of another user" "in a directory of another user"; do
        skip "needs root to give files away" "$name"
    done
fi
cp -p "$tmp/index" "$index"

# Another trace of the same name.
"$python" "$script" write "$trace" 3 45000 300001
ask --no-answers >"$tmp/want"
wrong "the index of another trace"
ask --no-write --where 'dur > 6us' >"$tmp/got"
ask --where 'dur > 6us' >"$tmp/got"
isnt "$(cmp "$index" "$tmp/index" 2>&1)" "" "it is made anew"
is "$(ask --no-write)" "$(cat "$tmp/want")" "the new one"
cmp_num "$(events_read)" -lt 45000 "the new one: from fewer events"

# A trace that changed, while its size, time, inode and last bytes are the same:
# its blocks tell.
"$python" "$script" write "$trace" 3 45000 300001 0
ask --where 'dur > 7us' >"$tmp/got"
ask --no-answers >"$tmp/old"
touch -r "$trace" "$tmp/time"
"$python" "$script" write "$trace" 3 45000 300001 0 1
touch -r "$tmp/time" "$trace"
ask --no-answers >"$tmp/want"
isnt "$(cat "$tmp/want")" "$(cat "$tmp/old")" "the same size and time: other numbers"
wrong "the same size and time"

# None for a question without a condition, for one member, for damage, or when
# nothing may be written.
rm -r "$trace.answers"
"$dftrace" analyze -f csv --by name "$trace" >"$tmp/got" 2>&1
is "$(indexes)" "" "none without a condition"
ask --no-write >"$tmp/got"
ok "none with --no-write" test ! -e "$trace.answers"
head -c 500000 "$trace" >"$tmp/cut.gz"
mv "$tmp/cut.gz" "$trace"
ask >"$tmp/got"
is "$(indexes)" "" "none of a trace that is cut"
is "$(find "$job" -name 'one.pfw.gz.answers' | wc -l)" 0 "nor an answer"
"$python" "$script" write "$trace" 4 45000 100000000
ask >"$tmp/got"
is "$(indexes)" "" "none of a trace with one member"

done_testing
