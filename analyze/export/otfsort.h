/* SPDX-License-Identifier: MIT
 *
 * otfsort.h - events -> the same in the order of their starts, in little memory
 */
#ifndef DFT_ANALYZE_OTFSORT_H
#define DFT_ANALYZE_OTFSORT_H

#include "analyze/export/otfevent.h"

enum { OTFSORT_ROOM = 32 << 20 /* bytes of events in memory, at most */ };

struct otfsort;

/* What is more than room bytes goes to an unnamed temporary file. NULL: ENOMEM.
 */
struct otfsort *otfsort_create (size_t room);
void otfsort_destroy (struct otfsort *s); /* NULL is fine, keeps errno */

/* Take a copy, with its arguments. 0, or -1 with errno. */
int otfsort_add (struct otfsort *s, const struct otfevent *e);

/* All have been added: give them from the first on. 0, or -1 with errno. */
int otfsort_sort (struct otfsort *s);

/* The next one; its arguments are valid until the next call. 1, 0 at the end,
 * -1 with errno. */
int otfsort_next (struct otfsort *s, struct otfevent *e);

/* Forget all, to begin anew. */
void otfsort_reset (struct otfsort *s);

#endif
