# SPDX-License-Identifier: MIT
# lib/base, lib/format, lib/settings - safe in a traced process; libc only

# It is part of the preload library, which is loaded by programs of another libc
# (musl), too: those have no functions __x_chk.
noinst_LTLIBRARIES += %D%/libcore.la
# What it does not need of this is left out of it.
%C%_libcore_la_CFLAGS = $(AM_CFLAGS) $(DFT_SECTIONS) -U_FORTIFY_SOURCE
%C%_libcore_la_SOURCES = \
	%D%/base/array.h \
	%D%/base/clock.c \
	%D%/base/clock.h \
	%D%/base/text.c \
	%D%/base/text.h \
	%D%/base/highfd.c \
	%D%/base/highfd.h \
	%D%/base/kernelmark.h \
	%D%/base/fsinfo.c \
	%D%/base/fsinfo.h \
	%D%/base/oldlibc.h \
	%D%/base/programkind.c \
	%D%/base/programkind.h \
	%D%/base/sys.c \
	%D%/base/sys.h \
	%D%/format/calls.c \
	%D%/format/calls.def \
	%D%/format/calls.h \
	%D%/format/decoder.c \
	%D%/format/dense.c \
	%D%/format/dense.h \
	%D%/format/densewrite.c \
	%D%/format/proclines.c \
	%D%/format/proclines.h \
	%D%/format/event.c \
	%D%/format/event.h \
	%D%/format/lastword.h \
	%D%/format/layers.def \
	%D%/format/leftout.def \
	%D%/format/usagekeys.h \
	%D%/format/profile.def \
	%D%/format/profile.h \
	%D%/format/shard.c \
	%D%/format/shard.h \
	%D%/format/tracefile.c \
	%D%/format/tracefile.h \
	%D%/format/traceproc.c \
	%D%/format/untracedlist.c \
	%D%/format/untracedlist.h \
	%D%/format/usage.def \
	%D%/format/varint.h \
	%D%/settings/taskenv.c \
	%D%/settings/taskenv.h \
	%D%/settings/cpulimits.c \
	%D%/settings/cpulimits.h \
	%D%/settings/detail.c \
	%D%/settings/detail.h \
	%D%/settings/jobdir.c \
	%D%/settings/jobdir.h \
	%D%/settings/nodename.c \
	%D%/settings/nodename.h \
	%D%/settings/kernelside.c \
	%D%/settings/kernelside.h \
	%D%/settings/marker.c \
	%D%/settings/marker.h \
	%D%/settings/memorystage.c \
	%D%/settings/notrace.c \
	%D%/settings/notrace.h \
	%D%/settings/paths.c \
	%D%/settings/paths.h \
	%D%/settings/preloads.c \
	%D%/settings/preloads.h \
	%D%/settings/plan.c \
	%D%/settings/plan.h \
	%D%/settings/site.c \
	%D%/settings/site.h \
	%D%/settings/settings.c \
	%D%/settings/settings.def \
	%D%/settings/settings.h \
	%D%/settings/tracespec.c

