#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2340-groups.t - events by one or two keys, and only those of --where

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

job=$tmp/direct
"$top_builddir/tests/tools/mkshard" "$job" direct 300

# view WORDS…: its rows as CSV in $tmp/out
view ()
{
    "$dftrace" analyze --no-write --format csv --view "$@" >"$tmp/out"
}
# column N: its sum over the rows
column ()
{
    awk -F, -v n="$1" 'NR > 1 { s += $n } END { printf "%.9g\n", s }' "$tmp/out"
}
all=$("$dftrace" export "$job" | tail -n +2 | wc -l)
bytes=$("$dftrace" export -w class=x "$job" 2>/dev/null | wc -l)
is "$bytes" 0 "export knows no such condition"
bytes=$("$dftrace" export -w 'name=read,write' "$job" |
    awk -F, 'NR > 1 && $12 > 0 { s += $12 } END { print s }')
time=$("$dftrace" export "$job" |
    awk -F, 'NR > 1 { s += $2 } END { printf "%.9g\n", s / 1e9 }')

for key in layer function class file directory pattern kind host process \
    thread rank interval step epoch size access configuration; do
    [ "$key" != kind ] || continue
    exits 0 "--view of $key" "$dftrace" analyze --no-write --format csv \
        --view "$key,kind" "$job"
    is "$(column 3)" "$all" "$key,kind: every event in one row"
    is "$(column 5)" "$bytes" "$key,kind: every byte in one row"
    is "$(column 6)" "$time" "$key,kind: all time in one row"
done 2>/dev/null

view thread,function "$job"
cp "$tmp/out" "$tmp/first"
"$dftrace" analyze --no-write -j 1 --format csv --view thread,function "$job" \
    >"$tmp/out"
ok "one thread gives the same rows" cmp "$tmp/first" "$tmp/out"
is "$(tail -n +2 "$tmp/out" | cut -d, -f1,2 | sort | uniq -d)" "" \
    "no pair twice"

# The union of a thread's items is their sum: they do not overlap.
is "$(awk -F, '$2 == "data/item" && $6 != $7' "$tmp/out")" "" \
    "union of what is serial"
view interval,class --interval 5ms "$job"
is "$(cut -d, -f1 "$tmp/out" | tail -n +2 | sort -un | tr '\n' ' ')" \
    "0 0.005 0.01 0.015 " "--interval"
ok "no interval is longer than itself" \
    awk -F, 'NR > 1 && $7 > 0.005000001 { exit 1 }' "$tmp/out"

# --- steps and epochs, counted by hand ------------------------------------------

cat >"$tmp/steps.pfw" <<'END'
[
{"id":0,"name":"FH","cat":"dftracer","pid":7,"tid":7,"ph":"M","args":{"name":"/data/run12/shard-0003.bin","value":"aa"}}
{"id":1,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1000000,"dur":10,"ph":"X","args":{"ret":100,"count":100,"fhash":"aa"}}
{"id":2,"name":"forward","cat":"compute","pid":7,"tid":7,"ts":1000100,"dur":50,"ph":"X","args":{"step":1,"epoch":0}}
{"id":3,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1000200,"dur":20,"ph":"X","args":{"ret":5000,"count":5000,"fhash":"aa"}}
{"id":4,"name":"backward","cat":"compute","pid":7,"tid":7,"ts":1000230,"dur":50,"ph":"X","args":{"step":1,"epoch":0}}
{"id":5,"name":"forward","cat":"compute","pid":7,"tid":7,"ts":1000300,"dur":50,"ph":"X","args":{"step":2,"epoch":1}}
{"id":6,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1000320,"dur":30,"ph":"X","args":{"ret":0,"count":100,"fhash":"aa"}}
{"id":7,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1000400,"dur":40,"ph":"X","args":{"ret":100,"count":100,"fhash":"aa"}}
]
END
view step,function "$tmp/steps.pfw"
is "$(cut -d, -f1-3,5,6 "$tmp/out" | tail -n +2 | sort | tr '\n' ' ')" \
    "-,POSIX/read,2,200,5e-05 \
1,POSIX/read,1,5000,2e-05 1,compute/backward,1,0,5e-05 \
1,compute/forward,1,0,5e-05 2,POSIX/read,1,0,3e-05 \
2,compute/forward,1,0,5e-05 " "steps: by argument, and by time"
view epoch --where cat=compute "$tmp/steps.pfw"
is "$(cut -d, -f1,2 "$tmp/out" | tail -n +2 | tr '\n' ' ')" "0,2 1,1 " \
    "epochs, of compute only"
