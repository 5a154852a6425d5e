/* SPDX-License-Identifier: MIT
 *
 * tracespec.h - "posix,app,job_dir=/x,max_bytes=2G" -> layers and settings
 *
 * What --dftrace= and SLURM_DFTRACE hold.
 */
#ifndef DFT_CORE_TRACESPEC_H
#define DFT_CORE_TRACESPEC_H

#include "lib/base/text.h"
#include "lib/settings/settings.h"

struct tracespec {
    int layers;               /* set of enum layer; -1 when no layer is named */
    struct settings settings; /* those that are given */
};

/* Parse text into spec. NULL, "" and "(null)" (what Slurm makes of a missing
 * argument) are errors. -1 and err on failure, and spec says nothing then. */
int tracespec_parse (struct tracespec *spec,
                     const char *text,
                     struct errtext *err);

#endif
