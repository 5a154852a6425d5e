# SPDX-License-Identifier: MIT
# lib/model/ - what is known of a trace, one row for each fact

noinst_LTLIBRARIES += %D%/libmodel.la
%C%_libmodel_la_SOURCES = \
	%D%/bill.c \
	%D%/bill.def \
	%D%/bill.h \
	%D%/billorder.def \
	%D%/ckptkinds.def \
	%D%/cost.c \
	%D%/cost.h \
	%D%/costs.def \
	%D%/counts.def \
	%D%/errnos.def \
	%D%/eventcolumns.def \
	%D%/facts.def \
	%D%/groupkeys.def \
	%D%/insightrows.def \
	%D%/insights.def \
	%D%/kind.c \
	%D%/kind.h \
	%D%/kinds.def \
	%D%/measures.def \
	%D%/above.h \
	%D%/objectcounts.def \
	%D%/mpikind.c \
	%D%/mpikind.h \
	%D%/mpikinds.def \
	%D%/metric.c \
	%D%/metric.h \
	%D%/metrics.def \
	%D%/needs.def \
	%D%/openmetrics.c \
	%D%/openmetrics.h \
	%D%/pattern.c \
	%D%/pattern.h \
	%D%/role.c \
	%D%/role.h \
	%D%/roles.def \
	%D%/schemafields.def \
	%D%/topcolumns.def \
	%D%/summary.c \
	%D%/summary.h \
	%D%/summaryfields.def \
	%D%/view.c \
	%D%/view.h \
	%D%/viewcolumns.def \
	%D%/views.def
