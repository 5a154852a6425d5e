/* SPDX-License-Identifier: MIT
 *
 * machine.h - a node, its file systems; versions and environment of a sweep
 */
#ifndef DFT_RUN_MACHINE_H
#define DFT_RUN_MACHINE_H

#include "lib/base/text.h"
#include "lib/util/json.h"
#include "sweep/spec/arena.h"

/* -- what a node is, and on what its data lies -- */

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

/* -- where a sweep comes from: project, versions, environment -- */

/* "git": commit, branch, whether it has changes; these as dir/git.diff. null
 * when the project is under no git. Runs git, bounded in time and size. */
void provenance_git (struct json *j,
                     struct arena *a,
                     const char *project,
                     const char *dir);

/* "versions": of dftrace, Slurm and the kernel; "modules" that are loaded. */
void provenance_versions (struct json *j, struct arena *a);

/* The environment of this process, one NAME=VALUE a line, sorted, to a file
 * that only its owner may read. Values of names that speak of secrets are left
 * out. */
int provenance_environment (const char *path, struct errtext *err);

#endif
