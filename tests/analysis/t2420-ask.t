#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2420-ask.t - conditions of --where: what they mean, and what is said of a
#               mistake

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

data=$top_srcdir/tests/data/pfw/d1.pfw

# count CONDITION: events that it lets through
count() {
    "$dftrace" export -w "$1" "$data" | sed 1d | wc -l
}
is "$(count 'cat = POSIX and not (name in (read, pread))')" 4 "and, not, in"
is "$(count 'cat=POSIX && !name=read,pread')" 4 "the same in signs"
is "$(count 'tid in (3, tid)')" "$(count 'tid = tid')" "a column among the values"
cmp_num "$(count 'tid = tid')" -gt 0 "each event has it"
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
mistake 'name =~ "a++++++++++++++++++++++++"' '"a+' 'repetitions of repetitions'
mistake 'name =~ "((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+"' '"((' 'repetitions of repetitions'
exits 0 "a regular expression with pluses that are no repetitions of repetitions" \
    "$dftrace" analyze --no-write --by name --where 'name =~ "(a|b)+/[]+a]+[[:alpha:]]+\\+x{64}"' "$data"
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

cat >"$tmp/steps.pfw" <<'END'
[
{"id":1,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1000000,"dur":10,"ph":"X","args":{"ret":1,"count":1}}
{"id":2,"name":"forward","cat":"compute","pid":7,"tid":7,"ts":1000100,"dur":50,"ph":"X","args":{"step":1}}
{"id":3,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1000200,"dur":20,"ph":"X","args":{"ret":1,"count":1}}
{"id":4,"name":"forward","cat":"compute","pid":7,"tid":7,"ts":1000300,"dur":50,"ph":"X","args":{"step":2}}
{"id":5,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1000320,"dur":30,"ph":"X","args":{"ret":1,"count":1}}
END
is "$("$dftrace" analyze --no-write -f csv --by name --show 'count,max(step)' \
    --where 'step = 1' "$tmp/steps.pfw" | sed 1d | sort | xargs)" \
    "forward,1,1 read,1,1" "steps in conditions and measures"
is "$("$dftrace" analyze --no-write -f csv --view event --where 'step = 2' \
    "$tmp/steps.pfw" | sed 1d | cut -d, -f7,9 | xargs)" "2,forward 2,read" \
    "steps of events"

"$dftrace" help where >"$tmp/help"
for word in dur size file 'arg.NAME' 'KiB' 'has(COLUMN)'; do
    like "$(cat "$tmp/help")" "${word//[()]/.}" "help where has $word"
done

# What a random condition lets through is what counting one by one gives.
"$python" "$scripts/askwhere.py" "$dftrace" "$tmp" 1 60 >"$tmp/tap"
is "$(grep -c '^ok' "$tmp/tap")" 60 "60 random conditions"
grep '^not ok' "$tmp/tap" | sed 's/^/# /'

# The questions of the page.
"$python" "$scripts/askdoc.py" "$dftrace" "$tmp" "$top_srcdir/doc/ask.md" \
    >"$tmp/tap"
is "$(grep -c '^ok' "$tmp/tap")" 21 "the twenty questions of doc/ask.md"
grep '^not ok' "$tmp/tap" | sed 's/^/# /'

# --- groups: --by, --show, --sort, --top ---------------------------------------

job=$tmp/direct
"$top_builddir/tests/tools/mkshard" "$job" direct 100

# ask WORDS…: the rows, as CSV without its head
ask() {
    "$dftrace" analyze --no-write -f csv "$@" "$job" | sed 1d
}
"$python" "$scripts/askgroups.py" "$dftrace" "$tmp" 1 50 >"$tmp/tap"
is "$(grep -c '^ok' "$tmp/tap")" 50 "50 random questions"
grep '^not ok' "$tmp/tap" | sed 's/^/# /'

# Of packed chunks a question reads the columns that it needs, of shards all.
"$dftrace" merge -q -o "$tmp/packed.dft" "$job"
packed ()
{
    ask "$@" >"$tmp/whole"
    job=$tmp/packed.dft ask "$@" >"$tmp/some"
    ok "packed: $*" cmp "$tmp/whole" "$tmp/some"
    ok "packed: $*: there are rows" test -s "$tmp/some"
}
for keys in name function layer,class file,name kind role host,rank,thread \
    'log2(dur)' 'bin(time,1ms),class' 'interval(2ms),name' arg.step,name; do
    packed --by "$keys" --show 'count,sum(dur),p50(dur),p99(dur),max(time)'
    packed --by "$keys" --show 'count,union' \
        --where 'dur > 2us and not (class = meta)'
done
packed --by name --show 'count,p99(dur)' --where 'file ~ "*.bin" or role = loader'
packed --by class --show 'count,errors,sum(bytes),p90(size)'
packed --by name --show 'count,mean(dur)' --where 'size > 1K'
packed --show 'count,min(dur),max(dur),p1(dur)'

is "$(ask --show count)" "$("$dftrace" export "$job" | sed 1d | wc -l)" \
    "all events as one group"
is "$(ask --by name --show 'union,bandwidth,ops' --where 'name = read' |
    awk -F, '{ printf "%s,%s,%.9g,%.9g\n", $1, $2, $3, $4 }')" \
    "$("$dftrace" analyze --no-write -f csv --view function \
        --where 'name = read' "$job" |
        awk -F, 'NR > 1 { printf "read,%s,%.9g,%.9g\n", $6, $7, $8 }')" \
    "union, bandwidth and ops are those of --view function"
