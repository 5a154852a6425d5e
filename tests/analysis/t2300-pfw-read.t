#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2300-pfw-read.t - DFTracer's traces of every dialect, whole and broken
#
# tests/data/pfw/dN.pfw say the same in each dialect: on n1, process 100 opens
# a file, reads 4096, 4096 and 100 bytes of it, 10 items of 8 bytes with
# fread, stats, forks and closes; the regions and times are the same, too.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

data=$top_srcdir/tests/data/pfw

metric ()
{
    awk -F, -v want="$2" '$1 == want { print $2 == "" ? "n/a" : $2 }' "$1"
}

# numbers FILE…: exit status, and the metrics that follow from the head
numbers ()
{
    "$dftrace" analyze --no-write --format csv "$@" >"$tmp/m.csv" \
        2>"$tmp/m.err"
    echo "$? $(for m in posix_events stdio_events app_events read_count \
        read_bytes read_time loader_time job_time samples lost_events; do
        metric "$tmp/m.csv" $m
    done | xargs)"
}

same="0 7 1 1 3 8292 0.00045 0.0008 0.001 1 0"
for dialect in 0 1 2 3; do
    d=$data/d$dialect.pfw
    is "$(numbers "$d")" "$same" "dialect $dialect"
    gzip -c "$d" >"$tmp/one.pfw.gz"
    is "$(numbers "$tmp/one.pfw.gz")" "$same" "dialect $dialect, gzip"
    { head -n 6 "$d" | gzip; tail -n +7 "$d" | gzip; } >"$tmp/two.pfw.gz"
    is "$(numbers "$tmp/two.pfw.gz")" "$same" "dialect $dialect, two members"
    "$dftrace" analyze --no-write --format csv --view call "$d" >"$tmp/calls"
    like "$(grep fread, "$tmp/calls")" ",80,[0-9.]*,?$" \
        "dialect $dialect: fread counts items"
    like "$(cut -d, -f2 "$tmp/calls" | xargs)" "pread .*fstat.* fread" \
        "dialect $dialect: names without 64 and __x"
    "$dftrace" analyze --no-write --format csv --view file "$d" >"$tmp/files"
    like "$(cat "$tmp/files")" "storage,data,1,4,8372,.*/data/a.bin" \
        "dialect $dialect: the file by its name"
    "$dftrace" analyze --no-write --format csv --view process "$d" \
        >"$tmp/procs"
    like "$(sed -n 2p "$tmp/procs")" "^n1,100," "dialect $dialect: the process"
done

# Names and hashes may be said after their use; key order is free.
{ grep -v '"FH"' "$data/d1.pfw"; grep '"FH"' "$data/d1.pfw"; } >"$tmp/late.pfw"
is "$(numbers "$tmp/late.pfw")" "$same" "a name that comes late"

# No args at all (DFTRACER_INC_METADATA=0): counts and times, no bytes.
sed 's/,"args":.*/}/; /"ph":"M"/d' "$data/d1.pfw" >"$tmp/bare.pfw"
is "$(numbers "$tmp/bare.pfw")" "0 7 1 1 0 0 n/a 0.0008 0.001 1 0" \
    "without args"

# What a killed and a doubled writer leave behind.
sed '1s/.*/  /; $d' "$data/d1.pfw" | tr -d '\n' | sed 's/}}{/}}\n{/g' \
    >"$tmp/kill.pfw"
is "$(numbers "$tmp/kill.pfw")" "$same" "no brackets, no last newline"
{ cat "$data/d1.pfw" | sed '$d'; printf '][\n'; } >"$tmp/joint.pfw"
sed 's/"pid":100/"pid":101/' "$data/d1.pfw" >>"$tmp/joint.pfw"
is "$(numbers "$tmp/joint.pfw")" \
    "0 14 2 2 6 16584 0.0009 0.0008 0.001 2 0" "two files joined by ]["
sed 's/^{"id":8/]{"id":8/' "$data/d1.pfw" >"$tmp/inner.pfw"
is "$(numbers "$tmp/inner.pfw")" "$same" "a bracket before a line"
tr '\n' ',' <"$data/d1.pfw" >"$tmp/oneline.pfw"
is "$(numbers "$tmp/oneline.pfw")" "$same" "all on one line, with commas"

