#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2420-ask.t - conditions of --where: what they mean, and what is said of a
#               mistake

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh"
. "$top_srcdir/tests/python.sh"

data=$top_srcdir/tests/data/pfw/d1.pfw

# count CONDITION: events that it lets through
count() {
    "$dftrace" export -w "$1" "$data" | sed 1d | wc -l
}
is "$(count 'cat = POSIX and not (name in (read, pread))')" 4 "and, not, in"
is "$(count 'cat=POSIX && !name=read,pread')" 4 "the same in signs"
is "$(count 'CAT=POSIX' 2>/dev/null)" 0 "columns are in lower case"
is "$(count 'time >= 200us and time <= 0.7ms')" 3 "times with units"
is "$(count 'time=0.0002-0.0007')" 3 "a range of seconds"
is "$(count 'file ~ "*.bin"')$(count "file !~ '*.bin'")" 72 "patterns"
is "$(count 'file =~ "bin$" or cat != POSIX')" 8 "a regular expression"

# mistake CONDITION MARKED MESSAGE: the mark is under that word
mistake() {
    exits 2 "a mistake: $1" "$dftrace" export -w "$1" "$data"
    local line mark
    line=$(sed -n 2p "$tmp/err")
    mark=$(sed -n 3p "$tmp/err")
    is "${line:$((${#mark} - 1)):${#2}}" "$2" "the mark is under $2"
    like "$(head -n 1 "$tmp/err")" "$3" "what is said: $3"
}
mistake 'durr > 3ms' durr 'did you mean dur\?.* layer .*errno'
mistake 'dur > 10' '' 'without a unit: use ns, us, ms'
mistake 'dur > 10xs' xs 'not a unit of this column'
mistake 'size > 1ms' ms 'use K, M, G'
mistake 'class = raed' raed 'did you mean read\?'
mistake 'kind in (data, indx)' indx 'did you mean index\?'
mistake 'errno = ENOENTT' ENOENTT 'did you mean ENOENT\?'
mistake 'cat=POSIX rank=0' rank '"and" or "or" should be here'
mistake '(rank=0 or rank=1' '' '"\)" should be here'
mistake 'rank ~ 1' 1 'rank is a number'
mistake 'file = "open' '"open' 'without its closing "'
mistake 'file =~ "(a"' '"(a"' 'not a regular expression'
mistake 'name =~ "((a{9}){9}){9}"' '"((a' 'repetitions'
mistake 'name =~ "(a)\1"' '"(a)' 'back references'
mistake 'dur > size' size 'cannot be compared'
mistake "$(printf 'ä%.0s' {1..60})" '' 'a column should be here'
mistake "$(printf '(%.0s' {1..99})rank=1" '' 'more than 32'
mistake "rank=$(seq -s, 200)" '' 'more than 256'
mistake 'file and rank=0' and 'a comparison should be here'

for command in export "analyze --no-write" "analyze --no-write --view file"; do
    # shellcheck disable=SC2086
    exits 1 "$command: a category that is nowhere" "$dftrace" $command \
        --where cat=POSX "$data"
    like "$(cat "$tmp/err")" "no event has the cat POSX: did you mean POSIX" \
        "and the nearest"
done
exits 0 "a call that was not called" "$dftrace" export -w name=rename "$data"

exits 2 "export knows no steps" "$dftrace" export -w 'step = 3' "$data"
exits 2 "nor do the totals" "$dftrace" analyze --where 'step = 3' "$data"
like "$(cat "$tmp/err")" "arg.step" "which say what they know"
exits 0 "a view by key does" "$dftrace" analyze --no-write --view step \
    --where 'step = 3 or access = sequential' "$data"

"$dftrace" help where >"$tmp/help"
for word in dur size file 'arg.NAME' 'KiB' 'has(COLUMN)'; do
    like "$(cat "$tmp/help")" "${word//[()]/.}" "help where has $word"
done

# What a random condition lets through is what counting one by one gives.
"$python" "$scripts/askwhere.py" "$dftrace" "$tmp" 1 60 >"$tmp/tap"
is "$(grep -c '^ok' "$tmp/tap")" 60 "60 random conditions"
grep '^not ok' "$tmp/tap" | sed 's/^/# /'

done_testing
