# SPDX-License-Identifier: MIT
# lib/core - safe inside a stranger's process; libc only

noinst_LTLIBRARIES += %D%/libcore.la
%C%_libcore_la_SOURCES = \
	%D%/calls.c \
	%D%/calls.def \
	%D%/calls.h \
	%D%/clock.c \
	%D%/clock.h \
	%D%/decoder.c \
	%D%/errtext.c \
	%D%/errtext.h \
	%D%/event.c \
	%D%/event.h \
	%D%/eventstate.h \
	%D%/jobdir.c \
	%D%/jobdir.h \
	%D%/jobdir_json.c \
	%D%/layers.c \
	%D%/layers.def \
	%D%/layers.h \
	%D%/marker.c \
	%D%/marker.h \
	%D%/names.c \
	%D%/parse.c \
	%D%/pathlist.c \
	%D%/pathlist.h \
	%D%/parse.h \
	%D%/procinfo.c \
	%D%/procinfo.h \
	%D%/recnotes.c \
	%D%/recorder.c \
	%D%/recorder.h \
	%D%/settings.c \
	%D%/settings.def \
	%D%/settings.h \
	%D%/shard.c \
	%D%/shard.h \
	%D%/shardfile.c \
	%D%/shardfile.h \
	%D%/shardpath.c \
	%D%/shardpath.h \
	%D%/sys.h \
	%D%/tbuf.c \
	%D%/tbuf.h \
	%D%/tracefile.c \
	%D%/tracefile.h \
	%D%/traceproc.c \
	%D%/traceproc.h \
	%D%/varint.h

if HAVE_CMOCKA
unit_tests += \
	tests/unit/calls.t \
	tests/unit/clock.t \
	tests/unit/decoder.t \
	tests/unit/errtext.t \
	tests/unit/event.t \
	tests/unit/format.t \
	tests/unit/layers.t \
	tests/unit/names.t \
	tests/unit/parse.t \
	tests/unit/pathlist.t \
	tests/unit/procinfo.t \
	tests/unit/recorder.t \
	tests/unit/settings.t \
	tests/unit/shard.t \
	tests/unit/shardfile.t \
	tests/unit/tbuf.t \
	tests/unit/tracefile.t \
	tests/unit/traceproc.t
endif

core_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
core_test_ldadd = %D%/libcore.la $(CMOCKA_LIBS)
core_test_rec = \
	tests/unit/rec.c \
	tests/unit/rec.h \
	tests/unit/rng.h \
	tests/unit/tap.h

tests_unit_calls_t_SOURCES = tests/unit/calls.c tests/unit/tap.h
tests_unit_calls_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_calls_t_LDADD = $(core_test_ldadd)

tests_unit_clock_t_SOURCES = tests/unit/clock.c $(core_test_rec)
tests_unit_clock_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_clock_t_LDADD = $(core_test_ldadd)

tests_unit_decoder_t_SOURCES = tests/unit/decoder.c tests/unit/tap.h tests/unit/rng.h
tests_unit_decoder_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_decoder_t_LDADD = $(core_test_ldadd)

tests_unit_errtext_t_SOURCES = tests/unit/errtext.c tests/unit/tap.h
tests_unit_errtext_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_errtext_t_LDADD = $(core_test_ldadd)

tests_unit_event_t_SOURCES = tests/unit/event.c tests/unit/tap.h tests/unit/rng.h
tests_unit_event_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_event_t_LDADD = $(core_test_ldadd)

tests_unit_layers_t_SOURCES = tests/unit/layers.c tests/unit/tap.h
tests_unit_layers_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_layers_t_LDADD = $(core_test_ldadd)

tests_unit_names_t_SOURCES = tests/unit/names.c tests/unit/tap.h
tests_unit_names_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_names_t_LDADD = $(core_test_ldadd) -lpthread

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

tests_unit_recorder_t_SOURCES = tests/unit/recorder.c $(core_test_rec)
tests_unit_recorder_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_recorder_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_recorder_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_shardfile_t_SOURCES = tests/unit/shardfile.c $(core_test_rec)
tests_unit_shardfile_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_shardfile_t_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_shardfile_t_LDADD = $(core_test_ldadd) -lpthread

tests_unit_tbuf_t_SOURCES = tests/unit/tbuf.c $(core_test_rec)
tests_unit_tbuf_t_CPPFLAGS = $(core_test_cppflags)
tests_unit_tbuf_t_LDADD = $(core_test_ldadd)

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
