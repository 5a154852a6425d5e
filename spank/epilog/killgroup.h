/* SPDX-License-Identifier: MIT
 *
 * killgroup.h - a cgroup for the epilog's child, which is ended as a whole
 */
#ifndef DFT_EPILOG_KILLGROUP_H
#define DFT_EPILOG_KILLGROUP_H

#include <stdint.h>
#include <sys/types.h>

/* -- a cgroup for the epilog's child, which is ended as a whole -- */

#define KILLGROUP_PREFIX "dftrace-epilog."

/* A new group below the caller's own in the mounted cgroup v2 hierarchy; groups
 * of earlier epilogs that were killed are ended. Its directory, the caller's to
 * free; NULL and errno where there is no such hierarchy, or nothing may be
 * written there: then process group and subreaper have to do. As root. */
char *killgroup_make (void);

/* fork () whose child is in the group from its first instruction (NULL: a plain
 * one); a child that cannot be put there says so and goes on. One thread. By
 * clone3 (Linux 5.7), because who moves a process waits for an RCU grace
 * period, some 20 ms and more on a busy node, and keeps all others from
 * changing cgroups in the meantime. */
pid_t killgroup_fork (const char *group);

/* Put the caller, and all that it will start, into the group. 0 or -1. */
int killgroup_enter (const char *group);

/* Send SIGKILL to all that is in the group, by cgroup.kill (Linux 5.14), else
 * to one after the other; may be called again until they are gone. NULL is
 * fine. */
void killgroup_kill (const char *group);

/* Remove the group, which is empty, and free its name. NULL is fine. */
void killgroup_destroy (char *group);

/* -- wait for a child and all it started, or end them -- */

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
