#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9080-analyze.t - tasks of Slurm analyze a job: the bytes of one analysis

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

cluster_start --nodes 2
job=$home/job
"$top_builddir/tests/tools/mkshard" "$job" direct 400
chown -R "$(stat -c %u:%g "$home")" "$job"

results() {
    rm -rf "$1"
    mkdir "$1"
    mv "$job/metrics.json" "$job/tables" "$1"
}

ok "in one" as_user dftrace analyze --quiet "$job"
results "$tmp/one"

ok "one task" as_user srun -N1 -n1 dftrace analyze --partial "$job"
ok "put together" as_user dftrace analyze --quiet --reduce "$job"
results "$tmp/some"
ok "one task: the same bytes" diff -r "$tmp/one" "$tmp/some"

# Four tasks on two nodes; the third is killed before its share is written.
cat >"$cluster/task" <<'END'
#!/bin/bash
echo "$SLURMD_NODENAME" >>"$1.nodes"
if [ "$SLURM_PROCID" = 2 ] && mkdir "$1.once" 2>/dev/null; then
    kill -9 $$
fi
exec dftrace analyze --partial "$1"
END
chmod 755 "$cluster/task"
nok "four tasks, one is killed" as_user srun -N2 -n4 --no-kill \
    --kill-on-bad-exit=0 "$cluster/task" "$job"
is "$(sort -u "$job.nodes" | tr '\n' ' ')" "n1 n2 " "on two nodes"
is "$(ls "$job/partials" | tr '\n' ' ')" \
    "1-of-4.part 2-of-4.part 4-of-4.part " "three partitions are there"
exits 1 "not put together" as_user dftrace analyze --quiet --reduce "$job"
like "$(cat "$tmp/err")" "1 of 4 partitions are missing, the first is 3" \
    "and it is said which"
ok "the same again" as_user srun -N2 -n4 "$cluster/task" "$job"
ok "put together" as_user dftrace analyze --quiet --reduce "$job"
results "$tmp/some"
ok "four tasks, one killed and again: the same bytes" \
    diff -r "$tmp/one" "$tmp/some"

exits 0 "--slurm" as_user dftrace analyze --quiet --slurm 4 \
    --srun-option=-N2 "$job"
results "$tmp/some"
ok "--slurm: the same bytes" diff -r "$tmp/one" "$tmp/some"
nok "and nothing is left" test -e "$job/partials"

as_user dftrace analyze --no-write --format csv --view step,class \
    --where cat=POSIX "$job" >"$tmp/rows"
exits 0 "--slurm, a view by key" as_user dftrace analyze --format csv \
    --slurm 4 --srun-option=-N2 --view step,class --where cat=POSIX "$job"
ok "--slurm, a view by key: the same bytes" cmp "$tmp/rows" "$tmp/out"
nok "and nothing is left of it" test -e "$job/partials"

# It tries again by itself: the partial directory cannot be written at first.
mkdir "$job/partials"
chmod 500 "$job/partials"
chown "$(stat -c %u:%g "$home")" "$job/partials"
exits 1 "--slurm, and nobody can write" as_user dftrace analyze --quiet \
    --slurm 2 "$job"
like "$(cat "$tmp/err")" "trying again" "it tries again"
like "$(cat "$tmp/err")" "2 of 2 partitions could not be analyzed" "and says so"

done_testing