# --- damage --------------------------------------------------------------

health ()
{
    "$dftrace" analyze --no-write --format csv --view health "$1" 2>/dev/null |
        tail -n 1
}

sed 's/^{"id":6,"name":"read"/{"id":6,"na/' "$data/d1.pfw" >"$tmp/bad.pfw"
is "$(numbers "$tmp/bad.pfw")" \
    "5 6 1 1 2 4196 0.00035 0.0008 0.001 1 1" "a torn line: the rest counts"
like "$(health "$tmp/bad.pfw")" "1 malformed lines" "a torn line: said"
exits 1 "a torn line, --strict" "$dftrace" analyze --strict "$tmp/bad.pfw"
is "$(cat "$tmp/out")" "" "--strict: no numbers"
awk '/"id":6,/ { printf "%s", substr ($0, 1, 60); next } { print }' \
    "$data/d1.pfw" >"$tmp/torn.pfw"
is "$(numbers "$tmp/torn.pfw")" \
    "5 6 1 1 2 4196 0.00035 0.0008 0.001 1 1" \
    "the next line in a torn one is found"
size=$(stat -c %s "$data/d1.pfw")
head -c $((size - 400)) "$data/d1.pfw" >"$tmp/cut.pfw"
like "$(numbers "$tmp/cut.pfw")" "^5 5 1 1 3 8292 .* 1$" "cut: exit status 5"
like "$(health "$tmp/cut.pfw")" "last line incomplete" "cut: said"

for i in $(seq 40); do cat "$data/d1.pfw"; done >"$tmp/many.pfw"
gzip -c "$tmp/many.pfw" >"$tmp/cut.pfw.gz"
size=$(stat -c %s "$tmp/cut.pfw.gz")
truncate -s $((size / 2)) "$tmp/cut.pfw.gz"
like "$(numbers "$tmp/cut.pfw.gz")" "^5 [0-9]+ " "gzip cut: exit status 5"
want=$(zcat "$tmp/cut.pfw.gz" 2>/dev/null | grep -c '"cat":"POSIX".*}}$')
is "$(metric "$tmp/m.csv" posix_events)" "$want" "gzip cut: as zcat finds"
like "$(health "$tmp/cut.pfw.gz")" "gzip stream cut off" "gzip cut: said"

{
    gzip -c "$data/d1.pfw"
    printf 'this is no gzip member at all'
    gzip -c "$data/d1.pfw" | head -c 60
    head -c 200 /dev/zero | tr '\0' x
    sed 's/"pid":100/"pid":101/' "$data/d1.pfw" | gzip -c
} >"$tmp/hurt.pfw.gz"
like "$(numbers "$tmp/hurt.pfw.gz")" "^5 1[45] 2 2 6 16584 " \
    "damaged members: those around them count"
like "$(health "$tmp/hurt.pfw.gz")" "damaged gzip members" \
    "damaged members: said"

sed 's/"ph":1,"args":{"hhash":"6882804a826580cd","level":1,"ret":100/"ph":3,"args":{"dft_cnt":7,"ret":1/' \
    "$data/d3.pfw" >"$tmp/sum.pfw"
like "$(numbers "$tmp/sum.pfw")" "^5 6 1 1 2 .* 7$" \
    "aggregated lines are said to be missing"

