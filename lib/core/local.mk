# SPDX-License-Identifier: MIT
# lib/core - safe inside a stranger's process; libc only

noinst_LTLIBRARIES += %D%/libcore.la
%C%_libcore_la_SOURCES = \
	%D%/calls.c \
	%D%/calls.def \
	%D%/calls.h \
	%D%/clock.h \
	%D%/decoder.c \
	%D%/errtext.c \
	%D%/errtext.h \
	%D%/event.c \
	%D%/event.h \
	%D%/eventstate.h \
	%D%/jobdir.c \
	%D%/jobdir.h \
	%D%/jobdir_json.c \
	%D%/layers.c \
	%D%/layers.def \
	%D%/layers.h \
	%D%/marker.c \
	%D%/marker.h \
	%D%/names.c \
	%D%/parse.c \
	%D%/parse.h \
	%D%/procinfo.c \
	%D%/procinfo.h \
	%D%/recorder.c \
	%D%/recorder.h \
	%D%/settings.c \
	%D%/settings.def \
	%D%/settings.h \
	%D%/shard.c \
	%D%/shard.h \
	%D%/shardfile.c \
	%D%/shardfile.h \
	%D%/shardpath.c \
	%D%/shardpath.h \
	%D%/sys.h \
	%D%/tbuf.c \
	%D%/tbuf.h \
	%D%/tracefile.c \
	%D%/tracefile.h \
	%D%/traceproc.c \
	%D%/traceproc.h \
	%D%/varint.h
