/* SPDX-License-Identifier: MIT
 *
 * groups.c - the cells of a query -> rows of --by, --view KEY, --show, --sort
 *
 * In:  struct query_answer, struct show
 * Out: columns and rows
 */
#include "config.h"

#include "analyze/tables/groups.h"

#include "analyze/facts/question.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

int groups_answer (struct query_answer *a,
                   const struct query *q,
                   const struct result *r,
                   const struct kind_rules *rules,
                   int threads,
                   struct errtext *err)
{
    struct query_context context;
    int rc;

    ZERO (a);
    if (jobcontext_make (&context, q, r->job, r->totals, r->summary, err) < 0)
        return -1;
    rc = query_job (
        a, q, &(struct query_input){r->job, rules, &context, threads}, err);
    query_context_clear (&context);
    return rc;
}

/* --- the usual columns ---------------------------------------------------- */

static const struct usual_column {
    const char *name, *title, *unit;
    int digits;
} usual_columns[] = {
    {"count", "count", "", 0},
    {"errors", "failed", "", 0},
    {"bytes", "bytes", "", 0},
    {"sum_s", "sum", "s", 6},
    {"union_s", "union", "s", 6},
    {"bandwidth", "bytes/union", "MiB/s", 1},
    {"ops_per_s", "count/union", "1/s", 1},
    {"min_us", "min", "us", 2},
    {"mean_us", "mean", "us", 2},
    {"max_us", "max", "us", 2},
};

enum { USUALS = ITEMS (usual_columns) };

/* The numbers as they are printed; NaN: n/a. A group of an interval may have
 * time that only passes through it, and no event. */
static void usual_values (double value[USUALS],
                          const struct query *q,
                          const struct query_cell *x)
{
    const double count = x->count, running = x->running / 1e9;
    /* the sum is of time inside the interval */
    const double of = query_has_key (q, GROUP_interval) ? 0 : count;
    const double values[USUALS] = {
        count,
        x->errors,
        x->bytes,
        x->ns / 1e9,
        running,
        x->bytes && x->running
            ? (double)x->bytes / 1048576 * 1e9 / (double)x->running
            : NAN,
        x->running ? count * 1e9 / (double)x->running : NAN,
        count > 0 ? x->min / 1e3 : NAN,
        of > 0 ? (double)x->ns / count / 1e3 : NAN,
        count > 0 ? x->max / 1e3 : NAN,
    };

    memcpy (value, values, sizeof (values));
}

/* --- measures of --show --------------------------------------------------- */

struct group_unit {
    const char *unit, *suffix; /* of titles, of names in CSV */
    double divisor;
    int digits;
};

static struct group_unit group_unit (const struct show_item *i,
                                     const struct query *q)
{
    enum where_type type;

    if (i->what == SHOW_union)
        return (struct group_unit){"s", "_s", 1e9, 4};
    if (i->what == SHOW_bandwidth)
        return (struct group_unit){"MiB/s", "", 0x1p20, 1};
    if (i->what == SHOW_ops)
        return (struct group_unit){"1/s", "_per_s", 1, 1};
    if (i->value < 0)
        return (struct group_unit){"", "", 1, 0};
    type = where_column_info (q->value[i->value].column)->type;
    if (type == WHERE_TIME &&
        (i->what == SHOW_sum || q->value[i->value].column == WHERE_time))
        return (struct group_unit){"s", "_s", 1e9, 4};
    if (type == WHERE_TIME)
        return (struct group_unit){"us", "_us", 1e3, 2};
    if (type == WHERE_BYTES)
        return (struct group_unit){"B", "", 1, i->what == SHOW_mean ? 1 : 0};
    return (struct group_unit){
        "", "", 1, i->what == SHOW_mean || type == WHERE_ANY ? 3 : 0};
}

/* "p99(dur)" -> p99_dur_us */
static void groups_name (char *to,
                         size_t room,
                         const struct show_item *i,
                         const struct group_unit *u)
{
    size_t n = 0;

    for (const char *s = i->word; *s && n + 8 < room; s++)
        if (*s == '(')
            to[n++] = '_';
        else if (*s != ')' && *s != ' ' && *s != '\t')
            to[n++] = *s;
    snprintf (to + n, room - n, "%s", u->suffix);
}

static const char *groups_key_unit (const struct query_key *key)
{
    enum where_type type;

    if (key->what == GROUP_interval)
        return "s";
    if (key->what != GROUP_column)
        return "";
    type = where_column_info (key->column)->type;
    return type == WHERE_TIME ? "ns" : type == WHERE_BYTES ? "B" : "";
}