# What such lines hold is a table of its own; n/a what is not exact: a count
# that its durations contradict (dft_cnt is of one argument, which not every
# call has), bytes with a -1 among them. A line of one call has no sums.
cat >"$tmp/sums.pfw" <<'END'
{"name":"PR","cat":"dftracer","type":1,"pid":77,"tid":77,"ph":4,"args":{"name":"rank","value":"0"}}
{"name":"read","cat":"POSIX","type":3,"ts":1785087679000000,"ph":3,"pid":77,"tid":77,"args":{"hhash":"8e0caa2d595b2a4d","dft_cnt":4,"dur_min":10,"dur_max":40,"dur_sum":100,"ret_min":0,"ret_max":4096,"ret_sum":12288}}
{"name":"read64","cat":"POSIX","type":3,"ts":1785087680000000,"ph":3,"pid":77,"tid":78,"args":{"hhash":"8e0caa2d595b2a4d","dft_cnt":1,"dur":5,"ret":100}}
{"name":"openat","cat":"POSIX","type":3,"ts":1785087679000000,"ph":3,"pid":77,"tid":77,"args":{"hhash":"8e0caa2d595b2a4d","dft_cnt":2,"dur_min":379,"dur_max":444,"dur_sum":1232}}
{"name":"write","cat":"POSIX","type":3,"ts":1785087679000000,"ph":3,"pid":77,"tid":77,"args":{"hhash":"8e0caa2d595b2a4d","dft_cnt":3,"dur_min":1,"dur_max":4,"dur_sum":9,"ret_min":-1,"ret_max":100,"ret_sum":199}}
{"name":"item","cat":"data","type":3,"ts":1785087679000000,"ph":3,"pid":77,"tid":77,"args":{"hhash":"8e0caa2d595b2a4d","dft_cnt":3}}
END
exits 5 "only sums" "$dftrace" analyze --no-write --format csv --view sum \
    "$tmp/sums.pfw"
is "$(tail -n +2 "$tmp/out" | cut -d, -f1-10 | tr '\n' ' ')" \
    "POSIX,openat,1,2,,0.001232,379,,444, POSIX,read,2,5,5,0.000105,5,21,40,12388 \
POSIX,write,1,3,3,9e-06,1,3,4, data,item,1,3,,,,,, " \
    "count, sum, minimum, mean, maximum, bytes"
like "$(numbers "$tmp/sums.pfw")" "^5 n/a n/a n/a n/a .* 0 n/a 13$" \
    "they are in no metric, and no process began before all others"
for ((i = 0; i < 4; i++)); do
    echo '{"name":"stat","cat":"POSIX","ts":5,"ph":3,"pid":1,"tid":1,"args":{"dft_cnt":4611686018427387904,"dur":0}}'
done >"$tmp/lie.pfw"
exits 5 "counts beyond all numbers" "$dftrace" analyze --no-write \
    --format csv --view sum "$tmp/lie.pfw"
like "$(tail -n 1 "$tmp/out")" "^POSIX,stat,4,4,,0,0,,0,$" "are none"
mkdir -p "$tmp/sumjob/shards"
cp "$tmp/sums.pfw" "$tmp/sumjob/shards/a.pfw"
{ cat "$data/d3.pfw"; sed 's/"pid":77/"pid":79/' "$tmp/sums.pfw"; } \
    >"$tmp/sumjob/shards/b.pfw"
"$dftrace" analyze --no-write --format csv --view sum "$tmp/sumjob" \
    >"$tmp/one" 2>/dev/null
is "$(grep -c 'POSIX,read,4,10,10,0.00021,' "$tmp/one")" 1 "files add up"
for i in 1 2; do
    "$dftrace" analyze --partial --partition $i/2 "$tmp/sumjob" 2>/dev/null
done
"$dftrace" analyze --no-write --reduce --format csv --view sum "$tmp/sumjob" \
    >"$tmp/two" 2>/dev/null
ok "so do shares" cmp "$tmp/one" "$tmp/two"
is "$("$dftrace" analyze --no-write --format csv --view sum --where rank=0 \
    "$tmp/sums.pfw" 2>/dev/null | wc -l)" 1 "conditions leave them out"

: >"$tmp/empty.pfw"
exits 1 "an empty file" "$dftrace" analyze "$tmp/empty.pfw"
like "$(cat "$tmp/err")" "empty" "an empty file: said"
head -c 5000 /dev/urandom >"$tmp/foreign.pfw"
exits 1 "a foreign file" "$dftrace" analyze "$tmp/foreign.pfw"
like "$(cat "$tmp/err")" "not a DFTracer trace" "a foreign file: said"
ln -s d1.pfw "$tmp/link.pfw"
exits 1 "a symbolic link is not followed" "$dftrace" analyze "$tmp/link.pfw"

# --- mixed, merged, and back ------------------------------------------------

