# SPDX-License-Identifier: MIT
# lib/base, lib/format, lib/settings - safe in a traced process; libc only

# It is part of the preload library, which is loaded by programs of another libc
# (musl), too: those have no functions __x_chk.
noinst_LTLIBRARIES += %D%/libcore.la
# What it does not need of this is left out of it.
%C%_libcore_la_CFLAGS = $(AM_CFLAGS) $(DFT_SECTIONS) -U_FORTIFY_SOURCE
%C%_libcore_la_SOURCES = \
	%D%/base/clock.c \
	%D%/base/clock.h \
	%D%/base/dirwalk.c \
	%D%/base/dirwalk.h \
	%D%/base/text.c \
	%D%/base/text.h \
	%D%/base/highfd.c \
	%D%/base/highfd.h \
	%D%/base/kernelmark.h \
	%D%/base/fsinfo.c \
	%D%/base/fsinfo.h \
	%D%/base/oldlibc.h \
	%D%/base/programkind.c \
	%D%/base/programkind.h \
	%D%/base/sys.c \
	%D%/base/sys.h \
	%D%/format/calls.c \
	%D%/format/calls.def \
	%D%/format/calls.h \
	%D%/format/decoder.c \
	%D%/format/dense.c \
	%D%/format/dense.h \
	%D%/format/densewrite.c \
	%D%/format/proclines.c \
	%D%/format/proclines.h \
	%D%/format/event.c \
	%D%/format/event.h \
	%D%/format/texts.c \
	%D%/format/texts.h \
	%D%/format/lastword.h \
	%D%/format/layers.c \
	%D%/format/layers.def \
	%D%/format/layers.h \
	%D%/format/leftout.def \
	%D%/format/leftout.h \
	%D%/format/mmlosses.def \
	%D%/format/usagekeys.h \
	%D%/format/places.def \
	%D%/format/profile.def \
	%D%/format/profile.h \
	%D%/format/shard.c \
	%D%/format/shard.h \
	%D%/format/timemap.def \
	%D%/format/tracefile.c \
	%D%/format/tracefile.h \
	%D%/format/traceproc.c \
	%D%/format/traceproc.h \
	%D%/format/untracedlist.c \
	%D%/format/untracedlist.h \
	%D%/format/usage.def \
	%D%/format/usagekeys.c \
	%D%/format/varint.h \
	%D%/settings/taskenv.c \
	%D%/settings/taskenv.h \
	%D%/settings/detail.c \
	%D%/settings/detail.h \
	%D%/settings/jobdir.c \
	%D%/settings/jobdir.h \
	%D%/settings/nodename.c \
	%D%/settings/nodename.h \
	%D%/settings/kernelside.c \
	%D%/settings/kernelside.h \
	%D%/settings/marker.c \
	%D%/settings/marker.h \
	%D%/settings/notrace.c \
	%D%/settings/notrace.h \
	%D%/settings/optionkeys.def \
	%D%/settings/paths.c \
	%D%/settings/paths.h \
	%D%/settings/preloads.c \
	%D%/settings/preloads.h \
	%D%/settings/plan.c \
	%D%/settings/plan.h \
	%D%/settings/preloads.def \
	%D%/settings/site.c \
	%D%/settings/site.h \
	%D%/settings/rules.def \
	%D%/settings/settings.c \
	%D%/settings/settings.def \
	%D%/settings/settings.h \
	%D%/settings/site.def \
	%D%/settings/tracespec.c \
	%D%/settings/tracespec.h

if HAVE_CMOCKA
unit_tests += \
	tests/unit/core/apart.t \
	tests/unit/core/rule.t \
	tests/unit/core/site.t \
	tests/unit/core/tracespec.t \
	tests/unit/core/calls.t \
	tests/unit/core/clock.t \
	tests/unit/core/decoder.t \
	tests/unit/core/detail.t \
	tests/unit/core/dense.t \
	tests/unit/core/errtext.t \
	tests/unit/core/escape.t \
	tests/unit/core/highfd.t \
	tests/unit/core/event.t \
	tests/unit/core/format.t \
	tests/unit/core/layers.t \
	tests/unit/core/lustrelayout.t \
	tests/unit/core/mountinfo.t \
	tests/unit/core/names.t \
	tests/unit/core/notrace.t \
	tests/unit/core/untracedlist.t \
	tests/unit/core/nodefile.t \
	tests/unit/core/owntable.t \
	tests/unit/core/parse.t \
	tests/unit/core/pathlist.t \
	tests/unit/core/procinfo.t \
	tests/unit/core/proclines.t \
	tests/unit/core/recent.t \
	tests/unit/core/recfork.t \
	tests/unit/core/recforkshared.t \
	tests/unit/core/recorder.t \
	tests/unit/core/settings.t \
	tests/unit/core/shard.t \
	tests/unit/core/shardfile.t \
	tests/unit/core/shardfileshared.t \
	tests/unit/core/shardlive.t \
	tests/unit/core/tbuf.t \
	tests/unit/core/texts.t \
	tests/unit/core/tracefile.t \
	tests/unit/core/traceproc.t \
	tests/unit/core/usage.t
