#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3008-sweep-waves.t - pilots, limits on submitted jobs, waves, and drivers
#     that die at every step of a submission

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

mkdir "$tmp/bin" "$tmp/real" "$tmp/work"
for c in sbatch squeue scontrol scancel sacct; do
    ln -s "$top_srcdir/tests/fake-slurm/fake-slurm" "$tmp/bin/$c"
    ln -s "$top_srcdir/tests/fake-slurm/fake-slurm" "$tmp/real/$c"
done
PATH=$tmp/bin:$PATH
export FAKE_SLURM=$tmp/state
cd "$tmp/work" || exit 99

cat >s.yaml <<'END'
sweep: many
axes: {n: "range(1, 12)"}
run: echo "$SWEEP_RUN" >>ran
trace: off
repeats: 2
END
sweep() {
    "$dftrace" sweep "$@"
}
reset() {
    rm -rf many ran "$FAKE_SLURM"
}
once() { # runs, what
    is "$(sort -u ran | wc -l)/$(wc -l <ran)" "$1/$1" "$2: every run ran once"
    is "$(grep -c done many/results/runs.csv)" "$1" "$2: and is in the results"
}

# -- a pilot, then the rest ------------------------------------------------

exits 0 "submit -n" sweep submit s.yaml --dry-run --limit 2
nok "freezes nothing" test -e many
exits 0 "a pilot" sweep submit s.yaml --limit 3 --wait
once 3 "pilot"
is "$(cut -f 2 many/jobs/g0.0.map)" "$(sweep plan s.yaml --order --format csv | sed -n 2,4p | cut -d, -f 2)" \
    "the first three of the order"
exits 0 "the same pilot again" sweep submit s.yaml --limit 3 --wait
like "$(cat "$tmp/out")" "nothing to do" "is nothing"
exits 0 "some more, by a filter" sweep submit s.yaml --where 'n == 7' --wait
cmp_num "$(wc -l <ran)" -ge 4 "ran"
exits 0 "the rest" sweep submit s.yaml --wait
once 24 "all"
exits 0 "and again" sweep submit s.yaml
like "$(cat "$tmp/out")" "nothing to do" "is nothing"
exits 1 "a filter that means nothing" sweep submit s.yaml --where 'n == 99' --dir other
nok "freezes nothing" test -e other

# -- waves that are planned ------------------------------------------------

reset
exits 0 "--wave 10" sweep submit s.yaml --wave 10 --wait
once 24 "waves"
is "$(cut -f 3 many/jobs/round.0 | xargs)" "10 10 4" "three arrays"
is "$(grep -c '"event":"released"' many/journal.jsonl)" 3 "released one by one"
is "$(grep -c '"event":"analysis"' many/journal.jsonl)" 3 "each with an analysis"
reset
FAKE_CONFIG="MaxJobCount             = 30" exits 0 "MaxJobCount 30" sweep plan s.yaml
like "$(cat "$tmp/out")" "waves +3, of at most 10 tasks \(a third of MaxJobCount 30\)" "plan says so"
FAKE_CONFIG="MaxJobCount             = 30" exits 0 "is heeded" sweep submit s.yaml --wait
once 24 "MaxJobCount"

# -- a limit that nobody can read ------------------------------------------

reset
export FAKE_SUBMIT_LIMIT=8
exits 0 "a limit of 8 submitted jobs" sweep submit s.yaml --wait
once 24 "limit"
like "$(cat "$tmp/out")" "g0.0: 24 tasks are more than the limit" "says what it does"
like "$(cat "$tmp/out")" "wait for a later wave: job [0-9]+ submits" "and what is to come"
is "$(cut -f 2 many/jobs/*.map | sort | uniq -d)" "" "no run is in two maps"
is "$(for f in many/jobs/*.map; do head -n 1 "$f" | cut -f 1; done | sort -u)" 0 \
    "every map begins at 0"
reset
FAKE_SUBMIT_LIMIT=6 exits 0 "no room for the analysis" sweep submit s.yaml --wait
once 24 "room"
like "$(cat "$tmp/out")" "withdrawn: the analysis needs its place" "an array gives way"
reset
FAKE_SUBMIT_LIMIT=1 exits 1 "no room at all" sweep submit s.yaml
like "$(cat "$tmp/err")" "nothing was released.*not one task fits" "says so"
nok "and nothing ran" test -e ran
reset
FAKE_FULL=1 FAKE_SUBMIT_LIMIT=1 exits 1 "MaxJobCount is reached" sweep submit s.yaml
like "$(cat "$tmp/err")" "temporarily unable.*nothing was released.*not one task fits" \
    "which is no fault of the sweep file"
reset
FAKE_FULL=1 FAKE_SUBMIT_LIMIT=8 exits 0 "MaxJobCount is near" sweep submit s.yaml --wait
once 24 "MaxJobCount"
reset
exits 0 "held" sweep submit s.yaml --hold
exits 3 "status" sweep status many
like "$(cat "$tmp/out")" "queued +24" "counts what is not submitted yet"
exits 0 "cancel" sweep cancel many
exits 4 "is of all" sweep status many
like "$(cat "$tmp/out")" "cancelled +24" "waves to come too"
exits 0 "resume" sweep resume many --wait
once 24 "after the cancel"
unset FAKE_SUBMIT_LIMIT

