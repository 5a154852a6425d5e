/* SPDX-License-Identifier: MIT
 *
 * machine.h - what a node is, and on what its data lies
 */
#ifndef DFT_SWEEP_MACHINE_H
#define DFT_SWEEP_MACHINE_H

#include "lib/util/json.h"
#include "sweep/plan/arena.h"

/* "host": name, system, kernel, processor, cores, NUMA nodes, memory, GPUs,
 * fast networks. What cannot be known is null or absent. */
void machine_host (struct json *j);

/* "mounts": device, directory, type and options of the file systems of these
 * paths (the first 32 that differ), and how a path is striped where lfs (1)
 * knows. */
void machine_mounts (struct json *j,
                     struct arena *a,
                     const char *const *path,
                     size_t paths);

#endif
