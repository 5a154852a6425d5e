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
	%D%/node.c \
	%D%/node.h
dftrace_libs += %D%/libepilog.la

dist_check_SCRIPTS += tests/t7000-epilog.t
TESTS += tests/t7000-epilog.t
