/* SPDX-License-Identifier: MIT
 *
 * finding.c - what `dftrace doctor` found, a line each
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/finding.h"

static int bad;

static void finding_say (const char *kind, const char *fmt, va_list ap)
    __attribute__ ((format (printf, 2, 0)));

static void finding_say (const char *kind, const char *fmt, va_list ap)
{
    (void)printf ("%-5s ", kind);
    (void)vprintf (fmt, ap);
    (void)putchar ('\n');
    (void)fflush (stdout); /* the next look may take a while */
}

#define FINDING(NAME, KIND)          \
    void NAME (const char *fmt, ...) \
    {                                \
        va_list ap;                  \
        va_start (ap, fmt);          \
        finding_say (KIND, fmt, ap); \
        va_end (ap);                 \
        bad += *(KIND) == 'B';       \
    }
FINDING (finding_good, "ok")
FINDING (finding_note, "note")
FINDING (finding_bad, "BAD")

int findings_bad (void)
{
    return bad;
}