endif

core_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
core_test_ldadd = preload/record/librecord.la %D%/libcore.la $(CMOCKA_LIBS)
core_test_rec = \
	tests/unit/rec.c \
	tests/unit/rec.h \
	tests/unit/rng.h \
	tests/unit/tap.h

tests_unit_core_escape_t_SOURCES = tests/unit/core/escape.c tests/unit/tap.h
tests_unit_core_escape_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_escape_t_LDADD = $(core_test_ldadd)

tests_unit_core_lustrelayout_t_SOURCES = tests/unit/core/lustrelayout.c tests/unit/tap.h
tests_unit_core_lustrelayout_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_lustrelayout_t_LDADD = $(core_test_ldadd)

tests_unit_core_mountinfo_t_SOURCES = tests/unit/core/mountinfo.c tests/unit/tap.h
tests_unit_core_mountinfo_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_mountinfo_t_LDADD = $(core_test_ldadd)

tests_unit_core_untracedlist_t_SOURCES = tests/unit/core/untracedlist.c tests/unit/tap.h
tests_unit_core_untracedlist_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_untracedlist_t_LDADD = $(core_test_ldadd)

tests_unit_core_notrace_t_SOURCES = tests/unit/core/notrace.c tests/unit/tap.h
tests_unit_core_notrace_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_notrace_t_LDADD = $(core_test_ldadd)

tests_unit_core_apart_t_SOURCES = tests/unit/core/apart.c tests/unit/tap.h
tests_unit_core_apart_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_apart_t_LDADD = $(core_test_ldadd)

tests_unit_core_calls_t_SOURCES = tests/unit/core/calls.c tests/unit/tap.h
tests_unit_core_calls_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_calls_t_LDADD = $(core_test_ldadd)

tests_unit_core_clock_t_SOURCES = tests/unit/core/clock.c $(core_test_rec)
tests_unit_core_clock_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_clock_t_LDADD = $(core_test_ldadd)

tests_unit_core_usage_t_SOURCES = tests/unit/core/usage.c tests/unit/tap.h
tests_unit_core_usage_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_usage_t_LDADD = $(core_test_ldadd)

tests_unit_core_decoder_t_SOURCES = tests/unit/core/decoder.c tests/unit/tap.h tests/unit/rng.h
tests_unit_core_decoder_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_decoder_t_LDADD = $(core_test_ldadd)

tests_unit_core_detail_t_SOURCES = tests/unit/core/detail.c tests/unit/tap.h
tests_unit_core_detail_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_detail_t_LDADD = $(core_test_ldadd)

tests_unit_core_dense_t_SOURCES = tests/unit/core/dense.c tests/unit/tap.h tests/unit/rng.h
tests_unit_core_dense_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_dense_t_LDADD = $(core_test_ldadd)

tests_unit_core_errtext_t_SOURCES = tests/unit/core/errtext.c tests/unit/tap.h
tests_unit_core_errtext_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_errtext_t_LDADD = $(core_test_ldadd)
tests_unit_core_highfd_t_SOURCES = tests/unit/core/highfd.c tests/unit/tap.h
tests_unit_core_highfd_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_highfd_t_LDADD = $(core_test_ldadd)

tests_unit_core_event_t_SOURCES = tests/unit/core/event.c tests/unit/tap.h tests/unit/rng.h
tests_unit_core_event_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_event_t_LDADD = $(core_test_ldadd)

tests_unit_core_layers_t_SOURCES = tests/unit/core/layers.c tests/unit/tap.h
tests_unit_core_layers_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_layers_t_LDADD = $(core_test_ldadd)

tests_unit_core_names_t_SOURCES = tests/unit/core/names.c tests/unit/rec.h tests/unit/tap.h
tests_unit_core_names_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_names_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_core_nodefile_t_SOURCES = tests/unit/core/nodefile.c $(core_test_rec)
tests_unit_core_nodefile_t_CPPFLAGS = $(core_test_cppflags) -DREC_SHARED=1
tests_unit_core_nodefile_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_core_nodefile_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_core_owntable_t_SOURCES = tests/unit/core/owntable.c $(core_test_rec)
tests_unit_core_owntable_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_owntable_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_core_owntable_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_core_parse_t_SOURCES = tests/unit/core/parse.c tests/unit/tap.h
tests_unit_core_parse_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_parse_t_LDADD = $(core_test_ldadd)

