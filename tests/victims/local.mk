# SPDX-License-Identifier: MIT
# tests/victims - programs that are traced, and must not notice

check_PROGRAMS += %D%/fcntls
%C%_fcntls_SOURCES = \
	%D%/fcntls.c \
	%D%/show.h
check_PROGRAMS += %D%/net
%C%_net_SOURCES = %D%/net.c
%C%_net_CFLAGS = $(AM_CFLAGS) -U_FORTIFY_SOURCE -pthread
check_PROGRAMS += %D%/libcfiles
%C%_libcfiles_SOURCES = %D%/libcfiles.c
%C%_libcfiles_CFLAGS = $(AM_CFLAGS) -pthread
check_PROGRAMS += %D%/streams
%C%_streams_SOURCES = %D%/streams.c
check_PROGRAMS += %D%/odd/drops
%C%_odd_drops_SOURCES = %D%/odd/drops.c
check_PROGRAMS += %D%/odd/grow
%C%_odd_grow_SOURCES = %D%/odd/grow.c
check_PROGRAMS += %D%/odd/preads
%C%_odd_preads_SOURCES = %D%/odd/preads.c
check_PROGRAMS += %D%/odd/stepjump
%C%_odd_stepjump_SOURCES = %D%/odd/stepjump.c
check_PROGRAMS += %D%/odd/tables
%C%_odd_tables_SOURCES = %D%/odd/tables.c
%C%_odd_tables_CFLAGS = $(AM_CFLAGS) -pthread
check_PROGRAMS += %D%/odd/unnamed
%C%_odd_unnamed_SOURCES = %D%/odd/unnamed.c
check_PROGRAMS += %D%/odd/waits
%C%_odd_waits_SOURCES = %D%/odd/waits.c
check_PROGRAMS += %D%/odd/wide
%C%_odd_wide_SOURCES = %D%/odd/wide.c
%C%_odd_wide_CFLAGS = $(AM_CFLAGS) -U_FORTIFY_SOURCE
check_PROGRAMS += %D%/variadic
%C%_variadic_SOURCES = \
	%D%/variadic.c \
	%D%/show.h
check_PROGRAMS += %D%/state
%C%_state_SOURCES = \
	%D%/state.c \
	%D%/show.h

check_PROGRAMS += %D%/jumps
%C%_jumps_SOURCES = \
	%D%/jumps.c \
	%D%/show.h
%C%_jumps_CFLAGS = $(AM_CFLAGS) -pthread

check_PROGRAMS += %D%/forks/mounts
%C%_forks_mounts_SOURCES = %D%/forks/mounts.c
%C%_forks_mounts_CFLAGS = $(AM_CFLAGS) -pthread

check_PROGRAMS += %D%/random/mixture
%C%_random_mixture_SOURCES = \
	%D%/random/mixture.c \
	tests/unit/rng.h
%C%_random_mixture_CFLAGS = $(AM_CFLAGS) -pthread

check_PROGRAMS += %D%/crowd
%C%_crowd_SOURCES = \
	%D%/crowd.c \
	%D%/show.h
%C%_crowd_CFLAGS = $(AM_CFLAGS) -pthread

check_PROGRAMS += tests/tools/stepkill
tests_tools_stepkill_SOURCES = tests/tools/stepkill.c

check_PROGRAMS += tests/tools/setquota
tests_tools_setquota_SOURCES = tests/tools/setquota.c
check_PROGRAMS += tests/tools/squash
tests_tools_squash_SOURCES = \
	tests/tools/squash.c \
	tests/tools/squash.h \
	tests/tools/squash_files.c
check_PROGRAMS += %D%/squeeze
%C%_squeeze_SOURCES = \
	%D%/show.h \
	%D%/squeeze.c

check_PROGRAMS += %D%/closing
%C%_closing_SOURCES = \
	%D%/closing.c \
	%D%/show.h
%C%_closing_CFLAGS = $(AM_CFLAGS) -pthread

check_PROGRAMS += %D%/spawns
%C%_spawns_SOURCES = \
	%D%/show.h \
	%D%/spawns.c
%C%_spawns_CFLAGS = $(AM_CFLAGS) -pthread

check_PROGRAMS += %D%/locker
%C%_locker_SOURCES = \
	%D%/locker.c \
	%D%/show.h
check_PROGRAMS += %D%/sandbox
%C%_sandbox_SOURCES = \
	%D%/sandbox.c \
	%D%/show.h
