/* SPDX-License-Identifier: MIT
 *
 * errtext.c - format -> one line of error text
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/base/errtext.h"

int errf (struct errtext *err, const char *fmt, ...)
{
    int saved_errno = errno;
    va_list ap;

    if (err) {
        va_start (ap, fmt);
        (void)vsnprintf (err->text, sizeof (err->text), fmt, ap);
        va_end (ap);
    }
    errno = saved_errno;
    return -1;
}