mkdir "$tmp/mixed"
"$top_builddir/tests/tools/mkshard" "$tmp/mixed" direct 40
shards=$(numbers "$tmp/mixed")
cp "$data/d1.pfw" "$tmp/mixed/shards/x-1-preload.pfw"
sed 's/"pid":100/"pid":300/' "$data/d2.pfw" | gzip \
    >"$tmp/mixed/shards/y-1-app.pfw.gz"
set -- $shards
p=$2 s=$3
set -- $(numbers "$tmp/mixed")
is "$1 $2 $3" "0 $((p + 14)) $((s + 2))" "shards and lines in one directory"
exits 0 "they merge" "$dftrace" merge --quiet --pfw "$tmp/mixed"
is "$(numbers "$tmp/mixed/trace.dft" | cut -d' ' -f1-7)" \
    "$(numbers "$tmp/mixed" | cut -d' ' -f1-7)" "the merged trace says the same"
is "$(numbers "$tmp/mixed/combined.pfw.gz" | cut -d' ' -f1-6)" \
    "$(numbers "$tmp/mixed" | cut -d' ' -f1-6)" \
    "and so does the export, read again"
rm -r "$tmp/mixed/shards" "$tmp/mixed/trace.dft"
is "$(numbers "$tmp/mixed" | cut -d' ' -f1-6)" \
    "$(numbers "$tmp/mixed/combined.pfw.gz" | cut -d' ' -f1-6)" \
    "an export alone is found"

# --- what is there twice, and what cannot be ----------------------------------

lines ()
{
    "$dftrace" analyze --no-write --format csv --view metric "$@" \
        >"$tmp/m.csv" 2>"$tmp/m.err"
    echo "$? $(metric "$tmp/m.csv" read_count) $(metric "$tmp/m.csv" read_bytes) $(
        metric "$tmp/m.csv" job_time)"
}

# A process forks with five lines in its buffer: the child writes them again.
fake () # FROM TO: reads of process 7, by their numbers
{
    for ((i = $1; i < $2; i++)); do
        printf '{"id":%d,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":%d,"dur":50,"ph":"X","args":{"ret":100,"fd":3,"fname":"/data/x.bin"}}\n' \
            "$i" $((1795219565602000 + 100 * i))
    done
}
{ fake 1 6; fake 1 11; } >"$tmp/forked.pfw"
is "$(lines "$tmp/forked.pfw")" "0 10 1000 0.00095" "lines written twice count once"
like "$(health "$tmp/forked.pfw")" "5 lines written twice" "the table of files counts lines that are there twice"
like "$(cat "$tmp/m.err")" "5 lines were written twice: each counts once" "as a warning"
{ fake 1 2; fake 1 2; } >"$tmp/forked.pfw"
is "$(lines "$tmp/forked.pfw")" "0 1 100 5e-05" "a single line written twice"
{ fake 1 60000; fake 50000 60010; } >"$tmp/forked.pfw"
is "$(lines "$tmp/forked.pfw")" "0 60009 6000900 6.00085" "in another block of lines"
# Two nodes that have one process id, and no names: calls of one thread cross.
{ fake 1 4; fake 1 4 | sed 's/"ts":\([0-9]*\)/"ts":\125/; s/602\([0-9]*\)25,/602\1,/' |
    awk '{ sub (/"id":/, "\"id\":9"); sub (/00,"dur"/, "25,\"dur\""); print }'; } >"$tmp/nodes.pfw"
is "$(lines "$tmp/nodes.pfw" | cut -d' ' -f1,2)" "0 6" "two nodes under one number: all count"
like "$(health "$tmp/nodes.pfw")" "3 calls crossed: processes of two nodes" "the table of files names the two nodes"

# A copy of a file as it was before: whichever name it has, all events count.
mkdir "$tmp/stale"
fake 1 1000 >"$tmp/stale/m.pfw"
for name in a z; do
    rm -f "$tmp/stale/"[az].pfw
    head -n 300 "$tmp/stale/m.pfw" >"$tmp/stale/$name.pfw"
    is "$(lines "$tmp/stale")" "0 999 99900 0.09985" "a stale copy as $name.pfw: the longest counts"
    like "$(cat "$tmp/m.err")" "1 processes are in several trace files: the longest" \
        "a stale copy as $name.pfw: said"
    is "$(health "$tmp/stale" >/dev/null; "$dftrace" analyze --no-write --format csv --view health \
        "$tmp/stale" 2>/dev/null | grep -c '^'$name'.*1 processes that a longer file has')" 1 \
        "a stale copy as $name.pfw: its row"
