/* SPDX-License-Identifier: MIT
 *
 * pfwcolumns.c - events of a thread <-> columns in a temporary file
 *
 * In:  numbers, from pfwbatch.c; chunks, from pfwstore.c
 * Out: chunks; columns of a batch, or records for a merged trace
 */
#include "config.h"

#include "analyze/import/pfw/pfwcolumns.h"
#include "analyze/import/pfw/pfwstore.h"

/* --- writing -------------------------------------------------------------- */

#define PFW_NARROW(TYPE)             \
    for (size_t i = 0; i < n; i++) { \
        TYPE x = (TYPE)v[i];         \
                                     \
        memcpy (p, &x, sizeof (x));  \
        p += sizeof (x);             \
    }                                \
    *width = sizeof (TYPE)

unsigned char *
pfw_column_write (const uint64_t *v, size_t n, uint8_t *width, unsigned char *p)
{
    uint64_t all = 0, differ = 0;

    for (size_t i = 0; i < n; i++) {
        all |= v[i];
        differ |= v[i] ^ v[0];
    }
    if (!differ) {
        memcpy (p, v, sizeof (*v));
        p += sizeof (*v);
        *width = 0;
    } else if (all <= UINT8_MAX) {
        PFW_NARROW (uint8_t);
    } else if (all <= UINT16_MAX) {
        PFW_NARROW (uint16_t);
    } else if (all <= UINT32_MAX) {
        PFW_NARROW (uint32_t);
    } else {
        PFW_NARROW (uint64_t);
    }
    return p;
}

/* --- reading -------------------------------------------------------------- */

/* Numbers [first, first + n) of a column, less what was added to them. */
#define PFW_WIDEN(NAME, TYPE)                                           \
    static void NAME (TYPE *to, const unsigned char *p, unsigned width, \
                      size_t first, size_t n, uint64_t less)            \
    {                                                                   \
        uint64_t one = 0;                                               \
                                                                        \
        p += first * width;                                             \
        switch (width) {                                                \
        case 0:                                                         \
            memcpy (&one, p, 8);                                        \
            for (size_t i = 0; i < n; i++)                              \
                to[i] = (TYPE)(one - less);                             \
            break;                                                      \
        case 1:                                                         \
            for (size_t i = 0; i < n; i++)                              \
                to[i] = (TYPE)(p[i] - less);                            \
            break;                                                      \
        default:                                                        \
            for (size_t i = 0; i < n; i++, p += width)                  \
                to[i] = (TYPE)(pfw_number_at (p, width) - less);        \
        }                                                               \
    }

static inline uint64_t pfw_number_at (const unsigned char *p, unsigned width)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    if (width == sizeof (two)) {
        memcpy (&two, p, sizeof (two));
        return two;
    }
    if (width == sizeof (four)) {
        memcpy (&four, p, sizeof (four));
        return four;
    }
    memcpy (&eight, p, sizeof (eight));
    return eight;
}

PFW_WIDEN (widen_u64, uint64_t)
PFW_WIDEN (widen_i64, int64_t)
PFW_WIDEN (widen_u32, uint32_t)
PFW_WIDEN (widen_i32, int32_t)
PFW_WIDEN (widen_u16, uint16_t)

const unsigned char *pfw_rows_begin (struct pfw_rows *r,
                                     const unsigned char *bytes,
                                     size_t n,
                                     uint32_t *names)
{
    memset (r, 0, sizeof (*r));
    *names = 0;
    if (n >= sizeof (*names))
        memcpy (names, bytes + n - sizeof (*names), sizeof (*names));
    if (n / sizeof (*names) <= *names) {
        batch_bad ();
        return NULL;
    }
    r->next = bytes;
    r->limit = bytes + n - (*names + (size_t)1) * sizeof (*names);
    return r->limit;
}

