# SPDX-License-Identifier: MIT
# sweep - a parameter grid as job arrays

noinst_LTLIBRARIES += %D%/libsweep.la
dftrace_libs += %D%/libsweep.la
%C%_libsweep_la_SOURCES = \
	%D%/arena.c %D%/arena.h \
	%D%/cmd.h \
	%D%/cmd_plan.c \
	%D%/cmd_results.c \
	%D%/cmd_run.c \
	%D%/cmd_status.c \
	%D%/cmd_submit.c \
	%D%/cmd_sweep.c \
	%D%/columns.def \
	%D%/expr.c %D%/expr.h \
	%D%/expr_eval.c \
	%D%/expr_func.c \
	%D%/expr_node.h \
	%D%/freeze.c \
	%D%/generator.c \
	%D%/grid.c %D%/grid.h \
	%D%/journal.c %D%/journal.h \
	%D%/keys.def \
	%D%/order.c %D%/order.h \
	%D%/outcomes.def \
	%D%/plan.c %D%/plan.h \
	%D%/program.c %D%/program.h \
	%D%/restable.c %D%/restable.h \
	%D%/resultset.c %D%/resultset.h \
	%D%/reswrite.c \
	%D%/runner.c %D%/runner.h \
	%D%/runstatus.c %D%/runstatus.h \
	%D%/sha256.c %D%/sha256.h \
	%D%/slurm.c %D%/slurm.h \
	%D%/spec.c %D%/spec.h \
	%D%/spec_axes.c \
	%D%/spec_read.h \
	%D%/status.c %D%/status.h \
	%D%/submit.c %D%/submit.h \
	%D%/sweepdir.c %D%/sweepdir.h \
	%D%/template.c %D%/template.h \
	%D%/value.c %D%/value.h \
	%D%/verbs.def
%C%_libsweep_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libsweep_la_LIBADD = -lm
