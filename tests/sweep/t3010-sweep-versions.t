#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3010-sweep-versions.t - what Slurm 20.11 to 26.05 say of an array -> states

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

outputs=$top_srcdir/tests/fake-slurm/outputs
mkdir "$tmp/bin" "$tmp/work"
cat >"$tmp/bin/slurm" <<'END'
#!/bin/bash
# any of its commands, of the release in $RELEASE
[ "$1" != --version ] || exec cat "$RELEASE/version"
case ${0##*/} in
squeue) exec cat "$RELEASE/squeue" ;;
scontrol) exec cat "$RELEASE/config" ;;
sacct)
    [ -e "$RELEASE/sacct" ] || { echo "Slurm accounting storage is disabled" >&2; exit 1; }
    exec cat "$RELEASE/sacct"
    ;;
sbatch) echo 4711 ;;
esac
END
chmod +x "$tmp/bin/slurm"
for c in sbatch squeue scontrol scancel sacct; do
    ln -s slurm "$tmp/bin/$c"
done
PATH=$tmp/bin:$PATH
cd "$tmp/work" || exit 99

cat >s.yaml <<'END'
sweep: s
axes: {n: "range(0, 17)"}
env: {N: "${n}"}
run: 'true'
trace: off
order: grid
END

# n: what its status file says (none, running, 0 = exit 0, …), and what it is
cat >"$tmp/table" <<'END'
0 0 done
1 3 failed
2 running timeout
3 0 out-of-memory
4 running node-fail
5 running preempted
6 running cancelled
7 running queued
8 running lost
9 none missing
10 running running
11 running running
12 none queued
13 none node-fail
14 running timeout
15 0 done
16 none queued
17 none failed
END
status_file() { # n, what
    local state=ended dir
    dir=$(echo s/runs/n"$1".*/r0)/a0
    [ "$2" != none ] || return
    [ "$2" != running ] || state=running
    mkdir "$dir"
    printf '%s\n' "state $state" "exit ${2/running/0}" "start 100" "end 101" "node sn1" "nodes sn1" \
        "job 4711" "task $1" "array g0.0" "trace off" "whole yes" >"$dir/status"
    touch -d '1 hour ago' "$dir/status"
}

export RELEASE
for RELEASE in "$outputs"/[0-9]*; do
    release=${RELEASE##*/}
    rm -rf s
    exits 0 "$release: submit" "$dftrace" sweep submit s.yaml
    while read -r n what _; do
        status_file "$n" "$what"
    done <"$tmp/table"
    touch -d '1 hour ago' s/journal.jsonl
    "$dftrace" sweep status s --format csv >status.csv
    is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at["n"], $at["state"] }' status.csv)" "$(cut -d ' ' -f 1,3 "$tmp/table")" \
        "$release: every state"
    like "$(cat s/manifest.json)" "\"slurm\": \"$(cat "$RELEASE/version")\"" "$release: in the manifest"
    exits 0 "$release: resume -n" "$dftrace" sweep resume s --dry-run --format csv
    is "$(grep -c '^[0-9a-f]*\.r0,' "$tmp/out")" 11 "$release: takes what has ended and is not done"
done
is "$(ls "$outputs" | grep -c '^[0-9]')" 10 "ten releases"
RELEASE=$outputs/24.05
like "$("$dftrace" sweep plan s.yaml)" "max_array_tasks 1000" "limits are read"

done_testing
