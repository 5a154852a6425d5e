#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# year.sh - a year of a site: 1,000 jobs a day are collected, and asked about
#
# In:  root (a real epilog makes the first line); python3; YEAR_JOBS (1000) a day,
#      YEAR_DAYS (365)
# Out: TAP of what the answers are, against sums of plain Python; lines for
#      doc/admin.md: seconds by the clock and of CPU. No time is asserted.
# `make check-year`, part of `make check-big`.

# shellcheck source=tests/lib.sh
. "${top_srcdir:-.}/tests/lib.sh"

[ "$(id -u)" = 0 ] || skip_all "the epilog starts as root"
command -v python3 >/dev/null || skip_all "no python3 here"

DAYS=${YEAR_DAYS:-365}
JOBS=${YEAR_JOBS:-1000}
OWNER=65534
chmod 755 "$tmp"
cd "$tmp" || exit 99

# -- a line as an epilog keeps it ---------------------------------------

mkdir -m 755 state real
printf 'summaries = %s\n' "$tmp/real" >conf
SLURMD_NODENAME=n1 "$dftrace" run -q -o job -- cp "$dftrace" copy 2>err
: >job/shards/started.n1
chown -R $OWNER:$OWNER job
(umask 077 && echo "$OWNER $OWNER 20000 $tmp/job" >state/7.n1)
SLURM_JOB_ID=7 SLURMD_NODENAME=n1 SLURM_JOB_USER=nobody DFTRACE_STATE_DIR=$tmp/state \
    DFTRACE_CONF=$tmp/conf "$dftrace" epilog </dev/null
is "$(cat real/*.jsonl | wc -l)" 1 "an epilog kept a line"
if grep -q 'built without SQLite' <("$dftrace" site collect real none.db 2>&1); then
    skip_all "built without SQLite"
fi

# Numbers vary about those of that job; one program becomes slower in July.
cat >year.py <<'END'
import glob, json, os, random, sys, time

days, jobs = int(sys.argv[1]), int(sys.argv[2])
one = json.loads(open(glob.glob("real/*.jsonl")[0]).readline())
keep = {"host", "job", "part", "ended", "uid", "user", "name", "program", "weight"}
vary = [k for k, v in one.items() if k not in keep and isinstance(v, (int, float)) and v]
draw = random.Random(1)
now = int(time.time())
sums = {}
number = 0
os.mkdir("kept", 0o700)
for day in range(days):
    ended = now - (days - day) * 86400 + 3600
    files = {}
    for i in range(jobs):
        number += 1
        program = draw.randrange(300)
        user = 7 if program == 7 else draw.randrange(200)
        line = dict(one, host="n%d" % draw.randrange(16), job=number, user="user%d" % user,
                    uid=1000 + user, name="run%d" % (program % 50), program="program%d" % program,
                    ended=ended + i * 86 % 80000)
        for key in vary:
            factor = draw.lognormvariate(0, 0.1)
            line[key] = int(one[key] * factor) + 1 if isinstance(one[key], int) else one[key] * factor
        if program == 7 and day > days // 2:
            line["job_time"] *= 2
        sums[line["user"]] = sums.get(line["user"], 0) + line["read_bytes"]
        files.setdefault(line["host"], []).append(json.dumps(line, separators=(",", ":")))
    name = time.strftime("%Y%m%d", time.gmtime(ended))
    for host, lines in files.items():
        with open("kept/%s-%s.jsonl" % (host, name), "w", opener=lambda p, f: os.open(p, f, 0o600)) as f:
            f.write("\n".join(lines) + "\n")
most = sorted(sums.items(), key=lambda x: -x[1])[0]
print(most[0], most[1])
END
read -r user bytes < <(python3 year.py "$DAYS" "$JOBS")

# -- questions -----------------------------------------------------------

# timed NAME COMMAND…: output in out; a line of the table
timed() {
    local times
    times=$({ TIMEFORMAT='%R %U %S'; time "${@:2}" >out 2>err; } 2>&1)
    awk -v name="$1" '{ printf "| %s | %.2f s | %.2f s |\n", name, $1, $2 + $3 }' <<<"$times"
}
echo "| | time | CPU |"
echo "|---|---|---|"
timed "collect $((DAYS * JOBS)) lines, $(du -sm kept | cut -f 1) MiB" "$dftrace" site collect kept site.db
like "$(cat out)" ": $((DAYS * JOBS)) jobs of " "every job is in the database ($(du -m site.db | cut -f 1) MiB)"
timed "collect again" "$dftrace" site collect kept site.db
like "$(cat out)" ": 0 jobs of " "what is there is not read again"
for days in 30 0; do
    timed "top --days $days" "$dftrace" site top --days $days --by user,program --sort jobs site.db
    timed "worst --days $days" "$dftrace" site worst --days $days --metric read_bytes -n 10 site.db
    timed "openmetrics --days $days" "$dftrace" site openmetrics --days $days --by account site.db
    timed "report --days $days" "$dftrace" site report --days $days -o page.html site.db
done
timed "history" "$dftrace" site history --days 0 --metric job_time --format csv site.db program7
cmp_num "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 && $at["changed"] != "" { n++ } END { print n + 0 }' out)" -ge 1 \
    "the program that became slower: it is said when"
"$dftrace" site top --days 0 --by user --metric read_bytes --sort read_bytes --format csv site.db >out
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR == 2 { print $at["user"], $at["read_bytes_sum"] }' out)" "$user $bytes" \
    "who read most, to the byte"

done_testing
