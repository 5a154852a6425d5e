# SPDX-License-Identifier: MIT
# preload/record - events of a traced process -> chunks and profiles in its shard

noinst_LTLIBRARIES += %D%/librecord.la
%C%_librecord_la_CFLAGS = $(AM_CFLAGS) $(DFT_SECTIONS) -U_FORTIFY_SOURCE
%C%_librecord_la_SOURCES = \
	%D%/detailnow.c \
	%D%/detailnow.h \
	%D%/filelimit.c \
	%D%/filelimit.h \
	%D%/filespace.c \
	%D%/filespace.h \
	%D%/layerdoor.h \
	%D%/lookahead.c \
	%D%/lookahead.h \
	%D%/memlimit.c \
	%D%/memlimit.h \
	%D%/names.c \
	%D%/nodefile.c \
	%D%/nodefile.h \
	%D%/nodespace.c \
	%D%/orphan.c \
	%D%/orphan.h \
	%D%/owntable.c \
	%D%/owntable.h \
	%D%/procinfo.c \
	%D%/procinfo.h \
	%D%/prof.c \
	%D%/prof.h \
	%D%/profblock.c \
	%D%/profcount.h \
	%D%/proffind.c \
	%D%/proffold.c \
	%D%/profhist.c \
	%D%/profmap.c \
	%D%/profslow.c \
	%D%/profvalues.c \
	%D%/recbuffer.c \
	%D%/recbuffer.h \
	%D%/recent.c \
	%D%/recent.h \
	%D%/recnotes.c \
	%D%/recorder.c \
	%D%/recorder.h \
	%D%/repeat.h \
	%D%/shardfile.c \
	%D%/shardfile.h \
	%D%/shardhead.c \
	%D%/shardhead.h \
	%D%/shardlive.c \
	%D%/shardlive.h \
	%D%/shardpart.c \
	%D%/shardpart.h \
	%D%/shardpath.c \
	%D%/shardpath.h \
	%D%/shardplace.c \
	%D%/shardplace.h \
	%D%/tbuf.c \
	%D%/tbuf.h \
	%D%/tbufmem.c \
	%D%/tbufmem.h \
	%D%/threadbuf.c \
	%D%/threadbuf.h \
	%D%/usage.c \
	%D%/usage.h \
	%D%/usageargs.c
