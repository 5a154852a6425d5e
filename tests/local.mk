# SPDX-License-Identifier: MIT

EXTRA_DIST += \
	%D%/README.md \
	%D%/count-lines.sh \
	%D%/house/typed.zsh \
	%D%/lib.sh

TEST_EXTENSIONS = .t
T_LOG_DRIVER = \
	env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
# A test that hangs is a failure, not the end of all testing.
T_LOG_COMPILER = timeout
AM_T_LOG_FLAGS = -k 10 600
AM_TESTS_ENVIRONMENT = \
	umask 022; \
	top_srcdir=`cd $(top_srcdir) && pwd`; export top_srcdir; \
	top_builddir=`pwd`; export top_builddir;

check_PROGRAMS += $(unit_tests)
dist_check_SCRIPTS += $(shell_tests)
TESTS += $(shell_tests) $(unit_tests)

# a folder of the product -> the folders of its tests; else that of its name
room_analyze = tests/unit/analyze/% tests/unit/report/% tests/analysis/% tests/report/%
room_cli = tests/unit/site/% tests/site/%
room_lib = tests/unit/core/% tests/unit/util/%
room_preload = tests/unit/preload/% tests/unit/app/% tests/capture/% tests/follow/% \
	tests/counted/% tests/waits/% tests/app/%
room_spank = tests/unit/site/% tests/site/%
room_sweep = tests/unit/sweep/% tests/sweep/% tests/study/%
rooms = analysis analyze app capture cli follow house layers lib \
	preload report site spank study sweep
room_checks = $(rooms:%=check-%)
room = $(@:check-%=%)
room_tests = $(filter $(or $(room_$(room)),tests/unit/$(room)/% tests/$(room)/%),$(TESTS))
## check-ROOM: the tests of one folder only: check-sweep, check-lib, check-capture, …
.PHONY: $(room_checks)
$(room_checks):
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(room_tests)' check_PROGRAMS='$(filter \
	    $(room_tests),$(unit_tests)) $(filter-out $(unit_tests),$(check_PROGRAMS))'

shell_tests += \
	%D%/house/t0000-lib.t \
	%D%/house/t0001-arrows.t \
	%D%/house/t0030-hardening.t \
	%D%/house/t0031-names.t \
	%D%/house/t0032-symbols.t \
	%D%/house/t0002-readme.t \
	%D%/house/t0003-manual.t \
	%D%/house/t0004-layout.t \
	%D%/house/t0005-words.t

EXTRA_DIST += %D%/fuzz/chunkindex.c %D%/fuzz/jobjson.c %D%/fuzz/totalscache.c %D%/fuzz/lustrelayout.c %D%/fuzz/summary.c %D%/fuzz/where.c %D%/fuzz/words.c

