/* SPDX-License-Identifier: MIT
 *
 * eventprint.c - events of a job -> lines of text, CSV, JSON, of Chrome's trace
 *                viewer
 *
 * In:  the events of a job, by time or by thread
 * Out: lines, for `dftrace export` and `dftrace stat --events`
 */
#include "config.h"

#include "analyze/scan/evfilter.h"
#include "analyze/tables/eventprint.h"
#include "analyze/trace/stream.h"
#include "lib/base/array.h"
#include "lib/util/json.h"
#include "lib/util/textable.h"
#include "lib/util/xalloc.h"

/* The event at hand. */
struct printed {
    const struct batch *b;
    size_t i;
    const struct call_info *info;
    const struct evname *n;
};

static int print_is_app (const struct printed *e)
{
    return e->info->category == CALL_CATEGORY_APP;
}

static int print_has_offset (const struct printed *e)
{
    return e->info->fields & F_OFFSET && e->b->offset[e->i] >= 0;
}

/* --- CSV ---------------------------------------------------------------- */

static void print_cell (FILE *out, const char *text)
{
    fputc (',', out);
    textable_csv (out, text);
}

static void eventprint_csv (FILE *out, const struct printed *e)
{
    const struct trace_process *who = e->b->who;
    size_t i = e->i;

    fprintf (out, "%" PRIu64 ",%" PRIu64, e->b->start[i],
             e->b->end[i] - e->b->start[i]);
    print_cell (out, who->text[SHARD_STRING_HOST]);
    fprintf (out, ",%u,%u,", who->p.pid, batch_tid (e->b, i));
    if (who->p.rank >= 0)
        fprintf (out, "%d", who->p.rank);
    print_cell (out, e->n->category);
    print_cell (out, e->n->name);
    print_cell (out, e->n->file);
    fputc (',', out);
    if (e->info->fields & F_SIZE)
        fprintf (out, "%" PRIu64, e->b->size[i]);
    fputc (',', out);
    if (print_has_offset (e))
        fprintf (out, "%" PRId64, e->b->offset[i]);
    fputc (',', out);
    if (!print_is_app (e))
        fprintf (out, "%" PRId64, e->b->ret[i]);
    fprintf (out, ",%d\n", e->b->error[i]);
}

/* --- JSON ---------------------------------------------------------------- */

static void print_texts (struct json *j, const char *key, const char *text)
{
    if (*text)
        json_bytes (j, key, text, strlen (text));
}

static void print_facts (struct json *j, const struct printed *e)
{
    const struct batch *b = e->b;
    unsigned fields = e->info->fields;

    print_texts (j, "file", e->n->file);
    print_texts (j, "file2", e->n->file2);
    if (fields & F_FD)
        json_int (j, "fd", b->fd[e->i]);
    if (fields & F_SIZE)
        json_uint (j, "size", b->size[e->i]);
    if (print_has_offset (e))
        json_int (j, "offset", b->offset[e->i]);
    if (fields & F_FLAGS)
        json_uint (j, "flags", b->flags[e->i]);
    if (!print_is_app (e))
        json_int (j, "ret", b->ret[e->i]);
    if (b->error[e->i])
        json_int (j, "errno", b->error[e->i]);
}

static void
print_args (const struct eventprint *x, struct json *j, const struct printed *e)
{
    const struct batch *b = e->b;

    for (uint32_t a = b->arg[e->i]; a < b->arg[e->i + 1]; a++)
        evarg_json (j, x->dict, &b->args[a]);
}

static void print_jsonl (const struct eventprint *x, const struct printed *e)
{
    const struct trace_process *who = e->b->who;
    const struct batch *b = e->b;
    int args = b->arg[e->i] < b->arg[e->i + 1];
    struct json j;

    json_init (&j, x->out, 1);
    json_put (&j, "{ time_ns:%ju dur_ns:%ju host:%s pid:%u tid:%u",
              b->start[e->i], b->end[e->i] - b->start[e->i],
              who->text[SHARD_STRING_HOST], who->p.pid, batch_tid (b, e->i));
    if (who->p.rank >= 0)
        json_int (&j, "rank", who->p.rank);
    json_bytes (&j, "cat", e->n->category, strlen (e->n->category));
    json_bytes (&j, "name", e->n->name, strlen (e->n->name));
    print_facts (&j, e);
    if (args)
        json_open (&j, "args", '{');
    print_args (x, &j, e);
    if (args)
        json_close (&j, '}');
    json_close (&j, '}');
}

/* Chrome's times are doubles. */
static void print_chrome (const struct eventprint *x, const struct printed *e)
{
    const struct batch *b = e->b;
    uint64_t start = b->start[e->i];
    struct json j;

    if (x->events)
        fputc (',', x->out);
    json_init (&j, x->out, 1);
    json_open (&j, NULL, '{');
    json_bytes (&j, "name", e->n->name, strlen (e->n->name));
    json_bytes (&j, "cat", e->n->category, strlen (e->n->category));
    json_put (&j, "ph:'X' ts:%f dur:%f pid:%u tid:%u args:{",
              (start - x->start) / 1e3, (b->end[e->i] - start) / 1e3,
              b->who->p.pid, batch_tid (b, e->i));
    print_facts (&j, e);
    print_args (x, &j, e);
    json_put (&j, "} }");
}

/* --- text ---------------------------------------------------------------- */

