/* SPDX-License-Identifier: MIT
 *
 * pfwkept.c - blocks of a .pfw.gz, as they are read -> where they are
 *
 * In:  batches in the order of the file, from pfwtrace.c
 * Out: struct pfw_kept, to blockindex.c and pfwload.c
 */
#include "config.h"

#include "analyze/import/pfw/pfwkept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/import/pfw/pfwtrace.h"
#include "lib/format/shard.h"

enum { KEPT_MEMBERS_LEAST = 4 /* with fewer there is little to leave out */ };

struct pfw_kept *pfw_kept_create (const char *path)
{
    struct pfw_kept *k = calloc (1, sizeof (*k));

    if (k && !(k->path = strdup (path))) {
        free (k);
        return NULL;
    }
    return k;
}

void pfw_kept_destroy (struct pfw_kept *k)
{
    int saved = errno;

    if (!k)
        return;
    pfw_store_destroy (k->store);
    free (k->path);
    free (k->block);
    free (k->chunk);
    free (k->name);
    free (k->facts);
    free (k);
    errno = saved;
}

void pfw_kept_empty (struct pfw_kept *k)
{
    k->blocks = k->names = 0;
    k->fit = 0;
}

int pfw_kept_room (struct pfw_kept *k, size_t names)
{
    size_t blocks = k->blocks_room ? k->blocks_room : 64;
    size_t room = k->names_room ? k->names_room : 1024;
    void *more;

    if (k->blocks == k->blocks_room) {
        blocks *= 2;
        if (!(more = reallocarray (k->block, blocks, sizeof (*k->block))))
            return -1;
        k->block = more;
        k->blocks_room = blocks;
    }
    while (room < k->names + names)
        room *= 2;
    if (room == k->names_room)
        return 0;
    if (!(more = reallocarray (k->name, room, sizeof (*k->name))))
        return -1;
    k->name = more;
    k->names_room = room;
    return 0;
}

int pfw_kept_add (struct pfw_kept *k,
                  const struct pfw_batch *b,
                  uint64_t offset)
{
    const struct pfw_kept_block *before;
    struct pfw_kept_block *x;

    if (pfw_kept_room (k, b->names.count) < 0)
        return -1;
    before = k->blocks ? &k->block[k->blocks - 1] : NULL;
    x = &k->block[k->blocks++];
    *x = (struct pfw_kept_block){
        .begin = b->block.begin,
        .bytes = b->block.n,
        .from = b->block.from,
        .offset = offset,
        .used = b->used,
        .checksum = shard_checksum (b->bytes, b->used, 0),
        .chunk = before ? before->chunk + before->chunks : 0,
        .chunks = b->chunks,
        .name = k->names,
        .names = b->names.count,
        .last = b->block.last != 0};
    for (size_t i = 0; i < b->names.count; i++)
        k->name[k->names++] = b->names.item[i].number;
    return 0;
}

/* Is each block where the one before it ends, and are there members enough? */
static int pfwkept_places (const struct pfw_kept *k)
{
    size_t members = 0;
    uint64_t begin = 0;

    for (size_t i = 0; i < k->blocks; i++) {
        const struct pfw_kept_block *x = &k->block[i];

        if (x->begin != begin || x->bytes > PFW_KEPT_BLOCK_MAX)
            return 0;
        begin += x->bytes;
        members += i == 0 || x->from.packed != x[-1].from.packed;
    }
    return members >= KEPT_MEMBERS_LEAST;
}

int pfw_kept_end (struct pfw_kept *k,
                  const struct pfw_blocks *f,
                  const struct pfw_account *a,
                  const struct pfw_unit *unit,
                  struct pfw_store *store)
{
    const struct trace_chunk *chunk = pfw_store_chunks (store, &k->chunks);
    uint64_t lines, bytes;

    pfw_blocks_damage (f, &lines, &bytes);
    k->unit = *unit;
    k->fit = !pfw_blocks_relined (f) && a->in.gzip && !a->in.cut &&
             !a->in.members_bad && !a->in.packed_lost && !lines && !bytes &&
             !a->merged && !a->back && pfwkept_places (k);
    if (!k->fit)
        return 0;
    free (k->chunk);
    if (!(k->chunk = reallocarray (NULL, k->chunks + 1, sizeof (*k->chunk))))
        return -1;
    if (k->chunks)
        memcpy (k->chunk, chunk, k->chunks * sizeof (*chunk));
    pfw_store_keep_names (store);
    return 0;
}

struct pfw_store *pfw_kept_open (struct pfw_kept **all,
                                 size_t count,
                                 const char *path,
                                 struct pfw_reading *how,
                                 struct pfw_kept **kept,
                                 struct errtext *err)
{
    struct pfw_store *store;

    pfw_kept_destroy (*kept); /* of a file that could not be read before */
    *kept = NULL;
    for (size_t i = 0; i < count; i++)
        if (all[i] && strcmp (all[i]->path, path) == 0) {
            *kept = all[i];
            all[i] = NULL;
            store = (*kept)->store;
            (*kept)->store = NULL;
            *how->account = (*kept)->account;
            return store;
        }
    how->kept = *kept = pfw_kept_create (path);
    return pfw_open (path, how, err);
}

void pfw_kept_want (struct pfw_kept *k, uint64_t offset)
{
    size_t lo = 0, hi = k->blocks;

    while (lo < hi) { /* the first one that ends behind it */
        size_t mid = lo + (hi - lo) / 2;

        if (k->block[mid].offset + k->block[mid].used <= offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < k->blocks)
        k->block[lo].wanted = 1;
}