# every fuzzer, one after the other (needs clang), FUZZ_SECONDS each
fuzzers = $(patsubst %.c,fuzz-%,$(notdir $(wildcard $(top_srcdir)/%D%/fuzz/*.c))) \
	fuzz-tracetables fuzz-tracemerge
## fuzz: every fuzzer, FUZZ_SECONDS each (needs clang); fuzz-NAME for one
# libFuzzer looks for leaks after each input; at the end only 32 bytes of its own main are left
$(fuzzers): export LSAN_OPTIONS = leak_check_at_exit=0
.PHONY: fuzz fuzz-reader
fuzz:
	for f in $(fuzzers) fuzz-reader; do $(MAKE) $$f || exit 1; done

EXTRA_DIST += %D%/fuzz/reader.py
## fuzz-reader: damaged traces through dftrace.read of Python, FUZZ_SECONDS
fuzz-reader: all tests/tools/mkshard
	rm -rf .fuzz/reader && $(MKDIR_P) .fuzz/reader
	tests/tools/mkshard .fuzz/reader/job direct 20
	./dftrace merge -q -o .fuzz/reader/merged.dft .fuzz/reader/job
	PYTHONPATH=`pwd`/python python3 $(top_srcdir)/%D%/fuzz/reader.py $(FUZZ_SECONDS) \
	    .fuzz/reader .fuzz/reader/merged.dft .fuzz/reader/job/shards/*.dft \
	    $(top_srcdir)/%D%/data/pfw/*.pfw $(top_srcdir)/%D%/data/screens/*/trace.dft

fuzz_build = $(FUZZ_CC) -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=all $(DEFS) $(AM_CPPFLAGS)

.PHONY: fuzz-jobjson
fuzz-jobjson:
	$(MKDIR_P) .fuzz/jobjson
	printf '{"format": "dftrace-job", "job_id": 1, "job_name": "a"}' \
	    >.fuzz/jobjson/one
	$(fuzz_analyze)
	.fuzz/fuzz-jobjson -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/jobjson

.PHONY: fuzz-lustrelayout
fuzz-lustrelayout:
	$(MKDIR_P) .fuzz/lustrelayout
	printf '7 1 0:9 / /a rw - nfs4 srv:/a rw\n' >.fuzz/lustrelayout/mount
	$(fuzz_build) $(top_srcdir)/tests/fuzz/lustrelayout.c \
	    $(top_srcdir)/lib/base/*.c -o .fuzz/fuzz-lustrelayout
	.fuzz/fuzz-lustrelayout -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/lustrelayout

.PHONY: fuzz-summary
fuzz-summary:
	$(MKDIR_P) .fuzz/summary
	printf '{"host":"n1","job":1,"ended":5,"user":"a","job_time":2.5}\n' \
	    >.fuzz/summary/line
	printf 'part=1\nname=a\njob_time=2.5\n\n' >.fuzz/summary/told
	$(fuzz_analyze) $(top_srcdir)/cli/site/siteline.c \
	    $(top_srcdir)/spank/epilog/tell.c
	.fuzz/fuzz-summary -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/summary

.PHONY: fuzz-words
fuzz-words:
	$(MKDIR_P) .fuzz/words
	printf 'posix,app,job_dir=/s/%%u/%%x-%%j,max_bytes=2G' >.fuzz/words/option
	printf 'partition=a,b* nodes=4- sample=10 layers=posix' >.fuzz/words/rule
	$(fuzz_build) $(top_srcdir)/tests/fuzz/words.c \
	    $(addprefix $(top_srcdir)/lib/settings/,tracespec.c site.c jobdir.c settings.c detail.c) \
	    $(addprefix $(top_srcdir)/lib/base/,text.c sys.c) \
	    $(addprefix $(top_srcdir)/lib/format/,calls.c proclines.c) -o .fuzz/fuzz-words
	.fuzz/fuzz-words -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=.fuzz/ .fuzz/words

# half an hour and more, as root; LTP=DIR is a built tree (make in lib, libs,
# testcases/kernel/syscalls), FAMILIES= some of its folders, or all
EXTRA_DIST += \
	%D%/ltp/families.list \
	%D%/ltp/ltp.sh
## check-ltp: system call tests of the Linux Test Project, traced and untraced
.PHONY: check-ltp
check-ltp: all
	DFTRACE_PRELOAD=$(abs_top_builddir)/preload/.libs/libdftrace_preload.so \
	    $(srcdir)/%D%/ltp/ltp.sh "$(LTP)" "$(FAMILIES)"

# minutes; PYTHON=, COREUTILS= and BASHTREE= as tests/README.md has them
EXTRA_DIST += %D%/suites/suites.sh
## check-suites: tests of CPython, coreutils and bash, traced and untraced
.PHONY: check-suites
check-suites: all
	DFTRACE=$(abs_top_builddir)/dftrace $(srcdir)/%D%/suites/suites.sh

# the commands of README.md and doc/admin.md in a fresh Debian (minutes, root)
EXTRA_DIST += %D%/walk/walk.sh
## check-walk: the commands of README and doc/admin.md in a fresh Debian (root)
.PHONY: check-walk
check-walk:
	$(top_srcdir)/tests/walk/walk.sh $(WALK)

# the built libraries below the glibc of Debian 11, 12 and 13 (minutes, root)
EXTRA_DIST += %D%/libcs/libcs.sh %D%/libcs/aarch64.sh %D%/libcs/containers.sh %D%/libcs/calls.c
## check-libc: traced programs below older and newer glibcs (root, mmdebstrap)
.PHONY: check-libc
check-libc: all wheel tests/tools/dump
	top_srcdir=`cd $(top_srcdir) && pwd` top_builddir=$(abs_top_builddir) \
	    $(top_srcdir)/%D%/libcs/libcs.sh
## check-containers: in containers of what is installed; CONTAINER_ROOT=DIRECTORY
.PHONY: check-containers
check-containers: all
	top_srcdir=`cd $(top_srcdir) && pwd` top_builddir=$(abs_top_builddir) \
	    $(top_srcdir)/%D%/libcs/containers.sh
## check-aarch64: the library built for aarch64, in qemu-user (minutes)
.PHONY: check-aarch64
check-aarch64: all
	top_srcdir=`cd $(top_srcdir) && pwd` top_builddir=$(abs_top_builddir) \
	    $(top_srcdir)/%D%/libcs/aarch64.sh

# tests of layer kernel under another kernel, that of Debian 12 or of the package
# KERNEL=FILE.deb, in qemu (root; minutes a test)
EXTRA_DIST += %D%/kernels/kernels.sh
## check-kernel: layer kernel on another kernel, in qemu (root, half an hour)
.PHONY: check-kernel
check-kernel: all
	KERNELS_DEB="$(KERNEL)" top_builddir=$(abs_top_builddir) \
	    $(top_srcdir)/tests/kernels/kernels.sh $(KERNEL_TESTS)
## check-cgroup2: a memory limit of cgroup v2, in qemu (root, minutes)
.PHONY: check-cgroup2
check-cgroup2: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(MAKE) $(AM_MAKEFLAGS) check-kernel KERNEL_TESTS=capture/t1113-memory-stage

# whether tests fail now and then: CLONES (1) at once, ROUNDS times (10), beside LOAD busy
# processes (0)
EXTRA_DIST += %D%/again/again.sh
## check-again: the whole suite ten times, beside a load or not (hours, root)
.PHONY: check-again
check-again:
	ROUNDS="$(ROUNDS)" CLONES="$(CLONES)" LOAD="$(LOAD)" STAGES="$(STAGES)" \
	    AGAIN_DIR="$(AGAIN_DIR)" $(top_srcdir)/tests/again/again.sh

# both kinds of packages, built and installed (minutes)
dist_check_SCRIPTS += %D%/site/t7040-packages.t
EXTRA_DIST += %D%/overlay.sh
## check-packages: both kinds of packages, built and installed (minutes)
.PHONY: check-packages
check-packages: all
	$(AM_TESTS_ENVIRONMENT) $(PROVE) -v $(top_srcdir)/tests/site/t7040-packages.t
