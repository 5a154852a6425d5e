#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7000-epilog.t - the node epilog without Slurm: limits, ownership, repeats

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

[ "$(id -u)" = 0 ] || skip_all "the epilog starts as root"
command -v perl >/dev/null || skip_all "no perl here"
command -v jq >/dev/null || skip_all "no jq here"

OWNER=$((1000000 + $$)) # nobody else runs anything in its name
HOST=node7
JOB=4711
SHARDS=3000 # enough to take longer than the shortest limit
state=$tmp/state
chmod 755 "$tmp"
mkdir -m 755 "$state"

# job DIR: a job directory of OWNER with one traced process, on HOST.
job() {
    SLURMD_NODENAME=$HOST "$dftrace" run -q -o "$1" -- \
        sh -c 'echo data >'"$tmp/file"' && dd if='"$tmp/file"' of=/dev/null' \
        2>/dev/null
    : >"$1/shards/started.$HOST"
    chown -R $OWNER:$OWNER "$1"
}

# epilog MILLISECONDS DIR
epilog() {
    (umask 077 && echo "$OWNER $OWNER $1 $2" >"$state/$JOB.$HOST")
    SLURM_JOB_ID=$JOB SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR=$state \
        "$dftrace" epilog </dev/null >"$tmp/out" 2>"$tmp/err"
}

# -- in time -----------------------------------------------------------

job "$tmp/good"
ok "it ends well" epilog 20000 "$tmp/good"
for file in node.$HOST.json trace.dft metrics.json tables/calls.csv; do
    is "$(stat -c %u:%a "$tmp/good/$file" 2>&1)" $OWNER:600 \
        "$file is there, of the user alone"
done
is "$(find "$tmp/good" -user root)" "" "nothing of root in the directory"
nok "the marker is gone" test -e "$state/$JOB.$HOST"
nok "the claim is gone" test -e "$tmp/good/.claim"
for key in processes_us epilog_ms epilog_cpu_ms; do
    like "$(cat "$tmp/good/node.$HOST.json")" "\"$key\": [0-9]+" "it says its $key"
done
nok "to say that has not made the analysis old" \
    test "$tmp/good/node.$HOST.json" -nt "$tmp/good/metrics.json"
is "$(ls -A "$tmp/good" | grep -c 'tmp$')" 0 "and leaves no other file"
before=$(cat "$tmp/good/trace.dft" "$tmp/good/metrics.json" | cksum)
ok "again: it ends well" epilog 20000 "$tmp/good"
is "$(cat "$tmp/good/trace.dft" "$tmp/good/metrics.json" | cksum)" \
    "$before" "again: with the same bytes"

# A profile is analyzed, and each table of it is made in a moment by who asks.
mkdir -m 755 "$tmp/sums"
SLURMD_NODENAME=$HOST "$dftrace" run -q -o "$tmp/sums" --layers profile -- cat "$tmp/file" >/dev/null
: >"$tmp/sums/shards/started.$HOST"
chown -R $OWNER:$OWNER "$tmp/sums"
ok "a profile: it ends well" epilog 20000 "$tmp/sums"
is "$(cd "$tmp/sums" && ls -d trace.dft metrics.json tables answers 2>/dev/null | xargs)" "metrics.json trace.dft" \
    "a profile: its metrics, and neither tables nor answers"

# -- ranks that a launcher started on another node ------------------------

