/* SPDX-License-Identifier: MIT
 *
 * train.h - steps: fetch, compute, now and then a checkpoint
 */
#ifndef MINIGPT_TRAIN_H
#define MINIGPT_TRAIN_H

#include <stdint.h>

#include "etc/examples/minigpt/failure.h"
#include "etc/examples/minigpt/loader.h"
#include "etc/examples/minigpt/options.h"

struct train_result {
    uint64_t steps, samples, checkpoints;
    uint64_t digest; /* of all tokens, in the order of their use */
    struct item_cost cost;
};

/* 0, or -1 with f. */
int train (const struct options *o,
           struct dataset *d,
           struct train_result *r,
           struct failure *f);

#endif