view pattern,size "$tmp/steps.pfw"
is "$(cut -d, -f1-3 "$tmp/out" | tail -n +2 | sort | tr '\n' ' ')" \
    "-,-,3 /data/runN/shard-N.bin,0,1 /data/runN/shard-N.bin,16384,1 \
/data/runN/shard-N.bin,4096,2 " "file pattern, bins of sizes"

# --- several jobs -----------------------------------------------------------------

"$top_builddir/tests/tools/mkshard" "$tmp/mmap" mmap 300
view configuration,class "$job" "$tmp/mmap"
is "$(cut -d, -f1 "$tmp/out" | tail -n +2 | sort -u | tr '\n' ' ')" \
    "direct mmap " "configurations in one table"

# A view of several jobs is one table that says whose row it is.
for view in kind class interval,layer; do
    view $view "$job" "$tmp/mmap"
    is "$(head -n 1 "$tmp/out" | cut -d, -f1)" job "--view $view: whose"
    for one in direct mmap; do
        is "$(sed -n "1s/^job,//p; s/^$one,//p" "$tmp/out")" \
            "$("$dftrace" analyze --no-write --format csv --view $view \
                "$tmp/$one")" "--view $view: $one as alone"
    done
done
exits 0 "as text" "$dftrace" analyze --no-write --view class "$job" "$tmp/mmap"
is "$(grep -c '^job ' "$tmp/out")" 1 "one heading"

# --- --where ------------------------------------------------------------------

for where in rank=1 cat=POSIX name=read 'file=*.bin' 'file!=*.bin' host=n2 \
    time=0.002-0.004 'name!=read'; do
    n=$("$dftrace" export -w "$where" "$job" | tail -n +2 | wc -l)
    view layer --where "$where" "$job"
    is "$(column 2)" "$n" "--where $where: as many events as export"
done
rm -rf "$job/metrics.json"
is "$("$dftrace" analyze --view metric --format csv --where cat=POSIX \
    --where rank=2 "$job" | grep -E '^(posix|app)_events,' | cut -d, -f2 |
    tr '\n' ' ')" \
    "$("$dftrace" export -w cat=POSIX -w rank=2 "$job" | tail -n +2 | wc -l) 0 " \
    "metrics of those events only"
nok "and nothing is written" test -e "$job/metrics.json"

exits 2 "an unknown key" "$dftrace" analyze --view step,bogus "$job"
like "$(cat "$tmp/err")" "dftrace help views" "which says where keys are"
exits 0 "any number of keys" "$dftrace" analyze --no-write -f csv \
    --view layer,class,function,kind,host,rank "$job"
is "$(awk -F, 'NR > 1 { n += $7 } END { print n }' "$tmp/out")" \
    "$("$dftrace" analyze --no-write -f csv --view host "$job" |
        awk -F, 'NR > 1 { n += $2 } END { print n }')" \
    "of which the rows are all events"
exits 0 "an argument is a key" "$dftrace" analyze --no-write -f csv \
    --view role,arg.step "$job"
like "$(head -1 "$tmp/out")" "^role,arg.step,count," "and a column"
exits 2 "an argument without a name" "$dftrace" analyze --view arg. "$job"
exits 2 "a key twice" "$dftrace" analyze --view rank,rank "$job"
exits 2 "an unknown condition" "$dftrace" analyze --where bogus=1 "$job"
sed 's/"ts":1000400/"ts":999000400/' "$tmp/steps.pfw" >"$tmp/long.pfw"
exits 1 "too many intervals" "$dftrace" analyze --view interval \
    --interval 1ms "$tmp/long.pfw"
for key in $("$dftrace" help views | sed '1,/^Keys/d' |
    sed '/^ *arg.NAME/q' | awk '{ print $1 }'); do
    with=rank
    [ "$key" != rank ] || with=host
    exits 0 "dftrace help views has $key" "$dftrace" analyze --no-write --view \
        "$key,$with" "$job"
done

done_testing
