/* SPDX-License-Identifier: MIT
 *
 * endjob.h - the end of a program that dftrace or Slurm has started
 *
 * For `dftrace run` and the plugin, as the user whose job it is.
 */
#ifndef DFT_CORE_ENDJOB_H
#define DFT_CORE_ENDJOB_H

#include <sys/types.h>

#include "lib/format/endline.h"
#include "lib/base/errtext.h"

/* Append the line, to shards/ended.HOST of the job directory dirfd. host: NULL
 * is this node. 0, or -1 and err (NULL: not wanted). */
int endjob_put (int dirfd,
                const char *host,
                const struct endline *l,
                struct errtext *err);

/* The same of a process that has ended now. status: as wait gives it; waiter:
 * see endline.h. */
int endjob_note (int dirfd,
                 const char *host,
                 pid_t pid,
                 int status,
                 const char *waiter,
                 struct errtext *err);

#endif
