#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9037-operate.t - doctor, site stats; sites without plugin or epilog

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

cat >"$tmp/ctld" <<END
#!/bin/sh
PATH=/usr/bin:/bin SLURM_CONF=$tmp/cluster/slurm.conf
DFTRACE_EPILOG_CONF=$tmp/cluster/epilog.conf
export PATH SLURM_CONF DFTRACE_EPILOG_CONF
exec $top_srcdir/etc/epilogslurmctld-dftrace
END
chmod 755 "$tmp/ctld"
cluster_start --nodes 2 --conf "EpilogSlurmctld=$tmp/ctld"
logs=$home/dftrace
echo 'some data' >"$cluster/data"
line=$(cat "$cluster/plugstack.conf")
build=$(sed -n 's/^BUILD=//p' "$cluster/cluster.env")

# -- doctor ------------------------------------------------------------

doctor() {
    as_user dftrace doctor "$@" >"$tmp/out" 2>&1
}
doctor --nodes 2 --wait 250
status=$?
# of files that a user has built it says so, rightly
if [ "$(stat -c %u "$build/dftrace")" = 0 ]; then
    is $status 0 "doctor: all is well"
else
    skip "the build belongs to a user" "doctor: all is well"
fi
like "$(cat "$tmp/out")" "ok +test job: 2 nodes traced it" "with a job on two nodes"
like "$(cat "$tmp/out")" "ok +epilog: each of 2 nodes left its account" "and their epilogs"
is "$(grep ^BAD "$tmp/out" | grep -v 'belongs to a user')" "" "and nothing else to mend"
rm -rf "$logs"/dftrace-doctor-*

# sick NAME REGEX: doctor says so, with the status.
sick() {
    doctor --no-job
    is $? 1 "doctor: $1"
    like "$(grep ^BAD "$tmp/out")" "$2" "and what to do"
}
echo "${line//preload=/preload=/nothing}" >"$cluster/plugstack.conf"
sick "no preload library" "/nothing.*install it"
echo "${line//preload=/preloda=/nothing}" >"$cluster/plugstack.conf"
sick "an unknown key" "did you mean preload"
echo "$line log_root=/proc/none/%u" >"$cluster/plugstack.conf"
sick "a log root nobody can write" "log_root.*mode 1777"
: >"$cluster/plugstack.conf"
sick "no line of ours" "no line names dftrace.so"
echo "optional $cluster/dftrace.so" >"$cluster/plugstack.conf"
sick "a plugin that is not there" "remove the line"
printf '%s\n%s\n' "$line" "$line" >"$cluster/plugstack.conf"
sick "two lines of ours" "keep one"
echo "required ${line#optional }" >"$cluster/plugstack.conf"
sick "a required line" "drains: write .optional"
echo "$line" >"$cluster/plugstack.conf"
chmod o+w "$cluster/plugstack.conf"
sick "a plugstack.conf open to all" "everybody can write"
chmod o-w "$cluster/plugstack.conf"
conf=$(cat "$cluster/epilog.conf")
echo "DFTRACE_BIN=/bin/false" >"$cluster/epilog.conf"
sick "an epilog.conf with another program" "/bin/false: is not dftrace"
echo "$conf" >"$cluster/epilog.conf"
mkdir "$cluster/small"
if mount -t tmpfs -o size=1m,mode=1777 none "$cluster/small" 2>/dev/null; then
    at_exit "umount '$cluster/small'"
    dd if=/dev/zero of="$cluster/small/fill" bs=64k 2>/dev/null
    echo "$line log_root=$cluster/small/%u" >"$cluster/plugstack.conf"
    sick "a log root that is full" "small is full, 0 MiB are left"
    echo "$line" >"$cluster/plugstack.conf"
else
    skip "no tmpfs can be mounted" "a log root that is full"
    skip "no tmpfs can be mounted" "and what to do"
fi
chmod 777 "$cluster/marker"
sick "a state directory open to all" "must be root's"
chmod 755 "$cluster/marker"
is "$(SLURM_CONF=/nothing as_user env SLURM_CONF=/nothing dftrace doctor 2>&1 |
    grep -c '^BAD.*slurmctld')" 1 "doctor: no Slurm"