%C%_sandbox_CFLAGS = $(AM_CFLAGS) -pthread

check_PROGRAMS += %D%/leaver
%C%_leaver_SOURCES = \
	%D%/leaver.c \
	%D%/show.h
check_PROGRAMS += %D%/raw
%C%_raw_SOURCES = \
	%D%/raw.c \
	%D%/show.h
check_PROGRAMS += %D%/wild
%C%_wild_SOURCES = %D%/wild.c
%C%_wild_LDADD = -ldl

EXTRA_DIST += \
	tests/strangers.sh \
	%D%/interposer.c \
	%D%/manyfds.c \
	%D%/mpiio.c \
	%D%/owner.c \
	%D%/reader.c \
	%D%/workers.py

# the crowds of full size, and many more kills: minutes, on an idle machine
## check-big: tests that need much memory or many threads
.PHONY: check-big
check-big:
	DFTRACE_TEST_BIG=1 $(MAKE) $(AM_MAKEFLAGS) check \
		AM_T_LOG_FLAGS='-k 10 7200' \
		TESTS='tests/capture/t1062-kill.t tests/capture/t1064-crowds.t'

# gigabytes of packages by pip, minutes; FRAMEWORKS=DIR is where they are
## check-frameworks: PyTorch, DeepSpeed, h5py, DLIO and others against their own numbers
.PHONY: check-frameworks
check-frameworks:
	$(MAKE) $(AM_MAKEFLAGS) check AM_T_LOG_FLAGS='-k 10 7200' \
		TESTS='tests/frameworks/frameworks.t'; status=$$?; \
	$(AWK) -f $(srcdir)/tests/frameworks/table.awk tests/frameworks/frameworks.log; exit $$status
# GROMACS, pgbench, LAMMPS, OpenFOAM, snakemake, as far as they are there; not as root for pgbench
## check-hpc: real programs, each held up by one thing: is it named?
.PHONY: check-hpc
check-hpc: all tests/causes/slow.la
	$(MAKE) $(AM_MAKEFLAGS) check AM_T_LOG_FLAGS='-k 10 7200' \
		TESTS='tests/frameworks/hpc.t'; status=$$?; \
	$(AWK) -f $(srcdir)/tests/frameworks/table.awk tests/frameworks/hpc.log; exit $$status
EXTRA_DIST += \
	tests/frameworks/hpc.t \
	tests/frameworks/dcp.py \
	tests/frameworks/ds.py \
	tests/frameworks/frameworks.t \
	tests/frameworks/h5.py \
	tests/frameworks/loops.py \
	tests/frameworks/table.awk \
	tests/frameworks/train.py

shell_tests += \
	tests/capture/t1012-syscall.t \
	tests/capture/t1013-streams.t \
	tests/capture/t1014-aio.t \
	tests/capture/t1031-exact.t \
	tests/capture/t1032-jumps.t \
	tests/capture/t1033-closing.t \
	tests/capture/t1034-spawns.t \
	tests/capture/t1035-tables.t \
	tests/capture/t1039-moved.t \
	tests/follow/t1038-follow.t \
	tests/follow/t1036-doors.t \
	tests/follow/t1037-environ.t \
	tests/capture/t1062-kill.t \
	tests/capture/t1063-limits.t \
	tests/capture/t1064-crowds.t \
	tests/capture/t1065-quota.t \
	tests/capture/t1071-preloads.t \
	tests/capture/t1072-containers.t \
	tests/capture/t1073-sanitizers.t \
	tests/capture/t1074-names.t \
	tests/capture/t1075-wild.t \
	tests/capture/t1076-leaving.t \
	tests/capture/untraced/t1077-sandboxes.t \
	tests/capture/untraced/t1078-unseen.t \
	tests/capture/untraced/t1079-account.t \
	tests/capture/t1079-unnamed.t \
	tests/capture/t1081-mpi.t \
	tests/capture/t1110-profile.t \
	tests/capture/t1111-detail.t \
	tests/capture/t1112-values.t \
	tests/capture/t1113-memory-stage.t \
	tests/capture/t1140-net.t \
	tests/layers/t1300-kernel.t \
	tests/layers/t1301-kernel-rings.t \
	tests/layers/t1302-kernel-losses.t \
	tests/layers/t1303-kernel-block.t
EXTRA_DIST += tests/follow/doors.c %D%/forks/forker.c %D%/inline.c %D%/plain.c %D%/toucher.c
