# SPDX-License-Identifier: MIT
# sweep - a parameter grid as job arrays

noinst_LTLIBRARIES += %D%/libsweep.la
dftrace_libs += %D%/libsweep.la
%C%_libsweep_la_SOURCES = \
	%D%/submit/accounting.c \
	%D%/plan/arena.c %D%/plan/arena.h \
	%D%/spec/axiswords.c \
	%D%/submit/batch.c %D%/submit/batch.h \
	%D%/results/balance.c \
	%D%/results/cells.c %D%/results/cells.h \
	%D%/results/check.c %D%/results/check.h \
	%D%/cmd.h \
	%D%/cmd_archive.c \
	%D%/cmd_cancel.c \
	%D%/cmd_extend.c \
	%D%/cmd_exec.c \
	%D%/cmd_logs.c \
	%D%/cmd_plan.c \
	%D%/cmd_resume.c \
	%D%/cmd_throttle.c \
	%D%/cmd_wait.c \
	%D%/cmd_results.c \
	%D%/cmd_run.c \
	%D%/cmd_show.c \
	%D%/cmd_status.c \
	%D%/cmd_submit.c \
	%D%/cmd_sweep.c \
	%D%/results/columns.c %D%/results/columns.h \
	%D%/results/columns.def \
	%D%/results/compare.c %D%/results/compare.h \
	%D%/results/effectpairs.c %D%/results/effectpairs.h \
	%D%/results/effects.c \
	%D%/spec/expr.c %D%/spec/expr.h \
	%D%/spec/expr_eval.c \
	%D%/spec/expr_func.c \
	%D%/spec/expr_lex.c %D%/spec/expr_lex.h \
	%D%/spec/expr_node.h \
	%D%/results/figure.c %D%/results/figure.h \
	%D%/results/filter.c %D%/results/filter.h \
	%D%/freeze.c \
	%D%/spec/generator.c \
	%D%/plan/grid.c %D%/plan/grid.h %D%/plan/grid_work.h \
	%D%/plan/grid_ids.c \
	%D%/plan/grid_texts.c \
	%D%/results/group.c %D%/results/group.h \
	%D%/spec/grow.c %D%/spec/grow.h \
	%D%/submit/journal.c %D%/submit/journal.h \
	%D%/spec/keys.def \
	%D%/run/machine.c %D%/run/machine.h \
	%D%/plan/order.c %D%/plan/order.h \
	%D%/outcomes.def \
	%D%/precheck.c %D%/precheck.h \
	%D%/sbatch.def \
	%D%/run/pagecache.c %D%/run/pagecache.h \
	%D%/plan/plan.c %D%/plan/plan.h \
	%D%/plan/planwarn.c %D%/plan/planwarn.h \
	%D%/results/overhead.c %D%/results/overhead.h \
	%D%/results/ranks.c %D%/results/ranks.h \
	%D%/run/program.c %D%/run/program.h \
	%D%/results/junit.c %D%/results/junit.h \
	%D%/results/verdict.c %D%/results/verdict.h \
	%D%/plan/grid_limits.c \
	%D%/spec/spec_check.c \
	%D%/results/questions.c %D%/results/questions.h \
	%D%/results/restable.c %D%/results/restable.h \
	%D%/results/restable_exact.c \
	%D%/results/resultset.c %D%/results/resultset.h \
	%D%/results/reswrite.c \
	%D%/run/provenance.c %D%/run/provenance.h \
	%D%/submit/resume.c %D%/submit/resume.h \
	%D%/submit/rounds.c %D%/submit/rounds.h \
	%D%/run/runner.c %D%/run/runner.h %D%/run/runner_work.h \
	%D%/run/runner_bash.c \
	%D%/run/runner_files.c \
	%D%/run/runner_trace.c \
	%D%/run/runtable.c %D%/run/runtable.h \
	%D%/run/runstatus.c %D%/run/runstatus.h \
	%D%/run/scrape.c \
	%D%/submit/slurm.c %D%/submit/slurm.h \
	%D%/submit/slurmsaid.c %D%/submit/slurmsaid.h \
	%D%/submit/squeue.c \
	%D%/spec/spec.c %D%/spec/spec.h \
	%D%/spec/spec_axes.c \
	%D%/spec/spec_expr.c \
	%D%/spec/spec_keys.c \
	%D%/spec/spec_read.h \
	%D%/spec/spec_results.c \
	%D%/spec/spec_trace.c \
	%D%/status.c %D%/status.h \
	%D%/statusprint.c \
	%D%/submit/submit.c %D%/submit/submit.h %D%/submit/submit_work.h \
	%D%/submit/submit_analysis.c \
	%D%/sweepdir.c %D%/sweepdir.h \
	%D%/spec/template.c %D%/spec/template.h \
	%D%/spec/value.c %D%/spec/value.h \
	%D%/verbs.def
