/* SPDX-License-Identifier: MIT
 *
 * stream.c - events of all threads of a job, one after the other by time
 *
 * In:  struct parts, from parts.c
 * Out: decoded events in the order of their ends, to pfw.c
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/stream.h"

/* --- one thread --------------------------------------------------------- */

/* Read the next chunk. 1, 0 there is none, -1 (ENOMEM). */
static int next_chunk (struct streams *s, struct stream *t)
{
    const struct trace_chunk *c;
    ssize_t got;

    if (t->chunks == 0)
        return 0;
    c = *t->chunk++;
    t->chunks--;
    free (t->payload);
    if (!(t->payload = malloc ((size_t)c->present + 1)))
        return -1;
    got = tracefile_read (t->part->file, c, t->payload);
    if (got < 0)
        s->bad += c->events;
    return decoder_begin (&t->decoder, &c->head, t->payload,
                          got > 0 ? (size_t)got : 0) < 0
               ? -1
               : 1;
}

/* The next event of a thread. 1, 0 at its end, -1 (ENOMEM). */
static int advance (struct streams *s, struct stream *t)
{
    for (;;) {
        int rc = t->payload ? decoder_next (&t->decoder, &t->ev) : 0;

        if (rc > 0) {
            t->end = trace_real_ns (t->part->who, t->ev.end);
            return 1;
        }
        if (rc < 0 && errno == ENOMEM)
            return -1;
        if (t->payload && t->decoder.events < t->chunk[-1]->events &&
            t->decoder.events)
            s->bad += t->chunk[-1]->events - t->decoder.events;
        if ((rc = next_chunk (s, t)) <= 0)
            return rc;
    }
}

/* --- the heap ------------------------------------------------------------ */

/* Equal times: in the order of the parts, so the result is one and only. */
static int before (const struct stream *a, const struct stream *b)
{
    return a->end != b->end ? a->end < b->end : a < b;
}

static void sink (struct streams *s, size_t i)
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
    s->item = calloc (n + 1, sizeof (*s->item));
    s->heap = calloc (n + 1, sizeof (struct stream *));
    if (!s->item || !s->heap)
        goto error;
    for (size_t i = 0; i < parts->count; i++)
        add_threads (s, &parts->item[i]);
    for (size_t i = 0; i < s->count; i++) {
        if ((rc = advance (s, &s->item[i])) < 0)
            goto error;
        if (rc > 0)
            s->heap[s->live++] = &s->item[i];
    }
    for (size_t i = s->live / 2; i-- > 0;)
        sink (s, i);
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
        struct stream *t = s->heap[0];

        free (t->payload);
        t->payload = NULL;
        decoder_end (&t->decoder);
        s->heap[0] = s->heap[--s->live];
    }
    sink (s, 0);
    return 0;
}

void streams_close (struct streams *s)
{
    int saved = errno;

    for (size_t i = 0; s->item && i < s->count; i++) {
        free (s->item[i].payload);
        decoder_end (&s->item[i].decoder);
    }
    free (s->item);
    free (s->heap);
    memset (s, 0, sizeof (*s));
    errno = saved;
}
