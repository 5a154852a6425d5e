/* SPDX-License-Identifier: MIT
 *
 * log.c - level and message -> one line on standard error
 */
#include "config.h"

#include "lib/util/log.h"
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/util/xalloc.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <syslog.h>

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
    log_path = path ? xstrdup (path) : NULL;
}

/* Under the lock of stderr. */
static void log_open (void)
{
    int fd = open (log_path,
                   O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
                       O_CLOEXEC,
                   0600);

    if (fd >= 0) {
        dup2 (fd, STDOUT_FILENO);
        dup2 (fd, STDERR_FILENO);
        close (fd);
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
    vsnprintf (text, sizeof (text), fmt, ap);
    flockfile (stderr);
    if (log_path)
        log_open ();
    fprintf (stderr, "dftrace: %s%s\n", word,
             escape_text (shown, sizeof (shown), text, lines));
    fflush (stderr);
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

/* --- how much is done -> a line that moves on the terminal ---
 *
 * Drawn by whichever thread reports progress when the line is due, so there is
 * no thread of its own. */

enum {
    FIRST_MS = 2000, /* shorter work shows no line */
    EVERY_MS = 200,  /* the eye reads no faster */
    NS_PER_MS = 1000000
};

static struct {
    const char *what, *unit;
    uint64_t total, start;
    _Atomic uint64_t done;
    _Atomic uint64_t due; /* 0: no line wanted */
    _Atomic int shown;
} bar;
static pthread_mutex_t drawing = PTHREAD_MUTEX_INITIALIZER;

void progress_start (const char *what, uint64_t total, const char *unit)
{
    bar.what = what;
    bar.unit = unit;
    bar.total = total;
    bar.start = clock_ns (CLOCK_MONOTONIC);
    atomic_store (&bar.done, 0);
    atomic_store (&bar.due, isatty (STDERR_FILENO)
                                ? bar.start + (uint64_t)FIRST_MS * NS_PER_MS
                                : 0);
}

/* 1234567 -> "1.2 M" */
static void progress_scaled (char *buf, size_t size, double n)
{
    static const char prefix[] = " kMGTPE";
    size_t i = 0;

    while (n >= 1000 && i + 2 < sizeof (prefix)) {
        n /= 1000;
        i++;
    }
    if (i == 0)
        snprintf (buf, size, "%.0f ", n);
    else
        snprintf (buf, size, "%.1f %c", n, prefix[i]);
}

static void draw (uint64_t now)
{
    uint64_t done = atomic_load (&bar.done);
    double s = (now - bar.start) / 1e9;
    double rate = s > 0 ? (double)done / s : 0;
    char count[32], speed[32];

    progress_scaled (count, sizeof (count), done);
    progress_scaled (speed, sizeof (speed), rate);
    fprintf (stderr, "\r\033[K%s: %s%s, %s%s/s", bar.what, count, bar.unit,
             speed, bar.unit);
    if (bar.total > 0 && done > 0 && done <= bar.total)
        fprintf (stderr, ", %.0f %%, %.0f s left",
                 100.0 * (double)done / (double)bar.total,
                 (double)(bar.total - done) / rate);
    fflush (stderr);
    atomic_store (&bar.shown, 1);
}

/* Draw when the time has come and nobody else is at it. */
static void progress_step (void)
{
    uint64_t due = atomic_load_explicit (&bar.due, memory_order_relaxed);
    uint64_t now;

    if (due == 0 || (now = clock_ns (CLOCK_MONOTONIC)) < due)
        return;
    if (pthread_mutex_trylock (&drawing) != 0)
        return;
    if (atomic_compare_exchange_strong (&bar.due, &due,
                                        now + (uint64_t)EVERY_MS * NS_PER_MS))
        draw (now);
    pthread_mutex_unlock (&drawing);
}

void progress_set (uint64_t done)
{
    atomic_store_explicit (&bar.done, done, memory_order_relaxed);
    progress_step ();
}

void progress_add (uint64_t done)
{
    atomic_fetch_add_explicit (&bar.done, done, memory_order_relaxed);
    progress_step ();
}

void progress_hide (void)
{
    if (!atomic_load (&bar.shown))
        return;
    pthread_mutex_lock (&drawing);
    if (atomic_exchange (&bar.shown, 0)) {
        fputs ("\r\033[K", stderr);
        fflush (stderr);
    }
    pthread_mutex_unlock (&drawing);
}

void progress_end (void)
{
    atomic_store (&bar.due, 0);
    progress_hide ();
}
