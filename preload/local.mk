# SPDX-License-Identifier: MIT
# preload - libdftrace_preload.so; its wrappers and exports are the rows of
# wraps.def

# The wrappers define what headers would inline, check or redirect.
preload_cflags = \
	$(AM_CFLAGS) \
	-D__NO_INLINE__ \
	-U_FORTIFY_SOURCE \
	-U_FILE_OFFSET_BITS

noinst_LTLIBRARIES += %D%/libpreload.la
%C%_libpreload_la_SOURCES = \
	%D%/facts.h \
	%D%/facts_fd.c \
	%D%/facts_path.c \
	%D%/facts_stream.c \
	%D%/fdmap.c \
	%D%/fdmap.h \
	%D%/files.c \
	%D%/files.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/maps.c \
	%D%/maps.h \
	%D%/paths.c \
	%D%/paths.h \
	%D%/process.c \
	%D%/process.h \
	%D%/span.c \
	%D%/span.h
%C%_libpreload_la_CFLAGS = $(preload_cflags)

pkglib_LTLIBRARIES += %D%/libdftrace_preload.la
%C%_libdftrace_preload_la_SOURCES = \
	%D%/init.c \
	%D%/real.c \
	%D%/real.h \
	%D%/wrap.c \
	%D%/wrap.h \
	%D%/wrap_args.c \
	%D%/wrap_exec.c \
	%D%/wraps.def
%C%_libdftrace_preload_la_CFLAGS = $(preload_cflags)
%C%_libdftrace_preload_la_LDFLAGS = \
	$(AM_LDFLAGS) \
	-module \
	-shared \
	-avoid-version \
	-Wl,--version-script,%D%/preload.map \
	-Wl,-Bsymbolic-functions \
	-Wl,-z,now
%C%_libdftrace_preload_la_LIBADD = \
	app/libapp.la \
	%D%/libpreload.la \
	lib/core/libcore.la
EXTRA_%C%_libdftrace_preload_la_DEPENDENCIES = %D%/preload.map

CLEANFILES += %D%/preload.map
%D%/preload.map: $(srcdir)/%D%/wraps.def
	$(AM_V_GEN)$(MKDIR_P) %D% && { \
	echo '{ global:'; \
	$(SED) -n 's/^\(WRAP\|HAND\) ([^,]*, *\([A-Za-z_0-9]*\),.*/    \2;/p' \
		$(srcdir)/%D%/wraps.def; \
	echo '    dftrace_*;'; \
	echo '  local: *; };'; \
	} > $@.tmp && mv $@.tmp $@

# -- tests -------------------------------------------------------------
check_PROGRAMS += tests/victims/dump
tests_victims_dump_SOURCES = tests/victims/dump.c
tests_victims_dump_LDADD = lib/core/libcore.la
