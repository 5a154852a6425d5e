#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9039-squash.t - jobs whose files are where root is nobody

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

# where memory is limited, a stage in memory is not used
[[ $(stat -f -c %T "$tmp") != @(tmpfs|overlayfs) ]] || skip_all "$tmp is, or may be, in memory"
cluster_start --nodes 2 --cpus 8
mkdir -m 1777 "$tmp/server" "$tmp/local"
mkdir "$tmp/nfs"
at_exit "umount -l '$tmp/nfs'"
"$top_builddir/tests/tools/squash" "$tmp/server" "$tmp/nfs" 2>"$tmp/err" ||
    skip_all "no FUSE here: $(cat "$tmp/err")"
work=$tmp/nfs/user/work
as_user install -d -m 700 "$tmp/nfs/user" "$work"
as_user bash -c "echo 'some data' >'$work/data'"
nok "root cannot read there" cat "$work/data"

# squashed NAME BYTES COMMAND OPTION…: a job that lives there
squashed() {
    local name=$1 bytes=$2 command=$3 dir
    shift 3
    submit -J "$name" -D "$work" "$@" --wrap "$command"
    dir=$work/dftrace/$name-$job
    is "$(as_user jq .metrics.read_bytes.value "$dir/metrics.json")" "$bytes" \
        "$name: recorded, collected and analyzed"
    is "$(as_user find "$dir" ! -user dftester)" "" "$name: all of it the user's"
    is "$(as_user find "$dir" -name 'epilog.*.log')" "" \
        "$name: no epilog had to complain" || {
        as_user bash -c 'tail -n 20 "$1"/epilog.*.log; ls -lR "$1"' - "$dir" |
            sed 's/^/# /'
        tail -n 25 "$cluster"/log/n*.log 2>/dev/null | sed 's/^/# /'
    }
}

squashed steps 60 "srun cat data; srun -n2 -N2 cat data" -N2 -n4 --dftrace=posix
submit -J shell -D "$work" --dftrace=posix,batch --wrap "cat data; srun cat data"
cmp_num "$(as_user jq .metrics.read_bytes.value \
    "$work/dftrace/shell-$job/metrics.json")" -ge 20 "shell: it, too, and its step"
squashed stage 40 "srun cat data" -N2 -n4 --dftrace=posix,stage="$tmp/local"
is "$(ls "$tmp/local")" "" "stage: is empty again"
# its tasks write to one file: who comes last must not empty it
rm -f "$home/out"
submit -J array -D "$work" --array=1-2 --open-mode=append --dftrace=posix --wrap "srun cat data"
is "$(as_user cat "$work/dftrace/array-${job}_1/metrics.json" \
    "$work/dftrace/array-${job}_2/metrics.json" |
    jq .metrics.read_bytes.value | xargs)" "10 10" "array: both tasks"
is "$(xargs <"$home/out")" "some data some data" "array: and their own output"

# a plain user, with a command of his own, at the same place
exits 0 "the user analyzes again" as_user dftrace analyze --quiet \
    "$work/dftrace/array-${job}_1"

nodes_idle "nodes are idle"
is "$(grep -ci drain "$cluster/log/slurmctld.log")" 0 "none ever drained"
done_testing
