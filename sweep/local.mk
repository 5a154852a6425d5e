# SPDX-License-Identifier: MIT
# sweep - a parameter grid as job arrays

noinst_LTLIBRARIES += %D%/libsweep.la
dftrace_libs += %D%/libsweep.la
%C%_libsweep_la_SOURCES = \
	%D%/accounting.c \
	%D%/arena.c %D%/arena.h \
	%D%/axiswords.c \
	%D%/batch.c %D%/batch.h \
	%D%/cells.c %D%/cells.h \
	%D%/check.c %D%/check.h \
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
	%D%/columns.def \
	%D%/compare.c %D%/compare.h \
	%D%/effects.c \
	%D%/expr.c %D%/expr.h \
	%D%/expr_eval.c \
	%D%/expr_func.c \
	%D%/expr_lex.c %D%/expr_lex.h \
	%D%/expr_node.h \
	%D%/figure.c %D%/figure.h \
	%D%/filter.c %D%/filter.h \
	%D%/freeze.c \
	%D%/generator.c \
	%D%/grid.c %D%/grid.h %D%/grid_work.h \
	%D%/grid_ids.c \
	%D%/grid_texts.c \
	%D%/group.c %D%/group.h \
	%D%/grow.c %D%/grow.h \
	%D%/journal.c %D%/journal.h \
	%D%/keys.def \
	%D%/machine.c %D%/machine.h \
	%D%/order.c %D%/order.h \
	%D%/outcomes.def \
	%D%/pagecache.c %D%/pagecache.h \
	%D%/plan.c %D%/plan.h \
	%D%/planwarn.c %D%/planwarn.h \
	%D%/price.c %D%/price.h \
	%D%/program.c %D%/program.h \
	%D%/questions.c %D%/questions.h \
	%D%/restable.c %D%/restable.h \
	%D%/restable_exact.c \
	%D%/resultset.c %D%/resultset.h \
	%D%/resunit.c %D%/resunit.h \
	%D%/reswrite.c \
	%D%/provenance.c %D%/provenance.h \
	%D%/resume.c %D%/resume.h \
	%D%/rounds.c %D%/rounds.h \
	%D%/runner.c %D%/runner.h %D%/runner_work.h \
	%D%/runner_bash.c \
	%D%/runner_files.c \
	%D%/runtable.c %D%/runtable.h \
	%D%/runstatus.c %D%/runstatus.h \
	%D%/scrape.c \
	%D%/sha256.c %D%/sha256.h \
	%D%/slurm.c %D%/slurm.h \
	%D%/slurmsaid.c %D%/slurmsaid.h \
	%D%/squeue.c \
	%D%/spec.c %D%/spec.h \
	%D%/spec_axes.c \
	%D%/spec_expr.c \
	%D%/spec_keys.c \
	%D%/spec_read.h \
	%D%/spec_results.c \
	%D%/spec_trace.c \
	%D%/status.c %D%/status.h \
	%D%/statusprint.c \
	%D%/submit.c %D%/submit.h %D%/submit_work.h \
	%D%/submit_analysis.c \
	%D%/sweepdir.c %D%/sweepdir.h \
	%D%/template.c %D%/template.h \
	%D%/value.c %D%/value.h \
	%D%/verbs.def
%C%_libsweep_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libsweep_la_LIBADD = -lm

if HAVE_CMOCKA
unit_tests += \
	tests/unit/expr.t \
	tests/unit/grid.t \
	tests/unit/grow.t \
	tests/unit/order.t \
	tests/unit/program.t \
	tests/unit/runstatus.t \
	tests/unit/sha256.t \
	tests/unit/slurm.t \
	tests/unit/slurmsaid.t \
	tests/unit/spec.t \
	tests/unit/template.t \
	tests/unit/value.t
endif

sweep_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
sweep_test_ldadd = \
	%D%/libsweep.la \
	lib/util/libutil.la \
	lib/core/libcore.la \
	$(YAML_LIBS) \
	$(CMOCKA_LIBS)

tests_unit_expr_t_SOURCES = tests/unit/expr.c tests/unit/tap.h
tests_unit_expr_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_expr_t_LDADD = $(sweep_test_ldadd)

tests_unit_grid_t_SOURCES = tests/unit/grid.c tests/unit/tap.h
tests_unit_grid_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_grid_t_LDADD = $(sweep_test_ldadd)

tests_unit_grow_t_SOURCES = tests/unit/grow.c tests/unit/tap.h
tests_unit_grow_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_grow_t_LDADD = $(sweep_test_ldadd)

tests_unit_order_t_SOURCES = tests/unit/order.c tests/unit/tap.h
tests_unit_order_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_order_t_LDADD = $(sweep_test_ldadd)

