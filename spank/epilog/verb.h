/* SPDX-License-Identifier: MIT
 *
 * verb.h - another verb of the command in a child process, with limits
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* --- verb.c: another verb of dftrace, in a process of its own or in this one
 * ---
 */

/* Run a verb; argv[0] is its word. Return its exit status after all output is
 * written. */
typedef int (*verb_run_f) (int argc, char **argv);
void verb_runner (verb_run_f function);

/* `dftrace VERB …` in a child of fork; argv ends with NULL. Its exit
 * status, or -1 when it could not run or was killed. */
int verb_run (const char *const *argv);

/* As verb_run, in this process, which ends if the verb crashes or has no
 * memory. Call it once
 * for each verb, since memory is not freed. */
int verb_call (const char *const *argv);

/* --- killgroup.c: a cgroup for the epilog's child, which is ended as a whole
 * ---
 */

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

/* While reap_wait waits, call leave (cookie) once when until_ms has come. If it
 * returns -1, all time is over, for later calls of reap_wait, too. */
void reap_front (uint64_t until_ms, int (*leave) (void *), void *cookie);
int reap_is_cut (void); /* leave returned -1 */

/* Wait for pid, the leader of its process group, at most so long; then end all
 * that is our child by now, whatever group or session it made (the caller is
 * its subreaper), and all that is in group (verb.h; NULL: none).
 * *timed_out: pid was still there. 0 when it ended well in time, REAP_CRASHED
 * when a signal or the lack of memory ended it in time, else -1. */
enum {
    REAP_CRASHED = -2,
    REAP_NO_MEMORY = 99 /* xalloc_status of such a child */
};
int reap_wait (pid_t pid,
               const char *group,
               uint64_t timeout_ms,
               int *timed_out);