# hydra hands the first node's environment on. Another node is another kernel:
# another name and another boot. A container on this one has another name only.
cat >"$tmp/elsewhere" <<'END'
mount --bind "$1/boot" /proc/sys/kernel/random/boot_id || exit
echo node8.cluster >/proc/sys/kernel/hostname
exec cat "$1/file" "$1/fifo"
END
cat >"$tmp/launcher" <<'END'
cat "$1/file" >/dev/null
unshare -u bash -c 'echo container >/proc/sys/kernel/hostname; exec cat "$0/file"' "$1" >/dev/null
unshare -um bash "$1/elsewhere" "$1" >/dev/null
END
if unshare -um true 2>/dev/null && [ -e /proc/sys/kernel/random/boot_id ]; then
    mkfifo "$tmp/fifo"
    sed 's/./0/g' /proc/sys/kernel/random/boot_id >"$tmp/boot"
    SLURMD_NODENAME=$HOST "$dftrace" run -q -o "$tmp/hydra" -- bash "$tmp/launcher" "$tmp" &
    for ((i = 0; i < 600; i++)); do
        ls "$tmp"/hydra/shards/node8-*.dft >/dev/null 2>&1 && break
        sleep 0.1
    done
    is "$(cd "$tmp/hydra/shards" && ls ./*.dft | sed 's/-.*//' | sort | uniq -c | xargs)" \
        "1 ./$HOST 1 ./node8" "a rank elsewhere is attributed to its own node, one in a container here"
    : >"$tmp/hydra/shards/started.$HOST"
    : >"$tmp/hydra/shards/started.node8"
    before=$(ls "$tmp"/hydra/shards/node8-*.dft)
    chown -R $OWNER:$OWNER "$tmp/hydra"
    ok "the first node's epilog ends well" epilog 20000 "$tmp/hydra"
    is "$(ls "$tmp"/hydra/shards/node8-*.dft)" "$before" "what the other node writes stays"
    # where its reader failed nobody waits for ever
    timeout 60 sh -c ': >"$0"' "$tmp/fifo" || kill $!
    wait $!
else
    skip "no namespaces for us here" "ranks on other nodes"
fi

# -- a line in Slurm's database ------------------------------------------

# sacctmgr stands for Slurm's: a fault, then it works; what it was told.
mkdir "$tmp/bin"
cat >"$tmp/bin/sacctmgr" <<END
#!/bin/sh
[ ! -p $tmp/held ] || { : >$tmp/there; cat $tmp/held >/dev/null; }
[ -e $tmp/tried ] || { : >$tmp/tried; exit 1; }
printf '%s\n' "\$@" >$tmp/said.new
mv $tmp/said.new $tmp/said
END
chmod 755 "$tmp/bin/sacctmgr"
told() {
    local i
    for ((i = 0; i < 600; i++)); do
        [ ! -e "$1" ] || return 0
        sleep 0.1
    done
    return 1
}
# comment CONF DIR
comment() {
    printf '%s\n' "$1" >"$tmp/comment.conf"
    job "$2"
    (PATH=$tmp/bin:$PATH DFTRACE_CONF=$tmp/comment.conf && export PATH DFTRACE_CONF && epilog 20000 "$2")
}
ok "comment: off, it ends well" comment "" "$tmp/c0"
ok "comment: another field, it ends well" comment "slurm_comment = Comment" "$tmp/c1"
nok "comment: neither has asked sacctmgr" test -e "$tmp/tried"
ok "comment: it ends well when the record is not there yet" \
    comment "slurm_comment = AdminComment" "$tmp/c2"
ok "comment: it is tried again" told "$tmp/said"
is "$(head -n 8 "$tmp/said" | xargs)" "-iQ modify job where jobid=$JOB users=$OWNER set $(sed -n 8p "$tmp/said")" \
    "comment: of this job, of this user"
"$dftrace" analyze --no-write "$tmp/c2" >"$tmp/out"
# the same number as on the first screen, whose words are these
io=$(sed -n 's/^I\/O of any process: \(.*\) of the job.*/\1/p' "$tmp/out")
like "$(sed -n 8p "$tmp/said")" "^AdminComment=dftrace: I/O ${io:-n/a} of [0-9.]+ m?s; " "comment: the share of I/O"
finding=$(sed -n 's/^critical  *[0-9.]* [mun]*s  *\([0-9.]*\) %  \([^:]*\).*/critical: \2 \1 %/p' "$tmp/out" | head -n 1)
like "$(sed -n 8p "$tmp/said")" "; ${finding:-[^;]*}; not known of reads 0.0 %, writes 0.0 %$" \
    "comment: the first finding, the rest of the kernel's count"
rm "$tmp/said"
mkfifo "$tmp/held"
ok "comment: an sacctmgr that hangs does not keep the epilog" \
    comment "slurm_comment = SystemComment" "$tmp/c3"
told "$tmp/there"
nok "comment: which has ended before it" test -e "$tmp/said"
: >"$tmp/held"
told "$tmp/said"
like "$(sed -n 8p "$tmp/said")" "^SystemComment=dftrace: I/O" "comment: and it gets its answer"

