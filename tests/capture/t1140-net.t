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

# The kernel may give the port of a server that has ended to a later one.
one_by_peer ()
{
    awk '{ for (i = 2; i <= 4; i++) n[$1, i] += $i; peer[$1] }
        END { for (p in peer) print p, n[p, 2], n[p, 3], n[p, 4] }' "$1" | sort
}

mkdir "$tmp/dir"
for layers in posix,app posix,net net profile; do
    "$dftrace" run -q -o "$tmp/$layers" --layers "$layers" -- "$victims/net" "$tmp/dir" \
        >"$tmp/said" 2>"$tmp/err"
    is "$?$(cat "$tmp/err")" 0 "$layers: the program runs as without us"
    is "$(peers "$layers" | diff - <(one_by_peer "$tmp/said"))" "" \
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

# What a thread waits for is told, with its peer, and the first screen has it.
"$dftrace" run -q -o "$tmp/slow" -- "$victims/net" slow >"$tmp/port" 2>"$tmp/err"
is "$?$(cat "$tmp/err")" 0 "a client of a slow server"
peer=127.0.0.1:$(cat "$tmp/port")
"$dftrace" export -f jsonl "$tmp/slow" | grep "\"wait_net\",\"file2\":\"$peer\"" >"$tmp/waits"
cmp_num "$(wc -l <"$tmp/waits")" -ge 4 "each answer is waited for"
cmp_num "$(sed 's/.*"dur_ns":\([0-9]*\).*/\1/' "$tmp/waits" | awk '{ n += $1 } END { print int (n / 1e6) }')" -ge 1190 \
    "the time of the server, in the wait for it"
is "$("$dftrace" analyze --no-write "$tmp/slow" --view peer -f csv |
    awk -F, -v port="${peer#*:}" '$2 == port { print $4, $7, $8, ($9 >= 1.19), $10, ($11 >= 0.297) }')" \
    "1 400 400 1 4 1" "in the sums; each first byte came after the server's time"
"$dftrace" analyze --no-write "$tmp/slow" >"$tmp/screen"
ok "the first screen names peer and bytes" grep -q "^network .*: .* received, .* sent; $peer " "$tmp/screen"
"$dftrace" report -o "$tmp/page.html" "$tmp/slow" >"$tmp/out"
ok "the page has the table" grep -q 'id="peers"' "$tmp/page.html"

# A process that is killed has told what it had done up to its last second.
("$dftrace" run -q -o "$tmp/killed" -- "$victims/net" killed >"$tmp/port") 2>"$tmp/err"
is "$("$dftrace" analyze --no-write "$tmp/killed" --view peer -f csv |
    awk -F, -v port="$(cat "$tmp/port")" '$2 == port { print $4, ($7 > 0 && $7 <= 400) }')" "1 1" \
    "killed: its sums are there"

# The kernel's word: bytes of each call, as strace sees them.
if strace -f -yy -o "$tmp/try" true 2>/dev/null; then
    mkdir "$tmp/calls" "$tmp/traced"
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/traced strace -ff -yy -o "$tmp/calls/t" -E LD_PRELOAD="$library" \
        -e trace=read,write,readv,writev,sendto,recvfrom,sendmsg,recvmsg,sendmmsg,recvmmsg,sendfile,splice \
        "$victims/net" "$tmp/dir" >"$tmp/said"
    python3 - "$tmp"/calls/t.* >"$tmp/seen" <<'END'
import re, sys

# Calls on sockets of IP; what is only looked at is not received.
sent = received = 0
for path in sys.argv[1:]:
    for line in open(path, errors="replace"):
        m = re.match(r"(\w+)\((.*)\) *= (\d+)", line)
        if not m or "MSG_PEEK" in line:
            continue
        name, args, result = m.group(1), m.group(2), int(m.group(3))
        on = [bool(re.match(r"\d+<(TCP|UDP)", a)) for a in args.split(", ")]
        if name in ("sendmmsg", "recvmmsg"):
            result = sum(int(n) for n in re.findall(r"msg_len=(\d+)", args))
        if name in ("write", "writev", "sendto", "sendmsg", "sendmmsg", "sendfile") and on[0]:
            sent += result
        if name == "splice" and on[2]:
            sent += result
        if name in ("read", "readv", "recvfrom", "recvmsg", "recvmmsg") and on[0]:
            received += result
print(sent, received)
END
    is "$("$dftrace" analyze --no-write "$tmp/traced" --view peer -f csv |
        awk -F, 'NR > 1 && $1 != "local" { s += $7; r += $8 } END { print s, r }')" "$(cat "$tmp/seen")" \
        "strace: all bytes that went over sockets of IP"
else
    skip "no strace" "strace: all bytes that went over sockets of IP"
fi

done_testing
