/* SPDX-License-Identifier: MIT
 *
 * untracedline.h - a program that is not traced -> its line in
 *                  JOBDIR/shards/untraced.HOST
 *
 * Pid, path, reason, time, separated by blanks; in path and reason a blank,
 * '%', and what is not printable ASCII as %XX. The time is in ns of
 * CLOCK_REALTIME, behind '@', or behind '~' where another process than pid
 * wrote it. No allocation, no stdio, no state.
 */
#ifndef DFT_CORE_UNTRACEDLINE_H
#define DFT_CORE_UNTRACEDLINE_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

#define UNTRACEDLINE_FILE "untraced."
/* The same of traced processes that end without a trace, as they made no call
 * that is recorded; in the place of the reason stands how many files they
 * touched that the settings leave out. */
#define UNTRACEDLINE_QUIET "quiet."

enum {
    UNTRACEDLINE_BYTES = 3 * PATH_MAX, /* a path of nothing but blanks is cut */
    UNTRACEDLINE_FILE_MAX = 1 << 16,   /* no more lines in larger files */
    UNTRACEDLINE_QUIET_MAX = 1 << 12
};

struct untracedline {
    size_t used;
    char text[UNTRACEDLINE_BYTES];
};

/* exe: n bytes; what: put before reason, which is cut at 200 bytes. */
void untracedline_make (struct untracedline *l,
                        pid_t pid,
                        const char *exe,
                        size_t n,
                        const char *what,
                        const char *reason);

#endif
