/* SPDX-License-Identifier: MIT
 *
 * pfwtake.c - traces of a job -> records of DFTracer's JSON lines, by time
 *
 * In:  events of all threads, from stream.c
 * Out: "[", what is said of processes and names, events, "]", to pfw.c
 */
#include "config.h"

#include "analyze/trace/pfw/pfwtake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/stream.h"

enum {
    LINES = 4096,          /* of a member: about 1 MB */
    TEXTS_BYTES = 1 << 20, /* enough for a member, too */
    FIRST_NAMES = 64
};

enum state { STATE_BEGIN, STATE_PROCESSES, STATE_EVENTS, STATE_END };

struct pfw_taker {
    const struct parts *parts;
    struct streams streams;
    struct pfw_source *source;     /* of each stream; owned */
    const struct pfw_named **name; /* of each number of the dictionary; owned */
    size_t names;                  /* room */
    struct pfw_hashes *hashes;
    enum state state;
    size_t process; /* the next one */
    uint64_t id;
    struct pfw_records *out;
};

/* --- texts ------------------------------------------------------------- */

static struct outbuf *texts (struct pfw_taker *t)
{
    return &t->out->texts;
}

/* What has been put into texts since `from` is a line. */
static int end_text (struct pfw_taker *t, size_t from, uint64_t us)
{
    struct pfw_record *r = pfw_records_add (t->out);

    OUTBUF_PUT (texts (t), "\n");
    if (!r || texts (t)->failed)
        return -1;
    r->arg = from;
    r->length = texts (t)->n - from;
    r->us = us;
    return 0;
}