done
"$dftrace" analyze -q "$tmp/stale" 2>/dev/null
is "$(grep -c '"copied_processes": 1,\|"copied_events": 300,' "$tmp/stale/metrics.json")" 2 \
    "a stale copy: in metrics.json"
sed '1,100s/"ret":100/"ret":99/' "$tmp/stale/m.pfw" | head -n 300 >"$tmp/stale/z.pfw"
like "$(lines "$tmp/stale")" "^5 999 " "a copy that says something else is a loss"

# Units of time: said, or taken from what the times are.
unit ()
{
    printf '{"name":"CM","cat":"dftracer","pid":7,"tid":7,"ph":4,"args":{"name":"time_metric","value":"%s"}}\n' "$1"
}
{ unit NS; fake 1 11 | sed 's/"ts":\([0-9]*\),"dur":50/"ts":\1123,"dur":50000/'; } >"$tmp/ns.pfw"
is "$(lines "$tmp/ns.pfw")" "0 10 1000 0.00095" "nanoseconds"
sed -i 1d "$tmp/ns.pfw"
is "$(lines "$tmp/ns.pfw")" "0 10 1000 0.00095" "nanoseconds that nobody calls so"
like "$(cat "$tmp/m.err")" "no line says the unit of time" "are said"
{ unit MS; fake 1 11 | sed 's/"ts":\([0-9]*\)[0-9]\{3\},"dur":50/"ts":\1,"dur":1/'; } >"$tmp/ms.pfw"
is "$(lines "$tmp/ms.pfw")" "0 10 1000 0.002" "milliseconds"
# Times since the start of the program tell no unit: the line alone does.
for one in "NS 9.5e-07" "US 0.00095" "MS 0.95"; do
    { unit "${one% *}"; fake 1 11 | sed 's/"ts":17952195656/"ts":/'; } >"$tmp/small.pfw"
    is "$(lines "$tmp/small.pfw")" "0 10 1000 ${one#* }" "${one% *}, as a line says"
done
fake 1 11 | sed 's/"dur":50/"dur":50.25/; s/00,"dur"/00.5,"dur"/' >"$tmp/part.pfw"
is "$(lines "$tmp/part.pfw") $(metric "$tmp/m.csv" read_time)" \
    "0 10 1000 0.00095025 0.0005025" "parts of a microsecond"

# What cannot be counts as far as it can, and is said.
{ fake 1 11; fake 11 12 | sed 's/"ts":[0-9]*/"ts":0/'; } >"$tmp/zero.pfw"
is "$(lines "$tmp/zero.pfw")" "5 10 1000 0.00095" "a time of 0 among times of day is a loss"
like "$(health "$tmp/zero.pfw")" "1 events at impossible times" "a time of 0: said"
{ fake 1 11; fake 11 12 | sed 's/"dur":50/"dur":-50/'; fake 12 13 | sed 's/"dur":50,//'; } >"$tmp/odd.pfw"
is "$(lines "$tmp/odd.pfw" | cut -d' ' -f1-3)" "0 12 1200" "durations below 0, or none: they count"
like "$(health "$tmp/odd.pfw")" "2 events without a duration" "and are said"
like "$(cat "$tmp/m.err")" "2 events have durations or sizes that cannot be" "as a warning"
# DFTracer without metadata, its default, says of no read how much it was.
fake 1 11 | sed 's/"args":{[^}]*}/"args":{}/' >"$tmp/bare.pfw"
is "$(lines "$tmp/bare.pfw" | cut -d' ' -f1)" 0 "reads without a size: nothing is lost"
like "$(health "$tmp/bare.pfw")" "10 reads and writes without a size" "and are said"
like "$(cat "$tmp/m.err")" "no size: DFTracer records it only with DFTRACER_INC_METADATA=1" \
    "as a warning that says what to do"
