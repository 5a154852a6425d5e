# SPDX-License-Identifier: MIT
# analyze/ - traces -> tables; verbs analyze, merge, stat

noinst_LTLIBRARIES += %D%/libanalyze.la
%C%_libanalyze_la_SOURCES = \
	%D%/analyzeopts.c \
	%D%/analyzeopts.h \
	%D%/asked.c \
	%D%/asked.h \
	%D%/cmd.h \
	%D%/cmd_analyze.c \
	%D%/cmd_compare.c \
	%D%/cmd_export.c \
	%D%/cmd_merge.c \
	%D%/cmd_stat.c \
	%D%/exportformats.def \
	%D%/exportmore.c \
	%D%/exportmore.h \
	%D%/keptjob.c \
	%D%/keptjob.h \
	%D%/tell.c \
	%D%/tell.h \
	%D%/compat/compat.c \
	%D%/compat/compat.h \
	%D%/compat/compatjoin.c \
	%D%/compat/compatlines.c \
	%D%/compat/compatlines.h \
	%D%/compat/compatload.c \
	%D%/compat/compatmerge.c \
	%D%/compat/compatop.c \
	%D%/compat/compatop.h \
	%D%/compat/compatread.c \
	%D%/compat/compatread.h \
	%D%/compat/compatpartial.c \
	%D%/compat/compatpartial.h \
	%D%/compat/compattally.c \
	%D%/compat/compattally.h \
	%D%/compat/compattotals.c \
	%D%/compat/compattotals.h \
	%D%/compat/compatversion.c \
	%D%/compat/compatversion.def \
	%D%/compat/compatversion.h \
	%D%/compat/compatview.c \
	%D%/compat/ignored.def \
	%D%/compat/layerrules.def \
	%D%/compat/layerset.c \
	%D%/compat/layerset.h \
	%D%/derive/above/abovefacts.c \
	%D%/derive/above/abovefacts.h \
	%D%/derive/account.c \
	%D%/derive/ancestry.c \
	%D%/askblocks.c \
	%D%/askblocks.h \
	%D%/derive/askjob.c \
	%D%/derive/askjob.h \
	%D%/derive/ancestry.h \
	%D%/derive/clocks.c \
	%D%/derive/clocks.h \
	%D%/derive/coverage/counted.c \
	%D%/derive/coverage/counted.h \
	%D%/derive/coverage/coverage.c \
	%D%/derive/coverage/coverage.h \
	%D%/derive/end/endfile.c \
	%D%/derive/end/endfile.h \
	%D%/derive/end/failure.c \
	%D%/derive/end/failure.h \
	%D%/derive/insight.c \
	%D%/derive/insight.h \
	%D%/derive/insightfiles.c \
	%D%/derive/insightfiles.h \
	%D%/derive/jobcontext.c \
	%D%/derive/jobcontext.h \
	%D%/derive/kernelpart.c \
	%D%/derive/kernelpart.h \
	%D%/derive/lanes.c \
	%D%/derive/launched.c \
	%D%/derive/launched.h \
	%D%/derive/lanes.h \
	%D%/derive/metrics.c \
	%D%/derive/metrics.h \
	%D%/derive/mmcache.c \
	%D%/derive/mmfiles.c \
	%D%/derive/mmjoin.c \
	%D%/derive/mmjoin.h \
	%D%/derive/mmkernel.c \
	%D%/derive/mmregions.c \
	%D%/derive/mmshare.c \
	%D%/derive/mmwatch.c \
	%D%/derive/mmwork.h \
	%D%/derive/phases.c \
	%D%/derive/phases.h \
	%D%/derive/sharedfiles.c \
	%D%/derive/sharedfiles.h \
	%D%/derive/summary.c \
	%D%/derive/summary.h \
	%D%/derive/summarypack.c \
	%D%/derive/summarypack.h \
	%D%/derive/times.c \
	%D%/derive/times.h \
	%D%/query/ask/asking.c \
	%D%/query/ask/asking.h \
	%D%/query/ask/askingnumber.c \
	%D%/query/ask/askingterm.c \
	%D%/query/ask/askingtext.c \
	%D%/query/ask/evterm.c \
	%D%/query/ask/evterm.h \
	%D%/query/tree/calltree.c \
	%D%/query/tree/calltree.h \
	%D%/query/tree/calltree_work.h \
	%D%/query/tree/calltreeframes.c \
	%D%/query/tree/calltreeorder.c \
	%D%/query/ckptwrites.c \
	%D%/query/ckptwrites.h \
	%D%/query/ask/keycolumn.c \
	%D%/query/ask/keycolumn.h \
	%D%/query/ask/show.c \
	%D%/query/ask/show.h \
	%D%/query/column.c \
	%D%/query/column.h \
	%D%/query/columnsource.c \
	%D%/query/context.c \
	%D%/query/context.h \
	%D%/query/evfilter.c \
	%D%/query/evfilter.h \
	%D%/query/hist.c \
	%D%/query/hist.h \
	%D%/query/histpack.c \
	%D%/query/histpack.h \
	%D%/query/keys.c \
	%D%/query/keys.h \
	%D%/query/keytext.h \
	%D%/query/index/blockindex.c \
	%D%/query/index/blockindex.h \
	%D%/query/index/blockindexread.c \
	%D%/query/index/chunkindex.c \
	%D%/query/index/chunkindex.h \
	%D%/query/index/chunkindexfile.h \
	%D%/query/index/chunkindexwrite.c \
	%D%/query/index/chunkskip.c \
	%D%/query/index/chunkskip.h \
	%D%/query/index/keptanswer.c \
	%D%/query/index/keptanswer.h \
	%D%/query/index/keptname.c \
	%D%/query/index/keptname.h \
	%D%/query/learn.c \
	%D%/query/learn.h \
	%D%/query/mainthreads.c \
	%D%/query/mainthreads.h \
	%D%/query/marks.c \
	%D%/query/marks.h \
	%D%/query/values/numbers.c \
	%D%/query/values/numbers.h \
	%D%/query/pairs.c \
	%D%/query/pairs.h \
	%D%/query/pass.c \
	%D%/query/pass.h \
	%D%/query/places/place.c \
	%D%/query/places/place.h \
	%D%/query/places/scanplace.c \
	%D%/query/places/strides.c \
	%D%/query/places/strides.h \
	%D%/query/query.c \
	%D%/query/query.h \
	%D%/query/queryanswer.c \
	%D%/query/queryneed.c \
	%D%/query/querytimes.c \
	%D%/query/querygroup.c \
	%D%/query/querypack.c \
	%D%/query/querystate.h \
	%D%/query/partials/packer.c \
	%D%/query/partials/packer.h \
	%D%/query/partials/partial.h \
	%D%/query/partials/partialjoin.c \
	%D%/query/partials/partialprocess.c \
	%D%/query/partials/partialread.c \
	%D%/query/partials/partialreader.h \
	%D%/query/partials/partialsource.c \
	%D%/query/partials/partialvalues.c \
	%D%/query/partials/partialtime.c \
	%D%/query/partials/partialwrite.c \
	%D%/query/partials/querypartial.c \
	%D%/query/partials/querypartial.h \
	%D%/query/spans/interval.c \
	%D%/query/spans/interval.h \
	%D%/query/spans/spanbill.c \
	%D%/query/spans/spanbill.h \
	%D%/query/spans/spancursor.c \
	%D%/query/spans/spancursor.h \
	%D%/query/spans/spanlog.c \
	%D%/query/spans/spanlog.h \
	%D%/query/spans/spanlinks.c \
	%D%/query/spans/spanlinks.h \
	%D%/query/spans/spangroup.h \
	%D%/query/spans/spanmerge.c \
	%D%/query/spans/spanmerge.h \
	%D%/query/spans/spanpack.c \
	%D%/query/spans/spanpack.h \
	%D%/query/spans/spansort.c \
	%D%/query/spans/spansort.h \
	%D%/query/spans/spanunion.c \
	%D%/query/spans/spanunion.h \
	%D%/query/totals/load.c \
	%D%/query/totals/load.h \
	%D%/query/totals/loadrows.c \
	%D%/query/totals/loadrows.h \
	%D%/query/totals/scansides.c \
	%D%/query/totals/scansides.h \
	%D%/query/totals/scanrow.c \
	%D%/query/totals/scanrow.h \
	%D%/query/faults/mmlists.c \
	%D%/query/totals/mounts.c \
	%D%/query/totals/mounts.h \
	%D%/query/totals/scanfs.c \
	%D%/query/totals/shares.c \
	%D%/query/totals/shares.h \
	%D%/query/faults/mmlog.c \
	%D%/query/faults/mmlog.h \
	%D%/query/faults/mmpack.c \
	%D%/query/faults/mmpack.h \
	%D%/query/totals/nest.c \
	%D%/query/totals/nest.h \
	%D%/query/totals/pointfault.c \
	%D%/query/totals/pointfault.h \
	%D%/query/totals/pointfaults.def \
	%D%/query/totals/scan.c \
	%D%/query/totals/scancall.c \
	%D%/query/totals/scankernel.c \
	%D%/query/totals/scanplan.c \
	%D%/query/totals/objecttotal.c \
	%D%/query/totals/objecttotal.h \
	%D%/query/totals/scanabove.c \
	%D%/query/totals/scanabove.h \
	%D%/query/totals/scanregion.c \
	%D%/query/totals/scanstep.h \
	%D%/query/totals/sorted.c \
	%D%/query/totals/sorted.h \
	%D%/query/totals/startup.c \
	%D%/query/totals/startup.h \
	%D%/query/totals/tally.c \
	%D%/query/totals/timemap.c \
	%D%/query/totals/timemap.h \
	%D%/query/totals/tally.h \
	%D%/query/totals/unitjoin.c \
	%D%/query/values/accessvalues.c \
	%D%/query/values/accessvalues.h \
	%D%/query/values/valuecount.c \
	%D%/query/values/valuecount.h \
	%D%/query/where.c \
	%D%/query/where.h \
	%D%/render/ask/asktable.c \
	%D%/render/ask/asktable.h \
	%D%/render/database.c \
	%D%/render/database.h \
	%D%/render/eventprint.c \
	%D%/render/eventprint.h \
	%D%/render/ask/eventrow.c \
	%D%/render/ask/eventrow.h \
	%D%/render/ask/eventtable.c \
	%D%/render/ask/eventtable.h \
	%D%/render/eventwrite.c \
	%D%/render/eventwrite.h \
	%D%/render/insightrows.c \
	%D%/render/insightrows.h \
	%D%/render/ask/jobcompare.c \
	%D%/render/ask/jobcompare.h \
	%D%/render/ask/treetable.c \
	%D%/render/ask/treetable.h \
	%D%/render/jobbaseline.c \
	%D%/render/jobbaseline.h \
	%D%/render/jobmetrics.c \
	%D%/render/jobmetrics.h \
	%D%/render/jobpage.c \
	%D%/render/jobpage.h \
	%D%/render/keytable.c \
	%D%/render/keytable.h \
	%D%/render/mmview.c \
	%D%/render/otf2/otf2.c \
	%D%/render/otf2/otf2.h \
	%D%/render/otf2/otfcalls.def \
	%D%/render/otf2/otfdefs.c \
	%D%/render/otf2/otfdefs.h \
	%D%/render/otf2/otfdefwrite.c \
	%D%/render/otf2/otfdir.c \
	%D%/render/otf2/otfdir.h \
	%D%/render/otf2/otfevent.h \
	%D%/render/otf2/otfio.c \
	%D%/render/otf2/otfio.h \
	%D%/render/otf2/otflanes.c \
	%D%/render/otf2/otflanes.h \
	%D%/render/otf2/otfparadigms.def \
	%D%/render/otf2/otfput.c \
	%D%/render/otf2/otfput.h \
	%D%/render/otf2/otfread.c \
	%D%/render/otf2/otfread.h \
	%D%/render/otf2/otfsort.c \
	%D%/render/otf2/otfsort.h \
	%D%/render/results.c \
	%D%/render/results.h \
	%D%/render/schema.c \
	%D%/render/schema.h \
	%D%/render/screen.c \
	%D%/render/screen.h \
	%D%/render/files/screencoverage.h \
	%D%/render/files/viewcoverage.c \
	%D%/render/files/screenfilter.c \
	%D%/render/files/screenfilter.h \
	%D%/render/screenfindings.c \
	%D%/render/screenfindings.h \
	%D%/render/screenline.c \
	%D%/render/screenline.h \
	%D%/render/sketch.c \
	%D%/render/sketch.h \
	%D%/render/viewbill.c \
	%D%/render/files/viewmount.c \
	%D%/render/files/viewaccess.c \
	%D%/render/files/viewsize.c \
	%D%/render/files/viewshared.c \
	%D%/render/viewblock.c \
	%D%/render/viewmpi.c \
	%D%/render/above/viewobjects.c \
	%D%/render/profile/screenhalves.c \
	%D%/render/profile/screenhalves.h \
	%D%/render/viewcells.c \
	%D%/render/viewcells.h \
	%D%/render/viewpercentile.c \
	%D%/render/viewphases.c \
	%D%/render/viewrows.c \
	%D%/render/views.c \
	%D%/render/views.h \
	%D%/render/viewsums.c \
	%D%/tasks/compatrun.c \
	%D%/tasks/compatrun.h \
	%D%/tasks/division.c \
	%D%/tasks/division.h \
	%D%/tasks/partialrun.c \
	%D%/tasks/partialrun.h \
	%D%/tasks/partialsrun.c \
	%D%/tasks/partialtask.c \
	%D%/trace/profile/profparts.c \
	%D%/trace/profile/profparts.h \
	%D%/trace/profile/profread.c \
	%D%/trace/profile/profread.h \
	%D%/trace/profile/profread_own.h \
	%D%/trace/profile/profreadmap.c \
	%D%/trace/profile/profreadvalues.c \
	%D%/trace/profile/profrows.c \
	%D%/trace/profile/profrows.h \
	%D%/trace/blocks/pfwkept.c \
	%D%/trace/blocks/pfwkept.h \
	%D%/trace/blocks/pfwkeptnames.c \
	%D%/trace/blocks/pfwload.c \
	%D%/trace/darshan/darshan.h \
	%D%/trace/darshan/darshanabove.c \
	%D%/trace/darshan/darshanheat.c \
	%D%/trace/darshan/darshandxt.c \
	%D%/trace/darshan/darshanjob.c \
	%D%/trace/darshan/darshanlog.c \
	%D%/trace/darshan/darshanlog.h \
	%D%/trace/darshan/darshanmodules.def \
	%D%/trace/darshan/darshanopen.c \
	%D%/trace/darshan/darshanrecord.c \
	%D%/trace/darshan/darshanrecord.h \
	%D%/trace/darshan/darshanrows.c \
	%D%/trace/darshan/darshanwork.h \
	%D%/trace/darshan/darshanwrite.c \
	%D%/trace/batch.c \
	%D%/trace/batch.h \
	%D%/trace/batchread.h \
	%D%/trace/copies.c \
	%D%/trace/copies.h \
	%D%/trace/dict.c \
	%D%/trace/dict.h \
	%D%/trace/evname.c \
	%D%/trace/evname.h \
	%D%/trace/filelimit.c \
	%D%/trace/filelimit.h \
	%D%/trace/ends/doing.c \
	%D%/trace/ends/doing.h \
	%D%/trace/ends/ended.c \
	%D%/trace/ends/ended.h \
	%D%/trace/find.c \
	%D%/trace/find.h \
	%D%/trace/gz/gzblock.c \
	%D%/trace/gz/gzblock.h \
	%D%/trace/gz/gzin.c \
	%D%/trace/gz/gzin.h \
	%D%/trace/gz/gzpack.c \
	%D%/trace/gz/gzpack.h \
	%D%/trace/gz/inflater.c \
	%D%/trace/gz/inflater.h \
	%D%/trace/gz/outbuf.c \
	%D%/trace/gz/outbuf.h \
	%D%/trace/health.c \
	%D%/trace/health.h \
	%D%/trace/jobinfo.c \
	%D%/trace/jobinfo.h \
	%D%/trace/merged.c \
	%D%/trace/merged.h \
	%D%/trace/native/dense.c \
	%D%/trace/native/merge.c \
	%D%/trace/native/merge.h \
	%D%/trace/native/mergeprofile.c \
	%D%/trace/native/mergeprofile.h \
	%D%/trace/native/mergepiece.c \
	%D%/trace/native/mergepiece.h \
	%D%/trace/native/records.c \
	%D%/trace/parts.c \
	%D%/trace/parts.h \
	%D%/trace/pfw/pfwbatch.c \
	%D%/trace/pfw/pfwbatch.h \
	%D%/trace/pfw/pfwblock.c \
	%D%/trace/pfw/pfwblock.h \
	%D%/trace/pfw/pfwcall.c \
	%D%/trace/pfw/pfwcolumns.c \
	%D%/trace/pfw/pfwcolumns.h \
	%D%/trace/pfw/pfwlearn.c \
	%D%/trace/pfw/pfwlex.c \
	%D%/trace/pfw/pfwlex.h \
	%D%/trace/pfw/pfwlocal.c \
	%D%/trace/pfw/pfwlocal.h \
	%D%/trace/pfw/pfwnames.c \
	%D%/trace/pfw/pfwnames.h \
	%D%/trace/pfw/pfwnamesin.h \
	%D%/trace/pfw/pfwopen.c \
	%D%/trace/pfw/pfwpack.c \
	%D%/trace/pfw/pfwpack.h \
	%D%/trace/pfw/pfwread.c \
	%D%/trace/pfw/pfwread.h \
	%D%/trace/pfw/pfwreline.c \
	%D%/trace/pfw/pfwreline.h \
	%D%/trace/pfw/pfwrecords.c \
	%D%/trace/pfw/pfwrows.c \
	%D%/trace/pfw/pfwseen.c \
	%D%/trace/pfw/pfwseen.h \
	%D%/trace/pfw/pfwshape.c \
	%D%/trace/pfw/pfwshape.h \
	%D%/trace/pfw/pfwstore.c \
	%D%/trace/pfw/pfwstore.h \
	%D%/trace/pfw/pfwsums.c \
	%D%/trace/pfw/pfwsums.h \
	%D%/trace/pfw/pfwtext.c \
	%D%/trace/pfw/pfwtoken.h \
	%D%/trace/pfw/pfwtrace.c \
	%D%/trace/pfw/pfwtrace.h \
	%D%/trace/pfw/pfwunit.c \
	%D%/trace/pfw/pfwunit.h \
	%D%/trace/pfw/pfwvalue.c \
	%D%/trace/pfw/pfwvalue.h \
	%D%/trace/pfwout/md5.c \
	%D%/trace/pfwout/md5.h \
	%D%/trace/pfwout/pfw.c \
	%D%/trace/pfwout/pfw.h \
	%D%/trace/pfwout/pfwhash.c \
	%D%/trace/pfwout/pfwhash.h \
	%D%/trace/pfwout/pfwline.c \
	%D%/trace/pfwout/pfwline.h \
	%D%/trace/pfwout/pfwtake.c \
	%D%/trace/pfwout/pfwtake.h \
	%D%/trace/pfwout/pfwtakeproc.c \
	%D%/trace/pfwout/pfwtaker.h \
	%D%/trace/resolve.c \
	%D%/trace/partition.c \
	%D%/trace/partition.h \
	%D%/trace/sources.c \
	%D%/trace/stream.c \
	%D%/trace/stream.h \
	%D%/trace/untraced.c \
	%D%/trace/untraced.h
