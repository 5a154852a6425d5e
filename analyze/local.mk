# SPDX-License-Identifier: MIT
# analyze/ - traces -> tables; verbs analyze, merge, stat

noinst_LTLIBRARIES += %D%/libanalyze.la
%C%_libanalyze_la_SOURCES = \
	%D%/asked.c \
	%D%/cmd.h \
	%D%/cmd_analyze.c \
	%D%/cmd_compare.c \
	%D%/cmd_export.c \
	%D%/cmd_merge.c \
	%D%/cmd_stat.c \
	%D%/totalscache.c \
	%D%/totalscache.h \
	%D%/warnings.c \
	%D%/warnings.h \
	%D%/facts/equals.c \
	%D%/facts/equals.h \
	%D%/facts/lanes.c \
	%D%/facts/lanes.h \
	%D%/facts/insight.c \
	%D%/facts/insight.h \
	%D%/facts/rulefacts.c \
	%D%/facts/rulefacts.h \
	%D%/facts/summary.c \
	%D%/facts/ancestry.c \
	%D%/facts/rankwait.c \
	%D%/facts/question.c \
	%D%/facts/question.h \
	%D%/facts/ancestry.h \
	%D%/facts/clocks.c \
	%D%/facts/clocks.h \
	%D%/facts/coverage.c \
	%D%/facts/coverage.h \
	%D%/facts/failure.c \
	%D%/facts/failure.h \
	%D%/facts/summary.h \
	%D%/facts/times.c \
	%D%/facts/times.h \
	%D%/facts/wall.c \
	%D%/facts/wall.h \
	%D%/facts/metrics.c \
	%D%/facts/metrics.h \
	%D%/facts/mmfiles.c \
	%D%/facts/mmjoin.c \
	%D%/facts/mmjoin.h \
	%D%/facts/mmregions.c \
	%D%/facts/mmwork.h \
	%D%/facts/phases.c \
	%D%/facts/sharedfiles.c \
	%D%/facts/sharedfiles.h \
	%D%/scan/where.c \
	%D%/scan/where.h \
	%D%/query/calltree.c \
	%D%/query/calltree.h \
	%D%/scan/column.c \
	%D%/scan/column.h \
	%D%/query/show.c \
	%D%/query/show.h \
	%D%/scan/context.c \
	%D%/scan/context.h \
	%D%/scan/evfilter.c \
	%D%/scan/evfilter.h \
	%D%/scan/hist.c \
	%D%/scan/hist.h \
	%D%/scan/keys.c \
	%D%/scan/keys.h \
	%D%/query/chunkindex.c \
	%D%/query/chunkindex.h \
	%D%/query/chunkskip.c \
	%D%/query/answercache.c \
	%D%/query/answercache.h \
	%D%/scan/learn.c \
	%D%/scan/learn.h \
	%D%/scan/marks.c \
	%D%/scan/marks.h \
	%D%/query/nativecopy.c \
	%D%/query/nativecopy.h \
	%D%/query/numbers.c \
	%D%/query/numbers.h \
	%D%/scan/pass.c \
	%D%/scan/pass.h \
	%D%/scan/place.c \
	%D%/scan/place.h \
	%D%/query/query.c \
	%D%/query/query.h \
	%D%/query/queryanswer.c \
	%D%/query/querystate.h \
	%D%/scan/packer.c \
	%D%/scan/packer.h \
	%D%/query/partial.h \
	%D%/query/partialread.c \
	%D%/query/partial.c \
	%D%/query/querypartial.c \
	%D%/scan/spanbill.c \
	%D%/scan/spanbill.h \
	%D%/scan/spanlog.c \
	%D%/scan/spanlog.h \
	%D%/scan/spanunion.c \
	%D%/scan/spanunion.h \
	%D%/scan/load.c \
	%D%/scan/load.h \
	%D%/scan/loadrows.c \
	%D%/scan/mounts.c \
	%D%/scan/mounts.h \
	%D%/scan/mmlog.c \
	%D%/scan/mmlog.h \
	%D%/scan/nest.c \
	%D%/scan/nest.h \
	%D%/scan/pointfault.c \
	%D%/scan/pointfault.h \
	%D%/scan/scan.c \
	%D%/scan/scancall.c \
	%D%/scan/scan.h \
	%D%/scan/startup.c \
	%D%/scan/startup.h \
	%D%/scan/tally.c \
	%D%/scan/timemap.c \
	%D%/scan/timemap.h \
	%D%/scan/tally.h \
	%D%/scan/unit.c \
	%D%/scan/unit.h \
	%D%/scan/values.c \
	%D%/scan/values.h \
	%D%/tables/analyzeopts.c \
	%D%/tables/analyzeopts.h \
	%D%/tables/groups.c \
	%D%/tables/groups.h \
	%D%/tables/database.c \
	%D%/tables/sqlite.h \
	%D%/tables/eventprint.c \
	%D%/tables/eventprint.h \
	%D%/tables/eventtable.c \
	%D%/tables/jobcompare.c \
	%D%/tables/jobcompare.h \
	%D%/tables/treetable.c \
	%D%/tables/treetable.h \
	%D%/tables/jobpage.c \
	%D%/tables/viewlayers.c \
	%D%/export/otf2.c \
	%D%/export/otf.h \
	%D%/export/otfdefs.c \
	%D%/export/otfread.h \
	%D%/export/otfio.c \
	%D%/export/otfread.c \
	%D%/tables/results.c \
	%D%/tables/results.h \
	%D%/tables/screen.c \
	%D%/tables/subject.c \
	%D%/tables/subject.h \
	%D%/tables/screen.h \
	%D%/tables/viewcoverage.c \
	%D%/tables/sketch.c \
	%D%/tables/viewphases.c \
	%D%/tables/viewrows.c \
	%D%/tables/views.c \
	%D%/tables/views.h \
	%D%/partialrun.c \
	%D%/partialrun.h \
	%D%/trace/profread.c \
	%D%/trace/profread.h \
	%D%/trace/profrows.c \
	%D%/trace/profrows.h \
	%D%/import/pfw/pfwnames.c \
	%D%/import/darshan/darshan.h \
	%D%/import/darshan/darshanrows.c \
	%D%/import/darshan/darshanwrite.c \
	%D%/import/darshan/darshan.c \
	%D%/import/darshan/darshanlog.c \
	%D%/import/darshan/darshanlog.h \
	%D%/import/darshan/darshanwork.h \
	%D%/trace/batch.c \
	%D%/trace/batch.h \
	%D%/trace/dict.c \
	%D%/trace/dict.h \
	%D%/trace/doing.c \
	%D%/trace/doing.h \
	%D%/trace/find.c \
	%D%/trace/find.h \
	lib/util/gz.c \
	lib/util/gz.h \
	%D%/trace/merge.c \
	%D%/trace/merge.h \
	%D%/trace/parts.c \
	%D%/trace/parts.h \
	%D%/import/pfw/pfwbatch.c \
	%D%/import/pfw/pfwbatch.h \
	%D%/import/pfw/pfwblock.c \
	%D%/import/pfw/pfwblock.h \
	%D%/import/pfw/pfwshape.c \
	%D%/import/pfw/pfwshape.h \
	%D%/import/pfw/pfwlex.c \
	%D%/import/pfw/pfwlex.h \
	%D%/import/pfw/pfwnames.h \
	%D%/import/pfw/pfwstore.c \
	%D%/import/pfw/pfwread.c \
	%D%/import/pfw/pfwread.h \
	%D%/import/pfw/pfwstore.h \
	%D%/import/pfw/pfwsums.c \
	%D%/import/pfw/pfwsums.h \
	%D%/import/pfw/pfwtoken.h \
	%D%/export/pfw.c \
	%D%/export/pfw.h \
	%D%/export/pfwline.c \
	%D%/trace/sources.c \
	%D%/trace/stream.c \
	%D%/trace/stream.h \
	%D%/trace/untraced.c \
	%D%/trace/untraced.h