# -- not in time -------------------------------------------------------

job "$tmp/slow"
shard=$(find "$tmp/slow/shards" -name '*.dft' | head -n 1)
perl -e 'link $ARGV[0], "$ARGV[1]/copy-$_-1.dft" or die $! for 1 .. $ARGV[2]' \
    "$shard" "$tmp/slow/shards" $SHARDS
ok "over time: it ends well" epilog 1 "$tmp/slow"
like "$(cat "$tmp/err")" "1 ms are over: run .dftrace analyze" \
    "over time: says so, and what to do"
nok "over time: its cost is not known, and not said" \
    grep -sq epilog_ms "$tmp/slow/node.$HOST.json"
nok "over time: what was begun is not there" test -e "$tmp/slow/metrics.json"
is "$(pgrep -u $OWNER -f "$tmp/slow")" "" "over time: nobody is left behind"
nok "over time: the marker is gone" test -e "$state/$JOB.$HOST"
ok "over time: the user finishes it later" setpriv --reuid $OWNER \
    --regid $OWNER --clear-groups "$dftrace" analyze --quiet "$tmp/slow"
ok "over time: with metrics" test -s "$tmp/slow/metrics.json"

# -- a user who would like to keep a process of it ----------------------

job "$tmp/seized"
perl -e 'link $ARGV[0], "$ARGV[1]/copy-$_-1.dft" or die $! for 1 .. $ARGV[2]' \
    "$(find "$tmp/seized/shards" -name '*.dft' | head -n 1)" "$tmp/seized/shards" 300
"$top_builddir/tests/victims/seize" $OWNER 2 &
seizer=$!
for ((i = 0; i < 3; i++)); do
    epilog 1000 "$tmp/seized"
done
wait $seizer
is $? 1 "the epilog's children cannot be traced by the user"

# -- its cgroup -----------------------------------------------------------

