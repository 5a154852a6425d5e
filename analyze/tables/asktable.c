/* SPDX-License-Identifier: MIT
 *
 * asktable.c - the cells of a query -> rows of --by, --show, --sort, --top
 *
 * In:  struct query_answer, struct show
 * Out: columns and rows
 */
#include "config.h"

#include "analyze/tables/asktable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- units ---------------------------------------------------------------- */

struct asktable_unit {
    const char *unit, *suffix; /* of titles, of names in CSV */
    double divisor;
    int digits;
};

static struct asktable_unit asktable_unit (const struct show_item *i,
                                           const struct query *q)
{
    enum where_type type;

    if (i->what == SHOW_union)
        return (struct asktable_unit){"s", "_s", 1e9, 4};
    if (i->what == SHOW_bandwidth)
        return (struct asktable_unit){"MiB/s", "", 0x1p20, 1};
    if (i->what == SHOW_ops)
        return (struct asktable_unit){"1/s", "_per_s", 1, 1};
    if (i->value < 0)
        return (struct asktable_unit){"", "", 1, 0};
    type = where_column_info (q->value[i->value].column)->type;
    if (type == WHERE_TIME &&
        (i->what == SHOW_sum || q->value[i->value].column == WHERE_time))
        return (struct asktable_unit){"s", "_s", 1e9, 4};
    if (type == WHERE_TIME)
        return (struct asktable_unit){"us", "_us", 1e3, 2};
    if (type == WHERE_BYTES)
        return (struct asktable_unit){"B", "", 1, i->what == SHOW_mean ? 1 : 0};
    return (struct asktable_unit){
        "", "", 1, i->what == SHOW_mean || type == WHERE_ANY ? 3 : 0};
}

/* "p99(dur)" -> p99_dur_us */
static void asktable_name (char *to,
                           size_t room,
                           const struct show_item *i,
                           const struct asktable_unit *u)
{
    size_t n = 0;

    for (const char *s = i->word; *s && n + 8 < room; s++)
        if (*s == '(')
            to[n++] = '_';
        else if (*s != ')' && *s != ' ' && *s != '\t')
            to[n++] = *s;
    (void)snprintf (to + n, room - n, "%s", u->suffix);
}

static const char *asktable_key_unit (const struct query_key *key)
{
    enum where_type type;

    if (key->what == GROUP_interval)
        return "s";
    if (key->what != GROUP_column)
        return "";
    type = where_column_info (key->column)->type;
    return type == WHERE_TIME ? "ns" : type == WHERE_BYTES ? "B" : "";
}

void asktable_columns (struct textable *t,
                       const struct query *q,
                       const struct show *s)
{
    char name[3 * KEYS_WORD_MAX];

    for (int k = 0; k < q->keys; k++)
        textable_column (
            t, query_key_word (&q->key[k]), query_key_title (&q->key[k]),
            asktable_key_unit (&q->key[k]), query_key_is_number (&q->key[k]));
    for (int i = 0; i < s->items; i++) {
        struct asktable_unit u = asktable_unit (&s->item[i], q);

        asktable_name (name, sizeof (name), &s->item[i], &u);
        textable_column (t, name, s->item[i].word, u.unit, 1);
    }
}

/* --- rows ----------------------------------------------------------------- */

struct asktable_row {
    const struct query_cell *cell;
    double by; /* NaN comes last */
};

struct asktable_order {
    const struct query *q;
    const struct show *s;
    int keys_first; /* the keys that are numbers */
};

static int asktable_by_key (const struct query_cell *x,
                            const struct query_cell *y,
                            const struct query *q,
                            int k)
{
    return query_key_is_number (&q->key[k])
               ? query_number_order (x->value[k], y->value[k])
               : strcmp (x->value[k], y->value[k]);
}

static int asktable_compare (const void *a, const void *b, void *how)
{
    const struct asktable_row *x = a, *y = b;
    const struct asktable_order *o = how;
    int order = 0;

    for (int k = 0; !order && o->keys_first && k < o->q->keys; k++)
        if (query_key_is_number (&o->q->key[k]))
            order = asktable_by_key (x->cell, y->cell, o->q, k);
    if (!order && o->s->sorted && o->s->sort < 0) {
        order = asktable_by_key (x->cell, y->cell, o->q, ~o->s->sort);
        order = o->s->descending ? -order : order;
    }
    if (!order && isnan (x->by) != isnan (y->by))
        return isnan (x->by) ? 1 : -1;
    if (!order && x->by != y->by && !isnan (x->by)) {
        order = x->by < y->by ? -1 : 1;
        order = o->s->sorted && !o->s->descending ? order : -order;
    }
    for (int k = 0; !order && k < o->q->keys; k++)
        order = asktable_by_key (x->cell, y->cell, o->q, k);
    return order;
}

static void
asktable_cell (struct textable *t, double x, const struct asktable_unit *u)
{
    if (isnan (x))
        textable_na (t);
    else if (u->digits == 0 && u->divisor == 1 && x >= 0 && x < 0x1p53)
        textable_uint (t, (uint64_t)x);
    else
        textable_double (t, x / u->divisor, u->digits);
}

static void asktable_row (struct textable *t,
                          const struct query *q,
                          const struct show *s,
                          const struct query_cell *c)
{
    textable_row (t);
    for (int k = 0; k < q->keys; k++)
        textable_text (t, c->value[k]);
    for (int i = 0; i < s->items; i++) {
        struct asktable_unit u = asktable_unit (&s->item[i], q);

        asktable_cell (t, show_value (&s->item[i], q, c), &u);
    }
}

void asktable_rows (struct textable *t,
                    const struct query *q,
                    const struct show *s,
                    const struct query_answer *a,
                    int by_measure,
                    size_t top)
{
    struct asktable_row *row = calloc (a->count + 1, sizeof (*row));
    struct asktable_order how = {q, s, !by_measure && !s->sorted};
    int measure = s->sorted && s->sort >= 0 ? s->sort : 0;

    if (!row)
        return;
    for (size_t i = 0; i < a->count; i++) {
        row[i].cell = &a->cell[i];
        row[i].by = s->sorted && s->sort < 0
                        ? NAN
                        : show_value (&s->item[measure], q, &a->cell[i]);
    }
    qsort_r (row, a->count, sizeof (*row), asktable_compare, &how);
    for (size_t i = 0; i < a->count && (!top || i < top); i++)
        asktable_row (t, q, s, row[i].cell);
    free (row);
}
