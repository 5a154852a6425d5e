#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3006-sweep-results.t - scrape, compare, group, pivot, effects, by numbers
#     that were worked out by hand

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99

# speed = 100 a (1 or 2) + 10 b (1, 2, 3) + noise by repeat; x == 3 has none.
cat >s.yaml <<'END'
sweep: numbers
axes: {a: [1, 2], b: [1, 2, 3], c: [same]}
env: {A: "${a}", B: "${b}"}
run: |
  echo "speed: 1 warming up"
  echo "speed: $((100 * A + 10 * B + SWEEP_REPEAT)) per second"
  echo "twice: $((1000 * A + A * SWEEP_REPEAT)) ok"
  [ $A$B$SWEEP_REPEAT != 232 ] || exit 3
trace: off
repeats: 3
results:
  scrape: {speed: 'speed: ([0-9]+)', twice: '^twice: ([0-9]+) ok$', none: 'no such (x)'}
  metrics: [speed]
  compare: {a: [1, 2]}
  group: [b]
END
exits 4 "run" "$dftrace" sweep run s.yaml --local
csv() {
    "$dftrace" sweep results numbers --format csv "$@"
}
is "$(csv --metric speed 'a1-b1-*' | tail -n 1 | cut -d, -f 5-9)" "111,1,3,110,112" \
    "scrape: the last match; mean, sd, n, min, max"
is "$(csv --metric none | tail -n 1 | cut -d, -f 7)" 0 "no match is no number"

csv --compare a=1:2 --metric twice >c.csv
is "$(head -n 1 c.csv)" "b,c,1,1_half,2,2_half,ratio,ratio_low,ratio_high,pairs" "--compare: columns"
is "$(sed -n 2p c.csv | cut -d, -f 7-10)" "2,2,2,3" \
    "the ratio is paired: exactly 2 in every repeat"
is "$(sed -n 4p c.csv | cut -d, -f 10)" 2 "a failed run makes one pair less"
is "$(csv --baseline a=1 --metric speed | cut -d, -f 11 | tail -n 3 | xargs)" "3 3 2" \
    "so it does against a baseline"
like "$(sed -n 2p c.csv | cut -d, -f 3-4)" "^1001,2\.48413771175" \
    "half an interval: 4.3027 x 1 / sqrt (3)"
exits 2 "no such axis" "$dftrace" sweep results numbers --compare d=1:2
exits 2 "no such value" "$dftrace" sweep results numbers --compare a=1:7

# a2-b3 has only repeats 0 and 1: 230.5; each b counts the same.
is "$(csv --group a --metric speed | tail -n 2 | cut -d, -f 1,2,6 | sed 's/\(220.8333\)[0-9]*/\1/')" "1,121,9
2,220.8333,8" "--group: each setting counts the same, whatever failed"
is "$(csv --pivot b,a:speed | sed -n '1,2p;4p')" "b,a=1,a=1_n,a=2,a=2_n
1,111,3,211,3
3,131,3,230.5,2" "--pivot: means and what they are of"
# layout: wide exists with large sizes only. It changes nothing; means over
# what there is would say +142 %.
cat >part.yaml <<'END'
sweep: part
axes: {layout: [flat, wide], size: [1, 10, 20], kind: [x, y]}
exclude: [layout == 'wide' and size == 1]
env: {S: "${size}", K: "${kind}", LAYOUT: "${layout}"}
run: |
  echo "cost $((100 * S + SWEEP_REPEAT)) some $([ $K = x ] && echo 0 || echo 7) $((S - 1))"
trace: off
repeats: 2
results: {scrape: {cost: 'cost ([0-9]+)', zero: 'some ([0-9]+)'}, metrics: [cost], compare: {kind: [x, y]}}
END
exits 0 "points that are excluded" "$dftrace" sweep run part.yaml --local
part() { "$dftrace" sweep results part --format csv "$@"; }
is "$(part --effects --metric cost | grep '^layout' | cut -d, -f 4,7,9)" "0,,4" \
    "--effects: an axis that does nothing, by pairs of points"
like "$(part --effects --metric cost | grep '^size')" "^size,1,20,180.8[0-9]*,.*,2,2$" \
    "and one that does"
printf 'sweep: idle\naxes: {n: [1, 2]}\nenv: {N: "${n}"}\nrun: "echo x >x.dat"\nresults: {metrics: [read_time, job_time]}\n' >idle.yaml
"$dftrace" sweep run idle.yaml --local >out 2>err
is "$("$dftrace" sweep results idle --effects | grep -cE '^(job_time: change|no run has a value to compare: read_time$)')" 2 \
    "--effects: a metric without values has no empty table"
