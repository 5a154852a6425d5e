#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t6000-report.t - pages of a real sweep, of a job, and of odd sweeps

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/browser.sh"

unset SLURM_PROCID SLURM_NTASKS SLURM_JOB_ID LD_PRELOAD
metrics='posix_events loader_time loader_percent read_time read_bandwidth
    read_size sample_bandwidth'

# What figures must say: every metric of every point as points.csv has it.
expected ()
{
    awk -F, -v metrics="$metrics" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(metrics, m, " "); next }
        { for (i = 1; i <= n; i++) print m[i], $1, $at[m[i] "_mean"] }' "$1" | sort
}

drawn ()
{
    browser_says mark | grep -E "^($(echo $metrics | tr ' ' '|')) " | sort
}

# look NAME FILE: tests that hold for every page.
look ()
{
    if ! browser_found; then
        skip "no chromium on this machine" "$1: what a browser sees"
        return 1
    fi
    if ! browser_look "$2"; then
        fail "$1: the browser shows it"
        diag "$(tail -n 5 "$tmp/console")"
        return 1
    fi
    is "$(browser_says error)" "" "$1: nothing on the console"
    is "$(browser_says overlap | head -n 5)" "" "$1: no label on another"
    is "$(browser_says outside | head -n 5)" "" "$1: no label out of its figure"
    is "$(browser_says deadlink)" "" "$1: no link leads nowhere"
    is "$(browser_says figure | awk '$2 < 1 || $3 < 300 || $4 < 40')" "" \
        "$1: no figure is empty"
}

# The cell in the first row of file $1, column $2.
csv_cell ()
{
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at[name]; exit }' "$1"
}

figures ()
{
    grep -o '<figure id="[^"]*"' "$1" | cut -d'"' -f2 | tr '\n' ' '
}

# --- words -------------------------------------------------------------

exits 2 "no directory" "$dftrace" report
exits 2 "two" "$dftrace" report a b c
exits 1 "nothing there" "$dftrace" report "$tmp/none"
like "$(cat "$tmp/err")" "none: No such file" "says so"
mkdir "$tmp/none"
exits 1 "nothing in it" "$dftrace" report "$tmp/none"
like "$(cat "$tmp/err")" "none: not analyzed yet.*dftrace analyze" "says what to do"
is "$(ls "$tmp/none")" "" "and leaves nothing behind"
echo '{"metrics": {}}' >"$tmp/none/metrics.json"
exits 1 "metrics without tables" "$dftrace" report "$tmp/none"
like "$(cat "$tmp/err")" "none: not analyzed yet.*dftrace analyze" "says what to do"
exits 0 "help" "$dftrace" report --help

# --- a real sweep --------------------------------------------------------

corpus=$tmp/corpus
"$top_builddir/etc/examples/minigpt/mkcorpus" --bytes=1M "$corpus" \
    >/dev/null || exit 99
cat >"$tmp/spec.yaml" <<END
sweep: small
axes:
  seq: [128, 256]
  gbs: [8, 16]
  access: [mmap, direct]
label: \${access}-s\${seq}-b\${gbs}
env: {SEQ_LENGTH: "\${seq}", GLOBAL_BATCH_SIZE: "\${gbs}", ACCESS: "\${access}"}
run: >
  "$top_builddir/etc/examples/minigpt/minigpt" --data "$corpus"
  --steps 2 --save "\$SWEEP_RUN_DIR/checkpoints" --save-every 2
  --checkpoint-bytes 64K --compute-us-per-ktoken 0 --compute-us-per-step 0
repeats: 2
control: {where: gbs == 8, repeats: 1}
trace: {layers: [posix, app]}
END
cd "$tmp" || exit 99
exits 0 "a sweep of 8 points, twice" "$dftrace" sweep run spec.yaml --local
mv small/results results
exits 1 "no results yet" "$dftrace" report small
like "$(cat "$tmp/err")" "dftrace sweep results --write small" "says what to do first"
nok "and writes nothing" test -e small/report.html
mv results small
exits 0 "its page" "$dftrace" report small
is "$(cat "$tmp/out")" "small/report.html" "says where"
page=$tmp/small/report.html
like "$(figures "$page")" "^fig-events fig-loader fig-share fig-operations \
fig-read-time fig-bandwidth fig-size fig-sample " "the figures of the study come first"
# One of the loader that is there because it differs, as nothing else does, is not one.
cp -r small differ
awk -F, -v OFS=, 'NR == 1 { split($0, head, ",") } NR == 2 { split($0, first, ",") } NR > 1 { for (i in head)
    if (head[i] ~ /_mean$/) $i = head[i] == "loader_overlap_mean" ? 1 + NR % 2 * 98 : first[i] }
    1' small/results/points.csv >differ/results/points.csv
