#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1067-ends.t - how each process and the job ended: exit status, signal, time

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

command -v jq >/dev/null || skip_all "no jq here"
python=$(command -v /usr/bin/python3 || command -v python3) || skip_all "no python3 here"
cd "$tmp" || exit 99

# ends JOB EXE: end, status and signal of the processes of that program
ends ()
{
    "$dftrace" analyze --view process --format json "$tmp/$1" |
        jq -rc --arg exe "/$2" '.. | objects | select (.exe? // "" | endswith ($exe)) |
            [.end, .exit_status, .signal] | map (. // "-") | join (" ")'
}
# first JOB: the first screen
first () { "$dftrace" analyze "$tmp/$1" 2>/dev/null; }
second () { first "$1" | sed -n 2p; }
# seconds JOB: how long it took, whole seconds
seconds () { first "$1" | sed -n '1s/.* \([0-9]*\)\.[0-9]* s, .*/\1/p'; }

base=$(readlink -f "$python")
base=${base##*/}
write='open ("seen", "w").write ("1")'

exits 3 "python3 that ends with 3" traced three "$python" -c "$write; raise SystemExit (3)"
is "$(ends three "$base")" "exit 3 -" "its status"
like "$(second three)" "^$base \([0-9]+\): exit status 3" "the first screen has it"

exits 0 "python3 that ends with 0" traced none "$python" -c "$write"
is "$(ends none "$base")" "exit 0 -" "its status is 0"
unlike "$(first none)" "exit status|killed by" "nothing has failed"

exits 4 "_exit" traced quick "$python" -c "import os; $write; os._exit (4)"
is "$(ends quick "$base")" "exit 4 -" "the status of _exit"

exits 5 "from a shell" traced inner sh -c "$python -c '$write; raise SystemExit (5)'; exit 5"
like "$(second inner)" "^$base \([0-9]+\): exit status 5" "the program is named, not the shell"

# A helper that ends with 1 has not failed.
echo x >text
exits 0 "grep finds nothing" traced helper sh -c "cat text >copy; grep y text >>copy; $python -c '$write'"
unlike "$(first helper)" "\\([0-9]+\\): exit status|killed by" "grep is no failure"

touch begun
exits 1 "grep finds nothing long before its parent ends with 1" traced parent "$python" -c "
import os, subprocess, time
$write
subprocess.call ('grep y seen >>copy', shell = True)
time.sleep (2 * (time.time () - os.stat ('begun').st_mtime))
raise SystemExit (1)"
like "$(second parent)" "^$base \([0-9]+\): exit status 1" "the parent has failed"

# -- signals --------------------------------------------------------------

exits 139 "a fault, in a child of a shell" traced fault \
    sh -c "$python -c 'import os, signal; $write; os.kill (os.getpid (), signal.SIGSEGV)'; exit 139"
is "$(ends fault "$base")" "signal - 11" "its signal"
like "$(second fault)" "^$base \([0-9]+\): killed by signal 11" "the first screen has it"
exits 130 "Ctrl-C, in a child of a shell" traced interrupt \
    sh -c "$python -c 'import os, signal; $write; signal.signal (signal.SIGINT, signal.default_int_handler); os.kill (os.getpid (), signal.SIGINT)'; exit 130"
is "$(ends interrupt "$base")" "signal - 2" "its signal"
like "$(second interrupt)" "^$base \([0-9]+\): killed by signal 2" "the first screen has it"

exits 0 "each way to wait" traced waits "$victims/odd/waits"
sort "$tmp/out" >"$tmp/want"
is "$("$dftrace" analyze --view process --format json "$tmp/waits" |
    jq -r '.. | objects | select (.signal? // 0 > 0) | "\(.pid) \(.signal)"' | sort)" \
    "$(cat "$tmp/want")" "the signal of each child"
cmp_num "$(wc -l <"$tmp/want")" -eq 9 "of nine"

exits 1 "the job ends with its process, not with its last event" traced long \
    sh -c "$python -c 'import os, signal, time; $write; time.sleep (2); os.kill (os.getpid (), signal.SIGKILL)'; exit 1"
cmp_num "$(seconds long)" -ge 2 "the job took the time of its process"
is "$(ends long "$base")" "signal - 9" "and says what ended it"

if command -v timeout >/dev/null; then
    traced killer timeout -s KILL 2 "$python" -c "import time; $write; time.sleep (60)" 2>/dev/null
    is "$(ends killer "$base")" "signal - 9" "killed by who dies as well"
    cmp_num "$(seconds killer)" -ge 1 "at that time"
fi

# SIGKILL to a process that has ended already says nothing of its end.
traced late "$python" -c "
import os, signal, time
$write
p = os.fork ()
if p == 0:
    open ('child', 'w').write ('1')
    os._exit (7)
os.waitid (os.P_PID, p, os.WEXITED | os.WNOWAIT)
os.kill (p, signal.SIGKILL)
os.waitpid (p, 0)"
is "$(ends late "$base" | sort | xargs)" "exit 0 - exit 7 -" "a kill that comes late"

# -- job.json -----------------------------------------------------------------

# job_end JOB: exit status, signal and number of failed processes of the job
job_end () { jq -r '.ended | "\(.exit_status) \(.signal) \(.failed_processes)"' "$tmp/$1/job.json"; }
# failed JOB EXE: exit status and signal of those processes, of that program
failed ()
{
    jq -r --arg exe "/$2" '.ended.failed[] | select (.exe | endswith ($exe)) |
        "\(.exit_status) \(.signal)"' "$tmp/$1/job.json"
}

traced told "$python" -c "$write; raise SystemExit (3)"
wrote=$(stat -c %Y seen)
is "$(job_end told)" "3 null 1" "dftrace run writes how the job ended"
is "$(failed told "$base")" "3 null" "and the process that failed"
is "$(jq -r .format "$tmp/told/job.json")" dftrace-job "beside all that was there before"
traced helpers sh -c "cat text >copy; grep y text >>copy; $python -c '$write; raise SystemExit (1)'; exit 1"
is "$(jq -r '.ended.failed[].exe' "$tmp/helpers/job.json" | sed 's,.*/,,')" "$base" \
    "grep, which had the same status, is not in it"
cmp_num "$(jq '.ended.failed[0].end_s | floor' "$tmp/told/job.json")" -le "$(($(date +%s) + 1))" "it ended by now"
cmp_num "$(jq '.ended.failed[0].end_s | floor' "$tmp/told/job.json")" -ge "$wrote" \
    "and not before it wrote"
is "$(job_end none)" "0 null 0" "a job that has not failed"
is "$(job_end fault | cut -d' ' -f1,2) $(failed fault "$base")" "139 null null 11" "a process that a signal ended"
traced dies "$python" -c "import os, signal; $write; os.kill (os.getpid (), signal.SIGKILL)"
is "$(job_end dies)" "null 9 1" "a job that a signal ended"
pid=$(jq '.ended.failed[0].pid' "$tmp/dies/job.json")
is "$("$dftrace" analyze --view process --format json "$tmp/dies" |
    jq -r --argjson pid "$pid" '.. | objects | select (.pid? == $pid) | .signal')" 9 "its process"
