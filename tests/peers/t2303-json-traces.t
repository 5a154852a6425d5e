#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2303-json-traces.t - the same ten events in every way that tools write JSON
# traces: all are read, and what is not is said

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v python3 >/dev/null || skip_all "no Python"
cd "$tmp" || exit 99

cat >make.py <<'END'
"""Ten events of two threads, of which two lie inside another one."""
import gzip, json

def event (i, ts, dur, tid):
    return {"name": "read", "cat": "POSIX", "ph": "X", "pid": 7, "tid": tid, "ts": ts, "dur": dur,
            "args": {"ret": 100 + i, "text": "a \"b\" {[\\"}}

base = 1785087679000000
events = [event (i, base + 1000 * i, 400.5, 1 + i % 2) for i in range (8)]
events += [event (8, base + 10, 20, 1), event (9, base + 20, 5, 1)]
pairs = []
for e in events:
    begin = dict (e, ph="B")
    del begin["dur"]
    pairs.append ((e["ts"], 1, begin))
    pairs.append ((e["ts"] + e["dur"], 0, {"ph": "E", "pid": 7, "tid": e["tid"], "ts": e["ts"] + e["dur"]}))
pairs = [p[2] for p in sorted (pairs, key=lambda p: p[:2])]
whole = {"displayTimeUnit": "ms", "deviceProperties": [{"id": 0, "name": "none"}],
         "traceEvents": events, "otherData": {"traceEvents": "no", "list": [{"ph": "X"}]}}

def write (name, text, mode="w"):
    with open (name, mode, encoding=None if "b" in mode else "utf-8", newline=None if "b" in mode else "") as f:
        f.write (text)

lines = "[\n" + "\n".join (json.dumps (e) for e in events) + "\n]\n"
write ("lines.pfw", lines)
write ("mark.pfw", b"\xef\xbb\xbf" + lines.encode (), "wb")
write ("chrome.pfw", json.dumps ({"traceEvents": events}))
write ("chrome-mark.pfw", b"\xef\xbb\xbf" + json.dumps ({"traceEvents": events}).encode (), "wb")
write ("chrome-lines.pfw", '{"traceEvents": [\n' + ",\n".join (json.dumps (e) for e in events) + "\n]}\n")
write ("whole.pfw", json.dumps (whole))
write ("pretty.pfw", json.dumps (whole, indent=2))
write ("pretty-list.pfw", json.dumps (events, indent=4))
write ("pretty-crlf.pfw", json.dumps (whole, indent=2).replace ("\n", "\r\n"))
write ("pairs.pfw", "[" + ",\n".join (json.dumps (e) for e in pairs) + "]\n")
write ("pairs-pretty.pfw", json.dumps ({"traceEvents": pairs}, indent=1))
write ("whole.pfw.gz", gzip.compress (json.dumps (whole, indent=2).encode ()), "wb")
below = [dict (e, ts=-5) if i == 3 else e for i, e in enumerate (events)]
write ("below.pfw", "[\n" + "\n".join (json.dumps (e) for e in below) + "\n]\n")
write ("open.pfw", "[" + ",\n".join (json.dumps (e) for e in pairs[:-1]) + "]\n")
many = [event (i, base + 1000 * i, 400, 1) for i in range (100000)]
text = gzip.compress ("\n".join (json.dumps (e) for e in many).encode ())
write ("hurt.pfw.gz", text[:len (text) // 2] + b"x" * 100 + text[len (text) // 2 + 100:], "wb")
END
python3 make.py || exit 99

# numbers FILE: exit status, events, bytes, and the sum of durations in us
numbers ()
{
    local status=0
    "$dftrace" analyze --no-write --format csv --view call "$1" >calls.csv 2>err || status=$?
    echo "$status $(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { n += $at["count"]; b += $at["bytes"]; t += $at["sum_s"] } END { printf "%d %d %.1f", n, b, t * 1e6 }' calls.csv)"
}

same="0 10 1045 3229.0"
for file in lines.pfw mark.pfw chrome.pfw chrome-mark.pfw chrome-lines.pfw whole.pfw pretty.pfw \
    pretty-list.pfw pretty-crlf.pfw whole.pfw.gz; do
    is "$(numbers $file)" "$same" "$file: all of it"
done
is "$(numbers pairs.pfw)" "$same" "pairs.pfw: begins and ends are events"
is "$(numbers pairs-pretty.pfw)" "$same" "pairs-pretty.pfw: begins and ends are events"

health () { "$dftrace" analyze --no-write --format csv --view health "$1" 2>/dev/null | tail -n 1; }
like "$(numbers below.pfw)" "^5 9 " "a time below 0: the others count"
like "$(health below.pfw)" "1 events at impossible times" "and it is said"
like "$(numbers open.pfw)" "^0 10 " "a begin without an end is an event"
like "$(health open.pfw)" "1 events without a duration" "of no duration, as is said"

# What could be inflated of a damaged file counts.
like "$(numbers hurt.pfw.gz)" "^5 [1-9][0-9]{2,} " "a file damaged in its middle: what is before counts"
like "$(health hurt.pfw.gz)" "gzip" "and it is said"

done_testing
