#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7060-stats.t - site stats: sums worked out by hand; files that are no files

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

logs=$tmp/logs

# job NAME USER NODE...: a job directory; each NODE the body of a node's file
job() {
    local dir=$logs/$1 n=0 body
    mkdir -p "$dir"
    echo "{\"format\": \"dftrace-job\", \"job_id\": 1, \"user\": \"$2\"}" \
        >"$dir/job.json"
    for body in "${@:3}"; do
        n=$((n + 1))
        echo "{\"format\": \"dftrace-node\", \"version\": 1, $body}" \
            >"$dir/node.n$n.json"
    done
}
# cell USER COLUMN...
cell() {
    "$dftrace" site stats --format csv "${stats[@]}" "$logs" 2>/dev/null |
        awk -F, -v user="$1" -v want="${*:2}" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, w, " ") }
            $1 == user { for (i = 1; i <= n; i++) printf "%s%s", $at[w[i]], i < n ? " " : "\n" }'
}
stats=()
user=$(id -un)
[ "$(id -u)" = 0 ] && user=alice # root's files: what they say is believed

# -- sums ----------------------------------------------------------------

job one "$user" \
    '"processes": 2, "processes_us": 7200000000, "events": 14400, "bytes": 4194304, "epilog_ms": 1500, "epilog_cpu_ms": 250' \
    '"processes": 1, "processes_us": 1800000000, "events": 3600, "bytes": 1048576, "events_lost": 7, "events_missing": 2, "stages_missing": 4, "unfinished": 1, "epilog_ms": 500, "epilog_cpu_ms": 100'
is "$(cell all jobs open nodes processes unfinished events lost)" \
    "1 1 2 3 1 18000 9" "what was traced"
is "$(cell all stages_missing)" 4 "and what was never collected"
is "$(cell all mib process_hours events_per_s mib_per_hour)" \
    "5 2.5 2 2" "rates: of an hour, of a second of a process"
is "$(cell all epilogs epilog_s epilog_max_s epilog_cpu_s)" \
    "2 2 1.5 0.35" "epilogs: time, longest, CPU"
is "$(cell all pairs overhead overhead_low overhead_high)" "0   " \
    "no controls: the overhead is not known, and not 0"
is "$("$dftrace" site stats --format csv "$logs" | grep -c estimate)" 0 \
    "no estimate unless asked for"
stats=(--call-ns 50)
is "$(cell all estimate_s)" 0.0009 "the estimate: events times what one costs"
stats=()

# a node of an older version, and one whose epilog was cut
job two "$user" '"processes": 1, "events": 1000000, "bytes": 1048576'
is "$(cell all events mib)" "1018000 6" "without times: counted"
is "$(cell all process_hours events_per_s mib_per_hour)" "2.5 2 2" \
    "without times: in no rate"
is "$(cell all nodes epilogs epilog_s)" "3 2 2" "without times: in no sum of times"

# one file under many names, and one that no epilog wrote: neither takes long
job linked "$user" '"processes": 1, "events": 5, "bytes": 0'
for ((i = 2; i < 200; i++)); do
    ln "$logs/linked/node.n1.json" "$logs/linked/node.n$i.json"
done
{
    printf '{"format": "dftrace-node", "version": 1, "events": 7, "x": ['
    printf '1,%.0s' {1..40000}
    echo '1]}'
} >"$logs/linked/node.big.json"
is "$(cell all nodes events)" "4 1018005" "hard links count once, a huge file not"
rm -r "$logs/linked"

# -- controls ---------------------------------------------------------------

sweep=$logs/sweep
mkdir -p "$sweep/results" "$sweep/runs/p/r0/a0"
: >"$sweep/manifest.json"
: >"$sweep/plan.csv"
cat >"$sweep/results/runs.csv" <<'END'
point,repeat,control,attempt,state,elapsed_s
p,0,0,0,done,11
p,0,1,0,done,10
p,1,0,0,done,11
p,1,1,0,done,10
p,2,0,0,failed,99
p,2,1,0,done,10
q,0,0,0,done,99
END
like "$(cell all pairs overhead overhead_low overhead_high)" \
    "^2 10\.?0*[0-9]* (10|9\.9)[0-9.]* 10[0-9.]*$" "controls: pairs that are both done"
like "$("$dftrace" site stats "$logs")" "slower" "the text has a table of the cost"
touch -d '2025-11-30 12:00Z' "$sweep/results/runs.csv"
cp -a "$sweep" "$logs/dec"
cat >"$logs/dec/results/runs.csv" <<'END'
point,repeat,control,attempt,state,elapsed_s
p,0,0,0,done,20
p,0,1,0,done,10
END
touch -d '2025-12-01 12:00Z' "$logs/dec/results/runs.csv"
"$dftrace" site cost --format csv "$logs" >"$tmp/cost.csv"
is "$(cut -d, -f1-3 "$tmp/cost.csv" | xargs)" \
    "month,sweeps,pairs 2025-11,1,2 2025-12,1,1 all,2,3" "cost: a row for each month"
# of the whole: (1.1 * 1.1 * 2) ^ (1/3) = 1.3426; logarithms 0.0953 0.0953 0.6931,
# mean 0.2946, deviation 0.3451, t of 2 is 4.3027: 0.2946 +- 0.8574
is "$(sed 1d "$tmp/cost.csv" | awk -F, '{ printf "%.1f %s %s;", $4, $5 == "" ? "-" : sprintf ("%.1f", $5),
    $6 == "" ? "-" : sprintf ("%.1f", $6) }')" \
    "10.0 10.0 10.0;100.0 - -;34.3 -43.0 216.5;" "cost: with its interval, where there is one"
is "$("$dftrace" site cost --days 7 "$logs" 2>&1 >/dev/null)" \
    "dftrace: warning: site: no pair of a traced run and its untraced control: give a sweep \`control: {paired: true}\` and make its results" \
    "cost: without controls, what to do"
rm -r "$logs/dec"
mv "$logs/one" "$sweep/runs/p/r0/a0/trace"
is "$(cell all jobs events)" "2 1018000" "jobs of a sweep are found"
touch -d '8 days ago' "$sweep/results/runs.csv"
is "$(cell all pairs)" 0 "controls of long ago are left out"

# -- hostile directories ---------------------------------------------------

if mkfifo "$tmp/fifo" 2>/dev/null; then
    job fifo "$user"
    mkfifo "$logs/fifo/node.n1.json"
    exits 5 "a FIFO as a node's file: said, not waited for" \
        timeout 300 "$dftrace" site stats "$logs"
    rm -r "$logs/fifo"
else
    skip "no FIFOs here" "a FIFO as a node's file"
fi
job link "$user"
echo '{"processes": 1000}' >"$tmp/else.json"
ln -s "$tmp/else.json" "$logs/link/node.n1.json"
exits 5 "a link as a node's file: said" "$dftrace" site stats "$logs"
is "$(cell all processes)" 4 "and not followed"
rm -r "$logs/link"
ln -s "$logs" "$logs/loop"
exits 0 "a link to a directory is not followed" "$dftrace" site stats "$logs"
exits 2 "no such option" "$dftrace" site stats --call-ns x "$logs"
if [ "$(id -u)" = 0 ]; then
    job spoof bob '"processes": 5'
    chown -R nobody "$logs/spoof" 2>/dev/null
    is "$(cell bob jobs)" "" "nobody traces on somebody else's account"
    is "$(cell nobody processes)" 5 "the owner pays"
else
    skip "not root" "somebody else's account"
fi

done_testing
