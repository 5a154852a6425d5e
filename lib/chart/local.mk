# SPDX-License-Identifier: MIT
# lib/chart - SVG figures and the pieces of pages around them

noinst_LTLIBRARIES += %D%/libchart.la
%C%_libchart_la_SOURCES = \
	%D%/axis.c \
	%D%/chart.h \
	%D%/chart_bars.c \
	%D%/chart_heat.c \
	%D%/chart_lines.c \
	%D%/chart_time.c \
	%D%/html.c \
	%D%/html.h \
	%D%/scale.c \
	%D%/scale.h \
	%D%/svg.c \
	%D%/svg.h
%C%_libchart_la_LIBADD = -lm

if HAVE_CMOCKA
unit_tests += \
	tests/unit/report/scale.t \
	tests/unit/report/svg.t \
	tests/unit/report/words.t

tests_unit_report_scale_t_SOURCES = tests/unit/report/scale.c
tests_unit_report_scale_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_report_scale_t_LDADD = $(chart_test_libs)
tests_unit_report_svg_t_SOURCES = tests/unit/report/svg.c
tests_unit_report_svg_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_report_svg_t_LDADD = $(chart_test_libs)
tests_unit_report_words_t_SOURCES = tests/unit/report/words.c
tests_unit_report_words_t_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_report_words_t_LDADD = $(chart_test_libs)
endif

chart_test_libs = \
	lib/chart/libchart.la \
	lib/util/libutil.la \
	lib/libcore.la \
	$(CMOCKA_LIBS) \
	$(YAML_LIBS) \
	-lm
