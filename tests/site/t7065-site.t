#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7065-site.t - what epilogs kept of jobs -> database, questions, page
#
# t9037 has a real epilog keep them.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99
site() {
    "$dftrace" site "$@" >out 2>err
}
now=$(date +%s)
mkdir kept
site collect kept none.db
if grep -q 'built without SQLite' err; then
    skip_all "built without SQLite"
fi

# job NUMBER DAYS-AGO USER PROGRAM JOB_TIME READ_BYTES: a line of an epilog
job() {
    printf '{"host":"n1","job":%d,"part":0,"ended":%d,"uid":1000,"user":"%s","name":"run","program":"%s","nodes":2,"ranks":4,"job_time":%s,"read_bytes":%s,"read_bandwidth":%s}\n' \
        "$1" "$((now - $2 * 86400 - 3600))" "$3" "$4" "$5" "$6" "$((1000 / $5))"
}
for ((i = 0; i < 10; i++)); do
    job "$i" "$((20 - i))" ann lammps "$((i < 6 ? 10 + i % 2 : 16 + i % 2))" 1000
done >kept/n1-20260101.jsonl
{
    job 100 1 bob '<b>sim' 100 7000000
    job 101 1 ann python3 50 5
    printf '{"host":"n1","job":102,"ended"' # the disk was full
} >kept/n2-20260102.jsonl
chmod 600 kept/*

ok "collect" site collect kept site.db
like "$(cat out)" "^site.db: 12 jobs of 2 files added" "each whole line is a job"
is "$(stat -c %a site.db)" 600 "the database is the caller's alone"
ok "collect again" site collect kept site.db
like "$(cat out)" ": 0 jobs of " "reads what is new only"
printf ':%d}\n' "$now" >>kept/n2-20260102.jsonl
job 103 0 bob '<b>sim' 100 1 >>kept/n2-20260102.jsonl
ok "collect what was added" site collect kept site.db
like "$(cat out)" ": 2 jobs of 1 files" "the line that was cut is whole now"
job 103 0 bob '<b>sim' 100 1 >kept/n3-20260102.jsonl
site collect kept site.db
is "$("$dftrace" site top --days 0 --by program --sort jobs --format csv site.db |
    cut -d, -f1-2 | sed 's/$/,/' | tail -n +2 | tr '\n' ' ')" \
    "lammps,10, <b>sim,2, ,1, python3,1, " \
    "top: a job that is there twice counts once"

# -- questions
csv() { # COLUMN of the first row
    awk -F, -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at[want] }' out
}
site top --days 5 --by user --metric read_bytes,read_bandwidth --sort read_bytes --format csv site.db
is "$(csv user) $(csv jobs) $(csv read_bytes_sum) $(csv read_bandwidth_mean)" \
    "bob 2 7000001 10" "top: sums of bytes, means of rates, largest first"
site top --days 5 --user "bob' OR '1" --format csv site.db
is "$(wc -l <out)" 1 "a user's name is a word, no SQL"
site worst --days 0 --metric read_bytes -n 1 --format csv site.db
is "$(csv job) $(csv read_bytes)" "100 7000000" "worst: the largest"
site worst --days 0 --metric read_bandwidth -n 1 --format csv site.db
is "$(csv read_bandwidth)" 10 "worst: of rates the smallest"
like "$("$dftrace" site worst --days 0 --metric job_time -n 1 site.db 2>&1 >/dev/null)" \
    "first 1 rows: --top 0 shows all" "what is not shown is said"
site worst --days 0 --metric job_time -n 0 site.db
unlike "$(cat err)" "first" "and not where all is"
site history --days 0 --metric job_time --format csv site.db lammps
is "$(csv jobs) $(csv changed) $(csv before | cut -c1-4)" \
    "10 $(date -u -d "@$((now - 14 * 86400 - 3600))" +%F) 10.4" "history: when it changed"
cmp_num "$(awk -F, 'NR == 2 { print ($12 > 1.5 && $12 < 1.6 && $13 < 0.01) }' out)" -eq 1 \
    "history: by how much, how surely"
for ((i = 0; i < 40; i++)); do
    job "$((500 + i))" "$((50 - i))" cy step "$(((i < 20 ? 100 : 900) + i % 3))" 1000
done >step-20260101.jsonl
mkdir step
mv step-20260101.jsonl step/
site collect step step.db
site history --days 0 --metric job_time step.db step
like "$(cat out)" "<0.000001" "history: a small p is not 0"
site history --days 0 --metric job_time --format csv step.db step
cmp_num "$(awk -F, 'NR == 2 { print ($13 > 0 && $13 < 1e-20) }' out)" -eq 1 \
    "history: and whole in CSV"
site history --days 0 --metric read_bytes --format csv site.db lammps
is "$(csv changed)" "" "history: what did not change"
site top site.db --days 0
ok "text fits a terminal" eval '! grep -q ".\{100\}" out'
site top nothing.db
like "$?$(cat err)" "^1.*nothing.db: No such file" "no database"
nok "and none was made" test -e nothing.db
exits 2 "no such metric" "$dftrace" site top --metric read_bytse site.db
like "$(cat "$tmp/err")" "read_bytse: no metric: did you mean read_bytes" "and the nearest"
exits 2 "no such column" "$dftrace" site top --by "user;drop" site.db
exits 2 "no such word" "$dftrace" site tops site.db
exits 2 "no program" "$dftrace" site history site.db

# -- jobs that stand for others
mkdir weighed
for i in 1 2 3 4; do
    job "$((700 + i))" 2 dan app 50 "$((i * 1000))" | sed 's/"uid"/"weight":10,"uid"/'
done >weighed/n1-20260103.jsonl
job 710 2 dan app 50 500 >>weighed/n1-20260103.jsonl # asked for: for itself
job 711 2 eva app 50 300 >>weighed/n1-20260103.jsonl
site collect weighed weighed.db
site top --days 0 --by user --metric read_bytes,read_bandwidth --format csv weighed.db
is "$(csv user) $(csv traced) $(csv jobs) $(csv read_bytes_sum)" "dan 5 41 100500" \
    "sampled: each job counts as often as it stands for"
# sqrt (90 (1 + 4 + 9 + 16) 10^6) = 51961.5, t of 3 degrees of freedom 3.18245
is "$(csv read_bytes_sum_half | cut -d. -f1)" 165364 "sampled: with half of the interval"
cmp_num "$(csv read_bandwidth_mean)" -eq 20 "sampled: a mean is of all, too"
like "$(sed -n 3p out)" "^eva,1,1,0," "what was not sampled is exact"
like "$(cat err)" "are estimates, with half of their 95 % interval" "sampled: and says so"
site top --days 0 --metric job_time weighed.db
like "$(cat out)" "±.*estimate" "sampled: in text, too"
ok "sampled: a page" site report --days 0 -o weighed.html weighed.db
like "$(cat weighed.html)" "are estimates for all jobs" "sampled: which says so"
site openmetrics --days 0 weighed.db
like "$(cat out)" 'dftrace_read_bytes_sum_half\{user="dan"\} 165364' "sampled: in OpenMetrics"
site top --days 0 --user eva --format csv weighed.db
unlike "$(head -n 1 out)" "half" "where none was sampled, nothing is estimated"

# edges: one of one, a user of whom one job was chosen, none chosen of many
mkdir edges
job 800 2 fay app 50 700 | sed 's/"uid"/"weight":1,"uid"/' >edges/n1-20260104.jsonl
site collect edges edges.db
site top --days 0 --by user --metric read_bytes --format csv edges.db
is "$(head -n 1 out | grep -c half) $(csv jobs) $(csv read_bytes_sum)" "0 1 700" "sample=1: every job is there, so nothing is estimated"
job 801 2 gil app 50 300 | sed 's/"uid"/"weight":1000,"uid"/' >>edges/n1-20260104.jsonl
site collect edges edges.db
site top --days 0 --by user --metric read_bytes --sort jobs --format csv edges.db
is "$(csv user) $(csv traced) $(csv jobs) $(csv read_bytes_sum) x$(csv read_bytes_sum_half)x$(csv jobs_half)" \
    "gil 1 1000 300000 xx" "one chosen job: an estimate, and no interval is known"
like "$(sed -n 3p out)" "^fay,1,1,0,.*,700,0$" "and the user beside him is exact"
site top --days 0 --by user --metric read_bytes edges.db
like "$(cat out)" "gil +1 +1000 +n/a .* 300000 +n/a" "in text, too"
mkdir unchosen
site collect unchosen unchosen.db
ok "more than there are jobs: none was chosen" site top --days 0 --format csv unchosen.db
is "$(tail -n +2 out)" "" "and no number is made of none"

# -- page and OpenMetrics
ok "report" site report --days 0 -o page.html site.db
like "$(cat page.html)" "&lt;b&gt;sim" "report: names are escaped"
unlike "$(cat page.html)" "<b>sim" "report: never as they are"
like "$(cat page.html)" "<svg" "report: has figures"
site openmetrics --days 0 --by program site.db
is "$(tail -n 1 out)" "# EOF" "openmetrics: has its end"
like "$(cat out)" 'dftrace_jobs\{program="lammps"\} 10' "openmetrics: a number of a group"

# -- trust and retention
touch -d '90 days ago' kept/n1-20260101.jsonl
ok "retention" site collect --keep-days 15 kept site.db
like "$(cat out)" ", 6 removed" "old jobs go"
nok "and files that were read" test -e kept/n1-20260101.jsonl
ok "not what is new" test -e kept/n2-20260102.jsonl
echo '{"job":1,"ended":1,"user":"\u0041"}' >>kept/n2-20260102.jsonl
exits 5 "a line that no epilog writes" "$dftrace" site collect kept site.db
ln -s /etc/passwd kept/x.jsonl
mkfifo kept/y.jsonl
exits 5 "links and FIFOs are left alone" timeout 300 "$dftrace" site collect kept site.db
chmod 777 kept
exits 1 "a directory that others can write to" "$dftrace" site collect kept site.db
like "$(cat "$tmp/err")" "not trusted: chown root, chmod go-w" "and why"

done_testing
