/* SPDX-License-Identifier: MIT
 *
 * blockindexread.c - what is in each block of a .pfw.gz, from a file
 *
 * In:  sections of blockindex.c, which may be anything
 * Out: job->kept: stores as if all lines had been read
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/blockindex.h"
#include "analyze/scan/packer.h"
#include "lib/format/event.h"

/* How many there are: no more than the bytes that say so. */
static size_t blockindex_count (struct unpacker *u)
{
    uint64_t n = unpack_uint (u);

    if (!u->bad && n > (uint64_t)(u->limit - u->p))
        u->bad = 1;
    return u->bad ? 0 : (size_t)n;
}

static int blockindex_read_names (struct unpacker *u, struct pfw_names *names)
{
    size_t n = blockindex_count (u), length;

    for (size_t i = 0; i < n; i++) {
        struct pfw_name name = {.kind = (uint8_t)unpack_uint (u),
                                .class = (uint8_t)unpack_uint (u)};
        uint64_t flags = unpack_uint (u);
        const char *text = unpack_text (u, &length);

        if (!text || length > EVENT_NAME_MAX || name.kind < SHARD_NAME_FILE ||
            name.kind > SHARD_NAME_TEXT || name.class > FILE_CLASS_OTHER) {
            u->bad = 1;
            return 0;
        }
        name.length = (uint32_t)length;
        name.undefined = flags & 1;
        name.late = flags >> 1 & 1;
        if (pfw_names_fill (names, &name, text) < 0)
            return -1;
    }
    n = blockindex_count (u);
    for (size_t i = 0; i < n && !u->bad; i++) {
        uint64_t number = unpack_uint (u);
        const char *hash = unpack_text (u, &length);

        u->bad |= !number || number > pfw_names_count (names);
        if (!u->bad &&
            pfw_names_fill_hash (names, hash, length, (uint32_t)number) < 0)
            return -1;
    }
    return 0;
}

static int blockindex_read_procs (struct unpacker *u, struct pfw_store *store)
{
    size_t n = blockindex_count (u);

    for (size_t i = 0; i < n && !u->bad; i++) {
        struct pfw_proc p;

        unpack_bytes (u, &p, sizeof (p));
        if (pfw_store_add_process (store, p.p.pid) < 0)
            return -1;
        p.p.events_sealed = p.p.chunks = 0; /* they are counted again */
        *pfw_store_process (store, (int64_t)i) = p;
    }
    return 0;
}

/* --- blocks --------------------------------------------------------------- */

static int blockindex_read_chunks (struct unpacker *u,
                                   struct pfw_kept *k,
                                   struct pfw_kept_block *b)
{
    b->chunks = blockindex_count (u);
    for (size_t i = 0; i < b->chunks; i++) {
        uint64_t proc = unpack_uint (u), tid = unpack_uint (u);
        uint64_t events = unpack_uint (u), base = unpack_uint (u);
        uint64_t at = unpack_uint (u), used = unpack_uint (u);
        const struct trace_chunk c = {.head = {.base = base, .base_ns = base},
                                      .offset = b->offset + at,
                                      .events = (uint32_t)events,
                                      .used = (uint32_t)used};

        if (u->bad || proc >= pfw_store_processes (k->store) ||
            tid > UINT32_MAX || events > UINT32_MAX || at > b->used ||
            used > b->used - at) {
            u->bad = 1;
            return 0;
        }
        if (pfw_store_add_chunk (k->store, (uint32_t)proc, (uint32_t)tid, &c) <
            0)
            return -1;
    }
    k->chunks += b->chunks;
    return 0;
}

static int blockindex_read_block_names (struct unpacker *u,
                                        struct pfw_kept *k,
                                        struct pfw_kept_block *b)
{
    const struct pfw_names *names = pfw_store_names (k->store);

    b->name = k->names;
    b->names = blockindex_count (u);
    if (pfw_kept_room (k, b->names) < 0)
        return -1;
    for (size_t i = 0; i < b->names; i++) {
        uint64_t number = unpack_uint (u);

        u->bad |= number > pfw_names_count (names);
        k->name[k->names++] = (uint32_t)number;
    }
    return 0;
}

