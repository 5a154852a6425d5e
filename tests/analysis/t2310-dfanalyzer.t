#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2310-dfanalyzer.t - python3 -m dftrace.dfanalyzer: the tables of DFAnalyzer,
#                      digit for digit
#
# The numbers expected of tests/data/pfw/compat.pfw follow from DFAnalyzer's
# rules by hand. Two threads; A computes 0.5 s in second 0 and 0.3 s in
# second 2, B 0.4 s in second 0. Reads: A 0.1 s in second 0 (1 MiB), B 0.25 s
# (2 MiB) and 0.05 s (pread64, whose bytes DFAnalyzer drops) in second 1.
#   processes: reads 0.1 + 0.3 = 0.4 s, less than compute in both threads:
#     100 %; 3 MiB / 0.4 s = 7.5 MB/s; 3 / 0.4 s = 7.5 op/s
#   seconds: 0.1 s (compute 0.5 s) and 0.3 s (compute 0): 0.4 s, of which
#     0.3 s alone: 25 %; 2 of 3 calls and of 3 MiB alone: 33 %
#   exactly: no read while anybody computes: 0 %
# If DFT_SAMPLES names the directory of real samples, the tables that DFAnalyzer
# itself printed for its DLIO trace are compared as well.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

PYTHONPATH=$top_builddir/python
PATH=$top_builddir:$PATH # it exports traces of dftrace with this command
export PYTHONPATH PATH
data=$top_srcdir/tests/data/pfw
dfanalyzer=("$python" -m dftrace.dfanalyzer)

exits 0 "compat.pfw is analyzed" "${dfanalyzer[@]}" "$data/compat.pfw"
cp "$tmp/out" "$tmp/tables"

# row N TITLE: the N-th row that begins so, blanks squeezed
row ()
{
    grep "^$2  " "$tmp/tables" | sed -n "$1p" | tr -s ' ' | sed 's/ $//'
}

is "$(row 1 'Job Time')" "Job Time seconds 3.000" "job time"
is "$(row 1 'Total Count')" "Total Count count 8" "sum over the layers"
is "$(row 1 'Total Processes')" "Total Processes count 2" "threads"
is "$(row 1 'Reader POSIX (Lustre) Bandwidth')" \
    "Reader POSIX (Lustre) Bandwidth MB/s 7.500" "bandwidth"
is "$(row 1 App)" "App 3.000 (----) 1 (----) 0.333 - -" "processes: app"
is "$(row 1 Compute)" "Compute 1.200 (----) 3 (----) 2.500 - -" \
    "processes: compute"
is "$(row 1 Reader)" "Reader 0.200 (100%) 1 (100%) 5.000 - -" \
    "processes: reader"
is "$(row 1 'Reader POSIX (Lustre)')" \
    "Reader POSIX (Lustre) 0.400 (100%) 3 (100%) 7.500 3.000 (100%) 7.500" \
    "processes: reads"
is "$(row 2 Compute)" "Compute 0.800 (----) 3 (----) 3.750 - -" \
    "seconds: compute"
is "$(row 2 'Reader POSIX (Lustre)')" \
    "Reader POSIX (Lustre) 0.400 ( 25%) 3 ( 33%) 7.500 3.000 ( 33%) 7.500" \
    "seconds: reads"
is "$(row 3 'Reader POSIX (Lustre)')" \
    "Reader POSIX (Lustre) 3 0.400 0.400 0.400 0.0 0.0 3145728 7.500" \
    "exactly: reads never overlap compute"
is "$(row 3 Compute)" "Compute 3 1.200 0.800 0.000 100.0 100.0 n/a n/a" \
    "exactly: compute"
is "$(row 1 'Data Loader')" "" "names that DFAnalyzer ignores are ignored"

gzip -c "$data/compat.pfw" >"$tmp/c.pfw.gz"
"${dfanalyzer[@]}" "$tmp/c.pfw.gz" >"$tmp/gz"
ok "gzip gives the same" cmp "$tmp/tables" "$tmp/gz"

# --- several files --------------------------------------------------------------

