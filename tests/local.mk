# SPDX-License-Identifier: MIT

EXTRA_DIST += \
	%D%/README.md \
	%D%/lib.sh

TEST_EXTENSIONS = .t
T_LOG_DRIVER = \
	env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
# A test that hangs is a failure, not the end of all testing.
T_LOG_COMPILER = timeout
AM_T_LOG_FLAGS = -k 10 600
AM_TESTS_ENVIRONMENT = \
	top_srcdir=`cd $(top_srcdir) && pwd`; export top_srcdir; \
	top_builddir=`pwd`; export top_builddir;

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)

dist_check_SCRIPTS += \
	%D%/t0000-lib.t \
	%D%/t0001-arrows.t \
	%D%/t0002-readme.t \
	%D%/t0003-manual.t
TESTS += \
	%D%/t0000-lib.t \
	%D%/t0001-arrows.t \
	%D%/t0002-readme.t \
	%D%/t0003-manual.t

# every fuzzer, one after the other (needs clang), FUZZ_SECONDS each
.PHONY: fuzz
fuzz: fuzz-ytree fuzz-tracefile
