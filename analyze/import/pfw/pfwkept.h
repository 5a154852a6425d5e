/* SPDX-License-Identifier: MIT
 *
 * pfwkept.h - where the blocks of a .pfw.gz are and what its store has of
 *             them, so that some of them can be read without the others
 *
 * A store that was filled from a file (query/index/blockindex.h) has
 * processes, names and chunks as if all lines had been read; the bytes of its
 * chunks are there once their blocks are loaded.
 */
#ifndef DFT_ANALYZE_PFWKEPT_H
#define DFT_ANALYZE_PFWKEPT_H

#include "analyze/import/pfw/pfwbatch.h"
#include "analyze/import/pfw/pfwstore.h"
#include "lib/base/errtext.h"

enum { PFW_KEPT_BLOCK_MAX = 1 << 26 /* bytes of lines: more is damage */ };

struct pfw_kept_block {
    uint64_t begin, bytes;   /* plain ones of the file */
    struct gzin_member from; /* where to inflate from */
    uint64_t offset, used;   /* of its chunks in the store */
    uint64_t checksum;       /* of these bytes */
    size_t chunk, chunks;    /* in pfw_kept.chunk */
    size_t name, names;      /* in pfw_kept.name */
    unsigned char last, wanted, loaded;
};

struct pfw_kept {
    char *path;              /* owned, as all of these */
    struct pfw_store *store; /* until pfw_kept_open takes it; else NULL */
    struct pfw_account account;
    struct pfw_unit unit;
    struct pfw_kept_block *block;
    struct trace_chunk *chunk; /* as in the store, before it was indexed */
    uint32_t *name; /* of the store, by the numbers that a block gives them */
    size_t blocks, chunks, names;
    size_t blocks_room, names_room;
    unsigned char *facts; /* the index of the chunks (chunkindex.h) */
    size_t facts_bytes;
    int fit;    /* was read now, and can be kept */
    int filled; /* from a file: blocks have to be loaded */
    int failed; /* and could not be: the file is not what it was */
};

struct pfw_reading;

struct pfw_kept *pfw_kept_create (const char *path); /* NULL: ENOMEM */
void pfw_kept_destroy (struct pfw_kept *k); /* NULL is fine, keeps errno */

/* As pfw_open, with what is known of the file's blocks: one of `all` if it is
 * about path, which is taken from there; else all is read. */
struct pfw_store *pfw_kept_open (struct pfw_kept **all,
                                 size_t count,
                                 const char *path,
                                 struct pfw_reading *how,
                                 struct pfw_kept **kept,
                                 struct errtext *err);

/* For pfwtrace.c. No blocks; one more, whose chunks are at offset of the
 * store; all are there. 0, or -1 (ENOMEM). */
void pfw_kept_empty (struct pfw_kept *k);
int pfw_kept_add (struct pfw_kept *k,
                  const struct pfw_batch *b,
                  uint64_t offset);
int pfw_kept_end (struct pfw_kept *k,
                  const struct pfw_blocks *f,
                  const struct pfw_account *account,
                  const struct pfw_unit *unit,
                  struct pfw_store *store);

/* Room for one more block; for more names. 0, or -1 (ENOMEM). */
int pfw_kept_room (struct pfw_kept *k, size_t names);

/* The chunk at offset of the store will be read. */
void pfw_kept_want (struct pfw_kept *k, uint64_t offset);

/* Load all blocks that are wanted. 0, or -1: k->failed is set when the file is
 * not what it was; ENOMEM, EIO. */
int pfw_kept_load (struct pfw_kept *k,
                   const struct pfw_store *store,
                   int threads);

/* --- names (pfwkeptnames.c) --- */

size_t pfw_names_count (const struct pfw_names *n);
/* Hash i as written, and the number of its name. NULL: there are no more. */
const char *pfw_names_hash_at (const struct pfw_names *n,
                               size_t i,
                               size_t *length,
                               uint32_t *number);
/* Add a name (its text is copied), or a hash, to names that are to be those of
 * a file. 0, or -1 (ENOMEM). */
int pfw_names_fill (struct pfw_names *n,
                    const struct pfw_name *name,
                    const char *text);
int pfw_names_fill_hash (struct pfw_names *n,
                         const char *hash,
                         size_t length,
                         uint32_t number);

#endif
