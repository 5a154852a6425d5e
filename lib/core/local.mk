# SPDX-License-Identifier: MIT
# lib/core - safe inside a stranger's process; libc only

# It is part of the preload library, which is loaded by programs of another libc
# (musl), too: those have no functions __x_chk.
noinst_LTLIBRARIES += %D%/libcore.la
# What it does not need of this is left out of it.
%C%_libcore_la_CFLAGS = $(AM_CFLAGS) $(DFT_SECTIONS) -U_FORTIFY_SOURCE
%C%_libcore_la_SOURCES = \
	%D%/calls.c \
	%D%/calls.def \
	%D%/calls.h \
	%D%/record/clock.c \
	%D%/record/clock.h \
	%D%/decoder.c \
	%D%/dense.c \
	%D%/dense.h \
	%D%/densebits.c \
	%D%/densebits.h \
	%D%/densewrite.c \
	%D%/settings/apart.c \
	%D%/settings/apart.h \
	%D%/settings/dirwalk.c \
	%D%/settings/dirwalk.h \
	%D%/errtext.c \
	%D%/errtext.h \
	%D%/escape.c \
	%D%/escape.h \
	%D%/record/filespace.c \
	%D%/record/filespace.h \
	%D%/record/highfd.c \
	%D%/record/highfd.h \
	%D%/record/event.c \
	%D%/record/event.h \
	%D%/record/eventstate.h \
	%D%/settings/jobdir.c \
	%D%/settings/jobdir.h \
	%D%/settings/jobdir_json.c \
	%D%/settings/jobvars.c \
	%D%/settings/jobvars.h \
	%D%/settings/layers.c \
	%D%/settings/layers.def \
	%D%/settings/layers.h \
	%D%/settings/marker.c \
	%D%/settings/marker.h \
	%D%/record/names.c \
	%D%/record/owntable.c \
	%D%/record/owntable.h \
	%D%/settings/nodename.c \
	%D%/settings/nodename.h \
	%D%/settings/notrace.c \
	%D%/settings/notrace.h \
	%D%/settings/parse.c \
	%D%/settings/pathlist.c \
	%D%/settings/pathlist.h \
	%D%/settings/optionkeys.def \
	%D%/settings/plan.c \
	%D%/settings/plan.h \
	%D%/settings/parse.h \
	%D%/record/node/nodefile.c \
	%D%/record/node/nodefile.h \
	%D%/record/node/nodespace.c \
	%D%/record/procinfo.c \
	%D%/record/procinfo.h \
	%D%/record/recent.c \
	%D%/record/recent.h \
	%D%/record/recnotes.c \
	%D%/record/recorder.c \
	%D%/record/recorder.h \
	%D%/settings/rule.c \
	%D%/settings/rule.h \
	%D%/settings/rules.def \
	%D%/settings/settings.c \
	%D%/settings/settings.def \
	%D%/settings/settings.h \
	%D%/shard.c \
	%D%/shard.h \
	%D%/record/shardfile.c \
	%D%/record/shardfile.h \
	%D%/record/shardhead.c \
	%D%/record/shardhead.h \
	%D%/record/shardlive.c \
	%D%/record/shardlive.h \
	%D%/record/node/shardpart.c \
	%D%/record/node/shardpart.h \
	%D%/record/shardpath.c \
	%D%/record/shardpath.h \
	%D%/record/shardplace.c \
	%D%/record/shardplace.h \
	%D%/settings/site.c \
	%D%/settings/site.def \
	%D%/settings/site.h \
	%D%/programkind.c \
	%D%/programkind.h \
	%D%/sys.c \
	%D%/sys.h \
	%D%/settings/taskenv.c \
	%D%/settings/taskenv.h \
	%D%/record/tbuf.c \
	%D%/repeat.h \
	%D%/record/tbuf.h \
	%D%/record/texts.c \
	%D%/record/texts.h \
	%D%/traceaccount.c \
	%D%/untracedline.c \
	%D%/untracedline.h \
	%D%/tracefile.c \
	%D%/tracefile_own.h \
	%D%/tracefile.h \
	%D%/traceproc.c \
	%D%/traceproc.h \
	%D%/tracewindow.c \
	%D%/tracewindow.h \
	%D%/settings/tracespec.c \
	%D%/settings/tracespec.h \
	%D%/record/usage.c \
	%D%/record/usage.def \
	%D%/record/usage.h \
	%D%/varint.h