"$dftrace" report differ >out 2>err || diag "$(cat err)"
like "$(figures differ/report.html)" "^fig-events fig-loader fig-share fig-operations .*fig-loader-overlap" \
    "time by operation stands behind the study's loader time"
cmp_num "$(wc -c <"$page")" -lt 2000000 "under 2 MB"
# Bytes of a page of that many points, made in 300 MB: twice the points, twice the bytes.
many ()
{
    rm -rf many && cp -r small many
    for name in points runs; do
        awk -F, -v OFS=, -v n="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
            !first { first = $at["point"] } $at["point"] == first { row[++rows] = $0 }
            END { for (i = 0; i < n; i++) for (r = 1; r <= rows; r++) { $0 = row[r]
                $at["point"] = "p" i; $at["label"] = "s" i; $at["seq"] = i; print } }' \
            small/results/$name.csv >many/results/$name.csv
    done
    (ulimit -v 300000 && "$dftrace" report many) >out 2>err || diag "$(cat err)"
    wc -c <many/report.html
}
few=$(many 400)
like "$(cat many/report.html)" 's399' "a page of 400 points has the last of them"
cmp_num "$(many 800)" -lt $((2 * few + few / 10)) "one of 800 has no more than twice its bytes"
is "$(grep -oE '(src|href)="[^#"][^"]*"|url\(|@import|https?://' "$page")" "" "loads nothing"
unlike "$(cat "$page")" 'nan|[^a-z]inf[^a-z]' "no nan, no inf"
if look "sweep" "$page"; then
    is "$(drawn)" "$(expected small/results/points.csv)" \
        "figures say what points.csv says, n/a stays empty"
    like "$(drawn)" 'read_bandwidth [0-9a-f]+ ?$'$'\n' "some of it is n/a"
    is "$(browser_says place | grep '^fig-loader ' | sort)" \
        "$(awk -F, 'NR > 1 { print "fig-loader", $1, $3, $4 }' small/results/points.csv |
            sort)" "each cell of a heat map is where its levels are"
    is "$(browser_says sorted)" YES "a table sorts"
    is "$(browser_says background)" "rgb(255, 255, 255)" "white by day"
    browser_look "$page" dark
    is "$(browser_says background)" "rgb(20, 23, 28)" "dark by night"
fi

# Untraced controls are no runs of a point; their time gives the tracing overhead.
want=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { t[$2, $at["repeat"], $at["control"]] = $at["elapsed_s"]; key[$2, $at["repeat"]] = 1 }
    END { for (k in key) if ((k, 1) in t) { s += log (t[k, 0] / t[k, 1]); n++ }
          printf "%.6f %d", exp (s / n), n }' small/results/runs.csv)
got=$(sed -n 's/.*id="overhead" data-v="\([^"]*\)".*of \([0-9]*\) pairs.*/\1 \2/p' "$page" |
    awk '{ printf "%.6f %d", $1, $2 }')
is "$got" "$want" "the overhead of tracing is that of runs.csv"
# With repeats, a bar of operations is the mean; a control counts for nothing.
self=$(cat small/runs/direct-s128-b8.*/r*/a0/trace/metrics.json |
    tr -d '\n ' | grep -oE '"category":"data","name":"item"[^}]*"self_s":[0-9.e-]*' |
    sed 's/.*://' | awk '{ s += $1; n++ } END { print s / n }')
is "$(grep -o 'direct-s128-b8, data/item: time [^<]*' "$page" | head -n 1 | awk -v want="$self" '
    { off = $4 * ($NF == "s" ? 1 : $NF == "ms" ? 1e-3 : 1e-6) / want - 1
      print (off * off < 4e-5 ? "close" : $0 " for " want) }')" close "times are means of repeats"

# --- a job of it ---------------------------------------------------------

