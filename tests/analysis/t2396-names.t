#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2396-names.t - a fact has one name: CSV, JSON, the schema, the help

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v python3 >/dev/null || skip_all "no Python"

"$dftrace" help schema >"$tmp/schema"
"$dftrace" help columns >"$tmp/columns"
"$dftrace" help views | sed '1,2d;/^$/,$d' | awk '{ print $1 }' >"$tmp/views"

cat >"$tmp/check.py" <<'END'
"""check.py DIR JOB: every table of JOB, as CSV and as JSON, and metrics.json"""
import csv, json, os, sys

at, job = sys.argv[1:]
schema = json.load (open (at + "/schema"))["$defs"]
whole = json.load (open (job + "/metrics.json"))
text = open (at + "/columns").read ()
units = {"_s": "s", "_us": "us", "_bytes": "B", "_percent": "%"}

def same (a, b):
    """A cell of CSV and a value of JSON."""
    if b is None:
        return a == ""
    if isinstance (b, list):
        b = "; ".join (x["name"] for x in b)
    if isinstance (b, str):
        return a == b
    return a != "" and float (a) == float (b)

def compare (table, rows, values):
    if len (rows) != len (values):
        print (table, "has", len (rows), "rows in CSV,", len (values), "in JSON")
    for row, value in zip (rows, values):
        if list (row) != list (value):
            print (table, list (row), "in CSV is in JSON", list (value))
            return
        for key in row:
            if not same (row[key], value[key]):
                print (table, key, row[key], "in CSV is in JSON", value[key])

for view in open (at + "/views").read ().split ():
    block = [b for b in text.split ("\n\n") if b.startswith (view + ", ")]
    table = block[0].split (", ")[1].split (".csv")[0]
    rows = list (csv.DictReader (open ("%s/tables/%s.csv" % (job, table))))
    head = next (csv.reader (open ("%s/tables/%s.csv" % (job, table))))
    if head != [l.split ()[0].rstrip (",") for l in block[0].splitlines ()[1:]]:
        print (table, head, "is not what help columns has")
    if head != list (schema[table]["properties"]):
        print (table, head, "is not what the schema has")
    for name, column in schema[table]["properties"].items ():
        for end, unit in units.items ():
            if name.endswith (end) and column.get ("unit") != unit:
                print (table, name, "has unit", column.get ("unit"))
        if not column["description"]:
            print (table, name, "is not described")
    compare (table, rows, json.load (open ("%s/%s.json" % (at, view))))
    if table == "metrics":
        compare (table, [{k: r[k] for k in ("value", "unit")} for r in rows],
                 [{k: whole[table][r["metric"]][k] for k in ("value", "unit")}
                  for r in rows])
    elif table in whole:
        compare ("metrics.json " + table, rows, whole[table])
END

for mode in direct mmap; do
    "$top_builddir/tests/tools/mkshard" "$tmp/$mode" "$mode" 200
    [ $mode = mmap ] ||
        truncate -s -3000 "$(printf '%s\n' "$tmp"/direct/shards/*.dft | tail -1)"
    "$dftrace" analyze --quiet "$tmp/$mode" 2>/dev/null
    while read -r view; do
        "$dftrace" analyze --no-write --format json --view "$view" \
            "$tmp/$mode" 2>/dev/null >"$tmp/$view.json"
    done <"$tmp/views"
    is "$(python3 "$tmp/check.py" "$tmp" "$tmp/$mode" 2>&1)" "" \
        "$mode: same names and numbers in CSV, JSON, schema and help"
done
cmp_num "$(wc -l <"$tmp/views")" -ge 21 "of every view"
sed -i 's/"read_count"/"reads"/' "$tmp/process.json"
cmp_num "$(python3 "$tmp/check.py" "$tmp" "$tmp/mmap" | grep -c '^processes')" -gt 0 \
    "the check sees another name"

done_testing
