#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2312-compatversion.t - DFAnalyzer's versions: the tables of 0.0.9 are those
# that its rules give in plain Python, cell for cell

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v python3 >/dev/null || skip_all "no python3"
rows=$top_srcdir/tests/python/compatrows.py

for seed in 1 2; do
    mkdir "$tmp/$seed"
    python3 "$rows" make "$tmp/$seed" "$seed"
    for layers in dlio ai; do
        name="seed $seed, $layers"
        exits 0 "$name" "$dftrace" analyze --no-write --format csv \
            --compat dfanalyzer@0.0.9 --layers $layers "$tmp/$seed"
        python3 "$rows" cells "$tmp/out" >"$tmp/got"
        python3 "$rows" tables "$tmp/$seed" $layers >"$tmp/want"
        is "$(diff "$tmp/want" "$tmp/got")" "" "$name: every cell"
        cmp_num "$(wc -l <"$tmp/want")" -gt 200 "$name: and there are many"
    done
done

# --- what fits, and what is said ----------------------------------------------

"$dftrace" analyze --no-write --compat dfanalyzer@0.0.9 "$tmp/1" >"$tmp/fits"
"$dftrace" analyze --no-write --compat dfanalyzer@0.0.9 --layers dlio \
    "$tmp/1" >"$tmp/dlio"
ok "DLIO's layers are found" cmp "$tmp/fits" "$tmp/dlio"
like "$(cat "$tmp/fits")" "Summary \(as DFAnalyzer 0\.0\.9 says\)" \
    "the version is named"
"$dftrace" analyze --no-write --compat dfanalyzer "$tmp/1" >"$tmp/old"
"$dftrace" analyze --no-write --compat dfanalyzer@2025-07 "$tmp/1" >"$tmp/old2"
ok "without a version it is that of July 2025" cmp "$tmp/old" "$tmp/old2"
like "$(cat "$tmp/old")" "Summary \(as DFAnalyzer of July 2025 says\)" \
    "which is named, too"
exits 2 "no such version" "$dftrace" analyze --compat dfanalyzer@9 "$tmp/1"
like "$(cat "$tmp/err")" "dfanalyzer@9: no such tool or version: .*@0\.0\.9" \
    "no such version: which there are"
like "$("$dftrace" analyze --help)" "dfanalyzer@0\.0\.9" "help has them"

# --- in parts ----------------------------------------------------------------

mkdir -p "$tmp/job/shards"
cp "$tmp"/1/*.pfw.gz "$tmp/job/shards"
"$dftrace" analyze --no-write --compat dfanalyzer@0.0.9 "$tmp/job" >"$tmp/one"
for round in 1 2; do
    for i in 1 2 3; do
        "$dftrace" analyze --partial --partition $i/3 --quiet \
            --compat dfanalyzer@0.0.9 "$tmp/job"
    done
    [[ $round = 2 ]] || "$dftrace" analyze --reduce \
        --compat dfanalyzer@0.0.9 "$tmp/job" 2>"$tmp/err"
done
exits 0 "partitions, put together" "$dftrace" analyze --reduce \
    --compat dfanalyzer@0.0.9 "$tmp/job"
ok "the same bytes" cmp "$tmp/one" "$tmp/out"

# --- ours and their export -----------------------------------------------------

"$top_builddir/tests/tools/mkshard" "$tmp/ours" direct 40
"$dftrace" merge --quiet --pfw "$tmp/ours"
for j in 1 3; do
    "$dftrace" analyze --no-write --compat dfanalyzer@0.0.9 --threads $j \
        "$tmp/ours" >"$tmp/native$j"
done
ok "threads change nothing" cmp "$tmp/native1" "$tmp/native3"
"$dftrace" analyze --no-write --compat dfanalyzer@0.0.9 \
    "$tmp/ours/combined.pfw.gz" >"$tmp/exported"
is "$(diff "$tmp/native1" "$tmp/exported")" "" \
    "our events and their export give the same"

done_testing