job=$(echo small/runs/direct-s256-b16.*/r0/a0/trace)
exits 0 "the page of a job" "$dftrace" report -o job.html "$job"
nok "no other file" test -e "$job/report.html"
is "$(figures job.html)" "fig-wall fig-bill fig-timeline fig-cost fig-bytes fig-rates \
fig-transfer fig-access fig-sizes fig-durations fig-steps fig-tree fig-workers \
fig-checkpoints fig-checkpoint-kinds " \
    "the figures of a job"
# the page has the minor ones at the end
is "$(grep -oE 'Rule <code>[a-z_]+' job.html | sed 's/.*>//' | sort)" \
    "$(awk -F, 'NR > 1 { print $2 }' "$job/tables/insights.csv" | sort)" \
    "every insight is on the page"
is "$(grep -oE 'href="#[^"]+"' job.html | cut -d'"' -f2 | tr -d '#' | sort -u |
    while read -r id; do grep -q "id=\"$id\"" job.html || echo "$id"; done)" "" \
    "every link leads to something on the page"
# a link to a row leads to the row with that name
"$top_builddir/tests/tools/mkshard" "$tmp/rows" direct 400
"$dftrace" analyze -q "$tmp/rows"
"$dftrace" report -o rows.html "$tmp/rows"
links=$(sed -n '/id="insights"/,/<\/section>/p' rows.html |
    grep -oE '<a href="#[a-z]+-[^"]+">[^<]*</a>' | sort -u)
like "$links" '"#calls-[0-9]+">POSIX/read<' "an insight links to a call"
like "$links" '"#files-1">/data/corpus.bin<' "an insight links to a file"
like "$links" '"#metric-io_overlap">io_overlap<' "an insight links to a metric"
is "$(sed -E 's/.*"#([^"]*)">([^<]*)<.*/\1 \2/' <<<"$links" |
    while read -r id name; do
        grep -F "<tr id=\"$id\"" rows.html | sed 's/<[^>]*>/ /g' |
            grep -qE "${name/\// *}|$name" || echo "$id $name"
    done)" "" "every such link leads to the row it names"
look "rows" "$tmp/rows.html"
# shortest, 25 %, 75 %: of percentiles.csv, in the row of the same call
want=$(awk -F, '$1 == "POSIX" && $2 == "read" { print $4, $8, $10 }' \
    "$job/tables/percentiles.csv")
section=$(sed -n '/id="calls"/,/<\/section>/p' job.html)
got=$(paste <(grep -oE '<th( [^>]*)?>[^<]*' <<<"$section" | sed 's/.*>//') \
    <(grep '<td class="t">POSIX</td><td class="t">read</td>' <<<"$section" |
        grep -oE '<td[^>]*>' | cut -d'"' -f2) |
    awk -F'\t' '/^(shortest|25 %|75 %)\t/ { printf "%s%s", sep, $2; sep = " " }')
is "$got" "$want" "quartiles of a call are those of percentiles.csv"
unlike "$(cat job.html)" 'class="banner"' "no banner on whole data"
# files of a pattern are together: sums of files.csv
want=$(awk -F, 'NR > 1 && $1 == "storage" { n++ } END { print n }' "$job/tables/files.csv")
is "$(sed -n '/id="patterns"/,/<\/section>/p' job.html |
    sed -n 's/.*<td class="path">[^<]*<\/td><td data-v="\([0-9]*\)".*/\1/p' |
    awk '{ n += $1 } END { print n }')" "$want" "every file is in one pattern"
like "$(sed -n '/id="patterns"/,/<\/section>/p' job.html)" 'class="path">[^<]*N[^<]*<' \
    "numbers are N"
