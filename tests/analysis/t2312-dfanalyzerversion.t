#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2312-dfanalyzerversion.t - dftrace.dfanalyzer --version 0.0.9 prints cell for
#                             cell what an independent program computes

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

PYTHONPATH=$top_builddir/python
PATH=$top_builddir:$PATH
export PYTHONPATH PATH
rows=$scripts/dfanalyzerrows.py
dfanalyzer=("$python" -m dftrace.dfanalyzer)

for seed in 1 2; do
    mkdir "$tmp/$seed"
    "$python" "$rows" make "$tmp/$seed" "$seed"
    for layers in dlio ai; do
        name="seed $seed, $layers"
        exits 0 "$name" "${dfanalyzer[@]}" --format csv --version 0.0.9 \
            --layers $layers "$tmp/$seed"
        "$python" "$rows" cells "$tmp/out" >"$tmp/got"
        "$python" "$rows" tables "$tmp/$seed" $layers >"$tmp/want"
        is "$(diff "$tmp/want" "$tmp/got")" "" "$name: every cell"
        cmp_num "$(wc -l <"$tmp/want")" -gt 200 "$name: there are many cells"
    done
done

"${dfanalyzer[@]}" --version 0.0.9 "$tmp/1" >"$tmp/fits"
"${dfanalyzer[@]}" --version 0.0.9 --layers dlio "$tmp/1" >"$tmp/dlio"
ok "DLIO's layers are found" cmp "$tmp/fits" "$tmp/dlio"
like "$(cat "$tmp/fits")" "Summary \(as DFAnalyzer 0\.0\.9 says\)" \
    "the version is named"
"${dfanalyzer[@]}" "$tmp/1" >"$tmp/old"
"${dfanalyzer[@]}" --version 2025-07 "$tmp/1" >"$tmp/old2"
ok "without a version it is that of July 2025" cmp "$tmp/old" "$tmp/old2"
like "$(cat "$tmp/old")" "Summary \(as DFAnalyzer of July 2025 says\)" \
    "July 2025 is named, too"

done_testing