is "$("$dftrace" analyze --no-write --view call --format csv "$tmp/bare.pfw" 2>/dev/null |
    sed -n 's/^POSIX,read,10,.*[0-9],\([^,]*\),\([^,]*\),[^,]*$/\1 \2/p')" " " \
    "their bytes are not known, not 0"
{ fake 1 11; for n in 9223372036854775807 18446744073709551615 4611686018427387904 -9223372036854775808; do
    fake 11 12 | sed "s/\"ret\":100/\"ret\":$n/"; done | awk '{ sub (/"id":11/, "\"id\":" NR + 10); print }'; } \
    >"$tmp/huge.pfw"
is "$(lines "$tmp/huge.pfw" | cut -d' ' -f1,3)" "0 1000" "sizes near 2^63 are none"
like "$(health "$tmp/huge.pfw")" "4 events with impossible sizes" "and are said"

# A call that failed is a call, with its time and no bytes, whatever it asked for;
# without a file it is of none. The merged trace says the same.
mkdir -p "$tmp/failed/shards"
{ fake 1 3; fake 3 7 | sed 's/"ret":100/"ret":-1,"count":4096/
        2s/"name":"read"/"name":"pread"/; 2s/"ret":-1/&,"errno":5/
        3s/"name":"read"/"name":"write"/
        4s/,"fd":3,"fname":"[^"]*"/,"fd":-1/'; } >"$tmp/failed/shards/a.pfw"
errors ()
{
    lines "$@"
    metric "$tmp/m.csv" write_bytes
    metric "$tmp/m.csv" read_time
    "$dftrace" analyze --no-write --format csv --view call "$@" | awk -F, 'NR > 1 { print $2, $3, $4, $12 }'
    "$dftrace" analyze --no-write --format csv --view file "$@" | awk -F, 'NR > 1 { print $4, $5, $NF }'
}
want="0 4 200 0.00055 0 0.0002 read 4 2 200 pread 1 1 0 write 1 1 0 4 200 /data/x.bin"
is "$(errors "$tmp/failed" | xargs)" "$want" "reads of -1: counted, as errors, without bytes"
"$dftrace" merge -q "$tmp/failed"
rm -r "$tmp/failed/shards"
is "$(errors "$tmp/failed" | xargs)" "$want" "reads of -1: in the merged trace, too"

# Hashes hold across the files of a job, whatever task reads them.
mkdir -p "$tmp/hashes/shards"
cp "$data/d1.pfw" "$tmp/hashes/shards/b.pfw"
sed 's/"pid":100/"pid":101/; s/"ts":100/"ts":101/; /"name":"[FHS]H"/d' "$data/d1.pfw" \
    >"$tmp/hashes/shards/a.pfw"
sed 's/"pid":101/"pid":102/' "$tmp/hashes/shards/a.pfw" >"$tmp/hashes/shards/c.pfw"
"$dftrace" analyze --no-write --format csv --view file "$tmp/hashes" >"$tmp/one" 2>/dev/null
is "$(grep -c . "$tmp/one") $(awk -F, '/a.bin/ { print $4 }' "$tmp/one")" "2 12" \
    "a file that only another trace names"
is "$("$dftrace" analyze --no-write --format csv --view process "$tmp/hashes" 2>/dev/null |
    grep -c '^n1,10[012],.*,train$')" 3 "so are host and program"
for i in 1 2 3; do
    "$dftrace" analyze --partial --partition $i/3 "$tmp/hashes" 2>/dev/null
done
"$dftrace" analyze --no-write --reduce --format csv --view file "$tmp/hashes" >"$tmp/two" 2>/dev/null
ok "shares say the same" cmp "$tmp/one" "$tmp/two"
{ grep -v '"FH"' "$data/d1.pfw" | sed 's/,"p_idx":-1//' |
    awk '!/"X"/ { print; next }
        { at = index ($0, "\"ts\":1"); head = substr ($0, 1, at + 4)
          tail = substr ($0, at + 6)
          for (i = 0; i < 20000; i++) print head (10000 + i) tail }'
    grep '"FH"' "$data/d1.pfw"; } >"$tmp/late.pfw"