if look "job" "$tmp/job.html"; then
    is "$(browser_says mark | awk '$1 == "sizes" { n += $NF } END { print n }')" \
        "$(awk -F, 'NR > 1 && $1 == "storage" { n += $4 + $7 } END { print n }' \
            "$job/tables/files.csv")" "sizes add up to reads and writes of files.csv"
    is "$(browser_says mark | awk '$1 == "access" { n += $NF } END { print n }')" \
        "$(browser_says mark | awk '$1 == "sizes" { n += $NF } END { print n }')" \
        "so do access patterns"
    is "$(browser_says filtered)" "YES" "a table shows the rows one asks for"
    is "$(browser_says mark | grep -c '^step_s no rank ')" 2 "a dot a step"
    # Time of a lane is analyze's union, within the rounding of the bins.
    want=$(csv_cell "$job/tables/ranks.csv" loader_s)
    got=$(browser_says mark | awk '/data loader/ { n += $NF } END { print n }')
    ok "the timeline's loader time is that of ranks.csv: $got, $want" \
        awk -v a="$got" -v b="$want" 'BEGIN { exit !(a > 0.98 * b && a < 1.02 * b) }'
fi

if browser_found && browser_look "$tmp/job.html" narrow; then
    cmp_num "$(browser_says textsize)" -ge 11 "text of figures is readable at 400 pixels"
fi

# Page faults: the lane and the cost bar say what fault_times.csv says.
"$top_builddir/tests/tools/mkshard" "$tmp/faulty" faults 10
"$dftrace" analyze -q faulty
exits 0 "the page of a job with page faults" "$dftrace" report faulty
want=$(awk -F, 'NR > 1 { n += $8 } END { print n }' faulty/tables/fault_times.csv)
is "$want" 0.005 "ten faults of 500 us"
if look "page faults" "$tmp/faulty/report.html"; then
    is "$(browser_says mark | grep '^busy .*page-fault stall' | awk '{ print $NF }')" \
        "$want" "the lane has the stalls of its process"
    is "$(browser_says mark | awk '$1 == "io_seconds" { n += $NF } END { print n }')" \
        "$want" "the cost bar has them"
fi

sed -i '1!s/yes/no/' faulty/tables/mappings.csv
rm -rf faulty/shards faulty/trace.dft
exits 0 "a job whose traces have gone" "$dftrace" report -o guess.html faulty
is "$(grep -c '≈' guess.html) $(grep -c '≈' faulty/report.html)" "1 0" "an estimate is marked, what is exact is not"

# --- two of them -----------------------------------------------------------

other=$(echo small/runs/mmap-s256-b16.*/r0/a0/trace)
exits 0 "two jobs" "$dftrace" report "$other" "$job"
is "$(cat "$tmp/out")" compare.html "in a file here"
if look "two jobs" "$tmp/compare.html"; then
    is "$(browser_says figure | cut -d' ' -f1 | tr '\n' ' ')" \
        "fig-times fig-timeline-a fig-timeline-b " "two jobs: paired figures, both timelines"
fi
like "$(grep -A2 '>POSIX/open<' compare.html)" 'data-v="[0-9]*"' "calls of both"
exits 0 "a sweep and itself" "$dftrace" report -o same.html small small
like "$(cat same.html)" '8 configurations in both, 0 only in A, 0 only in B' "points"
is "$(grep -oE '<tr><td class="t">(posix_events|job_time)</td><td data-v="[^"]*"' same.html |
    grep -o '[0-9.]*"$' | tr '\n' ' ')" '1" 1" ' "all ratios are 1"
exits 1 "a sweep and a job" "$dftrace" report small "$job"
like "$(cat "$tmp/err")" "cannot be compared" "are two things"

calls=$(sed -n '/id="calls"/,/<\/section>/p' same.html)
like "$(grep '>POSIX</td><td class="t">open<' <<<"$calls")" '×1<.*>16</td>.*the same within 10 %' \
    "calls of all pairs of runs are compared"
like "$(grep '>data</td><td class="t">item<' <<<"$calls")" '×1<' "and regions"
lead () { grep -o '<p class="lead">[^<]*' "$1" | sed 's/.*>//'; }
is "$(lead same.html | sed -n 1p)" "job_time of B is ×1 of that of A over 8 configurations: the same within 10 %." \
    "the first sentence is what changed"
like "$(lead same.html | sed -n 3p)" "^How sure: 95 % interval ×1 to ×1" "the third one how sure it is"
like "$(lead small/report.html | sed -n 1p)" '^job_time changes most with (access|seq|gbs): .* has ×[0-9.]+ of what .* has: (higher|lower|too few to tell|the same within 10 %)\.$' \
    "the page of a sweep begins with what changes with what"
like "$(lead small/report.html | sed -n 2,3p)" '^Other axes: .*×.*'$'\n''How sure: 95 % interval ×' \
    "then the other axes, and how sure"
