#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9075-study-files.t - the 18-point study, in eight lines of YAML and in
#     forty, verbatim, on four nodes with four GPUs each (claimed)
#
# STUDY_LIMIT runs of the long file (6); 0: all 66 executions, some minutes.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

[ -x "$top_builddir/etc/examples/minigpt/minigpt" ] || skip_all "no minigpt in this build"
cluster_start --nodes 4 --cpus 4 --gres gpu:4
examples=$top_srcdir/etc/examples
cp "$examples/minimal.yaml" "$examples/study-full.yaml" "$home"
"$top_builddir/etc/examples/minigpt/mkcorpus" --bytes=16M "$home/corpus" >/dev/null ||
    exit 99

# What the files call: the workload, and the site's modules.
cat >"$home/pretrain_gpt.sh" <<'END'
#!/bin/bash
[ "${NO_MMAP_BIN_FILES:-0}" = 1 ] && export ACCESS=direct
begin=$(date +%s%N)
minigpt --data corpus --steps 1 --workers 0 --compute-us-per-ktoken 0 \
    --compute-us-per-step 0 || exit
[ "$SLURM_PROCID" != 0 ] ||
    echo "elapsed time per iteration (ms): $((($(date +%s%N) - begin) / 1000000))"
END
chmod +x "$home/pretrain_gpt.sh"
chown -R dftester: "$home"
# shellcheck disable=SC2016 # for the other bash
sweep() {
    as_user bash -c 'module() { export LOADEDMODULES="$*"; }; export -f module; exec "$@"' - \
        dftrace sweep "$@"
}
column() { # file, name
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        c { print $c }' "$home/$1"
}

# -- eight lines -----------------------------------------------------------

is "$(grep -vc '^#' "$examples/minimal.yaml")" 8 "the short file has eight lines"
exits 0 "submit it" sweep submit minimal.yaml --dir short --wait
is "$(column short/results/runs.csv state | sort | uniq -c | xargs)" "18 done" "18 runs are done"
is "$(column short/results/runs.csv nodes 2>/dev/null; column short/results/points.csv label |
    sort -u | wc -l)" 18 "of 18 points"
reads() { # label
    awk -F, -v label="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["label"] == label { printf "%d", $at["read_bytes_mean"] }' "$home/short/results/points.csv"
}
cmp_num "$(reads seq8192-gbs256-direct)" -ge $((2 * 8192 * 256)) \
    "direct reads every token: two bytes each"
cmp_num "$(reads seq8192-gbs256-mmap)" -lt $((2 * 8192 * 256)) "mmap reads them by faults"
is "$(jq -r '.job.nnodes // .nnodes' "$home"/short/runs/*/r0/a0/trace/job.json | sort -u)" 4 \
    "on four nodes"

# -- forty lines -----------------------------------------------------------

exits 0 "plan the long file" sweep plan study-full.yaml
like "$(cat "$tmp/out")" "= 54 tasks, 12 with an untraced control: 66 executions" "66 executions"
like "$(cat "$tmp/out")" "seq=8192 is alone in g1" "what is confounded"
limit=${STUDY_LIMIT-6}
exits 0 "submit it" sweep submit study-full.yaml --dir long --limit "$limit" --wait
is "$(column long/results/runs.csv state | sort -u)" done "its runs are done"
like "$(column long/results/runs.csv step_ms | xargs)" "^[0-9. ]+$" "step_ms is scraped"
is "$(sort -u "$home"/long/runs/*/r*/a0/modules)" "load cuda/12.4 nccl" "the modules of setup"
like "$(sweep results long)" "step_ms: means with 95 % intervals|step_ms" "its tables"
if [ "$limit" = 0 ]; then
    is "$(column long/results/runs.csv control | sort | uniq -c | xargs)" "54 0 12 1" "66 of them"
    is "$(grep -c '^access,mmap,direct,read_bytes' "$home/long/results/compare.csv")" 9 \
        "access is compared per (seq, gbs)"
    sweep results long | sed 's/^/# /'
fi
nodes_idle "nodes are idle"

done_testing
