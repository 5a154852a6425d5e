/* SPDX-License-Identifier: MIT
 *
 * summarypack.h - the facts that metrics are made of <-> bytes
 *
 * For the same program on the same kind of machine: summarypack_layout says
 * whether it is.
 */
#ifndef DFT_ANALYZE_SUMMARYPACK_H
#define DFT_ANALYZE_SUMMARYPACK_H

#include "analyze/facts/summary.h"
#include "analyze/scan/packer.h"

/* Can it be packed? Not what layers mmap and kernel say. */
int summary_packs (const struct summary *s);

/* The summary, and what summary_make added to t. */
void summary_pack (struct packer *p,
                   const struct summary *s,
                   const struct totals *t);

/* Into t, which has the processes of that time in their order. 0, or -1:
 * u->bad, ENOMEM; s is to be cleared in any case. */
int summary_unpack (struct unpacker *u, struct summary *s, struct totals *t);

/* A number that differs when the layout does. */
uint64_t summarypack_layout (void);

#endif