%C%_libanalyze_la_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) $(GZIP_CFLAGS) \
	$(SQLITE_CFLAGS) $(OTF2_CFLAGS)
%C%_libanalyze_la_LIBADD = $(GZIP_LIBS) $(ZLIB_LIBS) -lm

dftrace_libs += %D%/libanalyze.la

check_PROGRAMS += tests/tools/fakelustre tests/tools/layerjob tests/tools/mkshard \
	tests/tools/onefuzz tests/victims/pieces
tests_tools_fakelustre_SOURCES = tests/tools/fakelustre.c
tests_tools_fakelustre_LDADD = preload/record/librecord.la lib/libcore.la
tests_tools_layerjob_SOURCES = tests/tools/layerjob.c
tests_tools_layerjob_LDADD = preload/record/librecord.la lib/libcore.la
tests_tools_onefuzz_SOURCES = tests/fuzz/tracefile.c tests/tools/onefuzz.c
tests_tools_onefuzz_LDADD = $(tests_victims_pieces_LDADD)
tests_victims_pieces_SOURCES = tests/victims/pieces.c
tests_victims_pieces_LDADD = \
	analyze/libanalyze.la \
	lib/model/libmodel.la \
	lib/util/libutil.la \
	preload/record/librecord.la \
	lib/libcore.la \
	-lm
