/* SPDX-License-Identifier: MIT
 *
 * log.c - level and message -> one line on standard error
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "lib/base/text.h"
#include "lib/util/log.h"

enum { LOG_BYTES = 16384 };

static enum log_level level = LEVEL_INFO;

/* Our own texts may have several lines, such as a mistake in a file. */
static enum escape_lines lines = ESCAPE_KEEP_LINES;

static int to_system;

static char *log_path; /* not open yet, as nothing was said */

void log_for_daemons (void)
{
    lines = ESCAPE_LINES;
    to_system = 1;
}

void log_to_file (const char *path)
{
    free (log_path);
    log_path = path ? strdup (path) : NULL;
}

/* Under the lock of stderr. */
static void log_open (void)
{
    int fd = open (log_path,
                   O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
                       O_CLOEXEC,
                   0600);

    if (fd >= 0) {
        (void)dup2 (fd, STDOUT_FILENO);
        (void)dup2 (fd, STDERR_FILENO);
        (void)close (fd);
    }
    free (log_path);
    log_path = NULL;
}

void log_set_level (enum log_level new_level)
{
    level = new_level;
}

static __attribute__ ((noinline)) void
log_write (enum log_level l, const char *word, const char *fmt, va_list ap)
{
    char text[LOG_BYTES], shown[2 * LOG_BYTES];
    int saved_errno = errno;

    progress_hide ();
    (void)vsnprintf (text, sizeof (text), fmt, ap);
    flockfile (stderr);
    if (log_path)
        log_open ();
    (void)fprintf (stderr, "dftrace: %s%s\n", word,
                   escape_text (shown, sizeof (shown), text, lines));
    (void)fflush (stderr);
    if (to_system)
        syslog (LOG_DAEMON | (l == LEVEL_ERROR ? LOG_ERR : LOG_INFO),
                "dftrace: %s", shown);
    funlockfile (stderr);
    errno = saved_errno;
}

/* Return before any text is formatted if the level is not written. */
static void
log_line (enum log_level l, const char *word, const char *fmt, va_list ap)
{
    if (l <= level)
        log_write (l, word, fmt, ap);
}

void log_error (const char *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    log_line (LEVEL_ERROR, "", fmt, ap);
    va_end (ap);
}

void log_warn (const char *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    log_line (LEVEL_WARN, "warning: ", fmt, ap);
    va_end (ap);
}

void log_info (const char *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    log_line (LEVEL_INFO, "", fmt, ap);
    va_end (ap);
}

void log_debug (const char *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    log_line (LEVEL_DEBUG, "debug: ", fmt, ap);
    va_end (ap);
}
