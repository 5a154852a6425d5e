# SPDX-License-Identifier: MIT
# preload/record - events of a traced process -> chunks and profiles in its shard

noinst_LTLIBRARIES += %D%/librecord.la
%C%_librecord_la_CFLAGS = $(AM_CFLAGS) $(DFT_SECTIONS) -U_FORTIFY_SOURCE
%C%_librecord_la_SOURCES = \
	%D%/detailnow.c \
	%D%/detailnow.h \
	%D%/shardfile.c \
	%D%/shardfile.h \
	%D%/layerdoor.h \
	%D%/shardpart.c \
	%D%/shardpart.h \
	%D%/names.c \
	%D%/nodefile.c \
	%D%/nodefile.h \
	%D%/owntable.c \
	%D%/owntable.h \
	%D%/procinfo.c \
	%D%/procinfo.h \
	%D%/prof.c \
	%D%/prof.h \
	%D%/proffind.c \
	%D%/profcount.h \
	%D%/profvalues.c \
	%D%/recbuffer.c \
	%D%/recbuffer.h \
	%D%/recorder.c \
	%D%/recorder.h \
	%D%/repeat.h \
	%D%/shardlive.c \
	%D%/shardlive.h \
	%D%/shardpath.c \
	%D%/shardpath.h \
	%D%/tbuf.c \
	%D%/tbuf.h \
	%D%/usage.c \
	%D%/usage.h