# -- stats -------------------------------------------------------------

submit -J one -N2 --dftrace=posix --wrap "srun cat $cluster/data"
table=$("$dftrace" site stats --format csv "$logs")
like "$table" "dftester,1,0,2,2,0,[0-9]+,0," "stats: a job, two nodes, two processes"
like "$(tail -n 1 <<<"$table")" "^all,1," "and the sum"
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $1 == "dftester" { print $at["epilogs"], ($at["epilog_s"] >= $at["epilog_max_s"]),
        ($at["events_per_s"] > 0), "x" $at["overhead"] }' <<<"$table")" "2 1 1 x" \
    "stats: both epilogs said their time; no control, no overhead"
touch -d '8 days ago' "$logs/one-$job/job.json"
is "$("$dftrace" site stats --format csv "$logs" | grep -c dftester)" 0 \
    "stats: none that is older than a week"
like "$("$dftrace" site stats --days 9 --format csv "$logs")" "dftester,1," \
    "stats: unless it is asked for"
touch "$logs/one-$job/job.json"
echo '{' >"$logs/one-$job/node.n1.json"
exits 5 "stats: a broken file is said by the status" \
    "$dftrace" site stats "$logs"
exits 2 "stats: no directory" "$dftrace" site stats
exits 2 "stats: no such format" "$dftrace" site stats --format x "$logs"

# -- what the epilogs keep for the site

echo "summaries = $cluster/kept" >"$cluster/dftrace.conf"
submit -J kept -N2 --dftrace=posix --wrap "srun cat $cluster/data"
is "$(stat -c '%a %U' "$cluster/kept")" "700 root" "summaries: root's directory, nobody else's"
ok "summaries: collected" "$dftrace" site collect "$cluster/kept" "$cluster/site.db"
is "$("$dftrace" site top --by user,name,program,partition,nodes --metric posix_events \
    --format csv "$cluster/site.db" | tail -n 1 | cut -d, -f1-6)" \
    "dftester,kept,cat,debug,2,1" "summaries: a line of the job, by the node that came last"
is "$(python3 -c 'import sqlite3, sys
for row in sqlite3.connect (sys.argv[1]).execute ("SELECT job, posix_events FROM job"):
    print ("%d|%d" % row)' "$cluster/site.db")" "$job|$(json "$logs/kept-$job/metrics.json" .metrics.posix_events.value)" \
    "summaries: its numbers"
mv "$cluster/kept" "$cluster/elsewhere"
ln -s "$home" "$cluster/kept"
submit -J kept2 --dftrace=posix --wrap "cat $cluster/data"
is "$(find "$home/" -name '*.jsonl' | wc -l)" 0 "summaries: no link is followed"
nodes_idle "summaries: a refused directory drains nothing"
rm "$cluster/kept"

# A job that the site chose as one of two stands for two, one that was asked
# for stands for itself; names leave the job directory hashed.
cat >"$cluster/dftrace.conf" <<END
layers = posix
sample = 2
summaries = $cluster/chosen
hide = name,program
hide_key = $cluster/hide.key
END
(umask 077 && head -c 32 /dev/urandom >"$cluster/hide.key")
for ((i = 0; i < 6; i++)); do
    submit -J secretname -N1 --wrap "cat $cluster/data"
    [ -e "$logs/secretname-$job" ] && break
done
chosen=$job
submit -J secretname -N1 --dftrace=posix --wrap "cat $cluster/data"
is "$(cat "$cluster"/chosen/*.jsonl | jq -r '[.job, .weight] | join (" ")' | sort -n | xargs)" \
    "$chosen 2 $job 1" "sample: the plugin says how many jobs one stands for"
is "$(cat "$cluster"/chosen/*.jsonl | grep -c secretname)" 0 "hide: no name in what is kept"
is "$(cat "$cluster"/chosen/*.jsonl | jq -r .name | sort -u | grep -c '^~[0-9a-f]\{16\}$')" 1 \
    "hide: equal names stay equal"
ok "sample: collected" "$dftrace" site collect "$cluster/chosen" "$cluster/chosen.db"
is "$("$dftrace" site top --format csv "$cluster/chosen.db" | sed -n 2p | cut -d, -f1-3)" \
    "dftester,2,3" "sample: two jobs stand for three"

