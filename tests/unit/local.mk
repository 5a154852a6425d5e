# SPDX-License-Identifier: MIT
# tests/unit - tests of C functions
#
# The test ROOM/NAME.t is made of ROOM/NAME.c, linked with ROOM_unit_libs. One
# that needs more than that has a stanza at the end.

if HAVE_CMOCKA
unit_tests += \
	%D%/analyze/accessvalues.t \
	%D%/analyze/ancestry.t \
	%D%/analyze/batch.t \
	%D%/analyze/batchsame.t \
	%D%/analyze/column.t \
	%D%/analyze/dict.t \
	%D%/analyze/gzpack.t \
	%D%/analyze/hist.t \
	%D%/analyze/interval.t \
	%D%/analyze/kind.t \
	%D%/analyze/launched.t \
	%D%/analyze/learn.t \
	%D%/analyze/marks.t \
	%D%/analyze/md5.t \
	%D%/analyze/metrics.t \
	%D%/analyze/mmjoin.t \
	%D%/analyze/mmregions.t \
	%D%/analyze/nest.t \
	%D%/analyze/otfsort.t \
	%D%/analyze/outbuf.t \
	%D%/analyze/packer.t \
	%D%/analyze/pairs.t \
	%D%/analyze/partition.t \
	%D%/analyze/pass.t \
	%D%/analyze/pfwlex.t \
	%D%/analyze/pfwnames.t \
	%D%/analyze/pfwshape.t \
	%D%/analyze/place.t \
	%D%/analyze/pointfault.t \
	%D%/analyze/profmap.t \
	%D%/analyze/profvalues.t \
	%D%/analyze/query.t \
	%D%/analyze/spanbill.t \
	%D%/analyze/spanlog.t \
	%D%/analyze/spanmerge.t \
	%D%/analyze/spansort.t \
	%D%/analyze/startup.t \
	%D%/analyze/untraced.t \
	%D%/analyze/valuecount.t \
	%D%/analyze/viewcells.t \
	%D%/app/context.t \
	%D%/core/apart.t \
	%D%/core/calls.t \
	%D%/core/clock.t \
	%D%/core/cpulimits.t \
	%D%/core/decoder.t \
	%D%/core/dense.t \
	%D%/core/detail.t \
	%D%/core/errtext.t \
	%D%/core/escape.t \
	%D%/core/event.t \
	%D%/core/format.t \
	%D%/core/highfd.t \
	%D%/core/layers.t \
	%D%/core/lustrelayout.t \
	%D%/core/mountinfo.t \
	%D%/core/names.t \
	%D%/core/nodefile.t \
	%D%/core/notrace.t \
	%D%/core/owntable.t \
	%D%/core/parse.t \
	%D%/core/pathlist.t \
	%D%/core/procinfo.t \
	%D%/core/proclines.t \
	%D%/core/recent.t \
	%D%/core/recfork.t \
	%D%/core/recforkshared.t \
	%D%/core/recorder.t \
	%D%/core/rule.t \
	%D%/core/settings.t \
	%D%/core/shard.t \
	%D%/core/shardfile.t \
	%D%/core/shardfileshared.t \
	%D%/core/shardlive.t \
	%D%/core/site.t \
	%D%/core/tbuf.t \
	%D%/core/texts.t \
	%D%/core/tracefile.t \
	%D%/core/traceproc.t \
	%D%/core/tracespec.t \
	%D%/core/untracedlist.t \
	%D%/core/usage.t \
	%D%/preload/bpf.t \
	%D%/preload/fdmap.t \
	%D%/preload/filter.t \
	%D%/preload/maps.t \
	%D%/preload/mmreg.t \
	%D%/preload/next.t \
	%D%/preload/outfit.t \
	%D%/preload/paths.t \
	%D%/preload/probe.t \
	%D%/preload/self.t \
	%D%/report/bins.t \
	%D%/report/csv.t \
	%D%/report/effects.t \
	%D%/report/metricwords.t \
	%D%/report/roles.t \
	%D%/report/scale.t \
	%D%/report/svg.t \
	%D%/report/words.t \
	%D%/site/become.t \
	%D%/site/capture.t \
	%D%/site/change.t \
	%D%/site/claim.t \
	%D%/site/estimate.t \
	%D%/site/filemove.t \
	%D%/site/jobdir.t \
	%D%/site/keep.t \
	%D%/site/killgroup.t \
	%D%/site/launch.t \
	%D%/site/leftover.t \
	%D%/site/marker.t \
	%D%/site/node.t \
	%D%/site/pack.t \
	%D%/site/plugstack.t \
	%D%/site/reap.t \
	%D%/site/userside.t \
	%D%/site/verb.t \
	%D%/sweep/expr.t \
	%D%/sweep/grid.t \
	%D%/sweep/grow.t \
	%D%/sweep/order.t \
	%D%/sweep/program.t \
	%D%/sweep/runstatus.t \
	%D%/sweep/slurm.t \
	%D%/sweep/slurmsaid.t \
	%D%/sweep/spec.t \
	%D%/sweep/sweepstats.t \
	%D%/sweep/template.t \
	%D%/sweep/value.t \
	%D%/util/blocks.t \
	%D%/util/fsutil.t \
	%D%/util/json.t \
	%D%/util/log.t \
	%D%/util/numwords.t \
	%D%/util/optparse.t \
	%D%/util/pool.t \
	%D%/util/sha256.t \
	%D%/util/stats.t \
	%D%/util/strmap.t \
	%D%/util/textable.t \
	%D%/util/view.t \
	%D%/util/ytree.t
