# SPDX-License-Identifier: MIT
# report/ - results -> one page to look at; verb report

noinst_LTLIBRARIES += %D%/libreport.la
%C%_libreport_la_SOURCES = \
	%D%/axis.c \
	%D%/chart.h \
	%D%/chart_bars.c \
	%D%/chart_heat.c \
	%D%/chart_lines.c \
	%D%/chart_time.c \
	%D%/chart_time.h \
	%D%/cmd.h \
	%D%/cmd_report.c \
	%D%/compare.h \
	%D%/compare_jobs.c \
	%D%/compare_sweeps.c \
	%D%/csv.c \
	%D%/csv.h \
	%D%/effects.c \
	%D%/effects.h \
	%D%/fig_calls.c \
	%D%/fig_checkpoints.c \
	%D%/fig_job.c \
	%D%/fig_job.h \
	%D%/fig_sweep.c \
	%D%/fig_sweep.h \
	%D%/fig_time.c \
	%D%/figgrid.c \
	%D%/figgrid.h \
	%D%/html.c \
	%D%/html.h \
	%D%/jobbins.c \
	%D%/jobbins.h \
	%D%/jobdata.c \
	%D%/jobdata.h \
	%D%/jobfaults.c \
	%D%/jobfaults.h \
	%D%/jobfiles.c \
	%D%/jobfiles.h \
	%D%/jobrows.c \
	%D%/jobrows.h \
	%D%/jobscan.c \
	%D%/jobscan.h \
	%D%/jobtables.def \
	%D%/page.c \
	%D%/page.h \
	%D%/page_compare.c \
	%D%/page_dirs.c \
	%D%/page_dirs.h \
	%D%/page_insights.c \
	%D%/page_insights.h \
	%D%/page_job.c \
	%D%/page_sweep.c \
	%D%/page_tables.c \
	%D%/page_tables.h \
	%D%/regions.c \
	%D%/regions.h \
	%D%/roles.c \
	%D%/roles.h \
	%D%/scale.c \
	%D%/scale.h \
	%D%/scanhist.c \
	%D%/style.c \
	%D%/style.h \
	%D%/svg.c \
	%D%/svg.h \
	%D%/sweepdata.c \
	%D%/sweepdata.h \
	%D%/sweepops.c \
	%D%/sweepops.h \
	%D%/words.c \
	%D%/words.h
%C%_libreport_la_LIBADD = -lm

dftrace_libs += %D%/libreport.la

EXTRA_DIST += tests/browser.sh
dist_check_SCRIPTS += tests/t6000-report.t
TESTS += tests/t6000-report.t

if HAVE_CMOCKA
unit_tests += \
	tests/unit/csv.t \
	tests/unit/effects.t \
	tests/unit/jobbins.t \
	tests/unit/regions.t \
	tests/unit/roles.t \
	tests/unit/scale.t \
	tests/unit/svg.t \
	tests/unit/words.t

tests_unit_csv_t_SOURCES = tests/unit/csv.c
tests_unit_csv_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_csv_t_LDADD = $(report_test_libs)
tests_unit_effects_t_SOURCES = tests/unit/effects.c
tests_unit_effects_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_effects_t_LDADD = $(report_test_libs)
tests_unit_roles_t_SOURCES = tests/unit/roles.c
tests_unit_roles_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_roles_t_LDADD = $(report_test_libs)
tests_unit_scale_t_SOURCES = tests/unit/scale.c
tests_unit_scale_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_scale_t_LDADD = $(report_test_libs)
tests_unit_words_t_SOURCES = tests/unit/words.c
tests_unit_words_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_words_t_LDADD = $(report_test_libs)
tests_unit_jobbins_t_SOURCES = tests/unit/jobbins.c
tests_unit_jobbins_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_jobbins_t_LDADD = $(report_test_libs)
tests_unit_regions_t_SOURCES = tests/unit/regions.c
tests_unit_regions_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_regions_t_LDADD = \
	analyze/libanalyze.la \
	$(report_test_libs) \
	$(ZLIB_LIBS)
tests_unit_svg_t_SOURCES = tests/unit/svg.c
tests_unit_svg_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_svg_t_LDADD = $(report_test_libs)
endif

report_test_libs = \
	report/libreport.la \
	lib/util/libutil.la \
	lib/core/libcore.la \
	$(CMOCKA_LIBS) \
	$(YAML_LIBS) \
	-lm
