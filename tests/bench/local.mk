# SPDX-License-Identifier: MIT
# bench - what tracing costs: `make bench`; never part of `make check`

EXTRA_LTLIBRARIES += %D%/least.la
%C%_least_la_SOURCES = %D%/least.c
%C%_least_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /none
%C%_least_la_LIBADD = -ldl
EXTRA_PROGRAMS += \
	%D%/faults \
	%D%/gen_trace \
	%D%/gen_training \
	%D%/pagefaults \
	%D%/reads \
	%D%/starts \
	%D%/syscalls
%C%_faults_SOURCES = %D%/faults.c
%C%_faults_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/preload/app/include
%C%_pagefaults_SOURCES = %D%/pagefaults.c
%C%_pagefaults_LDFLAGS = $(AM_LDFLAGS) -static -all-static
%C%_reads_SOURCES = %D%/reads.c
%C%_reads_LDADD = -lpthread
%C%_starts_SOURCES = %D%/starts.c
%C%_syscalls_SOURCES = %D%/syscalls.c
%C%_syscalls_LDFLAGS = $(AM_LDFLAGS) -static -all-static
%C%_gen_trace_SOURCES = %D%/gen_trace.c %D%/genshard.c %D%/genshard.h
%C%_gen_training_SOURCES = %D%/gen_training.c %D%/genshard.c %D%/genshard.h
%C%_gen_training_LDADD = preload/record/librecord.la lib/libcore.la
%C%_gen_trace_LDADD = preload/record/librecord.la lib/libcore.la
EXTRA_DIST += \
	%D%/analyze.sh \
	%D%/bench.sh \
	%D%/growth.py \
	%D%/kernel.sh \
	%D%/mmap.sh \
	%D%/mpiio.c \
	%D%/mpiio.sh \
	%D%/order.sh \
	%D%/papers.py \
	%D%/papers.yaml \
	%D%/plan-scale.sh \
	%D%/python_span.py \
	%D%/report.sh \
	%D%/sampler.py \
	%D%/starts.sh

## bench: cost of tracing, against the untraced program and other tracers
bench: all $(EXTRA_PROGRAMS) %D%/least.la tests/victims/memory
	top_srcdir=`cd $(top_srcdir) && pwd` top_builddir=`pwd` \
		bash $(top_srcdir)/tests/bench/bench.sh
	python3 $(top_srcdir)/%D%/sampler.py `pwd`/dftrace
.PHONY: bench

## bench-papers: overhead on the work that papers publish; PAPERS_VENV=DIR, else one is made
bench-papers: all %D%/reads
	if [ -z "$$PAPERS_VENV" ]; then \
	    PAPERS_VENV=`pwd`/papers-venv; export PAPERS_VENV; \
	    python3 -m venv $$PAPERS_VENV && for p in dftracer torch dlio_benchmark; do \
	        $$PAPERS_VENV/bin/pip install -q $$p || echo "left out: $$p does not install"; \
	    done; \
	fi; python3 $(top_srcdir)/%D%/papers.py `pwd`
.PHONY: bench-papers

## bench-analyze: speed of the analysis
bench-analyze: all %D%/gen_trace %D%/gen_training
	top_builddir=`pwd` bash $(top_srcdir)/tests/bench/analyze.sh
.PHONY: bench-analyze

## bench-growth: CPU time and memory by the size of a job; fails where not linear
bench-growth: all %D%/gen_trace
	python3 $(top_srcdir)/%D%/growth.py `pwd`
.PHONY: bench-growth

## bench-report: time and memory of the page of a job
bench-report: all %D%/gen_trace
	top_builddir=`pwd` bash $(top_srcdir)/tests/bench/report.sh
.PHONY: bench-report

## bench-mmap: layer mmap against what the kernel says
bench-mmap: all %D%/faults
	top_builddir=`pwd` bash $(top_srcdir)/tests/bench/mmap.sh
.PHONY: bench-mmap

## bench-kernel: layer kernel: what it costs others, and who is recorded (root)
bench-kernel: all %D%/pagefaults %D%/syscalls
	bash $(top_srcdir)/tests/bench/kernel.sh `pwd`
.PHONY: bench-kernel

## bench-mpiio: a call of MPI-IO and HDF5; DARSHAN=LIBRARY: beside Darshan
bench-mpiio: all
	bash $(top_srcdir)/tests/bench/mpiio.sh `pwd`
.PHONY: bench-mpiio

## plan-scale: what an analysis by many tasks takes on this machine
plan-scale: all %D%/gen_trace
	@top_builddir=`pwd` bash $(top_srcdir)/tests/bench/plan-scale.sh
.PHONY: plan-scale
