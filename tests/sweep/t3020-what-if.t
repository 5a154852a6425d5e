#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3020-what-if.t - one kind of I/O made fast: what the program sees, what stays

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh" || exit 99

job=$top_srcdir/tests/whatif/job.py
mkdir -p "$tmp/w/data" "$tmp/w/outputs" && cd "$tmp/w" || exit 99
for i in 0 1 2 3 4 5 6 7; do head -c 8192 /dev/urandom >data/$i; done

what_if ()
{
    "$dftrace" what-if "$@"
}

# --- words ------------------------------------------------------------------
exits 2 "no command" what_if
like "$(cat "$tmp/err")" "what-if: no command" "said"
exits 2 "an unknown way to run" what_if --fast=data -- true
like "$(cat "$tmp/err")" "--fast data: not a way to run: use data-in-memory, no-metadata" "said"
exits 2 "seconds without lines" what_if --stop-after=5 -- true
like "$(cat "$tmp/err")" "both sides have taken that time: name the lines of the output" "said"
exits 2 "--apply without files" what_if --apply=data-in-memory -- true
like "$(cat "$tmp/err")" "of which files\?" "said"
exits 2 "no rounds" what_if --repeats=0 -- true
exits 1 "a command that fails" what_if -o failed -- sh -c 'echo words; exit 3'
like "$(cat "$tmp/err")" "ended with status 3: its output is in .*/failed/first.out" "said"
like "$(cat failed/first.out)" "words" "and its output is there"
exits 1 "a command that has no I/O" what_if -o none -- true
like "$(cat "$tmp/err")" "no file that could be made fast" "said"
truncate -s 8T huge
exits 125 "data that is larger than memory" \
    what_if --apply=data-in-memory --data=huge -- touch ran
like "$(cat "$tmp/err")" "data-in-memory: needs .*TiB of memory, and .* are free" "said"
nok "and nothing was started" test -e ran
rm -f huge

