# SPDX-License-Identifier: MIT
# analyze/ - traces -> tables; verbs analyze, merge, stat

noinst_LTLIBRARIES += %D%/libanalyze.la
%C%_libanalyze_la_SOURCES = \
	%D%/cmd.h \
	%D%/analyzeopts.c \
	%D%/analyzeopts.h \
	%D%/clocks.c \
	%D%/clocks.h \
	%D%/cmd_analyze.c \
	%D%/cmd_export.c \
	%D%/cmd_merge.c \
	%D%/cmd_stat.c \
	%D%/ckptkinds.def \
	%D%/compat.c \
	%D%/compat.h \
	%D%/compatjoin.c \
	%D%/compatop.c \
	%D%/compatop.h \
	%D%/compatread.c \
	%D%/compatread.h \
	%D%/compatrun.c \
	%D%/compatrun.h \
	%D%/compatshare.c \
	%D%/compatshare.h \
	%D%/compattally.c \
	%D%/compattally.h \
	%D%/compatview.c \
	%D%/database.c \
	%D%/database.h \
	%D%/division.c \
	%D%/division.h \
	%D%/dump.c \
	%D%/dump.h \
	%D%/eventwrite.c \
	%D%/eventwrite.h \
	%D%/evfilter.c \
	%D%/evfilter.h \
	%D%/evname.c \
	%D%/evname.h \
	%D%/filelimit.c \
	%D%/filelimit.h \
	%D%/find.c \
	%D%/find.h \
	%D%/groupframe.c \
	%D%/groupframe.h \
	%D%/groupkeys.def \
	%D%/grouppass.h \
	%D%/groups.c \
	%D%/groups.h \
	%D%/groupscan.c \
	%D%/groupscan.h \
	%D%/grouptable.c \
	%D%/groupshare.c \
	%D%/groupshare.h \
	%D%/groupvalue.c \
	%D%/groupvalue.h \
	%D%/gzblock.c \
	%D%/gzblock.h \
	%D%/gzin.c \
	%D%/gzin.h \
	%D%/gzpack.c \
	%D%/gzpack.h \
	%D%/health.c \
	%D%/hist.c \
	%D%/hist.h \
	%D%/ignored.def \
	%D%/inflater.c \
	%D%/inflater.h \
	%D%/insight.c \
	%D%/insight.h \
	%D%/insightrows.c \
	%D%/insightrows.def \
	%D%/insightrows.h \
	%D%/insights.def \
	%D%/interval.c \
	%D%/interval.h \
	%D%/jobinfo.c \
	%D%/jobinfo.h \
	%D%/jobpage.c \
	%D%/jobpage.h \
	%D%/kind.c \
	%D%/kind.h \
	%D%/kinds.def \
	%D%/layerrules.def \
	%D%/layerset.c \
	%D%/layerset.h \
	%D%/load.c \
	%D%/load.h \
	%D%/marks.c \
	%D%/marks.h \
	%D%/md5.c \
	%D%/md5.h \
	%D%/merge.c \
	%D%/merge.h \
	%D%/mergepiece.c \
	%D%/mergepiece.h \
	%D%/metrics.c \
	%D%/metrics.def \
	%D%/metrics.h \
	%D%/needs.def \
	%D%/mmjoin.c \
	%D%/mmjoin.h \
	%D%/mmlists.c \
	%D%/mmlog.c \
	%D%/mmlog.h \
	%D%/mmpack.c \
	%D%/mmpack.h \
	%D%/mmregions.c \
	%D%/mmshare.c \
	%D%/mmview.c \
	%D%/mmview.h \
	%D%/mmwork.h \
	%D%/nest.c \
	%D%/nest.h \
	%D%/packer.c \
	%D%/packer.h \
	%D%/partial.h \
	%D%/partialjoin.c \
	%D%/partialprocess.c \
	%D%/partialread.c \
	%D%/partialreader.h \
	%D%/partialrun.c \
	%D%/partialrun.h \
	%D%/partialsrun.c \
	%D%/partialtask.c \
	%D%/partialwrite.c \
	%D%/outbuf.c \
	%D%/outbuf.h \
	%D%/parts.c \
	%D%/parts.h \
	%D%/pattern.c \
	%D%/pattern.h \
	%D%/pfw.c \
	%D%/pfw.h \
	%D%/pfwbatch.c \
	%D%/pfwbatch.h \
	%D%/pfwblock.c \
	%D%/pfwblock.h \
	%D%/pfwencode.c \
	%D%/pfwencode.h \
	%D%/pfwhash.c \
	%D%/pfwhash.h \
	%D%/pfwlex.c \
	%D%/pfwlex.h \
	%D%/pfwline.c \
	%D%/pfwline.h \
	%D%/pfwlocal.c \
	%D%/pfwlocal.h \
	%D%/pfwnames.c \
	%D%/pfwnames.h \
	%D%/pfwopen.c \
	%D%/pfwread.c \
	%D%/pfwread.h \
	%D%/pfwsums.c \
	%D%/pfwsums.h \
	%D%/pfwtake.c \
	%D%/pfwtake.h \
	%D%/pfwtext.c \
	%D%/pfwtrace.c \
	%D%/pfwtrace.h \
	%D%/pfwvalue.c \
	%D%/pfwvalue.h \
	%D%/pfwwrite.c \
	%D%/pfwwrite.h \
	%D%/phases.c \
	%D%/phases.h \
	%D%/place.c \
	%D%/place.h \
	%D%/pointfault.c \
	%D%/pointfault.h \
	%D%/pointfaults.def \
	%D%/results.c \
	%D%/results.h \
	%D%/role.c \
	%D%/role.h \
	%D%/roles.def \
	%D%/scan.c \
	%D%/scancall.c \
	%D%/scanregion.c \
	%D%/scanstep.h \
	%D%/schema.c \
	%D%/schema.h \
	%D%/schemafields.def \
	%D%/share.c \
	%D%/share.h \
	%D%/sketch.c \
	%D%/sketch.h \
	%D%/sources.c \
	%D%/spancursor.c \
	%D%/spancursor.h \
	%D%/spanlog.c \
	%D%/spanlog.h \
	%D%/spanpack.c \
	%D%/spanpack.h \
	%D%/spanunion.c \
	%D%/spanunion.h \
	%D%/spool.c \
	%D%/spool.h \
	%D%/startup.c \
	%D%/startup.h \
	%D%/stream.c \
	%D%/stream.h \
	%D%/summary.c \
	%D%/summary.h \
	%D%/tally.c \
	%D%/tally.h \
	%D%/task.c \
	%D%/task.h \
	%D%/times.c \
	%D%/unite.c \
	%D%/unitjoin.c \
	%D%/times.h \
	%D%/viewrows.c \
	%D%/viewsums.c \
	%D%/viewrows.h \
	%D%/untraced.c \
	%D%/untraced.h \
	%D%/views.c \
	%D%/views.h \
	%D%/twin.c \
	%D%/twin.h \
	%D%/viewcells.c \
	%D%/viewcells.h \
	%D%/viewpercentile.c \
	%D%/viewphases.c \
	%D%/viewphases.h \
	%D%/where.c \
	%D%/where.h
