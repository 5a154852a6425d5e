#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3015-values.t - values of axes and of scrape: are what the user means

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99
# column NAME: of each row of a CSV table
column() {
    awk -F, -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at[want] }'
}

# -- numbers, however they are written -----------------------------------

cat >s.yaml <<'END'
sweep: s
axes: {lr: [1e-3, 10], word: [one two, one/two]}
env: {LR: "${lr}", WORD: "${word}"}
run: |
  echo "lr $LR"
  echo "cost $([ $LR = 10 ] && echo 4 || echo 2)"
trace: off
order: grid
results:
  scrape: {cost: 'cost (\d+)'}
  compare: {lr: [0.001, 1e1]}
  baseline: {lr: 0.0010}
END
exits 0 "values of compare and baseline may be written otherwise" "$dftrace" sweep run s.yaml --local
is "$(cat s/runs/*/r0/a0/stdout | grep -c '^lr 1e-3$')" 2 "the text of the file goes to the runs"
is "$(ls s/runs | wc -l)" 4 "a directory for each point"
for as in 1e-3:10 0.001:10 .001:1e1 0.0010:10.0; do
    "$dftrace" sweep results s --compare "lr=$as" --metric cost --format csv >"$tmp/out" 2>"$tmp/err"
    is "$?" 0 "--compare lr=$as: exit status"
    is "$(column ratio <"$tmp/out" | cut -c 1 | xargs)" "2 2" "--compare lr=$as: both words"
done
for where in 'lr == 0.001' 'lr == 1e-3' 'lr < 1'; do
    is "$("$dftrace" sweep status s --format csv --where "$where" | column lr | xargs)" "1e-3 1e-3" \
        "--where $where"
done
exits 0 "--baseline" "$dftrace" sweep results s --baseline lr=.001 --metric cost
nok "a value that no point has" "$dftrace" sweep results s --compare lr=0.002:10
is "$("$dftrace" sweep results s --format csv 2>/dev/null | column cost_mean | sort | xargs)" "2 2 4 4" \
    '\d is a digit'

# -- what the output has instead of a number ------------------------------

cat >odd.yaml <<'END'
sweep: odd
axes: {say: ["3.5", nan, inf, "1,234.5", "12,34", none]}
env: {SAY: "${say}"}
run: |
  echo "loss 0.25"
  [ $SAY = none ] || echo "loss $SAY"
  printf 'tab\t%s 7\n' "$SAY"
trace: off
order: grid
results:
  scrape:
    loss: 'loss (\S+)'
    tab: 'tab\t[\w.,]+\s([\d])'
    absent: 'absent (\d+)'
check: {loss: {max: 2000}}
END
"$dftrace" sweep run odd.yaml --local >/dev/null
is $? 7 "what is no number fails a check"
# The mean of a metric at each point; labels have commas, so it is counted from the end.
means() {
    "$dftrace" sweep results odd --format csv --metric "$1" 2>/dev/null |
        awk -F, 'NR > 1 { print $(NF - 5) == "" ? "-" : $(NF - 5) }' | xargs
}
is "$(means loss)" "3.5 - - 1234.5 - 0.25" "groups of three are one number; the last match counts" ||
    diag "$("$dftrace" sweep results odd --format csv)"
is "$(means tab)" "7 7 7 7 7 7" \
    '\t, \w, \s and \d in brackets'
out=$("$dftrace" sweep results odd 2>&1)
like "$out" 'scrape: loss: 3 runs matched what is no number, as in "nan"' "said what was found"
like "$out" 'scrape: absent: the output of 6 runs has no match' "said what was not found"
like "$(cat odd/results/checks.csv)" 'n/a: .*"nan.* is no number' "and by the check"

# -- regular expressions of other languages --------------------------------

refused() { # expression, complaint
    printf "sweep: s\naxes: {n: [1]}\nrun: x\nresults:\n  scrape: {x: '%s'}\n" "$1" >bad.yaml
    exits 6 "scrape: $1: refused" "$dftrace" sweep plan bad.yaml
    like "$(head -n 1 "$tmp/err")" "$2" "scrape: $1: the message"
}
refused 'loss: (.*?) ' 'bad.yaml:5:.*\*\? \(as few as possible\) is not known'
refused '(?:a|b) (\d+)' '\(\? is not known'
refused '(\p{L}+)' '\\p is not known'
refused '[\S] (x)' '\\S is not known inside'
for good in '([-+0-9.eE]+)' 'a\?(x)' '[]x](y)' '[[:digit:]]+ ([^]]*)' 'a{1,2}(x)?' '\((\d+)\)' '[\]](x)'; do
    printf "sweep: s\naxes: {n: [1]}\nrun: x\nresults:\n  scrape: {x: '%s'}\n" "$good" >good.yaml
    exits 0 "scrape: $good: taken" "$dftrace" sweep plan good.yaml
done
done_testing