if SLURM
unit_tests += \
	%D%/site/once.t \
	%D%/site/spank.t \
	%D%/site/spankwho.t
endif
endif

# what tests share
check_LTLIBRARIES += %D%/libunit.la
%C%_libunit_la_SOURCES = \
	%D%/analyze/mmmade.h \
	%D%/madechunk.h \
	%D%/madejob.h \
	%D%/rec.c \
	%D%/rec.h \
	%D%/rng.h \
	%D%/scratch.h \
	%D%/tap.h

core_unit_libs = %D%/libunit.la preload/record/librecord.la lib/libcore.la
util_unit_libs = lib/model/libmodel.la lib/util/libutil.la lib/libcore.la
app_unit_libs = preload/app/libapp.la $(core_unit_libs)
preload_unit_libs = preload/libpreload.la $(core_unit_libs)
analyze_unit_libs = \
	%D%/libunit.la \
	analyze/libanalyze.la \
	lib/model/libmodel.la \
	lib/util/libutil.la \
	preload/record/librecord.la \
	lib/libcore.la
report_unit_libs = \
	analyze/report/libreport.la \
	lib/chart/libchart.la \
	$(analyze_unit_libs)
site_unit_libs = spank/epilog/libepilog.la $(util_unit_libs)
sweep_unit_libs = sweep/libsweep.la lib/chart/libchart.la $(util_unit_libs)

unit_libs = $($(notdir $(@D))_unit_libs) $(YAML_LIBS) $(ZLIB_LIBS) $(CMOCKA_LIBS) -lm -lpthread
$(unit_tests): private LDADD = $(unit_libs)
%D%/%: AM_CPPFLAGS += $(CMOCKA_CFLAGS)

# a test is linked again when a library of its room has changed
app_unit_tests = $(filter %D%/app/%,$(unit_tests))
$(app_unit_tests): $(app_unit_libs)
core_unit_tests = $(filter %D%/core/%,$(unit_tests))
$(core_unit_tests): $(core_unit_libs)
analyze_unit_tests = $(filter %D%/analyze/%,$(unit_tests))
$(analyze_unit_tests): $(analyze_unit_libs)
preload_unit_tests = $(filter %D%/preload/%,$(unit_tests))
$(preload_unit_tests): $(preload_unit_libs)
report_unit_tests = $(filter %D%/report/%,$(unit_tests))
$(report_unit_tests): $(report_unit_libs)
site_unit_tests = $(filter %D%/site/%,$(unit_tests))
$(site_unit_tests): $(site_unit_libs)
sweep_unit_tests = $(filter %D%/sweep/%,$(unit_tests))
$(sweep_unit_tests): $(sweep_unit_libs)
util_unit_tests = $(filter %D%/util/%,$(unit_tests))
$(util_unit_tests): $(util_unit_libs)

# of the command, which is no library
%C%_site_capture_t_SOURCES = %D%/site/capture.c lib/util/launch.c
%C%_site_change_t_SOURCES = %D%/site/change.c cli/site/estimate.c
%C%_site_estimate_t_SOURCES = %D%/site/estimate.c cli/site/estimate.c
%C%_site_launch_t_SOURCES = %D%/site/launch.c lib/util/launch.c
%C%_site_plugstack_t_SOURCES = %D%/site/plugstack.c cli/doctor/plugstack.c

# of the plugin, and a program that loads it
slurm_unit_cppflags = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
%C%_site_once_t_SOURCES = %D%/site/once.c spank/once.c spank/once.h
%C%_site_once_t_CPPFLAGS = $(slurm_unit_cppflags)
%C%_site_spank_t_SOURCES = %D%/site/spank.c %D%/spankhost.c %D%/spankhost.h
%C%_site_spank_t_CPPFLAGS = $(slurm_unit_cppflags)
%C%_site_spank_t_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
%C%_site_spankwho_t_SOURCES = \
	%D%/site/spankwho.c \
	%D%/spankhost.c \
	%D%/spankhost.h
%C%_site_spankwho_t_CPPFLAGS = $(slurm_unit_cppflags)
%C%_site_spankwho_t_LDFLAGS = $(AM_LDFLAGS) -export-dynamic

# with a shard that the processes of a node share
shared_unit_cppflags = $(AM_CPPFLAGS) -DREC_SHARED=1
%C%_core_nodefile_t_SOURCES = %D%/core/nodefile.c %D%/rec.c
%C%_core_nodefile_t_CPPFLAGS = $(shared_unit_cppflags)
%C%_core_recforkshared_t_SOURCES = %D%/core/recfork.c %D%/rec.c
%C%_core_recforkshared_t_CPPFLAGS = $(shared_unit_cppflags)
%C%_core_shardfileshared_t_SOURCES = %D%/core/shardfile.c %D%/rec.c
%C%_core_shardfileshared_t_CPPFLAGS = $(shared_unit_cppflags)