void groups_columns (struct textable *t,
                     const struct query *q,
                     const struct show *s)
{
    char name[3 * KEYS_WORD_MAX];

    for (int k = 0; k < q->keys; k++)
        textable_column (
            t, query_key_word (&q->key[k]), query_key_title (&q->key[k]),
            groups_key_unit (&q->key[k]), query_key_is_number (&q->key[k]));
    for (int i = 0; i < s->items; i++) {
        struct group_unit u = group_unit (&s->item[i], q);

        groups_name (name, sizeof (name), &s->item[i], &u);
        textable_column (t, name, s->item[i].word, u.unit, 1);
    }
    for (int i = 0; !s->items && i < USUALS; i++)
        textable_column (t, usual_columns[i].name, usual_columns[i].title,
                         usual_columns[i].unit, 1);
}

/* --- rows ----------------------------------------------------------------- */

struct groups_row {
    const struct query_cell *cell;
    double by; /* NaN comes last */
};

struct groups_order {
    const struct query *q;
    const struct show *s;
    int keys_first; /* the keys that are numbers */
};

static int groups_by_key (const struct query_cell *x,
                          const struct query_cell *y,
                          const struct query *q,
                          int k)
{
    return query_key_is_number (&q->key[k])
               ? query_number_order (x->value[k], y->value[k])
               : strcmp (x->value[k], y->value[k]);
}

static int groups_compare (const void *a, const void *b, void *how)
{
    const struct groups_row *x = a, *y = b;
    const struct groups_order *o = how;
    int order = 0;

    for (int k = 0; !order && o->keys_first && k < o->q->keys; k++)
        if (query_key_is_number (&o->q->key[k]))
            order = groups_by_key (x->cell, y->cell, o->q, k);
    if (!order && o->s->sorted && o->s->sort < 0) {
        order = groups_by_key (x->cell, y->cell, o->q, ~o->s->sort);
        order = o->s->descending ? -order : order;
    }
    if (!order && isnan (x->by) != isnan (y->by))
        return isnan (x->by) ? 1 : -1;
    if (!order && x->by != y->by && !isnan (x->by)) {
        order = x->by < y->by ? -1 : 1;
        order = o->s->sorted && !o->s->descending ? order : -order;
    }
    for (int k = 0; !order && k < o->q->keys; k++)
        order = groups_by_key (x->cell, y->cell, o->q, k);
    return order;
}

static void
groups_cell (struct textable *t, double x, const struct group_unit *u)
{
    if (isnan (x))
        textable_na (t);
    else if (u->digits == 0 && u->divisor == 1 && x >= 0 && x < 0x1p53)
        textable_uint (t, x);
    else
        textable_double (t, x / u->divisor, u->digits);
}

static void groups_row (struct textable *t,
                        const struct query *q,
                        const struct show *s,
                        const struct query_cell *c)
{
    double usual[USUALS];

    usual_values (usual, q, c);
    textable_row (t);
    for (int k = 0; k < q->keys; k++)
        textable_text (t, c->value[k]);
    for (int i = 0; i < s->items; i++) {
        struct group_unit u = group_unit (&s->item[i], q);

        groups_cell (t, show_value (&s->item[i], q, c), &u);
    }
    for (int i = 0; !s->items && i < USUALS; i++) {
        struct group_unit u = {.divisor = 1, .digits = usual_columns[i].digits};

        groups_cell (t, usual[i], &u);
    }
}

void groups_rows (struct textable *t,
                  const struct query *q,
                  const struct show *s,
                  const struct query_answer *a,
                  int by_measure,
                  size_t top)
{
    struct groups_row *row = ZEROED (row, a->count + 1);
    struct groups_order how = {q, s, !s->items || (!by_measure && !s->sorted)};
    int measure = s->sorted && s->sort >= 0 ? s->sort : 0;

    for (size_t i = 0; i < a->count; i++) {
        row[i].cell = &a->cell[i];
        row[i].by = !s->items ? a->cell[i].ns
                    : s->sorted && s->sort < 0
                        ? NAN
                        : show_value (&s->item[measure], q, &a->cell[i]);
    }
    qsort_r (row, a->count, sizeof (*row), groups_compare, &how);
    for (size_t i = 0; i < a->count && (!top || i < top); i++)
        groups_row (t, q, s, row[i].cell);
    free (row);
}