%C%_libanalyze_la_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) $(GZIP_CFLAGS) \
	$(SQLITE_CFLAGS) $(OTF2_CFLAGS)
%C%_libanalyze_la_LIBADD = $(BZIP2_LIBS) $(GZIP_LIBS) $(ZLIB_LIBS) $(SQLITE_LIBS) $(OTF2_LIBS) -lm

dftrace_libs += %D%/libanalyze.la

check_PROGRAMS += tests/tools/fakelustre tests/tools/layerjob tests/tools/mkshard tests/victims/pieces
tests_tools_fakelustre_SOURCES = tests/tools/fakelustre.c
tests_tools_fakelustre_LDADD = lib/core/libcore.la
tests_tools_layerjob_SOURCES = tests/tools/layerjob.c
tests_tools_layerjob_LDADD = lib/core/libcore.la
tests_victims_pieces_SOURCES = tests/victims/pieces.c
tests_victims_pieces_LDADD = \
	analyze/libanalyze.la \
	lib/model/libmodel.la \
	lib/util/libutil.la \
	lib/core/libcore.la \
	-lm
tests_tools_mkshard_SOURCES = \
	tests/tools/madeshard.c \
	tests/tools/madeshard.h \
	tests/tools/mkshard.c \
	tests/tools/truth.c \
	tests/tools/truth.h
