#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2406-wall.t - the bill of the job's wall time, against a plain computation
#                over events and processes; what it says of a few jobs

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v python3 >/dev/null || skip_all "no python3"
unset "${!SLURM@}"

# compare NAME JOB: to a few ns, as parts are rounded
compare ()
{
    local name=$1 job=$2 start view

    start=$("$dftrace" analyze --no-write --format json "$job" 2>/dev/null |
        sed -n 's/^ *"start_real_ns": \([0-9]*\),*$/\1/p')
    for view in process file wall; do
        "$dftrace" analyze --no-write --format csv --view $view "$job" \
            >"$tmp/$view.csv" 2>/dev/null
    done
    "$dftrace" export -f jsonl "$job" 2>/dev/null |
        python3 "$top_srcdir/tests/python/wall.py" "$tmp/process.csv" \
            "$tmp/file.csv" "$start" "$tmp/wall.csv" >"$tmp/got" 2>&1
    like "$(cat "$tmp/got")" '^([0-9]+) of \1$' \
        "$name: each instant is of those who were there, and adds up"
}

# percent JOB: what all parts in percent add up to
percent ()
{
    "$dftrace" analyze --no-write --format csv "$1" 2>/dev/null |
        awk -F, '/^wall_/ && $1 !~ /_time$/ { sum += $2 }
            END { printf "%.6f", sum }'
}

# --- processes at random: a shell, execs, idle ones, ranks that train ---------

for seed in 0 1 2 3 4 5 6; do
    "$top_builddir/tests/tools/mkshard" "$tmp/family$seed" family $seed
    compare "a family, seed $seed" "$tmp/family$seed"
done
is "$("$dftrace" analyze --no-write --format csv --view bill "$tmp/family0" 2>/dev/null |
    awk -F, 'NR == 2 { for (i = 5; i <= NF; i++) print $i + 0 }')" \
    "$("$dftrace" analyze --no-write --format csv --view wall "$tmp/family0" 2>/dev/null |
        awk -F, 'NR > 1 { print $(NF - 3) + 0 }')" "one process: its own bill is the job's"
is "$(percent "$tmp/family2")" 100.000000 "100 %"
is "$("$dftrace" analyze --no-write -j 1 --view wall "$tmp/family2" 2>/dev/null | cksum)" \
    "$("$dftrace" analyze --no-write -j 7 --view wall "$tmp/family2" 2>/dev/null | cksum)" \
    "any number of threads gives the same"
"$top_builddir/tests/tools/mkshard" "$tmp/direct" direct 40
compare "a training" "$tmp/direct"
for kind in train plain; do
    python3 "$top_srcdir/tests/python/regions.py" 5 $kind threads >"$tmp/$kind.pfw"
    compare "threads, $kind" "$tmp/$kind.pfw"
done

# In shares of Slurm tasks: the same bytes.
mkdir "$tmp/shares"
cp "$tmp/train.pfw" "$tmp/shares/"
sed 's/"pid":1,"tid":1,/"pid":3,"tid":3,/; s/"pid":2,"tid":2,/"pid":4,"tid":4,/' \
    "$tmp/plain.pfw" >"$tmp/shares/other.pfw"
"$dftrace" analyze --no-write --view wall "$tmp/shares" >"$tmp/one"
for i in 1 2; do
    "$dftrace" analyze --partial --partition $i/2 "$tmp/shares"
done
is "$("$dftrace" analyze --reduce --no-write --view wall "$tmp/shares")" \
    "$(cat "$tmp/one")" "in shares: the same"

# --- what it says ------------------------------------------------------------

# event NAME PID TS DUR [FILE]
event ()
{
    printf '{"name":"%s","cat":"POSIX","pid":%d,"tid":%d,"ts":%d,"dur":%d,' \
        "$1" "$2" "$2" "$3" "$4"
    printf '"ph":"X","args":{"hostname":"n1","fname":"%s","ret":0}}\n' \
        "${5:-/out/a.txt}"
}

# wall ROW JOB: seconds and percent
wall ()
{
    "$dftrace" analyze --no-write --format csv --view wall "$2" 2>/dev/null |
        awk -F, -v row="$1" '$1 == row { print $(NF - 3), $(NF - 2) }'
}

# A serial stage that syncs, nothing for a while, then two ranks beside each
# other of which one syncs: half of that time is its.
{
    event fsync 1 0 400000
    event write 2 600000 1
    event write 3 600000 1
    event fsync 2 800000 200000
    event write 3 999999 1
} >"$tmp/stages.pfw"
is "$(wall sync "$tmp/stages.pfw")" "0.5 50" "a stage before the ranks, and half of theirs"
is "$(wall between "$tmp/stages.pfw")" "0.2 20" "no process was there"
like "$("$dftrace" analyze --no-write "$tmp/stages.pfw" | grep '^time of\|  sync\|no process')" \
    'time of the job +1 s +longest
  sync +500 ms +50\.0 % +400 ms +#+
  no process there +200 ms +20\.0 %' "on the screen"
# --- a process that was traced: the kernel counts what no event tells -----------

python=$(python3 -c 'import sys; print (sys.executable)')
cpu=$("$dftrace" run -q -o "$tmp/spin" -- "$python" -S -c '
import time
open ("'"$tmp"'/file", "w").write ("x")
while time.process_time () < 0.2: pass
print (time.process_time ())' 2>/dev/null)
if ! grep -q '[1-9]' /proc/self/schedstat 2>/dev/null; then
    skip "the kernel does not count run times" "computing"
else
    ok "computing is what the process had of CPUs" awk -v told="$(wall cpu "$tmp/spin")" \
        -v own="$cpu" 'BEGIN { split (told, t, " ")
            exit !(t[1] > 0.75 * own && t[1] < 1.25 * own + 0.05) }'
fi
done_testing
