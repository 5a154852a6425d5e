# SPDX-License-Identifier: MIT

noinst_LTLIBRARIES += %D%/libutil.la
%C%_libutil_la_SOURCES = \
	%D%/spool.c \
	%D%/spool.h \
	%D%/sha256.c \
	%D%/sha256.h \
	%D%/fsutil.c \
	%D%/fsutil.h \
	%D%/json.c \
	%D%/json.h \
	%D%/launch.c \
	%D%/launch.h \
	%D%/log.c \
	%D%/log.h \
	%D%/numwords.c \
	%D%/optparse.c \
	%D%/optparse.h \
	%D%/places.c \
	%D%/pool.c \
	%D%/pool.h \
	%D%/regexbound.c \
	%D%/stats.c \
	%D%/stats.h \
	%D%/strmap.c \
	%D%/strmap.h \
	%D%/terminal.c \
	%D%/terminal.h \
	%D%/textable.c \
	%D%/textable.h \
	%D%/xalloc.c \
	%D%/xalloc.h \
	%D%/ytree.c \
	%D%/ytree.h
%C%_libutil_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS)
%C%_libutil_la_CFLAGS = $(AM_CFLAGS) -pthread
%C%_libutil_la_LIBADD = $(YAML_LIBS) -lpthread -lm

# in what is installed, before all other libraries
noinst_LTLIBRARIES += %D%/liboldlibc.la
%C%_liboldlibc_la_SOURCES = %D%/oldlibc.c
%C%_liboldlibc_la_CFLAGS = $(AM_CFLAGS) $(DFT_SECTIONS) -fno-builtin

# -- fuzzing: make fuzz-ytree (needs clang), FUZZ_SECONDS=60 ---------------
EXTRA_DIST += tests/fuzz/ytree.c
FUZZ_CC = clang
FUZZ_SECONDS = 60
fuzz_ytree_sources = \
	$(top_srcdir)/tests/fuzz/ytree.c \
	$(top_srcdir)/%D%/ytree.c \
	$(top_srcdir)/%D%/strmap.c \
	$(top_srcdir)/%D%/fsutil.c \
	$(top_srcdir)/%D%/log.c \
	$(top_srcdir)/%D%/xalloc.c \
	$(wildcard $(top_srcdir)/lib/base/*.c)

.PHONY: fuzz-ytree
fuzz-ytree:
	$(MKDIR_P) .fuzz/ytree
	$(FUZZ_CC) -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=all $(DEFS) $(AM_CPPFLAGS) $(YAML_CFLAGS) \
	    $(fuzz_ytree_sources) $(YAML_LIBS) -o .fuzz/fuzz-ytree
	.fuzz/fuzz-ytree -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/ytree
