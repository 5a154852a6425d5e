#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3005-sweep-control.t - untraced controls, retry, cold data, what ran before

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99
mkdir work bin data
head -c 4M /dev/urandom >data/a
cd work || exit 99

cat >s.yaml <<'END'
sweep: controls
axes: {n: [1, 2, 3]}
run: |
  echo "$SWEEP_CONTROL ${LD_PRELOAD:+loaded} ${DFTRACE_LAYERS-unset}"
  cat ../data/a >/dev/null
  date +%s.%N >>../order.$SWEEP_POINT.$SWEEP_REPEAT
  echo $SWEEP_RUN >>../order.$SWEEP_POINT.$SWEEP_REPEAT
control: {where: n > 1, repeats: 2}
data: ../data
repeats: 3
seed: 3
END
exits 0 "plan" "$dftrace" sweep plan s.yaml
like "$(cat "$tmp/out")" "= 9 tasks, 4 with an untraced control: 13 executions" "counts controls"
like "$(cat "$tmp/out")" "needs the time of two" "and says what they need"
exits 0 "run" "$dftrace" sweep run s.yaml --local
like "$(cat "$tmp/out")" "13/13 done" "all executions"
like "$(cat "$tmp/out")" \
    "tracing costs [-+][0-9.]+ % of the time, 95 % interval \[[-+].*\] \(4 pairs\)" "the overhead"
is "$(ls -d controls/runs/*/r*/control/a0 | wc -l)" 4 "controls have directories of their own"
is "$(cat controls/runs/*/r*/control/a0/stdout | sort -u)" "1  off" "no library in a control"
is "$(cat controls/runs/*/r*/a0/stdout | sort -u)" "0 loaded posix,app" "and one in the others"
is "$(ls -d controls/runs/*/r*/control/a0/trace 2>/dev/null)" "" "a control has no trace"
is "$(find controls/runs -name metrics.json | wc -l)" 9 "the others have"
first=$(for f in ../order.*.[01]; do sed -n 2p "$f"; done | grep -c 'c$')
cmp_num "$first" -gt 0 "the coin puts some controls first"
cmp_num "$first" -lt 4 "and some last"
cat >column.awk <<'END'
NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i; next }
c { print $c }
END
column() {
    awk -F, -v want="$2" -f column.awk "controls/results/$1"
}
is "$(column points.csv posix_events_n | xargs)" "3 3 3" "points.csv is of traced runs alone"
is "$(column runs.csv control | sort | uniq -c | xargs)" "9 0 4 1" "runs.csv has both"
# Twice as long in two pairs and half as long in two: no difference, where the mean of
# the four ratios would say +25 %.
cp -r controls noise
n=0
for control in noise/runs/*/r*/control/a0/status; do
    traced=${control%/control/a0/status}
    traced=$(ls -d "$traced"/a*/status)
    sed -i 's/^start .*/start 1000/; s/^end .*/end 1002/' "$control"
    sed -i "s/^start .*/start 1000/; s/^end .*/end $((n++ % 2 ? 1001 : 1004))/" "$traced"
done
like "$("$dftrace" sweep status noise)" "tracing costs [-+]0\.0 % of the time, .* \(4 pairs\)" \
    "noise in both directions is no overhead"
"$dftrace" sweep status controls --format json >status.json
like "$(cat status.json)" '"pairs": 4' "status --format json has the overhead"
is "$(grep -c '"predecessor": ""' status.json)" 1 "only the first run had no predecessor"
is "$(grep '"predecessor"' status.json | sort -u | wc -l)" 13 "each is before one run at most"
like "$(cat status.json)" '"cached_kb": [1-9]' "the page cache before a run"
like "$("$dftrace" sweep status controls --format json --where 'control' | grep -c '"run": "')" "^4$" \
    "--where control"

# Warm and cold; whether the kernel lets go depends on the file system.
cat ../data/a >/dev/null
is "$(column runs.csv data_cached_kb | sort -n | tail -n 1)" 4096 "data is found in the cache"
sed 's/^sweep: .*/sweep: cold\ncold: true/; /^control/d' s.yaml >cold.yaml
exits 0 "cold" "$dftrace" sweep run cold.yaml --local --limit 3
if [ "$(stat -f -c %T ../data)" = tmpfs ]; then
    skip "tmpfs is all cache" "dropped before each run"
else
    is "$(find cold -name status -exec grep -h data_cached {} + | sort -u)" \
        "data_cached_kb 0" "dropped before each run"
fi
sed 's/, repeats: 2/, paired: false/' s.yaml | sed 's/^sweep: .*/sweep: apart/' >apart.yaml
like "$("$dftrace" sweep plan apart.yaml)" "= 15 tasks, 6 of them untraced controls" \
    "paired: false: tasks of their own"
exits 0 "run them" "$dftrace" sweep run apart.yaml --local
like "$(cat "$tmp/out")" "15/15 done" "once each"
like "$(cat "$tmp/out")" "6 pairs" "and compare them all the same"

