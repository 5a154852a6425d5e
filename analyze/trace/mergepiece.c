/* SPDX-License-Identifier: MIT
 *
 * mergepiece.c - a chunk of a trace -> a block of a merged trace
 *
 * In:  chunks, whole or not, from trace files
 * Out: sealed blocks, to merge.c
 */
#include "config.h"

#include "analyze/trace/mergepiece.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int merge_piece_open (struct merge_piece *p)
{
    memset (p, 0, sizeof (*p));
    p->payload = malloc (SHARD_CHUNK_MAX);
    p->check = malloc (DENSE_BYTES_MAX + SHARD_MERGED_ALIGN);
    p->dense = dense_writer_create ();
    return p->payload && p->check && p->dense ? 0 : -1;
}

void merge_piece_close (struct merge_piece *p)
{
    decoder_end (&p->decoder);
    dense_writer_destroy (p->dense);
    free (p->payload);
    free (p->check);
    memset (p, 0, sizeof (*p));
}

/* Bytes and events of the payload that can be decoded. -1: ENOMEM. */
static int decodable (struct merge_piece *p, const struct trace_chunk *c)
{
    struct event ev;
    size_t good = 0;
    int rc;

    if (decoder_begin (&p->decoder, &c->head, p->payload, p->used) < 0)
        return -1;
    while ((rc = decoder_next (&p->decoder, &ev)) > 0)
        good = (size_t)(p->decoder.p - p->payload);
    p->used = good;
    p->events = p->decoder.events;
    return rc < 0 && errno == ENOMEM ? -1 : 0;
}

/* In fewer bytes, if what comes out of them is what went in. -1: ENOMEM. */
static int make_dense (struct merge_piece *p)
{
    size_t n;
    const unsigned char *dense =
        dense_write (p->dense, p->payload, p->used, &n);

    if (!dense)
        return errno == ENOMEM ? -1 : 0;
    if (dense_read (dense, n, p->check, p->used) < 0)
        return errno == ENOMEM ? -1 : 0;
    if (memcmp (p->check, p->payload, p->used) != 0)
        return 0; /* numbers longer than they need to be */
    p->b.type = SHARD_BLOCK_DENSE;
    p->bytes = dense;
    p->used = n;
    return 0;
}

static void seal (struct merge_piece *p, uint32_t proc)
{
    size_t used = p->used;

    p->b.proc = proc;
    p->b.flags |= SHARD_SEALED;
    p->b.capacity = merge_aligned (sizeof (p->b) + used);
    if (p->b.type == SHARD_BLOCK_DENSE && /* all of it counts */
        used < p->b.capacity - sizeof (p->b)) {
        used = p->b.capacity - sizeof (p->b);
        memcpy (p->check, p->bytes, p->used);
        memset (p->check + p->used, 0, used - p->used);
        p->bytes = p->check;
        p->used = used;
    }
    p->b.checksum = shard_events_sum (&p->b, p->bytes);
    p->b.check = shard_block_check (&p->b);
}

/* Dense records that are more than their header says: whoever reads them as
 * columns gets all, so they are copied as they are. -1: they cannot be read. */
static int keep_dense (struct merge_piece *p,
                       const struct tracefile *f,
                       const struct trace_chunk *c)
{
    ssize_t got = tracefile_read_stored (f, c, p->payload);

    if (got < 0)
        return -1;
    p->b = c->head;
    p->bytes = p->payload;
    p->used = (size_t)got;
    p->events = c->events;
    return 0;
}

int merge_piece_make (struct merge_piece *p,
                      const struct part *part,
                      const struct trace_chunk *c,
                      uint32_t proc,
                      enum merge_pack pack)
{
    ssize_t got = part_records (part, c, p->payload);
    int whole = part->store ||
                (c->head.flags & SHARD_SEALED && got >= (ssize_t)c->used);

    if (got < 0 && errno == EOVERFLOW && keep_dense (p, part->file, c) == 0) {
        seal (p, proc);
        return 0;
    }
    p->b = c->head;
    p->b.type = SHARD_BLOCK_EVENTS;
    p->bytes = p->payload;
    p->used = got > 0 ? (size_t)got : 0;
    p->events = c->events;
    if ((got < 0 || !whole) && decodable (p, c) < 0)
        return -1;
    p->b.commit = p->events << 32 | p->used;
    if (p->events && pack == MERGE_DENSE && make_dense (p) < 0)
        return -1;
    seal (p, proc);
    return 0;
}