like "$(figures same.html)" 'fig-ratios .*fig-job_time' "figures have A and B on one scale"
look "a sweep and itself" "$tmp/same.html"

# A shard that was cut: a banner, and n/a is never 0.
cp -r "$job" cut
shard=$(ls -S cut/shards/*.dft cut/trace.dft 2>/dev/null | head -n 1)
truncate -s -20000 "$shard"
rm -f cut/metrics.json
"$dftrace" analyze -q cut 2>/dev/null
exits 0 "the page of a damaged job" "$dftrace" report cut
like "$(cat cut/report.html)" 'class="banner">Incomplete data' "a banner"

# A trace of DFTracer beside ours is in the numbers and in the pictures.
cp -r "$job" mixed
echo '[
{"id":0,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1700000000000000,"dur":5,"ph":"X","args":{"ret":4096}}
]' >mixed/shards/other.pfw
rm -f mixed/metrics.json mixed/trace.dft
exits 0 "the page of a job with another tracer's file" "$dftrace" report mixed
n=$(sed -n 's/.*<p class="lead">\([0-9]*\) process.*/\1/p' "$job/report.html" job.html 2>/dev/null)
like "$(grep 'class="lead"' mixed/report.html)" ">$((n + 1)) processes" "has its process"

# The traces have gone: the page has what was written, and says so.
cp -r "$job" gone
"$dftrace" analyze -q gone
rm -rf gone/shards gone/trace.dft gone/combined*
exits 0 "the page of a job without traces" "$dftrace" report gone
like "$(grep 'class="banner"' gone/report.html)" "traces of this job have gone" "says so"
is "$(figures gone/report.html)" "fig-wall fig-bill fig-workers fig-checkpoints fig-checkpoint-kinds " \
    "figures of tables are there"
rows ()
{
    sed -n '/id="metrics"/,/<footer>/p' "$1" | grep '<tr' | grep -v '<th'
}
is "$(rows gone/report.html | sort | md5sum)" "$(rows job.html | sort | md5sum)" \
    "metrics and tables are the same"
look "no traces" "$tmp/gone/report.html"

# --- odd sweeps ------------------------------------------------------------

# odd NAME AXES…: a sweep directory whose points.csv comes from stdin.
odd ()
{
    mkdir -p "$1/results"
    printf '{"name": "%s", "created": "", "layers": "posix"}\n' "$1" >"$1/manifest.json"
    : >"$1/plan.csv"
    cat >"$1/results/points.csv"
    printf 'run,point,label,repeat,attempt,state,lost_events\n' >"$1/results/runs.csv"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "state") s = i; next }
        { print $1 ".r0," $1 "," $2 ",0,0," $s "," ($s == "done" ? 3 : "") }' \
        "$1/results/points.csv" >>"$1/results/runs.csv"
    printf 'point,label,repeat,state,metric,unit,value\n' >"$1/results/long.csv"
    printf 'a,a,0,done,loader_time,s,1\na,a,0,done,read_time,s,1\n' >>"$1/results/long.csv"
}
head='posix_events_mean,posix_events_min,posix_events_max,loader_time_mean,loader_time_min,loader_time_max,read_bandwidth_mean,sample_bandwidth_mean,sample_bandwidth_min,sample_bandwidth_max'

{
    echo "point,label,file system,mode,state,$head"
    for ((i = 0; i < 60; i++)); do
        for mode in buffered direct; do
            state=done values=$((i * i * 100)),$((i * i * 90)),$((i * i * 110)),0.$i,0.$i,0.$i,$((i * 1000)),$i,$i,$((i + 1))
            ((i == 7)) && state=failed values=,,,,,,,,,
            echo "p$i$mode,a-rather-long-label-$i-$mode,volume number $i on server,$mode,$state,$values"
        done
    done
} | odd sixty
{
    echo "point,label,a,b,c,d,e,state,$head"
    for a in 1 2 4; do for b in x y; do for c in on off; do for d in 0.5 0.25; do
        for e in p q r; do
            ((a == 4)) && [[ $b == y ]] && continue # not in the sweep
            echo "$a$b$c$d$e,$a-$b-$c-$d-$e,$a,$b,$c,$d,$e,done,1,1,1,2e-6,1e-6,3e-6,1e9,5,5,5"
        done
    done; done; done; done
} | odd five
{
    echo "point,label,n,state,$head"
    echo 'one,"<script>alert(1)</script>",3,done,0,0,0,0,0,0,,1,1,1'
} | odd single
{
    echo "point,label,n,state,$head"
    echo 'one,one,3,failed,,,,,,,,,,'
    echo 'two,two,4,lost,,,,,,,,,,'
} | odd nothing

