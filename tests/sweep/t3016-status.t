#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3016-status.t - status: the bar is what is done; cancelled runs are cancelled
#                  while Slurm still ends them; failures that Slurm alone knows

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

mkdir "$tmp/bin" "$tmp/work"
cat >"$tmp/bin/slurm" <<'END'
#!/bin/bash
# a Slurm of one array, 4711, whose tasks are in the file $SAYS
case ${0##*/} in
squeue) cat "$SAYS" ;;
scontrol) printf 'MaxArraySize = 1001\nAccountingStorageType = accounting_storage/none\n' ;;
sbatch) echo 4711 ;;
esac
END
chmod +x "$tmp/bin/slurm"
for c in sbatch squeue scontrol scancel sacct; do
    ln -s slurm "$tmp/bin/$c"
done
PATH=$tmp/bin:$PATH
export SAYS=$tmp/says
cd "$tmp/work" || exit 99

cat >s.yaml <<'END'
sweep: s
axes: {n: "range(1, 8)"}
env: {N: "${n}"}
run: 'true'
trace: off
order: grid
END
# n, exit status, signal that the runner passed on, when it ended
run_ended() {
    local dir
    dir=$(echo s/runs/n"$1".*/r0)/a0
    mkdir -p "$dir"
    printf '%s\n' "state ended" "exit $2" "caught $3" "start $(($4 - 1))" "end $4" "node n1" \
        "nodes n1" "job 4711" "task $(($1 - 1))" "array g0.0" "trace off" "whole yes" >"$dir/status"
}
slurm_says() { # state of each of the tasks
    local i
    for ((i = 0; i < 8; i++)); do echo "4711|$i|$1|n1|$2"; done >"$SAYS"
}
bar() {
    "$dftrace" sweep status s | grep -o '\[[#.]*\]'
}
states() {
    "$dftrace" sweep status s --format csv |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["state"] }' | xargs
}

slurm_says PENDING Resources
exits 0 "submit" "$dftrace" sweep submit s.yaml
is "$(bar)" "[....................]" "nothing has run: the bar is empty"
now=$(date +%s)
for n in 1 2 3 4 5 6 7 8; do run_ended $n 3 0 $now; done
slurm_says COMPLETED None
is "$(bar)" "[....................]" "nothing is done: the bar is empty"
like "$("$dftrace" sweep status s)" "0/8 done" "and the number says so, too"
for n in 1 2 3 4; do run_ended $n 0 0 $now; done
is "$(bar)" "[##########..........]" "half is done: half of the bar"

# -- just after cancel ---------------------------------------------------

run_ended 4 143 15 $((now - 60)) # before it
slurm_says RUNNING None
for n in 5 6 7 8; do rm -r s/runs/n$n.*/r0/a0; done
exits 0 "cancel" "$dftrace" sweep cancel s
later=$(($(date +%s) + 1))
run_ended 5 143 15 $later # the runner passed the signal on
run_ended 6 143 0 $later  # Slurm ended the shell first
run_ended 7 137 0 $later
run_ended 8 3 0 $later # by itself
slurm_says COMPLETING None
is "$(states)" "done done done stopped cancelled cancelled cancelled failed" \
    "what a cancel ended is cancelled while its job is COMPLETING"
slurm_says CANCELLED None
is "$(states)" "done done done cancelled cancelled cancelled cancelled cancelled" "and afterwards"
: >"$SAYS"
is "$(states)" "done done done stopped cancelled cancelled cancelled failed" \
    "and when Slurm has forgotten it"

# -- logs ----------------------------------------------------------------

rm -rf s
slurm_says PENDING Resources
exits 0 "submit again" "$dftrace" sweep submit s.yaml
slurm_says FAILED JobLaunchFailure
like "$("$dftrace" sweep status s)" "failed +8" "status: Slurm could not launch them"
"$dftrace" sweep logs s --err >"$tmp/out"
unlike "$(cat "$tmp/out")" "no run has failed" "logs does not deny it"
is "$(grep -c JobLaunchFailure "$tmp/out")" 8 "and gives Slurm's reason"
done_testing
