/* SPDX-License-Identifier: MIT
 *
 * pfwrecords.c - a chunk of a DFTracer trace -> records of a trace of ours
 *
 * In:  chunks of columns, from pfwstore.c
 * Out: records with their dictionary, to who copies chunks
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/import/pfw/pfwcolumns.h"
#include "analyze/import/pfw/pfwstore.h"

struct pfw_records {
    struct pfw_rows rows;
    struct batch_columns column;
    struct batch_arg arg[EVENT_ARGS_MAX];
    struct event_state st;
};

static unsigned char *pfwrecords_names (struct event_state *st,
                                        const struct pfw_names *names,
                                        const unsigned char *from,
                                        uint32_t n,
                                        unsigned char *p)
{
    for (; n; n--) {
        const struct pfw_name *name;
        uint32_t number;

        memcpy (&number, from, sizeof (number));
        from += sizeof (number);
        if (!(name = pfw_names_get (names, number)))
            return NULL;
        p += event_encode_name (st, (enum shard_name_kind)name->kind,
                                (enum file_class)name->class, name->text,
                                name->length, p);
    }
    return p;
}

static unsigned char *
pfwrecords_event (struct pfw_records *r, size_t i, unsigned char *p)
{
    const struct batch_columns *c = &r->column;
    struct event ev;

    ev.start = c->start[i];
    ev.end = c->end[i];
    ev.call = c->call[i];
    ev.nargs = (uint8_t)c->arg[i];
    ev.err = c->error[i];
    ev.fd = c->fd[i];
    ev.file = c->name[i];
    ev.file2 = 0;
    ev.size = c->size[i];
    ev.offset = c->offset[i];
    ev.ret = c->ret[i];
    ev.flags = c->flags[i];
    pfw_rows_args (&r->rows, r->arg, c->arg[i]);
    for (uint32_t k = 0; k < c->arg[i]; k++) {
        struct event_arg *a = &ev.args[k];

        *a = (struct event_arg){.key = r->arg[k].key, .type = r->arg[k].type};
        if (a->type == EVENT_ARG_INT)
            a->i = r->arg[k].i;
        else if (a->type == EVENT_ARG_DOUBLE)
            a->d = r->arg[k].d;
        else
            a->text = r->arg[k].text;
    }
    return p + event_encode (&r->st, &ev, p);
}

/* The columns of a chunk; bytes of its records. */
static ssize_t pfwrecords_of (struct pfw_records *r,
                              const struct pfw_store *s,
                              const struct trace_chunk *c,
                              const unsigned char *columns,
                              unsigned char *buf)
{
    const unsigned char *names;
    unsigned char *p = NULL;
    uint32_t n;

    event_state_init (&r->st, c->head.base);
    if ((names = pfw_rows_begin (&r->rows, columns, c->used, &n)))
        p = pfwrecords_names (&r->st, pfw_store_names (s), names, n, buf);
    if (!p)
        return batch_bad ();
    for (size_t got;
         (got = pfw_rows_read (&r->rows, &r->column, BATCH_EVENTS)) > 0;)
        for (size_t i = 0; i < got; i++)
            p = pfwrecords_event (r, i, p);
    return p - buf;
}

ssize_t pfw_store_records (const struct pfw_store *s,
                           const struct trace_chunk *c,
                           unsigned char *buf)
{
    struct pfw_records *r = malloc (sizeof (*r));
    unsigned char *columns = malloc (c->used);
    ssize_t n = -1;

    if (r && columns && pfw_store_read (s, c, columns) == 0)
        n = pfwrecords_of (r, s, c, columns, buf);
    free (columns);
    free (r);
    return n;
}