cp "$tmp/dies/job.json" "$tmp/before"
"$dftrace" analyze "$tmp/dies" >/dev/null 2>&1
cmp -s "$tmp/dies/job.json" "$tmp/before"
is "$?" 0 "an analysis writes it no second time"
"$dftrace" merge -q "$tmp/dies"
rm -rf "$tmp/dies/shards"
"$dftrace" analyze "$tmp/dies" >/dev/null 2>&1
is "$(job_end dies)" "null 9 1" "nor is it lost with the shards"

touch other
if [ "$(id -u)" = 0 ] && chown 65534 other 2>/dev/null; then
    traced theirs "$python" -c "$write; raise SystemExit (3)"
    jq 'del (.ended)' "$tmp/theirs/job.json" >"$tmp/before"
    cp "$tmp/before" "$tmp/theirs/job.json"
    chown 65534 "$tmp/theirs/job.json"
    "$dftrace" analyze "$tmp/theirs" >/dev/null 2>&1
    is "$(stat -c %u "$tmp/theirs/job.json")" 65534 "job.json of another user stays his"
    chown 0 "$tmp/theirs/job.json"
    "$dftrace" merge -q --force "$tmp/theirs"
    is "$(job_end theirs)" "3 null 1" "merge writes it, too"
fi

# -- the page -------------------------------------------------------------------

"$dftrace" report -o "$tmp/page.html" "$tmp/fault" >/dev/null 2>&1
like "$(grep -o '<div class="banner">[^<]*' "$tmp/page.html")" \
    "$(second fault | sed 's/[().]/\\&/g')" "the page says what the first screen says"
"$dftrace" report -o "$tmp/quiet.html" "$tmp/none" >/dev/null 2>&1
unlike "$(cat "$tmp/quiet.html")" 'class="banner">[^<]*(killed by|exit status)' "where nothing has failed it does not"

# -- what stays when shards are merged -------------------------------------

"$dftrace" merge -q "$tmp/fault" && rm -rf "$tmp/fault/shards"
is "$(ends fault "$base")" "signal - 11" "a merged trace has the signal"
"$dftrace" merge -q "$tmp/three" && rm -rf "$tmp/three/shards"
is "$(ends three "$base")" "exit 3 -" "and the exit status"

done_testing
