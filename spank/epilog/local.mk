# SPDX-License-Identifier: MIT
# epilog - what a node does when a traced job ends

noinst_LTLIBRARIES += %D%/libepilog.la
%C%_libepilog_la_SOURCES = \
	%D%/become.c \
	%D%/become.h \
	%D%/user_side.c \
	%D%/user_side.h \
	%D%/cmd_epilog.c \
	%D%/cmd_epilog.h \
	%D%/pack.c \
	%D%/pack.h \
	%D%/keep.c \
	%D%/keep.h \
	%D%/killgroup.c \
	%D%/killgroup.h \
	%D%/leftover.c \
	%D%/leftover.h \
	%D%/node.c \
	%D%/node.h \
	%D%/tell.c \
	%D%/tell.h \
	%D%/verb.c \
	%D%/verb.h
dftrace_libs += %D%/libepilog.la

dist_check_SCRIPTS += tests/site/t7000-epilog.t
TESTS += tests/site/t7000-epilog.t

if HAVE_CMOCKA
unit_tests += \
	tests/unit/site/become.t \
	tests/unit/site/claim.t \
	tests/unit/site/filemove.t \
	tests/unit/site/keep.t \
	tests/unit/site/killgroup.t \
	tests/unit/site/leftover.t \
	tests/unit/site/node.t \
	tests/unit/site/pack.t \
	tests/unit/site/reap.t \
	tests/unit/site/userside.t \
	tests/unit/site/verb.t
endif

check_PROGRAMS += tests/victims/seize
tests_victims_seize_SOURCES = tests/victims/seize.c

epilog_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
epilog_test_libs = \
	%D%/libepilog.la \
	lib/model/libmodel.la \
	lib/util/libutil.la \
	lib/libcore.la \
	$(YAML_LIBS) \
	$(ZLIB_LIBS) \
	$(CMOCKA_LIBS)

tests_unit_site_claim_t_SOURCES = tests/unit/site/claim.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_site_claim_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_claim_t_LDADD = $(epilog_test_libs)
tests_unit_site_filemove_t_SOURCES = tests/unit/site/filemove.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_site_filemove_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_filemove_t_LDADD = $(epilog_test_libs)
tests_unit_site_keep_t_SOURCES = tests/unit/site/keep.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_site_keep_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_keep_t_LDADD = $(epilog_test_libs)
tests_unit_site_killgroup_t_SOURCES = tests/unit/site/killgroup.c tests/unit/tap.h
tests_unit_site_killgroup_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_killgroup_t_LDADD = $(epilog_test_libs)
tests_unit_site_leftover_t_SOURCES = tests/unit/site/leftover.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_site_leftover_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_leftover_t_LDADD = $(epilog_test_libs)
tests_unit_site_node_t_SOURCES = tests/unit/site/node.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_site_node_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_node_t_LDADD = $(epilog_test_libs)
tests_unit_site_pack_t_SOURCES = tests/unit/site/pack.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_site_pack_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_pack_t_LDADD = $(epilog_test_libs)
tests_unit_site_become_t_SOURCES = tests/unit/site/become.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_site_become_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_become_t_LDADD = $(epilog_test_libs)
tests_unit_site_reap_t_SOURCES = tests/unit/site/reap.c tests/unit/tap.h
tests_unit_site_reap_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_reap_t_LDADD = $(epilog_test_libs)
tests_unit_site_verb_t_SOURCES = tests/unit/site/verb.c tests/unit/tap.h
tests_unit_site_verb_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_verb_t_LDADD = $(epilog_test_libs)
tests_unit_site_userside_t_SOURCES = tests/unit/site/userside.c tests/unit/scratch.h tests/unit/tap.h
tests_unit_site_userside_t_CPPFLAGS = $(epilog_test_cppflags)
tests_unit_site_userside_t_LDADD = $(epilog_test_libs)
