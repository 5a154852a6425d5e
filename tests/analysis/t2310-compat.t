#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2310-compat.t - DFAnalyzer's tables, digit for digit
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
# Where DFT_SAMPLES names the directory of real samples, what DFAnalyzer
# itself printed for its DLIO trace is compared as well.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

data=$top_srcdir/tests/data/pfw

exits 0 "analyze --compat" "$dftrace" analyze --compat dfanalyzer \
    "$data/compat.pfw"
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
is "$(row 1 'Data Loader')" "" "what DFAnalyzer ignores is ignored"

gzip -c "$data/compat.pfw" >"$tmp/c.pfw.gz"
"$dftrace" analyze --compat dfanalyzer "$tmp/c.pfw.gz" >"$tmp/gz"
ok "gzip gives the same" cmp "$tmp/tables" "$tmp/gz"

# --- layers of one's own -------------------------------------------------------

cat >"$tmp/layers.yaml" <<'END'
layers:
  - {name: compute, title: Model, cat: ai_framework}
  - name: input
    title: Input
    cat: [reader, 'posix*']
    not_func: pread64
    size: yes
END
exits 0 "--layers FILE" "$dftrace" analyze --layers "$tmp/layers.yaml" \
    "$data/compat.pfw"
cp "$tmp/out" "$tmp/tables"
is "$(row 1 Input)" "Input 0.550 (100%) 3 (100%) 5.455 3.000 (100%) 5.455" \
    "--layers FILE: its layers"
is "$(row 1 Model)" "Model 1.200 (----) 3 (----) 2.500 - -" \
    "--layers FILE: compute is compute"
echo 'layers: [{name: x, cats: y}]' >"$tmp/bad.yaml"
exits 1 "a key that does not exist" "$dftrace" analyze --layers \
    "$tmp/bad.yaml" "$data/compat.pfw"
like "$(cat "$tmp/err")" "bad.yaml:1:[0-9]+: no such key of a layer: cats" \
    "a key that does not exist: said where"
exits 1 "no such file" "$dftrace" analyze --layers "$tmp/none.yaml" \
    "$data/compat.pfw"
exits 2 "no such tool" "$dftrace" analyze --compat vtune "$data/compat.pfw"

# Our own shards and what they export say the same.
"$top_builddir/tests/tools/mkshard" "$tmp/job" direct 40
"$dftrace" merge --quiet --pfw "$tmp/job"
"$dftrace" analyze --compat dfanalyzer --format csv "$tmp/job" >"$tmp/ours"
"$dftrace" analyze --compat dfanalyzer --format csv \
    "$tmp/job/combined.pfw.gz" >"$tmp/theirs"
sed -i "/^Job Time/d" "$tmp/ours" "$tmp/theirs" # the export has no ends
ok "shards and their export give the same" cmp "$tmp/ours" "$tmp/theirs"
like "$(cat "$tmp/ours")" "Data Loader," "the ai preset is found"

# --- what DFAnalyzer printed -----------------------------------------------

oracle=${DFT_SAMPLES:-}/dfanalyzer-dlio
if [[ -r $oracle/dftracer-dlio.tar.gz ]]; then
    mkdir "$tmp/dlio"
    tar xzf "$oracle/dftracer-dlio.tar.gz" -C "$tmp/dlio"
    "$dftrace" analyze --compat dfanalyzer "$tmp/dlio" |
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
