/* SPDX-License-Identifier: MIT
 *
 * nodename.h - the node that this process runs on
 *
 * Launchers of MPI (hydra) hand the environment of the first node on to all
 * others, SLURMD_NODENAME with it. So the plugin says which kernel the name is
 * of (DFTRACE_NODE), and who is on another one asks his own. System calls only,
 * async-signal-safe.
 */
#pragma once

#include <stddef.h>

#include "lib/settings/jobdir.h"
#include "lib/settings/settings.h"

/* -- the node that this process runs on -- */

enum { NODENAME_MAX = 256 };

/* The text for DFTRACE_NODE, said on the node itself: its name in Slurm, that
 * of its kernel, the id of its boot, "tsc" where that is its clock. "" when
 * that is not known. */
char *nodename_describe (const char *node, char text[SETTING_TEXT_MAX]);

/* The name into out (cut at NODENAME_MAX - 1 bytes, '/' is '_'): of Slurm if it
 * is this kernel's, else the kernel's own. Returns out; "" if there is none.
 * Its clock is told to clock.h. */
char *
nodename_find (settings_lookup_f lookup, void *cookie, char out[NODENAME_MAX]);

/* -- Slurm's variables in the environment -> struct jobinfo -- */

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
