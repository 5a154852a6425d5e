# SPDX-License-Identifier: MIT
# etc/examples/fortran - how a Fortran program names its steps; built by its test

EXTRA_DIST += \
	%D%/dftrace.f90 \
	%D%/dftrace_f.c \
	%D%/steps.f90
shell_tests += tests/app/t5010-fortran.t
