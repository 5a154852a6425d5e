#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3003-sweep-submit.t - arrays, maps, journal, against a fake Slurm

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

mkdir "$tmp/bin" "$tmp/work"
for c in sbatch squeue scontrol scancel sacct; do
    ln -s "$top_srcdir/tests/fake-slurm/fake-slurm" "$tmp/bin/$c"
done
PATH=$tmp/bin:$PATH
export FAKE_SLURM=$tmp/state
cd "$tmp/work" || exit 99

# What a task would leave behind: a trace and its numbers.
cat >s.yaml <<'END'
sweep: grid
axes: {n: [1, 2, 3], m: {a: {time: 10}, b: {time: 20}}}
env: {N: "${n}"}
run: |
  mkdir -p "$DFTRACE_JOB_DIR/shards"
  : >"$DFTRACE_JOB_DIR/shards/x.dft"
  echo '{"metrics": {"read_bytes": {"value": '$((N * 1048576 + SWEEP_REPEAT * 2))', "unit": "B"},
    "read_bandwidth": {"value": null, "unit": "MiB/s", "note": "no reads"}},
    "operations": [{"category": "data", "name": "item", "count": 2, "sum_s": '$N', "mean_us": 500000}]}' \
    >"$DFTRACE_JOB_DIR/metrics.json"
  pwd
repeats: 2
slurm: {time: "${time}", nodes: 2, exclusive: true, mem: null}
END

reset() {
    rm -rf "$FAKE_SLURM" "$@"
}
wait_end() { # directory
    local i
    for ((i = 0; i < 1200; i++)); do
        [ -e "$1/results/summary.txt" ] && return 0
        sleep 0.1
    done
    return 1
}

# -- from file to tables ---------------------------------------------------

export SBATCH_ARRAY_INX=5-6 SLURM_CPU_BIND=rank SQUEUE_FORMAT=%i SWEEP_RUN=old
FAKE_SBATCH=banner exits 0 "submit --wait" "$dftrace" sweep submit s.yaml --wait
like "$(cat "$tmp/out")" "g0.0: job 4711, tasks 0-5" "the first array"
like "$(cat "$tmp/out")" "analysis: job 4713, after 4711,4712" "the analysis"
ok "sbatch was called" test -e "$FAKE_SLURM/sbatch.env"
is "$(sed 's/=.*//' "$FAKE_SLURM/sbatch.env" | sort -u)" DFTRACE_SWEEP \
    "nothing leaks into sbatch"
unset SBATCH_ARRAY_INX SLURM_CPU_BIND SQUEUE_FORMAT SWEEP_RUN
arguments=$(cat "$FAKE_SLURM/job.4711.arguments")
for want in --parsable --hold --array=0-5 --time=10 --nodes=2 --exclusive --no-requeue \
    --dftrace=posix,app,nobatch "--chdir=$tmp/work"; do
    ok "sbatch gets $want" grep -qxF -e "$want" "$FAKE_SLURM/job.4711.arguments"
done
nok "null is no option" grep -q -e --mem "$FAKE_SLURM/job.4711.arguments"
ok "the analysis waits for both" \
    grep -qx -e --dependency=afterany:4711:4712 "$FAKE_SLURM/job.4713.arguments"
ok "and dies with them" grep -qx -e --kill-on-invalid-dep=yes "$FAKE_SLURM/job.4713.arguments"
is "$(grep -c . grid/journal.jsonl)" 7 \
    "journal: intent and submitted twice, intent and analysis, released"
is "$(cat grid/runs/*/r*/a0/stdout | sort -u)" "$tmp/work" "runs start where the user stood"
is "$(find grid/runs -name status -exec grep -l '^exit 0' {} + | wc -l)" 12 "every run ran once"
is "$(cut -f 2 grid/jobs/*.map | sort | uniq -d)" "" "no run is in two maps"
exits 0 "status: all done" "$dftrace" sweep status grid
like "$(cat grid/results/summary.txt)" "12 of 12 runs done" "the analysis job wrote the tables"
exits 0 "results" "$dftrace" sweep results grid --metric read_bytes --format csv
is "$(grep '^n1-a' "$tmp/out" | cut -d, -f 4,6-8)" "1048577,2,1048576,1048578" \
    "mean, n, min, max over repeats, in bytes"
like "$("$dftrace" sweep results grid)" "n/a" "null is n/a"
like "$("$dftrace" sweep results grid)" "Time per operation" "operations have a table"

: >"$FAKE_SLURM/log"
exits 0 "submit again" "$dftrace" sweep submit s.yaml
like "$(cat "$tmp/out")" "submitted before" "says so"
nok "and submits nothing" grep -q ^sbatch "$FAKE_SLURM/log"

