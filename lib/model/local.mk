# SPDX-License-Identifier: MIT
# lib/model/ - what is known of a trace, one row for each fact

noinst_LTLIBRARIES += %D%/libmodel.la
%C%_libmodel_la_SOURCES = \
	%D%/metric.c \
	%D%/bill.def \
	%D%/metric.h \
	%D%/costs.def \
	%D%/counts.def \
	%D%/eventcolumns.def \
	%D%/facts.def \
	%D%/groupkeys.def \
	%D%/insights.def \
	%D%/kind.c \
	%D%/kind.h \
	%D%/kinds.def \
	%D%/objectcounts.def \
	%D%/mpikinds.def \
	%D%/metrics.def \
	%D%/needs.def \
	%D%/summary.c \
	%D%/summary.h \
	%D%/roles.def \
	%D%/schemafields.def \
	%D%/topcolumns.def \
	%D%/summaryfields.def \
	%D%/view.c \
	%D%/view.h \
	%D%/viewcolumns.def \
	%D%/views.def
