/* SPDX-License-Identifier: MIT
 *
 * taskdir.h - a plan -> the job directory of a task
 */
#ifndef DFT_CORE_TASKDIR_H
#define DFT_CORE_TASKDIR_H

#include "lib/settings/taskenv.h"

/* Make it, or one beside it where it is another job's (made->apart), and leave
 * the markers there; made->stage is known. 0, or -1 and made->err. */
int taskdir_make (const struct plan *p,
                  const struct jobinfo *job,
                  struct taskenv_made *made);

#endif