tests_unit_core_pathlist_t_SOURCES = tests/unit/core/pathlist.c tests/unit/tap.h
tests_unit_core_pathlist_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_pathlist_t_LDADD = $(core_test_ldadd)

tests_unit_core_procinfo_t_SOURCES = tests/unit/core/procinfo.c tests/unit/tap.h
tests_unit_core_procinfo_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_procinfo_t_LDADD = $(core_test_ldadd)

tests_unit_core_proclines_t_SOURCES = tests/unit/core/proclines.c tests/unit/tap.h
tests_unit_core_proclines_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_proclines_t_LDADD = $(core_test_ldadd)

tests_unit_core_settings_t_SOURCES = tests/unit/core/settings.c tests/unit/tap.h
tests_unit_core_settings_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_settings_t_LDADD = $(core_test_ldadd)

tests_unit_core_shard_t_SOURCES = tests/unit/core/shard.c tests/unit/tap.h
tests_unit_core_shard_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_shard_t_LDADD = $(core_test_ldadd)

tests_unit_core_recent_t_SOURCES = tests/unit/core/recent.c tests/unit/tap.h tests/unit/rng.h
tests_unit_core_recent_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_recent_t_LDADD = $(core_test_ldadd)

tests_unit_core_recfork_t_SOURCES = tests/unit/core/recfork.c $(core_test_rec)
tests_unit_core_recfork_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_recfork_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_core_recfork_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_core_recforkshared_t_SOURCES = tests/unit/core/recfork.c $(core_test_rec)
tests_unit_core_recforkshared_t_CPPFLAGS = $(core_test_cppflags) -DREC_SHARED=1
tests_unit_core_recforkshared_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_core_recforkshared_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_core_recorder_t_SOURCES = tests/unit/core/recorder.c $(core_test_rec)
tests_unit_core_recorder_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_recorder_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_core_recorder_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_core_shardfile_t_SOURCES = tests/unit/core/shardfile.c $(core_test_rec)
tests_unit_core_shardfile_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_shardfile_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_core_shardfile_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_core_shardfileshared_t_SOURCES = tests/unit/core/shardfile.c $(core_test_rec)
tests_unit_core_shardfileshared_t_CPPFLAGS = $(core_test_cppflags) -DREC_SHARED=1
tests_unit_core_shardfileshared_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_core_shardfileshared_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_core_shardlive_t_SOURCES = tests/unit/core/shardlive.c $(core_test_rec)
tests_unit_core_shardlive_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_shardlive_t_LDADD = $(core_test_ldadd)

tests_unit_core_tbuf_t_SOURCES = tests/unit/core/tbuf.c $(core_test_rec)
tests_unit_core_tbuf_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_tbuf_t_LDADD = $(core_test_ldadd)

tests_unit_core_texts_t_SOURCES = tests/unit/core/texts.c tests/unit/tap.h
tests_unit_core_texts_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_texts_t_LDADD = $(core_test_ldadd)

tests_unit_core_tracefile_t_SOURCES = tests/unit/core/tracefile.c $(core_test_rec)
tests_unit_core_tracefile_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_tracefile_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_core_tracefile_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_core_format_t_SOURCES = tests/unit/core/format.c tests/unit/tap.h
tests_unit_core_format_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_format_t_LDADD = $(core_test_ldadd)

tests_unit_core_traceproc_t_SOURCES = tests/unit/core/traceproc.c $(core_test_rec)
tests_unit_core_traceproc_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_core_traceproc_t_LDADD = $(core_test_ldadd)

tests_unit_core_rule_t_SOURCES = tests/unit/core/rule.c tests/unit/tap.h
tests_unit_core_rule_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_core_rule_t_LDADD = lib/libcore.la $(CMOCKA_LIBS)

tests_unit_core_site_t_SOURCES = tests/unit/core/site.c tests/unit/tap.h
tests_unit_core_site_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_core_site_t_LDADD = lib/libcore.la $(CMOCKA_LIBS)

tests_unit_core_tracespec_t_SOURCES = tests/unit/core/tracespec.c tests/unit/tap.h
tests_unit_core_tracespec_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_core_tracespec_t_LDADD = lib/libcore.la $(CMOCKA_LIBS)
