/* SPDX-License-Identifier: MIT
 *
 * loader.h - micro batches of this rank, made by forked workers
 *
 * As PyTorch's DataLoader: batch b is made by worker b % workers; each worker
 * has PREFETCH requests in front of it; tokens come back through shared
 * memory, notes through pipes. Nothing is requested beyond the last batch, so
 * what is read does not depend on timing.
 */
#ifndef MINIGPT_LOADER_H
#define MINIGPT_LOADER_H

#include <stdint.h>

#include "etc/examples/minigpt/dataset.h"

struct loader_options {
    int workers;          /* 0: the caller does the work in loader_next */
    uint64_t micro_batch; /* samples of a batch */
    uint64_t batches;     /* of this rank, until the end */
    int rank, world;
};

struct loader;

/* Start the workers. d is the caller's and must stay. NULL with f. */
struct loader *loader_create (struct dataset *d,
                              const struct loader_options *o,
                              struct failure *f);
/* Ends and awaits the workers; NULL is fine. */
void loader_destroy (struct loader *l);

/* Tokens of the next batch: micro_batch x (sequence + 1), valid until the
 * next call. NULL with f: a worker failed, or there are no more. */
const int64_t *loader_next (struct loader *l, struct failure *f);

/* What all batches so far took. */
struct item_cost loader_cost (const struct loader *l);

#endif
