/* SPDX-License-Identifier: MIT
 *
 * merge.c - traces of a job -> one trace
 *
 * In:  struct parts, from parts.c
 * Out: a merged trace (lib/core/shard.h), e.g. DIR/trace.dft
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/merge.h"
#include "lib/core/event.h"
#include "lib/util/fsutil.h"
#include "lib/util/progress.h"

enum { MERGE_MODE = 0600 };

struct merge {
    FILE *out;
    unsigned char *payload; /* SHARD_CHUNK_MAX bytes */
    struct decoder decoder;
    struct merge_report *report;
    /* of the process at hand */
    uint32_t proc;
    uint64_t events, chunks, lost;
};

/* --- blocks ----------------------------------------------------------- */

static uint32_t aligned (size_t n)
{
    return (uint32_t)((n + SHARD_MERGED_ALIGN - 1) / SHARD_MERGED_ALIGN *
                      SHARD_MERGED_ALIGN);
}

/* Header, payload and what aligns the next block. */
static int put_block (struct merge *m,
                      struct shard_block *b,
                      const void *payload,
                      size_t bytes)
{
    static const char zeros[SHARD_MERGED_ALIGN];

    b->capacity = aligned (sizeof (*b) + bytes);
    b->proc = m->proc;
    b->flags |= SHARD_SEALED;
    b->check = shard_block_check (b);
    if (fwrite (b, sizeof (*b), 1, m->out) != 1 ||
        (bytes && fwrite (payload, bytes, 1, m->out) != 1))
        return -1;
    bytes = b->capacity - sizeof (*b) - bytes;
    m->report->bytes += b->capacity;
    return bytes && fwrite (zeros, bytes, 1, m->out) != 1 ? -1 : 0;
}

static size_t strings_of (const struct trace_process *who, char *buf, size_t n)
{
    size_t at = 0;

    for (int i = 0; i < SHARD_STRING_COUNT; i++) {
        size_t length = strlen (who->text[i]) + 1;

        if (at + length > n)
            return 0;
        memcpy (buf + at, who->text[i], length);
        at += length;
    }
    return at;
}

/* The block of the process at hand, with the totals as they are now. A block
 * whose checksum was wrong keeps a wrong one. */
static int put_process (struct merge *m, const struct trace_process *who)
{
    struct shard_block b = {.magic = SHARD_MAGIC, .type = SHARD_BLOCK_PROCESS};
    struct shard_process p = who->p;
    char *buf = (char *)m->payload;
    size_t n = strings_of (who, buf + sizeof (p), SHARD_CHUNK_MAX / 2);

    p.strings_bytes = (uint32_t)n;
    p.events_sealed = m->events;
    p.chunks = m->chunks;
    p.file_bytes = 0;
    p.lost_space += m->lost;
    memcpy (buf, &p, sizeof (p));
    b.commit = sizeof (p) + n;
    b.checksum = shard_process_sum (buf, n);
    if (who->damaged)
        b.checksum++;
    return put_block (m, &b, buf, sizeof (p) + n);
}

/* Bytes and events of the payload that can be decoded. -1: ENOMEM. */
static int decodable (struct merge *m,
                      const struct trace_chunk *c,
                      size_t *bytes,
                      uint64_t *events)
{
    struct event ev;
    size_t good = 0;
    int rc;

    if (decoder_begin (&m->decoder, &c->head, m->payload, *bytes) < 0)
        return -1;
    while ((rc = decoder_next (&m->decoder, &ev)) > 0)
        good = (size_t)(m->decoder.p - m->payload);
    *bytes = good;
    *events = m->decoder.events;
    return rc < 0 && errno == ENOMEM ? -1 : 0;
}

static int copy_chunk (struct merge *m,
                       const struct tracefile *f,
                       const struct trace_chunk *c)
{
    ssize_t got = tracefile_read (f, c, m->payload);
    struct shard_block b = c->head;
    size_t bytes = got > 0 ? (size_t)got : 0;
    uint64_t events = 0;

    if (decodable (m, c, &bytes, &events) < 0)
        return -1;
    m->report->chunks_bad += events < c->events;
    m->lost += events < c->events ? c->events - events : 0;
    m->events += events;
    if (events == 0)
        return 0;
    m->chunks++;
    b.commit = events << 32 | bytes;
    b.checksum = shard_events_sum (&b, m->payload);
    return put_block (m, &b, m->payload, bytes);
}

/* The block goes out twice: its totals are known only after the chunks. */
static int copy_process (struct merge *m, const struct part *part)
{
    long start = ftell (m->out), end;

    m->events = m->chunks = 0;
    m->lost = part->missing;
    if (start < 0 || put_process (m, part->who) < 0)
        return -1;
    for (size_t i = 0; i < part->chunks; i++) {
        if (copy_chunk (m, part->file, part->chunk[i]) < 0)
            return -1;
        progress_add (part->chunk[i]->used);
    }
    end = ftell (m->out);
    m->report->bytes = (uint64_t)end;
    if (end < 0 || fseek (m->out, start, SEEK_SET) < 0 ||
        put_process (m, part->who) < 0)
        return -1;
    m->report->bytes = (uint64_t)end;
    m->report->events += m->events;
    m->report->chunks += m->chunks;
    m->report->lost +=
        m->lost + part->who->p.lost_busy + part->who->p.lost_space;
    m->report->processes++;
    m->proc++;
    return fseek (m->out, end, SEEK_SET);
}

/* --- all of them ------------------------------------------------------ */

static uint64_t bytes_of (const struct parts *parts)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < parts->count; i++)
        for (size_t c = 0; c < parts->item[i].chunks; c++)
            bytes += parts->item[i].chunk[c]->used;
    return bytes;
}

static int copy_all (struct merge *m, const struct parts *parts)
{
    int rc = 0;

    progress_start ("merge", bytes_of (parts), "bytes");
    for (size_t i = 0; rc == 0 && i < parts->count; i++)
        rc = copy_process (m, &parts->item[i]);
    progress_end ();
    return rc;
}

int merge_write (const struct parts *parts,
                 const char *path,
                 int strict,
                 struct merge_report *report,
                 struct errtext *err)
{
    struct atomic_file *a = atomic_open (path, MERGE_MODE, err);
    struct merge m = {.report = report};
    int rc = -1;

    memset (report, 0, sizeof (*report));
    if (!a)
        return -1;
    m.out = atomic_stream (a);
    if (!(m.payload = malloc (SHARD_CHUNK_MAX)) || copy_all (&m, parts) < 0) {
        (void)errf (err, "%s: cannot write: %s", path, strerror (errno));
        atomic_abort (a);
    } else if (strict && (report->lost || report->chunks_bad)) {
        (void)errf (err,
                    "%s: not written: --strict and the traces are not "
                    "whole",
                    path);
        atomic_abort (a);
    } else
        rc = atomic_commit (a, err);
    decoder_end (&m.decoder);
    free (m.payload);
    return rc;
}
