#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3002-sweep-local.t - a sweep on this machine, from file to tables

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99

cat >s.yaml <<'END'
sweep: here
axes:
  n: [1, 2, 3]
  mode: {plain: {flag: null}, "it's": {flag: 08}}
label: ${mode}-${n}
env:
  N: ${n}
  MODE: ${mode}
  FLAG: ${flag}
  ODD: ${n % 2 == 1}
setup: |
  echo "setup $N"
run: |
  printf '%s|%s|%s|%s|%s\n' "$N" "$MODE" "${FLAG-unset}" "$ODD" '${n}'
  echo to stderr >&2
  echo "$SWEEP_SEED" >seed.$SWEEP_RUN
  dd if="$SWEEP_DIR/spec.yaml" of=copy.$SWEEP_RUN bs=64K status=none
  [ "$MODE$N" != plain3 ] || exit 7
teardown: echo "teardown after $SWEEP_EXIT" >>"$SWEEP_RUN_DIR/stdout"
trace: posix
repeats: 2
seed: 7
END

export FLAG=inherited
exits 4 "some failed: exit status 4" "$dftrace" sweep run s.yaml --local
like "$(cat "$tmp/out")" "10/12 done.* 2 not done" "the rest ran all the same"
like "$(cat "$tmp/out")" "failed +2 .*plain-3 r[01]: exit 7, and 1 more" "which, and why"

run_dir() {
    echo here/runs/"$1".*/r"$2"/a"${3:-0}"
}
is "$(cat "$(run_dir plain-1 0)"/stdout)" "setup 1
1|plain|unset|1|\${n}
teardown after 0" "variables: unset, true, and nothing substituted in run"
is "$(sed -n 2p "$(run_dir it_s-2 1)"/stdout)" "2|it's|08|0|\${n}" "texts arrive byte for byte"
is "$(cat "$(run_dir plain-1 0)"/stderr)" "to stderr" "standard error has its own file"
is "$(tail -n 1 "$(run_dir plain-3 0)"/stdout)" "teardown after 7" "teardown runs after a failure"
is "$(cat seed.* | sort -u | wc -l)" 12 "every run has its own seed"
is "$(wc -l <here/order.csv)" 13 "order.csv: a head and 12 runs"
is "$(wc -l <here/plan.csv)" 7 "plan.csv: a head and 6 points"

exits 4 "status: some failed" "$dftrace" sweep status here
"$dftrace" sweep status --format json here >status.json
is "$(grep -c '"state": "failed"' status.json)" 2 "status --format json"
like "$("$dftrace" sweep logs here)" "teardown after 7" "logs shows those that failed"
like "$("$dftrace" sweep show here plain-3)" "exit 7" "show"
exits 1 "show: no such run" "$dftrace" sweep show here nobody

# -- tables ----------------------------------------------------------------

exits 4 "results: some failed" "$dftrace" sweep results here
out=$(cat "$tmp/out")
like "$out" "6 configurations, 10 of 12 runs done" "results: a head"
like "$out" "3 +plain .* n/a .*0 of 2 done, failed" "a failed point stays, without numbers"
column() { # file, column name
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        c { print $c }' "$1"
}
is "$(column here/results/points.csv point | wc -l)" 6 "points.csv has all points"
is "$(column here/results/runs.csv run | wc -l)" 12 "runs.csv has all runs"
is "$(column here/results/runs.csv exit | sort | uniq -c | xargs)" "10 0 2 7" "with their ends"
bytes=$(stat -c %s s.yaml)
is "$(column here/results/runs.csv other_read_bytes | sort -u)" "$bytes" \
    "each run read the spec once: $bytes bytes, from its trace"
is "$("$dftrace" sweep results here --metric read_bytes --format csv | wc -l)" 7 \
    "--metric: a row per point"
like "$("$dftrace" sweep results --long here --format csv | head -n 1)" \
    "^point,label,repeat,control,state,metric,unit,value" "--long"
is "$("$dftrace" sweep results --long here --format csv | grep -c ",posix_events,")" 12 \
    "--long: one number per row"
exits 2 "an unknown metric" "$dftrace" sweep results here --metric read_byte
like "$(cat "$tmp/err")" "did you mean read_bytes" "names the nearest"
like "$("$dftrace" sweep results here --format markdown)" "^.*\| *n *\|" "--format markdown"
"$dftrace" sweep results here --format json >r.json
if command -v python3 >/dev/null; then
    ok "--format json is JSON" python3 -m json.tool r.json
else
    skip "no python3" "--format json is JSON"
fi

# -- again -----------------------------------------------------------------

