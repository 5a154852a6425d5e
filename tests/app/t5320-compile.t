#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5320-compile.t - traced functions in the eyes of torch.compile and others

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

"$python" -c 'import torch' 2>/dev/null ||
    skip_all "no torch for $python: apt-get install python3-torch"

cat >"$tmp/net.points" <<'END'
net:double = compute.double n=x.shape[0]
net:Net.block = compute.block scale=scale
net:Net.forward = compute.forward
END

PYTHONPATH=$top_builddir/python exits 0 "untraced: runs" \
    "$python" "$scripts/compiled.py"
cp "$tmp/out" "$tmp/untraced"
is "$(grep -c differs "$tmp/untraced")" 0 "untraced: results are the same"

job=$tmp/job
DFTRACE_POINTS=$tmp/net.points traced "$job" "$scripts/compiled.py"
ok "traced: what is compiled is the same program" cmp "$tmp/untraced" "$tmp/out"
nok "traced: no word of ours" grep -i dftrace "$tmp/err"
cmp_num "$(count "$job" compute double n=2)" -gt 0 "calls from Python are recorded"
is "$(count "$job" dftrace metadata _points)" 0 "every point is there"
if grep -q 'no torch.compile' "$tmp/out"; then
    skip "this torch has no compile" "graphs"
else
    is "$(tail -n 1 "$tmp/out")" "graphs 1" "graphs: one, unbroken"
fi

done_testing
