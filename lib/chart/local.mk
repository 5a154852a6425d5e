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

