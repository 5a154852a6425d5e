#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7067-job.t - site job ID: the first screen of a job, whoever may see it

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
chmod 755 "$tmp"
head -c 100000 /dev/zero >data

# job DIR LAYERS ID ARRAY TASK RESTART: one that has copied data
job ()
{
    "$dftrace" run -q -o "$tmp/$1" --layers "$2" -- dd if=data of=copy bs=1000 status=none
    sed -i "s/\"job_id\": 0/\"job_id\": $3/; s/\"array_job_id\": null/\"array_job_id\": $4/
        s/\"array_task_id\": null/\"array_task_id\": $5/; s/\"restart\": 0/\"restart\": $6/" "$1/job.json"
}
site ()
{
    "$dftrace" site job "$@" >out 2>err
}

mkdir -p dftrace other
job dftrace/copy-4711 profile 4711 null null 0
job dftrace/copy-47 posix 47 null null 0
job dftrace/copy-4800_1 profile 4803 4800 1 0
job dftrace/copy-4800_2 profile 4804 4800 2 0
job other/again-60 profile 60 null null 0
job other/again-60.r1 profile 60 null null 1

# --- what is found ------------------------------------------------------------
exits 0 "a job below ./dftrace" "$dftrace" site job 4711
site 4711
like "$(cat out)" "^job 4711 of $(id -un): dftrace/copy-4711" "whose it is, and where"
like "$(cat out)" 'a profile: sums, no events' "its first screen"
like "$(cat out)" 'reading [0-9.]+ [a-z]+ \(97\.7 KiB\)' "with its numbers"
events=$("$dftrace" analyze --no-write --view metric --format csv dftrace/copy-4711 |
    awk -F, '$1 ~ /^(posix|app)_events$|^stdio_events$/ { n += $2 } END { print n }')
like "$(cat out)" "A full trace of this job would have about $events events" "how large a trace would be"
like "$(cat out)" 'sbatch --dftrace=posix,app' "how to get it"
is "$(ls dftrace/copy-4711)" "$(printf 'job.json\nshards')" "nothing is written"
exits 0 "a trace" "$dftrace" site job 47 dftrace
site 47
like "$(cat out)" 'copy-47: 1 process' "its first screen"
unlike "$(cat out)" 'A full trace' "it is a full trace"
site 60 other
like "$(cat out)" 'job 60 of .*again-60\.r1' "a job that ran again: the last run"
like "$(cat err)" '2 runs of it' "it is said"
site 4800_2
like "$(cat out)" 'job 4804 of .*copy-4800_2' "a task of an array"
site 4803
like "$(cat out)" 'copy-4800_1' "a task by its own id"
exits 1 "an array" "$dftrace" site job 4800
like "$(cat err)" 'it has 2 job directories: ask for a task' "it says what to ask"
exits 0 "below several directories" "$dftrace" site job 60 dftrace other

# --- what is not ----------------------------------------------------------------
exits 1 "no such job" "$dftrace" site job 4712
like "$(cat err)" 'job 4712: no job directory of it was found: name the directory' "it says what to do"
exits 2 "no number" "$dftrace" site job 47x
like "$(cat err)" 'not a job id' "it says so"
exits 2 "no id" "$dftrace" site job
exits 1 "no such directory" "$dftrace" site job 4711 nowhere
ln -s "$tmp/other" dftrace/link
exits 1 "links are not followed" "$dftrace" site job 60
rm dftrace/link
ln -s "$tmp/other/again-60/job.json" dftrace/job.json
exits 1 "job.json is a link" "$dftrace" site job 60 dftrace
rm dftrace/job.json

# --- what is left of it ---------------------------------------------------------
"$dftrace" analyze -q --tables always dftrace/copy-4711
rm -r dftrace/copy-4711/shards
site 4711
like "$(cat out)" 'its traces have gone.*read_bytes: 1000' "without its traces: what the analysis kept"

# --- there was none -------------------------------------------------------------
"$dftrace" run -q -o dftrace/quiet-4720 -- true
sed -i 's/"job_id": 0/"job_id": 4720/' dftrace/quiet-4720/job.json
site 4720
is "$?" 1 "a job without an event"
like "$(cat err)" 'job 4720: dftrace/quiet-4720: no trace, and no epilog has run, .*: its programs were traced, and' \
    "why there is no trace; it may be running"
: >dftrace/quiet-4720/node.n1.json
site 4720
like "$(cat err)" 'quiet-4720: no trace: its programs were traced, and made no call' "after its epilog"
unlike "$(cat err)" 'not analyzed yet|may be running' "it is not said to be unfinished"

