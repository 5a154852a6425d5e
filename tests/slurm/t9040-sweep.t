#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9040-sweep.t - a sweep file -> job arrays -> traces -> tables, on Slurm

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

cluster_start --nodes 2
head -c 1M /dev/zero >"$cluster/data"
cat >"$cluster/sweep.yaml" <<'END'
sweep: tiny
axes:
  block: [4096, 16384]
  count: [8, 16]
env: {BLOCK: "${block}", COUNT: "${count}"}
run: srun dd if=$DATA of=/dev/null bs=$BLOCK count=$COUNT status=none
slurm: {nodes: 1, time: "00:20:00"}
max_running: 2
check:
  read_bytes: {equal: block * count}
  read_count: {max: 8}
END

export DATA=$cluster/data
dir=$home/tiny
exits 7 "submit --wait: all are done, and a check fails" as_user dftrace sweep \
    submit --wait --dir "$dir" "$cluster/sweep.yaml"
nothing_queued() {
    [ -z "$(squeue -h)" ] # jobs whose epilogs still run are in it
}
ok "and all has ended" wait_for nothing_queued

cat >"$tmp/column.awk" <<'END'
# value of column WANT for the row of a point
function column(name, i) {
    for (i in head) if (head[i] == name) return i
    return 0
}
NR == 1 { for (i = 1; i <= NF; i++) head[i] = $i; next }
!column(want) { print "no column " want; next }
$column("block") == block && $column("count") == count {
    print $column(want)
}
END
value() {
    awk -F, -v block="$1" -v count="$2" -v want="$3" -f "$tmp/column.awk" \
        "$dir/results/points.csv"
}
is "$(wc -l <"$dir/results/points.csv")" 5 "a row per configuration"
for block in 4096 16384; do
    for count in 8 16; do
        is "$(value $block $count read_count_mean)" $count \
            "$block x $count: reads"
        is "$(value $block $count read_bytes_mean)" $((block * count)) \
            "$block x $count: bytes"
    done
done
is "$(find "$dir" ! -user dftester)" "" "nothing is root's"
is "$(find "$dir/runs" -name trace.dft | wc -l)" 4 "a trace per run"
is "$(find "$dir/runs" -name job.json -exec jq -r .point {} + | sort -u |
    wc -l)" 4 "every job.json knows its point"
exits 7 "results can be asked for again, and checks fail as before" \
    as_user dftrace sweep results "$dir"
is "$(tail -n +2 "$dir/results/checks.csv" | cut -d, -f 9 | sort | uniq -c |
    awk '{ printf "%s %s;", $1, $2 }')" "2 fail;6 pass;" \
    "each point has its own bounds"
like "$(cat "$dir/results/junit.xml")" 'tests="12" failures="2"' \
    "JUnit XML has four runs and eight checks"
as_user dftrace sweep status "$dir" >"$tmp/status"
like "$(cat "$tmp/status")" "checks: 6 passed, 2 failed" "status repeats them"

# -- a point whose job fails -------------------------------------------

sed 's/^sweep: tiny/sweep: fails/; s/^run: .*/run: "[ $BLOCK$COUNT != 40968 ] \&\& srun cat $DATA"/' \
    "$cluster/sweep.yaml" >"$cluster/fails.yaml"
exits 4 "submit --wait: a run failed" as_user dftrace sweep submit --wait \
    --dir "$home/fails" "$cluster/fails.yaml"
is "$(find "$home/fails/runs" -name trace.dft | wc -l)" 3 \
    "the others have their traces"
like "$(as_user dftrace sweep status "$home/fails")" "failed" \
    "status names the failure"

# -- where does faster storage pay? a grid of what-if --------------------

mkdir "$home/set"
for i in 1 2 3; do head -c 256K /dev/zero >"$home/set/$i"; done
sync "$home/set"/*
chown -R dftester "$home/set"
cat >"$cluster/what-if.yaml" <<END
sweep: what-if
axes:
  what_if: [none, data-in-memory]
  files: [1, 2, 3]
env: {WAY: "\${what_if}", N: "\${files}"}
run: >
  srun dftrace what-if --apply=\$WAY --data=$home/set --
  sh -c 'fincore -nb -o pages $home/set/* | awk "{ n += \\\$1 } END { print n, \"pages\" }";
  for i in \$(seq \$N); do cat $home/set/\$i; done >/dev/null'
slurm: {nodes: 1, time: "00:20:00"}
results: {scrape: {cached: '([0-9]+) pages'}, metrics: [read_bytes, cached]}
END
# one at a time: the job as it is begins without its data in the page cache of this machine
exits 0 "a grid of six points with what-if" as_user dftrace sweep submit --wait --wave 1 \
    --dir "$home/what-if" "$cluster/what-if.yaml"
is "$(as_user dftrace sweep results --format csv --metric cached "$home/what-if" |
    grep data-in-memory | grep -c ,192)" 3 "data in memory: all pages of the data are"
is "$(find "$home/what-if/runs" -name trace.dft | wc -l)" 6 "a trace per run"

# -- mpirun starts the tasks of an allocation ---------------------------

for family in openmpi mpich; do
    if ! command -v mpirun.$family >/dev/null; then
        skip "no mpirun of $family here" "$family: mpirun's ranks are counted"
        continue
    fi
    options=
    [ $family = mpich ] || options='--oversubscribe --mca btl self,tcp'
    # the script itself, and mpirun's daemons, have numbers of Slurm's
    cat >"$cluster/$family.yaml" <<END
sweep: $family
axes: {ranks: [3, 4]}
env: {N: "\${ranks}", PRTE_MCA_rmaps_default_mapping_policy: ":oversubscribe"}
run: |
  cat $DATA >/dev/null
  mpirun.$family $options -n \$N cat $DATA >/dev/null
slurm: {nodes: 2, ntasks: 4, time: "00:20:00"}
check: {ranks: {equal: ranks}, ranks_started: {equal: ranks}}
END
    # Once in hundreds of jobs, beside other work, one of MPICH failed; then it is said what
    # there is to see, and whether ranks are counted is asked again.
    as_user dftrace sweep submit --wait --dir "$home/$family" "$cluster/$family.yaml" \
        >"$tmp/out" 2>&1 && again= || again=-again
    [ -z "$again" ] ||
        diag "$(cat "$tmp/out"; as_user dftrace sweep status "$home/$family" 2>&1
            find "$home/$family" -type f \( -name '*.out' -o -name '*.log' \) -exec tail -n 20 {} +)"
    exits 0 "$family: mpirun's ranks are counted" as_user dftrace sweep submit --wait \
        --dir "$home/$family$again" "$cluster/$family.yaml"
done
nodes_idle "nodes are idle"

done_testing