# The path of a hash is explained by another file, or by none; one file is cut.
theirs=$tmp/theirs
mkdir -p "$theirs/shards"
cat >"$theirs/shards/a.pfw" <<'END'
[
{"id":0,"name":"HH","cat":"dftracer","pid":7,"tid":7,"ph":"M","args":{"name":"n1","value":"h1"}}
{"id":1,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1790000002500000,"dur":300000,"ph":"X","args":{"ret":100,"fhash":"f1","hhash":"h1"}}
{"id":2,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1790000003100000,"dur":33333,"ph":"X","args":{"ret":7,"fhash":"f9","hhash":"h1"}}
{"id":3,"name":"read","cat":"POSIX","pid":7,"tid":8,"ts":1790000003100000,"dur":11111,"ph":"X","args":{"ret":7,"fhash":"fx","hhash":"h1"}}
{"id":4,"name":"Model.step","cat":"compute","pid":7,"tid":7,"ts":1790000002600000,"dur":400001,"ph":"X","args":{"hhash":"h1"}}
END
cat >"$theirs/shards/b.pfw" <<'END'
[
{"id":0,"name":"FH","cat":"dftracer","pid":9,"tid":9,"ph":"M","args":{"name":"/data/x.bin","value":"f1"}}
{"id":1,"name":"FH","cat":"dftracer","pid":9,"tid":9,"ph":"M","args":{"name":"/usr/lib/x.so","value":"fx"}}
{"id":5,"name":"Model.step","cat":"compute","pid":9,"tid":9,"ts":1790000001000000,"dur":123457,"ph":"X","args":{"hhash":"h1"}}
END
exits 0 "two files" "${dfanalyzer[@]}" "$theirs"
cp "$tmp/out" "$tmp/tables"
is "$(row 1 'POSIX Count')" "POSIX Count count 2" \
    "a path that another file explains, and that is ignored, is ignored"
is "$(row 1 'Reader POSIX Count')" "Reader POSIX Count count 1" \
    "a path that another file explains decides about the layer"
mv "$theirs/shards/a.pfw" "$theirs/shards/z.pfw"
"${dfanalyzer[@]}" "$theirs" >"$tmp/turned"
ok "the order of the files does not matter" cmp "$tmp/tables" "$tmp/turned"
printf '%s' '{"id":3,"name":"item","cat":"data","pid":9,"tid":9,"ts":17900' \
    >>"$theirs/shards/z.pfw"
exits 5 "a line that is cut gives exit status 5" "${dfanalyzer[@]}" "$theirs"
ok "and the tables of the other lines" cmp "$tmp/tables" "$tmp/out"
like "$(cat "$tmp/err")" "1 lines or files are damaged" "which are counted"

mkdir "$tmp/empty"
exits 1 "a directory without traces" "${dfanalyzer[@]}" "$tmp/empty"
exits 1 "a file that does not exist" "${dfanalyzer[@]}" "$tmp/none.pfw"
exits 2 "no directory" "${dfanalyzer[@]}"
exits 2 "a version that does not exist" "${dfanalyzer[@]}" --version 9 "$theirs"
like "$(cat "$tmp/err")" "use one of 2025-07, 0.0.9" "the error lists the versions"
exits 2 "a preset that does not exist" "${dfanalyzer[@]}" --layers x "$theirs"
exits 0 "--help" "${dfanalyzer[@]}" --help

# --- traces of dftrace ---------------------------------------------------------

# Shards are exported first.
"$top_builddir/tests/tools/mkshard" "$tmp/job" direct 40
exits 0 "shards" "${dfanalyzer[@]}" --format csv "$tmp/job"
cp "$tmp/out" "$tmp/ours"
"$dftrace" merge --quiet --pfw "$tmp/job"
"${dfanalyzer[@]}" --format csv "$tmp/job" >"$tmp/exported"
ok "shards and their export give the same" cmp "$tmp/ours" "$tmp/exported"
like "$(cat "$tmp/ours")" "Data Loader," "the ai preset is found"
"$dftrace" analyze --no-write --view layer --format csv "$tmp/job" >"$tmp/layers"
is "$(sed -n 's/^POSIX Count,count,//p' "$tmp/ours" | head -n 1)" \
    "$(awk -F, '$1 == "POSIX" || $1 == "STDIO" { n += $2 } END { print n }' \
        "$tmp/layers")" "the calls are as many as analyze counts"

# --- what DFAnalyzer printed -----------------------------------------------

oracle=${DFT_SAMPLES:-}/dfanalyzer-dlio
if [[ -r $oracle/dftracer-dlio.tar.gz ]]; then
    mkdir "$tmp/dlio"
    tar xzf "$oracle/dftracer-dlio.tar.gz" -C "$tmp/dlio"
    "${dfanalyzer[@]}" "$tmp/dlio" |
        sed '/^Exactly/,$d; /Summary/d' | grep -E '[0-9]' | tr -s ' ' |
        sed 's/ $//; s/^\(Total Count count\|.* count\) /\1 /' >"$tmp/got"
    # Files and nodes are never counted there: two rows that are always 0.
    grep '^│' "$oracle/expected_process_and_time_views.txt" |
        grep -v 'Total \(Files\|Nodes\)' | sed 's/│/ /g' | tr -s ' ' |
        sed 's/^ //; s/ $//; / count [0-9,]*$/s/,//g' >"$tmp/want"
    is "$(diff "$tmp/want" "$tmp/got")" "" "DFAnalyzer's own tables"
    cmp_num "$(wc -l <"$tmp/want")" -gt 50 "all of them"
else
    skip "DFT_SAMPLES is not set" "DFAnalyzer's own tables"
fi

done_testing
