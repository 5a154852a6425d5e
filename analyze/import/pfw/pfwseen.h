/* SPDX-License-Identifier: MIT
 *
 * pfwseen.h - lines of a DFTracer trace that are there twice
 *
 * A process that forks with events in its buffer leaves them to its child,
 * and both write them: the same numbers, times and arguments. A thread's
 * lines go back in time then, which is how that is noticed; which ones are
 * copies is found in a second reading.
 */
#ifndef DFT_ANALYZE_PFWSEEN_H
#define DFT_ANALYZE_PFWSEEN_H

#include "analyze/import/pfw/pfwlex.h"

/* Where the lines of a thread are: ns; the number of the line + 1, 0 none. */
struct pfw_mark {
    uint64_t start, end, id;
};

/* Does a thread whose last line was `before` go back with `after`? Nested
 * events do not, be they sorted by their begin or their end. */
int pfw_goes_back (const struct pfw_mark *before, const struct pfw_mark *after);

struct pfw_seen;

struct pfw_seen *pfw_seen_create (void);       /* NULL: ENOMEM */
void pfw_seen_destroy (struct pfw_seen *seen); /* NULL is fine, keeps errno */

/* 0 the line is new, or has no number; 1 it is there already; -1 ENOMEM. */
int pfw_seen_add (struct pfw_seen *seen, const struct pfw_line *l);

#endif