# --- data in memory ---------------------------------------------------------
exits 0 "--apply: a command as it is" what_if --apply=none -- sh -c 'echo words'
is "$(cat "$tmp/out")" "words" "its output"
exits 3 "and its exit status" what_if --apply=none -- sh -c 'exit 3'
if [[ $(python3 "$job" cached . drop) == "0 of 8" ]]; then
    exits 0 "--apply=data-in-memory" \
        what_if --apply=data-in-memory --data=data -- python3 "$job" cached .
    is "$(cat "$tmp/out")" "8 of 8" "all files are in memory"
    exits 0 "--apply=none" what_if --apply=none --data=data -- python3 "$job" cached .
    is "$(cat "$tmp/out")" "0 of 8" "as it is: none"
    cat data/* >/dev/null
    exits 0 "--warm" what_if --warm --apply=none --data=data -- python3 "$job" cached .
    is "$(cat "$tmp/out")" "8 of 8" "leaves the cache as it is"
    exits 0 "rounds" what_if -o path -r 2 -f json --fast=data-in-memory -- \
        sh -c "python3 '$job' cached .; cat data/* >/dev/null"
    is "$(cat path/[12]-none.out | sort | uniq -c | xargs)" "2 0 of 8" \
        "in runs as it is no data is in memory"
    is "$(cat path/[12]-data-in-memory.out | sort | uniq -c | xargs)" "2 8 of 8" \
        "in the others all"
    is "$(python3 -c '
import json
d = json.load (open ("path/what-if.json"))
n, m = d["seconds"]["none"], d["seconds"]["data-in-memory"]
saved = sum (100 * (1 - y / x) for x, y in zip (n, m)) / 2
print (d["rounds"], len (n), len (m), abs (saved - d["sides"][1]["saved_percent"]) < 1e-6)')" \
        "2 2 2 True" "what-if.json: two rounds; saved is what their times say"
else
    skip "files do not leave the page cache here" "data in memory"
fi

# --- the bound by the trace ---------------------------------------------------
slow=$top_builddir/tests/causes/.libs/slow.so
if [[ -e $slow && $(python3 "$job" cached . drop) == "0 of 8" ]]; then
    exits 0 "one of two processes reads, the other one waits for it" \
        env LD_PRELOAD="$slow" SLOW_STORAGE=1 SLOW_NAME="$PWD/data" SLOW=read=20000 \
        "$dftrace" what-if -o ranks -r 1 --within=1 -f json --fast=data-in-memory --data=data -- \
        python3 "$job" ranks . 20
    is "$(python3 - <<END
import json
as_it_is, fast = json.load (open ("ranks/what-if.json"))["sides"]
most = fast["trace_percent"] / 100 * as_it_is["time_s"]
print (most >= 0.4 or f"{most} s: {fast}")
END
)" True "the bound has the 20 reads of 20 ms, though the other process slept beside them"
    cmp_num "$(python3 -c 'import json; print (json.load (open ("ranks/what-if.json"))["rounds"])')" \
        -gt 1 "--within: one round has no interval, so there are more"
    like "$(cat ranks/what-if.html)" "; the rest is " "the page says what remains"
    ok "by a traced run in the last way" test -s ranks/remains/tables/wall_time.csv
else
    skip "no slow.so, or files do not leave the page cache here" "the bound by the trace"
fi

# --- an end after so many lines ------------------------------------------------
cat >endless.py <<END
import time
for i in range (100000):
    open ("data/%d" % (i % 8), "rb").read ()
    print ("step", i, flush = True)
    time.sleep (0.01)
END
exits 0 "a command without an end, stopped after 20 steps" what_if -o stopped -r 2 --warm \
    --fast=data-in-memory --stop-at='step ' --stop-lines=20 -- python3 endless.py
for run in first 1-none 1-data-in-memory 2-none 2-data-in-memory; do
    cmp_num "$(grep -c 'step ' stopped/$run.out)" -ge 20 "$run: has had 20 steps"
    cmp_num "$(grep -c 'step ' stopped/$run.out)" -lt 100000 "$run: was stopped"
done
exits 1 "fewer steps than named" what_if -o fewer -r 1 --stop-at=step --stop-lines=3 -- \
    sh -c 'cat data/1; echo step'
like "$(cat "$tmp/err")" "the command ended before 3 such lines" "said"
exits 2 "no lines" what_if --stop-at=step --stop-lines=0 -- true

# a start of 2 s, and each line says when it was written
cat >starts.sh <<'END'
cat data/1 >/dev/null
sleep 2
while :; do date +'step %s.%N'; sleep 0.05; done
END
exits 0 "the same, stopped after 4 seconds" what_if -o seconds -r 1 --warm -f json \
    --fast=data-in-memory --stop-at='step ' --stop-after=4 -- sh starts.sh
like "$(cat seconds/what-if.json)" '"times_of": "a line"' "what is compared is the time of a line"
is "$(python3 -c '
import json
for side, told in json.load (open ("seconds/what-if.json"))["seconds"].items ():
    at = [float (x.split ()[1]) for x in open (f"seconds/1-{side}.out") if x.endswith ("\n")]
    print (0.6 < told[0] / ((at[-1] - at[0]) / (len (at) - 1)) < 1.6)' | xargs)" "True True" \
    "from the first line to the last, over their number, without the start"
exits 1 "one line is no time" what_if -o oneline -r 1 --warm --fast=data-in-memory \
    --stop-at=step --stop-after=1 -- sh -c 'cat data/1 >/dev/null; echo step; exec sleep 100'
like "$(cat "$tmp/err")" "fewer than two lines with .step." "said"

# --- epochs, and the page ---------------------------------------------------------
if [[ $(python3 "$job" cached . drop) == "0 of 8" ]]; then
    cat >epochs.py <<END
import dftrace
for epoch in range (3):
    dftrace.epoch (epoch)
    for i in range (8):
        with dftrace.region ("app", "load"):
            open (f"data/{i}", "rb").read ()
END
    exits 0 "a job of three epochs" env PYTHONPATH="$top_builddir/python" "$dftrace" what-if \
        -o epochs -r 1 --fast=data-in-memory -- python3 epochs.py
    said=$(sed 's/\xe2\x80\xaf/ /g' "$tmp/out")
    like "$said" "the first one read for .*, 64 KiB of it from storage; the 2 later ones" \
        "the first one reads the 64 KiB of the files from storage"
    like "$said" " each, 0 B from storage: they found it in the page cache" \
        "the others do not"
    like "$(cat epochs/what-if.html)" "at most, by the trace" "its page has the bound"
    like "$(cat epochs/what-if.html)" "they found it in the page cache" "and the epochs"
    nok "and loads nothing" grep -E '(src|href)="?http' epochs/what-if.html
else
    skip "files do not leave the page cache here" "epochs"
fi

# --- an end before the end -----------------------------------------------------
mkfifo started
"$dftrace" what-if -o killed -- sh -c 'echo $$ >started; exec sleep 600' 2>/dev/null &
driver=$!
read -r pid <started
kill -KILL "$driver"
for ((i = 0; i < 600; i++)); do runs "$pid" || break; sleep 0.1; done
nok "the command ends when what-if is killed" runs "$pid"

# --- outputs in memory, without syncs ---------------------------------------
mkdir low up work
if ! unshare -Urm mount -t overlay overlay \
    -o lowerdir=low,upperdir=up,workdir=work,userxattr,volatile low 2>/dev/null; then
    skip "no overlays in user namespaces here" "outputs in memory"
    done_testing
    exit
fi
echo before >outputs/old
echo before >outputs/gone
before=$(find outputs -type f -printf '%p %s %T@\n' | sort)
exits 0 "--apply=output-in-memory" \
    what_if --apply=output-in-memory --under=outputs --keep=kept -- \
    sh -c "echo new >outputs/new; echo more >>outputs/old; rm outputs/gone
           xargs <outputs/old; ls outputs | xargs; python3 '$job' mount outputs"
is "$(cat "$tmp/out")" $'before more\nnew old\noverlay' "the program sees what it writes"
is "$(find outputs -type f -printf '%p %s %T@\n' | sort)" "$before" \
    "the files of the user are as before"
is "$(cat "kept$PWD/outputs/new") $(xargs <"kept$PWD/outputs/old")" "new before more" \
    "--keep: what was written"
cat >writes.sh <<'END'
trap 'echo ended >>outputs/old; exit 4' TERM
echo new >outputs/new
echo $$ >started
while :; do sleep 0.05; done
END
"$dftrace" what-if --apply=output-in-memory --under=outputs --keep=term -- sh writes.sh 2>said &
driver=$!
read -r pid <started
kill -TERM "$driver"
wait "$driver"
is $? 4 "SIGTERM in a run: the command ends as it does"
is "$(cat "term$PWD/outputs/new") $(xargs <"term$PWD/outputs/old")" "new before ended" \
    "and what it wrote is kept"
like "$(cat said)" "is written below .*/outputs is in memory, and copied to .*/term at the end" \
    "that it is in memory was said before"
