#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t9079-one-directory.t - jobs with one fixed job_dir= are kept apart, and a job that
# removes its own directory counts what is lost

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

cluster_start --nodes 1 --cpus 4
as_user sh -c "echo some data >$home/data"
one=$home/one

# read_bytes DIR: by its own trace, and the jobs that it is of
of ()
{
    as_user dftrace analyze --no-write --format csv --view metric "$1" 2>/dev/null |
        awk -F, '$1 == "posix_read_bytes" || $1 == "read_bytes" { print $2; exit }'
}

submit -J first --dftrace=posix,job_dir="$one" --wrap 'cat data >/dev/null'
first=$job
is "$(grep -c ^dftrace: "$home/out")" 0 "the first job has the directory"
submit -J second --dftrace=posix,job_dir="$one" --wrap 'cat data data >/dev/null; srun cat data >/dev/null'
is "$(grep -c ^dftrace: "$home/out")" 1 "the second one is told, once"
like "$(cat "$home/out")" "$one: the trace of another job is there: this one's is in $one-$job " "where its trace is"
is "$(of "$one") $(of "$one-$job")" "10 30" "both are whole"
is "$(json "$one/job.json" .job_id) $(json "$one-$job/job.json" .job_id)" "$first $job" "and say whose they are"
as_user sbatch --wait -Q -o /dev/null -J array --array=1-2 --dftrace=posix,job_dir="$home/array" --wrap 'cat data >/dev/null'
is "$(find "$home" -maxdepth 1 -name 'array*' -type d | wc -l)" 2 "two tasks of an array have two"
nodes_idle "no node drained"

done_testing
