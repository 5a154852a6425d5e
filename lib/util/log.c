/* SPDX-License-Identifier: MIT
 *
 * log.c - level and message -> one line on standard error
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/util/log.h"
#include "lib/util/progress.h"

static enum log_level level = LOG_INFO;

void log_set_level (enum log_level new_level)
{
    level = new_level;
}

static void
log_line (enum log_level l, const char *word, const char *fmt, va_list ap)
{
    int saved_errno = errno;

    if (l > level)
        return;
    progress_hide ();
    flockfile (stderr);
    (void)fprintf (stderr, "dftrace: %s", word);
    (void)vfprintf (stderr, fmt, ap);
    (void)fputc ('\n', stderr);
    (void)fflush (stderr);
    funlockfile (stderr);
    errno = saved_errno;
}

void log_error (const char *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    log_line (LOG_ERROR, "", fmt, ap);
    va_end (ap);
}

void log_warn (const char *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    log_line (LOG_WARN, "warning: ", fmt, ap);
    va_end (ap);
}

void log_info (const char *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    log_line (LOG_INFO, "", fmt, ap);
    va_end (ap);
}

void log_debug (const char *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    log_line (LOG_DEBUG, "debug: ", fmt, ap);
    va_end (ap);
}
