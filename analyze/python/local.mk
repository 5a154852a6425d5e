# SPDX-License-Identifier: MIT
# analyze/python - traces as objects of Python: extension _reader of package dftrace

if PYTHON_EXT
dftpyext_LTLIBRARIES += %D%/_reader.la
endif
%C%__reader_la_SOURCES = \
	%D%/_reader.c \
	%D%/arrow.h \
	%D%/arrow.c \
	%D%/evfill.c \
	%D%/evstream.c \
	%D%/evstream.h \
	%D%/readjob.c \
	%D%/readjob.h
# What records in a traced process has storage of each thread that no module
# loaded later may have; nothing here uses it.
%C%__reader_la_CPPFLAGS = $(AM_CPPFLAGS) $(PYTHON_CPPFLAGS)
%C%__reader_la_LDFLAGS = \
	$(AM_LDFLAGS) \
	-module \
	-shared \
	-avoid-version \
	-shrext .abi3.so \
	-Wl,--gc-sections \
	-export-symbols-regex '^PyInit__reader$$'
%C%__reader_la_LIBADD = \
	lib/util/liboldlibc.la \
	$(OLDLIBC_LIBS) \
	analyze/report/libreport.la \
	lib/chart/libchart.la \
	analyze/libanalyze.la \
	lib/model/libmodel.la \
	lib/util/libutil.la \
	lib/libcore.la \
	$(YAML_LIBS) \
	$(ZLIB_LIBS) \
	-lm -lpthread

dist_dftpypkg_DATA += \
	%D%/dftrace/_arrow.py \
	%D%/dftrace/_parquet.py \
	%D%/dftrace/_read.py \
	%D%/dftrace/_read.pyi \
	%D%/dftrace/_table.pyi \
	%D%/dftrace/_study.py \
	%D%/dftrace/_study.pyi \
	%D%/dftrace/_table.py \
	%D%/dftrace/dfanalyzer.py \
	%D%/dftrace/__init__.pyi \
	%D%/dftrace/py.typed

# `pip install dftrace`: the command, what it preloads, and the package
.PHONY: wheel wheel-files
wheel-files: dftrace$(EXEEXT) $(pkglib_LTLIBRARIES) python/.stamp
## wheel: a wheel of Python for all systems with glibc 2.17 or newer
wheel:
	cd $(top_srcdir) && PYTHONPATH=etc/packaging/wheel $${PYTHON3:-python3} -c \
	    "import dftrace_wheel; print (dftrace_wheel.build_wheel ('$(abs_builddir)'))"

EXTRA_DIST += \
	etc/packaging/wheel/dftrace_wheel.py \
	pyproject.toml \
	tests/python/arrowread.py \
	tests/python/readjob.py \
	tests/python/readodd.py
shell_tests += \
	tests/analysis/t2430-reader.t \
	tests/analysis/t2440-wheel.t

shell_tests += tests/report/t6020-notebook.t
EXTRA_DIST += etc/examples/notebooks/job.ipynb etc/examples/notebooks/study.ipynb tests/python/shown.py

# With a Python that has pyarrow, polars, duckdb and pandas.
EXTRA_DIST += tests/bench/reader.py tests/python/clients.py
## check-python-clients: pyarrow, polars, duckdb, pandas read events; PYTHON3=VENV/bin/python
.PHONY: check-python-clients bench-reader
check-python-clients: all
	PYTHONPATH=python:$(top_srcdir)/tests/python \
	    $(PYTHON3) $(top_srcdir)/tests/python/clients.py ./dftrace

## bench-reader: dftrace.read against Parquet in polars; PYTHON3=VENV/bin/python, EVENTS
bench-reader: all tests/bench/gen_trace
	dir=`mktemp -d $${DIR:-/dev/shm}/dftrace-bench.XXXXXX` && \
	PYTHONPATH=python $(PYTHON3) $(top_srcdir)/tests/bench/reader.py ./dftrace \
	    $$dir; rc=$$?; rm -rf $$dir; exit $$rc
