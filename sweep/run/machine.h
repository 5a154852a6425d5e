/* SPDX-License-Identifier: MIT
 *
 * machine.h - the node of a run: its description, its page cache
 */
#pragma once

#include "lib/base/text.h"
#include "lib/util/json.h"
#include "sweep/plan/sweepdir.h"
#include "sweep/run/runstatus.h"
#include "lib/util/xalloc.h"

/* --- machine.c: a node, its file systems; versions and environment of a sweep
 * ---
 */

/* -- what a node is, and on what its data lies -- */

/* The value after "KEY : ", or KEY=, in a file of /proc or /etc; NULL: none. */
const char *machine_value (const char *path, const char *key, char sign);

/* "host": name, system, kernel, processor, cores, NUMA nodes, memory, GPUs,
 * fast networks. What cannot be known is null or absent. */
void machine_host (struct json *j);

/* "mounts": device, directory, type and options of the file systems of these
 * paths (the first 32 that differ), and how a path is striped where lfs (1)
 * knows. */
void machine_mounts (struct json *j, const char *const *path, size_t paths);

/* -- where a sweep comes from: project, versions, environment -- */

/* "git": commit, branch, whether it has changes; these as dir/git.diff. null
 * when the project is under no git. Runs git, bounded in time and size. */
void provenance_git (struct json *j, const char *project, const char *dir);

/* "versions": of dftrace, Slurm and the kernel; "modules" that are loaded. */
void provenance_versions (struct json *j);

/* The environment of this process, one NAME=VALUE a line, sorted, for a file
 * that only its owner may read. Values of names that speak of secrets are left
 * out. */
const char *provenance_environment (void);

/* --- pagecache.c: what a node remembers of earlier runs --- */

enum pagecache_action {
    PAGECACHE_SIZES, /* nothing is opened */
    PAGECACHE_LOOK,
    PAGECACHE_DROP,
    PAGECACHE_FILL
};

struct pagecache_sum {
    int64_t bytes, resident; /* of files; in memory afterwards */
    int unknown;             /* the kernel does not tell of some file */
};

/* Add the regular files at path, or below it, to *sum; DROP takes them out of
 * the page cache, FILL reads them into it. A link at path is followed, links
 * below are not. What cannot be opened
 * counts as not resident. One thread. */
void pagecache_tree (const char *path,
                     enum pagecache_action action,
                     struct pagecache_sum *sum);

/* Before a run: with `cold`, drop its data from the page cache; note the run
 * that used this node before (and leave our name for the next), the size of
 * the page cache, how much of the data is in it, and the load. What cannot be
 * known stays 0, "" or -1. */
void pagecache_before (const struct sweepdir *d,
                       const struct point *p,
                       struct run r,
                       struct runstatus *s);
