#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9012-batch.t - a batch script without srun is traced; who leaves no trace
# is told why

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

cluster_start --nodes 1

# events NAME FILTER: of that job, as jq makes lines of them.
events() {
    "$dftrace" export -f jsonl "$home/dftrace/$1"-* | jq -rc "$2"
}
last_line() {
    tail -n 1 "$home/out"
}

# -- what programs of the script do, and nothing else ------------------

cat >"$home/job" <<'END'
#!/bin/bash
set -eu
module() { :; }
module load x
host=$(hostname)
for i in 1 2 3; do date >/dev/null; done
echo "$host has begun"
dd if=/dev/zero of=data bs=1000 count=100 status=none
python3 -c 'print (len (open ("data", "rb").read ()))'
sleep 0.01
scontrol show job "$SLURM_JOB_ID" >/dev/null
cat data | wc -c
cpus=$(nproc)
echo "cpus $((cpus > SLURM_CPUS_ON_NODE ? cpus : SLURM_CPUS_ON_NODE))"
echo done
END
submit -J script --dftrace=posix,nostdio "$home/job"
is "$(last_line)" "done" "the script does what it does"
is "$(events script 'select (.name == "read" and .file == "'"$home/data"'" and .ret > 0) | .ret' | awk '{ n += $1 } END { print n }')" \
    200000 "python3 and cat read what they read"
is "$(events script 'select (.name == "write" and .file == "'"$home/data"'") | .ret' | awk '{ n += $1 } END { print n }')" \
    100000 "dd writes what it writes"
is "$(events script 'select (.file | test ("/slurm_script$|/out$"))')" "" \
    "neither the script nor the job's output is I/O of the job"
is "$(events script .pid | sort -u | wc -l)" 3 \
    "the shell, date, hostname, sleep, scontrol and wc leave nothing"
is "$(jq -r .command "$home/dftrace/script-$job/job.json")" "$home/job" \
    "job.json has what was submitted"
is "$(jq -r .cpus_allowed "$home/dftrace/script-$job/job.json")" "$(sed -n 's/^cpus //p' "$home/out")" \
    "and how many processors the job may use"
ok "metrics were made by the epilog" \
    test -s "$home/dftrace/script-$job/metrics.json"
submit -J wrapped --dftrace=posix --wrap 'cat data | wc -c'
is "$(jq -r .command "$home/dftrace/wrapped-$job/job.json")" 'cat data | wc -c' \
    "also of --wrap"
submit -J wrapping --dftrace=posix --wrap='cat data' -n1
is "$(jq -r .command "$home/dftrace/wrapping-$job/job.json")" 'cat data' "in each way to write it"

if command -v torchrun >/dev/null && as_user torchrun --help >/dev/null 2>&1; then
    printf '%s\n' 'open ("rank", "rb").read ()' 'print ("a rank ran\n", end = "", flush = True)' \
        >"$home/rank"
    # a port that is free, as others may have torchrun's own
    submit -J torch -n2 --dftrace=posix --wrap 'torchrun --standalone --nproc-per-node 2 rank'
    if [ "$(grep -c '^a rank ran' "$home/out")" = 2 ]; then
        is "$(events torch 'select (.name == "open" and .file == "'"$home/rank"'") | .pid' | sort -u | wc -l)" \
            2 "torchrun: both ranks"
    else
        skip "torchrun did not start its ranks here" "torchrun"
        diag "$(tail -n 20 "$home/out")"
    fi
else
    skip "no torchrun here" "torchrun"
fi
if command -v mpirun >/dev/null; then
    submit -J mpi -n2 --dftrace=posix --wrap \
        'PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe mpirun --oversubscribe -n 2 --mca btl self,tcp cat job'
    is "$(events mpi 'select (.name == "read" and .file == "'"$home/job"'" and .ret > 0) | .pid' | sort -u | wc -l)" \
        2 "mpirun: both ranks"
else
    skip "no mpirun here" "mpirun"
fi

# -- a step from outside --------------------------------------------------

submit_running() {
    job=$(as_user sbatch --parsable -o "$home/out" "$@") || return 1
}
submit_running -J host -n2 --dftrace=posix --wrap \
    'cat data >/dev/null; : >ready; until [ -e go ]; do sleep 0.1; done'
wait_for test -e "$home/ready"
as_user mkdir "$home/elsewhere"
as_user env -C "$home/elsewhere" srun -Q --jobid="$job" --overlap -n1 --dftrace=posix \
    cat "$home/job" >/dev/null
: >"$home/go"
wait_for job_gone "$job"
is "$(events host 'select (.name == "open") | .file' | sort -u | grep -c "^$home/\(job\|data\)$")" \
    2 "srun --jobid --overlap joins the trace of the job"
nok "and makes no directory of its own" test -e "$home/elsewhere/dftrace"

# -- who left no trace ---------------------------------------------------

submit -J quiet --dftrace=posix,app --wrap 'date; srun date'
is "$(grep -c ^dftrace: "$home/out")" 1 "one line"
like "$(last_line)" '^dftrace: n1: job [0-9]+ left no trace: its programs were traced, and (made no call|touched only)' \
    "no program touched a file: the job says so"