/* Control characters would break the line. */
static void print_bytes (FILE *out, const char *text)
{
    for (; *text; text++)
        fputc ((unsigned char)*text < 0x20 ? '?' : *text, out);
}

static void print_text_args (const struct eventprint *x,
                             const struct printed *e)
{
    const struct batch *b = e->b;
    const struct dict_entry *key, *text;

    for (uint32_t i = b->arg[e->i]; i < b->arg[e->i + 1]; i++) {
        const struct batch_arg *a = &b->args[i];

        fputc (i > b->arg[e->i] ? ' ' : '\t', x->out);
        if ((key = dict_entry (x->dict, a->key)))
            print_bytes (x->out, key->text);
        fputc ('=', x->out);
        if (a->type == EVENT_ARG_INT)
            fprintf (x->out, "%" PRId64, a->i);
        else if (a->type == EVENT_ARG_DOUBLE)
            fprintf (x->out, "%.17g", a->d);
        else if ((text = dict_entry (x->dict, a->text)))
            print_bytes (x->out, text->text);
    }
}

static void eventprint_text (const struct eventprint *x,
                             const struct printed *e)
{
    const struct trace_process *who = e->b->who;
    const struct batch *b = e->b;
    unsigned fields = e->info->fields;
    size_t i = e->i;

    fprintf (x->out, "%.9f\t%.9f\t%u\t%u\t",
             (b->start[i] - trace_real_ns (who, who->p.start_ns)) / 1e9,
             (b->end[i] - b->start[i]) / 1e9, who->p.pid, batch_tid (b, i));
    print_bytes (x->out, e->n->category);
    fputc ('\t', x->out);
    print_bytes (x->out, e->n->name);
    if (fields & F_FD)
        fprintf (x->out, "\tfd=%d", b->fd[i]);
    if (fields & F_SIZE)
        fprintf (x->out, "\tsize=%" PRIu64, b->size[i]);
    if (print_has_offset (e))
        fprintf (x->out, "\toffset=%" PRId64, b->offset[i]);
    if (!print_is_app (e))
        fprintf (x->out, "\tret=%" PRId64, b->ret[i]);
    if (b->error[i])
        fprintf (x->out, "\terrno=%d", b->error[i]);
    print_text_args (x, e);
    if (*e->n->file) {
        fputc ('\t', x->out);
        print_bytes (x->out, e->n->file);
    }
    fputc ('\n', x->out);
}

/* --- all ------------------------------------------------------------------ */

static void eventprint_begin (struct eventprint *x)
{
    if (x->format == EVENTS_CSV)
        fputs ("time_ns,dur_ns,host,pid,tid,rank,cat,name,file,size,"
               "offset,ret,errno\n",
               x->out);
    else if (x->format == EVENTS_CHROME)
        fputs ("{\"traceEvents\":[\n", x->out);
}

/* Print the text behind all events. */
static void eventprint_end (struct eventprint *x)
{
    if (x->format == EVENTS_CHROME)
        fputs ("]}\n", x->out);
}

/* Event i of a batch; n is evname_of it. Errors of writing stay in out. */
static void eventprint_put (struct eventprint *x,
                            const struct batch *b,
                            size_t i,
                            const struct evname *n)
{
    struct printed e = {b, i, &call_table[b->call[i]], n};

    switch (x->format) {
    case EVENTS_CSV:
        eventprint_csv (x->out, &e);
        break;
    case EVENTS_JSONL:
        print_jsonl (x, &e);
        break;
    case EVENTS_CHROME:
        print_chrome (x, &e);
        break;
    case EVENTS_TEXT:
        eventprint_text (x, &e);
        break;
    }
    x->events++;
}

/* --- events of a job -> lines of any format ---------------------------------
 */

/* For each thread, the events of its batch that the condition lets through. */
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

/* Is the event at hand wanted? -1 with errno. */
static int eventwrite_wants (struct eventwrite_wanted *w,
                             const struct streams *s,
                             const struct stream *t)
{
    unsigned char **of = &w->of[t - s->item];

    if (!w->filter.where)
        return 1;
    if (!*of)
        *of = xmalloc (BATCH_EVENTS);
    if (t->at == 0)
        evfilter_batch (&w->filter, t->batch, *of);
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

    streams_open (&streams, parts);
    x.dict = w.filter.dict = streams.dict;
    x.start = w.filter.start = parts_start (parts);
    w.filter.where = where->terms ? where : NULL;
    w.count = streams.count;
    NEW (w.of, w.count);
    eventprint_begin (&x);
    while (rc == 0 && (t = streams_top (&streams))) {
        struct evname n = evname_of (x.dict, t->batch, t->at);

        if ((rc = eventwrite_wants (&w, &streams, t)) > 0)
            eventprint_put (&x, t->batch, t->at, &n);
        rc = MIN (rc, 0);
        streams_next (&streams);
    }
    eventprint_end (&x);
    *bad += streams.bad;
    if (rc < 0)
        err_system (err, NULL, errno);
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
    struct batch_reader *r = batch_reader_create (dict);
    struct eventprint x = {.format = format, .out = out, .dict = dict};
    int rc = 0;

    x.start = parts_start (parts);
    eventprint_begin (&x);
    for (size_t i = 0; rc == 0 && i < parts->count; i++)
        rc = eventwrite_part (&x, r, parts, i, bad);
    eventprint_end (&x);
    batch_reader_destroy (r);
    dict_destroy (dict);
    return rc;
}
