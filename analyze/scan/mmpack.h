/* SPDX-License-Identifier: MIT
 *
 * mmpack.h - the lists of a process <-> a section of a partial result
 */
#ifndef DFT_ANALYZE_MMPACK_H
#define DFT_ANALYZE_MMPACK_H

#include "analyze/scan/mmlog.h"
#include "analyze/scan/packer.h"

void mmlog_pack (struct packer *p, const struct mm_log *log);

/* Into an empty log. 0, or -1: what makes no sense (u->bad), ENOMEM. */
int mmlog_unpack (struct unpacker *u, struct mm_log *log);

/* A number that differs when the layout of the lists does. */
uint64_t mmlog_layout (void);

#endif
