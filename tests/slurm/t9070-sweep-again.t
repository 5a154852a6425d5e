#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9070-sweep-again.t - on Slurm: a sweep with everything a sweep file can say,
#     whose driver dies after sbatch, whose tasks are killed, requeued, timed
#     out and preempted, one of whose nodes loses its power; in the end every
#     run is in the results, once

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

# A requeued job starts when its old credential is no longer valid.
cluster_start --nodes 3 --conf "AuthInfo=socket=$cluster/munge/socket,cred_expire=20
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=off State=UP"
head -c 1M /dev/urandom >"$cluster/data"
cat >"$cluster/sweep.yaml" <<'END'
sweep: again
axes:
  source: {mock: {file: zeros}, real: {file: data}}
  block: {4096: {count: 16}, 16384: {count: 8, limit: "00:10:00"}}
  fate: {none: {rq: null}, task: {rq: null}, node: {rq: null}, late: {rq: null},
         urgent: {rq: null}, requeue: {rq: true}}
points:
  - {source: real, block: 65536, fate: none, count: 2}
const: {limit: "00:05:00", rq: null}
derive: {bytes: block * count}
exclude: [fate != 'none' and (source == 'mock' or block == 4096)]
require: [bytes <= 256Ki]
label: ${source}-${block}-${fate}
env: {BLOCK: "${block}", COUNT: "${count}", FILE: "${file}", FATE: "${fate}",
      IS_REAL: "${source == 'real'}", UNSET: null}
setup: export FROM_SETUP=yes
run: |
  srun bash -c 'echo ${LD_PRELOAD:-none}' >preload.$SWEEP_RUN
  srun dd if=$FILE of=/dev/null bs=$BLOCK count=$COUNT status=none
  echo "moved $((BLOCK * COUNT)) bytes, $FROM_SETUP"
  case $FATE$SWEEP_REPEAT$SWEEP_ATTEMPT in
  none*) ;;
  *00) : >hangs.$FATE; sleep 1200 ;;
  esac
teardown: echo "ended with $SWEEP_EXIT" >>"$SWEEP_RUN_DIR/stdout"
trace: {layers: [posix], check: complete}
control: {where: block == 4096, repeats: 1, paired: true}
data: [data]
cold: true
repeats: 2
order: blocked
seed: 20260714
max_running: 9
retry: {on: [node_fail, preempted, lost], times: 1, grow: {time: 2}}
slurm: {nodes: 1, time: "${limit}", exclusive: true, requeue: "${rq}"}
results:
  metrics: [read_bytes, wall_time]
  scrape: {moved: 'moved ([0-9]+) bytes, yes'}
  compare: {block: [4096, 16384]}
  baseline: {source: mock}
  group: [source]
  plots: [read_bytes, {metric: wall_time, x: block, by: source}]
END
cp "$cluster/data" "$home/data"
head -c 256K /dev/zero >"$home/zeros" # a run that does no I/O leaves no trace
chown dftester: "$home/data"
dir=$home/again

# -- the driver dies between sbatch and its journal ------------------------

mkdir "$cluster/deadly"
sbatch=$(command -v sbatch)
cat >"$cluster/deadly/sbatch" <<END
#!/bin/bash
"$sbatch" "\$@"
case "\$*" in *g1.0.sbatch*) kill -9 \$PPID ;; esac
END
chmod 755 "$cluster/deadly" "$cluster/deadly/sbatch"
exits 0 "the sweep file is good" as_user dftrace sweep plan "$cluster/sweep.yaml"
like "$(cat "$tmp/out")" "= 20 tasks, 2 with an untraced control: 22 executions" \
    "20 tasks, 22 executions"
# shellcheck disable=SC2016 # for the other bash
as_user bash -c 'PATH=$1:$PATH; shift; exec "$@"' - "$cluster/deadly" \
    dftrace sweep submit --dir "$dir" "$cluster/sweep.yaml" >/dev/null 2>&1
is "$?" 137 "the driver is killed after the second sbatch"
is "$(squeue -h -o '%F %r' | sort -u | awk '{ print $2 }' | xargs)" "JobHeldUser JobHeldUser" \
    "two arrays are held in Slurm"
is "$(grep -c '"event":"submitted"' "$dir/journal.jsonl")" 1 "the journal knows of one"
ok "submit again" as_user dftrace sweep submit --dir "$dir" "$cluster/sweep.yaml"
is "$(grep -c '"event":"adopted"' "$dir/journal.jsonl")" 1 "the other is adopted"
is "$(squeue -h -o '%j' -t all | sort -u | grep -c '\.g[0-9]\.[0-9]$')" 3 "no array twice"

# -- what happens to runs --------------------------------------------------

