/* SPDX-License-Identifier: MIT
 *
 * pfwline.c - events -> DFTracer's JSON lines (dialect of 2025)
 *
 * In:  records of events, from pfwtake.c
 * Out: lines, to pfw.c
 */
#include "config.h"

#include "analyze/export/pfwline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

/* --- records ----------------------------------------------------------- */

static void *
pfwline_grown (void *array, size_t *room, size_t count, size_t size)
{
    size_t more = *room ? 2 * *room : FIRST_ROOM;
    void *p = array;

    if (count < *room)
        return array;
    if ((p = reallocarray (array, more, size)))
        *room = more;
    return p;
}

struct pfw_record *pfw_records_add (struct pfw_records *r)
{
    struct pfw_record *all =
        pfwline_grown (r->item, &r->room, r->count, sizeof (*all));

    if (!all)
        return NULL;
    r->item = all;
    all += r->count++;
    memset (all, 0, sizeof (*all));
    return all;
}

struct pfw_record_arg *pfw_records_add_arg (struct pfw_records *r)
{
    struct pfw_record_arg *all =
        pfwline_grown (r->arg, &r->args_room, r->args, sizeof (*all));

    if (!all)
        return NULL;
    r->arg = all;
    all += r->args++;
    memset (all, 0, sizeof (*all));
    return all;
}

void pfw_records_empty (struct pfw_records *r)
{
    r->count = r->args = r->texts.n = 0;
}

void pfw_records_clear (struct pfw_records *r)
{
    free (r->item);
    free (r->arg);
    outbuf_clear (&r->texts);
    memset (r, 0, sizeof (*r));
}

void pfw_source_set (struct pfw_source *s,
                     uint32_t pid,
                     uint32_t tid,
                     const struct pfw_named *host)
{
    s->ids_length = (size_t)snprintf (
        s->ids, sizeof (s->ids),
        "\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":", pid, tid);
    s->host_length = (size_t)snprintf (
        s->host, sizeof (s->host), ",\"ph\":\"X\",\"args\":{\"hhash\":\"%.*s\"",
        (int)PFW_HASH_TEXT, host->hash);
}

/* --- lines -------------------------------------------------------------- */

static void put_call_args (struct outbuf *out,
                           const struct pfw_record *r,
                           const struct call_info *info)
{
    if (r->file) {
        OUTBUF_PUT (out, ",\"fhash\":\"");
        outbuf_put (out, r->file->hash, PFW_HASH_TEXT);
        OUTBUF_PUT (out, "\"");
    }
    if (info->fields & F_FD) {
        OUTBUF_PUT (out, ",\"fd\":");
        outbuf_i64 (out, r->fd);
    }
    if (info->fields & F_SIZE) {
        OUTBUF_PUT (out, ",\"count\":");
        outbuf_u64 (out, r->size);
    }
    if (info->fields & F_OFFSET && r->offset >= 0) {
        OUTBUF_PUT (out, ",\"offset\":");
        outbuf_i64 (out, r->offset);
    }
    if (info->fields & F_FLAGS) {
        OUTBUF_PUT (out, ",\"flags\":");
        outbuf_u64 (out, r->flags);
    }
    OUTBUF_PUT (out, ",\"ret\":");
    outbuf_i64 (out, r->ret);
    if (r->err) {
        OUTBUF_PUT (out, ",\"errno\":");
        outbuf_i64 (out, r->err);
    }
}

static void put_app_args (struct outbuf *out,
                          const struct pfw_records *all,
                          const struct pfw_record *r)
{
    for (int i = 0; i < r->nargs; i++) {
        const struct pfw_record_arg *a = &all->arg[r->arg + (size_t)i];

        OUTBUF_PUT (out, ",\"");
        outbuf_put (out, a->key->text, a->key->length);
        OUTBUF_PUT (out, "\":");
        if (a->type == EVENT_ARG_INT)
            outbuf_i64 (out, a->i);
        else if (a->type == EVENT_ARG_DOUBLE)
            outbuf_double (out, a->d);
        else {
            OUTBUF_PUT (out, "\"");
            outbuf_escaped (out, all->texts.p + a->text, a->length);
            OUTBUF_PUT (out, "\"");
        }
    }
}

static void put_name (struct outbuf *out,
                      const struct pfw_record *r,
                      const struct call_info *info)
{
    const char *category = call_category_name (info->category);

    if (r->name) {
        outbuf_put (out, r->name->text, r->name->length);
        return;
    }
    outbuf_put (out, info->name, strlen (info->name));
    OUTBUF_PUT (out, "\",\"cat\":\"");
    outbuf_put (out, category, strlen (category));
}

static void pfwline_put_event (struct outbuf *out,
                               const struct pfw_records *all,
                               const struct pfw_record *r)
{
    const struct call_info *info = &call_table[r->call];

    OUTBUF_PUT (out, "{\"id\":");
    outbuf_u64 (out, r->id);
    OUTBUF_PUT (out, ",\"name\":\"");
    put_name (out, r, info);
    outbuf_put (out, r->source->ids, r->source->ids_length);
    outbuf_u64 (out, r->us);
    OUTBUF_PUT (out, ",\"dur\":");
    outbuf_u64 (out, r->duration);
    outbuf_put (out, r->source->host, r->source->host_length);
    if (info->category != CALL_CATEGORY_APP)
        put_call_args (out, r, info);
    put_app_args (out, all, r);
    OUTBUF_PUT (out, "}}\n");
}

int pfw_lines_put (struct outbuf *out, const struct pfw_records *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct pfw_record *line = &r->item[i];

        if (line->source)
            pfwline_put_event (out, r, line);
        else
            outbuf_put (out, r->texts.p + line->arg, line->length);
    }
    if (!out->failed)
        return 0;
    errno = ENOMEM;
    return -1;
}
