/* SPDX-License-Identifier: MIT
 *
 * provenance.h - where a sweep comes from: project, versions, environment
 */
#ifndef DFT_SWEEP_PROVENANCE_H
#define DFT_SWEEP_PROVENANCE_H

#include "lib/util/json.h"
#include "lib/base/errtext.h"
#include "sweep/plan/arena.h"

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
