/* SPDX-License-Identifier: MIT
 *
 * pfwtake.c - traces of a job -> records of DFTracer's JSON lines, by time
 *
 * In:  events of all threads, from stream.c
 * Out: "[", what is said of processes and names, events, "]", to pfw.c
 */
#include "config.h"

#include "analyze/export/pfwtaker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/stream.h"

enum {
    LINES = 4096,          /* of a member: about 1 MB */
    TEXTS_BYTES = 1 << 20, /* enough for a member, too */
    FIRST_NAMES = 64
};

/* --- texts ------------------------------------------------------------- */

/* What has been put into texts since `from` is a line. */
int pfw_taker_end (struct pfw_taker *t, size_t from, uint64_t us)
{
    struct pfw_record *r = pfw_records_add (t->out);

    OUTBUF_PUT (&t->out->texts, "\n");
    if (!r || t->out->texts.failed)
        return -1;
    r->arg = from;
    r->length = t->out->texts.n - from;
    r->us = us;
    return 0;
}

/* {"id":…,"name":"…","cat":"dftracer","pid":…,"tid":… */
size_t pfw_taker_begin (struct pfw_taker *t,
                        const struct trace_process *who,
                        uint32_t tid,
                        const char *name)
{
    struct outbuf *b = &t->out->texts;
    size_t from = b->n;

    OUTBUF_PUT (b, "{\"id\":");
    outbuf_u64 (b, ++t->id);
    OUTBUF_PUT (b, ",\"name\":\"");
    outbuf_put (b, name, strlen (name));
    OUTBUF_PUT (b, "\",\"cat\":\"dftracer\",\"pid\":");
    outbuf_u64 (b, who->p.pid);
    OUTBUF_PUT (b, ",\"tid\":");
    outbuf_u64 (b, tid);
    return from;
}

/* A hash behind what stands before it. */
void pfw_taker_hash (struct pfw_taker *t,
                     const char *before,
                     const struct pfw_named *name)
{
    outbuf_put (&t->out->texts, before, strlen (before));
    outbuf_put (&t->out->texts, name->hash, PFW_HASH_TEXT);
}

/* The hash of a text, after a line that says so the first time. NULL:
 * ENOMEM. */
const struct pfw_named *pfw_taker_text (struct pfw_taker *t,
                                        const struct trace_process *who,
                                        uint32_t tid,
                                        const char *kind,
                                        const char *text,
                                        size_t n)
{
    int isnew;
    const struct pfw_named *name =
        pfw_hashes_text (t->hashes, kind, text, n, &isnew);
    const struct pfw_named *host = name;
    size_t from;

    if (!name || !isnew)
        return name;
    if (strcmp (kind, "HH") != 0 && !(host = pfw_taker_host (t, who, tid)))
        return NULL;
    from = pfw_taker_begin (t, who, tid, kind);
    pfw_taker_hash (t, ",\"ph\":\"M\",\"args\":{\"hhash\":\"", host);
    OUTBUF_PUT (&t->out->texts, "\",\"name\":\"");
    outbuf_put (&t->out->texts, name->text, name->length);
    pfw_taker_hash (t, "\",\"value\":\"", name);
    OUTBUF_PUT (&t->out->texts, "\"}}");
    return pfw_taker_end (t, from, 0) < 0 ? NULL : name;
}

const struct pfw_named *pfw_taker_host (struct pfw_taker *t,
                                        const struct trace_process *who,
                                        uint32_t tid)
{
    const char *host = who->text[SHARD_STRING_HOST];

    return pfw_taker_text (t, who, tid, "HH", host, strlen (host));
}

/* --- events ------------------------------------------------------------- */

static struct pfw_source *source_of (struct pfw_taker *t,
                                     const struct stream *s)
{
    struct pfw_source *source = &t->source[s - t->streams.item];
    const struct pfw_named *host;

    if (!source->ids_length) {
        if (!(host = pfw_taker_host (t, s->part->who, s->tid)))
            return NULL;
        pfw_source_set (source, s->part->who->p.pid, s->tid, host);
    }
    return source;
}

static int pfwtake_grow_names (struct pfw_taker *t, uint32_t number)
{
    size_t room = t->names ? t->names : FIRST_NAMES;
    const struct pfw_named **name;

    if (number < t->names)
        return 0;
    while (room <= number)
        room *= 2;
    if (!(name = reallocarray (t->name, room, sizeof (*name))))
        return -1;
    memset (name + t->names, 0, (room - t->names) * sizeof (*name));
    t->name = name;
    t->names = room;
    return 0;
}

/* The name of a number. NULL: there is none, or ENOMEM (errno). */
static const struct pfw_named *
pfwtake_name_of (struct pfw_taker *t, const struct stream *s, uint32_t number)
{
    const struct dict_entry *e = dict_entry (t->streams.dict, number);

    errno = 0;
    if (!e || pfwtake_grow_names (t, number) < 0 || t->name[number])
        return e && !errno ? t->name[number] : NULL;
    t->name[number] =
        e->kind == SHARD_NAME_EVENT
            ? pfw_hashes_event (t->hashes, e->text, e->length)
        : e->kind == SHARD_NAME_KEY
            ? pfw_hashes_text (t->hashes, "ky", e->text, e->length, &(int){0})
            : pfw_taker_text (t, s->part->who, s->tid, "FH", e->text,
                              e->length);
    return t->name[number];
}

