/* SPDX-License-Identifier: MIT
 *
 * spanpack.h - times of one thread <-> a section of a file
 */
#ifndef DFT_ANALYZE_SPANPACK_H
#define DFT_ANALYZE_SPANPACK_H

#include "analyze/scan/packer.h"
#include "analyze/scan/spanlog.h"

/* 0, or -1 (ENOMEM, or the temporary file cannot be read). */
int spanlog_pack (struct packer *p, const struct spanlog *log);

/* Into an empty log. 0, or -1: u->bad, or errno. */
int spanlog_unpack (struct unpacker *u, struct spanlog *log);

#endif