"$dftrace" what-if --apply=output-in-memory --under=outputs -- sh writes.sh 2>said &
driver=$!
read -r pid <started
scratch=$(sed -n 's|.* \(/tmp/dftrace-what-if[^ ]*\) .* - tmpfs .*|\1|p' "/proc/$pid/mountinfo")
kill -KILL "$driver"
wait "$driver" 2>/dev/null
kill -KILL "$pid" 2>/dev/null
for ((i = 0; i < 600; i++)); do runs "$pid" || break; sleep 0.1; done
is "$(find outputs -type f -printf '%p %s %T@\n' | sort)" "$before" \
    "SIGKILL in a run: the files of the user are as before"
like "$(cat said)" "in memory, and thrown away at the end" "that outputs would be lost was said"
ok "what is left is an empty directory" rmdir "$scratch"

# --- data and its metadata in memory ---------------------------------------------
cat >looks.sh <<'END'
find data -type f -printf '%p %s %m %T@\n' | sort | sha256sum
cat data/? data/below/file | sha256sum
stat -f -c %T data
test -e data/missing && echo there
touch data/new 2>/dev/null || echo read-only
END
mkdir data/below && echo deep >data/below/file
there=$(sh looks.sh | head -n 2)
rm -f data/new
exits 0 "--apply=no-metadata" what_if --apply=no-metadata --data=data -- sh looks.sh
is "$(cat "$tmp/out")" "$there"$'\ntmpfs\nread-only' \
    "the same names, sizes, modes, times and bytes, in memory, read-only"
nok "and nothing is there afterwards" test -e data/new
exits 125 "files, no directory" what_if --apply=no-metadata --data=data/1 -- true
like "$(cat "$tmp/err")" "no-metadata: of which directories\?" "said"
exits 125 "data that is written to" \
    what_if --apply=no-metadata --data=data --under=data/below -- touch ran
