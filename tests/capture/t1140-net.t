#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1140-net.t - sums by peer are what the program knows of its connections; an
#               event for each call, in layer net, adds up to the same

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

command -v python3 >/dev/null || skip_all "no python3"

# JOB -> "PEER connections sent received" sorted; ends that accepted as one line
peers ()
{
    "$dftrace" analyze --no-write "$tmp/$1" --view peer -f csv | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
total = [0, 0, 0]
for r in rows:
    n = [int(r[k]) for k in ("connections", "sent_bytes", "received_bytes")]
    if r["port"] == "*":
        total = [a + b for a, b in zip(total, n)]
        continue
    host = "[%s]" % r["peer"] if ":" in r["peer"] else r["peer"]
    print(host + (":" + r["port"] if r["port"] else ""), *n)
print("accepted", *total)
' | sort
}

# JOB COLUMN -> sum of it over the peers
column ()
{
    "$dftrace" analyze --no-write "$tmp/$1" --view peer -f csv | python3 -c '
import csv, sys
print(sum(float(r[sys.argv[1]] or 0) for r in csv.DictReader(sys.stdin)))' "$2"
}

mkdir "$tmp/dir"
for layers in posix,app posix,net net profile; do
    "$dftrace" run -q -o "$tmp/$layers" --layers "$layers" -- "$victims/net" "$tmp/dir" \
        >"$tmp/said" 2>"$tmp/err"
    is "$?$(cat "$tmp/err")" 0 "$layers: the program runs as without us"
    is "$(peers "$layers" | diff - <(sort "$tmp/said"))" "" \
        "$layers: each peer has the connections and bytes that the program knows"
    is "$(column "$layers" failed)" 1.0 "$layers: one connection was refused"
    is "$(health "$layers" lost)$(health "$layers" lost_names)" 00 "$layers: nothing was lost"
done

"$dftrace" export -f jsonl "$tmp/posix,app" >"$tmp/events"
is "$(grep '"NET"' "$tmp/events" | grep -vc net_sums)" 0 "without the word there are sums only"

# Events: bytes of the calls are the sums.
"$dftrace" export -f jsonl "$tmp/posix,net" >"$tmp/events"
is "$(python3 - "$tmp/events" <<'END'
import collections, json, sys
calls, sums = collections.Counter(), collections.Counter()
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["cat"] != "NET":
        continue
    if e["name"] == "net_sums":
        for key, word in ("net.sent", "send"), ("net.received", "recv"), ("net.connections", "connection"):
            sums[e["file"], word] += e["args"].get(key, 0)
    elif e["name"] == "connection":
        calls[e["file"], "connection"] += 1
    elif e["name"] in ("send", "recv") and e["ret"] > 0:
        calls[e["file"], e["name"]] += e["ret"]
print(+calls == +sums, sum(n for (p, w), n in calls.items() if w == "send") > 600000)
END
)" "True True" "events of each call add up to the sums of their peer"
is "$("$dftrace" analyze --no-write "$tmp/posix,net" --view call -f csv | grep -c '^NET,\(connect\|accept\|send\|recv\|shutdown\|getaddrinfo\),')" 6 \
    "they are calls of layer NET"
is "$("$dftrace" export -f jsonl "$tmp/posix,net" | grep '"POSIX"' | grep -c 'socket:')" 0 "and none of files"

# By several tasks, merged: the same.
job=$tmp/posix,app
peers posix,app >"$tmp/shards"
for i in 1 2; do
    "$dftrace" analyze --partial --partition "$i/2" "$job" >"$tmp/out" 2>&1
done
"$dftrace" analyze --reduce -f csv --view peer "$job" >"$tmp/reduced"
is "$?$("$dftrace" analyze --no-write -f csv --view peer "$job" | diff - "$tmp/reduced")" 0 \
    "several tasks find the same"
"$dftrace" merge -q "$job"
is "$(peers posix,app | diff - "$tmp/shards")" "" "merged: the same"

done_testing
