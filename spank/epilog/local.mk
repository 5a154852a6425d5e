# SPDX-License-Identifier: MIT
# epilog - what a node does when a traced job ends

noinst_LTLIBRARIES += %D%/libepilog.la
%C%_libepilog_la_SOURCES = \
	%D%/become.c \
	%D%/user_side.c \
	%D%/user_side.h \
	%D%/cmd_epilog.c \
	%D%/pack.c \
	%D%/pack.h \
	%D%/keep.c \
	%D%/keep.h \
	%D%/killgroup.c \
	%D%/leftover.c \
	%D%/node.c \
	%D%/node.h \
	%D%/tell.c \
	%D%/tell.h \
	%D%/verb.c \
	%D%/verb.h
dftrace_libs += %D%/libepilog.la

shell_tests += tests/site/t7000-epilog.t

check_PROGRAMS += tests/victims/seize
tests_victims_seize_SOURCES = tests/victims/seize.c

