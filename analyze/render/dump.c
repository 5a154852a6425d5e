/* SPDX-License-Identifier: MIT
 *
 * dump.c - events of a process -> lines
 *
 * In:  struct part, from parts.c
 * Out: text or JSON lines: when, how long, who, what
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/render/dump.h"
#include "analyze/trace/evname.h"
#include "lib/core/record/event.h"
#include "lib/util/json.h"

struct dump {
    const struct part *part;
    const struct trace_chunk *chunk;
    struct decoder decoder;
    FILE *out;
    unsigned char *payload;
};

static void put_json (const struct dump *d, const struct event *ev)
{
    const struct trace_process *who = d->part->who;
    const struct call_info *info = &call_table[ev->call];
    const struct name *file2 = decoder_name (&d->decoder, ev->file2);
    struct evname t = evname_of (&d->decoder, ev);
    struct json j;

    json_init (&j, d->out, 1);
    json_open (&j, NULL, '{');
    json_uint (&j, "time_ns", ev->start - who->p.start_ns);
    json_uint (&j, "dur_ns", ev->end - ev->start);
    json_uint (&j, "pid", who->p.pid);
    json_uint (&j, "tid", d->chunk->head.tid);
    json_bytes (&j, "cat", t.category, t.category_length);
    json_bytes (&j, "name", t.name, t.name_length);
    if (t.file_length)
        json_bytes (&j, "file", t.file, t.file_length);
    if (file2)
        json_bytes (&j, "file2", file2->text, file2->length);
    if (info->fields & F_FD)
        json_int (&j, "fd", ev->fd);
    if (info->fields & F_SIZE)
        json_uint (&j, "size", ev->size);
    if (info->fields & F_OFFSET)
        json_int (&j, "offset", ev->offset);
    if (info->fields & F_FLAGS)
        json_uint (&j, "flags", ev->flags);
    if (info->category != CALL_CATEGORY_APP)
        json_int (&j, "ret", ev->ret);
    if (ev->err)
        json_int (&j, "errno", ev->err);
    if (ev->nargs)
        json_open (&j, "args", '{');
    for (int i = 0; i < ev->nargs; i++)
        evarg_json (&j, &d->decoder, &ev->args[i]);
    if (ev->nargs)
        json_close (&j, '}');
    json_close (&j, '}');
}

/* Control characters would break the line. */
static void put_bytes (FILE *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)fputc ((unsigned char)text[i] < 0x20 ? '?' : text[i], out);
}

static void put_args (const struct dump *d, const struct event *ev)
{
    for (int i = 0; i < ev->nargs; i++) {
        const struct event_arg *arg = &ev->args[i];
        const struct name *key = decoder_name (&d->decoder, arg->key);
        const struct name *text = decoder_name (&d->decoder, arg->text);

        (void)fputc (i ? ' ' : '\t', d->out);
        if (key)
            put_bytes (d->out, key->text, key->length);
        (void)fputc ('=', d->out);
        if (arg->type == EVENT_ARG_INT)
            (void)fprintf (d->out, "%" PRId64, arg->i);
        else if (arg->type == EVENT_ARG_DOUBLE)
            (void)fprintf (d->out, "%.17g", arg->d);
        else if (text)
            put_bytes (d->out, text->text, text->length);
    }
}

static void put_text (const struct dump *d, const struct event *ev)
{
    const struct trace_process *who = d->part->who;
    const struct call_info *info = &call_table[ev->call];
    struct evname t = evname_of (&d->decoder, ev);
    uint64_t start = ev->start;

    (void)fprintf (
        d->out, "%.9f\t%.9f\t%u\t%u\t", (double)(start - who->p.start_ns) / 1e9,
        (double)(ev->end - start) / 1e9, who->p.pid, d->chunk->head.tid);
    put_bytes (d->out, t.category, t.category_length);
    (void)fputc ('\t', d->out);
    put_bytes (d->out, t.name, t.name_length);
    if (info->fields & F_FD)
        (void)fprintf (d->out, "\tfd=%d", ev->fd);
    if (info->fields & F_SIZE)
        (void)fprintf (d->out, "\tsize=%" PRIu64, ev->size);
    if (info->fields & F_OFFSET && ev->offset >= 0)
        (void)fprintf (d->out, "\toffset=%" PRId64, ev->offset);
    if (info->category != CALL_CATEGORY_APP)
        (void)fprintf (d->out, "\tret=%" PRId64, ev->ret);
    if (ev->err)
        (void)fprintf (d->out, "\terrno=%d", ev->err);
    put_args (d, ev);
    if (t.file_length) {
        (void)fputc ('\t', d->out);
        put_bytes (d->out, t.file, t.file_length);
    }
    (void)fputc ('\n', d->out);
}

static int dump_chunk (struct dump *d, int as_json, uint64_t *bad)
{
    ssize_t got = tracefile_read (d->part->file, d->chunk, d->payload);
    struct event ev;
    int rc;

    if (decoder_begin (&d->decoder, &d->chunk->head, d->payload,
                       got > 0 ? (size_t)got : 0) < 0)
        return -1;
    while ((rc = decoder_next (&d->decoder, &ev)) > 0)
        if (as_json)
            put_json (d, &ev);
        else
            put_text (d, &ev);
    if (d->decoder.events < d->chunk->events)
        *bad += d->chunk->events - d->decoder.events;
    return rc < 0 && errno == ENOMEM ? -1 : 0;
}

int dump_events (const struct part *part, int as_json, FILE *out, uint64_t *bad)
{
    struct dump d = {.part = part, .out = out};
    int rc = 0;

    if (!(d.payload = malloc (SHARD_CHUNK_MAX)))
        return -1;
    for (size_t i = 0; rc == 0 && i < part->chunks; i++) {
        d.chunk = part->chunk[i];
        rc = dump_chunk (&d, as_json, bad);
    }
    decoder_end (&d.decoder);
    free (d.payload);
    return rc;
}
