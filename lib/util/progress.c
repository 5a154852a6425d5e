/* SPDX-License-Identifier: MIT
 *
 * progress.c - how much is done -> a line that moves on the terminal
 *
 * Drawn by whichever thread reports progress when the line is due, so there
 * is no thread of its own.
 */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/util/log.h"

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
        (void)snprintf (buf, size, "%.0f ", n);
    else
        (void)snprintf (buf, size, "%.1f %c", n, prefix[i]);
}

static void draw (uint64_t now)
{
    uint64_t done = atomic_load (&bar.done);
    double s = (double)(now - bar.start) / 1e9;
    double rate = s > 0 ? (double)done / s : 0;
    char count[32], speed[32];

    progress_scaled (count, sizeof (count), (double)done);
    progress_scaled (speed, sizeof (speed), rate);
    (void)fprintf (stderr, "\r\033[K%s: %s%s, %s%s/s", bar.what, count,
                   bar.unit, speed, bar.unit);
    if (bar.total > 0 && done > 0 && done <= bar.total)
        (void)fprintf (stderr, ", %.0f %%, %.0f s left",
                       100.0 * (double)done / (double)bar.total,
                       (double)(bar.total - done) / rate);
    (void)fflush (stderr);
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
    (void)pthread_mutex_unlock (&drawing);
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
    (void)pthread_mutex_lock (&drawing);
    if (atomic_exchange (&bar.shown, 0)) {
        (void)fputs ("\r\033[K", stderr);
        (void)fflush (stderr);
    }
    (void)pthread_mutex_unlock (&drawing);
}

void progress_end (void)
{
    atomic_store (&bar.due, 0);
    progress_hide ();
}
