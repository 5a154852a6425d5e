#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9057-ends.t - how tasks of Slurm ended

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

cluster_start --nodes 1

cat >"$home/job" <<'END'
#!/bin/bash
printf x >seen
srun -n1 bash -c 'cat seen >copy; printf y >own; exit 3'
exit 4
END
submit -J ends --dftrace=posix "$home/job"
is "$(cut -d' ' -f3- "$home/dftrace/ends-$job"/shards/ended.* | sort | xargs)" \
    "exit 3 task exit 4 task" "the task of srun and the batch script, with their status"

done_testing