tests_tools_mkshard_SOURCES = \
	tests/tools/madeshard.c \
	tests/tools/madeshard.h \
	tests/tools/mkshard.c \
	tests/tools/truth.c \
	tests/tools/truth.h
tests_tools_mkshard_LDADD = preload/record/librecord.la lib/libcore.la

shell_tests += \
	tests/analysis/t2000-analyze.t \
	tests/analysis/t2100-merge.t \
	tests/analysis/t2110-pfw.t \
	tests/analysis/t2200-stat.t \
	tests/analysis/t2300-pfw-read.t \
	tests/analysis/t2302-bytes.t \
	tests/peers/t2303-json-traces.t \
	tests/analysis/t2305-far-times.t \
	tests/analysis/t2310-dfanalyzer.t \
	tests/analysis/t2312-dfanalyzerversion.t \
	tests/analysis/t2320-insights.t \
	tests/analysis/t2322-verdict.t \
	tests/analysis/t2330-export.t \
	tests/analysis/t2340-groups.t \
	tests/analysis/t2350-partitions.t \
	tests/analysis/t2355-partitionviews.t \
	tests/analysis/t2360-threads.t \
	tests/analysis/t2370-sketch.t \
	tests/analysis/t2380-phases.t \
	tests/analysis/t2385-clocks.t \
	tests/analysis/t2390-sqlite.t \
	tests/analysis/t2395-schema.t \
	tests/analysis/t2396-names.t \
	tests/analysis/t2397-colors.t \
	tests/analysis/t2398-analysis-doc.t \
	tests/analysis/t2400-bill.t \
	tests/analysis/t2404-waits.t \
	tests/analysis/t2406-wall.t \
	tests/analysis/t2450-shared.t \
	tests/analysis/t2452-above-rules.t \
	tests/analysis/t2460-darshan.t \
	tests/analysis/t2470-otf2.t \
	tests/analysis/t2402-renames.t \
	tests/analysis/t2403-first-screens.t \
	tests/analysis/t2405-checkpoints.t \
	tests/analysis/t2410-golden.t \
	tests/analysis/t2420-ask.t \
	tests/analysis/t2422-once.t \
	tests/analysis/t2424-index.t \
	tests/analysis/t2428-pfw-copy.t \
	tests/analysis/t2429-growth.t \
	tests/analysis/t2431-fuzz-cost.t \
	tests/analysis/t2426-kept.t \
	tests/analysis/t2427-kept-tables.t \
	tests/analysis/t2425-tree.t

EXTRA_DIST += \
	tests/python/askdoc.py \
	tests/python/askgroups.py \
	tests/python/askindex.py \
	tests/python/askpfw.py \
	tests/python/askjob.py \
	tests/python/asktree.py \
	tests/python/noisyruns.py \
	tests/python/askwhere.py \
	tests/python/dfanalyzerrows.py

