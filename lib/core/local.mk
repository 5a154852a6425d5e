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
	%D%/ends/endjob.c \
	%D%/ends/endjob.h \
	%D%/ends/endline.c \
	%D%/ends/endline.h \
	%D%/ends/lastword.h \
	%D%/dense.c \
	%D%/dense.h \
	%D%/densebits.c \
	%D%/densebits.h \
	%D%/densewrite.c \
	%D%/settings/apart.c \
	%D%/settings/apart.h \
	%D%/settings/detail.c \
	%D%/settings/detail.h \
	%D%/settings/dirwalk.c \
	%D%/settings/dirwalk.h \
	%D%/errtext.c \
	%D%/errtext.h \
	%D%/escape.c \
	%D%/escape.h \
	%D%/fs/lustrelayout.c \
	%D%/fs/lustrelayout.h \
	%D%/fs/mountinfo.c \
	%D%/fs/mountinfo.h \
	%D%/record/detail/filelimit.c \
	%D%/record/detail/filelimit.h \
	%D%/record/detail/memlimit.c \
	%D%/record/detail/memlimit.h \
	%D%/record/filespace.c \
	%D%/record/filespace.h \
	%D%/record/layerdoor.h \
	%D%/record/detail/detailnow.c \
	%D%/record/detail/detailnow.h \
	%D%/record/highfd.c \
	%D%/record/highfd.h \
	%D%/oldlibc.h \
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
	%D%/mmlosses.def \
	%D%/mmlosses.h \
	%D%/record/names.c \
	%D%/record/node/orphan.c \
	%D%/record/node/orphan.h \
	%D%/record/owntable.c \
	%D%/record/owntable.h \
	%D%/settings/nodename.c \
	%D%/settings/nodename.h \
	%D%/settings/notrace.c \
	%D%/settings/notrace.h \
	%D%/settings/parse.c \
	%D%/path/countedline.h \
	%D%/path/leftout.def \
	%D%/path/leftout.h \
	%D%/path/pathfilter.c \
	%D%/path/pathfilter.h \
	%D%/path/paths.c \
	%D%/path/paths.h \
	%D%/kernelmark.h \
	%D%/kernelside.c \
	%D%/kernelside.h \
	%D%/settings/pathlist.c \
	%D%/settings/pathlist.h \
	%D%/path/preloads.c \
	%D%/path/preloads.def \
	%D%/path/preloads.h \
	%D%/settings/optionkeys.def \
	%D%/settings/plan.c \
	%D%/settings/plan.h \
	%D%/settings/parse.h \
	%D%/record/node/lookahead.c \
	%D%/record/node/lookahead.h \
	%D%/record/node/nodefile.c \
	%D%/record/node/nodefile.h \
	%D%/record/node/nodespace.c \
	%D%/record/procinfo.c \
	%D%/record/procinfo.h \
	%D%/record/recent.c \
	%D%/record/recent.h \
	%D%/record/detail/recbuffer.c \
	%D%/record/recnotes.c \
	%D%/record/recorder.c \
	%D%/record/recorder.h \
	%D%/record/detail/recbuffer.h \
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
	%D%/profile/places.def \
	%D%/profile/prof.c \
	%D%/profile/prof.h \
	%D%/profile/profblock.c \
	%D%/profile/proffind.c \
	%D%/profile/profcount.h \
	%D%/profile/proffold.c \
	%D%/profile/profhist.c \
	%D%/profile/profkind.h \
	%D%/profile/profmap.c \
	%D%/profile/profvalues.c \
	%D%/profile/timemap.def \
	%D%/profile/profslow.c \
	%D%/profile/profile.def \
	%D%/profile/profile.h \
	%D%/programkind.c \
	%D%/programkind.h \
	%D%/sys.c \
	%D%/sys.h \
	%D%/path/taskdir.c \
	%D%/path/taskdir.h \
	%D%/settings/taskenv.c \
	%D%/settings/taskenv.h \
	%D%/record/tbuf.c \
	%D%/repeat.h \
	%D%/record/tbuf.h \
	%D%/record/tbufmem.c \
	%D%/record/tbufmem.h \
	%D%/record/texts.c \
	%D%/record/texts.h \
	%D%/profile/threadbuf.c \
	%D%/profile/threadbuf.h \
	%D%/traceaccount.c \
	%D%/untracedline.c \
	%D%/untracedline.h \
	%D%/untraced/untracedlist.c \
	%D%/untraced/untracedlist.h \
	%D%/untraced/untracedlook.c \
	%D%/untraced/untracedshard.c \
	%D%/untraced/untracedshard.h \
	%D%/untraced/untracedwords.c \
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
	%D%/record/usageargs.c \
	%D%/record/usage.def \
	%D%/record/usage.h \
	%D%/varint.h

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
core_test_ldadd = %D%/libcore.la $(CMOCKA_LIBS)
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
tests_unit_core_rule_t_LDADD = lib/core/libcore.la $(CMOCKA_LIBS)

tests_unit_core_site_t_SOURCES = tests/unit/core/site.c tests/unit/tap.h
tests_unit_core_site_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_core_site_t_LDADD = lib/core/libcore.la $(CMOCKA_LIBS)

tests_unit_core_tracespec_t_SOURCES = tests/unit/core/tracespec.c tests/unit/tap.h
tests_unit_core_tracespec_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_core_tracespec_t_LDADD = lib/core/libcore.la $(CMOCKA_LIBS)