static int rows_group (struct pfw_rows *r)
{
    const struct pfw_group *g = &r->group;

    if ((size_t)(r->limit - r->next) < sizeof (*g))
        return 0;
    memcpy (&r->group, r->next, sizeof (*g));
    r->next += sizeof (*g);
    for (int k = 0; k < PFW_ALL_COLUMNS; k++) {
        size_t n = k < PFW_COLUMNS ? g->events : g->args;

        r->column[k] = r->next;
        if (n)
            r->next += g->width[k] ? n * g->width[k] : 8;
    }
    r->at = r->arg = 0;
    return 1;
}

size_t pfw_rows_read (struct pfw_rows *r, struct batch_columns *to, size_t most)
{
    const struct pfw_group *g = &r->group;
    const uint8_t *w = g->width;
    const unsigned char *const *c = r->column;
    size_t at, n;

    if (r->at == g->events && !rows_group (r))
        return 0;
    at = r->at;
    n = g->events - at < most ? g->events - at : most;
#define READ(WIDEN, FIELD, COLUMN, LESS)                                     \
    WIDEN (to->FIELD, c[PFW_COLUMN_##COLUMN], w[PFW_COLUMN_##COLUMN], at, n, \
           LESS)
    READ (widen_u64, end, END, 0 - g->end);
    READ (widen_u64, start, LENGTH, 0);
    READ (widen_u16, call, CALL, 0);
    READ (widen_u32, name, NAME, 0);
    READ (widen_i64, ret, RET, 1);
    READ (widen_u64, size, SIZE, 0);
    READ (widen_i64, offset, OFFSET, 1);
    READ (widen_i32, error, ERROR, 0);
    READ (widen_i32, fd, FD, 1);
    READ (widen_u64, flags, FLAGS, 0);
    READ (widen_u32, arg, ARGS, 0);
#undef READ
    for (size_t i = 0; i < n; i++)
        to->start[i] = to->end[i] - to->start[i];
    r->at += (uint32_t)n;
    return n;
}

static inline uint64_t
rows_value (const struct pfw_rows *r, enum pfw_column column, size_t i)
{
    const unsigned char *p = r->column[column];
    unsigned width = r->group.width[column];

    return width == 1 ? p[i] : pfw_number_at (p + i * width, width);
}

void pfw_rows_args (struct pfw_rows *r, struct batch_arg *to, size_t n)
{
    for (size_t i = 0; i < n; i++, to++, r->arg++) {
        uint64_t value = rows_value (r, PFW_COLUMN_VALUE, r->arg);

        to->key = (uint32_t)rows_value (r, PFW_COLUMN_KEY, r->arg);
        to->type = (uint8_t)rows_value (r, PFW_COLUMN_TYPE, r->arg);
        if (to->type == EVENT_ARG_TEXT)
            to->text = (uint32_t)value;
        else
            memcpy (&to->i, &value, sizeof (value));
    }
}

/* --- chunks -> events of a batch --------------------------------------------
 */

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

/* Map the chunk's names to numbers of the dictionary. 0, or -1 (ENOMEM). */
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

/* --- chunks -> records of a merged trace ------------------------------------
 */

struct pfw_records {
    struct pfw_rows rows;
    struct batch_columns column;
    struct batch_arg arg[EVENT_ARGS_MAX];
    struct event_state st;
};

static unsigned char *records_names (struct event_state *st,
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
records_event (struct pfw_records *r, size_t i, unsigned char *p)
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
static ssize_t records_of (struct pfw_records *r,
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
        p = records_names (&r->st, pfw_store_names (s), names, n, buf);
    if (!p)
        return batch_bad ();
    for (size_t got;
         (got = pfw_rows_read (&r->rows, &r->column, BATCH_EVENTS)) > 0;)
        for (size_t i = 0; i < got; i++)
            p = records_event (r, i, p);
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
        n = records_of (r, s, c, columns, buf);
    free (columns);
    free (r);
    return n;
}
