# SPDX-License-Identifier: MIT
# app/python - the package dftrace and its extension; a directory for PYTHONPATH

dftpydir = $(pkglibdir)/python
dftpy_package = $(dftpydir)/dftrace

dftpypkgdir = $(dftpy_package)
dist_dftpypkg_DATA = \
	%D%/dftrace/__init__.py \
	%D%/dftrace/_backend.py \
	%D%/dftrace/_ctypes_backend.py

if PYTHON_EXT
dftpyextdir = $(dftpy_package)
dftpyext_LTLIBRARIES = %D%/_dftrace.la
endif
%C%__dftrace_la_SOURCES = %D%/_dftrace.c
%C%__dftrace_la_CPPFLAGS = $(AM_CPPFLAGS) $(PYTHON_CPPFLAGS)
%C%__dftrace_la_LDFLAGS = \
	$(AM_LDFLAGS) \
	-module \
	-shared \
	-avoid-version \
	-shrext .abi3.so

# The same directory in the build tree, for `dftrace run` and the tests.
all-local: python/.stamp
python/.stamp: $(dist_dftpy_DATA) $(dist_dftpypkg_DATA) $(dist_dftpypoints_DATA) \
	$(dftpyext_LTLIBRARIES)
	$(AM_V_GEN)rm -rf python && \
	for f in $(dist_dftpy_DATA) $(dist_dftpypkg_DATA) \
		$(dist_dftpypoints_DATA); do \
		for s in "$$f" "$(srcdir)/$$f"; do test -f "$$s" && break; done; \
		t=python/`echo "$$f" | $(SED) 's|.*app/python/||'`; \
		$(MKDIR_P) "`dirname "$$t"`" && cp "$$s" "$$t" || exit 1; \
	done
	$(AM_V_at)if test -n "$(dftpyext_LTLIBRARIES)"; then \
		cp %D%/.libs/_dftrace.abi3.so python/dftrace/; fi
	$(AM_V_at)touch $@

clean-local: python-clean
python-clean:
	rm -rf python
.PHONY: python-clean