%C%_libanalyze_la_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) $(GZIP_CFLAGS) \
	$(SQLITE_CFLAGS)
%C%_libanalyze_la_LIBADD = $(GZIP_LIBS) $(ZLIB_LIBS) $(SQLITE_LIBS) -lm

dftrace_libs += %D%/libanalyze.la

check_PROGRAMS += tests/victims/mkshard tests/victims/pieces
tests_victims_pieces_SOURCES = tests/victims/pieces.c
tests_victims_pieces_LDADD = \
	analyze/libanalyze.la \
	lib/util/libutil.la \
	lib/core/libcore.la \
	-lm
tests_victims_mkshard_SOURCES = \
	tests/victims/madeshard.c \
	tests/victims/madeshard.h \
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
	tests/t2330-export.t \
	tests/t2340-groups.t \
	tests/t2350-shares.t \
	tests/t2355-sharedviews.t \
	tests/t2356-sharedlayers.t \
	tests/t2360-threads.t \
	tests/t2370-sketch.t \
	tests/t2380-phases.t \
	tests/t2385-clocks.t \
	tests/t2390-sqlite.t \
	tests/t2395-schema.t \
	tests/t2397-colors.t \
	tests/t2398-analysis-doc.t
TESTS += \
	tests/t2000-analyze.t \
	tests/t2100-merge.t \
	tests/t2110-pfw.t \
	tests/t2200-stat.t \
	tests/t2300-pfw-read.t \
	tests/t2310-compat.t \
	tests/t2320-insights.t \
	tests/t2330-export.t \
	tests/t2340-groups.t \
	tests/t2350-shares.t \
	tests/t2355-sharedviews.t \
	tests/t2356-sharedlayers.t \
	tests/t2360-threads.t \
	tests/t2370-sketch.t \
	tests/t2380-phases.t \
	tests/t2385-clocks.t \
	tests/t2390-sqlite.t \
	tests/t2395-schema.t \
	tests/t2397-colors.t \
	tests/t2398-analysis-doc.t

