/* SPDX-License-Identifier: MIT
 *
 * pfwcolumns.c - events of a thread <-> columns in a temporary file
 *
 * In:  numbers, from pfwpack.c; chunks, from pfwstore.c
 * Out: chunks; columns of a batch
 */
#include "config.h"

#include "analyze/import/pfw/pfwcolumns.h"

#include <string.h>

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
        (void)batch_bad ();
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