static int
blockindex_read_block (struct unpacker *u, struct pfw_kept *k, uint64_t *begin)
{
    struct pfw_kept_block b = {.begin = *begin, .chunk = k->chunks};
    uint64_t before;

    b.bytes = unpack_uint (u);
    b.from.packed = unpack_uint (u);
    before = unpack_uint (u);
    b.last = unpack_uint (u) != 0;
    b.used = unpack_uint (u);
    unpack_bytes (u, &b.checksum, sizeof (b.checksum));
    if (u->bad || !b.bytes || b.bytes > PFW_KEPT_BLOCK_MAX || before > *begin ||
        b.from.packed > INT64_MAX || b.used > PFW_KEPT_BLOCK_MAX) {
        u->bad = 1;
        return 0;
    }
    b.from.plain = *begin - before;
    b.offset = pfw_store_room (k->store, b.used);
    *begin += b.bytes;
    if (blockindex_read_chunks (u, k, &b) < 0 ||
        (!u->bad && blockindex_read_block_names (u, k, &b) < 0) ||
        pfw_kept_room (k, 0) < 0)
        return -1;
    k->block[k->blocks++] = b;
    return 0;
}

/* The chunks as they are now: the store sorts its own. */
static int blockindex_keep_chunks (struct pfw_kept *k)
{
    const struct trace_chunk *chunk = pfw_store_chunks (k->store, &k->chunks);

    if (!(k->chunk = reallocarray (NULL, k->chunks + 1, sizeof (*chunk))))
        return -1;
    if (k->chunks)
        memcpy (k->chunk, chunk, k->chunks * sizeof (*chunk));
    return 0;
}

/* --- sources -------------------------------------------------------------- */

static int blockindex_fill (struct unpacker *u, struct pfw_kept *k)
{
    uint64_t begin = 0;
    size_t blocks;

    unpack_bytes (u, &k->account, sizeof (k->account));
    unpack_bytes (u, &k->unit, sizeof (k->unit));
    if (!(k->store = pfw_store_create ()) ||
        blockindex_read_names (u, pfw_store_names (k->store)) < 0 ||
        (!u->bad && blockindex_read_procs (u, k->store) < 0))
        return -1;
    blocks = u->bad ? 0 : blockindex_count (u);
    for (size_t i = 0; i < blocks && !u->bad; i++)
        if (blockindex_read_block (u, k, &begin) < 0)
            return -1;
    if (u->bad || !unpack_ended (u) || !k->unit.ns) {
        errno = EBADMSG;
        return -1;
    }
    k->filled = 1;
    return blockindex_keep_chunks (k);
}

static int blockindex_read_source (struct job *job, struct unpacker *u)
{
    struct pfw_kept **all =
        reallocarray (job->kept, job->kepts + 1, sizeof (*all));
    char *path = all ? unpack_string (u) : NULL;
    struct pfw_kept *k = path ? pfw_kept_create (path) : NULL;

    if (all)
        job->kept = all;
    free (path);
    if (!k)
        return -1;
    job->kept[job->kepts++] = k;
    return blockindex_fill (u, k);
}

static int blockindex_read_facts (struct pfw_kept *k, const struct unpacker *u)
{
    size_t n = (size_t)(u->limit - u->p);

    if (!(k->facts = malloc (n + 1)))
        return -1;
    memcpy (k->facts, u->p, n);
    k->facts_bytes = n;
    return 0;
}

int blockindex_read (struct job *job, FILE *in)
{
    struct unpacker u = {0};
    uint64_t type = 0;
    int rc;

    while ((rc = unpack_section (&u, &type, in)) > 0 &&
           type == BLOCKINDEX_SOURCE) {
        if (blockindex_read_source (job, &u) < 0 ||
            unpack_section (&u, &type, in) <= 0 || type != BLOCKINDEX_FACTS ||
            blockindex_read_facts (job->kept[job->kepts - 1], &u) < 0) {
            rc = -1;
            break;
        }
    }
    unpacker_clear (&u);
    return rc > 0 && type == BLOCKINDEX_END ? 0 : -1;
}