tests_tools_mkshard_LDADD = lib/core/libcore.la

dist_check_SCRIPTS += \
	tests/analysis/t2000-analyze.t \
	tests/analysis/t2100-merge.t \
	tests/analysis/t2110-pfw.t \
	tests/analysis/t2200-stat.t \
	tests/analysis/t2300-pfw-read.t \
	tests/analysis/t2302-bytes.t \
	tests/peers/t2303-json-traces.t \
	tests/analysis/t2305-far-times.t \
	tests/analysis/t2310-compat.t \
	tests/analysis/t2312-compatversion.t \
	tests/analysis/t2320-insights.t \
	tests/analysis/t2330-export.t \
	tests/analysis/t2340-groups.t \
	tests/analysis/t2350-partitions.t \
	tests/analysis/t2355-partitionviews.t \
	tests/analysis/t2356-partitionlayers.t \
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
	tests/analysis/t2450-shared.t \
	tests/analysis/t2452-above-rules.t \
	tests/analysis/t2460-darshan.t \
	tests/analysis/t2470-otf2.t \
	tests/analysis/t2402-renames.t \
	tests/analysis/t2410-golden.t \
	tests/analysis/t2420-ask.t \
	tests/analysis/t2422-once.t \
	tests/analysis/t2424-index.t \
	tests/analysis/t2428-pfw-index.t \
	tests/analysis/t2426-kept.t \
	tests/analysis/t2427-kept-tables.t \
	tests/analysis/t2425-tree.t