/* 1, 0 there is no key, -1. */
static int
put_arg (struct pfw_taker *t, const struct stream *s, const struct batch_arg *a)
{
    const struct pfw_named *key = pfwtake_name_of (t, s, a->key);
    const struct dict_entry *text;
    struct pfw_record_arg *arg;

    if (!key)
        return errno == ENOMEM ? -1 : 0;
    if (!(arg = pfw_records_add_arg (t->out)))
        return -1;
    arg->key = key;
    arg->type = a->type;
    if (a->type == EVENT_ARG_INT)
        arg->i = a->i;
    else if (a->type == EVENT_ARG_DOUBLE)
        arg->d = a->d;
    else if ((text = dict_entry (t->streams.dict, a->text))) {
        arg->text = t->out->texts.n;
        arg->length = text->length;
        outbuf_put (&t->out->texts, text->text, text->length);
    }
    return 1;
}

static int pfwtake_put_event (struct pfw_taker *t, const struct stream *s)
{
    const struct batch *b = s->batch;
    size_t i = s->at, first = t->out->args;
    int app = call_table[b->call[i]].category == CALL_CATEGORY_APP;
    const struct pfw_source *source = source_of (t, s);
    const struct pfw_named *name =
        source ? pfwtake_name_of (t, s, b->name[i]) : NULL;
    struct pfw_record *r;
    int nargs = 0, rc;

    if (!source || (!name && errno == ENOMEM))
        return -1;
    for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++) {
        if ((rc = put_arg (t, s, &b->args[a])) < 0)
            return -1;
        nargs += rc;
    }
    if (!(r = pfw_records_add (t->out)))
        return -1;
    r->source = source;
    r->name = app ? name : NULL;
    r->file = app ? NULL : name;
    r->id = ++t->id;
    /* so that lengths add up, and nothing overlaps that did not */
    r->us = b->start[i] / 1000;
    r->duration = s->end / 1000 - r->us;
    r->call = b->call[i];
    r->nargs = (uint16_t)nargs;
    r->arg = first;
    r->fd = b->fd[i];
    r->err = b->error[i];
    r->size = b->size[i];
    r->flags = b->flags[i];
    r->offset = b->offset[i];
    r->ret = b->ret[i];
    return 0;
}

/* --- all of them -------------------------------------------------------- */

struct pfw_taker *pfw_taker_create (const struct parts *parts)
{
    struct pfw_taker *t = calloc (1, sizeof (*t));

    if (!t)
        return NULL;
    t->parts = parts;
    if (!(t->hashes = pfw_hashes_create ()) ||
        streams_open (&t->streams, parts) < 0 ||
        !(t->source = calloc (t->streams.count + 1, sizeof (*t->source)))) {
        pfw_taker_destroy (t);
        return NULL;
    }
    return t;
}

void pfw_taker_destroy (struct pfw_taker *t)
{
    if (!t)
        return;
    free (t->source);
    free (t->name);
    streams_close (&t->streams);
    pfw_hashes_destroy (t->hashes);
    free (t);
}

static int put_bracket (struct pfw_taker *t, const char *bracket)
{
    size_t from = t->out->texts.n;

    outbuf_put (&t->out->texts, bracket, 1);
    return pfw_taker_end (t, from, 0);
}

/* One step of the job; *events counts up. 0, or -1. */
static int pfwtake_step (struct pfw_taker *t, size_t *events)
{
    const struct stream *s;

    switch (t->state) {
    case STATE_BEGIN:
        t->state = STATE_PROCESSES;
        return put_bracket (t, "[");
    case STATE_PROCESSES:
        if (t->process < t->parts->count)
            return pfw_taker_process (t, t->parts->item[t->process++].who);
        t->state = STATE_EVENTS;
        return 0;
    case STATE_EVENTS:
        if ((s = streams_top (&t->streams))) {
            ++*events;
            return pfwtake_put_event (t, s) < 0 ? -1
                                                : streams_next (&t->streams);
        }
        t->state = STATE_ENDS;
        t->process = 0;
        return 0;
    case STATE_ENDS:
        if (t->process < t->parts->count)
            return pfw_taker_ended (t, t->parts->item[t->process++].who);
        t->state = STATE_END;
        return put_bracket (t, "]");
    default:
        return 0;
    }
}

int pfw_taker_next (struct pfw_taker *t, struct pfw_records *r, size_t *events)
{
    pfw_records_empty (r);
    t->out = r;
    *events = 0;
    while (t->state != STATE_END && r->count < LINES &&
           r->texts.n < TEXTS_BYTES)
        if (pfwtake_step (t, events) < 0) {
            errno = ENOMEM;
            return -1;
        }
    return r->count > 0;
}

uint64_t pfw_taker_moments (const struct pfw_taker *t)
{
    return t->moments;
}

uint64_t pfw_taker_bad (const struct pfw_taker *t)
{
    return t->streams.bad;
}
