/* SPDX-License-Identifier: MIT
 *
 * histpack.h - a histogram <-> a section of a file
 */
#ifndef DFT_ANALYZE_HISTPACK_H
#define DFT_ANALYZE_HISTPACK_H

#include "analyze/scan/hist.h"
#include "analyze/scan/packer.h"

void hist_pack (struct packer *p, const struct hist *h);

/* *h is overwritten; what makes no sense sets u->bad. */
void hist_unpack (struct unpacker *u, struct hist *h);

#endif