TESTS += \
	tests/analysis/t2000-analyze.t \
	tests/analysis/t2100-merge.t \
	tests/analysis/t2110-pfw.t \
	tests/analysis/t2200-stat.t \
	tests/analysis/t2300-pfw-read.t \
	tests/analysis/t2302-bytes.t \
	tests/peers/t2303-json-traces.t \
	tests/analysis/t2305-far-times.t \
	tests/analysis/t2310-compat.t \
	tests/analysis/t2312-compatversion.t \
	tests/analysis/t2320-insights.t \
	tests/analysis/t2330-export.t \
	tests/analysis/t2340-groups.t \
	tests/analysis/t2350-partitions.t \
	tests/analysis/t2355-partitionviews.t \
	tests/analysis/t2356-partitionlayers.t \
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
	tests/analysis/t2450-shared.t \
	tests/analysis/t2452-above-rules.t \
	tests/analysis/t2460-darshan.t \
	tests/analysis/t2470-otf2.t \
	tests/analysis/t2402-renames.t \
	tests/analysis/t2410-golden.t \
	tests/analysis/t2420-ask.t \
	tests/analysis/t2422-once.t \
	tests/analysis/t2424-index.t \
	tests/analysis/t2428-pfw-index.t \
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
	tests/python/askwhere.py \
	tests/python/compatrows.py

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

