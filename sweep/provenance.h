/* SPDX-License-Identifier: MIT
 *
 * provenance.h - where a sweep comes from: project, host, file systems
 */
#ifndef DFT_SWEEP_PROVENANCE_H
#define DFT_SWEEP_PROVENANCE_H

#include "lib/util/json.h"
#include "sweep/grid.h"

/* "git": commit, branch, whether it has changes; these as dir/git.diff. null
 * when the project is under no git. Runs git, bounded in time and size. */
void provenance_git (struct json *j,
                     struct arena *a,
                     const char *project,
                     const char *dir);

/* "versions": of dftrace, Slurm and the kernel; "modules" that are loaded. */
void provenance_versions (struct json *j, struct arena *a);

/* "host": name, processor, cores, memory. */
void provenance_host (struct json *j);

/* "mounts": device, directory and type of the file systems of these paths. */
void provenance_mounts (struct json *j,
                        struct arena *a,
                        const char *const *path,
                        size_t paths);

#endif
