# SPDX-License-Identifier: MIT
# etc/examples/fortran - how a Fortran program names its steps; built by its test

EXTRA_DIST += \
	%D%/dftrace.f90 \
	%D%/dftrace_f.c \
	%D%/steps.f90
dist_check_SCRIPTS += tests/app/t5010-fortran.t
TESTS += tests/app/t5010-fortran.t
