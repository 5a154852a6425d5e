/* SPDX-License-Identifier: MIT
 *
 * sweepdir.h - the sweep directory: frozen, opened, its paths, its rounds of
 * maps
 */
#pragma once

#include "lib/util/strmap.h"
#include "sweep/plan/order.h"

/* --- sweepdir.c: the sweep directory: frozen, opened, its paths ---
 *
 *   spec.yaml plan.csv order.csv manifest.json journal.jsonl
 *   jobs/round.0 jobs/g0.0.sbatch jobs/g0.0.map …   slurm/4711_3.out
 *   runs/LABEL.ID/rN/aN/{env,script,stdout,stderr,status,trace/}
 *   results/
 */

struct sweepdir {
    const char *path; /* absolute */
    struct spec *spec;
    struct grid *grid;
    struct layout *layout; /* chunks of all rounds; every run once */
    int rounds;            /* 1, and one more per resume or extend */
    struct strmap *points; /* id -> index in the grid */
    const char *nonce;     /* 8 hex digits: makes job names unique */
    const char *cwd;       /* where the user stood; runs start there */
    int max_tasks;
    int wave; /* jobs in Slurm at a time; 0: no limit known */
    int lock; /* descriptor, -1: not locked */
};

/* A failure in one of these functions ends the command (die). */

struct sweepdir *sweepdir_open (const char *path);
void sweepdir_close (struct sweepdir *d);

/* One driver at a time: wait for another for a while. The
 * lock ends with the process, at the latest. A file system without locks is
 * no error. */
void sweepdir_lock (struct sweepdir *d);
void sweepdir_unlock (struct sweepdir *d);

/* "DIR/runs/LABEL.ID/rN" and "…/aN". */
const char *sweepdir_run_path (const struct sweepdir *d, struct run r);
const char *
sweepdir_attempt_path (const struct sweepdir *d, struct run r, int attempt);
/* Number of the newest attempt, -1 when there is none. */
int sweepdir_last_attempt (const struct sweepdir *d, struct run r);

/* "gpt-io.3f9a1c02.g0.0" */
const char *sweepdir_job_name (const struct sweepdir *d, const char *what);

/* "3f9a1c02.r0c" -> run; -1 when it is not of this sweep. */
int sweepdir_run_of_id (const struct sweepdir *d,
                        const char *id,
                        struct run *out);

/* The run that line `index` of jobs/MAP.map names. */
struct run
sweepdir_map_lookup (const struct sweepdir *d, const char *map, int index);

/* --- rounds.c: the maps that tell each task of an array its run ---
 *
 *   jobs/round.N     one line per array of the round; written last
 *   jobs/NAME.map    "task run label repeat position", one line per task
 *
 * Round 0 is the whole sweep. A resume or an extension adds a round with new,
 * shorter maps; a run belongs to the last round that has it.
 */

/* Maps, then jobs/round.N of the sweep directory at path. */
void round_write (const char *path,
                  const struct grid *g,
                  const struct layout *l,
                  int round);

/* Chunk n of d->layout becomes two of half its size, with maps of their own,
 * here and on disk. A chunk that has a job must not be split. */
void round_split (struct sweepdir *d, size_t n);

/* The runs of s and g, in their order, that no round of d has; in d's
 * memory. */
struct run *rounds_missing (const struct sweepdir *d,
                            const struct spec *s,
                            const struct grid *g,
                            size_t *count);

/* All rounds -> d->layout and d->rounds. */
void rounds_read (struct sweepdir *d);