# -- more tasks than an array may have -------------------------------------

reset grid
FAKE_MAX_ARRAY=4 exits 0 "MaxArraySize 4" "$dftrace" sweep submit s.yaml --wait
is "$(ls grid/jobs/*.map | wc -l)" 4 "four arrays"
is "$(cut -f 1 grid/jobs/g0.1.map | xargs)" "0 1" "each begins at 0"
is "$(find grid/runs -name status | wc -l)" 12 "every run ran once"
reset grid
FAKE_CONFIG="SchedulerParameters = defer,max_array_tasks=5" \
    exits 0 "max_array_tasks 5" "$dftrace" sweep submit s.yaml --hold
is "$(ls grid/jobs/*.map | wc -l)" 4 "counts as well"

# -- max_running -----------------------------------------------------------

reset grid
sed 's/^repeats: 2/repeats: 2\nmax_running: 1/' s.yaml >one.yaml
exits 0 "max_running 1" "$dftrace" sweep submit one.yaml --hold
ok "one at a time" grep -qx -e "--array=0-5%1" "$FAKE_SLURM/job.4711.arguments"
ok "array after array" grep -qx -e --dependency=afterany:4711 "$FAKE_SLURM/job.4712.arguments"

# -- hold, status, release -------------------------------------------------

exits 3 "held: status is pending" "$dftrace" sweep status grid
like "$(cat "$tmp/out")" "queued +12 .*JobHeldUser" "with Slurm's reason"
exits 3 "results, before any" "$dftrace" sweep results grid
exits 0 "submit again without --hold" "$dftrace" sweep submit one.yaml
like "$(cat "$tmp/out")" "released" "releases"
ok "it ends" wait_end grid

# -- Slurm says no ---------------------------------------------------------

reset grid
FAKE_SBATCH=refuse exits 1 "refused: exit status 1" "$dftrace" sweep submit s.yaml
like "$(cat "$tmp/err")" "g0.0: sbatch: .*Invalid account specified: nothing was released" \
    "the reason, and what next"
nok "nothing was released" grep -q "^scontrol release" "$FAKE_SLURM/log"
exits 0 "and later it says yes" "$dftrace" sweep submit s.yaml --wait
is "$(find grid/runs -name status | wc -l)" 12 "every run ran once"

reset grid
FAKE_SBATCH=lost exits 0 "it said no and meant yes" "$dftrace" sweep submit s.yaml --hold
like "$(cat "$tmp/out")" "g0.0: job 4711.*Slurm has it" "the job is adopted by its name"
is "$(ls "$FAKE_SLURM"/job.*.script | wc -l)" 3 "and not submitted twice"

# a crash between sbatch and the journal
sed -i '/submitted\|adopted\|analysis/d' grid/journal.jsonl
exits 0 "after a crash" "$dftrace" sweep submit s.yaml --hold
is "$(ls "$FAKE_SLURM"/job.*.script | wc -l)" 4 "arrays are found again"
like "$(cat "$tmp/out")" "g1.0: job 4712, found in Slurm" "and it says so"

exits 0 "cancel" "$dftrace" sweep cancel grid
exits 4 "cancelled tasks, forgotten by Slurm" "$dftrace" sweep status grid
like "$(cat "$tmp/out")" "cancelled +12" "are known from the journal"
exits 1 "a cancelled sweep" "$dftrace" sweep submit s.yaml

# -- an existing batch script ----------------------------------------------

reset
mkdir scripts
cat >scripts/job.sh <<'END'
#!/bin/bash
#SBATCH --account=mine
#SBATCH --time=99

echo "script $N in $PWD"
#SBATCH --too-late
END
sed '/^run:/,/^repeats/c script: job.sh\ntrace: off' s.yaml >scripts/s.yaml
exits 0 "script" "$dftrace" sweep submit scripts/s.yaml --wait --dir scripted
is "$(grep '^#SBATCH' scripted/jobs/g0.0.sbatch)" "#SBATCH --account=mine
#SBATCH --time=99" "its own options stay"
is "$(cat scripted/runs/n1-*/r0/a0/stdout | sort -u)" "script 1 in $tmp/work" "it runs, frozen"
nok "trace: off" grep -q -e --dftrace "$FAKE_SLURM/job.4711.arguments"

rm "$tmp/bin/scontrol"
PATH=$tmp/bin:/bin:/usr/bin
if ! command -v scontrol >/dev/null; then
    exits 1 "no Slurm" "$dftrace" sweep submit s.yaml --dir none
    nok "leaves nothing" test -e none
fi

done_testing