if HAVE_CMOCKA
unit_tests += \
	tests/unit/apart.t \
	tests/unit/rule.t \
	tests/unit/site.t \
	tests/unit/tracespec.t \
	tests/unit/calls.t \
	tests/unit/clock.t \
	tests/unit/decoder.t \
	tests/unit/dense.t \
	tests/unit/errtext.t \
	tests/unit/escape.t \
	tests/unit/highfd.t \
	tests/unit/event.t \
	tests/unit/format.t \
	tests/unit/layers.t \
	tests/unit/names.t \
	tests/unit/notrace.t \
	tests/unit/nodefile.t \
	tests/unit/owntable.t \
	tests/unit/parse.t \
	tests/unit/pathlist.t \
	tests/unit/procinfo.t \
	tests/unit/recent.t \
	tests/unit/recfork.t \
	tests/unit/recforkshared.t \
	tests/unit/recorder.t \
	tests/unit/settings.t \
	tests/unit/shard.t \
	tests/unit/shardfile.t \
	tests/unit/shardfileshared.t \
	tests/unit/shardlive.t \
	tests/unit/tbuf.t \
	tests/unit/texts.t \
	tests/unit/tracefile.t \
	tests/unit/traceproc.t \
	tests/unit/usage.t
endif

core_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
core_test_ldadd = %D%/libcore.la $(CMOCKA_LIBS)
core_test_rec = \
	tests/unit/rec.c \
	tests/unit/rec.h \
	tests/unit/rng.h \
	tests/unit/tap.h

tests_unit_escape_t_SOURCES = tests/unit/escape.c tests/unit/tap.h
tests_unit_escape_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_escape_t_LDADD = $(core_test_ldadd)

tests_unit_notrace_t_SOURCES = tests/unit/notrace.c tests/unit/tap.h
tests_unit_notrace_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_notrace_t_LDADD = $(core_test_ldadd)

tests_unit_apart_t_SOURCES = tests/unit/apart.c tests/unit/tap.h
tests_unit_apart_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_apart_t_LDADD = $(core_test_ldadd)

tests_unit_calls_t_SOURCES = tests/unit/calls.c tests/unit/tap.h
tests_unit_calls_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_calls_t_LDADD = $(core_test_ldadd)

tests_unit_clock_t_SOURCES = tests/unit/clock.c $(core_test_rec)
tests_unit_clock_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_clock_t_LDADD = $(core_test_ldadd)

tests_unit_usage_t_SOURCES = tests/unit/usage.c tests/unit/tap.h
tests_unit_usage_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_usage_t_LDADD = $(core_test_ldadd)

tests_unit_decoder_t_SOURCES = tests/unit/decoder.c tests/unit/tap.h tests/unit/rng.h
tests_unit_decoder_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_decoder_t_LDADD = $(core_test_ldadd)

tests_unit_dense_t_SOURCES = tests/unit/dense.c tests/unit/tap.h tests/unit/rng.h
tests_unit_dense_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_dense_t_LDADD = $(core_test_ldadd)

tests_unit_errtext_t_SOURCES = tests/unit/errtext.c tests/unit/tap.h
tests_unit_errtext_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_errtext_t_LDADD = $(core_test_ldadd)
tests_unit_highfd_t_SOURCES = tests/unit/highfd.c tests/unit/tap.h
tests_unit_highfd_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_highfd_t_LDADD = $(core_test_ldadd)

tests_unit_event_t_SOURCES = tests/unit/event.c tests/unit/tap.h tests/unit/rng.h
tests_unit_event_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_event_t_LDADD = $(core_test_ldadd)

tests_unit_layers_t_SOURCES = tests/unit/layers.c tests/unit/tap.h
tests_unit_layers_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_layers_t_LDADD = $(core_test_ldadd)