attempt_of() { # fate: the directory of its first attempt
    echo "$dir"/runs/real-16384-"$1".*/r0/a0
}
said() { # fate, key of its status file
    awk -v key="$2" '$1 == key { print $2 }' "$(attempt_of "$1")/status"
}
state_of() { # fate
    as_user dftrace sweep status "$dir" --format csv "real-16384-$1.r0" |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "state") c = i; next }
            { print $c }'
}
ends() { # fate, state
    local state
    for ((j = 0; j < 400; j++)); do
        state=$(state_of "$1")
        [ "$state" != "$2" ] || break
        sleep 0.5
    done
    is "$state" "$2" "$1: $2"
}
act() { # fate
    local job node
    job=$(said "$1" job)_$(said "$1" task)
    node=$(said "$1" node)
    case $1 in
    task) scancel --signal=KILL --full "$job" ;;
    late) scontrol update JobId="$job" EndTime=now ;;
    requeue) scontrol requeue "$job" ;;
    urgent) as_user sbatch -p urgent -w "$node" --exclusive --wrap true >/dev/null ;;
    node)
        dead=$node
        # Slurm would notice by itself, when a node has not answered for so long
        # that busy ones may not have, either
        "$cluster_sh" kill "$cluster" "$node" &&
            scontrol update NodeName="$node" State=DOWN Reason=dead
        ;;
    esac
}
left="task late requeue urgent node"
for ((i = 0; i < 3000 && ${#left}; i++)); do
    for fate in $left; do
        [ -e "$home/hangs.$fate" ] || continue
        # the late one keeps the analysis waiting until all else was looked at
        [ "$fate" != late ] || [ "$left" = late ] || continue
        ok "$fate: done to it" act "$fate"
        case $fate in
        task) ends task cancelled ;;
        node) ends node node-fail ;;
        urgent) ends urgent preempted ;;
        late) ends late timeout ;; # Slurm looks at time limits twice a minute
        esac
        left=$(tr ' ' '\n' <<<"$left" | grep -vx "$fate" | xargs)
    done
    sleep 0.2
done
is "$left" "" "every fate has come"
ok "the node comes back" "$cluster_sh" revive "$cluster" "$dead"

# -- the analysis job runs two of them again, resume the rest --------------

exits 4 "wait for the rounds of retry:" as_user dftrace sweep submit --wait --dir "$dir" \
    "$cluster/sweep.yaml"
rows() { # filter
    as_user dftrace sweep status "$dir" --format json "$@" | grep -c '"run": "'
}
is "$(state_of requeue)" done "a requeued run is done"
is "$(awk '$1 == "restart" { print $2 }' "$dir"/runs/*-requeue.*/r0/a1/status)" 1 \
    "in a second attempt, as Slurm's first restart"
is "$(state_of node) $(state_of urgent)" "done done" "retry: on a dead node, and preempted"
is "$(rows --only bad)" 2 "the cancelled and the late one are left"
ok "their round had twice the time" grep -q -e --time=00:20:00 "$dir"/jobs/a1.*.sbatch
nodes=$(said task nodes)
exits 0 "resume what is left" as_user dftrace sweep resume "$dir" --grow time=2 --same-nodes --wait
is "$(rows --only done)/$(rows)" 22/22 "all are done"
is "$(awk '$1 == "nodes" { print $2 }' "$dir"/runs/*-task.*/r0/a1/status)" "$nodes" \
    "--same-nodes: on the node of before"

# -- every run, once -------------------------------------------------------

runs=$dir/results/runs.csv
is "$(tail -n +2 "$runs" | wc -l)/$(tail -n +2 "$runs" | cut -d, -f 1 | sort -u | wc -l)" 22/22 \
    "every run exactly once in the results"
column() { # file, name
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        c { print $c }' "$dir/results/$1"
}
is "$(column runs.csv state | sort | uniq -c | xargs)" "22 done" "done"
is "$(column runs.csv attempt | sort | uniq -c | xargs)" "17 0 5 1" "five in a second attempt"
is "$(find "$dir/runs" -name a2)" "" "none in a third"
is "$(paste -d ' ' <(column runs.csv bytes) <(column runs.csv moved) | awk '$1 != $2')" "" \
    "each moved what it should"
is "$(column points.csv read_bytes_n | sort | uniq -c | xargs)" "10 2" "ten points of two repeats"
is "$(grep -c '^block,4096,16384,read_bytes' "$dir/results/compare.csv")" 2 "compare.csv"
is "$(grep -c '^source,mock,real,wall_time' "$dir/results/compare.csv")" 2 "and the baseline"
for file in compare.svg plot.wall_time.block.source.svg effects.csv outliers.csv long.csv \
    summary.txt operations.csv; do
    ok "$file" test -s "$dir/results/$file"
done
like "$(cat "$dir/results/summary.txt")" "retried: 5 runs" "the summary says what was retried"
like "$(as_user dftrace sweep status "$dir")" "tracing costs .*2 pairs" "the overhead of tracing"

# -- controls, cold data, nodes, provenance -----------------------------------

is "$(cat "$home"/preload.*c | sort -u)" "none" "srun loads nothing into a control"
is "$(cat "$home"/preload.*.r[01] | grep -c libdftrace_preload)" 20 "and the library into the rest"
is "$(find "$dir/runs" -path '*control*' -name trace.dft | wc -l)" 0 "a control has no trace"
cmp_num "$(grep -rh '^data_cached_kb 0$' "$dir"/runs --include=status | wc -l)" -ge 1 \
    "cold: no data was in the page cache (the nodes are one machine: others may read it)"
cmp_num "$(column runs.csv predecessor | grep -c .)" -ge 15 "most know the run before on their node"
is "$(ls "$dir/nodes" | grep -c json)" 3 "three nodes are described"
is "$(find "$dir" ! -user dftester)" "" "nothing is root's"

# -- longer, and packed ----------------------------------------------------

sed 's/^repeats: 2/repeats: 3/' "$cluster/sweep.yaml" >"$cluster/longer.yaml"
exits 0 "extend by a run" as_user dftrace sweep extend "$dir" "$cluster/longer.yaml" \
    'mock-4096-none' --wait
is "$(tail -n +2 "$runs" | cut -d, -f 1 | sort -u | wc -l)" 23 "is one more"
ok "archive" as_user dftrace sweep archive "$dir" --output "$home/again.tar.gz"
is "$(tar -tzf "$home/again.tar.gz" | grep -c '/status$')" 28 "has every attempt"
nodes_idle "nodes are idle"

done_testing