exits 0 "results take --wide" "$dftrace" sweep results part --wide
is "$(part --group layout --metric cost | tail -n 2 | cut -d, -f 1,2,6)" "flat,1500.5,8
wide,1500.5,8" "--group: of the settings that both have"
is "$(grep ',zero,' part/results/compare.csv | head -n 1 | awk -F, '{ print $(NF - 1), $NF }')" "2 0" \
    "compare.csv: pairs of a difference, and of a ratio, which 0 has not"
exits 2 "a pivot needs a metric" "$dftrace" sweep results numbers --pivot b,a

# Repeats 0 and 1 are whole. Means: a 120.5, 220.5; b 160.5, 170.5, 180.5.
csv --effects --metric speed >e.csv
is "$(sed -n 2p e.csv | cut -d, -f 1-3,8)" "a,1,2,2" "--effects: the axis, its ends, whole repeats"
share=$(sed -n 2p e.csv | cut -d, -f 7)
like "$share" "^97\." "a has 97 % of the variance"
like "$(sed -n 3p e.csv | cut -d, -f 7)" "^2\.5" "b has 2.6 %"
is "$(grep -c '^c,' e.csv)" 0 "an axis with one value has no effect"
like "$(sed -n 4p e.csv)" "^a x b," "the interaction"
like "$(sed -n 4p e.csv | cut -d, -f 4,7)" "^-?0(\.0+)?,[0-9.e-]+$" "which is nothing here"
effect=$(sed -n 2p e.csv | cut -d, -f 4)
like "$effect" "^58\.6" "100 of 170.5 is 58.65 %"
out=$("$dftrace" sweep results numbers)
like "$out" "From the output of the runs" "scraped numbers have a table"
like "$out" "speed: means with 95 % intervals, paired ratio" "compare of the file"
like "$(csv)" "failed" "failed points stay"

# -- what is written, and figures ------------------------------------------

column_of() { # file, name
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        c { print $c }' "numbers/results/$1"
}
is "$(head -n 1 numbers/results/compare.csv)" \
    "axis,left,right,metric,unit,a,b,c,left_mean,left_half,right_mean,right_half,ratio,ratio_low,ratio_high,difference,difference_low,difference_high,pairs,ratio_pairs" \
    "compare.csv: columns"
like "$(grep '^a,1,2,twice,' numbers/results/compare.csv | head -n 1 | cut -d, -f 6-9,11,13,16-19)" \
    "^,1,same,1001,2002,2,1001,998\.51586228[0-9]*,1003\.48413771[0-9]*,3$" \
    "compare.csv: ratio 2, difference 1001 +- 4.3027 x 1 / sqrt (3)"
is "$(grep -c '^speed,a,1,2,' numbers/results/effects.csv)" 1 "effects.csv"
like "$(cat numbers/results/summary.txt)" "speed: change from the lowest to the highest mean" \
    "effects are in the summary"
like "$(cat numbers/results/summary.txt)" "missing: 1 failed. retried: 0 runs." "what is missing too"
is "$(grep -c '<circle' numbers/results/compare.svg)" 3 "compare.svg: a dot per pair"
cat >cost.yaml <<'END'
sweep: cost
axes: {data: [mock, real, slow], n: [1, 2]}
env: {D: "${data}", N: "${n}"}
run: |
  case $D in mock) t=10 ;; real) t=$((10 + 2 * N)) ;; slow) t=50 ;; esac
  echo "time $((t + SWEEP_REPEAT))"
  odd=$((100 + SWEEP_REPEAT))
  [ $D$N$SWEEP_REPEAT != mock14 ] || odd=900
  echo "odd $odd"
trace: off
repeats: 5
results:
  scrape: {time: 'time ([0-9]+)', odd: 'odd ([0-9]+)'}
  metrics: [time]
  baseline: {data: mock}
  plots: [time, {metric: odd, x: data}, {metric: time, x: data, by: n}]
END
exits 0 "a baseline" "$dftrace" sweep run cost.yaml --local
out=$("$dftrace" sweep results cost --baseline data=mock --metric time)
like "$out" "time: what data=real costs against data=mock" "says what it tells"
like "$out" "2 +12\.000 .* 16\.000 .* 4\.000 +4\.000 +4\.000 +25\.0 +5" "4 of 16 are the loader's"
unlike "$out" "no difference is shown" "which no interval doubts"
like "$("$dftrace" sweep results cost --baseline data=mock --metric odd)" \
    "in 2 of 2 the interval includes 0: no difference is shown there" "an interval that does"
