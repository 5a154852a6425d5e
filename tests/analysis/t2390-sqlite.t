#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2390-sqlite.t - the tables of jobs in one SQLite file

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

"$top_builddir/tests/tools/mkshard" "$tmp/direct" direct 100
"$top_builddir/tests/tools/mkshard" "$tmp/mmap" mmap 100
if "$dftrace" analyze --quiet --no-write --sqlite "$tmp/x.db" "$tmp/direct" \
    2>&1 | grep -q "built without SQLite"; then
    skip_all "built without SQLite"
fi
python3 -c 'import sqlite3' 2>/dev/null || skip_all "no Python with sqlite3"

query () # DB SQL: rows as words
{
    python3 -c 'import sqlite3, sys
for row in sqlite3.connect (sys.argv[1]).execute (sys.argv[2]):
    print (",".join ("" if v is None else str (v) for v in row))' "$@"
}

exits 0 "two jobs" "$dftrace" analyze --quiet --sqlite "$tmp/a.db" \
    "$tmp/direct" "$tmp/mmap"
is "$(query "$tmp/a.db" 'SELECT job, label FROM job ORDER BY job' | tr '\n' ' ')" \
    "1,direct 2,mmap " "a row for each job"
is "$(query "$tmp/a.db" 'PRAGMA integrity_check')" ok "the file is whole"
for csv in "$tmp"/direct/tables/*.csv; do
    table=$(basename "$csv" .csv)
    is "$(query "$tmp/a.db" "SELECT count(*) FROM \"$table\" WHERE job = 1")" \
        "$(($(wc -l <"$csv") - 1))" "$table has the rows of $table.csv"
done
for column in 1 2 3 5; do
    name=$(head -1 "$tmp/direct/tables/calls.csv" | cut -d, -f$column)
    is "$(query "$tmp/a.db" "SELECT $name FROM calls WHERE job = 1" | sort)" \
        "$(tail -n +2 "$tmp/direct/tables/calls.csv" | cut -d, -f$column | sort)" \
        "calls: $name"
done
is "$(query "$tmp/a.db" "SELECT typeof(count), typeof(sum_s) FROM calls LIMIT 1")" \
    "integer,real" "numbers are numbers"
is "$(query "$tmp/a.db" "SELECT value FROM metrics WHERE job = 2 AND metric = 'read_bandwidth'")" \
    "" "n/a is null"
is "$(query "$tmp/a.db" "SELECT sum(m.value) FROM metrics m JOIN job USING (job) \
    WHERE metric = 'posix_events'")" \
    "$(awk -F, '$1 == "posix_events" { s += $2 } END { print s ".0" }' \
    "$tmp"/*/tables/metrics.csv)" "jobs can be joined"
is "$(query "$tmp/a.db" "SELECT value FROM about WHERE key = 'version'")" 1 \
    "the version of the layout"

before=$(stat -c %i "$tmp/a.db")
exits 0 "again" "$dftrace" analyze --quiet --sqlite "$tmp/a.db" "$tmp/direct"
is "$(query "$tmp/a.db" 'SELECT count(*) FROM job')" 1 \
    "what was there is replaced"
isnt "$(stat -c %i "$tmp/a.db")" "$before" "at once"
exits 1 "not writable" "$dftrace" analyze --quiet --sqlite \
    "$tmp/none/a.db" "$tmp/direct"
is "$(ls "$tmp" | grep -c tmp)" 0 "nothing is left"
exits 1 "no job, no file" "$dftrace" analyze --quiet --sqlite "$tmp/b.db" \
    "$tmp/none"
nok "no job, no file" test -e "$tmp/b.db"

# The library is loaded when it is needed: without it all else works.
library=$(ldconfig -p | sed -n 's/.*libsqlite3\.so\.0 .*=> //p' | head -n 1)
# without COMMAND…: as on a machine that has no SQLite
without () { unshare -m sh -c 'mount --bind /dev/null "$0" && exec "$@"' "$(realpath "$library")" "$@"; }
if [ -n "$library" ] && without true 2>/dev/null; then
    exits 0 "without the library: analyzed" without "$dftrace" analyze --quiet --no-write "$tmp/direct"
    exits 1 "no database" without "$dftrace" analyze --quiet --sqlite "$tmp/b.db" "$tmp/direct"
    like "$(cat "$tmp/err")" 'libsqlite3.so.0: this library cannot be loaded: install it' "and it is said why"
else
    skip "no mounts here" "without the library"
fi

done_testing