# -- rules of the site -------------------------------------------------

cat >"$cluster/dftrace.conf" <<END
layers = posix
rule = user=dftester tasks=2 nodes=1 layers=app
rule = partition=debug nodes=2- layers=mmap
rule = partition=debug sample=1000000000 layers=posix
END
show='echo "${DFTRACE_LAYERS:-none}"'
is "$(as_user srun -N2 bash -c "$show" | sort -u)" mmap "rule: partition, nodes"
is "$(as_user srun -N1 -n2 bash -c "$show" | sort -u)" app "rule: user, tasks"
is "$(as_user srun -N1 -n1 bash -c "$show")" none "rule: one job in very many"
is "$(as_user srun --dftrace=posix -N1 -n1 bash -c "$show")" posix \
    "rule: who asks gets it"
is "$(as_user srun --dftrace=off -N2 bash -c "$show" | sort -u)" none \
    "rule: who does not want it does not get it"
submit -J ruled -N2 --wrap "srun bash -c '$show'"
is "$(sort -u "$home/out")" mmap "rule: sbatch"

# -- analysis in a job of its own ----------------------------------------

printf 'finish = later\n' >"$cluster/dftrace.conf"
submit -J later --dftrace=posix --wrap "srun cat $cluster/data"
ok "EpilogSlurmctld: a job of the user analyzes" \
    wait_for test -s "$logs/later-$job/metrics.json"
is "$(stat -c %U "$logs/later-$job/metrics.json")" dftester "as the user"
submit -J arr --array=7 --dftrace="posix,job_dir=$home/a/%A.%a" \
    --wrap "srun cat $cluster/data"
ok "EpilogSlurmctld: of an array task, too" \
    wait_for test -s "$home/a/$job.7/metrics.json"
before=$(scontrol show jobs -o | grep -c 'JobName=dftrace-analysis')
submit -J none --wrap true
sleep 0.5
is "$(scontrol show jobs -o | grep -c 'JobName=dftrace-analysis')" "$before" \
    "EpilogSlurmctld: none for a job that was not traced"
: >"$cluster/dftrace.conf"

# -- no plugin -----------------------------------------------------------

: >"$cluster/plugstack.conf"
cat >"$tmp/taskprolog" <<END
#!/bin/sh
DFTRACE_BIN=$build/dftrace DFTRACE_CONF=$cluster/dftrace.conf \
    exec $top_srcdir/etc/taskprolog-dftrace
END
chmod 755 "$tmp/taskprolog"
echo "preload = $build/preload/.libs/libdftrace_preload.so" \
    >"$cluster/dftrace.conf"
prolog() {
    as_user env SLURM_DFTRACE="$1" srun --task-prolog="$tmp/taskprolog" \
        -J prolog "${@:2}"
}
is "$(prolog posix bash -c "cat $cluster/data; echo \$DFTRACE_LAYERS" |
    xargs)" "some data posix" "TaskProlog: the task runs and is traced"
dir=$(echo "$logs"/prolog-*)
is "$(json "$dir/job.json" '"\(.job_name) \(.layers)"')" "prolog posix" \
    "TaskProlog: its directory is there"
ok "TaskProlog: anybody finishes" as_user dftrace analyze -q "$dir"
cmp_num "$(json "$dir/metrics.json" .metrics.read_bytes.value)" -ge 10 \
    "TaskProlog: what was read is in it"
is "$(prolog '' cat "$cluster/data")" "some data" "TaskProlog: nobody asked"
is "$(prolog posx cat "$cluster/data" 2>/dev/null)" "some data" \
    "TaskProlog: a wrong word, and the task runs"
is "$(prolog "posix,log_root=$cluster" cat "$cluster/data" 2>/dev/null)" \
    "some data" "TaskProlog: an unwritable log root, and the task runs"
nok "TaskProlog: strict cancels the task" \
    prolog "posix,strict,log_root=$cluster" cat "$cluster/data"
is "$(ls "$logs" | grep -c prolog)" 1 "TaskProlog: no other directory"

nodes_idle "nodes are idle"
done_testing