tests_unit_program_t_SOURCES = tests/unit/program.c tests/unit/tap.h
tests_unit_program_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_program_t_LDADD = $(sweep_test_ldadd)

tests_unit_runstatus_t_SOURCES = tests/unit/runstatus.c tests/unit/tap.h
tests_unit_runstatus_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_runstatus_t_LDADD = $(sweep_test_ldadd)

tests_unit_sha256_t_SOURCES = tests/unit/sha256.c tests/unit/tap.h
tests_unit_sha256_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_sha256_t_LDADD = $(sweep_test_ldadd)

tests_unit_slurm_t_SOURCES = tests/unit/slurm.c tests/unit/tap.h
tests_unit_slurm_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_slurm_t_LDADD = $(sweep_test_ldadd)

tests_unit_slurmsaid_t_SOURCES = tests/unit/slurmsaid.c tests/unit/tap.h
tests_unit_slurmsaid_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_slurmsaid_t_LDADD = $(sweep_test_ldadd)

tests_unit_spec_t_SOURCES = tests/unit/spec.c tests/unit/tap.h
tests_unit_spec_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_spec_t_LDADD = $(sweep_test_ldadd)

tests_unit_template_t_SOURCES = tests/unit/template.c tests/unit/tap.h
tests_unit_template_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_template_t_LDADD = $(sweep_test_ldadd)

tests_unit_value_t_SOURCES = tests/unit/value.c tests/unit/tap.h
tests_unit_value_t_CPPFLAGS = $(sweep_test_cppflags)
tests_unit_value_t_LDADD = $(sweep_test_ldadd)

dist_pkgdata_DATA += \
	etc/examples/minimal.yaml \
	etc/examples/study-full.yaml
dist_man_MANS += doc/dftrace-sweep.1
EXTRA_DIST += tests/fake-slurm/fake-slurm tests/fake-slurm/outputs
sweep_tests = \
	tests/t3001-sweep-plan.t \
	tests/t3002-sweep-local.t \
	tests/t3003-sweep-submit.t \
	tests/t3004-sweep-resume.t \
	tests/t3005-sweep-control.t \
	tests/t3006-sweep-results.t \
	tests/t3007-sweep-extend.t \
	tests/t3008-sweep-waves.t \
	tests/t3009-sweep-manual.t \
	tests/t3010-sweep-versions.t
dist_check_SCRIPTS += $(sweep_tests)
TESTS += $(sweep_tests)

# -- fuzzing: make fuzz-expr, make fuzz-spec (clang), FUZZ_SECONDS=60 ------
EXTRA_DIST += tests/fuzz/expr.c tests/fuzz/spec.c
fuzz_sweep_sources = \
	$(top_srcdir)/%D%/arena.c \
	$(top_srcdir)/%D%/expr.c \
	$(top_srcdir)/%D%/expr_eval.c \
	$(top_srcdir)/%D%/expr_func.c \
	$(top_srcdir)/%D%/expr_lex.c \
	$(top_srcdir)/%D%/generator.c \
	$(top_srcdir)/%D%/grid.c \
	$(top_srcdir)/%D%/grid_ids.c \
	$(top_srcdir)/%D%/grid_texts.c \
	$(top_srcdir)/%D%/order.c \
	$(top_srcdir)/%D%/sha256.c \
	$(top_srcdir)/%D%/spec.c \
	$(top_srcdir)/%D%/spec_axes.c \
	$(top_srcdir)/%D%/spec_expr.c \
	$(top_srcdir)/%D%/spec_keys.c \
	$(top_srcdir)/%D%/spec_results.c \
	$(top_srcdir)/%D%/spec_trace.c \
	$(top_srcdir)/%D%/grow.c \
	$(top_srcdir)/%D%/runstatus.c \
	$(top_srcdir)/%D%/template.c \
	$(top_srcdir)/%D%/value.c

.PHONY: fuzz-expr fuzz-spec
fuzz-expr fuzz-spec: lib/util/libutil.la lib/core/libcore.la
	name=`echo $@ | sed s/fuzz-//`; $(MKDIR_P) .fuzz/$$name && \
	$(FUZZ_CC) -std=gnu11 -D_GNU_SOURCE -g -O1 \
	    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	    $(DEFS) $(AM_CPPFLAGS) $(top_srcdir)/tests/fuzz/$$name.c \
	    $(fuzz_sweep_sources) lib/util/.libs/libutil.a \
	    lib/core/.libs/libcore.a $(YAML_LIBS) -lm -o .fuzz/$@ && \
	.fuzz/$@ -max_total_time=$(FUZZ_SECONDS) -max_len=2048 -rss_limit_mb=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/$$name $(top_srcdir)/etc/examples
