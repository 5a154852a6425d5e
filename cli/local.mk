# SPDX-License-Identifier: MIT
# cli - the dftrace command: a table of verbs

bin_PROGRAMS += dftrace
dftrace_SOURCES = \
	%D%/launch.c \
	%D%/launch.h \
	%D%/cmd.h \
	%D%/cmd_doctor.c \
	%D%/cmd_help.c \
	%D%/cmd_points.c \
	%D%/cmd_run.c \
	%D%/cmd_site.c \
	%D%/cmd_taskprolog.c \
	%D%/doctor/doctor.h \
	%D%/doctor/doctorfiles.c \
	%D%/doctor/doctornodes.c \
	%D%/doctor/finding.c \
	%D%/doctor/finding.h \
	%D%/main.c \
	%D%/plugstack.c \
	%D%/plugstack.h \
	%D%/site/estimate.c \
	%D%/site/estimate.h \
	%D%/site/site.h \
	%D%/site/siteask.c \
	%D%/site/siteask.h \
	%D%/site/sitedb.c \
	%D%/site/sitedb.h \
	%D%/site/sitejob.c \
	%D%/site/siteline.c \
	%D%/site/siteline.h \
	%D%/site/sitepage.c \
	%D%/site/sitepage.h \
	%D%/site/sitestats.c \
	%D%/verbs.def \
	%D%/verbs.h
dftrace_LDADD = \
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

dist_check_SCRIPTS += \
	tests/site/year.sh \
	tests/site/t7060-stats.t \
	tests/site/t7065-site.t \
	tests/site/t7067-job.t \
	tests/site/t7070-doctor.t
TESTS += \
	tests/site/t7060-stats.t \
	tests/site/t7065-site.t \
	tests/site/t7067-job.t \
	tests/site/t7070-doctor.t

if HAVE_CMOCKA
unit_tests += \
	tests/unit/site/capture.t \
	tests/unit/site/change.t \
	tests/unit/site/estimate.t \
	tests/unit/site/launch.t \
	tests/unit/site/plugstack.t
endif

tests_unit_site_capture_t_SOURCES = \
	%D%/launch.c \
	tests/unit/site/capture.c \
	tests/unit/scratch.h \
	tests/unit/tap.h
tests_unit_site_capture_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_site_capture_t_LDADD = $(CMOCKA_LIBS)
tests_unit_site_change_t_SOURCES = \
	%D%/site/estimate.c \
	tests/unit/site/change.c \
	tests/unit/tap.h
tests_unit_site_change_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_site_change_t_LDADD = lib/util/libutil.la lib/libcore.la $(CMOCKA_LIBS) -lm
tests_unit_site_estimate_t_SOURCES = \
	%D%/site/estimate.c \
	tests/unit/site/estimate.c \
	tests/unit/tap.h
tests_unit_site_estimate_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_site_estimate_t_LDADD = lib/util/libutil.la lib/libcore.la $(CMOCKA_LIBS) -lm
tests_unit_site_launch_t_SOURCES = \
	%D%/launch.c \
	tests/unit/site/launch.c \
	tests/unit/scratch.h \
	tests/unit/tap.h
tests_unit_site_launch_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_site_launch_t_LDADD = $(CMOCKA_LIBS)
tests_unit_site_plugstack_t_SOURCES = \
	%D%/plugstack.c \
	tests/unit/site/plugstack.c \
	tests/unit/scratch.h \
	tests/unit/tap.h
tests_unit_site_plugstack_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_site_plugstack_t_LDADD = $(CMOCKA_LIBS)