if HAVE_CMOCKA
unit_tests += \
	tests/unit/gzpack.t \
	tests/unit/hist.t \
	tests/unit/interval.t \
	tests/unit/kind.t \
	tests/unit/marks.t \
	tests/unit/md5.t \
	tests/unit/metrics.t \
	tests/unit/mmjoin.t \
	tests/unit/nest.t \
	tests/unit/outbuf.t \
	tests/unit/packer.t \
	tests/unit/pfwlex.t \
	tests/unit/place.t \
	tests/unit/pointfault.t \
	tests/unit/share.t \
	tests/unit/startup.t \
	tests/unit/viewcells.t \
	tests/unit/spanlog.t \
	tests/unit/untraced.t

tests_unit_untraced_t_SOURCES = tests/unit/untraced.c
tests_unit_untraced_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_untraced_t_LDADD = $(analyze_test_libs)
tests_unit_gzpack_t_SOURCES = tests/unit/gzpack.c
tests_unit_gzpack_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_gzpack_t_LDADD = $(analyze_test_libs) $(ZLIB_LIBS)
tests_unit_outbuf_t_SOURCES = tests/unit/outbuf.c
tests_unit_outbuf_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_outbuf_t_LDADD = $(analyze_test_libs)
tests_unit_hist_t_SOURCES = tests/unit/hist.c
tests_unit_hist_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_hist_t_LDADD = $(analyze_test_libs)
tests_unit_interval_t_SOURCES = tests/unit/interval.c
tests_unit_interval_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_interval_t_LDADD = $(analyze_test_libs)
tests_unit_kind_t_SOURCES = tests/unit/kind.c
tests_unit_kind_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_kind_t_LDADD = $(analyze_test_libs)
tests_unit_marks_t_SOURCES = tests/unit/marks.c
tests_unit_marks_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_marks_t_LDADD = $(analyze_test_libs)
tests_unit_packer_t_SOURCES = tests/unit/packer.c
tests_unit_packer_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_packer_t_LDADD = $(analyze_test_libs)
tests_unit_share_t_SOURCES = tests/unit/share.c
tests_unit_share_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_share_t_LDADD = $(analyze_test_libs)
tests_unit_viewcells_t_SOURCES = tests/unit/viewcells.c
tests_unit_viewcells_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_viewcells_t_LDADD = $(analyze_test_libs)

