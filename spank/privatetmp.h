/* SPDX-License-Identifier: MIT
 *
 * privatetmp.h - a directory -> does it go with the job's private /tmp
 */
#ifndef DFT_SPANK_PRIVATETMP_H
#define DFT_SPANK_PRIVATETMP_H

#include "spank/jobenv.h"

/* In the task: say so when the job directory lies on a mount that
 * job_container/tmpfs made for this job, which removes it at its end. known:
 * the directory that the job has heard of before, or NULL. */
void privatetmp_tell (const char *dir,
                      const struct jobenv *job,
                      const char *known);

#endif
