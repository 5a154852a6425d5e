#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2302-bytes.t - names of any bytes: different names stay different in all that
# programs read, and each can be turned back

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

command -v python3 >/dev/null || skip_all "no Python"
mkdir "$tmp/work" && cd "$tmp/work" || exit 99

names=($'\xff\xfe' $'\xc3\xbf\xc3\xbe' $'a\xffb' 'a\xffb' 'a\x5cxffb' 'back\slash' 'a\xg' $'\xc3' 'q"c,')
# shellcheck disable=SC2016 # for the shell that is traced
traced job bash -c 'for n; do printf x >"$n"; done' bash "${names[@]}"
exits 0 "traced and analyzed" "$dftrace" analyze --quiet "$tmp/job"

cat >"$tmp/back.py" <<'END'
"""back.py KIND FILE: names in work/ -> their bytes, sorted, one repr a line"""
import csv, json, re, sqlite3, sys

kind, path = sys.argv[1:]
if kind == "sqlite":
    texts = [r[0] for r in sqlite3.connect (path).execute ("select file from files")]
elif kind == "csv":
    texts = [r["file"] for r in csv.DictReader (open (path, encoding="utf-8", newline=""))]
elif kind == "json":
    texts = [r["file"] for r in json.load (open (path, encoding="utf-8"))]
else:
    texts = [json.loads (l).get ("file", "") for l in open (path, encoding="utf-8")]
for name in sorted ({re.sub (rb"\\x([0-9a-f]{2})", lambda m: bytes ([int (m[1], 16)]), t.encode ())
                     for t in texts if "/work/" in t}):
    print (ascii (name.split (b"/work/")[1]))
END
python3 -c 'import os, sys
for n in sorted (os.listdir (b".")): print (ascii (n))' >"$tmp/right"
is "$(wc -l <"$tmp/right")" "${#names[@]}" "all files are there"

"$dftrace" export -f jsonl -o "$tmp/x.jsonl" "$tmp/job" 2>/dev/null
"$dftrace" export -f csv -o "$tmp/x.csv" "$tmp/job" 2>/dev/null
"$dftrace" analyze --no-write -f json --view file "$tmp/job" >"$tmp/x.json"
cp -r "$tmp/job" "$tmp/other"
"$dftrace" merge --pfw "$tmp/other" >/dev/null 2>&1
"$dftrace" analyze --no-write -f csv --view file "$tmp/other/combined.pfw.gz" >"$tmp/pfw.csv"
"$dftrace" analyze --quiet --sqlite "$tmp/x.db" "$tmp/job" 2>/dev/null
back () { is "$(python3 "$tmp/back.py" "$1" "$2" 2>&1)" "$(cat "$tmp/right")" "$3"; }
back csv "$tmp/job/tables/files.csv" "the tables"
back csv "$tmp/x.csv" "events as CSV"
back jsonl "$tmp/x.jsonl" "events as lines of JSON"
back json "$tmp/x.json" "tables as JSON"
back csv "$tmp/pfw.csv" "a file for tools of DFTracer"
if [ -e "$tmp/x.db" ]; then
    back sqlite "$tmp/x.db" "SQLite"
else
    skip "built without SQLite" "SQLite"
fi

done_testing
