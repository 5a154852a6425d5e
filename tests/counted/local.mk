# SPDX-License-Identifier: MIT
# tests/counted - what the kernel counted of a job, and what is recorded of that

check_PROGRAMS += %D%/moves
%C%_moves_SOURCES = %D%/moves.c
%C%_moves_CFLAGS = $(AM_CFLAGS) -pthread

EXTRA_DIST += %D%/lines.sh
dist_check_SCRIPTS += %D%/t1130-lines.t
TESTS += %D%/t1130-lines.t
