/* SPDX-License-Identifier: MIT
 *
 * eventwrite.c - events of a job -> CSV, JSON lines, Chrome's trace viewer
 *
 * In:  struct parts, from parts.c
 * Out: every event that the conditions let through, by their ends
 */
#include "config.h"

#include "analyze/render/eventwrite.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/trace/stream.h"
#include "lib/util/json.h"

/* --- one event -------------------------------------------------------- */

static void take_texts (struct eventwrite *x, const struct stream *t)
{
    struct evname n = evname_of (&t->decoder, &t->ev);

    (void)evname_text (x->category, n.category, n.category_length);
    (void)evname_text (x->name, n.name, n.name_length);
    (void)evname_text (x->file, n.file, n.file_length);
}

static int
wanted (const struct eventwrite *x, const struct stream *t, uint64_t start)
{
    const struct trace_process *who = t->part->who;
    const struct where_event e = {
        .text = {x->category, x->name, x->file, who->text[SHARD_STRING_HOST]},
        .number = {[WHERE_PID] = who->p.pid,
                   [WHERE_TID] = t->tid,
                   [WHERE_RANK] = who->p.rank,
                   [WHERE_TIME] = (double)(start - x->start) / 1e9}};

    return where_match (x->where, &e);
}

/* --- CSV ---------------------------------------------------------------- */

static void put_cell (FILE *out, const char *text)
{
    if (text[strcspn (text, ",\"\n\r")] == '\0') {
        (void)fprintf (out, ",%s", text);
        return;
    }
    (void)fputs (",\"", out);
    for (; *text; text++) {
        if (*text == '"')
            (void)fputc ('"', out);
        (void)fputc (*text, out);
    }
    (void)fputc ('"', out);
}

static void
put_csv (struct eventwrite *x, const struct stream *t, uint64_t start)
{
    const struct trace_process *who = t->part->who;
    const struct event *ev = &t->ev;
    unsigned fields = call_table[ev->call].fields;
    int app = call_table[ev->call].category == CALL_CATEGORY_APP;
    FILE *out = x->out;

    (void)fprintf (out, "%" PRIu64 ",%" PRIu64, start, t->end - start);
    put_cell (out, who->text[SHARD_STRING_HOST]);
    (void)fprintf (out, ",%u,%u,", who->p.pid, t->tid);
    if (who->p.rank >= 0)
        (void)fprintf (out, "%d", who->p.rank);
    put_cell (out, x->category);
    put_cell (out, x->name);
    put_cell (out, x->file);
    (void)fputc (',', out);
    if (fields & F_SIZE)
        (void)fprintf (out, "%" PRIu64, ev->size);
    (void)fputc (',', out);
    if (fields & F_OFFSET && ev->offset >= 0)
        (void)fprintf (out, "%" PRId64, ev->offset);
    (void)fputc (',', out);
    if (!app)
        (void)fprintf (out, "%" PRId64, ev->ret);
    (void)fprintf (out, ",%d\n", ev->err);
}

/* --- JSON ---------------------------------------------------------------- */

static void
put_facts (struct json *j, const struct eventwrite *x, const struct stream *t)
{
    const struct event *ev = &t->ev;
    unsigned fields = call_table[ev->call].fields;

    if (x->file[0])
        json_bytes (j, "file", x->file, strlen (x->file));
    if (fields & F_SIZE)
        json_uint (j, "size", ev->size);
    if (fields & F_OFFSET && ev->offset >= 0)
        json_int (j, "offset", ev->offset);
    if (call_table[ev->call].category != CALL_CATEGORY_APP)
        json_int (j, "ret", ev->ret);
    if (ev->err)
        json_int (j, "errno", ev->err);
}

static void
put_jsonl (struct eventwrite *x, const struct stream *t, uint64_t start)
{
    const struct trace_process *who = t->part->who;
    struct json j;

    json_init (&j, x->out, 1);
    json_open (&j, NULL, '{');
    json_uint (&j, "time_ns", start);
    json_uint (&j, "dur_ns", t->end - start);
    json_text (&j, "host", who->text[SHARD_STRING_HOST]);
    json_uint (&j, "pid", who->p.pid);
    json_uint (&j, "tid", t->tid);
    if (who->p.rank >= 0)
        json_int (&j, "rank", who->p.rank);
    json_bytes (&j, "cat", x->category, strlen (x->category));
    json_bytes (&j, "name", x->name, strlen (x->name));
    put_facts (&j, x, t);
    if (t->ev.nargs)
        json_open (&j, "args", '{');
    for (int i = 0; i < t->ev.nargs; i++)
        evarg_json (&j, &t->decoder, &t->ev.args[i]);
    if (t->ev.nargs)
        json_close (&j, '}');
    json_close (&j, '}');
}

/* Times in us from the start of the job: Chrome's are doubles. */
static void
put_chrome (struct eventwrite *x, const struct stream *t, uint64_t start)
{
    struct json j;

    if (x->events)
        (void)fputc (',', x->out);
    json_init (&j, x->out, 1);
    json_open (&j, NULL, '{');
    json_bytes (&j, "name", x->name, strlen (x->name));
    json_bytes (&j, "cat", x->category, strlen (x->category));
    json_text (&j, "ph", "X");
    json_double (&j, "ts", (double)(start - x->start) / 1e3);
    json_double (&j, "dur", (double)(t->end - start) / 1e3);
    json_uint (&j, "pid", t->part->who->p.pid);
    json_uint (&j, "tid", t->tid);
    json_open (&j, "args", '{');
    put_facts (&j, x, t);
    for (int i = 0; i < t->ev.nargs; i++)
        evarg_json (&j, &t->decoder, &t->ev.args[i]);
    json_close (&j, '}');
    json_close (&j, '}');
}

/* --- a job -------------------------------------------------------------- */

static void put_event (struct eventwrite *x, const struct stream *t)
{
    uint64_t start = trace_real_ns (t->part->who, t->ev.start);

    take_texts (x, t);
    if (!wanted (x, t, start))
        return;
    if (x->format == EVENTS_CSV)
        put_csv (x, t, start);
    else if (x->format == EVENTS_JSONL)
        put_jsonl (x, t, start);
    else
        put_chrome (x, t, start);
    x->events++;
}

int eventwrite_all (struct eventwrite *x,
                    const struct parts *parts,
                    uint64_t *bad)
{
    struct streams streams;
    struct stream *t;
    int rc = 0;

    x->start = parts_start (parts);
    if (streams_open (&streams, parts) < 0)
        return -1;
    if (x->format == EVENTS_CSV)
        (void)fputs ("time_ns,dur_ns,host,pid,tid,rank,cat,name,file,size,"
                     "offset,ret,errno\n",
                     x->out);
    else if (x->format == EVENTS_CHROME)
        (void)fputs ("{\"traceEvents\":[\n", x->out);
    while (rc == 0 && (t = streams_top (&streams))) {
        put_event (x, t);
        rc = streams_next (&streams);
    }
    if (x->format == EVENTS_CHROME)
        (void)fputs ("]}\n", x->out);
    *bad = streams.bad;
    streams_close (&streams);
    return rc;
}