refused() { # text of the file's last line, complaint
    sed '/^control/d' s.yaml >bad.yaml
    echo "$1" >>bad.yaml
    exits 6 "refused: $1" "$dftrace" sweep plan bad.yaml
    like "$(cat "$tmp/err")" "$2" "because"
}
refused 'control: {whre: n}' 'did you mean "where"'
refused 'control: {where: m > 1}' 'm'
refused 'control: {repeats: 4}' '4'
refused 'control: {paired: maybe}' 'neither true nor false'
refused 'retry: {on: [node_fial]}' 'did you mean "node-fail"'
refused 'retry: {on: [done]}' 'no bad end'
refused 'retry: {times: 2}' '"on" is missing'
refused 'retry: {on: failed, grow: {nodes: 2}}' 'factors'
sed '/^data/d' s.yaml >bad.yaml
echo 'cold: true' >>bad.yaml
exits 6 "cold without data" "$dftrace" sweep plan bad.yaml

# -- retry -----------------------------------------------------------------

cat >retry.yaml <<'END'
sweep: retry
axes: {n: [1, 2, 3]}
env: {N: "${n}"}
run: '[ $N = 1 ] || [ $N$SWEEP_ATTEMPT = 21 ] || exit 5'
trace: off
retry: {on: [failed, node_fail], times: 2, grow: {time: 2}}
slurm: {time: 10}
END
exits 4 "retry, here" "$dftrace" sweep run retry.yaml --local
is "$(cd retry/runs && ls -d */r0/a* | cut -d/ -f 1,3 | sed 's/\..*\//\//' | xargs)" \
    "n1/a0 n2/a0 n2/a1 n3/a0 n3/a1 n3/a2" "what fails is tried two times more"

for c in sbatch squeue scontrol scancel sacct; do
    ln -s "$top_srcdir/tests/fake-slurm/fake-slurm" "$tmp/bin/$c"
done
PATH=$tmp/bin:$PATH
export FAKE_SLURM=$tmp/state
rm -rf retry
exits 4 "retry, by the analysis job" "$dftrace" sweep submit retry.yaml --wait
is "$(cd retry/runs && ls -d */r0/a* | cut -d/ -f 1,3 | sed 's/\..*\//\//' | xargs)" \
    "n1/a0 n2/a0 n2/a1 n3/a0 n3/a1 n3/a2" "the same"
is "$(cut -f 3 retry/jobs/a1.g0.0.map | xargs)/$(cut -f 3 retry/jobs/a2.g0.0.map)" \
    "$(cut -f 3 retry/jobs/g0.0.map | grep -v n1 | xargs)/n3" "in shorter and shorter maps"
ok "with more time" grep -q -e "--time=00:20:00" retry/jobs/a1.g0.0.sbatch
is "$(grep -c . retry/results/runs.csv)" 4 "each run once in the tables"
like "$(cat retry/results/summary.txt)" "2 of 3 runs done" "which are of the end"

# A control under Slurm: what the plugin would go by is turned off.
sed 's/^sweep: .*/sweep: there/' s.yaml >there.yaml
sed -i 's/^run: |/trace: {check: none}\nrun: |\n  echo "plugin ${SLURM_DFTRACE-unset}"/' there.yaml
exits 0 "controls in array tasks" "$dftrace" sweep submit there.yaml --wait
is "$(cat there/runs/*/r*/control/a0/stdout | grep plugin | sort -u)" "plugin off" \
    "srun in a control does not trace"
is "$(cat there/runs/*/r*/a0/stdout | grep plugin | sort -u)" "plugin unset" "else it does"

# -- one job for all -------------------------------------------------------

cat >pack.yaml <<'END'
sweep: pack
axes: {n: [1, 2, 3], t: [10, 20]}
env: {N: "${n}"}
run: 'echo $SWEEP_RUN >>../packed; [ $N$SWEEP_ATTEMPT != 20 ]'
trace: off
mode: pack
repeats: 2
slurm: {time: "${t}"}
END
rm -rf "$FAKE_SLURM"
exits 4 "mode: pack" "$dftrace" sweep submit pack.yaml --wait
is "$(ls "$FAKE_SLURM"/job.*.script | wc -l)" 3 "a job per set of options, and the analysis"
nok "without an array" grep -rq -e --array "$FAKE_SLURM"
ok "one after the other" grep -qx -e --dependency=afterany:4711 "$FAKE_SLURM/job.4712.arguments"
is "$(cat ../packed)" "$(cut -f 2 pack/jobs/g0.0.map pack/jobs/g1.0.map)" "in the order of the maps"
like "$("$dftrace" sweep status pack)" "8/12 done.* 4 not done" "a run's end is its own"
exits 0 "resume" "$dftrace" sweep resume pack --wait
is "$(wc -l <../packed)" 16 "packs what is left"
exits 0 "held" "$dftrace" sweep submit pack.yaml --hold --dir pack2
exits 3 "status of what waits" "$dftrace" sweep status pack2
exits 1 "cancel of one run" "$dftrace" sweep cancel pack2 'n1*'
exits 1 "throttle" "$dftrace" sweep throttle pack2 2

done_testing
