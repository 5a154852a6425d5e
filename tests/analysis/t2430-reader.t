#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2430-reader.t - dftrace.read: events and tables of Python are those of the
#                  command, whatever is wrong

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

PYTHONPATH=$top_builddir/python:$scripts
export PYTHONPATH
[ -e "$top_builddir/python/dftrace/_reader.abi3.so" ] ||
    skip_all "no extension of Python was built"

"$python" -c "import askjob; askjob.write_trace ('$tmp/a.pfw', 1500, 1)"
"$top_builddir/tests/tools/mkshard" "$tmp/direct" direct 60
"$dftrace" merge -q -o "$tmp/direct.dft" "$tmp/direct"

# said WHAT COMMAND…: a script that prints TAP of its own
said() {
    local what=$1
    shift
    "$@" >"$tmp/tap" 2>"$tmp/err"
    is "$?" 0 "$what: ran"
    like "$(tail -n 1 "$tmp/tap")" '^1\.\.[0-9]+$' "$what: to its end"
    is "$(grep -c '^not ok' "$tmp/tap")" 0 "$what: all of it"
    grep -A 3 '^not ok' "$tmp/tap" | sed 's/^/# /'
    head -n 20 "$tmp/err" | sed 's/^/# /'
}
said "against exports" "$python" "$scripts/readjob.py" "$dftrace" "$tmp" \
    "$tmp/a.pfw" "$tmp/direct.dft" "$tmp/direct"
said "odd things" "$python" "$scripts/readodd.py" "$tmp" "$tmp/direct.dft" \
    "$tmp/a.pfw"

said "names, errors, documents" "$python" "$scripts/shown.py" "$tmp/direct"

# The first example of doc/ask.md in Python.
awk '/^## From Python/ { here = 1 } !here { next }
    /^    / { on = 1; print substr ($0, 5); next } on && NF { exit }' \
    "$top_srcdir/doc/ask.md" |
    sed -e "s|dftrace/pretrain-4711|$tmp/direct|" -e '/polars/d' >"$tmp/doc.py"
exits 0 "the example of doc/ask.md" "$python" "$tmp/doc.py"
is "$(grep -c '^t' "$tmp/doc.py")" 4 "it asks several things"

# In a traced process an import must not load the analysis.
exits 0 "a traced program imports dftrace" "$dftrace" run -q -o "$tmp/traced" \
    --layers app -- "$python" -c "
import sys, dftrace
with dftrace.region ('a', 'b'): pass
print ('dftrace._reader' in sys.modules, dftrace.active)"
is "$(cat "$tmp/out")" "False True" "and records, without the analysis"
exits 0 "a traced program may read traces" "$dftrace" run -q -o "$tmp/traced2" \
    --layers posix,app -- "$python" -c "
import dftrace
print (len (dftrace.read ('$tmp/a.pfw').query (by='name', show='count')))"
is "$(cat "$tmp/out")" 9 "when it asks for it"

done_testing
