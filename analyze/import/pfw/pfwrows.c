/* SPDX-License-Identifier: MIT
 *
 * pfwrows.c - chunks of a DFTracer trace -> columns
 *
 * In:  chunks, from pfwstore.c
 * Out: events of a batch
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/import/pfw/pfwcolumns.h"
#include "analyze/import/pfw/pfwstore.h"

enum { ROWS_RECENT = 1024 /* a power of two */ };

/* A number of a name in the store -> that of the dictionary. */
struct rows_name {
    uint32_t name, number;
};

struct batch_pfw {
    struct pfw_rows rows;
    const struct pfw_store *store;
    struct rows_name recent[ROWS_RECENT]; /* of the store */
};

static uint32_t rows_number (struct batch_reader *r, uint32_t name)
{
    struct rows_name *recent = &r->pfw->recent[name & (ROWS_RECENT - 1)];
    const struct pfw_name *n;

    if (recent->name == name)
        return recent->number;
    if (!(n = pfw_names_get (pfw_store_names (r->pfw->store), name)))
        return 0;
    recent->name = name;
    recent->number =
        dict_number (r->dict, (enum shard_name_kind)n->kind,
                     (enum file_class)n->class, n->text, n->length);
    return recent->number;
}

/* What the names of the chunk are in the dictionary. */
static int
rows_names (struct batch_reader *r, const unsigned char *names, uint32_t n)
{
    uint32_t name;

    if (batch_numbers_room (r, n) < 0)
        return -1;
    for (uint32_t i = 1; i <= n; i++, names += sizeof (name)) {
        memcpy (&name, names, sizeof (name));
        if (!(r->number[i] = rows_number (r, name)))
            return -1;
    }
    return 0;
}

int batch_begin_pfw (struct batch_reader *r,
                     const struct pfw_store *store,
                     const struct trace_chunk *c)
{
    const unsigned char *names;
    uint32_t n;

    if (!r->pfw && !(r->pfw = calloc (1, sizeof (*r->pfw))))
        return -1;
    if (r->pfw->store != store)
        memset (r->pfw->recent, 0, sizeof (r->pfw->recent));
    r->pfw->store = store;
    if (pfw_store_read (store, c, r->payload) < 0 ||
        !(names = pfw_rows_begin (&r->pfw->rows, r->payload, c->used, &n)))
        return -1;
    return rows_names (r, names, n);
}

void batch_end_pfw (struct batch_reader *r)
{
    free (r->pfw);
}

/* Names as numbers of the dictionary, what the results say was moved. */
static void rows_explain (struct batch_reader *r, size_t n)
{
    struct batch_columns *c = &r->column;
    const uint32_t *number = r->number;

    for (size_t i = 0; i < n; i++) {
        const struct batch_rule *u = &batch_rules[c->call[i]];
        uint64_t moved = c->ret[i] > 0 ? (uint64_t)c->ret[i] : 0;

        c->start[i] += r->real;
        c->end[i] += r->real;
        c->name[i] = number[c->name[i]];
        c->name2[i] = 0;
        c->bytes_read[i] = moved & u->read;
        c->bytes_written[i] = moved & u->written;
    }
}

/* arg has how many each of n events has. */
static int rows_args (struct batch_reader *r, size_t n)
{
    uint32_t *arg = r->column.arg, used = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t more = arg[i];

        arg[i] = used;
        used += more;
    }
    arg[n] = used;
    if (!used)
        return 0;
    if (batch_args_room (r, used) < 0)
        return -1;
    pfw_rows_args (&r->pfw->rows, r->batch.args, used);
    for (uint32_t i = 0; i < used; i++) {
        struct batch_arg *a = &r->batch.args[i];

        a->key = r->number[a->key];
        if (a->type == EVENT_ARG_TEXT)
            a->text = r->number[a->text];
    }
    return 0;
}

void batch_read_pfw (struct batch_reader *r)
{
    size_t n = pfw_rows_read (&r->pfw->rows, &r->column, r->events_max);

    if (n == 0)
        r->failed = ENODATA;
    else if (rows_args (r, n) < 0)
        r->failed = ENOMEM;
    else {
        rows_explain (r, n);
        r->batch.count = n;
    }
}
