#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t6020-notebook.t - the cells of the notebook in examples/, run as a program

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

[ -e "$top_builddir/python/dftrace/_reader.abi3.so" ] ||
    skip_all "no extension of Python was built"

minigpt=$top_builddir/etc/examples/minigpt
"$minigpt/mkcorpus" --bytes=1M "$tmp/corpus" >/dev/null || exit 99
cat >"$tmp/spec.yaml" <<END
sweep: small
axes:
  gbs: [8, 16]
  access: [mmap, direct]
label: \${access}-b\${gbs}
env: {GLOBAL_BATCH_SIZE: "\${gbs}", ACCESS: "\${access}", SEQ_LENGTH: 128}
run: >
  "$minigpt/minigpt" --data "$tmp/corpus" --steps 2
  --compute-us-per-ktoken 0 --compute-us-per-step 0
trace: {layers: [posix, app]}
END
cd "$tmp" || exit 99
exits 0 "a sweep" "$dftrace" sweep run spec.yaml --local
exits 0 "its results" "$dftrace" sweep results small

export PYTHONPATH=$top_builddir/python STUDY=small
exits 1 "no study yet" "$python" -c "
import dftrace
dftrace.study ('$tmp/cache')"
like "$(cat "$tmp/err")" "run dftrace sweep results" "says what to do"

"$python" - "$top_srcdir/etc/examples/notebooks/study.ipynb" >study.py <<'END'
import json
import sys
book = json.load(open(sys.argv[1], encoding="utf-8"))
assert book["nbformat"] == 4
for cell in book["cells"]:
    assert not cell.get("outputs"), "cells are kept without their outputs"
    if cell["cell_type"] == "code":
        print("".join(cell["source"]))
END
exits 0 "the cells run" "$python" study.py
cp "$tmp/out" shown
for name in events loader share operations read-time bandwidth tree timeline; do
    like "$(cat shown)" "<figure $name: " "it shows figure $name"
done
is "$(grep -c '^name  *count' shown)" 4 "a table for each run"
like "$(grep "^loader_time " shown | head -n 1)" "^loader_time [0-9.]+$" "and metrics"

exits 0 "figures and points of the study" "$python" -c "
import csv, re, dftrace
study = dftrace.study ('small')
drawn = {}
for figure in study.figures.values ():
    for metric, point, value in re.findall (
            'data-m=\"([^\"]*)\" data-p=\"([^\"]*)\" data-v=\"([^\"]*)\"',
            figure.svg):
        drawn[metric, point] = value
points = {p['point']: p for p in study.points}
checked = [float (v) == float (points[p][m + '_mean']) for (m, p), v
           in drawn.items () if p in points and m + '_mean' in points[p] and v]
print (len (checked) > 8, all (checked))
runs = study.runs
print (len (runs), all (r.read ().metrics['posix_events'] == r['posix_events']
                        for r in runs))"
is "$(cat "$tmp/out")" "True True
4 True" "marks are the numbers of points.csv, traces those of runs.csv"

# The notebook of one job, in Jupyter.
job=$(echo small/runs/mmap-b8.*/r0/a0/trace)
if "$python" -c 'import nbclient, ipykernel' 2>/dev/null; then
    exits 0 "the notebook of a job runs in Jupyter" env JOB="$job" \
        IPYTHONDIR="$tmp/ipython" JUPYTER_RUNTIME_DIR="$tmp/jupyter" \
        "$python" - "$top_srcdir/etc/examples/notebooks/job.ipynb" <<'END'
import sys, nbclient, nbformat
book = nbformat.read (sys.argv[1], 4)
nbclient.NotebookClient (book, timeout = 60).execute ()
shown = [o["data"] for c in book.cells if c.cell_type == "code"
         for o in c.outputs if o.output_type == "execute_result"]
print (len (shown), sum ("text/html" in o for o in shown),
       sum ("image/svg+xml" in o for o in shown))
END
    is "$(tail -n 1 "$tmp/out")" "5 3 1" \
        "tables and findings show as HTML, the figure as SVG"
else
    skip "no nbclient or ipykernel for $python" "the notebook of a job in Jupyter"
fi

done_testing
