/* SPDX-License-Identifier: MIT
 *
 * cpulimits.h - how many processors a process may use, and when it was stopped
 */
#pragma once

#include <stdint.h>

/* Of the cgroups that a process is in, the one with the smallest limit. */
struct cpulimits {
    unsigned allowed;   /* processors of the affinity; 0 not known */
    uint64_t limit;     /* thousandths of a processor; 0 none is known */
    int counts;         /* are these known? */
    uint64_t group;     /* inode of its directory, which no other group has */
    uint64_t periods;   /* in which it was throttled */
    uint64_t throttled; /* us, added up over processors */
};

/* Of this process. */
void cpulimits_read (struct cpulimits *l);

/* The cgroups alone: those that the file list names, as /proc/self/cgroup
 * does, in the mounts below root. */
void cpulimits_cgroups (struct cpulimits *l,
                        const char *list,
                        const char *root);

/* Leave in *end what its counts have grown by since start. 0: not known. */
int cpulimits_growth (struct cpulimits *end, const struct cpulimits *start);
