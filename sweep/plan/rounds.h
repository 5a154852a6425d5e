/* SPDX-License-Identifier: MIT
 *
 * rounds.h - what was and is to be submitted, as files: maps and their list
 *
 *   jobs/round.N     one line per array of the round; written last
 *   jobs/NAME.map    "task run label repeat position", one line per task
 *
 * Round 0 is the whole sweep. A resume or an extension adds a round with new,
 * shorter maps; a run belongs to the last round that has it.
 */
#ifndef DFT_PLAN_ROUNDS_H
#define DFT_PLAN_ROUNDS_H

#include "sweep/plan/sweepdir.h"

/* Maps, then jobs/round.N of the sweep directory at path. */
int round_write (struct arena *a,
                 const char *path,
                 const struct grid *g,
                 const struct layout *l,
                 int round,
                 struct errtext *err);

/* Chunk n of d->layout becomes two of half its size, with maps of their own,
 * here and on disk. A chunk that has a job must not be split. */
int round_split (struct sweepdir *d, size_t n, struct errtext *err);

/* The runs of s and g, in their order, that no round of d has; in d's
 * memory. */
struct run *rounds_missing (const struct sweepdir *d,
                            const struct spec *s,
                            const struct grid *g,
                            size_t *count);

/* All rounds -> d->layout and d->rounds. */
int rounds_read (struct sweepdir *d, struct errtext *err);

#endif
