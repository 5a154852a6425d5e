# SPDX-License-Identifier: MIT
# top/ - a running job's shards -> what its processes do now; verb top

noinst_LTLIBRARIES += %D%/libtop.la
%C%_libtop_la_SOURCES = \
	%D%/cmd_top.c \
	%D%/live.c \
	%D%/live.h \
	%D%/show.c \
	%D%/show.h \
	%D%/sums.c

dftrace_libs += %D%/libtop.la

shell_tests += \
	tests/report/t6100-top.t \
	tests/report/t6101-top-sleeps.t
