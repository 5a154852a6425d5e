/* SPDX-License-Identifier: MIT
 *
 * checkpoint.h - model, optimizer and random state -> files
 *
 *   DIR/checkpoint-0000003/model_optim_rng.pt        rank 0: model
 *                         /distrib_optim_000.pt      each rank: its part
 *                         /rng_000.pt                each rank
 *   DIR/latest_checkpointed_iteration.txt            rank 0, last
 *
 * Sizes do not depend on batch or sequence, so neither do the writes.
 */
#ifndef MINIGPT_CHECKPOINT_H
#define MINIGPT_CHECKPOINT_H

#include <stdint.h>

#include "etc/examples/minigpt/failure.h"
#include "etc/examples/minigpt/mt19937.h"

struct checkpoint {
    const char *dir;
    uint64_t model_bytes; /* the optimizer's state is twice that, shared out
                             over the ranks */
    int rank, world;
    uint64_t last; /* step of the previous one, which is removed; 0 none */
};

/* Write the state after a step. 0, or -1 with f. */
int checkpoint_save (struct checkpoint *c,
                     uint64_t step,
                     const struct mt19937 *random,
                     struct failure *f);

#endif