/* {"id":…,"name":"…","cat":"dftracer","pid":…,"tid":… */
static size_t begin_own (struct pfw_taker *t,
                         const struct trace_process *who,
                         uint32_t tid,
                         const char *name)
{
    struct outbuf *b = texts (t);
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
static void
put_hash (struct pfw_taker *t, const char *before, const struct pfw_named *name)
{
    outbuf_put (texts (t), before, strlen (before));
    outbuf_put (texts (t), name->hash, PFW_HASH_TEXT);
}

static const struct pfw_named *
host_hash (struct pfw_taker *t, const struct trace_process *who, uint32_t tid);

/* The hash of a text, after a line that says so the first time. NULL:
 * ENOMEM. */
static const struct pfw_named *text_hash (struct pfw_taker *t,
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
    if (strcmp (kind, "HH") != 0 && !(host = host_hash (t, who, tid)))
        return NULL;
    from = begin_own (t, who, tid, kind);
    put_hash (t, ",\"ph\":\"M\",\"args\":{\"hhash\":\"", host);
    OUTBUF_PUT (texts (t), "\",\"name\":\"");
    outbuf_put (texts (t), name->text, name->length);
    put_hash (t, "\",\"value\":\"", name);
    OUTBUF_PUT (texts (t), "\"}}");
    return end_text (t, from, 0) < 0 ? NULL : name;
}

static const struct pfw_named *
host_hash (struct pfw_taker *t, const struct trace_process *who, uint32_t tid)
{
    const char *host = who->text[SHARD_STRING_HOST];

    return text_hash (t, who, tid, "HH", host, strlen (host));
}

/* --- processes ---------------------------------------------------------- */

static const struct pfw_named *string_hash (struct pfw_taker *t,
                                            const struct trace_process *who,
                                            const char *kind,
                                            enum shard_string string)
{
    return text_hash (t, who, who->p.pid, kind, who->text[string],
                      strlen (who->text[string]));
}

/* The command line with blanks between its words. */
static const struct pfw_named *command_hash (struct pfw_taker *t,
                                             const struct trace_process *who)
{
    char *text = strdup (who->text[SHARD_STRING_ARGV]);
    const struct pfw_named *name = NULL;

    for (char *c = text; c && *c; c++)
        if (*c == 0x1f)
            *c = ' ';
    if (text)
        name = text_hash (t, who, who->p.pid, "SH", text, strlen (text));
    free (text);
    return name;
}

static int put_rank (struct pfw_taker *t,
                     const struct trace_process *who,
                     const struct pfw_named *host)
{
    size_t from = begin_own (t, who, who->p.pid, "PR");

    put_hash (t, ",\"ph\":\"M\",\"args\":{\"hhash\":\"", host);
    OUTBUF_PUT (texts (t), "\",\"name\":\"rank\",\"value\":\"");
    outbuf_i64 (texts (t), who->p.rank);
    OUTBUF_PUT (texts (t), "\"}}");
    return end_text (t, from, 0);
}

static int put_process (struct pfw_taker *t, const struct trace_process *who)
{
    struct outbuf *b = texts (t);
    const struct pfw_named *host = host_hash (t, who, who->p.pid);
    const struct pfw_named *exec = string_hash (t, who, "SH", SHARD_STRING_EXE);
    const struct pfw_named *cmd = command_hash (t, who);
    const struct pfw_named *cwd = string_hash (t, who, "FH", SHARD_STRING_CWD);
    uint64_t us = who->p.start_real / 1000;
    size_t from;

    if (!host || !exec || !cmd || !cwd ||
        (who->p.rank >= 0 && put_rank (t, who, host) < 0))
        return -1;
    from = begin_own (t, who, who->p.pid, "start");
    OUTBUF_PUT (b, ",\"ts\":");
    outbuf_u64 (b, us);
    put_hash (t, ",\"dur\":0,\"ph\":\"X\",\"args\":{\"hhash\":\"", host);
    put_hash (t, "\",\"exec_hash\":\"", exec);
    put_hash (t, "\",\"cmd_hash\":\"", cmd);
    put_hash (t, "\",\"cwd\":\"", cwd);
    OUTBUF_PUT (b, "\",\"ppid\":");
    outbuf_u64 (b, who->p.ppid);
    OUTBUF_PUT (b, ",\"job_id\":");
    outbuf_u64 (b, who->p.job_id);
    OUTBUF_PUT (b, "}}");
    return end_text (t, from, us);
}

/* --- events ------------------------------------------------------------- */

static struct pfw_source *source_of (struct pfw_taker *t,
                                     const struct stream *s)
{
    struct pfw_source *source = &t->source[s - t->streams.item];
    const struct pfw_named *host;

    if (!source->ids_length) {
        if (!(host = host_hash (t, s->part->who, s->tid)))
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
name_of (struct pfw_taker *t, const struct stream *s, uint32_t number)
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
            : text_hash (t, s->part->who, s->tid, "FH", e->text, e->length);
    return t->name[number];
}

/* 1, 0 there is no key, -1. */
static int
put_arg (struct pfw_taker *t, const struct stream *s, const struct batch_arg *a)
{
    const struct pfw_named *key = name_of (t, s, a->key);
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
        arg->text = texts (t)->n;
        arg->length = text->length;
        outbuf_put (texts (t), text->text, text->length);
    }
    return 1;
}

static int put_event (struct pfw_taker *t, const struct stream *s)
{
    const struct batch *b = s->batch;
    size_t i = s->at, first = t->out->args;
    int app = call_table[b->call[i]].category == CALL_CATEGORY_APP;
    const struct pfw_source *source = source_of (t, s);
    const struct pfw_named *name = source ? name_of (t, s, b->name[i]) : NULL;
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
    size_t from = texts (t)->n;

    outbuf_put (texts (t), bracket, 1);
    return end_text (t, from, 0);
}

/* One step of the job; *events counts up. 0, or -1. */
static int step (struct pfw_taker *t, size_t *events)
{
    const struct stream *s;

    switch (t->state) {
    case STATE_BEGIN:
        t->state = STATE_PROCESSES;
        return put_bracket (t, "[");
    case STATE_PROCESSES:
        if (t->process < t->parts->count)
            return put_process (t, t->parts->item[t->process++].who);
        t->state = STATE_EVENTS;
        return 0;
    case STATE_EVENTS:
        if ((s = streams_top (&t->streams))) {
            ++*events;
            return put_event (t, s) < 0 ? -1 : streams_next (&t->streams);
        }
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
        if (step (t, events) < 0) {
            errno = ENOMEM;
            return -1;
        }
    return r->count > 0;
}

uint64_t pfw_taker_bad (const struct pfw_taker *t)
{
    return t->streams.bad;
}
