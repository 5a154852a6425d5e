/* SPDX-License-Identifier: MIT
 *
 * marker.h - what root tells this node's epilog of a job
 *
 * <state_dir>/<job id>.<host>, root's, mode 0600: lines "uid gid directory".
 * The epilog need not believe the user who he is or where his files are.
 */
#ifndef DFT_SPANK_MARKER_H
#define DFT_SPANK_MARKER_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/core/errtext.h"

/* Add a line unless it is there. As root. 0, or -1, errno and err. */
int marker_add (const char *state_dir,
                uint32_t job_id,
                const char *host,
                uid_t uid,
                gid_t gid,
                const char *directory,
                struct errtext *err);

#endif
