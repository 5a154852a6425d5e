#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5010-fortran.t - steps of a Fortran program, through iso_c_binding

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v gfortran >/dev/null 2>&1 || skip_all "no gfortran"
command -v cc >/dev/null 2>&1 || skip_all "no cc"
from=$top_srcdir/etc/examples/fortran
cd "$tmp" || exit 99

# The module holds the region as so many words.
cat >size.c <<'END'
#include <dftrace/dftrace.h>
_Static_assert (sizeof (dftrace_region_t) == 34 * 8, "as in dftrace.f90");
END
ok "the size of a region" cc -I"$top_srcdir/preload/app/include" -c size.c
ok "the binding compiles" cc -I"$top_srcdir/preload/app/include" -c "$from/dftrace_f.c"
ok "the program compiles" gfortran -Wall -o steps "$from/dftrace.f90" \
    "$from/steps.f90" dftrace_f.o
ok "runs untraced" ./steps
exits 0 "runs traced" "$dftrace" run -q -o job --layers app -- ./steps
"$dftrace" stat --events job | cut -f5- >events
is "$(grep '^compute' events)" "$(printf 'compute\tstep\trows=%d residual=0.5 step=%d\n' \
    10 1 20 2 30 3)" "steps with their arguments and context"
is "$(grep -c '^pipeline	train' events)" 1 "the loop"

done_testing