tests_unit_startup_t_SOURCES = tests/unit/startup.c
tests_unit_startup_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_startup_t_LDADD = $(analyze_test_libs)
tests_unit_place_t_SOURCES = tests/unit/place.c
tests_unit_place_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_place_t_LDADD = $(analyze_test_libs)
tests_unit_md5_t_SOURCES = tests/unit/md5.c
tests_unit_md5_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_md5_t_LDADD = $(analyze_test_libs)
tests_unit_metrics_t_SOURCES = tests/unit/metrics.c
tests_unit_metrics_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_metrics_t_LDADD = $(analyze_test_libs)
tests_unit_mmjoin_t_SOURCES = tests/unit/mmjoin.c
tests_unit_mmjoin_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_mmjoin_t_LDADD = $(analyze_test_libs)
tests_unit_nest_t_SOURCES = tests/unit/nest.c
tests_unit_nest_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_nest_t_LDADD = $(analyze_test_libs)
tests_unit_pfwlex_t_SOURCES = tests/unit/pfwlex.c
tests_unit_pfwlex_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_pfwlex_t_LDADD = $(analyze_test_libs)
tests_unit_pointfault_t_SOURCES = tests/unit/pointfault.c
tests_unit_pointfault_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_pointfault_t_LDADD = $(analyze_test_libs)
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
	tests/data/pfw/unread.pfw.gz \
	tests/fuzz/groupshare.c \
	tests/fuzz/partial.c \
	tests/fuzz/pfw.c \
	tests/fuzz/tracefile.c

# tests/fuzz/X.c with all of the analysis but its commands, for fuzz-X
fuzz_of = $(@:fuzz-%=%)
fuzz_analyze = $(FUZZ_CC) -std=gnu11 -g -O1 \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE \
	-I. $(AM_CPPFLAGS) $(YAML_CFLAGS) $(top_srcdir)/tests/fuzz/$(fuzz_of).c \
	$(filter-out $(top_srcdir)/analyze/cmd_%,$(wildcard $(top_srcdir)/analyze/*.c)) \
	$(top_srcdir)/lib/util/*.c $(top_srcdir)/lib/core/*.c $(YAML_LIBS) \
	$(GZIP_LIBS) $(ZLIB_LIBS) $(SQLITE_LIBS) -lm -pthread -o .fuzz/$@

.PHONY: fuzz-tracefile
fuzz-tracefile: dftrace tests/victims/mkshard
	$(MKDIR_P) .fuzz/tracefile
	tests/victims/mkshard .fuzz/job direct 20
	cp .fuzz/job/shards/*.dft .fuzz/tracefile
	./dftrace merge -q -o .fuzz/tracefile/merged.dft .fuzz/job
	for s in .fuzz/job/shards/*.dft .fuzz/tracefile/merged.dft; do \
	    { cat $$s; echo; } >.fuzz/tracefile/odd-`basename $$s`; done
	$(fuzz_analyze)
	.fuzz/fuzz-tracefile -max_total_time=$(FUZZ_SECONDS) -max_len=65536 \
	    -artifact_prefix=.fuzz/ .fuzz/tracefile

.PHONY: fuzz-pfw
fuzz-pfw:
	$(MKDIR_P) .fuzz/pfw
	for f in $(top_srcdir)/tests/data/pfw/*.pfw; do \
	    cp $$f .fuzz/pfw; gzip -c $$f >.fuzz/pfw/`basename $$f`.gz; done
	$(fuzz_analyze)
	.fuzz/fuzz-pfw -max_total_time=$(FUZZ_SECONDS) -max_len=16384 \
	    -artifact_prefix=.fuzz/ .fuzz/pfw

.PHONY: fuzz-groupshare
fuzz-groupshare:
	$(MKDIR_P) .fuzz/groupshare
	$(fuzz_analyze)
	.fuzz/fuzz-groupshare -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/groupshare

.PHONY: fuzz-compatshare
fuzz-compatshare:
	$(MKDIR_P) .fuzz/compatshare
	$(fuzz_analyze)
	.fuzz/fuzz-compatshare -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/compatshare

.PHONY: fuzz-partial
fuzz-partial:
	$(MKDIR_P) .fuzz/partial
	$(fuzz_analyze)
	.fuzz/fuzz-partial -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/partial
