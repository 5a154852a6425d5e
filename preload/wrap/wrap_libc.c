/* SPDX-License-Identifier: MIT
 *
 * wrap_libc.c - wrappers of functions of libc that read or write files for
 *               themselves, as far as wraps.def has only their names
 */
#include "config.h"

#include <stdarg.h>

#include "preload/libcio.h"
#include "preload/real.h"
#include "preload/span.h"
#include "preload/counted.h"

void tzset (void)
{
    int looks = libcio_open (LIBCIO_ZONE);

    REAL (tzset) ();
    if (looks)
        libcio_end ();
}

/* A semaphore is written to a file as it is in memory, which then gets its
 * name. Without O_EXCL only the kernel knows whether it was there before. */
sem_t *sem_open (const char *name, int flags, ...)
{
    int makes = (flags & O_CREAT) != 0, exclusive = makes && (flags & O_EXCL);
    int looks = makes && !exclusive && libcio_open (LIBCIO_OTHERS);
    unsigned value = 0;
    mode_t mode = 0;
    sem_t *sem;
    va_list ap;

    va_start (ap, flags);
    if (makes) {
        mode = va_arg (ap, mode_t);
        value = va_arg (ap, unsigned);
    }
    va_end (ap);
    sem = REAL (sem_open) (name, flags, mode, value);
    if (looks)
        libcio_end ();
    else if (exclusive && (sem != SEM_FAILED || errno == EEXIST) &&
             span_active ())
        sums_add_written (LEFTOUT_libc, sizeof (*sem));
    return sem;
}
