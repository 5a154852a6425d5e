# SPDX-License-Identifier: MIT
# bench - what tracing costs: `make bench`; never part of `make check`

EXTRA_PROGRAMS += \
	%D%/reads \
	%D%/starts
%C%_reads_SOURCES = %D%/reads.c
%C%_reads_LDADD = -lpthread
%C%_starts_SOURCES = %D%/starts.c
EXTRA_DIST += \
	%D%/bench.sh \
	%D%/python_span.py

bench: all $(EXTRA_PROGRAMS)
	top_srcdir=`cd $(top_srcdir) && pwd` top_builddir=`pwd` \
		bash $(top_srcdir)/bench/bench.sh
.PHONY: bench