# hundreds of megabytes of packages by pip, minutes; PEERS=DIR is where they are
## check-peers: dftracer and DFAnalyzer beside our tables of the same traces
.PHONY: check-peers
check-peers: tests/tools/mkshard
	$(MAKE) $(AM_MAKEFLAGS) check AM_T_LOG_FLAGS='-k 10 7200' \
		TESTS='tests/peers/peers.t'
EXTRA_DIST += \
	tests/peers/dfanalyzer.py \
	tests/peers/peers.t \
	tests/peers/traced.py

# -- fuzzing: make fuzz-tracefile, fuzz-pfw (needs clang), FUZZ_SECONDS=60 -------------
EXTRA_DIST += \
	tests/data/golden/compat.txt \
	tests/data/golden/d0.txt \
	tests/data/golden/d1.txt \
	tests/data/golden/d2.txt \
	tests/data/golden/d3.txt \
	tests/data/golden/direct.txt \
	tests/data/golden/direct-long.txt \
	tests/data/golden/merged.txt \
	tests/data/golden/mmap.txt \
	tests/data/golden/mmap-long.txt \
	tests/analysis/seven.sh \
	tests/data/screens/asleep.txt \
	tests/data/screens/asleep/job.json \
	tests/data/screens/asleep/trace.dft \
	tests/data/screens/files.txt \
	tests/data/screens/files/job.json \
	tests/data/screens/files/trace.dft \
	tests/data/screens/last.txt \
	tests/data/screens/last/job.json \
	tests/data/screens/last/trace.dft \
	tests/data/screens/mapped.txt \
	tests/data/screens/mapped/job.json \
	tests/data/screens/mapped/trace.dft \
	tests/data/screens/pipeline.txt \
	tests/data/screens/pipeline/job.json \
	tests/data/screens/pipeline/trace.dft \
	tests/data/screens/status.txt \
	tests/data/screens/status/job.json \
	tests/data/screens/status/trace.dft \
	tests/data/screens/syncs.txt \
	tests/data/screens/syncs/job.json \
	tests/data/screens/syncs/trace.dft \
	tests/data/pfw/compat.pfw \
	tests/data/pfw/d0.pfw \
	tests/data/pfw/d1.pfw \
	tests/data/pfw/d2.pfw \
	tests/data/pfw/d3.pfw \
	tests/data/pfw/unread.pfw.gz \
	tests/fuzz/lines.c \
	tests/fuzz/querypartial.c \
	tests/fuzz/partial.c \
	tests/fuzz/pfw.c \
	tests/fuzz/sweepdir.c \
	tests/fuzz/tracefile.c