like "$(cat "$tmp/err")" "data/below: is written to, and below the data .*/data" "said"
nok "and nothing was started" test -e ran
exits 0 "rounds, with all" what_if -o metadata -r 1 -f csv --data=data --same=outputs \
    --fast=no-metadata,all -- sh -c 'cat data/1 >outputs/copy; sync outputs/copy; stat -f -c %T data'
is "$(cat metadata/1-none.out metadata/1-no-metadata.out metadata/1-all.out | grep -c tmpfs)" 2 \
    "all has the metadata that was named, too; the outputs have the same bytes"
exits 0 "data, and data with its metadata" what_if -o both -r 1 --data=data \
    --fast=data-in-memory,no-metadata -- cat data/1
like "$(cat both/what-if.html)" "metadata in memory .*, of which metadata " \
    "what the metadata alone saves is said"
rm -f outputs/copy
exits 0 "no-metadata is never a default" what_if -o default -r 1 -f csv --data=data \
    -- sh -c 'cat data/1 >/dev/null'
unlike "$(cat "$tmp/out")" "metadata" "said"
exits 0 "outputs in one directory" what_if -o once -r 1 -f csv --fast=output-in-memory \
    -- sh -c 'echo x | tee outputs/1 outputs/2 outputs/3 outputs/4 outputs/5'
is "$(grep -c 'is in memory' "$tmp/err")" 1 "that they are in memory is said once"
rm -f outputs/[1-5]

exits 0 "--apply=no-sync" what_if --apply=no-sync --under=outputs -- \
    sh -c "echo new >outputs/new; python3 '$job' mount outputs"
is "$(cat "$tmp/out")" "overlay volatile" "each fsync is left out"
is "$(find outputs -type f -printf '%p %s %T@\n' | sort)" "$before" \
    "the files of the user are as before"
exits 0 "a directory that the command makes" \
    what_if --apply=output-in-memory --under=made/below -- \
    sh -c 'mkdir -p made/below && echo new >made/below/new && cat made/below/new'
is "$(cat "$tmp/out")" "new" "the program sees it"
nok "it is not there afterwards" test -e made
exits 0 "rounds of a job that writes and syncs" what_if -o all -r 1 -f csv --before 'rm -rf w' \
    --same=w -- python3 -c '
import os
os.mkdir ("w")
with open ("w/x", "wb") as f:
    f.write (b"x" * 100000); f.flush (); os.fsync (f.fileno ())'
is "$(cut -d, -f1 "$tmp/out" | sed 1d | xargs -d'\n' printf '%s;')" \
    "the job as it is;outputs in memory;without syncs;" "what this job can gain"
unlike "$(cat "$tmp/err")" "status|no trace" "what remains is known, though results are where outputs are made"
exits 7 "outputs that differ" what_if -o differ -r 2 --same=w -- sh -c 'mkdir -p w; echo $$ >w/pid'
like "$(cat "$tmp/err")" "outputs \(--same\) are not those of the other runs" "said"

chmod -R u+rwx work
is "$(find "$tmp" -name '*what-if.*' ! -name what-if.json ! -name what-if.html; find . -path '*/memory/*')" "" \
    "no layers are left"

# --- an axis of a sweep ---------------------------------------------------------
cat >sweep.yaml <<END
sweep: storage
axes:
  what_if: [none, output-in-memory]
env: {WAY: "\${what_if}"}
trace: posix
run: $dftrace what-if --apply=\$WAY --under=$PWD/outputs -- cp data/1 outputs/copy
END
rm -f outputs/copy
exits 0 "a sweep with an axis what_if" "$dftrace" sweep run --local sweep.yaml
is "$("$dftrace" analyze --view file --format csv storage 2>/dev/null |
    grep -c ',8192,.*/outputs/copy$')" 2 "the trace has the copy of both runs"
ok "one of them is there" cmp data/1 outputs/copy

# --- a site's word ------------------------------------------------------------
conf=$("$dftrace" help conf-man | grep -o '/[^ ]*/dftrace/dftrace.conf' | head -n 1)
if [ -d "${conf%/dftrace/*}" ]; then
    exits 1 "what_if = no" unshare -Urm sh -c "mount -t tmpfs none '${conf%/dftrace/*}' &&
        mkdir '${conf%/*}' && echo 'what_if = no' >'$conf' &&
        '$dftrace' what-if --apply=none -- true"
    like "$(cat "$tmp/err")" "what-if: not allowed at this site" "said"
else
    skip "no ${conf%/dftrace/*}" "what_if = no"
fi
done_testing
