# SPDX-License-Identifier: MIT
# tests/victims - programs that are traced, and must not notice

check_PROGRAMS += %D%/fcntls
%C%_fcntls_SOURCES = \
	%D%/fcntls.c \
	%D%/show.h
check_PROGRAMS += %D%/streams
%C%_streams_SOURCES = %D%/streams.c
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

check_PROGRAMS += %D%/crowd
%C%_crowd_SOURCES = \
	%D%/crowd.c \
	%D%/show.h
%C%_crowd_CFLAGS = $(AM_CFLAGS) -pthread

check_PROGRAMS += %D%/stepkill
%C%_stepkill_SOURCES = %D%/stepkill.c

check_PROGRAMS += %D%/setquota
%C%_setquota_SOURCES = %D%/setquota.c
check_PROGRAMS += %D%/squash
%C%_squash_SOURCES = \
	%D%/squash.c \
	%D%/squash.h \
	%D%/squash_files.c
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
		TESTS='tests/t1062-kill.t tests/t1064-crowds.t'

# gigabytes of packages by pip, minutes; FRAMEWORKS=DIR is where they are
## check-frameworks: PyTorch, DeepSpeed, h5py, DLIO against their own numbers
.PHONY: check-frameworks
check-frameworks:
	$(MAKE) $(AM_MAKEFLAGS) check AM_T_LOG_FLAGS='-k 10 7200' \
		TESTS='tests/frameworks/frameworks.t'
EXTRA_DIST += \
	tests/frameworks/dcp.py \
	tests/frameworks/ds.py \
	tests/frameworks/frameworks.t \
	tests/frameworks/h5.py \
	tests/frameworks/train.py

dist_check_SCRIPTS += \
	tests/t1012-syscall.t \
	tests/t1013-streams.t \
	tests/t1014-aio.t \
	tests/t1031-exact.t \
	tests/t1032-jumps.t \
	tests/t1033-closing.t \
	tests/t1034-spawns.t \
	tests/t1062-kill.t \
	tests/t1063-limits.t \
	tests/t1064-crowds.t \
	tests/t1065-quota.t \
	tests/t1071-preloads.t \
	tests/t1072-containers.t \
	tests/t1073-sanitizers.t \
	tests/t1074-names.t \
	tests/t1075-wild.t \
	tests/t1076-leaving.t \
	tests/t1077-sandboxes.t \
	tests/t1078-unseen.t \
	tests/t1081-mpi.t
TESTS += \
	tests/t1012-syscall.t \
	tests/t1013-streams.t \
	tests/t1014-aio.t \
	tests/t1031-exact.t \
	tests/t1032-jumps.t \
	tests/t1033-closing.t \
	tests/t1034-spawns.t \
	tests/t1062-kill.t \
	tests/t1063-limits.t \
	tests/t1064-crowds.t \
	tests/t1065-quota.t \
	tests/t1071-preloads.t \
	tests/t1072-containers.t \
	tests/t1073-sanitizers.t \
	tests/t1074-names.t \
	tests/t1075-wild.t \
	tests/t1076-leaving.t \
	tests/t1077-sandboxes.t \
	tests/t1078-unseen.t \
	tests/t1081-mpi.t
