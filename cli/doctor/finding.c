/* SPDX-License-Identifier: MIT
 *
 * finding.c - what `dftrace doctor` found, a line each
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/doctor/finding.h"
#include "lib/base/escape.h"

enum { FINDING_MAX = 4096 };

static int finding_bad_count;
static const char *finding_host; /* NULL: for a reader */
static FILE *finding_log;        /* lines of this host, as it says them */
static char *finding_text;
static size_t finding_size;

static void
finding_line (FILE *out, const char *host, const char *kind, const char *text)
{
    (void)fprintf (out, CARD_MARK "\t%s\t%s\t%s\n", host, kind, text);
}

/* For comparing with nodes; when memory is short that is left out. */
static void finding_keep (const char *kind, const char *text)
{
    if (!finding_log)
        finding_log = open_memstream (&finding_text, &finding_size);
    if (finding_log)
        finding_line (finding_log, FINDING_THIS_HOST, kind, text);
}

static void
finding_say (const char *kind, int show, const char *fmt, va_list ap)
    __attribute__ ((format (printf, 3, 0)));

static void
finding_say (const char *kind, int show, const char *fmt, va_list ap)
{
    char text[FINDING_MAX], clean[FINDING_MAX];

    (void)vsnprintf (text, sizeof (text), fmt, ap);
    (void)escape_text (clean, sizeof (clean), text, ESCAPE_LINES);
    finding_keep (kind, clean);
    if (finding_host)
        finding_line (stdout, finding_host, kind, clean);
    else if (show)
        (void)printf ("%-5s %s\n", kind, clean);
    (void)fflush (stdout); /* the next look may take a while */
}

#define FINDING(NAME, KIND)                  \
    void NAME (const char *fmt, ...)         \
    {                                        \
        va_list ap;                          \
        va_start (ap, fmt);                  \
        finding_say (KIND, 1, fmt, ap);      \
        va_end (ap);                         \
        finding_bad_count += *(KIND) == 'B'; \
    }
FINDING (finding_good, "ok")
FINDING (finding_note, "note")
FINDING (finding_bad, "BAD")

void finding_fact (const char *key, const char *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    finding_say (key, 0, fmt, ap);
    va_end (ap);
}

void findings_of_host (const char *host)
{
    finding_host = host;
}

int findings_bad (void)
{
    return finding_bad_count;
}

char *findings_lines (void)
{
    if (!finding_log || fflush (finding_log) != 0)
        return NULL;
    return strdup (finding_text);
}
