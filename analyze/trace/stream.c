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

/* Begin the next chunk that can be read. 1, 0 there is none, -1 (ENOMEM). */
static int next_chunk (struct streams *s, struct stream *t)
{
    while (t->chunks) {
        const struct trace_chunk *c = *t->chunk++;

        t->chunks--;
        if (batch_reader_chunk (t->reader, t->part,
                                (size_t)(t->part - s->parts->item), c) == 0)
            return 1;
        if (errno == ENOMEM)
            return -1;
        s->bad += c->events;
    }
    return 0;
}

/* The next batch of a thread. 1, 0 at its end, -1 (ENOMEM). */
static int next_batch (struct streams *s, struct stream *t)
{
    int rc;

    if (!t->reader) {
        t->reader = batch_reader_create_small (s->dict, STREAM_EVENTS);
        if ((rc = next_chunk (s, t)) <= 0)
            return rc;
    }
    for (;;) {
        const struct trace_chunk *c = t->chunk[-1];
        uint64_t events;

        if ((rc = batch_reader_next (t->reader, &t->batch)) > 0)
            return 1;
        if (rc < 0 && errno == ENOMEM)
            return -1;
        events = batch_reader_events (t->reader);
        if (events < c->events && (events || c->present == c->used))
            s->bad += c->events - events;
        if ((rc = next_chunk (s, t)) <= 0)
            return rc;
    }
}

/* The next event of a thread. 1, 0 at its end, -1 (ENOMEM). */
static int advance (struct streams *s, struct stream *t)
{
    int rc;

    if (!t->batch || ++t->at == t->batch->count) {
        t->at = 0;
        if ((rc = next_batch (s, t)) <= 0)
            return rc;
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

static size_t count_threads (const struct parts *parts)
{
    size_t n = 0;

    for (size_t i = 0; i < parts->count; i++)
        for (size_t c = 0; c < parts->item[i].chunks;
             c = part_thread_end (&parts->item[i], c))
            n++;
    return n;
}

static void add_threads (struct streams *s, const struct part *part)
{
    size_t next;

    for (size_t c = 0; c < part->chunks; c = next) {
        struct stream *t = &s->item[s->count++];

        next = part_thread_end (part, c);
        t->part = part;
        t->chunk = part->chunk + c;
        t->chunks = next - c;
        t->tid = part->chunk[c]->head.tid;
    }
}

int streams_open (struct streams *s, const struct parts *parts)
{
    size_t n = count_threads (parts);
    int rc;

    memset (s, 0, sizeof (*s));
    s->parts = parts;
    s->dict = dict_create (NULL);
    s->item = xcalloc (n + 1, sizeof (*s->item));
    s->heap = xcalloc (n + 1, sizeof (struct stream *));
    for (size_t i = 0; i < parts->count; i++)
        add_threads (s, &parts->item[i]);
    for (size_t i = 0; i < s->count; i++) {
        if ((rc = advance (s, &s->item[i])) < 0)
            goto error;
        if (rc > 0)
            s->heap[s->live++] = &s->item[i];
        else
            stream_end_thread (&s->item[i]);
    }
    for (size_t i = s->live / 2; i-- > 0;)
        stream_sink (s, i);
    return 0;
error:
    streams_close (s);
    return -1;
}

struct stream *streams_top (const struct streams *s)
{
    return s->live ? s->heap[0] : NULL;
}

int streams_next (struct streams *s)
{
    int rc = advance (s, s->heap[0]);

    if (rc < 0)
        return -1;
    if (rc == 0) {
        stream_end_thread (s->heap[0]);
        s->heap[0] = s->heap[--s->live];
    }
    stream_sink (s, 0);
    return 0;
}

void streams_close (struct streams *s)
{
    int saved = errno;

    for (size_t i = 0; s->item && i < s->count; i++)
        stream_end_thread (&s->item[i]);
    dict_destroy (s->dict);
    free (s->item);
    free (s->heap);
    memset (s, 0, sizeof (*s));
    errno = saved;
}
