/* SPDX-License-Identifier: MIT
 *
 * show.h - expression, result and errno on a line of standard output
 *
 * What a victim shows must be the same traced and untraced, so nothing that
 * differs from run to run (a pid, an address, a time) may be shown.
 */
#ifndef DFT_TESTS_SHOW_H
#define DFT_TESTS_SHOW_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

static inline void show (const char *what, long value)
{
    int err = errno;

    if (value < 0 && err != 0)
        (void)printf ("%s = %ld %s\n", what, value, strerror (err));
    else
        (void)printf ("%s = %ld\n", what, value);
    (void)fflush (stdout);
    errno = 0;
}

#define SHOW(E) (errno = 0, show (#E, (long)(E)))

/* A victim's main: KIND names one row of a table of these. */
struct victim {
    const char *kind;
    void (*function) (void);
};

static inline int
victim_run (const struct victim *v, size_t n, const char *kind)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp (kind, v[i].kind) != 0)
            continue;
        v[i].function ();
        return 5;
    }
    (void)fprintf (stderr, "%s: no such kind\n", kind);
    return 2;
}

#define VICTIM_RUN(TABLE, KIND) \
    victim_run (TABLE, sizeof (TABLE) / sizeof ((TABLE)[0]), KIND)

#endif