exits 4 "running it again" "$dftrace" sweep run s.yaml --local
is "$(find here/runs -name 'a[0-9]*' | wc -l)" 14 "repeats only the two that failed"
ok "as new attempts" test -e "$(run_dir plain-3 0 1)/status"
sed -i 's/n: \[1, 2, 3\]/n: [1, 2]/' s.yaml
exits 1 "another file, the same directory" "$dftrace" sweep run s.yaml --local
like "$(cat "$tmp/err")" "holds another sweep" "is refused"
exits 0 "--limit, --dir" "$dftrace" sweep run s.yaml --local --limit 3 --dir other
is "$(find other/runs -name status | wc -l)" 3 "--limit 3 does three runs"
exits 2 "without --local" "$dftrace" sweep run s.yaml --dir third
exits 1 "status of no sweep" "$dftrace" sweep status "$tmp"

# -- settings of the tracer ------------------------------------------------

head -c 64K /dev/zero >small
cat >tracer.yaml <<'END'
sweep: tracer
axes: {least: [1, 8K]}
run: dd if=small of=/dev/null bs=4k count=16 status=none
trace: {layers: posix, min_size: "${least}", include: ["${'small'}", ./small, "$SWEEP"]}
END
sed -i 's|include: .*\]|include: ["'"$tmp"'/small", /nowhere]|' tracer.yaml
exits 0 "trace: with settings" "$dftrace" sweep run tracer.yaml --local
is "$(column tracer/results/runs.csv read_count | xargs)" "16 0" "min_size, per point"
like "$("$dftrace" sweep plan tracer.yaml --script)" \
    "--dftrace=posix,min_size=1,include=$tmp/small:/nowhere" "as sbatch gets it"
like "$("$dftrace" sweep plan tracer.yaml)" "g1.0" "points that are traced otherwise have an array of their own"
sed 's/min_size: [^,]*,/min_size: much,/' tracer.yaml >bad.yaml
exits 6 "a bad value" "$dftrace" sweep plan bad.yaml
like "$(cat "$tmp/err")" "bad.yaml:4:.*min_size.*much" "says where"
sed 's/min_size:/min_siez:/' tracer.yaml >bad.yaml
exits 6 "a bad key" "$dftrace" sweep plan bad.yaml
like "$(cat "$tmp/err")" 'did you mean "min_size"' "and the nearest"
sed 's/min_size: [^,]*,/dir: x,/' tracer.yaml >bad.yaml
exits 6 "a key of ours" "$dftrace" sweep plan bad.yaml

# -- no trace, stop --------------------------------------------------------

cat >t.yaml <<'END'
sweep: blind
axes: {n: [1]}
run: env -i /bin/true
END
exits 4 "a run that leaves no trace" "$dftrace" sweep run t.yaml --local
like "$(cat "$tmp/out")" "bad-trace +1" "is not done"
sed -i '$a trace: {check: none}' t.yaml
exits 0 "check: none" "$dftrace" sweep run t.yaml --local --dir blind2

cat >stop.yaml <<'END'
sweep: stop
axes: {n: [1, 2, 3]}
trace: off
run: |
  trap 'echo got it; exit 9' TERM
  echo begun >begun.$SWEEP_RUN
  sleep 100 & wait
END
"$dftrace" sweep exec stop g0.0 0 2>"$tmp/err"
like "$(cat "$tmp/err")" "^dftrace: stop: " "exec: no directory"
"$dftrace" sweep run stop.yaml --local >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 1200; i++)); do
    ls begun.* >/dev/null 2>&1 && break
    sleep 0.05
done
kill -TERM $pid
wait $pid
is "$(cat stop/runs/*/r0/a0/stdout)" "got it" "a signal is passed on to the run"
is "$(ls stop/runs/*/r0 | grep -c a0)" 1 "and the sweep stops"
exits 3 "the rest is still to come" "$dftrace" sweep status stop
like "$(cat "$tmp/out")" "stopped +1 .*after signal 15" "what was stopped says so"

# A study that only writes has a table of writes; what is n/a in every row is
# said once.
cat >writes.yaml <<'END'
sweep: writes
axes: {n: [10, 20]}
env: {N: "${n}"}
run: dd if=/dev/zero of="$SWEEP_RUN_DIR/out" bs=1000 count=$N
END
exits 0 "a study of writes" "$dftrace" sweep run writes.yaml --local
out=$("$dftrace" sweep results writes)
like "$(grep '^ *20 ' <<<"$out" | head -n 1)" ' 0 +20 +20000 ' "has the bytes it wrote"
like "$out" 'n/a in every row: loader_time' "what nobody has is one line"
unlike "$(grep '^ *20 ' <<<"$out")" 'n/a' "and no column"

done_testing
