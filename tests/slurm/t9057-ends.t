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
is "$(grep -h ^ended "$home/dftrace/ends-$job"/shards/processes.* | cut -d' ' -f4- | sort | xargs)" \
    "exit 3 task exit 4 task" "the task of srun and the batch script, with their status"

# first JOB: how the program that failed has ended, in the first screen
first ()
{
    epilogs_ended
    as_user "$top_builddir/dftrace" analyze "$home/dftrace/$1" 2>/dev/null |
        sed -n '/exit status\|killed by\|no end known/{s/([0-9]*)/(PID)/;p;q}'
}

cat >"$home/well" <<'END'
#!/bin/bash
printf x >seen
srun -n1 bash -c 'cat seen >copy; false; true'
END
submit -J well --dftrace=posix "$home/well"
epilogs_ended
is "$(jq -c '.ended | [.exit_status, .signal, .failed_processes]' "$home/dftrace/well-$job/job.json")" \
    '[0,null,0]' "a job whose tasks have all ended with status 0 has an end"

python=$(command -v /usr/bin/python3 || command -v python3)
base=$(readlink -f "$python")
base=${base##*/}
cat >"$home/step" <<END
#!/bin/bash
printf x >seen
srun -n1 $python -c 'open ("own", "w").write ("y"); raise SystemExit (3)'
status=\$?
cat seen >copy
exit \$status
END
submit -J step --dftrace=posix "$home/step"
like "$(first "step-$job")" "^$base \(PID\): exit status 3" "the task of srun failed, not the script that ended as it did"
is "$(jq -r '.ended | "\(.exit_status) \(.signal) \(.failed_processes) \(.failed[0].exe)"' "$home/dftrace/step-$job/job.json" |
    sed 's,/.*/,,')" "3 null 1 $base" "job.json names it"
is "$(as_user "$top_builddir/dftrace" analyze --view process --format json "$home/dftrace/step-$job" |
    jq -r '.. | objects | select (.exe? // "" | endswith ("/'"$base"'")) | "\(.end) \(.exit_status)"')" \
    "exit 3" "and the table"

# cancelled NAME OPTION…: scancel of a job whose task sleeps; $job
cancelled ()
{
    local name=$1
    shift
    rm -f "$home/began"
    job=$(as_user sbatch --parsable -o "$home/out" -J "$name" --dftrace=posix "$home/long")
    wait_for test -s "$home/began" || return
    as_user scancel "$@" "$job"
    wait_for job_gone "$job"
}

cat >"$home/long" <<END
#!/bin/bash
printf x >seen
srun -n1 $python -c 'import time; open ("began", "w").write ("y"); time.sleep (600)'
END
cancelled all
like "$(first "all-$job")" "^$base \(PID\): killed by signal (15|9)" "scancel: the task of srun is named"
cancelled one --signal=USR1
like "$(first "one-$job")" "^$base \(PID\): killed by signal 10" "scancel --signal: so it is"

# The least time limit is a minute, and Slurm looks twice a minute.
job=$(as_user sbatch --parsable --time=1 -o "$home/limited" -J limit --dftrace=posix "$home/long")
wait_for job_gone "$job"
like "$(cat "$home/limited")" "DUE TO TIME LIMIT" "a job at its time limit"
like "$(first "limit-$job")" "^$base \(PID\): killed by signal (15|9)" "the task of srun is named, too"
cmp_num "$(jq '.ended.failed[0].end_s | floor' "$home/dftrace/limit-$job/job.json")" -ge 30 \
    "with the time at which it ended"

done_testing
