#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2305-far-times.t - a foreign trace of many threads, some of whose times lie
# years apart, as damage leaves them: the numbers are those of plain Python

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v python3 >/dev/null || skip_all "no python3"

python3 - "$tmp/far.pfw" >"$tmp/want" <<'EOF'
import collections, random, sys

random.seed (11)
THREADS, EVENTS, START, YEAR = 200, 6000, 1700000000000000, 31557600 * 10**6
now = [START] * THREADS
times = collections.defaultdict (list)


def union (spans):
    length = done = 0
    for start, end in sorted (spans):
        length += max (0, end - max (start, done))
        done = max (done, end)
    return length


with open (sys.argv[1], "w") as out:
    print ("[", file=out)
    for i in range (EVENTS):
        thread = i % THREADS
        now[thread] += random.randrange (10, 500)
        ts, dur = now[thread], random.randrange (1, 200)
        now[thread] += dur
        if random.random () < 0.05:
            ts += random.randrange (YEAR * 50)
        if random.random () < 0.02:
            dur = random.randrange (YEAR // 2)
        name = random.choice (["read", "write", "close"])
        times[name].append ((ts, ts + dur))
        print ('{"id":%d,"name":"%s","cat":"POSIX","pid":%d,"tid":%d,'
               '"ts":%d,"dur":%d,"ph":"X","args":{"ret":1}}'
               % (i, name, 100 + thread // 8, 1000 + thread, ts, dur),
               file=out)
for name in sorted (times):
    print ("%s,%d,%d" % (name, len (times[name]), union (times[name])))
every = [span for spans in times.values () for span in spans]
print ("all,%d,%d" % (len (every), union (every)))
EOF

# ask WORD…: count and union in us
ask ()
{
    "$dftrace" analyze --no-write --format csv "$@" --show 'count,union' \
        "$tmp/far.pfw" 2>"$tmp/err" | sed 1d |
        awk -F, '{ $NF = sprintf ("%.0f", $NF * 1e6); print }' OFS=,
}

{ ask --by name | sort; ask | sed 's/^/all,/'; } >"$tmp/got"
is "$(diff "$tmp/want" "$tmp/got")" "" "counts and unions are Python's"
like "$(cat "$tmp/err")" "cannot be|^$" "what is doubtful is said"
exits 0 "all tables are made in the same way" \
    "$dftrace" analyze --no-write --quiet "$tmp/far.pfw"
mkdir "$tmp/far"
cp "$tmp/far.pfw" "$tmp/far"
exits 0 "and of partitions" "$dftrace" analyze --partial --partition 1/1 "$tmp/far"
exits 0 "which are put together" \
    "$dftrace" analyze --reduce --no-write --quiet "$tmp/far"
done_testing
