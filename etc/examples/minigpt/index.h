/* SPDX-License-Identifier: MIT
 *
 * index.h - document lengths -> the three indices of Megatron's GPTDataset
 *
 *   document  ids in shuffled order, all epochs
 *   sample    [samples + 1][2]: entry of `document`, token in that document,
 *             where a sample begins; it ends in the next row, and its last
 *             token is the first one of the next sample
 *   shuffle   in which order the samples are used
 *
 * Pure. With numpy's RandomState the arrays are equal to Megatron's
 * (core/datasets/gpt_dataset.py, helpers.cpp: build_sample_idx).
 */
#ifndef MINIGPT_INDEX_H
#define MINIGPT_INDEX_H

#include <stdint.h>

#include "etc/examples/minigpt/failure.h"

struct index {
    uint32_t *document, *sample, *shuffle; /* owned */
    uint64_t documents;                    /* entries of document */
    uint64_t samples; /* entries of shuffle; sample has one row more */
    uint64_t epochs;
};

/* Build for `wanted` samples of sequence + 1 tokens out of n documents. More
 * samples than wanted may come of it. 0; -1 with f: nothing to free. */
int index_build (struct index *x,
                 const int32_t *length,
                 uint64_t n,
                 uint64_t sequence,
                 uint64_t wanted,
                 uint32_t seed,
                 struct failure *f);
void index_free (struct index *x); /* a zeroed one is fine */

#endif