{
    echo "point,label,access,n,state,$head,storage_bytes_mean,input_wait_time_mean,read_amplification_mean"
    for n in 1 2 4; do
        echo "m$n,m-$n,mmap,$n,done,144,144,144,1,1,1,,5,5,5,$((n * 4096)),0.$n,3.$n"
        echo "d$n,d-$n,direct,$n,done,900,900,900,1,1,1,9,5,5,5,$((n * 2048)),0.0$n,1.$n"
    done
} | odd mapped

# Only axes are axes: what follows from them (const, derive, companions) is
# neither a panel nor an effect; the page has what the sweep file names, and
# unasked what differs most, here writes.
wrote ()
{
    {
        echo "point,label,bs,n,bytes,dir,total,state,job_time_mean,read_count_mean,write_bytes_mean,write_time_mean,wrote_twice_mean,steady_mean"
        for bs in 4k 64k; do for n in 1 2 3; do
            bytes=4096
            [ $bs = 4k ] || bytes=65536
            echo "$bs$n,$bs-$n,$bs,$n,$bytes,here,$((n * bytes)),done,1.$n,0,$((n * bytes)),0.$((n * n)),$((2 * n * bytes)),7"
        done; done
    } | odd "$1"
    cat >"$1/spec.yaml"
    printf 'a,a,0,done,job_time,s,1\na,a,0,done,write_bytes,B,1\na,a,0,done,write_time,s,1\n' \
        >>"$1/results/long.csv"
}
axes='axes: {bs: {4k: {bytes: 4096}, 64k: {bytes: 65536}}, n: [1, 2, 3]}'
echo "$axes" | wrote writes
printf '%s\nresults: {metrics: [write_time, job_time], plots: [{metric: write_bytes, x: bs, by: n}]}\n' "$axes" |
    wrote named
for name in sixty five single nothing mapped writes named; do
    exits 0 "$name: its page" "$dftrace" report $name
    page=$tmp/$name/report.html
    unlike "$(cat "$page")" '<script>alert|[^a-z]nan[^a-z]' "$name: labels are text"
    look "$name" "$page"
done
is "$(figures mapped/report.html | grep -oE 'fig-(storage|input|amplification) ' | tr -d '\n')" \
    "fig-storage fig-input fig-amplification " "layer mmap has its figures"
is "$(figures writes/report.html)" "fig-job-time fig-write-bytes fig-write-time " \
    "unasked: what differs, each once, nothing that is n/a or the same everywhere"
like "$(cat writes/report.html)" ">write bytes, KiB<" "with its unit"
is "$(grep -c 'data loader\|loader time' writes/report.html)" 0 "no word of what it has not"
is "$(figures named/report.html)" "fig-write-bytes fig-write-time fig-job-time " \
    "what the sweep file names, plots first"
is "$(sed -n '/id="effects"/,/<\/section>/p' writes/report.html | grep -oE '^<tr[^>]*><td class="t">[^<]*' |
    sed 's/.*>//' | sort -u | tr '\n' ' ')" "bs n " "effects are those of axes"
like "$(sed -n '/id="effects"/,/<\/section>/p' writes/report.html)" '×16' \
    "an axis with a companion has pairs"
like "$(sed -n '/id="points"/,/<\/section>/p' writes/report.html)" '>here</td><td class="t">4096<' \
    "points have what follows from the axes"
is "$(figures five/report.html | grep -oE 'fig-(storage|input|amplification) ')" "" \
    "which are left out without it"
page=$(cat sixty/report.html)
like "$page" '2 of 120 runs' "failed runs are counted"
like "$page" 'id="failed"' "and listed"
like "$page" '354 events or more are missing' "lost events are said"
like "$(cat nothing/report.html)" 'n/a in every configuration' "nothing is n/a, not 0"

done_testing
