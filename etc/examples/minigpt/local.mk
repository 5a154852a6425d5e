# SPDX-License-Identifier: MIT

noinst_LTLIBRARIES += %D%/libminigpt.la
%C%_libminigpt_la_SOURCES = \
	%D%/corpus.c \
	%D%/dataset.c \
	%D%/minigpt.h \
	%D%/util.c

noinst_PROGRAMS += \
	%D%/minigpt \
	%D%/mkcorpus
%C%_minigpt_SOURCES = %D%/minigpt.c
%C%_minigpt_LDADD = %D%/libminigpt.la
%C%_mkcorpus_SOURCES = %D%/mkcorpus.c
%C%_mkcorpus_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
%C%_mkcorpus_LDADD = %D%/libminigpt.la $(ZLIB_LIBS) -lm

shell_tests += \
	tests/study/t4000-minigpt.t \
	tests/study/t4100-study.t

if HAVE_CMOCKA
unit_tests += tests/unit/minigpt.t
endif
tests_unit_minigpt_t_LDADD = %D%/libminigpt.la $(CMOCKA_LIBS)
