/* SPDX-License-Identifier: MIT
 *
 * cache.h - the three indices as files: rank 0 builds, the others wait
 */
#ifndef MINIGPT_CACHE_H
#define MINIGPT_CACHE_H

#include <stdint.h>

#include "etc/examples/minigpt/failure.h"
#include "etc/examples/minigpt/idxfile.h"
#include "etc/examples/minigpt/npy.h"

/* What the names of the files are made of: equal descriptions share them. */
struct cache_key {
    const char *dir;
    uint64_t sequence, samples;
    uint32_t seed;
};

struct cache {
    struct npy document, sample, shuffle;
};

/* Map the files; when they are not there, rank 0 builds them from idx and
 * every other rank waits for them. 0, or -1 with f. */
int cache_open (struct cache *c,
                const struct cache_key *key,
                const struct idxfile *idx,
                int rank,
                struct failure *f);
void cache_close (struct cache *c); /* a zeroed one is fine */

#endif
