# SPDX-License-Identifier: MIT
# cli - the dftrace command: a table of verbs

bin_PROGRAMS += dftrace
dftrace_SOURCES = \
	%D%/cmd.h \
	%D%/cmd_doctor.c \
	%D%/cmd_help.c \
	%D%/cmd_points.c \
	%D%/cmd_run.c \
	%D%/cmd_site.c \
	%D%/cmd_taskprolog.c \
	%D%/cmd_whatif.c \
	%D%/doctor/doctor.h \
	%D%/doctor/doctorfiles.c \
	%D%/doctor/doctornodes.c \
	%D%/doctor/finding.c \
	%D%/doctor/finding.h \
	%D%/doctor/plugstack.c \
	%D%/fastrun.c \
	%D%/main.c \
	%D%/site/estimate.c \
	%D%/site/estimate.h \
	%D%/site/site.h \
	%D%/site/siteask.c \
	%D%/site/sitedb.c \
	%D%/site/sitedb.h \
	%D%/site/sitejob.c \
	%D%/site/siteline.c \
	%D%/site/sitepage.c \
	%D%/site/sitestats.c \
	%D%/verbs.def \
	%D%/whatif.h \
	%D%/whatif_answer.c
dftrace_LDFLAGS = $(AM_LDFLAGS) -Wl,--gc-sections
dftrace_LDADD = \
	lib/util/liboldlibc.la \
	$(OLDLIBC_LIBS) \
	$(dftrace_libs) \
	lib/chart/libchart.la \
	lib/model/libmodel.la \
	lib/util/libutil.la \
	lib/libcore.la \
	$(YAML_LIBS) \
	$(ZLIB_LIBS)

## check-year: a year of 1,000 jobs a day, collected and asked about (root)
.PHONY: check-year
check-year: all
	$(AM_TESTS_ENVIRONMENT) $(top_srcdir)/tests/site/year.sh
check-big: check-year

dist_check_SCRIPTS += tests/site/year.sh
shell_tests += \
	tests/site/t7060-stats.t \
	tests/site/t7065-site.t \
	tests/site/t7067-job.t \
	tests/site/t7070-doctor.t

