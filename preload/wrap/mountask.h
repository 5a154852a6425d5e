/* SPDX-License-Identifier: MIT
 *
 * mountask.h - an open file -> type and place of its mount
 *
 * The kernel is asked, never the file system: a server that does not answer
 * is not waited for. System calls only; fit for a signal handler.
 */
#ifndef DFT_PRELOAD_MOUNTASK_H
#define DFT_PRELOAD_MOUNTASK_H

#include <stdint.h>

#include "lib/base/mountinfo.h"

/* statmount (Linux 6.8), which older headers do not name. */
enum { MOUNTASK_STATMOUNT = 457 };

/* Texts are "" where nobody knows. device is the file's st_dev. */
void mountask (struct mountinfo_mount *mount, int fd, uint64_t device);

#endif