# A wave whose job is lost: the next command goes on.
reset
exits 0 "held" sweep submit s.yaml --wave 10 --hold
analysis=$(sed -n 's/.*"event":"analysis","job":"\([0-9]*\)".*/\1/p' many/journal.jsonl)
echo COMPLETED >"$FAKE_SLURM/job.${analysis:?}.state"
exits 0 "released" sweep submit s.yaml
for ((i = 0; i < 600; i++)); do
    [ -e ran ] && [ "$(wc -l <ran)" = 10 ] && break
    sleep 0.1
done
is "$(wc -l <ran)" 10 "one wave ran, and its job did nothing"
like "$(sweep status many)" "later wave" "status knows"
exits 0 "resume" sweep resume many --wait
once 24 "without its job"

# -- a driver that dies ----------------------------------------------------

# That command runs, and when its arguments have the words it takes its caller
# with it, once.
deadly() { # command, words
    rm "${tmp:?}/bin/$1"
    cat >"$tmp/bin/$1" <<END
#!/bin/bash
"$tmp/real/$1" "\$@"
rc=\$?
case "\$*" in
*$2*) rm "$tmp/deadly" 2>/dev/null && kill -9 \$PPID ;;
esac
exit \$rc
END
    chmod +x "$tmp/bin/$1"
    : >"$tmp/deadly"
}
harmless() {
    rm -f "${tmp:?}/deadly"
    cp -P "$tmp/real/$1" "$tmp/bin/$1.new"
    mv -f "$tmp/bin/$1.new" "$tmp/bin/$1"
}
export FAKE_MAX_ARRAY=10
for where in 'sbatch g0.0.sbatch' 'sbatch g0.1.sbatch' 'sbatch analysis.sbatch' \
    'scontrol release'; do
    reset
    what=${where#* }
    # shellcheck disable=SC2086 # two words
    deadly $where
    bash -c '"$@" >/dev/null 2>&1' - "$dftrace" sweep submit s.yaml 2>/dev/null
    is "$?" 137 "after $what: the driver is killed"
    harmless "${where% *}"
    exits 0 "$what: submit again" sweep submit s.yaml --wait
    once 24 "$what"
    is "$(cat "$FAKE_SLURM"/job.*.arguments | grep -c '^--array')" 3 "$what: no array twice"
    is "$(ls "$FAKE_SLURM"/job.*.script | wc -l)" 4 "$what: no analysis twice"
done

unset FAKE_MAX_ARRAY

# sbatch fails and squeue does not answer: better none than two.
reset
FAKE_SBATCH=lost FAKE_SQUEUE=down exits 1 "nobody says whether it got in" sweep submit s.yaml
like "$(cat "$tmp/err")" "run the command again when it answers" "says what to do"
exits 0 "later" sweep submit s.yaml --wait
once 24 "adopted"

# A torn line in the journal.
reset
exits 0 "held" sweep submit s.yaml --hold
truncate -s -20 many/journal.jsonl
exits 0 "a torn journal" sweep submit s.yaml --wait
once 24 "torn"

# Two at a time: the second waits for the first.
reset
sweep submit s.yaml >/dev/null 2>&1 &
sweep submit s.yaml >/dev/null 2>&1
wait
exits 0 "two drivers" sweep submit s.yaml --wait
once 24 "two drivers"

# -- for programs ----------------------------------------------------------

is "$(sweep status many --format csv | wc -l)" 25 "status --format csv"
if command -v jq >/dev/null; then
    is "$(sweep plan s.yaml --format json | jq length)" 12 "plan --format json"
    is "$(sweep plan s.yaml --format json 'n1*' | jq length)" 4 "plan of some"
    is "$(sweep show many n3 --format json | jq -r '.[0].columns.n')" 3 "show --format json"
    is "$(sweep logs many n3 --format json | jq length)" 2 "logs --format json"
    is "$(sweep resume many --dry-run --format json 2>/dev/null | wc -c)" 0 "resume -n --format json of nothing"
    is "$(sweep cancel many --format json 2>/dev/null | jq -r '.[].state' | sort -u)" done "cancel --format json"
    is "$(sweep run s.yaml --local --dir local --limit 2 --format json 2>/dev/null |
        jq -r '.[].state' | sort | uniq -c | xargs)" "2 done 22 queued" "run --format json"
    is "$(sweep results many --format json | jq length)" 12 "results --format json"
    is "$(sweep throttle many 2 --format json 2>/dev/null | jq -c .)" "[]" "throttle --format json"
    is "$(sweep archive many --format json 2>/dev/null | jq -r '.[0].archive')" many.tar.gz "archive --format json"
else
    skip "no jq" "JSON of every verb"
fi

done_testing