tests_unit_names_t_SOURCES = tests/unit/names.c tests/unit/rec.h tests/unit/tap.h
tests_unit_names_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_names_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_nodefile_t_SOURCES = tests/unit/nodefile.c $(core_test_rec)
tests_unit_nodefile_t_CPPFLAGS = $(core_test_cppflags) -DREC_SHARED=1
tests_unit_nodefile_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_nodefile_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_owntable_t_SOURCES = tests/unit/owntable.c $(core_test_rec)
tests_unit_owntable_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_owntable_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_owntable_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_parse_t_SOURCES = tests/unit/parse.c tests/unit/tap.h
tests_unit_parse_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_parse_t_LDADD = $(core_test_ldadd)

tests_unit_pathlist_t_SOURCES = tests/unit/pathlist.c tests/unit/tap.h
tests_unit_pathlist_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_pathlist_t_LDADD = $(core_test_ldadd)

tests_unit_procinfo_t_SOURCES = tests/unit/procinfo.c tests/unit/tap.h
tests_unit_procinfo_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_procinfo_t_LDADD = $(core_test_ldadd)

tests_unit_settings_t_SOURCES = tests/unit/settings.c tests/unit/tap.h
tests_unit_settings_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_settings_t_LDADD = $(core_test_ldadd)

tests_unit_shard_t_SOURCES = tests/unit/shard.c tests/unit/tap.h
tests_unit_shard_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_shard_t_LDADD = $(core_test_ldadd)

tests_unit_recent_t_SOURCES = tests/unit/recent.c tests/unit/tap.h tests/unit/rng.h
tests_unit_recent_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_recent_t_LDADD = $(core_test_ldadd)

tests_unit_recfork_t_SOURCES = tests/unit/recfork.c $(core_test_rec)
tests_unit_recfork_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_recfork_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_recfork_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_recforkshared_t_SOURCES = tests/unit/recfork.c $(core_test_rec)
tests_unit_recforkshared_t_CPPFLAGS = $(core_test_cppflags) -DREC_SHARED=1
tests_unit_recforkshared_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_recforkshared_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_recorder_t_SOURCES = tests/unit/recorder.c $(core_test_rec)
tests_unit_recorder_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_recorder_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_recorder_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_shardfile_t_SOURCES = tests/unit/shardfile.c $(core_test_rec)
tests_unit_shardfile_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_shardfile_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_shardfile_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_shardfileshared_t_SOURCES = tests/unit/shardfile.c $(core_test_rec)
tests_unit_shardfileshared_t_CPPFLAGS = $(core_test_cppflags) -DREC_SHARED=1
tests_unit_shardfileshared_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_shardfileshared_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_shardlive_t_SOURCES = tests/unit/shardlive.c $(core_test_rec)
tests_unit_shardlive_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_shardlive_t_LDADD = $(core_test_ldadd)

tests_unit_tbuf_t_SOURCES = tests/unit/tbuf.c $(core_test_rec)
tests_unit_tbuf_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_tbuf_t_LDADD = $(core_test_ldadd)

tests_unit_texts_t_SOURCES = tests/unit/texts.c tests/unit/tap.h
tests_unit_texts_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_texts_t_LDADD = $(core_test_ldadd)

tests_unit_tracefile_t_SOURCES = tests/unit/tracefile.c $(core_test_rec)
tests_unit_tracefile_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_tracefile_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_tracefile_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_format_t_SOURCES = tests/unit/format.c tests/unit/tap.h
tests_unit_format_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_format_t_LDADD = $(core_test_ldadd)

tests_unit_traceproc_t_SOURCES = tests/unit/traceproc.c $(core_test_rec)
tests_unit_traceproc_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_traceproc_t_LDADD = $(core_test_ldadd)

tests_unit_rule_t_SOURCES = tests/unit/rule.c tests/unit/tap.h
tests_unit_rule_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_rule_t_LDADD = lib/core/libcore.la $(CMOCKA_LIBS)

tests_unit_site_t_SOURCES = tests/unit/site.c tests/unit/tap.h
tests_unit_site_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_site_t_LDADD = lib/core/libcore.la $(CMOCKA_LIBS)

tests_unit_tracespec_t_SOURCES = tests/unit/tracespec.c tests/unit/tap.h
tests_unit_tracespec_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_tracespec_t_LDADD = lib/core/libcore.la $(CMOCKA_LIBS)
