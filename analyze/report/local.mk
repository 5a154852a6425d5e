# SPDX-License-Identifier: MIT
# report/ - results -> one page to look at; verb report

noinst_LTLIBRARIES += %D%/libreport.la
%C%_libreport_la_SOURCES = \
	%D%/cmd_report.c \
	%D%/page.h \
	%D%/job/compare_jobs.c \
	%D%/study/compare_sweeps.c \
	%D%/csv.c \
	%D%/csv.h \
	%D%/study/choice.c \
	%D%/study/choice.h \
	%D%/study/effects.c \
	%D%/study/effects.h \
	%D%/job/fig_time.c \
	%D%/job/fig_calls.c \
	%D%/job/fig_job.c \
	%D%/job/fig_job.h \
	%D%/study/fig_sweep.c \
	%D%/study/fig_sweep.h \
	%D%/job/jobscan.c \
	%D%/job/jobscan.h \
	%D%/job/jobdata.c \
	%D%/job/jobdata.h \
	%D%/page.c \
	%D%/job/page_tables.c \
	%D%/job/page_tables.h \
	%D%/job/page_job.c \
	%D%/study/page_sweep.c \
	%D%/study/roles.c \
	%D%/study/roles.h \
	%D%/study/sweepdata.c \
	%D%/study/sweepdata.h
%C%_libreport_la_LIBADD = -lm

dftrace_libs += %D%/libreport.la

EXTRA_DIST += tests/browser.sh
dist_check_SCRIPTS += tests/report/t6000-report.t tests/report/t6010-reportfacts.t \
	tests/report/t6014-reportlayers.t
TESTS += tests/report/t6000-report.t tests/report/t6010-reportfacts.t \
	tests/report/t6014-reportlayers.t
EXTRA_DIST += tests/data/pfw/dlio.pfw

if HAVE_CMOCKA
unit_tests += \
	tests/unit/report/bins.t \
	tests/unit/report/csv.t \
	tests/unit/report/effects.t \
	tests/unit/report/metricwords.t \
	tests/unit/report/roles.t

tests_unit_report_csv_t_SOURCES = tests/unit/report/csv.c
tests_unit_report_csv_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_report_csv_t_LDADD = $(report_test_libs)
tests_unit_report_effects_t_SOURCES = tests/unit/report/effects.c
tests_unit_report_effects_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_report_effects_t_LDADD = $(report_test_libs)
tests_unit_report_metricwords_t_SOURCES = tests/unit/report/metricwords.c
tests_unit_report_metricwords_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_report_metricwords_t_LDADD = $(report_test_libs)
tests_unit_report_roles_t_SOURCES = tests/unit/report/roles.c
tests_unit_report_roles_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_report_roles_t_LDADD = $(report_test_libs)
tests_unit_report_bins_t_SOURCES = tests/unit/report/bins.c
tests_unit_report_bins_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_report_bins_t_LDADD = $(report_test_libs)
endif

report_test_libs = \
	analyze/report/libreport.la \
	lib/chart/libchart.la \
	analyze/libanalyze.la \
	lib/model/libmodel.la \
	lib/util/libutil.la \
	lib/libcore.la \
	$(CMOCKA_LIBS) \
	$(YAML_LIBS) \
	$(ZLIB_LIBS) \
	-lm
