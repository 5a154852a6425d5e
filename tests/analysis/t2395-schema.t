#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2395-schema.t - metrics.json is what its schema says, all of it

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v python3 >/dev/null || skip_all "no Python"

cat >"$tmp/check.py" <<'END'
"""check.py SCHEMA FILE: every member of FILE is in SCHEMA and of its type."""
import json, sys

types = {"object": dict, "array": list, "string": str, "boolean": bool,
         "integer": int, "number": (int, float), "null": type (None)}
top = json.load (open (sys.argv[1]))

def check (value, schema, path):
    if "$ref" in schema:
        schema = top["$defs"][schema["$ref"].rsplit ("/", 1)[1]]
    if "const" in schema:
        if value != schema["const"]:
            print (path, "is not", schema["const"])
        return
    kinds = schema["type"]
    kinds = kinds if isinstance (kinds, list) else [kinds]
    if not any (isinstance (value, types[k]) and
                (k == "boolean" or not isinstance (value, bool))
                for k in kinds):
        print (path, "is no", kinds)
    elif isinstance (value, dict):
        for key in value.keys () - schema["properties"].keys ():
            print (path, "has", key, "and the schema has not")
        for key in set (schema["required"]) - value.keys ():
            print (path, "lacks", key)
        for key in value.keys () & schema["properties"].keys ():
            check (value[key], schema["properties"][key], path + "." + key)
    elif isinstance (value, list):
        for i, item in enumerate (value):
            check (item, schema["items"], "%s[%d]" % (path, i))
    elif "minimum" in schema and value < schema["minimum"]:
        print (path, "is below", schema["minimum"])

check (json.load (open (sys.argv[2])), top, "metrics.json")
END

exits 0 "dftrace help schema" "$dftrace" help schema
cp "$tmp/out" "$tmp/schema"
ok "is what is installed" cmp "$tmp/schema" \
    "$top_builddir/doc/metrics.schema.json"
for mode in direct mmap; do
    "$top_builddir/tests/tools/mkshard" "$tmp/$mode" "$mode" 200
    "$dftrace" analyze --quiet "$tmp/$mode"
    is "$(python3 "$tmp/check.py" "$tmp/schema" "$tmp/$mode/metrics.json")" "" \
        "$mode: metrics.json is as the schema says"
done
# One with losses and findings has members that others have not.
truncate -s -3000 "$(printf '%s\n' "$tmp"/direct/shards/*.dft | tail -1)"
"$dftrace" analyze --quiet "$tmp/direct" 2>/dev/null
is "$(python3 "$tmp/check.py" "$tmp/schema" "$tmp/direct/metrics.json")" "" \
    "damaged: metrics.json is as the schema says"
cmp_num "$(grep -c '"rule"' "$tmp/direct/metrics.json")" -gt 0 \
    "and has a finding"
sed 's/"hosts": 2/"hosts": "two", "new": 1/' "$tmp/direct/metrics.json" \
    >"$tmp/bad.json"
is "$(python3 "$tmp/check.py" "$tmp/schema" "$tmp/bad.json" | wc -l)" 2 \
    "the check sees what is not"

# Tables and help come from the same rows.
is "$(tail -n +2 "$tmp/mmap/tables/metrics.csv" | cut -d, -f1)" \
    "$("$dftrace" help metrics | grep -oE '^[a-z][a-z_0-9]+' )" \
    "metrics.csv has the metrics of dftrace help metrics"
is "$("$dftrace" help views | sed '1,2d;/^$/,$d' | awk '{ print $1 }' |
    while read -r view; do
        "$dftrace" analyze --no-write --quiet --view "$view" "$tmp/mmap" ||
            echo "$view"
    done)" "" "every view of dftrace help views is one"
is "$(ls "$tmp/mmap/tables" | wc -l)" \
    "$("$dftrace" help views | sed '1,2d;/^$/,$d' | wc -l)" \
    "a file in tables/ for each view"
for rule in $("$dftrace" help rules | grep -oE '^[a-z_]+:'); do
    like "$("$dftrace" help rules | grep -A1 "^$rule")" \
        "(above|below) -?[0-9.e+]+[,;]" "rule $rule has its limit"
done

done_testing
