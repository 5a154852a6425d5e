#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3004-sweep-resume.t - resume, throttle, cancel, filters, on a fake Slurm

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

mkdir "$tmp/bin" "$tmp/work"
for c in sbatch squeue scontrol scancel sacct; do
    ln -s "$top_srcdir/tests/fake-slurm/fake-slurm" "$tmp/bin/$c"
done
PATH=$tmp/bin:$PATH
export FAKE_SLURM=$tmp/state
cd "$tmp/work" || exit 99

# Every run with n == 2 fails the first time, and n == 3 in repeat 1.
cat >s.yaml <<'END'
sweep: again
axes: {n: [1, 2, 3], m: {a: {time: 10}, b: {time: "1:00:00"}}}
env: {N: "${n}"}
run: |
  [ "$SWEEP_ATTEMPT" != 0 ] || [ $N != 2 ] || exit 2
  [ "$SWEEP_ATTEMPT" != 0 ] || [ $N$SWEEP_REPEAT != 31 ] || exit 3
trace: off
repeats: 2
slurm: {time: "${time}", mem: 1G}
END

sweep() {
    "$dftrace" sweep "$@"
}
count_runs() { # the paths of status files that say exit $1
    find again/runs -name status -exec grep -l "^exit $1\$" {} + | wc -l
}

exits 4 "submit --wait: some fail" sweep submit s.yaml --wait
is "$(cat again/jobs/round.0 | wc -l)" 2 "round 0 has two arrays"
is "$(count_runs 0)/$(count_runs 2)/$(count_runs 3)" "6/4/2" "what failed"

# -- filters ---------------------------------------------------------------

rows() {
    "$dftrace" sweep status --format json again "$@" | grep -c '"run": "'
}
is "$(rows)" 12 "status: all runs"
is "$(rows --where 'n == 3')" 4 "--where"
is "$(rows --where "repeat == 1 and m == 'a'")" 3 "--where with text and repeat"
is "$(rows --only failed)" 6 "--only"
is "$(rows --only good,failed)" 12 "--only with a class"
is "$(rows 'n1-*')" 4 "a label glob"
is "$(rows n1-a n2-b.r1)" 3 "a label, a label with its repeat"
is "$(rows --only bad --where 'n == 3' '*-a')" 1 "all of them at once"
exits 2 "an unknown name" sweep status again --where 'bs == 3'
like "$(cat "$tmp/err")" "where: .*bs" "is named"
exits 2 "an unknown state" sweep status again --only faild
like "$(cat "$tmp/err")" 'did you mean "failed"' "the nearest is named"
exits 2 "no such run" sweep status again nobody
is "$("$dftrace" sweep results again 'n1-*' --format csv | wc -l)" 3 "results of two points"
is "$("$dftrace" sweep logs again n2-a 2>&1 | grep -c '==>')" 0 "logs takes names too"
is "$("$dftrace" sweep show again 'n2-*' | grep -c '^run ')" 4 "show with a glob"

# -- resume ----------------------------------------------------------------

exits 0 "resume -n" sweep resume again --dry-run
is "$(grep -cE '^[0-9a-f]{8}\.r' "$tmp/out")" 6 "names six runs"
ok "and writes nothing" test ! -e again/jobs/round.1
exits 0 "resume of what is done" sweep resume again --where 'n == 1'
like "$(cat "$tmp/out")" "nothing to do" "does nothing"
exits 2 "--grow without a factor" sweep resume again --grow time=2,mem=x
exits 4 "resume some" sweep resume again --where 'n == 3' --grow time=2,mem=1.5 --wait
like "$(cat "$tmp/out")" "2 runs .2 failed., round 1" "says which"
is "$(cut -f 3,4 again/jobs/a1.*.map | sort | xargs)" "n3-a 1 n3-b 1" \
    "the new maps have just those"
is "$(cut -f 1 again/jobs/a1.g0.0.map)" 0 "and begin at 0"
ok "more time" grep -rqx -e "--time=02:00:00" "$FAKE_SLURM"
ok "more memory" grep -rqx -e "--mem=1536M" "$FAKE_SLURM"
ok "a new attempt" test -e again/runs/n3-a.*/r1/a1/status
ok "the old one stays" test -e again/runs/n3-a.*/r1/a0/status
is "$(grep -c '"event":"analysis"' again/journal.jsonl)" 2 "a new analysis"
is "$(grep -c '^$' again/journal.jsonl)" 0 "no empty line in the journal"
is "$(rows --only bad)" 4 "the others are as they were"
exits 0 "resume the rest" sweep resume again --wait
is "$(rows --only done)" 12 "all done"
is "$(find again/runs -name 'a[0-9]' | wc -l)" 18 "twelve runs, six second attempts"
is "$(grep -c . again/results/runs.csv)" 13 "each once in the results"
exits 0 "resume when all is done" sweep resume again
like "$(cat "$tmp/out")" "nothing to do" "says so"

# -- a driver that died between the round and sbatch -----------------------

rm -rf again "$FAKE_SLURM"
exits 4 "again" sweep submit s.yaml --wait
exits 0 "resume --hold" sweep resume again --hold
jobs=$(ls "$FAKE_SLURM"/job.*.script | wc -l)
sed -i '/submitted","array":"a1/d; /"round":"1"/d' again/journal.jsonl
exits 0 "resume after a crash" sweep resume again --wait
like "$(cat "$tmp/out")" "not complete" "finishes what was begun"
is "$(find again/runs -name 'a1' | wc -l)" 6 "and every run ran once more"
cmp_num "$(ls "$FAKE_SLURM"/job.*.script | wc -l)" -le $((jobs + 1)) "arrays were adopted"

# -- cancel some, throttle -------------------------------------------------

rm -rf again "$FAKE_SLURM"
sed -i 's/^run: |/max_running: 4\nrun: |/' s.yaml
exits 0 "held" sweep submit s.yaml --hold
exits 0 "throttle -n" sweep throttle again 3 --dry-run
nok "changes nothing" grep -q ArrayTaskThrottle "$FAKE_SLURM/log"
exits 0 "throttle" sweep throttle again 3
is "$(grep -o 'JobId=.*' "$FAKE_SLURM/log" | xargs)" \
    "JobId=4711 ArrayTaskThrottle=2 JobId=4712 ArrayTaskThrottle=1" "is shared out"
exits 0 "throttle 0" sweep throttle again 0
is "$(grep -c 'ArrayTaskThrottle=0' "$FAKE_SLURM/log")" 2 "lifts the limit"
exits 2 "throttle by words" sweep throttle again many
exits 0 "cancel -n" sweep cancel again --dry-run 'n1-a*'
nok "cancels nothing" grep -q ^scancel "$FAKE_SLURM/log"
exits 0 "cancel some" sweep cancel again n1-a
is "$(grep -c '^scancel 4711_[0-9] 4711_[0-9]$' "$FAKE_SLURM/log")" 1 "by task"
exits 0 "cancel all" sweep cancel again
exits 1 "submit does not bring it back" sweep submit s.yaml
like "$(cat "$tmp/err")" "resume" "but says what does"
exits 4 "resume does" sweep resume again --wait
is "$(find again/runs -name status | wc -l)" 12 "every run ran once"

done_testing
