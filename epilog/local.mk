# SPDX-License-Identifier: MIT
# epilog - what a node does when a traced job ends

noinst_LTLIBRARIES += %D%/libepilog.la
%C%_libepilog_la_SOURCES = \
	%D%/become.c \
	%D%/become.h \
	%D%/claim.c \
	%D%/claim.h \
	%D%/cmd_epilog.c \
	%D%/cmd_epilog.h \
	%D%/filemove.c \
	%D%/filemove.h \
	%D%/keep.c \
	%D%/keep.h \
	%D%/leftover.c \
	%D%/leftover.h \
	%D%/node.c \
	%D%/node.h \
	%D%/pack.c \
	%D%/pack.h \
	%D%/tell.c \
	%D%/tell.h \
	%D%/user_side.c \
	%D%/user_side.h \
	%D%/verb.c \
	%D%/verb.h
dftrace_libs += %D%/libepilog.la

dist_check_SCRIPTS += tests/t7000-epilog.t
TESTS += tests/t7000-epilog.t

if HAVE_CMOCKA
unit_tests += \
	tests/unit/become.t \
	tests/unit/claim.t \
	tests/unit/filemove.t \
	tests/unit/keep.t \
	tests/unit/leftover.t \
	tests/unit/node.t \
	tests/unit/pack.t \
	tests/unit/userside.t \
	tests/unit/verb.t
endif

check_PROGRAMS += tests/victims/seize
tests_victims_seize_SOURCES = tests/victims/seize.c

epilog_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
epilog_test_libs = \
	%D%/libepilog.la \
	lib/model/libmodel.la \
	lib/util/libutil.la \
	lib/core/libcore.la \
	$(YAML_LIBS) \
	$(ZLIB_LIBS) \
	$(CMOCKA_LIBS)

tests_unit_claim_t_SOURCES = tests/unit/claim.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_claim_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_claim_t_LDADD = $(epilog_test_libs)
tests_unit_filemove_t_SOURCES = tests/unit/filemove.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_filemove_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_filemove_t_LDADD = $(epilog_test_libs)
tests_unit_keep_t_SOURCES = tests/unit/keep.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_keep_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_keep_t_LDADD = $(epilog_test_libs)
tests_unit_leftover_t_SOURCES = tests/unit/leftover.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_leftover_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_leftover_t_LDADD = $(epilog_test_libs)
tests_unit_node_t_SOURCES = tests/unit/node.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_node_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_node_t_LDADD = $(epilog_test_libs)
tests_unit_pack_t_SOURCES = tests/unit/pack.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_pack_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_pack_t_LDADD = $(epilog_test_libs)
tests_unit_become_t_SOURCES = tests/unit/become.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_become_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_become_t_LDADD = $(epilog_test_libs)
tests_unit_verb_t_SOURCES = tests/unit/verb.c tests/unit/tap.h
tests_unit_verb_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_verb_t_LDADD = $(epilog_test_libs)
tests_unit_userside_t_SOURCES = tests/unit/userside.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_userside_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_userside_t_LDADD = $(epilog_test_libs)
