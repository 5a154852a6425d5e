/* SPDX-License-Identifier: MIT
 *
 * report.h - one line per call: row of calls.def, expression, result, errno
 */
#ifndef DFT_TESTS_REPORT_H
#define DFT_TESTS_REPORT_H

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#ifndef REPORT_TO
#define REPORT_TO stdout
#endif

enum { NO_ERRNO = 77 };

static void report (const char *row, const char *what, long rc)
{
    int err = errno;

    (void)fprintf (REPORT_TO, "%s %s = %ld errno=%d\n", row, what, rc, err);
    errno = NO_ERRNO;
}

#define DO(ROW, EXPR) report (#ROW, #EXPR, (long)(EXPR))
/* Only whether it worked: pointers differ from run to run. */
#define DO_PTR(ROW, VAR, EXPR)                                       \
    do {                                                             \
        VAR = EXPR;                                                  \
        report (#ROW, #EXPR, VAR != 0 && (void *)VAR != MAP_FAILED); \
    } while (0)

#endif
