#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2427-kept-tables.t - what the standard tables are made of is kept beside the
# trace: the same bytes in every format, made anew when anything changed

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

job=$tmp/job
umask 022
"$top_builddir/tests/tools/mkshard" "$job" direct 60
"$dftrace" merge -q "$job"
rm -r "$job/shards"
chmod 755 "$tmp"

# tables WORD…: output; whether it was kept is in $tmp/said
tables ()
{
    "$dftrace" analyze --debug "$@" "$job" 2>"$tmp/said"
}
kept ()
{
    grep -c 'the tables were kept$' "$tmp/said"
}
answers ()
{
    find "$job/answers" -name '*.answer' 2>/dev/null | wc -l
}
# All that anybody may be told, with words WORD….
everything ()
{
    for format in text markdown csv json; do
        tables -f "$format" --draw never "$@"
        tables -f "$format" --draw never --view all --top 3 "$@"
    done
    for view in $views; do
        tables -f csv --view "$view" "$@"
        tables --view "$view" --top 2 "$@"
    done
}
views=$("$dftrace" help views |
    awk '/^Views/ { exit } /^  [a-z]/ { print $1 }')

# same NAME: of the job at hand
same ()
{
    everything --no-answers >"$tmp/want"
    rm -rf "$job/metrics.json" "$job/tables"
    tables --no-answers >/dev/null
    [ ! -d "$job" ] || cp -r "$job/metrics.json" "$job/tables" "$tmp/"
    tables >/dev/null
    is "$(kept)" 0 "$1: read at first"
    rm -rf "$job/metrics.json" "$job/tables"
    tables >/dev/null
    is "$(kept)" 1 "$1: kept"
    everything >"$tmp/got"
    ok "$1: every table in every format is the same" \
        cmp "$tmp/want" "$tmp/got"
    [ -d "$job" ] || return
    ok "$1: metrics.json is the same" \
        cmp "$tmp/metrics.json" "$job/metrics.json"
    ok "$1: tables/ are the same" diff -r "$tmp/tables" "$job/tables"
    rm -r "$tmp/metrics.json" "$tmp/tables"
}

same "a merged trace"
tables --view call >/dev/null
is "$(kept)" 1 "any table comes from what is kept"
tables --view metric --where 'dur > 2us' >"$tmp/first"
is "$(kept)" 0 "a condition is another question"
tables --view metric --where 'dur > 2us' >"$tmp/second"
is "$(kept)" 1 "which is kept, too"
ok "and has the same answer" cmp "$tmp/first" "$tmp/second"
tables --data '*.none' >/dev/null
is "$(kept)" 0 "other kinds are another question"
tables --draw always --view all >"$tmp/drawn"
is "$(kept)" 0 "what is drawn is read"
n=$(answers)
tables --no-write --where 'dur > 7us' >/dev/null
is "$(answers)" "$n" "--no-write writes none"
tables --no-write --view io >/dev/null
is "$(kept)" 1 "but takes what is there"

# Another build of the same version may count in another way.
if python3 - "$dftrace" "$tmp/dftrace" <<'END'
import sys
program = bytearray (open (sys.argv[1], "rb").read ())
note = program.find (b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
if note < 16:
    sys.exit (1)
program[note] ^= 255
open (sys.argv[2], "wb").write (program)
END
then
    chmod 755 "$tmp/dftrace"
    tables >/dev/null
    is "$(kept)" 1 "this build finds what it kept"
    dftrace=$tmp/dftrace tables >/dev/null
    is "$(kept)" 0 "another build of this version does not take it"
    dftrace=$tmp/dftrace tables >/dev/null
    is "$(kept)" 1 "but what it kept itself"
    tables >/dev/null
else
    skip "no build ID in $dftrace" "another build of this version"
fi

# Several jobs are rows of one table.
cp -r "$job" "$tmp/two"
"$dftrace" analyze -f csv --no-answers "$job" "$tmp/two" >"$tmp/want"
"$dftrace" analyze -f csv --debug "$job" "$tmp/two" >"$tmp/got" 2>"$tmp/said"
is "$(kept)" 1 "of two jobs one was kept"
ok "and the rows are the same" cmp "$tmp/want" "$tmp/got"

# What is damaged, cut or another's is not believed.
want=$(tables -f json --no-answers)
for file in "$job"/answers/*.answer; do
    size=$(stat -c %s "$file")
    cp "$file" "$tmp/whole"
    for at in 30 $((size / 3)) $((size / 2)) $((size - 9)); do
        cp "$tmp/whole" "$file"
        printf '\377\376' | dd of="$file" bs=1 seek="$at" conv=notrunc 2>/dev/null
        tables -f json >"$tmp/got"
        [ "$(cat "$tmp/got")" = "$want" ] || echo "$file at $at" >>"$tmp/wrong"
    done
    for at in 0 20 $((size / 2)) $((size - 1)); do
        head -c "$at" "$tmp/whole" >"$file"
        tables -f json >"$tmp/got"
        [ "$(cat "$tmp/got")" = "$want" ] || echo "$file to $at" >>"$tmp/wrong"
    done
done
is "$(cat "$tmp/wrong" 2>&1)" "cat: $tmp/wrong: No such file or directory" \
    "damaged files: the answer is right"
rm -r "$job/answers"
mkdir "$tmp/elsewhere"
ln -s "$tmp/elsewhere" "$job/answers"
tables >/dev/null
is "$(find "$tmp/elsewhere" -type f | wc -l)" 0 "a link is not followed"
rm "$job/answers"
mkdir -m 777 "$job/answers"
tables >/dev/null
is "$(answers)" 0 "a directory that others may write to: none is kept"
rmdir "$job/answers"

# Another trace: nothing that was kept is believed.
tables -f json >"$tmp/old"
"$top_builddir/tests/tools/mkshard" "$tmp/more" direct 90
"$dftrace" merge -q "$tmp/more"
cp "$tmp/more/trace.dft" "$job/trace.dft"
tables -f json --no-answers >"$tmp/want"
tables -f json >"$tmp/new"
is "$(kept)" 0 "another trace is read"
ok "and its numbers are shown" cmp "$tmp/want" "$tmp/new"
isnt "$(cat "$tmp/new")" "$(cat "$tmp/old")" "which are others"

# A file of DFTracer, and a single merged trace.
"$dftrace" merge -q --pfw "$tmp/more"
job=$tmp/foreign.pfw.gz
mv "$tmp/more/combined.pfw.gz" "$job"
same "a file of DFTracer"
job=$tmp/single.dft
cp "$tmp/more/trace.dft" "$job"
same "a single trace"

# A program that ran, with whatever the recorder says of it.
job=$tmp/ran
head -c 300000 /dev/zero >"$tmp/data"
"$dftrace" run -q -o "$job" -- sh -c "cat '$tmp/data' >'$tmp/copy';
    head -c 9 '$tmp/copy' >/dev/null & cp '$tmp/copy' '$tmp/other'; wait"
"$dftrace" merge -q "$job"
rm -r "$job/shards"
same "a program"

# Shards that may still be written are always read.
job=$tmp/shards
"$top_builddir/tests/tools/mkshard" "$job" direct 20
tables >/dev/null
tables >/dev/null
is "$(kept)$(answers)" 00 "of shards nothing is kept"

# So are traces of which something is missing: it is said each time.
job=$tmp/cut
mkdir "$job"
head -c 20000 "$tmp/more/trace.dft" >"$job/trace.dft"
exits 5 "damage is said" "$dftrace" analyze "$job"
exits 5 "and again" "$dftrace" analyze "$job"

done_testing