like "$("$dftrace" sweep results cost --compare data=mock:slow --metric odd)" \
    "in 2 of 2 the interval includes 1: no difference" "so for a ratio"
unlike "$("$dftrace" sweep results cost --baseline data=mock --metric odd --format csv)" \
    "no difference" "not for programs"
like "$("$dftrace" sweep results cost)" "wall_time: what data=slow costs" "the sweep file asks for it"
is "$(grep -c '^data,mock,real,time' cost/results/compare.csv)" 2 "and compare.csv has it"
is "$(grep -c '^data,real,slow' cost/results/compare.csv)" 0 "against the baseline alone"
is "$(cut -d, -f 2,3,5 cost/results/outliers.csv | grep odd)" "mock-n1,odd,900" "what stands out"
is "$(cd cost/results && ls ./*.svg | xargs)" \
    "./compare.svg ./plot.odd.data.svg ./plot.time.data.n.svg ./plot.time.n.data.svg" "the figures"
is "$(grep -c '<circle\|<rect x=.* width="7"' cost/results/plot.time.n.data.svg)" 6 "a dot per cell"
if command -v python3 >/dev/null; then
    for svg in cost/results/*.svg numbers/results/*.svg; do
        ok "${svg##*/} is XML" python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$svg"
    done
else
    skip "no python3" "figures are XML"
fi
exits 2 "no such baseline" "$dftrace" sweep results cost --baseline data=none
like "$("$dftrace" sweep results cost)" "order effect on wall_time" "a drift is looked for"

refused() {
    sed '/^results/,$d' s.yaml >bad.yaml
    echo "$1" >>bad.yaml
    exits 6 "refused: $1" "$dftrace" sweep plan bad.yaml
    like "$(cat "$tmp/err")" "$2" "because"
}
refused "results: {scrape: {x: 'a('}}" "scrape: a\(: "
refused "results: {scrape: {x: '(a++++++++++++++++++++++++)'}}" \
    "repetitions of repetitions"
refused "results: {scrape: {x: 'abc'}}" "has 0 groups"
refused "results: {scrape: {read_bytes: '(a)'}}" "measured already"
refused "results: {compare: {d: [1, 2]}}" "no axis"
refused "results: {compare: {a: [1]}}" "two values"
refused "results: {compare: {a: [1, 3]}}" "a value of the axis"
refused "results: {group: [bb]}" "no axis"
refused "results: {metrics: [speed]}" "unknown metric"
refused "results: {baseline: {a: 7}}" "a value of the axis"
refused "results: {baseline: {q: 1}}" "no axis"
refused "results: {plots: [{x: a}]}" '"metric" is missing'
refused "results: {plots: [{metric: read_time, x: a, by: a}]}" "the same axis"
refused "results: {plots: [{metric: read_time, z: a}]}" 'unknown key "z"'

# -- checks ------------------------------------------------------------------

cat >checked.yaml <<'END'
sweep: checked
axes: {a: [1, 2], b: [1, 3]}
env: {A: "${a}", B: "${b}"}
run: |
  echo "speed: $((100 * A + 10 * B))"
  [ $A$B != 21 ] || [ ! -e fail ]
trace: off
results:
  scrape: {speed: 'speed: ([0-9]+)', none: 'no such (x)'}
check:
  speed:
    - {min: 100 * a, max: 100 * a + 25}
    - {equal: 120, within: 10 %, where: a == 1}
  none: {max: 5, where: b == 3}
END
exits 7 "a check that fails is the exit status of run" "$dftrace" sweep run checked.yaml --local
exits 7 "and of results" "$dftrace" sweep results checked --junit checked.xml
like "$(cat "$tmp/out")" "checks: 4 passed, 4 failed" "says how many"
like "$(cat "$tmp/out")" "a1-b3  fail   100 <= speed <= 125  speed is 130, mean of 1" "and why"
is "$(cut -d, -f 2,3,5,7-9 checked/results/checks.csv | tail -n +2)" "a1-b1,speed,110,100,125,pass
a1-b1,speed,110,108,132,pass
a1-b3,speed,130,100,125,fail
a1-b3,speed,130,108,132,pass
a1-b3,none,,,5,fail
a2-b1,speed,210,200,225,pass
a2-b3,speed,230,200,225,fail
a2-b3,none,,,5,fail" "a row a point and check: bounds are expressions, n/a is no pass"
is "$(csv_of () { "$dftrace" sweep results checked --format csv; }; csv_of | cut -d, -f 2,6)" "label,check
a1-b1,pass
a1-b3,fail
a2-b1,pass
a2-b3,fail" "points have a column"
like "$("$dftrace" sweep status checked)" "checks: 4 passed, 4 failed" "status repeats it"
if command -v python3 >/dev/null; then
    is "$(python3 - checked.xml <<'END'