%C%_libsweep_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libsweep_la_LIBADD = -lm

if HAVE_CMOCKA
unit_tests += \
	tests/unit/sweep/expr.t \
	tests/unit/sweep/grid.t \
	tests/unit/sweep/grow.t \
	tests/unit/sweep/order.t \
	tests/unit/sweep/program.t \
	tests/unit/sweep/runstatus.t \
	tests/unit/sweep/slurm.t \
	tests/unit/sweep/slurmsaid.t \
	tests/unit/sweep/spec.t \
	tests/unit/sweep/sweepstats.t \
	tests/unit/sweep/template.t \
	tests/unit/sweep/value.t
endif

sweep_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
sweep_test_ldadd = \
	%D%/libsweep.la \
	lib/chart/libchart.la \
	lib/model/libmodel.la \
	lib/util/libutil.la \
	lib/libcore.la \
	$(YAML_LIBS) \
	$(CMOCKA_LIBS)

tests_unit_sweep_expr_t_SOURCES = tests/unit/sweep/expr.c tests/unit/tap.h
tests_unit_sweep_expr_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_expr_t_LDADD = $(sweep_test_ldadd)

tests_unit_sweep_grid_t_SOURCES = tests/unit/sweep/grid.c tests/unit/tap.h
tests_unit_sweep_grid_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_grid_t_LDADD = $(sweep_test_ldadd)

tests_unit_sweep_grow_t_SOURCES = tests/unit/sweep/grow.c tests/unit/tap.h
tests_unit_sweep_grow_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_grow_t_LDADD = $(sweep_test_ldadd)

tests_unit_sweep_order_t_SOURCES = tests/unit/sweep/order.c tests/unit/tap.h
tests_unit_sweep_order_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_order_t_LDADD = $(sweep_test_ldadd)

tests_unit_sweep_program_t_SOURCES = tests/unit/sweep/program.c tests/unit/tap.h
tests_unit_sweep_program_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_program_t_LDADD = $(sweep_test_ldadd)

tests_unit_sweep_runstatus_t_SOURCES = tests/unit/sweep/runstatus.c tests/unit/tap.h
tests_unit_sweep_runstatus_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_runstatus_t_LDADD = $(sweep_test_ldadd)


tests_unit_sweep_slurm_t_SOURCES = tests/unit/sweep/slurm.c tests/unit/tap.h
tests_unit_sweep_slurm_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_slurm_t_LDADD = $(sweep_test_ldadd)

tests_unit_sweep_sweepstats_t_SOURCES = tests/unit/sweep/sweepstats.c tests/unit/tap.h
tests_unit_sweep_sweepstats_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_sweepstats_t_LDADD = $(sweep_test_ldadd)

tests_unit_sweep_slurmsaid_t_SOURCES = tests/unit/sweep/slurmsaid.c tests/unit/tap.h
tests_unit_sweep_slurmsaid_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_slurmsaid_t_LDADD = $(sweep_test_ldadd)

tests_unit_sweep_spec_t_SOURCES = tests/unit/sweep/spec.c tests/unit/tap.h
tests_unit_sweep_spec_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_spec_t_LDADD = $(sweep_test_ldadd)

tests_unit_sweep_template_t_SOURCES = tests/unit/sweep/template.c tests/unit/tap.h
tests_unit_sweep_template_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_template_t_LDADD = $(sweep_test_ldadd)

