# SPDX-License-Identifier: MIT
# sweep - a parameter grid as job arrays

noinst_LTLIBRARIES += %D%/libsweep.la
dftrace_libs += %D%/libsweep.la
%C%_libsweep_la_SOURCES = \
	%D%/cmd.h \
	%D%/cmd_plan.c \
	%D%/cmd_results.c \
	%D%/cmd_resume.c \
	%D%/cmd_run.c \
	%D%/cmd_show.c \
	%D%/cmd_submit.c \
	%D%/cmd_sweep.c \
	%D%/spec/expr.c \
	%D%/spec/expr.h \
	%D%/spec/expr_eval.c \
	%D%/spec/sbatch.c \
	%D%/spec/sbatch.h \
	%D%/spec/spec.c \
	%D%/spec/spec.h \
	%D%/spec/spec_axes.c \
	%D%/spec/spec_keys.c \
	%D%/spec/spec_read.h \
	%D%/spec/spec_sections.c \
	%D%/spec/template.c \
	%D%/spec/template.h \
	%D%/spec/value.c \
	%D%/spec/value.h \
	%D%/plan/grid.c \
	%D%/plan/order.c \
	%D%/plan/order.h \
	%D%/plan/plan.c \
	%D%/plan/plan.h \
	%D%/plan/rounds.c \
	%D%/plan/sweepdir.c \
	%D%/plan/sweepdir.h \
	%D%/run/machine.c \
	%D%/run/machine.h \
	%D%/run/pagecache.c \
	%D%/run/program.c \
	%D%/run/program.h \
	%D%/run/runner.c \
	%D%/run/runner.h \
	%D%/run/runstatus.c \
	%D%/run/runstatus.h \
	%D%/submit/batch.c \
	%D%/submit/freeze.c \
	%D%/submit/journal.c \
	%D%/submit/journal.h \
	%D%/submit/resume.c \
	%D%/submit/slurm.c \
	%D%/submit/slurm.h \
	%D%/submit/status.c \
	%D%/submit/status.h \
	%D%/submit/submit.c \
	%D%/submit/submit.h \
	%D%/results/cells.c \
	%D%/results/compare.c \
	%D%/results/compare.h \
	%D%/results/restable.c \
	%D%/results/restable.h \
	%D%/results/filter.c \
	%D%/results/filter.h \
	%D%/results/group.c \
	%D%/results/questions.c \
	%D%/results/questions.h \
	%D%/results/resultset.c \
	%D%/results/resultset.h \
	%D%/results/runreport.c \
	%D%/results/runreport.h \
	%D%/results/verdict.c
%C%_libsweep_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libsweep_la_LIBADD = -lm

dist_pkgdata_DATA += \
	etc/examples/minimal.yaml \
	etc/examples/study-full.yaml
dist_man_MANS += doc/dftrace-sweep.1
EXTRA_DIST += tests/whatif/job.py tests/whatif/judge.py
EXTRA_DIST += tests/fake-slurm/fake-slurm tests/fake-slurm/outputs
shell_tests += \
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
	tests/sweep/t3017-run-shell.t \
	tests/sweep/t3020-what-if.t

## check-what-if: what `dftrace what-if` says of jobs whose gain is known (10 minutes). JOBS= some, TORCH=a Python
.PHONY: check-what-if
check-what-if: all tests/causes/slow.la
	python3 $(srcdir)/tests/whatif/judge.py --torch "$(or $(TORCH),python3)" \
		$(abs_top_builddir)/dftrace $(abs_top_builddir)/tests/causes/.libs/slow.so $(JOBS)

# -- fuzzing: make fuzz-expr, make fuzz-spec (clang), FUZZ_SECONDS=60 ------
EXTRA_DIST += tests/fuzz/expr.c tests/fuzz/spec.c
fuzz_sweep_sources = \
	$(top_srcdir)/lib/model/metric.c \
	$(wildcard $(top_srcdir)/%D%/spec/*.c) \
	$(top_srcdir)/%D%/plan/grid.c \
	$(top_srcdir)/%D%/plan/order.c

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
