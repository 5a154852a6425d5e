# SPDX-License-Identifier: MIT
# tests/waits - how threads wait, against what they measure themselves

check_PROGRAMS += %D%/waiter
%C%_waiter_SOURCES = %D%/waiter.c
%C%_waiter_CFLAGS = $(AM_CFLAGS) -pthread
check_PROGRAMS += %D%/widetls
%C%_widetls_SOURCES = %D%/widetls.c

shell_tests += \
	%D%/t1140-waits.t \
	%D%/t1141-sampler.t
