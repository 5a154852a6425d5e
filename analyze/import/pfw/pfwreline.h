/* SPDX-License-Identifier: MIT
 *
 * pfwreline.h - JSON traces that are not one event a line -> those that are
 *
 * In:  bytes of a file: {"traceEvents": [...]} of Chrome, Perfetto and PyTorch,
 *      objects over several lines, pairs of "ph" B and E
 * Out: one object a line, a pair as one event with a duration
 */
#ifndef DFT_ANALYZE_PFWRELINE_H
#define DFT_ANALYZE_PFWRELINE_H

#include <stddef.h>
#include <stdint.h>

struct pfw_reline;

/* The first bytes of a file: is it to be changed? */
int pfw_reline_wanted (const char *p, size_t n);

/* NULL: ENOMEM. */
struct pfw_reline *pfw_reline_create (void);
void pfw_reline_destroy (struct pfw_reline *r); /* NULL is fine */

/* n more bytes of the file; end: there are no more. 0, or -1 (ENOMEM). */
int pfw_reline_feed (struct pfw_reline *r, const char *p, size_t n);
int pfw_reline_end (struct pfw_reline *r);

/* Up to n bytes of what has become of them. */
size_t pfw_reline_take (struct pfw_reline *r, char *out, size_t n);

/* Ends without a begin. */
uint64_t pfw_reline_bad (const struct pfw_reline *r);

#endif