if HAVE_CMOCKA
unit_tests += \
	tests/unit/analyze/batch.t \
	tests/unit/analyze/batchsame.t \
	tests/unit/analyze/column.t \
	tests/unit/analyze/dict.t \
	tests/unit/analyze/gzpack.t \
	tests/unit/analyze/hist.t \
	tests/unit/analyze/interval.t \
	tests/unit/analyze/kind.t \
	tests/unit/analyze/learn.t \
	tests/unit/analyze/marks.t \
	tests/unit/analyze/md5.t \
	tests/unit/analyze/metrics.t \
	tests/unit/analyze/mmjoin.t \
	tests/unit/analyze/mmregions.t \
	tests/unit/analyze/nest.t \
	tests/unit/analyze/outbuf.t \
	tests/unit/analyze/packer.t \
	tests/unit/analyze/pairs.t \
	tests/unit/analyze/pass.t \
	tests/unit/analyze/pfwcolumns.t \
	tests/unit/analyze/profmap.t \
	tests/unit/analyze/profvalues.t \
	tests/unit/analyze/pfwlex.t \
	tests/unit/analyze/pfwshape.t \
	tests/unit/analyze/place.t \
	tests/unit/analyze/pointfault.t \
	tests/unit/analyze/query.t \
	tests/unit/analyze/partition.t \
	tests/unit/analyze/ancestry.t \
	tests/unit/analyze/launched.t \
	tests/unit/analyze/startup.t \
	tests/unit/analyze/values/accessvalues.t \
	tests/unit/analyze/values/valuecount.t \
	tests/unit/analyze/viewcells.t \
	tests/unit/analyze/otfsort.t \
	tests/unit/analyze/spanbill.t \
	tests/unit/analyze/spanlog.t \
	tests/unit/analyze/spanmerge.t \
	tests/unit/analyze/spansort.t \
	tests/unit/analyze/untraced.t

