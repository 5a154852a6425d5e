#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1100-run.t - dftrace run: the command's status, signals, job directory

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
run="$dftrace run"

exits 0 "status 0" $run -o a -- cat /dev/null
is "$(stat -c %a a)" 700 "the job directory is the user's alone"
ok "job.json is there" grep -q '"dftrace-job"' a/job.json
ok "shards/ is there" test -d a/shards
cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
taskset -c "$cpu" $run -q -o one -- cat /dev/null
like "$(cat one/job.json)" '"cpus_allowed": 1,' "a processor allowed"
if command -v python3 >/dev/null; then
    like "$(cat a/job.json)" "\"cpus_allowed\": $(python3 -c 'import os; print (len (os.sched_getaffinity (0)))')," \
        "as many as Python counts"
    ok "job.json is JSON" python3 -m json.tool a/job.json
fi
unlike "$(cat a/job.json)" '"cpu_limit": 0\.000' "a limit is never 0"
exits 3 "status of the command" $run -q -o b sh -c 'exit 3'
is "$(cat err)" "" "-q is quiet"
exits 125 "status 125 of the command is its own" $run -q -o b sh -c 'exit 125'
if command -v prlimit >/dev/null && python3 -c 'import pty' 2>/dev/null; then
    # the terminal gets the first screen, which needs memory
    echo data >job.txt
    exits 7 "no memory after the command: its status" python3 -c 'import os, pty, sys
sys.exit (os.WEXITSTATUS (pty.spawn (sys.argv[1:])))' $run -o short bash -c \
        'cat job.txt; prlimit --pid $PPID --data=1000; exit 7'
    like "$(cat "$tmp/out")" "dftrace: .*memory" "and it is said"
else
    skip "no prlimit or no pty here" "no memory after the command: its status"
    skip "no prlimit or no pty here" "and it is said"
fi
exits 127 "no such command" $run -o c ./nosuchcommand
like "$(cat err)" '^dftrace: \./nosuchcommand: .*: ' "is said"
nok "and leaves no directory" test -e c
exits 127 "no such command, in a directory of before" $run -o b ./nosuchcommand
ok "which stays" test -e b/job.json
exits 126 "not a program" $run -o c "$tmp"
exits 2 "unknown layer" $run --layers posx true
like "$(cat err)" 'posx' "names the word"
exits 2 "no command" $run
exits 2 "unknown option" $run --nonsense true
exits 0 "--help" $run --help
like "$(cat out)" 'Exit|exit' "help has exit codes"
DFTRACE_PRELOAD=$tmp/nolib.so exits 125 "a missing library" $run -o d true
like "$(cat err)" 'nolib.so: .*: ' "is said"
nok "and nothing was made" test -e d
DFTRACE_PRELOAD=rel/lib.so exits 125 "a relative library" $run -o d true
mkdir ro && : >ro/file
exits 125 "an impossible directory" $run -o ro/file/x true

echo data >f
exits 0 "says where" $run -o e cat f
like "$(cat err)" "dftrace analyze $tmp/e" "and what next"
is "$(cat out)" data "output is the command's alone"
exits 125 "a directory that holds a trace is refused" $run -o e cat f
like "$(cat "$tmp/err")" "holds a trace already, .* name another one, or say --add" "and it is said why"
is "$("$dftrace" analyze --no-write --format csv --view process e | grep -c '/cat$')" 1 "it is as it was"
exits 0 "--add: the command belongs to it" $run -q --add -o e cat f
is "$("$dftrace" analyze --no-write --format csv --view process e | grep -c '/cat$')" 2 "and it has both"
exits 0 "says when there is nothing" $run -o g true
like "$(cat err)" "no trace: its programs were traced, and made no call that is recorded" "and that it was traced"
exits 0 "a file that is left out" $run -o left bash -c 'exec grep root /etc/passwd >/dev/null 2>&1'
like "$(cat err)" "no trace: .* touched only files that are left out; .* include and exclude" "is said"

for n in 1 2 3; do
    ($run -q -o three sh -c 'cat f; until [ -e go ]; do sleep 0.05; done'; echo $? >"exit.$n") >/dev/null 2>"err.$n" &
done
for ((n = 0; n < 600; n++)); do
    [ "$(cat exit.? 2>/dev/null | grep -c 125)" = 2 ] && break
    sleep 0.1
done
: >go
wait
is "$(sort -n exit.? | xargs)" "0 125 125" "of three runs at once into one directory two are refused"
like "$(cat err.?)" "another run is writing there, .* name another one, or say --add" "and it is said why"
is "$("$dftrace" analyze --no-write --format csv --view process three | grep -c '/cat,*$')" 1 "it has the trace of one"

exits 0 "a directory is chosen" $run sh -c 'cat f'
like "$(ls dftrace)" '^sh-[0-9]+$' "named after the command"
exits 0 "and another" $run sh -c 'cat f'
is "$(ls dftrace | wc -l)" 2 "for the next run"

# Existing preloads stay, ours goes first, once.
LD_PRELOAD=/no/other.so exits 0 "LD_PRELOAD is kept" \
    $run -q -o h sh -c 'echo "$LD_PRELOAD"' 2>/dev/null
is "$(cat out)" "$library:/no/other.so" "ours in front"
exits 0 "a run in a run" $run -q -o i "$dftrace" run -q -o j sh -c 'echo "$LD_PRELOAD"'
is "$(cat out)" "$library" "has ours once"

# Bind lists of containers, for who asks for them.
APPTAINER_BIND=/data exits 0 "container_bind" env DFTRACE_CONTAINER_BIND=1 \
    $run -q -o binds sh -c 'echo "$APPTAINER_BIND $SINGULARITY_BIND"'
own=${library%/*}:${library%/*}:ro,$tmp/binds
is "$(cat out)" "/data,$own $own" "adds the directories of the library and of the job"
APPTAINER_BIND=/data exits 0 "without it" $run -q -o unbound sh -c 'echo "$APPTAINER_BIND $SINGULARITY_BIND"'
is "$(cat out)" "/data " "the lists are the user's"

# Signals.
exits 137 "death by a signal" bash -c "$run -q -o k sh -c 'kill -9 \$\$'; exit \$?"
cat >trap.sh <<'END'
trap 'echo got; exit 9' USR1
echo ready
while :; do sleep 0.05; done
END
$run -q -o l bash trap.sh >sig.out &
pid=$!
for i in $(seq 1200); do grep -q ready sig.out 2>/dev/null && break; sleep 0.05; done
kill -USR1 $pid
wait $pid
is "$?" 9 "a signal is handed on"
like "$(cat sig.out)" got "and handled by the command"
exits 0 "ignored signals stay ignored" bash -c "trap '' TERM; $run -q -o m sh -c 'kill -TERM \$\$; exit 0'"

# Inside a job whose shards are staged.
mkdir "$tmp/stage"
DFTRACE_STAGE=$tmp/stage "$dftrace" run -q -o "$tmp/unstaged" -- cat f \
    >/dev/null
ok "the stage of a job is not the run's" test -n "$(ls "$tmp/unstaged/shards")"
is "$(ls "$tmp/stage")" "" "and stays empty"

done_testing
