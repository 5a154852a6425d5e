/* SPDX-License-Identifier: MIT
 *
 * eventwrite.c - events of a job -> lines of any format
 *
 * In:  struct parts, from parts.c
 * Out: events, by their ends or thread by thread, to eventprint.c
 */
#include "config.h"

#include "analyze/tables/eventwrite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/scan/evfilter.h"
#include "analyze/trace/stream.h"

/* What the condition says of the batch that each thread is at. */
struct eventwrite_wanted {
    struct evfilter filter;
    unsigned char **of; /* by thread; owned */
    size_t count;
};

static void eventwrite_forget (struct eventwrite_wanted *w)
{
    for (size_t i = 0; w->of && i < w->count; i++)
        free (w->of[i]);
    free (w->of);
    evfilter_clear (&w->filter);
}

/* Is the event at hand wanted? -1: ENOMEM. */
static int eventwrite_wants (struct eventwrite_wanted *w,
                             const struct streams *s,
                             const struct stream *t)
{
    unsigned char **of = &w->of[t - s->item];

    if (!w->filter.where)
        return 1;
    if (!*of && !(*of = malloc (BATCH_EVENTS)))
        return -1;
    if (t->at == 0 && evfilter_batch (&w->filter, t->batch, *of) < 0)
        return -1;
    return (*of)[t->at];
}

int eventwrite_by_time (enum event_format format,
                        FILE *out,
                        const struct where *where,
                        const struct parts *parts,
                        uint64_t *bad,
                        struct errtext *err)
{
    struct eventprint x = {.format = format, .out = out};
    struct eventwrite_wanted w = {.of = NULL};
    struct streams streams;
    struct stream *t;
    int rc = 0;

    if (streams_open (&streams, parts) < 0)
        return errf (err, "%s", strerror (errno));
    x.dict = w.filter.dict = streams.dict;
    x.start = w.filter.start = parts_start (parts);
    w.filter.where = where->terms ? where : NULL;
    w.count = streams.count;
    if (!(w.of = calloc (w.count + 1, sizeof (*w.of))))
        rc = -1;
    eventprint_begin (&x);
    while (rc == 0 && (t = streams_top (&streams))) {
        struct evname n = evname_of (x.dict, t->batch, t->at);

        if ((rc = eventwrite_wants (&w, &streams, t)) > 0)
            eventprint_put (&x, t->batch, t->at, &n);
        rc = rc < 0 ? -1 : streams_next (&streams);
    }
    eventprint_end (&x);
    *bad += streams.bad;
    if (rc < 0)
        (void)errf (err, "%s", strerror (errno));
    else
        rc = where_check (where, streams.dict, err);
    eventwrite_forget (&w);
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