tests_unit_analyze_batch_t_SOURCES = tests/unit/analyze/batch.c tests/unit/madechunk.h
tests_unit_analyze_batchsame_t_SOURCES = tests/unit/analyze/batchsame.c tests/unit/madechunk.h
tests_unit_analyze_batchsame_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_batchsame_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_batch_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_batch_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_dict_t_SOURCES = tests/unit/analyze/dict.c
tests_unit_analyze_dict_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_dict_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_column_t_SOURCES = tests/unit/analyze/column.c
tests_unit_analyze_column_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_column_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_pairs_t_SOURCES = tests/unit/analyze/pairs.c
tests_unit_analyze_pairs_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_pairs_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_pass_t_SOURCES = tests/unit/analyze/pass.c tests/unit/madejob.h
tests_unit_analyze_pass_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_pass_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_profmap_t_SOURCES = tests/unit/analyze/profmap.c $(core_test_rec)
tests_unit_analyze_profmap_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_profmap_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_profvalues_t_SOURCES = tests/unit/analyze/profvalues.c $(core_test_rec)
tests_unit_analyze_profvalues_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_profvalues_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_query_t_SOURCES = tests/unit/analyze/query.c tests/unit/madejob.h \
	tests/unit/runs.h
tests_unit_analyze_query_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_query_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_spansort_t_SOURCES = tests/unit/analyze/spansort.c
tests_unit_analyze_spansort_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_spansort_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_untraced_t_SOURCES = tests/unit/analyze/untraced.c
tests_unit_analyze_untraced_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_untraced_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_gzpack_t_SOURCES = tests/unit/analyze/gzpack.c
tests_unit_analyze_gzpack_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_gzpack_t_LDADD = $(analyze_test_libs) $(ZLIB_LIBS)
tests_unit_analyze_outbuf_t_SOURCES = tests/unit/analyze/outbuf.c
tests_unit_analyze_outbuf_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_outbuf_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_hist_t_SOURCES = tests/unit/analyze/hist.c
tests_unit_analyze_hist_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_hist_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_interval_t_SOURCES = tests/unit/analyze/interval.c
tests_unit_analyze_interval_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_interval_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_kind_t_SOURCES = tests/unit/analyze/kind.c
tests_unit_analyze_kind_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_kind_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_learn_t_SOURCES = tests/unit/analyze/learn.c
tests_unit_analyze_learn_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_learn_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_marks_t_SOURCES = tests/unit/analyze/marks.c
tests_unit_analyze_marks_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_marks_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_packer_t_SOURCES = tests/unit/analyze/packer.c
tests_unit_analyze_packer_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_packer_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_partition_t_SOURCES = tests/unit/analyze/partition.c
tests_unit_analyze_partition_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_partition_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_values_accessvalues_t_SOURCES = tests/unit/analyze/values/accessvalues.c
tests_unit_analyze_values_accessvalues_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_values_accessvalues_t_LDADD = $(analyze_test_libs)

