/* SPDX-License-Identifier: MIT
 *
 * leftover.h - jobs of which this node still has staged shards
 *
 * <state_dir>/<job id>.<host>.left: the marker of such a job.
 */
#ifndef DFT_EPILOG_LEFTOVER_H
#define DFT_EPILOG_LEFTOVER_H

#include <stdint.h>

/* Keep the marker of a job for a later epilog. 0 or -1. */
int leftover_keep (const char *state_dir, uint32_t job_id, const char *host);

/* Some job that was kept on this host and not yet tried by this process, into
 * *job_id; 0 when there is none. Those over a week old are forgotten. */
int leftover_next (const char *state_dir, const char *host, uint32_t *job_id);

/* The host under which its marker is read and removed. */
void leftover_host (const char *host, char *buf, unsigned long size);

#endif
