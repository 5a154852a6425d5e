/* SPDX-License-Identifier: MIT
 *
 * otfread.c - a thread's events in the order of their starts
 *
 * In:  chunks, with events by their ends
 * Out: events by their starts, to otflanes.c
 *
 * An event that starts when all before it have ended is in its place already.
 * The others (a region around calls, a call of MPI-IO around those of POSIX)
 * are found in a first reading and sorted; a second reading gives the rest, and
 * both are merged. So what is kept or written to a temporary file is the small
 * part of a trace.
 */
#include "config.h"

#include "analyze/export/otfread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/export/otfsort.h"

int otfread_open (struct otfread *r)
{
    r->filter = (struct evfilter){.where = r->where};
    r->filter.start = parts_start (r->parts);
    if ((r->dict = dict_create (NULL)))
        r->reader = batch_reader_create (r->dict);
    r->filter.dict = r->dict;
    r->wide = otfsort_create (r->room ? r->room : OTFSORT_ROOM);
    r->wanted = malloc (BATCH_EVENTS);
    return r->reader && r->wide && r->wanted ? 0 : -1;
}

void otfread_close (struct otfread *r)
{
    int saved_errno = errno;

    evfilter_clear (&r->filter);
    batch_reader_destroy (r->reader);
    otfsort_destroy (r->wide);
    free (r->wanted);
    dict_destroy (r->dict);
    *r = (struct otfread){.parts = NULL};
    errno = saved_errno;
}

/* --- batches -------------------------------------------------------------- */

static void otfread_bad (struct otfread *r, uint64_t events)
{
    if (r->counting)
        r->bad += events;
}

/* The rest of the chunk at hand is none. */
static void otfread_chunk_end (struct otfread *r)
{
    const struct trace_chunk *c = r->thread->chunk[r->chunk];
    uint64_t events = batch_reader_events (r->reader);

    if (events < c->events && (events || c->present == c->used))
        otfread_bad (r, c->events - events);
    r->chunk++;
    r->batch = NULL;
}

/* The next batch of the thread; r->batch NULL: a chunk is to be begun. 1, 0 at
 * the end, -1. */
static int otfread_batch (struct otfread *r)
{
    const struct part_thread *t = r->thread;
    int rc;

    for (; r->chunk < t->chunks;) {
        const struct trace_chunk *c = t->chunk[r->chunk];

        if (!r->batch &&
            batch_reader_chunk (r->reader, &r->parts->item[t->part], t->part,
                                c) < 0) {
            if (errno == ENOMEM)
                return -1;
            otfread_bad (r, c->events);
            r->chunk++;
            continue;
        }
        if ((rc = batch_reader_next (r->reader, &r->batch)) > 0) {
            r->at = 0;
            if (r->where &&
                evfilter_batch (&r->filter, r->batch, r->wanted) < 0)
                return -1;
            return 1;
        }
        if (rc < 0 && errno == ENOMEM)
            return -1;
        otfread_chunk_end (r);
    }
    return 0;
}

/* The next event that is wanted, by ends. 1, 0, -1. */
static int otfread_step (struct otfread *r, struct otfevent *e)
{
    const struct batch *b;
    size_t i;
    int rc;

    do {
        if (!r->batch || r->at == r->batch->count) {
            if ((rc = otfread_batch (r)) <= 0)
                return rc;
        }
        i = r->at++;
    } while (r->where && !r->wanted[i]);
    b = r->batch;
    *e = (struct otfevent){
        .start = b->start[i],
        .end = b->end[i],
        .index = r->index++,
        .size = b->size[i],
        .flags = b->flags[i],
        .bytes_read = b->bytes_read[i],
        .bytes_written = b->bytes_written[i],
        .offset = b->offset[i],
        .ret = b->ret[i],
        .name = b->name[i],
        .name2 = b->name2[i],
        .error = b->error[i],
        .fd = b->fd[i],
        .call = b->call[i],
        .args = (uint16_t)(b->arg[i + 1] - b->arg[i]),
        .arg = b->args + b->arg[i],
    };
    return 1;
}

static void otfread_rewind (struct otfread *r)
{
    r->batch = NULL;
    r->chunk = r->at = 0;
    r->index = r->latest = 0;
}

/* Does it begin before all earlier ones have ended? */
static int otfread_is_wide (struct otfread *r, const struct otfevent *e)
{
    int wide = e->start < r->latest;

    if (e->end > r->latest)
        r->latest = e->end;
    return wide;
}

/* --- both readings -------------------------------------------------------- */

int otfread_thread (struct otfread *r, const struct part_thread *thread)
{
    struct otfevent e;
    int rc;

    r->thread = thread;
    otfsort_reset (r->wide);
    otfread_rewind (r);
    r->counting = 1;
    while ((rc = otfread_step (r, &e)) > 0)
        if (otfread_is_wide (r, &e) && otfsort_add (r->wide, &e) < 0)
            return -1;
    if (rc < 0 || otfsort_sort (r->wide) < 0)
        return -1;
    otfread_rewind (r);
    r->counting = 0;
    r->has_narrow = r->has_wide = -1;
    return 0;
}

static int otfread_narrow (struct otfread *r)
{
    int rc;

    while ((rc = otfread_step (r, &r->narrow_event)) > 0)
        if (!otfread_is_wide (r, &r->narrow_event))
            break;
    return rc;
}

int otfread_next (struct otfread *r, const struct otfevent **e)
{
    if (r->has_narrow < 0 && (r->has_narrow = otfread_narrow (r)) < 0)
        return -1;
    if (r->has_wide < 0 &&
        (r->has_wide = otfsort_next (r->wide, &r->wide_event)) < 0)
        return -1;
    if (!r->has_narrow && !r->has_wide)
        return 0;
    if (r->has_wide && (!r->has_narrow ||
                        otfevent_before (&r->wide_event, &r->narrow_event))) {
        *e = &r->wide_event;
        r->has_wide = -1;
    } else {
        *e = &r->narrow_event;
        r->has_narrow = -1;
    }
    return 1;
}
