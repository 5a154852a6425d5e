/* SPDX-License-Identifier: MIT
 *
 * stream.c - events of all threads of a job, one after the other by time
 *
 * In:  struct parts, from parts.c
 * Out: events in the order of their ends, to pfw.c, eventprint.c
 */
#include "config.h"

#include "analyze/trace/stream.h"
#include "lib/util/xalloc.h"

enum { STREAM_EVENTS = 64 /* of a batch: there may be many threads */ };

/* --- one thread --------------------------------------------------------- */

/* Begin the next chunk that can be read, or return 0: there is none. */
static int next_chunk (struct streams *s, struct stream *t)
{
    while (t->chunks) {
        const struct trace_chunk *c = *t->chunk++;

        t->chunks--;
        if (batch_reader_chunk (t->reader, t->part,
                                (size_t)(t->part - s->parts->item), c) == 0)
            return 1;
        s->bad += c->events;
    }
    return 0;
}

/* The next batch of a thread, or 0: it has ended. */
static int next_batch (struct streams *s, struct stream *t)
{
    if (!t->reader) {
        t->reader = batch_reader_create_small (s->dict, STREAM_EVENTS);
        if (!next_chunk (s, t))
            return 0;
    }
    while (batch_reader_next (t->reader, &t->batch) <= 0) {
        const struct trace_chunk *c = t->chunk[-1];
        uint64_t events = batch_reader_events (t->reader);

        if (events < c->events && (events || c->present == c->used))
            s->bad += c->events - events;
        if (!next_chunk (s, t))
            return 0;
    }
    return 1;
}

/* The next event of a thread, or 0: it has ended. */
static int advance (struct streams *s, struct stream *t)
{
    if (!t->batch || ++t->at == t->batch->count) {
        t->at = 0;
        if (!next_batch (s, t))
            return 0;
    }
    t->end = t->batch->end[t->at];
    return 1;
}

static void stream_end_thread (struct stream *t)
{
    batch_reader_destroy (t->reader);
    t->reader = NULL;
    t->batch = NULL;
}

/* --- the heap ------------------------------------------------------------ */

/* Equal times: in the order of the parts, so the result is one and only. */
static int before (const struct stream *a, const struct stream *b)
{
    return a->end != b->end ? a->end < b->end : a < b;
}

static void stream_sink (struct streams *s, size_t i)
{
    for (;;) {
        size_t least = i, left = 2 * i + 1, right = 2 * i + 2;
        struct stream *t;

        if (left < s->live && before (s->heap[left], s->heap[least]))
            least = left;
        if (right < s->live && before (s->heap[right], s->heap[least]))
            least = right;
        if (least == i)
            return;
        t = s->heap[i];
        s->heap[i] = s->heap[least];
        s->heap[least] = t;
        i = least;
    }
}

void streams_open (struct streams *s, const struct parts *parts)
{
    struct part_thread *thread = parts_threads (parts, &s->count);
    size_t n = s->count;

    memset (s, 0, sizeof (*s));
    s->count = n;
    s->parts = parts;
    s->dict = dict_create (NULL);
    NEW (s->item, n + 1);
    s->heap = xcalloc (n + 1, sizeof (struct stream *));
    for (size_t i = 0; i < n; i++) {
        struct stream *t = &s->item[i];

        t->part = &parts->item[thread[i].part];
        t->chunk = thread[i].chunk;
        t->chunks = thread[i].chunks;
        t->tid = t->chunk[0]->head.tid;
        if (advance (s, t))
            s->heap[s->live++] = t;
        else
            stream_end_thread (t);
    }
    free (thread);
    for (size_t i = s->live / 2; i-- > 0;)
        stream_sink (s, i);
}

struct stream *streams_top (const struct streams *s)
{
    return s->live ? s->heap[0] : NULL;
}

void streams_next (struct streams *s)
{
    if (!advance (s, s->heap[0])) {
        stream_end_thread (s->heap[0]);
        s->heap[0] = s->heap[--s->live];
    }
    stream_sink (s, 0);
}

void streams_close (struct streams *s)
{
    for (size_t i = 0; s->item && i < s->count; i++)
        stream_end_thread (&s->item[i]);
    dict_destroy (s->dict);
    free (s->item);
    free (s->heap);
    memset (s, 0, sizeof (*s));
}
