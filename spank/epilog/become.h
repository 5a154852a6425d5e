/* SPDX-License-Identifier: MIT
 *
 * become.h - root in a child process -> the user, for good
 */
#ifndef DFT_EPILOG_BECOME_H
#define DFT_EPILOG_BECOME_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/base/text.h"
#include "lib/settings/marker.h"

struct become {
    uid_t uid;
    gid_t gid;
    const struct marker_groups *groups; /* NULL or none: those that this node
                                           knows of the user */
    const char *host;                   /* becomes SLURMD_NODENAME */
    unsigned long cpu_seconds;          /* limits of each process: */
    uint64_t memory;                    /* bytes, 0 none */
};

/* Give up root: groups, ids, umask 077, clean environment, limits, nice, no
 * way back. -1 and err when any of it failed: the caller must then end. */
int become_user (const struct become *to, struct errtext *err);

#endif
