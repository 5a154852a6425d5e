# SPDX-License-Identifier: MIT

noinst_LTLIBRARIES += %D%/libminigpt.la
%C%_libminigpt_la_SOURCES = \
	%D%/binreader.c \
	%D%/binreader.h \
	%D%/cache.c \
	%D%/cache.h \
	%D%/checkpoint.c \
	%D%/checkpoint.h \
	%D%/compute.c \
	%D%/compute.h \
	%D%/corpus.c \
	%D%/corpus.h \
	%D%/dataset.c \
	%D%/dataset.h \
	%D%/failure.c \
	%D%/failure.h \
	%D%/idxfile.c \
	%D%/idxfile.h \
	%D%/index.c \
	%D%/index.h \
	%D%/loader.c \
	%D%/loader.h \
	%D%/mt19937.c \
	%D%/mt19937.h \
	%D%/npy.c \
	%D%/npy.h \
	%D%/options.c \
	%D%/options.def \
	%D%/options.h \
	%D%/synth.c \
	%D%/synth.h \
	%D%/textfile.c \
	%D%/textfile.h \
	%D%/tokenizer.c \
	%D%/tokenizer.h \
	%D%/train.c \
	%D%/train.h \
	%D%/wholeio.c \
	%D%/wholeio.h

%C%_libminigpt_la_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
%C%_libminigpt_la_LIBADD = $(ZLIB_LIBS) -lm

noinst_PROGRAMS += \
	%D%/minigpt \
	%D%/mkcorpus
%C%_minigpt_SOURCES = %D%/main.c
%C%_minigpt_LDADD = %D%/libminigpt.la
%C%_mkcorpus_SOURCES = %D%/mkcorpus.c
%C%_mkcorpus_LDADD = %D%/libminigpt.la

if HAVE_CMOCKA
unit_tests += \
	tests/unit/minigpt/corpus.t \
	tests/unit/minigpt/dataset.t \
	tests/unit/minigpt/index.t \
	tests/unit/minigpt/mt19937.t \
	tests/unit/minigpt/npy.t \
	tests/unit/minigpt/tokenizer.t
endif
minigpt_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
minigpt_test_ldadd = %D%/libminigpt.la $(CMOCKA_LIBS)

tests_unit_minigpt_corpus_t_SOURCES = tests/unit/minigpt/corpus.c tests/unit/tap.h
tests_unit_minigpt_corpus_t_CPPFLAGS = $(minigpt_test_cppflags)
tests_unit_minigpt_corpus_t_LDADD = $(minigpt_test_ldadd)

tests_unit_minigpt_dataset_t_SOURCES = tests/unit/minigpt/dataset.c tests/unit/tap.h
tests_unit_minigpt_dataset_t_CPPFLAGS = $(minigpt_test_cppflags)
tests_unit_minigpt_dataset_t_LDADD = $(minigpt_test_ldadd)

tests_unit_minigpt_index_t_SOURCES = tests/unit/minigpt/index.c tests/unit/tap.h
tests_unit_minigpt_index_t_CPPFLAGS = $(minigpt_test_cppflags)
tests_unit_minigpt_index_t_LDADD = $(minigpt_test_ldadd)

tests_unit_minigpt_mt19937_t_SOURCES = tests/unit/minigpt/mt19937.c tests/unit/tap.h
tests_unit_minigpt_mt19937_t_CPPFLAGS = $(minigpt_test_cppflags)
tests_unit_minigpt_mt19937_t_LDADD = $(minigpt_test_ldadd)

tests_unit_minigpt_npy_t_SOURCES = tests/unit/minigpt/npy.c tests/unit/tap.h
tests_unit_minigpt_npy_t_CPPFLAGS = $(minigpt_test_cppflags)
tests_unit_minigpt_npy_t_LDADD = $(minigpt_test_ldadd)

tests_unit_minigpt_tokenizer_t_SOURCES = tests/unit/minigpt/tokenizer.c tests/unit/tap.h
tests_unit_minigpt_tokenizer_t_CPPFLAGS = $(minigpt_test_cppflags)
tests_unit_minigpt_tokenizer_t_LDADD = $(minigpt_test_ldadd)

dist_check_SCRIPTS += \
	tests/study/t4000-minigpt.t \
	tests/study/t4100-study.t
TESTS += \
	tests/study/t4000-minigpt.t \
	tests/study/t4100-study.t
