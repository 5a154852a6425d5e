/* SPDX-License-Identifier: MIT
 *
 * jobvars.h - Slurm's variables in the environment -> struct jobinfo
 */
#ifndef DFT_CORE_JOBVARS_H
#define DFT_CORE_JOBVARS_H

#include "lib/settings/jobdir.h"

struct jobvars {
    struct jobinfo job; /* points into the rest and into the environment */
    char host[JOBDIR_NAME_MAX];
    char cwd[SETTING_TEXT_MAX];
};

/* Fill v, for a program inside a job. Without Slurm's variables ids are 0 and
 * names NULL. v must not be copied; valid until the environment changes. */
void jobvars_read (struct jobvars *v);

/* A variable that is set and not empty, or NULL. */
const char *jobvars_text (const char *name);

/* Return the variable as a number, or otherwise if it is not one. */
uint64_t jobvars_number (const char *name, uint64_t otherwise);

#endif
