#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2428-pfw-copy.t - files of DFTracer are copied into merged traces beside the
# answers: later questions read the copies and give the same answers, whatever has
# become of the trace or of a copy

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

umask 022
chmod 755 "$tmp"
job=$tmp/job
mkdir "$job"
trace=$job/one.pfw.gz
script=$scripts/askpfw.py

# random NAME FILE SEED COUNT LEAST: conditions with copies and without
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

# A directory with several files, one of which has no events.
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
# lines_read: how often the lines of a file were read
lines_read ()
{
    grep -c 'debug: .* lines of DFTracer read$' "$tmp/said"
}
lists ()
{
    grep -l 'copies of files of DFTracer' "$trace.answers/"*.answer 2>/dev/null
}

# wrong NAME: a copy that is not trusted: the lines are read, and the answer is right
wrong ()
{
    is "$(ask --no-write)" "$(cat "$tmp/want")" "$1: the answer is right"
    is "$(lines_read)" 1 "$1: the lines are read"
}

# flip FILE AT: change one bit of a file, and neither its size nor its time
flip ()
{
    touch -r "$1" "$tmp/time"
    "$python" -c 'import sys
with open (sys.argv[1], "r+b") as f:
    at = int (f.seek (0, 2) * float (sys.argv[2]))
    f.seek (at)
    byte = f.read (1)[0]
    f.seek (at)
    f.write (bytes ([byte ^ 4]))' "$1" "$2"
    touch -r "$tmp/time" "$1"
}

ask --no-answers >"$tmp/want"
list=$(lists)
copy=$trace.answers/0.dft
cp -p "$list" "$tmp/list"
cp -p "$copy" "$tmp/copy"
is "$(ask --no-write)" "$(cat "$tmp/want")" "from the copy"
is "$(lines_read)" 0 "no line is read"
cmp_num "$(events_read)" -lt 45000 "from fewer events"
is "$(stat -c %a "$list" "$copy" "$copy.index" | sort -u)" 600 \
    "only its user reads them"
is "$("$dftrace" analyze -f csv --by step,call --no-write --debug "$trace" \
    2>"$tmp/said")" "$("$dftrace" analyze -f csv --by step,call --no-answers \
        "$trace" 2>/dev/null)" "without a condition, by step"
is "$(lines_read)" 0 "without a condition: no line is read"
for view in all health sum event; do
    is "$("$dftrace" analyze -f csv --view $view --no-write --debug "$trace" \
        2>"$tmp/said")" "$("$dftrace" analyze -f csv --view $view --no-answers \
            "$trace" 2>/dev/null)" "--view $view"
    is "$(lines_read)" 0 "--view $view: no line is read"
done
is "$(ask --no-write -j 1)" "$(cat "$tmp/want")" "on one thread"
is "$(ask --no-write -j 4)" "$(cat "$tmp/want")" "on four"

head -c 300 "$tmp/list" >"$list"
wrong "a list that is cut"
: >"$list"
wrong "an empty list"
cp -p "$tmp/list" "$list"
flip "$list" .9
wrong "a flipped bit in the list"
cp -p "$tmp/list" "$list"
rm "$copy"
wrong "no copy"
cp -p "$tmp/copy" "$copy"
is "$(ask --no-write; lines_read)" "$(cat "$tmp/want"; echo 0)" "the copy is back"
touch "$copy"
wrong "a copy of another time"
cp -p "$tmp/copy" "$copy"
truncate -s -1 "$copy"
touch -r "$tmp/copy" "$copy"
wrong "a copy that is cut"
cp -p "$tmp/copy" "$copy"
chmod 666 "$copy"
wrong "a copy that others may write to"
ln -sf "$tmp/copy" "$copy"
wrong "a link for a copy"
for at in .0001 .1 .3 .5 .7 .9; do
    rm "$copy"
    cp -p "$tmp/copy" "$copy"
    flip "$copy" $at
    is "$("$dftrace" analyze -f csv --by name --show count --no-write "$trace" \
        2>&1)" "$("$dftrace" analyze -f csv --by name --show count --no-answers \
            "$trace" 2>&1)" "a flipped bit at $at of the copy: the answer is right"
done
cp -p "$tmp/copy" "$copy"
flip "$copy.index" .5
is "$(ask --no-write)" "$(cat "$tmp/want")" "a flipped bit in the copy's index"
rm "$list"
ln -s "$tmp/list" "$list"
wrong "a link"
rm "$list"
mkfifo "$list"
wrong "a pipe"
rm "$list"
cp "$tmp/list" "$list"
chmod 666 "$list"
wrong "others may write to it"
chmod 600 "$list"
chmod 777 "$trace.answers"
wrong "others may write to its directory"
chmod 700 "$trace.answers"
other=$(($(id -u) == 65534 ? 65533 : 65534))
if chown "$other" "$list" 2>"$tmp/chown"; then
    wrong "of another user"
    chown "$(id -u)" "$list"
    chown "$other" "$trace.answers"
    wrong "in a directory of another user"
    rm "$list"
    ask >"$tmp/got"
    is "$(lists)" "" "in a directory of another user: none is written"
    chown "$(id -u)" "$trace.answers"
else
    for name in "of another user" "in a directory of another user"; do
        skip "needs root to give files away" "$name"
    done
fi
cp -p "$tmp/list" "$list"

# Another trace of the same name.
"$python" "$script" write "$trace" 3 45000 300001
ask --no-answers >"$tmp/want"
wrong "the copy of another trace"
ask --no-write --where 'dur > 6us' >"$tmp/got"
ask --where 'dur > 6us' >"$tmp/got"
isnt "$(cmp "$list" "$tmp/list" 2>&1)" "" "it is made anew"
is "$(ask --no-write)" "$(cat "$tmp/want")" "the new one"
cmp_num "$(events_read)" -lt 45000 "the new one: from fewer events"

# None for a question without a condition, for damage, or when nothing may be
# written.
rm -r "$trace.answers"
"$dftrace" analyze -f csv --by name "$trace" >"$tmp/got" 2>&1
is "$(lists)" "" "none without a condition"
ask --no-write >"$tmp/got"
ok "none with --no-write" test ! -e "$trace.answers"
head -c 500000 "$trace" >"$tmp/cut.gz"
mv "$tmp/cut.gz" "$trace"
ask >"$tmp/got"
is "$(lists)" "" "none of a trace that is cut"
is "$(find "$job" -name 'one.pfw.gz.answers' | wc -l)" 0 "nor an answer"
"$python" "$script" write "$trace" 4 45000 100000000
ask >"$tmp/got"
ask --no-answers >"$tmp/want"
is "$(ask --no-write; lines_read)" "$(cat "$tmp/want"; echo 0)" \
    "a copy of a trace with one member"
trace=$job/plain.pfw
gzip -dc "$job/one.pfw.gz" >"$trace"
ask >"$tmp/got"
is "$(ask --no-write; lines_read)" "$(cat "$tmp/want"; echo 0)" \
    "a copy of a trace that is not packed"

done_testing