# --- owners -----------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && id nobody >/dev/null 2>&1; then
    job other/his-70 profile 70 null null 0
    sed -i "s/\"uid\": 0/\"uid\": $(id -u nobody)/" other/his-70/job.json
    chown -R nobody other/his-70 && chmod 700 other/his-70
    exits 0 "root asks for another's job" "$dftrace" site job 70 other
    like "$(cat out)" '^job 70 of nobody' "as whom it is read"
    chown root other/his-70/job.json
    exits 1 "job.json of another user" "$dftrace" site job 70 other
    chown nobody other/his-70/job.json && chown root other/his-70
    exits 1 "a directory of another user" "$dftrace" site job 70 other
    if setpriv --reuid=nobody --clear-groups test -r "$tmp/data" 2>/dev/null &&
        setpriv --reuid=nobody --clear-groups "$dftrace" --version >/dev/null 2>&1; then
        chmod 755 other
        chmod 700 other/again-60 other/his-70
        setpriv --reuid=nobody --clear-groups "$dftrace" site job 70 "$tmp/other" >out 2>err
        is "$?" 1 "another user asks"
        like "$(cat err)" 'other/his-70: it belongs to root: only root and root|other/his-70: it belongs to root' \
            "whose it is"
    else
        skip "nobody may not read $tmp" "another user asks"
        skip "nobody may not read $tmp" "whose it is"
    fi
else
    for what in "root asks for another's job" "as whom it is read" "job.json of another user" \
        "a directory of another user" "another user asks" "whose it is"; do
        skip "not root" "$what"
    done
fi

# --- copies -----------------------------------------------------------------------
cp -r dftrace/copy-47 other/0-copy-47
site 47 dftrace other
like "$(cat out)" '^job 47 of [^:]*: dftrace/copy-47' "a copy by the same user: the first one stands"
like "$(cat err)" '1 more directories are copies of it' "it is said"
if [ "$(id -u)" = 0 ] && id nobody >/dev/null 2>&1; then
    chown -R nobody other/0-copy-47
    exits 0 "a copy by another user" "$dftrace" site job 47 other dftrace
    site 47 other dftrace
    like "$(cat out)" '^job 47 of root: dftrace/copy-47' "the owner's is shown"
    site 47 other
    like "$(cat out)" '^job 47 of root: .*0-copy-47, a copy of nobody' "a copy alone is called one"
    # he says in it that the job is his: Slurm knows
    sed -i "s/\"uid\": 0/\"uid\": $(id -u nobody)/" other/0-copy-47/job.json
    mkdir bin
    printf '#!/bin/sh\n[ "$*" = "-h -t all -o %%U -j 47" ] && [ -e %s ] && echo 0\n' "$tmp/knows" >bin/squeue
    printf '#!/bin/sh\nexit 1\n' >bin/sacct
    chmod 755 bin/*
    PATH=$tmp/bin:$PATH site 47 other dftrace
    is "$?" 1 "both say it is theirs, and there is no Slurm"
    like "$(cat err)" 'Slurm does not say whose it is: name one of them' "it says what to do"
    : >knows
    PATH=$tmp/bin:$PATH site 47 other dftrace
    like "$(cat out)" '^job 47 of root: dftrace/copy-47' "Slurm says whose it is"
else
    for what in "a copy by another user" "the owner's is shown" "a copy alone is called one" \
        "both say it is theirs, and there is no Slurm" "it says what to do" "Slurm says whose it is"; do
        skip "not root" "$what"
    done
fi

# --- a database -------------------------------------------------------------------
mkdir kept
printf '{"host":"n1","job":90,"part":0,"ended":%d,"uid":1000,"user":"ann","name":"run","program":"x","nodes":2,"ranks":4,"job_time":10.5,"read_bytes":1000}\n' \
    "$(date +%s)" >kept/n1-20260101.jsonl
chmod 600 kept/*
if "$dftrace" site collect kept site.db >/dev/null 2>err; then
    "$dftrace" site job --format csv 90 site.db >out
    like "$(cat out)" $'\nuser,ann,\n' "of a database: who"
    like "$(cat out)" $'\nread_bytes,1000,B' "and what"
    exits 1 "no such job in it" "$dftrace" site job 91 site.db
    like "$(cat err)" 'job 91: site.db: no such job in it' "it says so"
else
    for what in "of a database: who" "and what" "no such job in it" "it says so"; do
        skip "built without SQLite" "$what"
    done
fi
done_testing
