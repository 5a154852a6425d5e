#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t9073-memory-stage.t - on Slurm: jobs that need nearly all of their --mem, with a
# stage in memory, in a step of less, and on a disk: the kernel kills none of them

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip_all "/dev/shm is not in memory"
[[ $(stat -f -c %T "$tmp") != @(tmpfs|overlayfs) ]] || skip_all "$tmp is, or may be, in memory"
{ [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ] &&
    mkdir /sys/fs/cgroup/memory/dftrace-test-$$ 2>/dev/null &&
    rmdir /sys/fs/cgroup/memory/dftrace-test-$$; } ||
    skip_all "no memory cgroup of version 1 that root may write: slurmd cannot limit memory here (t1113 has it without Slurm)"
[ -z "$(swapon --show --noheadings 2>/dev/null)" ] || skip_all "swap: the kernel need not kill"

cluster_start --nodes 1 --cpus 4 --node RealMemory=4000 --conf "SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=200
TaskPlugin=task/cgroup" --cgroup "CgroupPlugin=cgroup/v1
ConstrainRAMSpace=yes"
program=$top_builddir/tests/victims/odd/preads
as_user test -x "$program" || { cp "$program" "$cluster/preads" && program=$cluster/preads; }
head -c 200000 /dev/urandom >"$cluster/data"
stage=$(mktemp -d /dev/shm/dftrace-test.XXXXXX)
at_exit "rm -rf $stage"
at_exit "rmdir /sys/fs/cgroup/memory/slurm_n1 2>/dev/null"
chmod 1777 "$stage"
mkdir -m 1777 "$tmp/local"

# The rest of the 60 MiB is for libc, the library, the shell; the trace has some 9 MB.
needs=$((53 << 20))
cat >"$cluster/limited" <<END
#!/bin/bash
# limited READS [BYTES in /dev/shm]: the program's status, and how often the kernel killed
group=/sys/fs/cgroup/memory\$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
[ -z "\$2" ] || head -c "\$2" /dev/zero >$stage/own
$program $cluster/data \$1 $needs
echo "status \$? kills \$(sed -n 's/^oom_kill //p' "\$group/memory.oom_control")"
rm -f $stage/own
END
chmod 755 "$cluster/limited"
reads() {
    as_user "$top_builddir/dftrace" analyze --no-write -f csv --view metric "$home/dftrace/$1-$job" |
        sed -n 's/^read_count,//p' | cut -d, -f1
}
said() { grep -c 'in memory that counts against the job.s limit' "$home/out"; }
ended() { grep '^status' "$home/out"; }

submit -J plain --mem=60M --wrap "$cluster/limited 1000"
is "$(ended)" "status 0 kills 0" "untraced, the program needs nearly all of its --mem"
submit -J over --mem=60M --wrap "$cluster/limited 0 9000000"
is "$(ended)" "status 137 kills 1" "9 MB more in /dev/shm, and the kernel kills it"
submit -J memory --mem=60M --dftrace=posix,stage="$stage" --wrap "$cluster/limited 1500000"
is "$(ended)" "status 0 kills 0" "traced, with a stage there: it ends as untraced"
is "$(reads memory)" 1500000 "each of its reads is in the trace"
is "$(said) $(find "$stage" -name '*.dft')" "1 " "which was not in memory, and it is said once"
submit -J step --mem=400M --dftrace=posix,stage="$stage" --wrap "srun --mem=60M $cluster/limited 1500000"
is "$(ended)" "status 0 kills 0" "a step with less than its job: the same"
is "$(reads step) $(find "$stage" -name '*.dft')" "1500000 " "its trace is whole, and not in memory"
submit -J disk --mem=60M --dftrace=posix,stage="$tmp/local" --wrap "$cluster/limited 1500000"
is "$(ended)" "status 0 kills 0" "a stage on a disk: the same"
is "$(reads disk) $(said) $(find "$tmp/local" -name '*.dft')" "1500000 0 " \
    "it was used, and collected"

nodes_idle "nodes are idle"
done_testing
