/* SPDX-License-Identifier: MIT
 *
 * copies.c - a process that several sources of a job have -> the longest one
 *
 * In:  parts in order, from parts.c
 * Out: each process once; what was left out, to health.c
 *
 * A copy that was made while the process still ran is the begin of the longer
 * one, thread by thread. Where it says something else, that is lost.
 */
#include "config.h"

#include "analyze/trace/copies.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format/event.h"

/* A chunk while it is compared. */
struct copies_chunk {
    unsigned char *payload; /* owned */
    struct decoder decoder;
    uint64_t bytes;
};

static uint64_t part_events (const struct part *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->chunks; i++)
        if (p->chunk[i]->present >= p->chunk[i]->used)
            n += p->chunk[i]->events;
    return n;
}

static int is_longer (const struct part *a, const struct part *b)
{
    uint64_t x = part_events (a), y = part_events (b);

    return x != y ? x > y : a->who->p.end_ns > b->who->p.end_ns;
}

/* --- contents ---------------------------------------------------------------
 */

static int copies_load (struct copies_chunk *to,
                        const struct part *part,
                        const struct trace_chunk *c)
{
    size_t room = part->store ? SHARD_CHUNK_MAX : (size_t)c->used + 1;
    ssize_t got = -1;

    memset (to, 0, sizeof (*to));
    if ((to->payload = malloc (room)))
        got = part_records (part, c, to->payload);
    to->bytes = got > 0 ? (uint64_t)got : 0;
    return got < 0
               ? -1
               : decoder_begin (&to->decoder, &c->head, to->payload, to->bytes);
}

static void copies_free (struct copies_chunk *c)
{
    decoder_end (&c->decoder);
    free (c->payload);
}

static int same_events (const struct event *a, const struct event *b)
{
    return a->start == b->start && a->end == b->end && a->call == b->call &&
           a->ret == b->ret && a->size == b->size && a->offset == b->offset;
}

/* Events of the copy behind the last one that both have. */
static uint64_t chunk_differs (const struct part *copy,
                               const struct trace_chunk *c,
                               const struct part *whole,
                               const struct trace_chunk *w)
{
    struct copies_chunk a = {.payload = NULL}, b = {.payload = NULL};
    struct event x, y;
    uint64_t same = 0;

    if (copies_load (&a, copy, c) == 0 && copies_load (&b, whole, w) == 0)
        while (decoder_next (&a.decoder, &x) > 0 &&
               decoder_next (&b.decoder, &y) > 0 && same_events (&x, &y))
            same++;
    copies_free (&a);
    copies_free (&b);
    return c->events - same;
}

/* Events that the longer part does not have. The chunks of both are by thread,
 * those of a thread in their order. */
static uint64_t part_differs (const struct part *copy, const struct part *whole)
{
    uint64_t n = 0;
    size_t at = 0;

    for (size_t i = 0; i < copy->chunks; i++) {
        const struct trace_chunk *c = copy->chunk[i];

        while (at < whole->chunks && whole->chunk[at]->head.tid < c->head.tid)
            at++;
        if (at < whole->chunks && whole->chunk[at]->head.tid == c->head.tid) {
            n += chunk_differs (copy, c, whole, whole->chunk[at]);
            at++;
        } else
            n += c->events;
    }
    return n;
}

/* --- all of them ------------------------------------------------------------
 */

static void copies_count (struct parts *p,
                          const struct job *job,
                          const struct part *copy,
                          const struct part *whole)
{
    struct part_copies *c = &p->copies[copy->source];

    profparts_add_process (&c->left, copy->file, copy->who,
                           (const struct trace_chunk *const *)copy->chunk,
                           copy->chunks, &job->source[copy->source].rows);
    if (job->source[copy->source].merged || job->source[whole->source].merged)
        return;
    c->processes++;
    c->events += part_events (copy);
    c->differ += part_differs (copy, whole);
}

void parts_drop_copies (struct parts *p, const struct job *job)
{
    size_t kept = 0, next;

    for (size_t i = 0; i < p->count; i = next) {
        size_t best = i;

        for (next = i + 1; next < p->count &&
                           same_process (p->item[i].who, p->item[next].who);
             next++)
            if (is_longer (&p->item[next], &p->item[best]))
                best = next;
        for (size_t k = i; k < next; k++)
            if (k != best)
                copies_count (p, job, &p->item[k], &p->item[best]);
        p->item[kept++] = p->item[best];
    }
    p->count = kept;
}
