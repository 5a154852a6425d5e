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

/* Give up root: groups, ids, umask 077, clean environment, limits, nice, no
 * way back. host becomes SLURMD_NODENAME. -1 and err when any of it failed:
 * the caller must then end. groups: NULL or none: those that this node knows
 * of the user. cpu_seconds and memory (bytes, 0 none): limits of each
 * process. */
int become_user (uid_t uid,
                 gid_t gid,
                 const struct marker_groups *groups,
                 const char *host,
                 unsigned long cpu_seconds,
                 uint64_t memory,
                 struct errtext *err);

#endif