submit -J left --dftrace=posix,nobatch --wrap 'cat data >/dev/null'
like "$(last_line)" 'left no trace: nobatch .*srun' "nobatch, and no step"
submit -J gone --dftrace=posix --wrap 'cat data >/dev/null; DFTRACE_ENABLE=0 rm -rf "$DFTRACE_JOB_DIR"'
like "$(last_line)" 'left no trace: its directory was removed while it ran' "a script that removes its directory is told so"
submit -J again --dftrace=posix --wrap 'cat data >/dev/null; rm -rf "$DFTRACE_JOB_DIR"; srun cat data | wc -c'
is "$(cat "$home/out") $(events again 'select (.name == "read" and .ret > 0) | .ret' | awk '{ n += $1 } END { print n }')" \
    "100000 100000" "a step that makes it again has its trace"
is "$(jq -c '[.health.complete, .health.lost_events > 0]' "$home/dftrace/again-$job/metrics.json")" "[false,true]" \
    "which is not complete: what rm did after that is counted"
submit -J step --dftrace=posix,nobatch --wrap 'srun cat data >/dev/null'
is "$(cat "$home/out")" "" "nobatch, and a step with a trace"
as_user cp "$(command -v busybox || echo /bin/false)" "$home/busybox"
if file -L "$home/busybox" 2>/dev/null | grep -q 'statically linked'; then
    submit -J static --dftrace=posix --wrap './busybox cat data >/dev/null'
    like "$(last_line)" 'left no trace: static: ' "static programs"
    submit -J exec --dftrace=posix --wrap 'exec ./busybox cat data >/dev/null'
    like "$(last_line)" 'left no trace: static: ' "a script that ends in one"
else
    skip "no static busybox here" "static programs"
fi
as_user srun -Q --dftrace=posix true 2>"$tmp/err"
like "$(cat "$tmp/err")" 'left no trace' "srun says so, too"
as_user srun -Q --dftrace=posix /no/such/program 2>"$tmp/err"
unlike "$(cat "$tmp/err")" 'include|exclude' "a task that is not launched: no cause is said for which nothing speaks"
echo 'int main (void) { return 0; }' >"$tmp/main.c"
if gcc -static -o "$tmp/static" "$tmp/main.c" 2>/dev/null; then
    cp "$tmp/static" "$home/static" && chmod 755 "$home/static"
    as_user srun -w n1 --dftrace=posix -J static "$home/static" 2>"$tmp/err"
    like "$(cat "$tmp/err")" 'left no trace: static: its calls go past libc' "srun says that its program is static"
    explained() {
        grep -q '"explanation"' "$home"/dftrace/static-*/job.json
    }
    wait_for explained # its epilog may still be at work
    like "$(cat "$home"/dftrace/static-*/job.json)" '"explanation": "static: ' "and so does job.json"
fi
as_user srun -Q --dftrace=posix cat data 2>"$tmp/err" >/dev/null
is "$(cat "$tmp/err")" "" "and nothing where there is one"

# -- the sweep of README.md, on the cluster --------------------------------

cd "$tmp" || exit 99
awk "/cat > study.yaml/ { on = 1; next } /^ *END\$/ { on = 0 } on" \
    "$top_srcdir/README.md" | sed 's/^    //' >"$cluster/study.yaml"
exits 0 "README's sweep" as_user dftrace sweep submit --wait \
    --dir "$home/demo" "$cluster/study.yaml"
exits 0 "all runs are done" as_user dftrace sweep status "$home/demo"
is "$(find "$home/demo/runs" -path '*/trace/metrics.json' | wc -l)" 4 \
    "a trace for each"
is "$(find "$home/demo" -name job.json -exec jq -r .array_job_id {} + | grep -c '^[0-9]')" \
    4 "that knows its job"
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    { print $c["size"] * $c["count"] == $c["write_bytes_mean"] }' \
    "$home/demo/results/points.csv" | sort | uniq -c | xargs)" "4 1" \
    "with the bytes that dd wrote"
ok "no directory beside the sweep" test ! -e "$home/dftrace/demo-$job"
printf '%s\n' 'sweep: none' 'axes: {x: [1]}' 'run: echo hi' >"$cluster/none.yaml"
exits 4 "a sweep that does no I/O" as_user dftrace sweep submit --wait \
    --dir "$home/none" "$cluster/none.yaml"
like "$(as_user dftrace sweep status "$home/none")" \
    'bad-trace.*no trace: its programs were traced' "status says why"
like "$(cat "$home"/none/slurm/*)" 'no trace: its programs were traced' \
    "and so does the job's output"
printf 'trace: posix,nobatch\n' >>"$cluster/none.yaml"
like "$(as_user dftrace sweep plan "$cluster/none.yaml")" \
    'warning nobatch .*no srun' "plan warns of a script that would run untraced"
nodes_idle "nodes are idle"

done_testing
