# SPDX-License-Identifier: MIT
# preload/app/python - the package dftrace and its extension; a directory for PYTHONPATH

dftpydir = $(pkglibdir)/python
dftpy_package = $(dftpydir)/dftrace

dist_dftpy_DATA = %D%/sitecustomize.py

dftpypkgdir = $(dftpy_package)
dist_dftpypkg_DATA = \
	%D%/dftrace/__init__.py \
	%D%/dftrace/__main__.py \
	%D%/dftrace/_ai.py \
	%D%/dftrace/_apply.py \
	%D%/dftrace/_backend.py \
	%D%/dftrace/_blocks.py \
	%D%/dftrace/_capture.py \
	%D%/dftrace/_check.py \
	%D%/dftrace/_ctypes_backend.py \
	%D%/dftrace/_dftracer.py \
	%D%/dftrace/_dftracer_names.py \
	%D%/dftrace/_dynamo.py \
	%D%/dftrace/_entities.py \
	%D%/dftrace/_hook.py \
	%D%/dftrace/_inert.py \
	%D%/dftrace/_known.py \
	%D%/dftrace/_main.py \
	%D%/dftrace/_node.py \
	%D%/dftrace/_points.py \
	%D%/dftrace/_pydftracer.py \
	%D%/dftrace/_span.py \
	%D%/dftrace/_torch.py \
	%D%/dftrace/_use.py \
	%D%/dftrace/_wrap.py

dftpypointsdir = $(dftpy_package)/points
dist_dftpypoints_DATA = \
	%D%/dftrace/points/data.points \
	%D%/dftrace/points/deepspeed.points \
	%D%/dftrace/points/dlio.points \
	%D%/dftrace/points/huggingface.points \
	%D%/dftrace/points/lightning.points \
	%D%/dftrace/points/jax.points \
	%D%/dftrace/points/megatron.points \
	%D%/dftrace/points/network.points \
	%D%/dftrace/points/pytorch.points \
	%D%/dftrace/points/ray.points \
	%D%/dftrace/points/streaming.points \
	%D%/dftrace/points/tensorflow.points

# Not where Python looks by itself: a real pydftracer comes first.
dftpycompatdir = $(dftpy_package)/compat/dftracer
dist_dftpycompat_DATA = %D%/dftrace/compat/dftracer/__init__.py
dftpycompatpydir = $(dftpycompatdir)/python
dist_dftpycompatpy_DATA = \
	%D%/dftrace/compat/dftracer/python/__init__.py \
	%D%/dftrace/compat/dftracer/python/ai.py \
	%D%/dftrace/compat/dftracer/python/ai_common.py \
	%D%/dftrace/compat/dftracer/python/ai_init.py \
	%D%/dftrace/compat/dftracer/python/common.py \
	%D%/dftrace/compat/dftracer/python/dbg.py \
	%D%/dftrace/compat/dftracer/python/dynamo.py \
	%D%/dftrace/compat/dftracer/python/env.py \
	%D%/dftrace/compat/dftracer/python/logger.py \
	%D%/dftrace/compat/dftracer/python/torch.py
dftpycompatlogdir = $(dftpycompatdir)/logger
dist_dftpycompatlog_DATA = %D%/dftrace/compat/dftracer/logger/__init__.py

# To be copied beside programs that also run where we are not.
dftstubdir = $(pkgdatadir)/stub
dist_dftstub_DATA = %D%/stub/dftrace.py

dftpyextdir = $(dftpy_package)
dftpyext_LTLIBRARIES =
if PYTHON_EXT
dftpyext_LTLIBRARIES += %D%/_dftrace.la
endif
%C%__dftrace_la_SOURCES = \
	%D%/_dftrace.c \
	%D%/_gather.c \
	%D%/_inert.c \
	%D%/python_h.h
%C%__dftrace_la_CPPFLAGS = $(AM_CPPFLAGS) $(PYTHON_CPPFLAGS)
%C%__dftrace_la_LDFLAGS = \
	$(AM_LDFLAGS) \
	-module \
	-shared \
	-avoid-version \
	-shrext .abi3.so

# The same directory in the build tree, for `dftrace run` and the tests.
dftpy_files = \
	$(dist_dftpy_DATA) \
	$(dist_dftpypkg_DATA) \
	$(dist_dftpypoints_DATA) \
	$(dist_dftpycompat_DATA) \
	$(dist_dftpycompatpy_DATA) \
	$(dist_dftpycompatlog_DATA)
all-local: python/.stamp
python/.stamp: $(dftpy_files) $(dftpyext_LTLIBRARIES)
	$(AM_V_GEN)for f in $(dftpy_files); do \
		t=`echo "$$f" | $(SED) -e 's|.*preload/app/python/|python/|' \
			-e 's|^analyze/python/|python/|'`; \
		$(MKDIR_P) "`dirname "$$t"`" && \
		cp "$(srcdir)/$$f" "$$t" || exit 1; \
	done
	$(AM_V_at)for f in $(dftpyext_LTLIBRARIES); do \
		d=`dirname $$f` b=`basename $$f .la`; \
		cp $$d/.libs/$$b.abi3.so python/dftrace/ || exit 1; \
	done
	$(AM_V_at)touch $@

clean-local: python-clean
python-clean:
	rm -rf python
.PHONY: python-clean

# Users cannot write there: without these each process would compile anew.
install-data-hook: python-compile
python-compile:
	-test -z "$(PYTHON3)" || $(PYTHON3) -m compileall -q \
		-s "$(DESTDIR)" -p / "$(DESTDIR)$(dftpydir)"
uninstall-hook: python-uncompile
python-uncompile:
	-rm -rf "$(DESTDIR)$(dftpydir)"
.PHONY: python-compile python-uncompile
