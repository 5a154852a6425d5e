# SPDX-License-Identifier: MIT
# top/ - a running job's shards -> what its processes do now; verb top

noinst_LTLIBRARIES += %D%/libtop.la
%C%_libtop_la_SOURCES = \
	%D%/cmd.h \
	%D%/cmd_top.c \
	%D%/counted.c \
	%D%/counted.h \
	%D%/evidence.c \
	%D%/evidence.h \
	%D%/follow.c \
	%D%/follow.h \
	%D%/live.c \
	%D%/live.h \
	%D%/liveevent.c \
	%D%/liveevent.h \
	%D%/screen.c \
	%D%/screen.h \
	%D%/show.c \
	%D%/show.h \
	%D%/showjson.c \
	%D%/sorts.def

dftrace_libs += %D%/libtop.la

dist_check_SCRIPTS += tests/report/t6100-top.t tests/report/t6101-top-sleeps.t
TESTS += tests/report/t6100-top.t tests/report/t6101-top-sleeps.t
