# SPDX-License-Identifier: MIT
# analyze/ - traces -> tables; verbs analyze, merge, stat

noinst_LTLIBRARIES += %D%/libanalyze.la
%C%_libanalyze_la_SOURCES = \
	%D%/cmd.h \
	%D%/cmd_analyze.c \
	%D%/cmd_export.c \
	%D%/cmd_merge.c \
	%D%/cmd_stat.c \
	%D%/compat.c \
	%D%/compat.h \
	%D%/compatview.c \
	%D%/dump.c \
	%D%/dump.h \
	%D%/filelimit.c \
	%D%/filelimit.h \
	%D%/find.c \
	%D%/find.h \
	%D%/gzblock.c \
	%D%/gzblock.h \
	%D%/gzin.c \
	%D%/gzin.h \
	%D%/hist.c \
	%D%/hist.h \
	%D%/ignored.def \
	%D%/insight.c \
	%D%/insight.h \
	%D%/insights.def \
	%D%/interval.c \
	%D%/interval.h \
	%D%/jobinfo.c \
	%D%/jobinfo.h \
	%D%/kind.c \
	%D%/kind.h \
	%D%/kinds.def \
	%D%/layerrules.def \
	%D%/layerset.c \
	%D%/layerset.h \
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
	%D%/pfwlex.c \
	%D%/pfwlex.h \
	%D%/pfwnames.c \
	%D%/pfwnames.h \
	%D%/pfwopen.c \
	%D%/pfwread.c \
	%D%/pfwread.h \
	%D%/pfwtrace.c \
	%D%/pfwtrace.h \
	%D%/pfwwrite.c \
	%D%/pfwwrite.h \
	%D%/refused.c \
	%D%/refused.h \
	%D%/results.c \
	%D%/results.h \
	%D%/role.c \
	%D%/role.h \
	%D%/roles.def \
	%D%/scan.c \
	%D%/sources.c \
	%D%/spanlog.c \
	%D%/spanlog.h \
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
	%D%/views.h \
	%D%/where.c \
	%D%/where.h
%C%_libanalyze_la_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
%C%_libanalyze_la_LIBADD = $(ZLIB_LIBS) -lm

dftrace_libs += %D%/libanalyze.la

check_PROGRAMS += tests/victims/mkshard
tests_victims_mkshard_SOURCES = \
	tests/victims/mkshard.c \
	tests/victims/truth.c \
	tests/victims/truth.h
tests_victims_mkshard_LDADD = lib/core/libcore.la

dist_check_SCRIPTS += \
	tests/t2000-analyze.t \
	tests/t2100-merge.t \
	tests/t2110-pfw.t \
	tests/t2200-stat.t \
	tests/t2300-pfw-read.t \
	tests/t2310-compat.t \
	tests/t2320-insights.t \
	tests/t2330-export.t
TESTS += \
	tests/t2000-analyze.t \
	tests/t2100-merge.t \
	tests/t2110-pfw.t \
	tests/t2200-stat.t \
	tests/t2300-pfw-read.t \
	tests/t2310-compat.t \
	tests/t2320-insights.t \
	tests/t2330-export.t

if HAVE_CMOCKA
unit_tests += \
	tests/unit/hist.t \
	tests/unit/interval.t \
	tests/unit/kind.t \
	tests/unit/md5.t \
	tests/unit/metrics.t \
	tests/unit/nest.t \
	tests/unit/pfwlex.t \
	tests/unit/spanlog.t

tests_unit_hist_t_SOURCES = tests/unit/hist.c
tests_unit_hist_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_hist_t_LDADD = $(analyze_test_libs)
tests_unit_interval_t_SOURCES = tests/unit/interval.c
tests_unit_interval_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_interval_t_LDADD = $(analyze_test_libs)
tests_unit_kind_t_SOURCES = tests/unit/kind.c
tests_unit_kind_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_kind_t_LDADD = $(analyze_test_libs)
tests_unit_md5_t_SOURCES = tests/unit/md5.c
tests_unit_md5_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_md5_t_LDADD = $(analyze_test_libs)
tests_unit_metrics_t_SOURCES = tests/unit/metrics.c
tests_unit_metrics_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_metrics_t_LDADD = $(analyze_test_libs)
tests_unit_nest_t_SOURCES = tests/unit/nest.c
tests_unit_nest_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_nest_t_LDADD = $(analyze_test_libs)
tests_unit_pfwlex_t_SOURCES = tests/unit/pfwlex.c
tests_unit_pfwlex_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_pfwlex_t_LDADD = $(analyze_test_libs)
tests_unit_spanlog_t_SOURCES = tests/unit/spanlog.c
tests_unit_spanlog_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_spanlog_t_LDADD = $(analyze_test_libs)
endif

analyze_test_libs = \
	analyze/libanalyze.la \
	lib/util/libutil.la \
	lib/core/libcore.la \
	$(CMOCKA_LIBS) \
	-lm

# -- fuzzing: make fuzz-tracefile, fuzz-pfw (needs clang), FUZZ_SECONDS=60 -------------
EXTRA_DIST += \
	tests/data/pfw/compat.pfw \
	tests/data/pfw/d0.pfw \
	tests/data/pfw/d1.pfw \
	tests/data/pfw/d2.pfw \
	tests/data/pfw/d3.pfw \
	tests/fuzz/pfw.c \
	tests/fuzz/tracefile.c

.PHONY: fuzz-tracefile
fuzz-tracefile: tests/victims/mkshard
	$(MKDIR_P) .fuzz/tracefile
	tests/victims/mkshard .fuzz/job direct 20
	cp .fuzz/job/shards/*.dft .fuzz/tracefile
	for s in .fuzz/job/shards/*.dft; do \
	    { cat $$s; echo; } >.fuzz/tracefile/odd-`basename $$s`; done
	$(FUZZ_CC) -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=all -D_GNU_SOURCE -I. -I$(top_srcdir) $(YAML_CFLAGS) \
	    $(top_srcdir)/tests/fuzz/tracefile.c \
	    $(top_srcdir)/analyze/[!c]*.c $(top_srcdir)/lib/util/*.c \
	    $(top_srcdir)/lib/core/*.c \
	    $(YAML_LIBS) $(ZLIB_LIBS) -lm -pthread -o .fuzz/fuzz-tracefile
	.fuzz/fuzz-tracefile -max_total_time=$(FUZZ_SECONDS) -max_len=65536 \
	    -artifact_prefix=.fuzz/ .fuzz/tracefile

.PHONY: fuzz-pfw
fuzz-pfw:
	$(MKDIR_P) .fuzz/pfw
	for f in $(top_srcdir)/tests/data/pfw/*.pfw; do \
	    cp $$f .fuzz/pfw; gzip -c $$f >.fuzz/pfw/`basename $$f`.gz; done
	$(FUZZ_CC) -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=all -D_GNU_SOURCE -I. -I$(top_srcdir) $(YAML_CFLAGS) \
	    $(top_srcdir)/tests/fuzz/pfw.c \
	    $(top_srcdir)/analyze/[!c]*.c $(top_srcdir)/lib/util/*.c \
	    $(top_srcdir)/lib/core/*.c \
	    $(YAML_LIBS) $(ZLIB_LIBS) -lm -pthread -o .fuzz/fuzz-pfw
	.fuzz/fuzz-pfw -max_total_time=$(FUZZ_SECONDS) -max_len=16384 \
	    -artifact_prefix=.fuzz/ .fuzz/pfw
