/* SPDX-License-Identifier: MIT
 *
 * dataset.h - sample number -> tokens, as Megatron's GPTDataset
 */
#ifndef MINIGPT_DATASET_H
#define MINIGPT_DATASET_H

#include <stdint.h>

#include "etc/examples/minigpt/binreader.h"
#include "etc/examples/minigpt/cache.h"
#include "etc/examples/minigpt/idxfile.h"

struct dataset {
    struct idxfile idx;
    struct binreader bin;
    struct cache cache;
    uint64_t sequence;
    int mock; /* samples are made up: no files */
    char *bin_path;
    unsigned char *buf; /* of one sample's parts */
};

/* What an item took. */
struct item_cost {
    uint64_t parts; /* document parts read */
    uint64_t bytes; /* of them */
};

struct dataset_options {
    const char *prefix; /* PREFIX.bin, PREFIX.idx */
    enum access_mode access;
    struct cache_key key;
    int rank;
};

int dataset_open (struct dataset *d,
                  const struct dataset_options *o,
                  struct failure *f);
void dataset_close (struct dataset *d); /* a zeroed one is fine */

/* Tokens of an item: sequence + 1, the inputs and the last label. 0, or -1
 * with f. *cost is added to. Not for several threads: they share buf. */
int dataset_item (struct dataset *d,
                  uint64_t number,
                  int64_t *tokens,
                  struct item_cost *cost,
                  struct failure *f);

#endif
