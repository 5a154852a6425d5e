# SPDX-License-Identifier: MIT
# tests/counted - what the kernel counted of a job, and what is recorded of that

check_PROGRAMS += %D%/moves
%C%_moves_SOURCES = %D%/moves.c
%C%_moves_CFLAGS = $(AM_CFLAGS) -pthread

EXTRA_DIST += \
	%D%/lines.sh \
	%D%/real.sh
shell_tests += \
	%D%/t1130-lines.t \
	%D%/t1131-coverage.t \
	%D%/t1132-threads.t \
	%D%/t1133-libc.t \
	%D%/t1134-leftout.t \
	%D%/t1135-source.t

## check-counted: whether the kernel's count of real programs closes; COUNTED_VENV=DIR
# names a Python environment with torch, deepspeed, h5py and dlio_benchmark, or some of them
.PHONY: check-counted
check-counted: all
	top_srcdir=`cd $(top_srcdir) && pwd` top_builddir=`pwd` \
		COUNTED_VENV='$(COUNTED_VENV)' \
		bash $(top_srcdir)/%D%/real.sh