is "$("$dftrace" analyze --no-write --format csv --view file "$tmp/late.pfw" 2>/dev/null | grep -c '#')" 0 \
    "a name at the end of a long file"
: >"$tmp/hashes/shards/e.pfw"
rm -rf "$tmp/hashes/partials"
is "$(lines "$tmp/hashes" | cut -d' ' -f1,2)" "0 9" "a file of 0 bytes is no damage"
like "$("$dftrace" analyze --no-write --format csv --view health "$tmp/hashes" | tail -n 1)" \
    "e.pfw,0,.*empty: nothing was recorded" "but is said"

# Samples: items, with image_size or not; sizes of other regions are something
# else. Bytes are those that a reader took from the file, inside of the item.
regions=0
region () # CATEGORY NAME START DURATION ARGS
{
    printf '{"id":%d,"name":"%s","cat":"%s","pid":7,"tid":7,"ts":%d,"dur":%d,"ph":"X","args":{%s}}\n' \
        $((++regions)) "$2" "$1" $((1000000 + $3)) "$4" "$5"
}
{ # DLIO, Megatron-LM, and an item that says nothing
    region reader R.get_sample 120 10 '"image_size":1048576'
    region reader R.close 140 10 '"image_size":1048576'
    region reader R.read_index 110 50 '"image_size":1048576'
    region data_loader D.__getitem__ 100 100 ''
    region data preprocess.mmap_read 320 10 '"image_size":524288'
    region data preprocess.mmap_read 340 10 '"image_size":524288'
    region data preprocess.read_indexed 310 80 '"image_size":4194304'
    region data item 300 100 ''
    region data item 500 100 ''
    region ai_framework F.compute 700 100 '"image_size":5'
    region data_loader T.get_loader 900 100 '"image_size":5'
} >"$tmp/samples.pfw"
"$dftrace" analyze --no-write --format csv --view metric "$tmp/samples.pfw" >"$tmp/m.csv" 2>/dev/null
is "$(metric "$tmp/m.csv" samples) $(metric "$tmp/m.csv" sample_bandwidth_total)" "3 10000" \
    "samples: three items; 2 MiB in 200 us"
region data item 500 100 '' >"$tmp/samples.pfw"
"$dftrace" analyze --no-write --format csv --view metric "$tmp/samples.pfw" >"$tmp/m.csv" 2>/dev/null
is "$(metric "$tmp/m.csv" samples) $(metric "$tmp/m.csv" theoretical_bandwidth)" "1 n/a" \
    "samples without bytes: no bandwidth"

# Sorted by their starts, not by their ends: the same self times.
{ echo '['; grep '"ph":"X"' "$data/d0.pfw" | sed 's/^ *//' |
    awk -F'"ts":"' '{ split ($2, t, "\""); print t[1], $0 }' | sort -n |
    cut -d' ' -f2-; } >"$tmp/sorted.pfw"
for f in "$data/d0.pfw" "$tmp/sorted.pfw"; do
    "$dftrace" analyze --no-write --format csv --view operation "$f"
done | grep data,item | sort -u >"$tmp/self"
is "$(wc -l <"$tmp/self")" 1 "lines by their starts: the same self time"

# --- real traces, where there are any -----------------------------------------

samples=${DFT_SAMPLES:-}
if [[ -d $samples/dftracer ]]; then
    for d in "$samples"/dftracer/*/; do
        want=$(cat "$d"*.pfw | grep -E '"ph":("X"|1)' |
            grep -cvE '"name":"(start|end)","cat":"dftracer"')
        got=$("$dftrace" analyze --no-write --format csv --view health "$d" \
            2>/dev/null | awk -F, 'NR > 1 { n += $7 } END { print n }')
        is "$got" "$want" "real traces: $(basename "$d")"
    done
else
    skip "DFT_SAMPLES is not set" "real traces"
fi

# A damaged member of which ISA-L counts more bytes than there are.
"$dftrace" analyze "$top_srcdir/tests/data/pfw/unread.pfw.gz" >/dev/null 2>&1
cmp_num $? -lt 128 "a damaged member ends no program"

done_testing
