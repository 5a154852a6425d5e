#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2426-kept.t - answers that are kept beside the trace: right, while it is the
# same trace and the same question; never anybody else's

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

job=$tmp/job
umask 022
"$top_builddir/tests/tools/mkshard" "$job" direct 60
"$dftrace" merge -q "$job"
rm -r "$job/shards"
chmod 755 "$tmp"

# ask WORD…: rows; whether they were kept is in $tmp/said
ask ()
{
    "$dftrace" analyze --debug -f csv "$@" "$job" 2>"$tmp/said"
}
kept ()
{
    grep -c 'the answer was kept$' "$tmp/said"
}
answers ()
{
    find "$job/answers" -name '*.answer' 2>/dev/null | wc -l
}

# same NAME WORD…: the second time it comes from the file, and is the same
same ()
{
    local name=$1
    shift
    ask "$@" --no-answers >"$tmp/want"
    ask "$@" >"$tmp/first"
    is "$(kept)" 0 "$name: counted at first"
    ask "$@" >"$tmp/second"
    is "$(kept)" 1 "$name: kept"
    is "$(cat "$tmp/first" "$tmp/second")" "$(cat "$tmp/want" "$tmp/want")" \
        "$name: the same"
}

same "usual columns" --by name
same "two keys" --view rank,class
same "quantiles" --by name,file \
    --show 'count,p1(dur),p50(dur),p99(dur),max(dur),mean(dur),p100(dur),p0(dur)'
same "of arguments" --by name --show 'p50(arg.image_size),sum(arg.image_size)'
same "a condition" --by file --show 'count,union' --where 'dur > 2us'
same "all events" --show 'count,union,median(size)'
same "intervals" --by 'interval(1ms)' --show count
same "steps" --by step --show 'count,union'
ask --by name --top 2 >"$tmp/top"
is "$(kept)" 1 "other rows of the same question"
ask --by name --where 'dur > 3us' >"$tmp/other"
is "$(kept)" 0 "another question is counted"
ask --by name --data '*.none' >"$tmp/other"
is "$(kept)" 0 "other kinds are another question"
"$dftrace" analyze --by name "$job" >"$tmp/text"
like "$(cat "$tmp/text")" "^ *name +count" "as text"
is "$(stat -c %a "$job/answers")" 700 "nobody else reads them"

# --no-write keeps nothing.
n=$(answers)
ask --no-write --by host >"$tmp/out"
is "$(answers)" "$n" "--no-write writes none"

# What is damaged is counted again, and written anew.
want=$(ask --no-answers --by name)
for file in "$job"/answers/*.answer; do
    head -c 200 "$file" >"$file.new"
    mv "$file.new" "$file"
done
is "$(ask --by name)" "$want" "cut: the answer is right"
is "$(kept)" 0 "cut: counted"
is "$(ask --by name)$(kept)" "${want}1" "cut: kept again"
for file in "$job"/answers/*.answer; do
    printf '\377' | dd of="$file" bs=1 seek=2000 conv=notrunc 2>"$tmp/dd"
done
is "$(ask --by name)" "$want" "a damaged byte: the answer is right"

# Links, and directories to which others may write.
rm -r "$job/answers"
mkdir "$tmp/elsewhere"
ln -s "$tmp/elsewhere" "$job/answers"
is "$(ask --by name)" "$want" "a link: the answer is right"
is "$(find "$tmp/elsewhere" -type f | wc -l)" 0 "a link is not followed"
rm "$job/answers"
mkdir -m 777 "$job/answers"
ask --by name >"$tmp/out"
is "$(answers)" 0 "a directory that others may write to: none is kept"
rmdir "$job/answers"
chmod 777 "$job"
ask --by name >"$tmp/out"
ok "the same of the one around it" test ! -e "$job/answers"
chmod 755 "$job"
ask --by name >"$tmp/out"
victim=$(find "$job/answers" -name '*.answer')
mv "$victim" "$tmp/moved"
ln -s "$tmp/moved" "$victim"
is "$(ask --by name)$(kept)" "${want}0" "a link as an answer"

# Another trace: nothing that was kept is believed.
ask --by name --show count >"$tmp/old"
"$top_builddir/tests/tools/mkshard" "$tmp/more" direct 90
"$dftrace" merge -q "$tmp/more"
cp "$tmp/more/trace.dft" "$job/trace.dft"
ask --by name --show count --no-answers >"$tmp/want"
ask --by name --show count >"$tmp/new"
is "$(kept)" 0 "another trace is counted"
is "$(cat "$tmp/new")" "$(cat "$tmp/want")" "and its numbers are shown"
isnt "$(cat "$tmp/new")" "$(cat "$tmp/old")" "which are others"

# Shards that may still be written are always counted.
job=$tmp/shards
"$top_builddir/tests/tools/mkshard" "$job" direct 20
ask --by name >"$tmp/out"
ask --by name >"$tmp/out"
is "$(kept)$(answers)" 00 "answers about shards are not kept"

# So are traces of which something is missing: it is said each time.
job=$tmp/cut
mkdir "$job"
head -c 20000 "$tmp/more/trace.dft" >"$job/trace.dft"
exits 5 "damage is said" "$dftrace" analyze --by name "$job"
exits 5 "and again" "$dftrace" analyze --by name "$job"

# A directory without traces is said to be that.
mkdir "$tmp/empty"
"$dftrace" analyze --by name "$tmp/empty" 2>"$tmp/said"
like "$(cat "$tmp/said")" "no traces in it" "no traces: says so"

# No more than 64 of them.
job=$tmp/job
for i in $(seq 1 70); do
    : >"$job/answers/old$i.answer"
    touch -d "2001-01-01 $((i / 60)):$((i % 60))" "$job/answers/old$i.answer"
done
ask --by host,name >"$tmp/out"
is "$(answers)" 64 "the oldest ones go"
ask --by host,name >"$tmp/out"
is "$(kept)" 1 "the youngest one stays"

done_testing
