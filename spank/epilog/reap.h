/* SPDX-License-Identifier: MIT
 *
 * reap.h - wait for a child and all it started, or end them
 */
#ifndef DFT_EPILOG_REAP_H
#define DFT_EPILOG_REAP_H

#include <stdint.h>
#include <sys/types.h>

/* CLOCK_MONOTONIC, milliseconds. */
uint64_t reap_now_ms (void);

/* Wait for pid, the leader of its process group, at most so long; then end all
 * that is our child by now, whatever group or session it made (the caller is
 * its subreaper), and all that is in group (killgroup.h; NULL: none).
 * *timed_out: pid was still there. 0 when it ended well in time, REAP_CRASHED
 * when a signal ended it in time, else -1. */
enum { REAP_CRASHED = -2 };
int reap_wait (pid_t pid,
               const char *group,
               uint64_t timeout_ms,
               int *timed_out);

#endif