tests_unit_sweep_value_t_SOURCES = tests/unit/sweep/value.c tests/unit/tap.h
tests_unit_sweep_value_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sweep_value_t_LDADD = $(sweep_test_ldadd)

dist_pkgdata_DATA += \
	etc/examples/minimal.yaml \
	etc/examples/study-full.yaml
dist_man_MANS += doc/dftrace-sweep.1
EXTRA_DIST += tests/fake-slurm/fake-slurm tests/fake-slurm/outputs
sweep_tests = \
	tests/sweep/t3001-sweep-plan.t \
	tests/sweep/t3002-sweep-local.t \
	tests/sweep/t3003-sweep-submit.t \
	tests/sweep/t3004-sweep-resume.t \
	tests/sweep/t3005-sweep-control.t \
	tests/sweep/t3006-sweep-results.t \
	tests/sweep/t3007-sweep-extend.t \
	tests/sweep/t3008-sweep-waves.t \
	tests/sweep/t3009-sweep-manual.t \
	tests/sweep/t3010-sweep-versions.t \
	tests/sweep/t3011-sweep-metrics.t \
	tests/sweep/t3012-sweep-gone.t \
	tests/sweep/t3012-sweep-untraced.t \
	tests/sweep/t3013-sweep-ranks.t \
	tests/sweep/t3014-plan-refuses.t \
	tests/sweep/t3015-values.t \
	tests/sweep/t3016-status.t \
	tests/sweep/t3017-run-shell.t
dist_check_SCRIPTS += $(sweep_tests)
TESTS += $(sweep_tests)

# -- fuzzing: make fuzz-expr, make fuzz-spec (clang), FUZZ_SECONDS=60 ------
EXTRA_DIST += tests/fuzz/expr.c tests/fuzz/spec.c
fuzz_sweep_sources = \
	$(top_srcdir)/lib/model/metric.c \
	$(top_srcdir)/%D%/results/columns.c \
	$(top_srcdir)/%D%/plan/arena.c \
	$(top_srcdir)/%D%/spec/expr.c \
	$(top_srcdir)/%D%/spec/expr_eval.c \
	$(top_srcdir)/%D%/spec/expr_func.c \
	$(top_srcdir)/%D%/spec/expr_lex.c \
	$(top_srcdir)/%D%/spec/generator.c \
	$(top_srcdir)/%D%/plan/grid.c \
	$(top_srcdir)/%D%/plan/grid_ids.c \
	$(top_srcdir)/%D%/plan/grid_limits.c \
	$(top_srcdir)/%D%/plan/grid_texts.c \
	$(top_srcdir)/%D%/plan/order.c \
	$(top_srcdir)/%D%/spec/spec.c \
	$(top_srcdir)/%D%/spec/spec_axes.c \
	$(top_srcdir)/%D%/spec/spec_check.c \
	$(top_srcdir)/%D%/spec/spec_expr.c \
	$(top_srcdir)/%D%/spec/spec_keys.c \
	$(top_srcdir)/%D%/spec/spec_results.c \
	$(top_srcdir)/%D%/spec/spec_trace.c \
	$(top_srcdir)/%D%/spec/grow.c \
	$(top_srcdir)/%D%/run/runstatus.c \
	$(top_srcdir)/%D%/spec/template.c \
	$(top_srcdir)/%D%/spec/value.c

.PHONY: fuzz-expr fuzz-spec
fuzz-expr fuzz-spec: lib/util/libutil.la lib/libcore.la
	name=`echo $@ | sed s/fuzz-//`; $(MKDIR_P) .fuzz/$$name && \
	$(FUZZ_CC) -std=gnu11 -D_GNU_SOURCE -g -O1 \
	    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	    $(DEFS) $(AM_CPPFLAGS) $(top_srcdir)/tests/fuzz/$$name.c \
	    $(fuzz_sweep_sources) lib/util/.libs/libutil.a \
	    lib/.libs/libcore.a $(YAML_LIBS) -lm -o .fuzz/$@ && \
	.fuzz/$@ -max_total_time=$(FUZZ_SECONDS) -max_len=2048 -rss_limit_mb=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/$$name $(top_srcdir)/etc/examples