tests_unit_analyze_values_valuecount_t_SOURCES = tests/unit/analyze/values/valuecount.c
tests_unit_analyze_values_valuecount_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_values_valuecount_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_viewcells_t_SOURCES = tests/unit/analyze/viewcells.c
tests_unit_analyze_viewcells_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_viewcells_t_LDADD = $(analyze_test_libs)

tests_unit_analyze_ancestry_t_SOURCES = tests/unit/analyze/ancestry.c
tests_unit_analyze_ancestry_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_ancestry_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_launched_t_SOURCES = tests/unit/analyze/launched.c
tests_unit_analyze_launched_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_launched_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_startup_t_SOURCES = tests/unit/analyze/startup.c
tests_unit_analyze_startup_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_startup_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_place_t_SOURCES = tests/unit/analyze/place.c
tests_unit_analyze_place_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_place_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_md5_t_SOURCES = tests/unit/analyze/md5.c
tests_unit_analyze_md5_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_md5_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_metrics_t_SOURCES = tests/unit/analyze/metrics.c
tests_unit_analyze_metrics_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_metrics_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_mmjoin_t_SOURCES = \
	tests/unit/analyze/mmjoin.c \
	tests/unit/analyze/mmmade.h
tests_unit_analyze_mmjoin_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_mmjoin_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_mmregions_t_SOURCES = \
	tests/unit/analyze/mmmade.h \
	tests/unit/analyze/mmregions.c
tests_unit_analyze_mmregions_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_mmregions_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_nest_t_SOURCES = tests/unit/analyze/nest.c
tests_unit_analyze_nest_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_nest_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_pfwshape_t_SOURCES = tests/unit/analyze/pfwshape.c
tests_unit_analyze_pfwshape_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_pfwshape_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_pfwcolumns_t_SOURCES = tests/unit/analyze/pfwcolumns.c
tests_unit_analyze_pfwcolumns_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_pfwcolumns_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_pfwlex_t_SOURCES = tests/unit/analyze/pfwlex.c
tests_unit_analyze_pfwlex_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_pfwlex_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_pointfault_t_SOURCES = tests/unit/analyze/pointfault.c
tests_unit_analyze_pointfault_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_pointfault_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_otfsort_t_SOURCES = tests/unit/analyze/otfsort.c \
	tests/unit/rng.h tests/unit/tap.h
tests_unit_analyze_otfsort_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_otfsort_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_spanbill_t_SOURCES = tests/unit/analyze/spanbill.c
tests_unit_analyze_spanbill_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_spanbill_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_spanmerge_t_SOURCES = tests/unit/analyze/spanmerge.c tests/unit/tap.h tests/unit/rng.h
tests_unit_analyze_spanmerge_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_spanmerge_t_LDADD = $(analyze_test_libs)
tests_unit_analyze_spanlog_t_SOURCES = tests/unit/analyze/spanlog.c
tests_unit_analyze_spanlog_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_analyze_spanlog_t_LDADD = $(analyze_test_libs)
endif

analyze_test_libs = \
	analyze/libanalyze.la \
	lib/model/libmodel.la \
	lib/util/libutil.la \
	lib/core/libcore.la \
	$(CMOCKA_LIBS) \
	-lm

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
	tests/data/pfw/compat.pfw \
	tests/data/pfw/d0.pfw \
	tests/data/pfw/d1.pfw \
	tests/data/pfw/d2.pfw \
	tests/data/pfw/d3.pfw \
	tests/data/pfw/unread.pfw.gz \
	tests/fuzz/compatpartial.c \
	tests/fuzz/lines.c \
	tests/fuzz/querypartial.c \
	tests/fuzz/partial.c \
	tests/fuzz/pfw.c \
	tests/fuzz/tracefile.c

# tests/fuzz/X.c with all of the analysis but its commands, for fuzz-X
fuzz_of = $(@:fuzz-%=%)
fuzz_analyze = $(FUZZ_CC) -std=gnu11 -g -O1 \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE \
	-I. $(AM_CPPFLAGS) $(YAML_CFLAGS) $(OTF2_CFLAGS) $(top_srcdir)/tests/fuzz/$(fuzz_of).c \
	$(filter-out $(top_srcdir)/analyze/cmd_%,$(wildcard $(addprefix $(top_srcdir)/,analyze/*.c \
	analyze/*/*.c analyze/*/*/*.c lib/model/*.c lib/model/*/*.c))) \
	$(top_srcdir)/lib/util/*.c $(top_srcdir)/lib/util/*/*.c $(top_srcdir)/lib/core/*.c \
	$(top_srcdir)/lib/core/*/*.c $(top_srcdir)/lib/core/*/*/*.c $(YAML_LIBS) \
	$(BZIP2_LIBS) $(GZIP_LIBS) $(ZLIB_LIBS) $(SQLITE_LIBS) $(OTF2_LIBS) -lm -pthread -o .fuzz/$@

