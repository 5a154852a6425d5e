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
	%D%/log.c \
	%D%/log.h \
	%D%/numwords.c \
	%D%/numwords.h \
	%D%/optparse.c \
	%D%/optparse.h \
	%D%/places.c \
	%D%/places.h \
	%D%/pool.c \
	%D%/pool.h \
	%D%/progress.c \
	%D%/progress.h \
	%D%/stats.c \
	%D%/stats.h \
	%D%/strmap.c \
	%D%/strmap.h \
	%D%/textable.c \
	%D%/textable.h \
	%D%/ytree.c \
	%D%/ytree.h
%C%_libutil_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS)
%C%_libutil_la_CFLAGS = $(AM_CFLAGS) -pthread
%C%_libutil_la_LIBADD = $(YAML_LIBS) -lpthread -lm

if HAVE_CMOCKA
unit_tests += \
	tests/unit/util/blocks.t \
	tests/unit/util/fsutil.t \
	tests/unit/util/json.t \
	tests/unit/util/log.t \
	tests/unit/util/numwords.t \
	tests/unit/util/optparse.t \
	tests/unit/util/pool.t \
	tests/unit/util/sha256.t \
	tests/unit/util/stats.t \
	tests/unit/util/strmap.t \
	tests/unit/util/textable.t \
	tests/unit/util/view.t \
	tests/unit/util/ytree.t
endif

util_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
util_test_ldadd = %D%/libutil.la lib/libcore.la $(CMOCKA_LIBS)

tests_unit_util_blocks_t_SOURCES = tests/unit/util/blocks.c tests/unit/tap.h
tests_unit_util_blocks_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_blocks_t_LDADD = $(util_test_ldadd)

tests_unit_util_numwords_t_SOURCES = tests/unit/util/numwords.c tests/unit/tap.h
tests_unit_util_numwords_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_numwords_t_LDADD = $(util_test_ldadd)

tests_unit_util_fsutil_t_SOURCES = tests/unit/util/fsutil.c tests/unit/tap.h
tests_unit_util_fsutil_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_fsutil_t_LDADD = $(util_test_ldadd)

tests_unit_util_json_t_SOURCES = tests/unit/util/json.c tests/unit/tap.h
tests_unit_util_json_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_json_t_LDADD = $(util_test_ldadd)

tests_unit_util_log_t_SOURCES = tests/unit/util/log.c tests/unit/tap.h tests/unit/scratch.h
tests_unit_util_log_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_log_t_LDADD = $(util_test_ldadd)

tests_unit_util_optparse_t_SOURCES = tests/unit/util/optparse.c tests/unit/tap.h
tests_unit_util_optparse_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_optparse_t_LDADD = $(util_test_ldadd)

tests_unit_util_pool_t_SOURCES = tests/unit/util/pool.c tests/unit/tap.h
tests_unit_util_pool_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_pool_t_LDADD = $(util_test_ldadd)

tests_unit_util_sha256_t_SOURCES = tests/unit/util/sha256.c tests/unit/tap.h
tests_unit_util_sha256_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_sha256_t_LDADD = $(util_test_ldadd)
tests_unit_util_stats_t_SOURCES = tests/unit/util/stats.c tests/unit/tap.h
tests_unit_util_stats_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_stats_t_LDADD = $(util_test_ldadd)

tests_unit_util_strmap_t_SOURCES = tests/unit/util/strmap.c tests/unit/tap.h
tests_unit_util_strmap_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_strmap_t_LDADD = $(util_test_ldadd)

tests_unit_util_textable_t_SOURCES = tests/unit/util/textable.c tests/unit/tap.h
tests_unit_util_textable_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_textable_t_LDADD = $(util_test_ldadd)

tests_unit_util_view_t_SOURCES = tests/unit/util/view.c tests/unit/tap.h
tests_unit_util_view_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_view_t_LDADD = lib/model/libmodel.la $(util_test_ldadd)

tests_unit_util_ytree_t_SOURCES = tests/unit/util/ytree.c tests/unit/tap.h
tests_unit_util_ytree_t_CPPFLAGS = $(util_test_cppflags)
tests_unit_util_ytree_t_LDADD = $(util_test_ldadd)

# -- fuzzing: make fuzz-ytree (needs clang), FUZZ_SECONDS=60 ---------------
EXTRA_DIST += tests/fuzz/ytree.c
FUZZ_CC = clang
FUZZ_SECONDS = 60
fuzz_ytree_sources = \
	$(top_srcdir)/tests/fuzz/ytree.c \
	$(top_srcdir)/%D%/ytree.c \
	$(top_srcdir)/%D%/strmap.c \
	$(top_srcdir)/%D%/fsutil.c \
	$(top_srcdir)/lib/base/text.c

.PHONY: fuzz-ytree
fuzz-ytree:
	$(MKDIR_P) .fuzz/ytree
	$(FUZZ_CC) -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=all $(DEFS) $(AM_CPPFLAGS) $(YAML_CFLAGS) \
	    $(fuzz_ytree_sources) $(YAML_LIBS) -o .fuzz/fuzz-ytree
	.fuzz/fuzz-ytree -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/ytree