# Below one of this test's own: the epilogs of other tests look into theirs, too.
unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
above=$unified$(sed -n 's/^0:://p' /proc/self/cgroup)
own=$above/dftrace-test.$$
if [ -n "$unified" ] && mkdir "$own" 2>/dev/null && at_exit "rmdir '$own'" &&
    echo $$ >"$own/cgroup.procs" && at_exit "echo $$ >'$above/cgroup.procs'" &&
    mkdir "$own/dftrace-epilog.2147483646"; then
    setsid timeout 300 sleep 600 & # not for ever
    left=$!
    echo $left >"$own/dftrace-epilog.2147483646/cgroup.procs"
    job "$tmp/group"
    strace -f -qq -e trace=openat,write,setresuid -o "$tmp/group.strace" \
        env SLURM_JOB_ID=1 true 2>/dev/null && traced=1
    (umask 077 && echo "$OWNER $OWNER 20000 $tmp/group" >"$state/$JOB.$HOST")
    ${traced:+strace -f -qq -e trace=openat,clone3,setresuid -o "$tmp/group.strace"} \
        env SLURM_JOB_ID=$JOB SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR="$state" \
        "$dftrace" epilog </dev/null 2>/dev/null
    wait $left 2>/dev/null
    is $? 137 "what an epilog that was killed has left in its cgroup is ended"
    rmdir "$own/dftrace-epilog.2147483646" 2>/dev/null
    is "$(find "$own" -maxdepth 1 -name 'dftrace-epilog.*')" "" \
        "no cgroup is left behind"
    if [ -n "$traced" ]; then
        is "$(awk '/INTO_CGROUP|cgroup.procs/ && !seen { print "group"; seen = 1 }
            /setresuid\(/ { print "user" } /cgroup.kill/ { print "end" }' \
            "$tmp/group.strace" | xargs)" "end group user end" \
            "the child enters one before it is the user, and it is ended as a whole"
        is "$(awk '/O_CREAT/ && /trace\.dft/ { made = 1 }
            /O_CREAT/ && /\/\.claim"|\/epilog\./ { more++ }
            END { print made + 0, more + 0 }' "$tmp/group.strace")" "1 0" \
            "a job of one node that went well: no claim, no log"
    else
        skip "no strace here" "when it enters"
        skip "no strace here" "which files it makes"
    fi
    echo $$ >"$above/cgroup.procs"
else
    skip "no cgroup v2 that may be written" "groups of the epilog"
fi

# -- a shard that is a hole of 8 TB --------------------------------------

job "$tmp/hole"
shard=$(find "$tmp/hole/shards" -name '*.dft' | head -n 1)
events=$("$dftrace" stat "$shard" | sed -n '1s/.* \([0-9]*\) events.*/\1/p')
if truncate -s 8T "$shard" 2>/dev/null; then
    exits 0 "a hole of 8 TB: it is merged" timeout 300 "$dftrace" merge -q "$tmp/hole"
    is "$("$dftrace" stat "$tmp/hole/trace.dft" | sed -n '1s/.* \([0-9]*\) events.*/\1/p')" \
        "$("$dftrace" stat "$tmp/hole/shards" | sed -n '1s/.* \([0-9]*\) events.*/\1/p')" \
        "a hole of 8 TB: with its events"
    cmp_num "$events" -gt 0 "a hole of 8 TB: of which there are some"
else
    skip "no files of 8 TB here" "a hole of 8 TB"
fi

# -- no job of ours, no trust ------------------------------------------

rm -f "$state/$JOB.$HOST"
exits 0 "a job that was not traced" env SLURM_JOB_ID=1 \
    DFTRACE_STATE_DIR="$state" "$dftrace" epilog
exits 0 "no job at all" env -u SLURM_JOB_ID "$dftrace" epilog
job "$tmp/other"
chown -R root "$tmp/other"
ok "a directory of somebody else: it ends well" epilog 20000 "$tmp/other"
nok "a directory of somebody else: is left alone" \
    test -e "$tmp/other/node.$HOST.json"
job "$tmp/wide"
(umask 077 && echo "$OWNER $OWNER 20000 $tmp/wide" >"$state/$JOB.$HOST")
chmod 666 "$state/$JOB.$HOST"
SLURM_JOB_ID=$JOB SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR=$state \
    "$dftrace" epilog 2>/dev/null
is $? 0 "a marker that others may write: it ends well"
nok "a marker that others may write: is not believed" \
    test -e "$tmp/wide/node.$HOST.json"

rm -f "$state/$JOB.$HOST"

# -- what it may, what it sees -----------------------------------------

job "$tmp/clean"
(umask 077 && echo "$OWNER $OWNER 20000 $tmp/clean" >"$state/$JOB.$HOST")
strace -f -qq -e trace=execve,setresuid,setresgid,setgroups,openat,openat2,open,creat,mkdirat,mkdir,rename,renameat,unlink,unlinkat,fsync \
    -v -s 4000 -o "$tmp/strace" env SLURM_JOB_ID=$JOB SLURMD_NODENAME=$HOST \
    DFTRACE_STATE_DIR="$state" EVIL=1 LD_LIBRARY_PATH=/evil \
    "$dftrace" epilog </dev/null 2>/dev/null
if [ -s "$tmp/strace" ]; then
    is "$(awk '/setresuid\(/ { user = 1 } user && /execve\(/' "$tmp/strace")" "" \
        "as the user it starts no program, which he could trace"
    is "$(awk '/setresuid\(/ { user = 1 } user && /\/evil/' "$tmp/strace")" "" \
        "and looks nowhere that the environment names"
    user=$(awk '/setresuid\(/ { print $1; exit }' "$tmp/strace")
    is "$(awk -v u="$user" '$1 == u && /setgroups|setresgid|setresuid/ && !/resumed/ {
        sub(/\(.*/, "", $2); print $2 }' "$tmp/strace" | xargs)" \
        "setgroups setresgid setresuid" "it gives up groups, gid, uid, in this order"
    root=$(awk -v u="$user" '$1 != u && !/execve/ && !seen[$1]++ { print $1; exit }' \
        "$tmp/strace")
    is "$(awk -v r="$root" '$1 == r' "$tmp/strace" | grep -c "$tmp/clean")" 0 \
        "root itself never touches the user's directory"
    # of two directories: the job's own and tables
    is "$(awk '/ fsync\(/ { n++ } / rename\(/ && !/resumed/ { files++ }
        END { print (files > 20 && n == files + 2) ? "yes" : n " " files }' "$tmp/strace")" yes \
        "each of its files is synced, the directories once for all of them"
else
    skip "no strace here" "what it may and sees"
fi

# slurmd may start it with nothing open: no file of ours may become its output
job "$tmp/shut"
(umask 077 && echo "$OWNER $OWNER 20000 $tmp/shut" >"$state/$JOB.$HOST")
SLURM_JOB_ID=$JOB SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR=$state \
    "$dftrace" epilog <&- >&- 2>&-
is $? 0 "no descriptor open: it ends well"
ok "no descriptor open: merged and analyzed" test -s "$tmp/shut/metrics.json"
exits 0 "no descriptor open: the trace is whole" "$dftrace" stat "$tmp/shut/trace.dft"

# what it has to say must be found: slurmd throws its output away
if command -v strace >/dev/null; then
    : >"$tmp/odd.conf"
    echo 'colour = red' >"$tmp/odd.conf"
    strace -f -qq -e trace=connect -o "$tmp/connects" env SLURM_JOB_ID=1 \
        DFTRACE_STATE_DIR="$state" DFTRACE_CONF="$tmp/odd.conf" \
        "$dftrace" epilog </dev/null 2>/dev/null
    like "$(cat "$tmp/connects")" '/dev/log' "what is wrong goes to syslog"
else
    skip "no strace here" "what is wrong goes to syslog"
fi

# -- limits ------------------------------------------------------------

echo "epilog_memory = 1M" >"$tmp/tiny.conf"
job "$tmp/tiny"
(umask 077 && echo "$OWNER $OWNER 20000 $tmp/tiny" >"$state/$JOB.$HOST")
exits 0 "hardly any memory: it ends well" env SLURM_JOB_ID=$JOB \
    SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR="$state" \
    DFTRACE_CONF="$tmp/tiny.conf" "$dftrace" epilog
nok "hardly any memory: no metrics" test -e "$tmp/tiny/metrics.json"
ok "and the shards are as they were" test -n "$(ls "$tmp/tiny/shards"/*.dft)"
ok "and the directory says why" grep -q "merge ended with status" "$tmp/tiny/epilog.$HOST.log"

# In steps from where the command itself starts: another status would drain the node.
job "$tmp/short"
for ((least = 1024; least < 65536; least += 64)); do
    (prlimit --data=$((least * 1024)) "$dftrace" --version || exit) >/dev/null 2>&1 && break
done
for ((kib = least; kib < least + 1024; kib += 64)); do
    (umask 077 && echo "$OWNER $OWNER 20000 $tmp/short" >"$state/$JOB.$HOST")
    SLURM_JOB_ID=$JOB SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR="$state" \
        prlimit --data=$((kib * 1024)) "$dftrace" epilog </dev/null 2>/dev/null
    echo $?
done >"$tmp/statuses"
is "$(sort -u "$tmp/statuses")" 0 "hardly any memory for root's part: it ends well, too"
rm -f "$state/$JOB.$HOST"*

# -- stages ------------------------------------------------------------

# stage NAME: a job whose shards are staged; the marker says so.
stage() {
    job "$tmp/$1"
    mkdir -p "$tmp/local/$1.$JOB.0"
    mv "$tmp/$1/shards" "$tmp/local/$1.$JOB.0/shards"
    rm "$tmp/local/$1.$JOB.0/shards/started.$HOST" # which is never there
    mkdir "$tmp/$1/shards"
    : >"$tmp/$1/shards/started.$HOST"
    for shard in "$tmp/local/$1.$JOB.0"/shards/*.dft; do
        mv "$shard" "${shard%/*}/$HOST-9999999-${shard##*-}"
    done 2>/dev/null
    chown -R $OWNER:$OWNER "$tmp/$1" "$tmp/local"
    (umask 077 && printf '%s %s %s %s\t%s\n' $OWNER $OWNER 20000 "$tmp/$1" \
        "$tmp/local/$1.$JOB" >"$state/$JOB.$HOST")
}
run_epilog() {
    env SLURM_JOB_ID=$JOB SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR="$state" \
        "$dftrace" epilog </dev/null >"$tmp/out" 2>"$tmp/err"
}
stage staged
: >"$tmp/staged/shards/staged.$HOST.0"
ok "staged: it ends well" run_epilog
nok "staged: nor said to be missing" test -e "$tmp/staged/shards/staged.$HOST.0"
is "$(jq .stages_missing "$tmp/staged/node.$HOST.json")" 0 "staged: none is"
ok "staged: collected and analyzed" test -s "$tmp/staged/metrics.json"
nok "staged: the stage is gone" test -e "$tmp/local/staged.$JOB.0"

# a stage that nobody can reach any more
job "$tmp/gone"
: >"$tmp/gone/shards/staged.$HOST.0"
chown -R $OWNER:$OWNER "$tmp/gone"
ok "gone: it ends well" epilog 20000 "$tmp/gone"
is "$(jq .stages_missing "$tmp/gone/node.$HOST.json")" 1 "gone: the node counts it"
is "$(jq -c '[.health.stages_missing, .health.complete]' \
    "$tmp/gone/metrics.json")" "[1,false]" "gone: and so do the results"
exits 5 "gone: analyze says so" "$dftrace" analyze --no-write --quiet "$tmp/gone"
like "$(cat "$tmp/err")" "1 stages of nodes were not collected" "gone: in words"
exits 1 "gone: --strict refuses" "$dftrace" analyze --no-write --quiet --strict \
    "$tmp/gone"

# killed between the packed shard and the removal of what it was made from
stage half
work=$tmp/local/half.$JOB.0
mkdir -p "$work/.pack.$HOST.17/shards"
mv "$work"/shards/*.dft "$work/.pack.$HOST.17/shards"
"$dftrace" merge -q -o "$tmp/half/shards/$HOST-0-17.dft" "$work/.pack.$HOST.17"
before=$("$dftrace" stat "$tmp/half/shards/$HOST-0-17.dft" | cksum)
chown -R $OWNER:$OWNER "$tmp/half" "$tmp/local"
run_epilog
is "$(find "$tmp/half/shards" -name '*.dft' | wc -l)" 1 \
    "half done: nothing is collected twice"
is "$("$dftrace" stat "$tmp/half/shards/$HOST-0-17.dft" | cksum)" "$before" \
    "half done: the packed shard is as it was"
nok "half done: the stage is gone" test -e "$work"

# killed before there was a packed shard
stage early
work=$tmp/local/early.$JOB.0
mkdir -p "$work/.pack.$HOST.17/shards"
mv "$work"/shards/*.dft "$work/.pack.$HOST.17/shards"
chown -R $OWNER:$OWNER "$tmp/local"
run_epilog
ok "early end: collected all the same" test -s "$tmp/early/metrics.json"
nok "early end: the stage is gone" test -e "$work"

# not collected, because the job directory takes nothing
if stage stuck && mount -t tmpfs -o ro tmpfs "$tmp/stuck/shards" 2>/dev/null; then
    run_epilog
    umount "$tmp/stuck/shards"
    ok "stuck: the shards stay where they are" \
        test -n "$(find "$tmp/local/stuck.$JOB.0" -name '*.dft')"
    ok "stuck: root remembers" test -e "$state/$JOB.$HOST.left"
    job "$tmp/next"
    JOB=4712
    # a tenth of the limit is for what was left: enough on a busy machine, too
    ok "stuck: the next job on the node ends well" epilog 600000 "$tmp/next"
    JOB=4711
    nok "stuck: and its epilog has collected what was left" \
        test -e "$tmp/local/stuck.$JOB.0"
    ok "stuck: the shards are in the job directory" \
        test -n "$(ls "$tmp/stuck/shards"/*.dft)"
    nok "stuck: root has forgotten" test -e "$state/$JOB.$HOST.left"
else
    skip "no mounts here" "a job directory that takes nothing"
fi

# -- what the node need not wait for -----------------------------------------

# by_script JOB DIR: the script that sites install, whose node waits for 1 ms
printf '%s=%s\n' DFTRACE_BIN "$dftrace" DFTRACE_STATE_DIR "$state" DFTRACE_EPILOG_WAIT 1ms \
    >"$tmp/epilog.conf"
by_script() {
    (umask 077 && echo "$OWNER $OWNER 20000 $2" >"$state/$1.$HOST")
    env SLURM_JOB_ID="$1" SLURMD_NODENAME=$HOST DFTRACE_EPILOG_CONF="$tmp/epilog.conf" \
        "${by[@]}" "$top_srcdir/etc/epilog.d/50-dftrace" </dev/null
}
# until COMMAND…: it succeeds some time
until_ok() {
    local n
    for ((n = 0; n < 600; n++)); do
        "$@" && return
        sleep 0.1
    done
    return 1
}
by=()
rm -f "$state"/[0-9]*
if command -v strace >/dev/null; then
    job "$tmp/behind"
    by=(strace -f -qq -e "trace=flock,dup2,dup3,rename,renameat,renameat2" -o "$tmp/order")
    ok "behind: the script ends well" by_script 4801 "$tmp/behind"
    by=()
    ok "behind: all is done" until_ok test -s "$tmp/behind/metrics.json" -a ! -e "$state/4801.$HOST.left"
    is "$(awk '/dup[23]\([0-9]+, 1/ { out[$1] = 1 } /flock\(/ && out[$1] && !seen++ { print "leaves" }
        /metrics.json"/ && !done++ { print "metrics" }' "$tmp/order" | xargs)" "leaves metrics" \
        "behind: the script is free before the work is done"
    # nobody says when the user's side ends: the descriptor for it is an empty pipe
    job "$tmp/lost"
    mkfifo "$tmp/empty"
    exec 9<>"$tmp/empty"
    (umask 077 && echo "$OWNER $OWNER 900000 $tmp/lost" >"$state/4800.$HOST")
    ok "an end that the kernel does not report is seen" timeout 600 strace -qq -e trace=pidfd_open \
        -e inject=pidfd_open:retval=9 -o "$tmp/lost.trace" env SLURM_JOB_ID=4800 SLURMD_NODENAME=$HOST \
        DFTRACE_STATE_DIR="$state" DFTRACE_EPILOG_WAIT=1ms "$dftrace" epilog </dev/null 2>/dev/null
    ok "and its results are there" test -s "$tmp/lost/metrics.json"
    exec 9>&-
    # killed right after it has begun
    job "$tmp/killed"
    (umask 077 && echo "$OWNER $OWNER 20000 $tmp/killed" >"$state/4802.$HOST")
    strace -qq -e trace=clone,clone3 -e inject=clone,clone3:signal=KILL -o /dev/null env SLURM_JOB_ID=4802 \
        SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR="$state" "$dftrace" epilog </dev/null 2>/dev/null
    ok "killed: root remembers the job" until_ok test -e "$state/4802.$HOST.left"
else
    for name in "the script ends well" "all is done" "the script is free before the work is done"; do
        skip "no strace here" "behind: $name"
    done
    skip "no strace here" "an end that the kernel does not report is seen"
    skip "no strace here" "and its results are there"
    skip "no strace here" "killed: root remembers the job"
    job "$tmp/killed"
    (umask 077 && echo "$OWNER $OWNER 20000 $tmp/killed" >"$state/4802.$HOST.left")
fi
# one at a time: the lock is another epilog's
job "$tmp/busy"
exec 8>"$state/.behind.$HOST"
flock 8
perl -e 'link $ARGV[0], "$ARGV[1]/copy-$_-1.dft" or die $! for 1 .. 3000' \
    "$(find "$tmp/busy/shards" -name '*.dft' | head -n 1)" "$tmp/busy/shards"
ok "another one is behind: it ends well" by_script 4803 "$tmp/busy"
ok "and leaves the job to a later one" until_ok test -e "$state/4803.$HOST.left"
exec 8>&-
for n in 1 2 3 4; do
    job "$tmp/after$n"
    JOB=481$n
    epilog 600000 "$tmp/after$n"
done
JOB=4711
ok "which finishes it, and the one that was killed" test -s "$tmp/busy/metrics.json" -a -s "$tmp/killed/metrics.json"
is "$(cd "$state" && ls [0-9]* 2>/dev/null)" "" "and no state stays"
touch -d '61 days ago' "$state/4.$HOST" "$state/5.other"
job "$tmp/old"
epilog 20000 "$tmp/old"
is "$(cd "$state" && ls [0-9]*)" 5.other "what no epilog came for is removed after 60 days"

done_testing
