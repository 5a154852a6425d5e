/* SPDX-License-Identifier: MIT
 *
 * failure.c - format -> one line of error text
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "etc/examples/minigpt/failure.h"

int failf (struct failure *f, const char *fmt, ...)
{
    int saved_errno = errno;
    va_list ap;

    va_start (ap, fmt);
    (void)vsnprintf (f->text, sizeof (f->text), fmt, ap);
    va_end (ap);
    errno = saved_errno;
    return -1;
}