is "$(ask --by rank --show count | cut -d, -f1 | xargs)" "0 1 2 3" \
    "rows by a key that is a number"
ask --by rank,name --show 'p99(dur),count' --top 3 >"$tmp/out"
is "$(wc -l <"$tmp/out")" 3 "--top, in CSV, too"
is "$(cut -d, -f3 "$tmp/out" | sort -rnc 2>&1)" "" "the greatest first"
is "$(ask --by name --show 'count,min(dur)' --sort '-min(dur)' | cut -d, -f3 |
    sort -nc 2>&1)" "" "--sort turned round"
is "$(ask --by name --show count --sort -name | cut -d, -f1 | sort -rc 2>&1)" \
    "" "--sort by a key"
is "$(ask --by 'interval(5ms)' --show 'sum(dur)')" \
    "$(ask --view interval --interval 5ms | cut -d, -f1,5)" \
    "interval(5ms) is --view interval"
exits 0 "as JSON" "$dftrace" analyze --no-write -f json --by host,errno \
    --show 'count,p50(arg.image_size)' "$job"
like "$(cat "$tmp/out")" '"p50_arg.image_size":' "names of columns"
exits 0 "as Markdown" "$dftrace" analyze --no-write -f markdown --by host \
    --show 'p99.9(bytes)' "$job"
like "$(cat "$tmp/out")" 'p99.9\(bytes\)' "and titles"

# wrong MARKED MESSAGE WORDS…
wrong() {
    local marked=$1 message=$2 line mark
    shift 2
    exits 2 "wrong: $*" "$dftrace" analyze "$@" "$job"
    line=$(sed -n 2p "$tmp/err")
    mark=$(sed -n 3p "$tmp/err")
    is "${line:$((${#mark} - 1)):${#marked}}" "$marked" "marked: $marked"
    like "$(cat "$tmp/err")" "$message" "said: $message"
}
wrong rnk 'did you mean rank\?' --by name,rnk
wrong conut 'did you mean count\?' --show conut
wrong file 'not a column of numbers' --show 'p99(file)'
wrong rank 'bins are of numbers of events' --by 'log2(rank)'
wrong 'q)' 'not a unit' --by 'bin(dur,1q)'
wrong name 'the same key twice' --by name,name
exits 2 "not shown" "$dftrace" analyze --by name --show count --sort union "$job"
exits 2 "two tables" "$dftrace" analyze --by name --view call "$job"
exits 2 "--sort of nothing" "$dftrace" analyze --sort name "$job"

# Two rounds of partitions give the same bytes.
words=(--by 'rank,log2(size),name' --where 'dur > 1us'
    --show 'count,p99(dur),mean(arg.image_size),p50(bytes),union')
ask "${words[@]}" >"$tmp/whole"
for _ in 1 2; do
    for i in 1 2 3; do
        "$dftrace" analyze --partial --partition $i/3 "${words[@]}" "$job"
    done
    "$dftrace" analyze --reduce --no-write -f csv "${words[@]}" "$job" \
        2>/dev/null | sed 1d >"$tmp/parts"
done
ok "there are rows" test -s "$tmp/whole"
is "$(cat "$tmp/parts")" "$(cat "$tmp/whole")" "partitions give the same bytes"
rm -r "$job/partials"

# --- events ---------------------------------------------------------------------

"$dftrace" export -f jsonl -w 'class = read and dur > 20us' "$job" \
    >"$tmp/events"
exits 0 "--view event" "$dftrace" analyze --no-write -f csv --view event \
    --where 'class = read and dur > 20us' "$job"
is "$(sed 1d "$tmp/out" | wc -l)" "$(wc -l <"$tmp/events")" "as many as export"
is "$(sed 1d "$tmp/out" | cut -d, -f2 | sort -rnc 2>&1)" "" "the longest first"
"$dftrace" analyze --no-write -f csv -j 1 --view event \
    --where 'class = read and dur > 20us' "$job" >"$tmp/one"
is "$(cat "$tmp/one")" "$(cat "$tmp/out")" "one thread gives the same rows"
is "$(ask --view event --where 'class = read and dur > 20us' --top 7)" \
    "$(sed -n 2,8p "$tmp/out")" "--top gives the first of them"
is "$(ask --view event --sort -time --top 50 | cut -d, -f1 | sort -gc 2>&1)" "" \
    "--sort -time"
exits 2 "no such order" "$dftrace" analyze --view event --sort file "$job"
exits 2 "not of partitions" "$dftrace" analyze --view event --reduce "$job"

# of shards that have no more than their processes
"$top_builddir/tests/tools/mkshard" "$tmp/lost" direct 20
had=$("$dftrace" stat --events "$tmp/lost" | wc -l)
for shard in "$tmp"/lost/shards/*.dft; do
    truncate -s 16384 "$shard"
done
exits 5 "--view event where all events are lost" "$dftrace" analyze --no-write \
    -f csv --view event "$tmp/lost"
is "$(wc -l <"$tmp/out")" 1 "no row"
like "$(cat "$tmp/err")" " $had events or more are missing" "it says how many are missing"

done_testing
