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
	%D%/job/fig_bill.c \
	%D%/job/fig_time.c \
	%D%/job/fig_calls.c \
	%D%/job/fig_job.c \
	%D%/job/fig_job.h \
	%D%/study/fig_sweep.c \
	%D%/job/jobscan.c \
	%D%/job/jobscan.h \
	%D%/job/jobdata.c \
	%D%/job/jobdata.h \
	%D%/page.c \
	%D%/job/page_tables.c \
	%D%/job/page_job.c \
	%D%/study/page_sweep.c \
	%D%/study/roles.c \
	%D%/study/roles.h \
	%D%/study/sweepdata.c \
	%D%/study/sweepdata.h
%C%_libreport_la_LIBADD = -lm

dftrace_libs += %D%/libreport.la

EXTRA_DIST += tests/browser.sh
shell_tests += \
	tests/report/t6000-report.t \
	tests/report/t6010-reportfacts.t \
	tests/report/t6014-reportlayers.t \
	tests/report/t6016-page.t
EXTRA_DIST += tests/data/pfw/dlio.pfw tests/report/contrast.py tests/report/pagekeys.py

