/* SPDX-License-Identifier: MIT
 *
 * jobfiles.h - a job directory -> the trace files to read
 */
#ifndef DFT_REPORT_JOBFILES_H
#define DFT_REPORT_JOBFILES_H

#include <stddef.h>

#include "lib/core/errtext.h"

struct jobfiles {
    char **path; /* owned */
    size_t count;
};

/* trace.dft when no shard is newer, else the shards in order of their names;
 * none is no error. 0, or -1 with err (ENOMEM); clear f in any case. */
int jobfiles_find (struct jobfiles *f, const char *dir, struct errtext *err);
void jobfiles_clear (struct jobfiles *f);

#endif