.PHONY: fuzz-tracefile
fuzz-tracefile: dftrace tests/tools/mkshard
	$(MKDIR_P) .fuzz/tracefile
	tests/tools/mkshard .fuzz/job direct 20
	cp .fuzz/job/shards/*.dft .fuzz/tracefile
	./dftrace merge -q -o .fuzz/tracefile/merged.dft .fuzz/job
	for s in .fuzz/job/shards/*.dft .fuzz/tracefile/merged.dft; do \
	    { cat $$s; echo; } >.fuzz/tracefile/odd-`basename $$s`; done
	./dftrace run -q -o .fuzz/shared -- $(SHELL) -c \
	    'for i in 1 2 3; do cat Makefile config.status; done >/dev/null'
	for s in .fuzz/shared/shards/*.dft; do \
	    head -c 40000 $$s >.fuzz/tracefile/shared.dft; \
	    head -c 40001 $$s >.fuzz/tracefile/odd-shared.dft; done
	./dftrace run -q -o .fuzz/profile --layers profile -- $(SHELL) -c \
	    'cat Makefile config.status >/dev/null; python3 -S -c "import os; f = os.open (\"Makefile\", 0); \
	    [os.pread (f, 1 + i % 25, i * i) for i in range (99)]"'
	./dftrace merge -q -o .fuzz/tracefile/profile.dft .fuzz/profile
	{ cat .fuzz/tracefile/profile.dft; echo; } >.fuzz/tracefile/odd-profile.dft
	$(fuzz_analyze)
	.fuzz/fuzz-tracefile -max_total_time=$(FUZZ_SECONDS) -max_len=65536 \
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
	.fuzz/fuzz-pfw -max_total_time=$(FUZZ_SECONDS) -max_len=16384 \
	    -artifact_prefix=.fuzz/ .fuzz/pfw

.PHONY: fuzz-lines
fuzz-lines:
	$(MKDIR_P) .fuzz/lines
	printf '12 /usr/bin/a%%20b static @5\n13 /b not%%20known ~6\n' >.fuzz/lines/untraced
	printf '12 5 signal 9 parent\n13 6 exit 1 run\n' >.fuzz/lines/ended
	printf '12 11 10 5 9 exit all=7,8 own=7,8 start=1,0 startown=1,0 tracer=1,2 library=3,0\n' \
	    >.fuzz/lines/counted
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

.PHONY: fuzz-blockindex
fuzz-blockindex:
	$(MKDIR_P) .fuzz/blockindex
	for i in 1 2 3 4; do printf '[\n{"id":1,"name":"read","cat":"POSIX","pid":1,"tid":1,"ph":"X","ts":1,"dur":1,"args":{}}\n' | \
	    gzip -c; done >.fuzz/blockindex.pfw.gz
	$(fuzz_analyze)
	.fuzz/fuzz-blockindex -max_total_time=$(FUZZ_SECONDS) -max_len=16384 \
	    -artifact_prefix=.fuzz/ .fuzz/blockindex

.PHONY: fuzz-keptjob
fuzz-keptjob:
	$(MKDIR_P) .fuzz/keptjob
	$(fuzz_analyze)
	.fuzz/fuzz-keptjob -max_total_time=$(FUZZ_SECONDS) -max_len=16384 \
	    -artifact_prefix=.fuzz/ .fuzz/keptjob

.PHONY: fuzz-where
fuzz-where:
	$(MKDIR_P) .fuzz/where
	printf 'dur > 10ms and not (size >= 1M or file ~ "*.bin")' >.fuzz/where/a
	printf 'name =~ "^p?read" && arg.step in (3, "x") or rank=0-3,7' >.fuzz/where/b
	printf 'file,arg.step,interval' >.fuzz/where/keys
	$(fuzz_analyze)
	.fuzz/fuzz-where -max_total_time=$(FUZZ_SECONDS) -max_len=2048 \
	    -artifact_prefix=.fuzz/ .fuzz/where

.PHONY: fuzz-compatpartial
fuzz-compatpartial:
	$(MKDIR_P) .fuzz/compatpartial
	$(fuzz_analyze)
	.fuzz/fuzz-compatpartial -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/compatpartial

.PHONY: fuzz-partial
fuzz-partial:
	$(MKDIR_P) .fuzz/partial
	$(fuzz_analyze)
	.fuzz/fuzz-partial -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/partial