import sys, xml.etree.ElementTree as x
s = x.parse (sys.argv[1]).getroot ()[0]
cases = s.findall ("testcase")
print (s.get ("tests"), s.get ("failures"), len (cases), len (s.findall ("testcase/failure")))
print ([c.get ("name") for c in cases if c.get ("classname") == "checked.a1-b3"])
END
)" "12 4 12 4
['runs', '100 <= speed <= 125', '108 <= speed <= 132', 'none <= 5']" "JUnit XML: sums and cases"
else
    skip "no python3" "JUnit XML: sums and cases"
fi
if command -v xmllint >/dev/null; then
    exits 0 "JUnit XML is well formed" xmllint --noout checked.xml
else
    skip "no xmllint" "JUnit XML is well formed"
fi
exits 0 "checks of the points that are asked for" "$dftrace" sweep results checked --where 'a == 1 and b == 1'
sed -e 's/^sweep: checked/sweep: failing/' checked.yaml >failing.yaml
touch fail
exits 4 "a run that failed comes first" "$dftrace" sweep run failing.yaml --local
rm fail
like "$(sed -n '/name="runs".*a2-b1\|a2-b1.*name="runs"/p' failing/results/junit.xml)" \
    '<error message="failed"/>' "and is an error in the XML"
like "$(grep '^[^,]*,a2-b1,' failing/results/checks.csv)" ',fail,failed$' "its check fails, too"
checks_refused ()
{
    sed '/^check:/,$d' checked.yaml >bad.yaml
    echo "check: $1" >>bad.yaml
    exits 6 "refused: $1" "$dftrace" sweep plan bad.yaml
    like "$(cat "$tmp/err")" "$2" "says what is wrong"
}
checks_refused '{sped: {max: 1}}' 'check: unknown metric "sped"'
checks_refused '{speed: {}}' 'one of min, max and equal'
checks_refused '{speed: {mx: 1}}' 'unknown key "mx"'
checks_refused '{speed: {max: c}}' '"c"'
checks_refused '{speed: {max: "'"'x'"'"}}' 'a bound is a number'
checks_refused '{speed: {equal: 1, within: 5}}' 'no percentage'
checks_refused '{speed: {max: 1, within: 5 %}}' 'equal'
checks_refused '{speed: {min: 2, max: a}}' 'no number is at least 2 and at most 1'
checks_refused '{speed: 5}' 'bounds should be here'

# -- accounting, where there is one ----------------------------------------

mkdir bin
for c in sbatch squeue scontrol scancel; do
    ln -s "$top_srcdir/tests/fake-slurm/fake-slurm" bin/$c
done
cat >bin/sacct <<'END'
#!/bin/bash
case "$*" in
*MaxRSS*)
    printf '%s\n' '4711_0|12||' '4711_0.batch|12|100K|1M' '4711_0.0|11|2M|3M' '4711_1|7||' \
        '4711_10|99||'
    ;;
esac
END
chmod +x bin/sacct
PATH=$tmp/bin:$PATH
export FAKE_SLURM=$tmp/state FAKE_ACCOUNTING=slurmdbd
sed 's/^sweep: .*/sweep: acct/; s/^repeats: 3/repeats: 1\norder: grid/' s.yaml >acct.yaml
exits 0 "under Slurm" "$dftrace" sweep submit acct.yaml --wait
"$dftrace" sweep results acct --long --format csv >long.csv
is "$(grep acct_ long.csv | cut -d, -f 2,6-8 | head -n 3 | sort)" "a1-b1-same,acct_disk_read,B,3145728
a1-b1-same,acct_elapsed,s,12
a1-b1-same,acct_max_rss,B,2097152" "sacct's numbers join the run's"
is "$(grep -c 'acct_elapsed,s,99' long.csv)" 0 "of that task alone"

# -- the examples ----------------------------------------------------------

exits 0 "the full example is good" "$dftrace" sweep plan "$top_srcdir/etc/examples/study-full.yaml"
like "$(cat "$tmp/out")" "3 seq x 3 gbs x 2 access = 18 points" "18 points"
like "$(cat "$tmp/out")" "= 54 tasks, 12 with an untraced control: 66 executions" "66 executions"
like "$(cat "$tmp/out")" "g0.0 +36 .*00:30:00" "36 tasks of half an hour"
like "$(cat "$tmp/out")" "g1.0 +18 .*01:00:00" "18 of an hour"

done_testing
