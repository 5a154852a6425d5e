# SPDX-License-Identifier: MIT
# spank - the plugin that Slurm loads; libc only, libslurm is its host

if SLURM
slurmplugin_LTLIBRARIES += %D%/dftrace.la
endif

# Of lib/ only what it needs: the recorder has no place in slurmstepd. Shards
# are read by a child that has become the user.
%C%_dftrace_la_SOURCES = \
	lib/format/calls.c \
	lib/format/decoder.c \
	lib/format/dense.c \
	lib/format/proclines.c \
	lib/settings/kernelside.c \
	lib/settings/taskenv.c \
	lib/base/clock.c \
	lib/base/text.c \
	lib/base/programkind.c \
	lib/format/event.c \
	lib/base/highfd.c \
	lib/settings/jobdir.c \
	lib/settings/cpulimits.c \
	lib/settings/detail.c \
	lib/settings/marker.c \
	lib/settings/nodename.c \
	lib/settings/memorystage.c \
	lib/settings/notrace.c \
	lib/settings/preloads.c \
	lib/settings/plan.c \
	lib/settings/site.c \
	lib/settings/settings.c \
	lib/format/shard.c \
	lib/base/sys.c \
	lib/format/tracefile.c \
	lib/format/traceproc.c \
	lib/format/untracedlist.c \
	lib/settings/tracespec.c \
	%D%/dispatch.c \
	%D%/stage_side.c \
	%D%/sides.h \
	%D%/execdoor.c \
	%D%/jobenv.c \
	%D%/jobenv.h \
	%D%/kernel_side.c \
	%D%/message.c \
	%D%/message.h \
	%D%/once.c \
	%D%/once.h \
	%D%/options.c \
	%D%/spank_api.h \
	%D%/task_side.c
%C%_dftrace_la_CPPFLAGS = \
	$(AM_CPPFLAGS) \
	$(SLURM_CPPFLAGS)
%C%_dftrace_la_LDFLAGS = \
	$(AM_LDFLAGS) \
	-module \
	-avoid-version \
	-shared \
	-Wl,--gc-sections \
	-Wl,--version-script=$(srcdir)/%D%/spank.map
%C%_dftrace_la_LIBADD = lib/util/liboldlibc.la
EXTRA_spank_dftrace_la_DEPENDENCIES = %D%/spank.map
EXTRA_DIST += %D%/spank.map

# -- tests -------------------------------------------------------------

EXTRA_DIST += tests/data/spank-names
shell_tests += \
	tests/site/t7020-headers.t \
	tests/site/t7025-configure.t \
	tests/site/t7030-attack.t \
	tests/site/t7035-squash.t \
	tests/site/t7036-hung.t \
	tests/site/t7050-study.t \
	tests/site/t7080-releases.t

# The tests on a private Slurm need root and take a minute or two; run-tests
# runs them, `make check` does not.
slurm_tests = \
	tests/slurm/t9000-cluster.t \
	tests/slurm/t9010-option.t \
	tests/slurm/t9012-batch.t \
	tests/slurm/t9020-jobdir.t \
	tests/slurm/t9030-never-drains.t \
	tests/slurm/t9031-steps.t \
	tests/slurm/t9035-matrix.t \
	tests/slurm/t9036-stage.t \
	tests/slurm/t9037-operate.t \
	tests/slurm/t9038-private-tmp.t \
	tests/slurm/t9039-squash.t \
	tests/slurm/t9040-sweep.t \
	tests/slurm/t9045-array.t \
	tests/slurm/t9079-one-directory.t \
	tests/slurm/t9050-strace.t \
	tests/slurm/t9051-kernel.t \
	tests/slurm/t9052-mpi.t \
	tests/slurm/t9056-taskprolog.t \
	tests/slurm/t9057-ends.t \
	tests/slurm/t9060-python.t \
	tests/slurm/t9070-sweep-again.t \
	tests/slurm/t9072-memory.t \
	tests/slurm/t9073-memory-stage.t \
	tests/slurm/t9074-pyxis.t \
	tests/slurm/t9075-study-files.t \
	tests/slurm/t9077-study-script.t \
	tests/slurm/t9078-study-sweep.t \
	tests/slurm/t9080-analyze.t \
	tests/slurm/t9085-renew.t
dist_check_SCRIPTS += \
	tests/slurm/cluster.sh \
	tests/releases/check-slurm.sh \
	tests/releases/upgrade.t \
	tests/slurm/load.sh \
	$(slurm_tests)
EXTRA_DIST += \
	tests/slurm/cluster-conf.sh \
	tests/slurm/lib-cluster.sh \
	tests/slurm/study/datasets.py \
	tests/slurm/study/lib-study.sh \
	tests/slurm/study/prepare_pile_5gb.sh \
	tests/slurm/study/preprocess_data.py \
	tests/slurm/study/pretrain_gpt.py \
	tests/slurm/study/submit_4gpu_h100_sweep.sh \
	tests/slurm/study/torchrun \
	tests/slurm/study/train_llama3_8b_4gpu_h100.sh

## check-slurm: the tests on a private Slurm (root); SLURM='PREFIX…': of these releases
check-slurm: all
	$(AM_TESTS_ENVIRONMENT) if test -n "$(SLURM)"; then \
	    $(top_srcdir)/tests/releases/check-slurm.sh $(SLURM); \
	else $(PROVE) $(addprefix $(srcdir)/,$(slurm_tests)); fi
.PHONY: check-slurm

## check-upgrade: from the build in OLD=DIR to this one while jobs run (root)
check-upgrade: all
	$(AM_TESTS_ENVIRONMENT) test -x "$(OLD)/dftrace" || \
	    { echo "check-upgrade: OLD='$(OLD)': no build there" >&2; exit 2; }; \
	OLD_BUILD="$(OLD)" $(top_srcdir)/tests/slurm/t9085-renew.t
.PHONY: check-upgrade

## check-load: an array of 2,000 tasks, a step of 1,000, traced and not (root)
check-load: all
	$(AM_TESTS_ENVIRONMENT) $(top_srcdir)/tests/slurm/load.sh
.PHONY: check-load
check-big: check-load
