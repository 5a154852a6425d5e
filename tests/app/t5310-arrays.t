#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5310-arrays.t - numpy and h5py, unedited

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

"$python" -c 'import numpy' 2>/dev/null ||
    skip_all "no numpy for $python: apt-get install python3-numpy"

job=$tmp/job
traced "$job" "$scripts/arrays.py" "$tmp"
is "$(cat "$tmp/err")" "" "says nothing"
is "$(args "$job" io numpy.save)" "size=4000" "numpy.save and its size"
is "$(args "$job" io numpy.load | tr '\n' ';')" \
    ";errno=71 error=FileNotFoundError;" "numpy.load, and one that failed"
is "$(count "$job" io numpy.savez)" 1 "numpy.savez"
is "$(args "$job" io numpy.memmap)" "size=300" "numpy.memmap, a class"
is "$(count "$job" dftrace metadata '_points=')" 0 "every point is there"
if grep -q h5py "$tmp/out"; then
    like "$(args "$job" io h5py.open)" "a.h5" "h5py.File"
    is "$(args "$job" io h5py.read)" "size=400" "a read of a Dataset"
    is "$(count "$job" io h5py.write)" 1 "a write"
else
    skip "no h5py" "h5py"
fi
done_testing
