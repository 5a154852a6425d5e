/* SPDX-License-Identifier: MIT
 *
 * failure.h - one line of error text, owned by the caller
 */
#ifndef MINIGPT_FAILURE_H
#define MINIGPT_FAILURE_H

struct failure {
    char text[512];
};

/* Format into f; returns -1 and keeps errno. */
int failf (struct failure *f, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

#endif
