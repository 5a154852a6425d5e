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
unlike "$(first helper)" "exit status|killed by" "grep is no failure"

# -- signals --------------------------------------------------------------

exits 139 "a fault, in a child of a shell" traced fault \
    sh -c "$python -c 'import os, signal; $write; os.kill (os.getpid (), signal.SIGSEGV)'; exit 139"
is "$(ends fault "$base")" "signal - 11" "its signal"
like "$(second fault)" "^$base \([0-9]+\): killed by signal 11" "the first screen has it"

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

# -- what stays when shards are merged -------------------------------------

"$dftrace" merge -q "$tmp/fault" && rm -rf "$tmp/fault/shards"
is "$(ends fault "$base")" "signal - 11" "a merged trace has the signal"
"$dftrace" merge -q "$tmp/three" && rm -rf "$tmp/three/shards"
is "$(ends three "$base")" "exit 3 -" "and the exit status"

done_testing
