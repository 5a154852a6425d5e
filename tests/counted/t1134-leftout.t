#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1134-leftout.t - calls that are left out: how many, and how long they took

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/counted/lines.sh"

moves=$top_builddir/tests/counted/moves
[ -r /proc/self/io ] || skip_all "this kernel has no /proc/self/io"
mkdir "$tmp/data"

# sums LINE NAME: "READ WRITTEN CALLS NS" of a word
sums ()
{
    sed -n "s/.* $2=\([0-9]*\),\([0-9]*\),\([0-9]*\),\([0-9]*\).*/\1 \2 \3 \4/p" <<<"$1"
}

# left DIR PART: "CALLS SECONDS" of a row of the view coverage
left ()
{
    "$dftrace" analyze --no-write --view coverage --format csv "$tmp/$1" |
        awk -F, -v part="left out: $2" '$1 == part { print $6, $7 }'
}

traced fifty "$moves" left "$tmp/data" 50
line=$(lines fifty | grep library=501,) # not that of its child
read -r read written calls ns <<<"$(sums "$line" library)"
is "$read $written" "501 10" "bytes that are left out"
is "$calls" 307 "opens, stats, reads and closes that are left out, failed ones, too"
cmp_num "$ns" -ge 60000000 "an open and a read of these waited for 30 ms each"
is "$(waits fifty | grep " wait_file .*file2=programs\\\\x20and\\\\x20libraries:\\\\x20$tmp/data/slow.pyc " |
    sed 's/.* dur=\([0-9]*\).*/\1/' | awk '$1 >= 3e7 { n++ } END { print n }')" 2 \
    "both are waits with the reason and the path"
read -r _ _ calls ns <<<"$(sums "$line" pipe)"
is "$calls" 1 "a read of a pipe"
cmp_num "$ns" -ge 30000000 "which waited for 30 ms"

is "$(left fifty 'programs and libraries' | cut -d' ' -f1)" 309 "the view coverage has them"
is "$("$dftrace" analyze --no-write --view metric --format csv "$tmp/fifty" |
    awk -F, '$1 == "left_out_time" { print ($2 >= 0.09) } $1 == "left_out_program_time" {
        print ($2 >= 0.06) }' | xargs)" "1 1" "so do the metrics"

# A profile counts them as events do, and so does the copy in a merged trace.
DFTRACE_LAYERS=profile,posix traced profile "$moves" left "$tmp/data" 50
is "$(left profile 'programs and libraries' | cut -d' ' -f1)" 309 "a profile: the same"
before=$(left fifty 'programs and libraries')
"$dftrace" merge -q "$tmp/fifty"
rm -r "$tmp/fifty/shards"
is "$(left fifty 'programs and libraries')" "$before" "a merged trace says the same"

# Calls of another program.
cat >"$tmp/lines.py" <<'END'
import os
for _ in range(20):
    os.stat("/etc/passwd")
END
if command -v python3 >/dev/null; then
    traced python python3 -S "$tmp/lines.py"
    read -r calls _ <<<"$(left python 'system files')"
    cmp_num "${calls:-0}" -ge 20 "stat of a system file, by Python"
fi

# Traces of before have two numbers.
sed -i 's/\(library=[0-9]*,[0-9]*\),[0-9]*,[0-9]*/\1/' "$tmp"/profile/shards/processes.*
is "$(coverage profile 'left out: programs and libraries')" "501 11" "lines without calls are read"
is "$(left profile 'programs and libraries' | cut -d' ' -f1)" 0 "and say that none are known"

done_testing
