# SPDX-License-Identifier: MIT
# cli - the dftrace command: a table of verbs

bin_PROGRAMS += dftrace
dftrace_SOURCES = \
	%D%/cmd.h \
	%D%/cmd_help.c \
	%D%/cmd_run.c \
	%D%/launch.c \
	%D%/launch.h \
	%D%/main.c \
	%D%/verbs.def \
	%D%/verbs.h
dftrace_LDADD = \
	$(dftrace_libs) \
	lib/util/libutil.la \
	lib/core/libcore.la \
	$(YAML_LIBS) \
	$(ZLIB_LIBS)
