/* SPDX-License-Identifier: MIT
 *
 * pfwtake.h - traces of a job -> records of DFTracer's JSON lines, by time
 */
#ifndef DFT_ANALYZE_PFWTAKE_H
#define DFT_ANALYZE_PFWTAKE_H

#include "analyze/export/pfwline.h"
#include "analyze/trace/parts.h"

struct pfw_taker;

/* parts stay the caller's. NULL: ENOMEM. */
struct pfw_taker *pfw_taker_create (const struct parts *parts);
void pfw_taker_destroy (struct pfw_taker *t); /* NULL is fine */

/* The next lines: about as many as a member of the file has. *events gets how
 * many events are among them. 1, 0 at the end, -1 (ENOMEM). Which lines these
 * are depends on the traces only. Records point to what t owns. */
int pfw_taker_next (struct pfw_taker *t, struct pfw_records *r, size_t *events);

/* Lines so far that say when a process began or ended. */
uint64_t pfw_taker_moments (const struct pfw_taker *t);

/* Events so far that were in chunks that could not be decoded. */
uint64_t pfw_taker_bad (const struct pfw_taker *t);

#endif
