# SPDX-License-Identifier: MIT

noinst_LTLIBRARIES += %D%/libutil.la
%C%_libutil_la_SOURCES = \
	%D%/fsutil.c \
	%D%/fsutil.h \
	%D%/json.c \
	%D%/json.h \
	%D%/log.c \
	%D%/log.h \
	%D%/opthelp.c \
	%D%/optparse.c \
	%D%/optparse.h \
	%D%/pool.c \
	%D%/pool.h \
	%D%/progress.c \
	%D%/progress.h \
	%D%/strmap.c \
	%D%/strmap.h \
	%D%/textable.c \
	%D%/textable.h \
	%D%/ytree.c \
	%D%/ytree.h
%C%_libutil_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS)
%C%_libutil_la_CFLAGS = $(AM_CFLAGS) -pthread
%C%_libutil_la_LIBADD = $(YAML_LIBS) -lpthread
