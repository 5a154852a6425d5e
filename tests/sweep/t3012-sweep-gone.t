#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3012-sweep-gone.t - tasks and an analysis that somebody cancelled in Slurm:
# status says so at once, resume repairs it; names of runs; on a fake Slurm

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

mkdir "$tmp/bin" "$tmp/work"
for c in sbatch squeue scontrol scancel sacct; do
    ln -s "$top_srcdir/tests/fake-slurm/fake-slurm" "$tmp/bin/$c"
done
PATH=$tmp/bin:$PATH
export FAKE_SLURM=$tmp/state
cd "$tmp/work" || exit 99
sweep() {
    "$dftrace" sweep "$@"
}
wait_end() {
    for ((i = 0; i < 600; i++)); do
        sweep status gone >/dev/null
        [ $? != 3 ] && return
        sleep 0.1
    done
    return 1
}
# The analysis job is over.
wait_tables() {
    for ((i = 0; i < 600; i++)); do
        [ "$(cat "$FAKE_SLURM/job.$analysis.state")" = COMPLETED ] && return
        sleep 0.1
    done
}

cat >s.yaml <<'END'
sweep: gone
axes: {n: [1, 2, 3]}
env: {N: "${n}"}
run: echo "$N"
trace: off
END

# -- a pending task that was cancelled with scancel ---------------------------

exits 0 "submitted, held" sweep submit s.yaml --hold
array=$(sed -n 's/.*"event":"submitted".*"job":"\([0-9]*\)".*/\1/p' gone/journal.jsonl)
analysis=$(sed -n 's/.*"event":"analysis".*"job":"\([0-9]*\)".*/\1/p' gone/journal.jsonl)
like "$array/$analysis" "^[0-9]+/[0-9]+$" "an array and its analysis"
exits 3 "all are queued" sweep status gone
unlike "$(cat "$tmp/out")" "missing|is gone" "and nothing is missing"
scancel "${array}_1"
exits 3 "one was cancelled: the others are queued" sweep status gone
like "$(cat "$tmp/out")" "missing +1 .*Slurm does not have its task: cancelled there" \
    "status says so at once"
ok "the rest is released" sweep submit s.yaml
ok "it ends" wait_end
like "$("$dftrace" sweep status gone)" "2/3 done, 0 running, 0 queued, 1 not done" \
    "two are done"
wait_tables
# it is still at its last lines: it will submit nothing
echo RUNNING >"$FAKE_SLURM/job.$analysis.state"
exits 0 "resume submits it again" sweep resume gone
like "$(cat "$tmp/out")" "1 run .1 missing., round 1" "that one only"
ok "it ends, too" wait_end
like "$("$dftrace" sweep status gone)" "3/3 done" "all are done"

# -- the analysis -------------------------------------------------------------

sed "1s/gone/lost/" s.yaml >lost.yaml
export FAKE_SLURM=$tmp/state2
sweep submit lost.yaml --hold >/dev/null
analysis=$(sed -n 's/.*"event":"analysis".*"job":"\([0-9]*\)".*/\1/p' lost/journal.jsonl)
scancel "$analysis"
exits 3 "the analysis was cancelled" sweep status lost
like "$(cat "$tmp/out")" "analysis: job $analysis is gone and has made no tables: .*resume" \
    "status says so at once, and what to do"
like "$("$dftrace" sweep status --format json lost)" "\"analysis_lost\": \"$analysis\"" \
    "programs are told"
: >"$FAKE_SLURM/job.$analysis.state" # it never runs
ok "released" sweep submit lost.yaml
for ((i = 0; i < 600; i++)); do
    [ "$(find lost/runs -name status -exec grep -l '^exit 0' {} + | wc -l)" = 3 ] && break
    sleep 0.1
done
nok "nobody has made tables" test -e lost/results/summary.txt
exits 0 "resume --dry-run" sweep resume --dry-run lost
like "$(cat "$tmp/out")" "analysis: job $analysis is gone" "resume --dry-run says it"
is "$(grep -c '"event":"analysis"' lost/journal.jsonl)" 1 "and submits nothing"
ok "resume" sweep resume lost
is "$(grep -c '"event":"analysis"' lost/journal.jsonl)" 2 "resume submits the analysis, nothing else"
is "$(grep -c '"event":"submitted"' lost/journal.jsonl)" 1 "no array"
like "$(grep -h dependency "$FAKE_SLURM/job.$((analysis + 1)).arguments" || echo none)" \
    "none|afterany:[0-9]" "it waits for what there is, if anything"
exits 0 "results are made" sweep results lost --write
unlike "$("$dftrace" sweep status lost)" "is gone" "status is content"

# -- names of runs -------------------------------------------------------------

name=$(ls gone/runs | head -n 1)
like "$name" "^n1\.[0-9a-f]{8}" "a directory of runs"
is "$("$dftrace" sweep show gone "$name" | sed -n 's/^label *//p')" n1 "show LABEL.ID"
is "$("$dftrace" sweep show gone "$name.r0" | sed -n 's/^label *//p')" n1 "show LABEL.ID.rN"
nok "no other name" sweep show gone "n2.${name#*.}"

# -- a script that would run untraced --------------------------------------------

printf '#!/bin/sh\npython3 train.py\n' >job.sh
cat >script.yaml <<'END'
sweep: script
axes: {n: [1]}
script: job.sh
trace: posix,nobatch
END
like "$("$dftrace" sweep plan script.yaml)" "warning nobatch leaves out the batch script.*no srun" \
    "plan warns of a script that would leave no trace"
printf '#!/bin/sh\nsrun python3 train.py\n' >job.sh
unlike "$("$dftrace" sweep plan script.yaml)" "warning" "not of one that starts steps"

done_testing
