/* SPDX-License-Identifier: MIT
 *
 * eventwrite.c - events of a job -> lines of any format
 *
 * In:  struct parts, from parts.c
 * Out: events, by their ends or thread by thread, to eventprint.c
 */
#include "config.h"

#include "analyze/render/eventwrite.h"

#include <errno.h>

#include "analyze/trace/stream.h"

static int eventwrite_wants (const struct where *where,
                             uint64_t start,
                             const struct batch *b,
                             size_t i,
                             const struct evname *n)
{
    const struct trace_process *who = b->who;
    const struct where_event e = {
        .text = {n->category, n->name, n->file, who->text[SHARD_STRING_HOST]},
        .number = {[WHERE_PID] = who->p.pid,
                   [WHERE_TID] = b->tid,
                   [WHERE_RANK] = who->p.rank,
                   [WHERE_TIME] = (double)(b->start[i] - start) / 1e9}};

    return where_match (where, &e);
}

int eventwrite_by_time (enum event_format format,
                        FILE *out,
                        const struct where *where,
                        const struct parts *parts,
                        uint64_t *bad)
{
    struct eventprint x = {.format = format, .out = out};
    struct streams streams;
    struct stream *t;
    int rc = 0;

    if (streams_open (&streams, parts) < 0)
        return -1;
    x.dict = streams.dict;
    x.start = parts_start (parts);
    eventprint_begin (&x);
    while (rc == 0 && (t = streams_top (&streams))) {
        struct evname n = evname_of (x.dict, t->batch, t->at);

        if (eventwrite_wants (where, x.start, t->batch, t->at, &n))
            eventprint_put (&x, t->batch, t->at, &n);
        rc = streams_next (&streams);
    }
    eventprint_end (&x);
    *bad += streams.bad;
    streams_close (&streams);
    return rc;
}

static int eventwrite_chunk (struct eventprint *x,
                             struct batch_reader *r,
                             const struct trace_chunk *c,
                             uint64_t *bad)
{
    const struct batch *b;
    int rc;

    while ((rc = batch_reader_next (r, &b)) > 0)
        for (size_t i = 0; i < b->count; i++) {
            struct evname n = evname_of (x->dict, b, i);

            eventprint_put (x, b, i, &n);
        }
    if (batch_reader_events (r) < c->events)
        *bad += c->events - batch_reader_events (r);
    return rc < 0 && errno == ENOMEM ? -1 : 0;
}

static int eventwrite_part (struct eventprint *x,
                            struct batch_reader *r,
                            const struct parts *parts,
                            size_t process,
                            uint64_t *bad)
{
    const struct part *part = &parts->item[process];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < part->chunks; i++) {
        const struct trace_chunk *c = part->chunk[i];

        if (batch_reader_chunk (r, part, process, c) == 0)
            rc = eventwrite_chunk (x, r, c, bad);
        else if (errno == ENOMEM)
            rc = -1;
        else
            *bad += c->events;
    }
    return rc;
}

int eventwrite_by_thread (enum event_format format,
                          FILE *out,
                          const struct parts *parts,
                          uint64_t *bad)
{
    struct dict *dict = dict_create (NULL);
    struct batch_reader *r = dict ? batch_reader_create (dict) : NULL;
    struct eventprint x = {.format = format, .out = out, .dict = dict};
    int rc = r ? 0 : -1;

    x.start = parts_start (parts);
    eventprint_begin (&x);
    for (size_t i = 0; rc == 0 && i < parts->count; i++)
        rc = eventwrite_part (&x, r, parts, i, bad);
    eventprint_end (&x);
    batch_reader_destroy (r);
    dict_destroy (dict);
    return rc;
}
