/* SPDX-License-Identifier: MIT
 *
 * errtext.h - one line of error text, owned by the caller
 */
#ifndef DFT_CORE_ERRTEXT_H
#define DFT_CORE_ERRTEXT_H

struct errtext {
    char text[512]; /* "object: problem: next step", no newline */
};

/* Format into err (which may be NULL). Always returns -1 so that a function
 * can `return errf (err, …)`. Keeps errno. A longer text is cut.
 */
int errf (struct errtext *err, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

#endif
