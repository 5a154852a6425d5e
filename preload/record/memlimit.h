/* SPDX-License-Identifier: MIT
 *
 * memlimit.h - may a trace that is staged in memory grow?
 *
 * What a file system in memory (/dev/shm) holds counts against the memory limit
 * of the job (Slurm's --mem), and cannot be taken back by the kernel. Such a
 * trace may have an eighth of that limit; a process that then needs more goes
 * on as a profile, as at max_bytes.
 */
#ifndef DFT_CORE_MEMLIMIT_H
#define DFT_CORE_MEMLIMIT_H

#include "lib/settings/settings.h"

/* Once, at the start of a process. */
void memlimit_start (const struct settings *s);

/* No more of it. Asks the kernel, some 50 us; at once 0 for all other
 * traces. */
int memlimit_is_reached (void);

#endif
