# SPDX-License-Identifier: MIT
# analyze/ - traces -> tables; verbs analyze, merge, stat

noinst_LTLIBRARIES += %D%/libanalyze.la
%C%_libanalyze_la_SOURCES = \
	%D%/cmd_analyze.c \
	%D%/cmd_merge.c \
	%D%/cmd_stat.c \
	%D%/dump.c \
	%D%/dump.h \
	%D%/filelimit.c \
	%D%/filelimit.h \
	%D%/find.c \
	%D%/find.h \
	%D%/gzblock.c \
	%D%/gzblock.h \
	%D%/hist.c \
	%D%/hist.h \
	%D%/interval.c \
	%D%/interval.h \
	%D%/jobinfo.c \
	%D%/jobinfo.h \
	%D%/kind.c \
	%D%/kind.h \
	%D%/kinds.def \
	%D%/load.c \
	%D%/load.h \
	%D%/md5.c \
	%D%/md5.h \
	%D%/merge.c \
	%D%/merge.h \
	%D%/metrics.c \
	%D%/metrics.def \
	%D%/metrics.h \
	%D%/needs.def \
	%D%/nest.c \
	%D%/nest.h \
	%D%/parts.c \
	%D%/parts.h \
	%D%/pattern.c \
	%D%/pattern.h \
	%D%/pfw.c \
	%D%/pfw.h \
	%D%/results.c \
	%D%/results.h \
	%D%/role.c \
	%D%/role.h \
	%D%/roles.def \
	%D%/scan.c \
	%D%/stream.c \
	%D%/stream.h \
	%D%/summary.c \
	%D%/summary.h \
	%D%/tally.c \
	%D%/tally.h \
	%D%/viewrows.c \
	%D%/viewrows.h \
	%D%/views.c \
	%D%/views.def \
	%D%/views.h
%C%_libanalyze_la_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
%C%_libanalyze_la_LIBADD = $(ZLIB_LIBS) -lm

dftrace_libs += %D%/libanalyze.la

check_PROGRAMS += tests/victims/mkshard
tests_victims_mkshard_SOURCES = tests/victims/mkshard.c
tests_victims_mkshard_LDADD = lib/core/libcore.la

dist_check_SCRIPTS += \
	tests/t2000-analyze.t \
	tests/t2100-merge.t \
	tests/t2110-pfw.t \
	tests/t2200-stat.t
TESTS += \
	tests/t2000-analyze.t \
	tests/t2100-merge.t \
	tests/t2110-pfw.t \
	tests/t2200-stat.t

if HAVE_CMOCKA
unit_tests += \
	tests/unit/hist.t \
	tests/unit/interval.t \
	tests/unit/kind.t \
	tests/unit/nest.t

tests_unit_hist_t_SOURCES = tests/unit/hist.c
tests_unit_hist_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_hist_t_LDADD = $(analyze_test_libs)
tests_unit_interval_t_SOURCES = tests/unit/interval.c
tests_unit_interval_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_interval_t_LDADD = $(analyze_test_libs)
tests_unit_kind_t_SOURCES = tests/unit/kind.c
tests_unit_kind_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_kind_t_LDADD = $(analyze_test_libs)
tests_unit_nest_t_SOURCES = tests/unit/nest.c
tests_unit_nest_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_nest_t_LDADD = $(analyze_test_libs)
endif

analyze_test_libs = \
	analyze/libanalyze.la \
	lib/util/libutil.la \
	lib/core/libcore.la \
	$(CMOCKA_LIBS) \
	-lm