# tests/fuzz/X.c with all of the analysis but its commands, for fuzz-X
fuzz_of = $(@:fuzz-%=%)
fuzz_analyze = $(FUZZ_CC) -std=gnu11 -g -O1 \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $(fuzz_flags) -D_GNU_SOURCE \
	-I. $(AM_CPPFLAGS) $(YAML_CFLAGS) $(OTF2_CFLAGS) $(top_srcdir)/tests/fuzz/$(fuzz_of).c \
	$(filter-out $(top_srcdir)/analyze/cmd_%,$(wildcard $(addprefix $(top_srcdir)/,analyze/*.c \
	analyze/trace/*.c analyze/import/*/*.c analyze/scan/*.c analyze/query/*.c analyze/facts/*.c \
	analyze/tables/*.c analyze/export/*.c lib/base/*.c lib/format/*.c \
	lib/settings/*.c lib/model/*.c lib/util/*.c preload/record/*.c $(fuzz_more)))) $(YAML_LIBS) \
	$(GZIP_LIBS) $(ZLIB_LIBS) -lm -pthread -o .fuzz/$@

# What an input frees is soon used again, and each call keeps a short stack; the
# queue of inputs is not weighted, nor read again from the disk.
fuzz_asan = ASAN_OPTIONS=quarantine_size_mb=2:malloc_context_size=1:allocator_release_to_os_interval_ms=-1
fuzz_quick = -entropic=0 -reload=0
# Without the values that are compared, which take nearly half of the time: most
# are checksums, lengths and counters, which no random value meets.
fuzz_traces = fuzz-tracefile fuzz-tracetables fuzz-tracemerge
$(fuzz_traces): fuzz_of = tracefile
$(fuzz_traces): fuzz_flags = -O2 -fno-sanitize-coverage=trace-cmp
.PHONY: $(fuzz_traces)
$(fuzz_traces): dftrace tests/tools/mkshard
	$(MKDIR_P) .fuzz/tracefile && rm -rf .fuzz/job .fuzz/shared .fuzz/profile
	tests/tools/mkshard .fuzz/job direct 20
	cp .fuzz/job/shards/*.dft .fuzz/tracefile
	./dftrace merge -q -o .fuzz/tracefile/merged.dft .fuzz/job
	for s in .fuzz/job/shards/*.dft .fuzz/tracefile/merged.dft; do \
	    { cat $$s; echo; } >.fuzz/tracefile/odd-`basename $$s`; done
	./dftrace run -q -o .fuzz/shared -- $(SHELL) -c \
	    'for i in 1 2 3; do cat Makefile config.status; done >/dev/null'
	./dftrace merge -q -o .fuzz/tracefile/lines.dft .fuzz/shared
	for s in .fuzz/shared/shards/*.dft; do \
	    head -c 40000 $$s >.fuzz/tracefile/shared.dft; \
	    head -c 40001 $$s >.fuzz/tracefile/odd-shared.dft; done
	./dftrace run -q -o .fuzz/profile --layers profile -- $(SHELL) -c \
	    'cat Makefile config.status >/dev/null; python3 -S -c "import os; f = os.open (\"Makefile\", 0); \
	    [os.pread (f, 1 + i % 25, i * i) for i in range (99)]"'
	./dftrace merge -q -o .fuzz/tracefile/profile.dft .fuzz/profile
	{ cat .fuzz/tracefile/profile.dft; echo; } >.fuzz/tracefile/odd-profile.dft
	$(fuzz_analyze)
	$(fuzz_asan) .fuzz/$@ -max_total_time=$(FUZZ_SECONDS) -max_len=65536 $(fuzz_quick) \
	    -artifact_prefix=.fuzz/ .fuzz/tracefile

## check-darshan: logs of DARSHAN_LOGS against what darshan-parser printed of them
.PHONY: check-darshan
check-darshan: dftrace
	python3 $(top_srcdir)/tests/tools/checkdarshan.py ./dftrace $(DARSHAN_LOGS)
EXTRA_DIST += tests/tools/accessvalues.py tests/tools/checkotf2.py tests/tools/checkdarshan.py tests/tools/darshanlog.py tests/fuzz/darshan.c

.PHONY: fuzz-darshan
fuzz-darshan:
	$(MKDIR_P) .fuzz/darshan
	PYTHONPATH=$(top_srcdir)/tests/tools python3 -c 'import darshanlog as d; \
	    [d.write (".fuzz/darshan/" + v + p, [(m, "/a", r, {0: 1, 3: 2, 5: 1, 49: 7, 53: 1, 57: 9, 61: 2}, {8: 0.1}) \
	    for m in (d.POSIX, d.MPIIO, d.STDIO, d.H5F, d.PNETCDF_FILE) for r in (0, -1)] + \
	    [(m, "/a:b", -1, {0: 1, 1: 2, 4: 9, 5: 3}, {9: 0.2}) for m in (d.H5D, d.PNETCDF_VAR)], \
	    [("/a", 0, 1, 0, 9, 0.1, 0.2, 5)], stripes=[("/a", 4, 2)], version=v, packing=p, \
	    heats=[("POSIX", 0, 0.1, [1, 2], [3, 4])]) \
	    for v in ("3.00", "3.21", "3.41") for p in ("none", "zlib")]'
	$(fuzz_analyze)
	.fuzz/fuzz-darshan -max_total_time=$(FUZZ_SECONDS) -max_len=16384 \
	    -artifact_prefix=.fuzz/ .fuzz/darshan

.PHONY: fuzz-pfw
fuzz-pfw:
	$(MKDIR_P) .fuzz/pfw
	for f in $(top_srcdir)/tests/data/pfw/*.pfw; do \
	    cp $$f .fuzz/pfw; gzip -c $$f >.fuzz/pfw/`basename $$f`.gz; done
	$(fuzz_analyze)
	$(fuzz_asan) .fuzz/fuzz-pfw -max_total_time=$(FUZZ_SECONDS) -max_len=16384 $(fuzz_quick) \
	    -artifact_prefix=.fuzz/ .fuzz/pfw

.PHONY: fuzz-lines
fuzz-lines:
	$(MKDIR_P) .fuzz/lines
	printf 'untraced 12 /usr/bin/a%%20b static @5\nuntraced 13 /b not%%20known ~6\n' \
	    >.fuzz/lines/untraced
	printf 'ended 12 5 signal 9 parent\nended 13 6 exit 1 run\n' >.fuzz/lines/ended
	printf 'traced 12 11 10 5 9 exit all=7,8 own=7,8 start=1,0 startown=1,0 tracer=1,2 library=3,0 quiet=1 exe=/a%%20b\n' \
	    >.fuzz/lines/traced
	$(fuzz_analyze)
	.fuzz/fuzz-lines -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/lines

.PHONY: fuzz-querypartial
fuzz-querypartial:
	$(MKDIR_P) .fuzz/querypartial
	$(fuzz_analyze)
	.fuzz/fuzz-querypartial -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/querypartial

.PHONY: fuzz-chunkindex
fuzz-chunkindex:
	$(MKDIR_P) .fuzz/chunkindex
	$(fuzz_analyze)
	.fuzz/fuzz-chunkindex -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/chunkindex

.PHONY: fuzz-totalscache
fuzz-totalscache:
	$(MKDIR_P) .fuzz/totalscache
	$(fuzz_analyze)
	.fuzz/fuzz-totalscache -max_total_time=$(FUZZ_SECONDS) -max_len=16384 \
	    -artifact_prefix=.fuzz/ .fuzz/totalscache

.PHONY: fuzz-where
fuzz-where:
	$(MKDIR_P) .fuzz/where
	printf 'dur > 10ms and not (size >= 1M or file ~ "*.bin")' >.fuzz/where/a
	printf 'name =~ "^p?read" && arg.step in (3, "x") or rank=0-3,7' >.fuzz/where/b
	printf 'file,arg.step,interval' >.fuzz/where/keys
	$(fuzz_analyze)
	.fuzz/fuzz-where -max_total_time=$(FUZZ_SECONDS) -max_len=2048 \
	    -artifact_prefix=.fuzz/ .fuzz/where

.PHONY: fuzz-sweepdir
fuzz-sweepdir: fuzz_more = analyze/report/*.c analyze/report/*/*.c lib/chart/*.c
fuzz-sweepdir:
	$(MKDIR_P) .fuzz/sweepdir
	printf '{"format": "dftrace-sweep", "version": 1, "name": "s", "layers": "posix"}\036%s\036%s\036%s\036%s\036%s' \
	    'point,label,a,state,n,read_time_mean,read_time_sd' 'point,label,repeat,attempt,state,read_time' \
	    'point,metric,unit,mean' 'point,category,name,mean_s' '{"metrics": {}, "operations": []}' >.fuzz/sweepdir/heads
	printf '{"format": "dftrace-sweep", "version": 1, "name": "s", "layers": "posix"}\036%s\n%s\n\036%s\n%s\n\036\036\036%s' \
	    'point,label,a,state,runs,read_time_mean,read_time_sd' 'p,l,1,done,1,0.5,0.1' \
	    'point,label,repeat,attempt,state,read_time' 'p,l,0,0,done,0.5' \
	    '{"operations": [{"category": "data", "name": "item", "self_s": 1.5}], "metrics": {"read_time": {"value": null, "note": "b"}}}' \
	    >.fuzz/sweepdir/rows
	$(fuzz_analyze)
	.fuzz/fuzz-sweepdir -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/sweepdir

.PHONY: fuzz-partial
fuzz-partial:
	$(MKDIR_P) .fuzz/partial
	$(fuzz_analyze)
	.fuzz/fuzz-partial -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/partial
