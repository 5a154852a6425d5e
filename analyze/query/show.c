/* SPDX-License-Identifier: MIT
 *
 * show.c - "count,sum(bytes),p99(dur)" -> what a query measures and shows
 *
 * In:  words of --show and --sort; cells
 * Out: struct show, values of a query; numbers
 */
#include "config.h"

#include "analyze/query/show.h"

#include "analyze/scan/where.h"
#include "lib/base/array.h"
#include "lib/util/optparse.h"

enum { EVENTS = 0, COLUMN = 1 };

/* COLUMN: WORD(COLUMN), of numbers; EVENTS: the word alone. Beside them
 * pN(COLUMN) is a quantile: p50, p99, p99.9 */
const struct show_info show_table[SHOW_WHATS] = {
    [SHOW_count] = {"count", "events", EVENTS},
    [SHOW_errors] = {"errors", "calls that failed", EVENTS},
    [SHOW_union] = {"union",
                    "time when at least one of the events was going on",
                    EVENTS},
    [SHOW_bandwidth] = {"bandwidth", "bytes moved / union", EVENTS},
    [SHOW_ops] = {"ops", "count / union", EVENTS},
    [SHOW_sum] = {"sum", "sum; with interval of dur what is inside it", COLUMN},
    [SHOW_mean] = {"mean", "sum / how many events have a value", COLUMN},
    [SHOW_min] = {"min", "the least value", COLUMN},
    [SHOW_max] = {"max", "the greatest value", COLUMN},
};

/* --- words ---------------------------------------------------------------- */

static int show_unknown (const struct asking *a, const char *word)
{
    const char *words[SHOW_WHATS + 2], *near;

    for (int i = 0; i < SHOW_WHATS; i++)
        words[i] = show_table[i].word;
    words[SHOW_WHATS] = "p99";
    words[SHOW_WHATS + 1] = NULL;
    near = *word ? nearest_word (word, words) : NULL;
    return asking_fail (a, a->at,
                        "no such measure%s%s%s count errors union bandwidth "
                        "ops, and of a column sum mean min max p50 p99",
                        near ? ": did you mean " : "", near ? near : "",
                        near ? "? There are" : ": there are");
}

/* "p99.9" -> 0.999; -1: no such thing. */
static double show_quantile (const char *word)
{
    char *end;
    double x;

    if (*word != 'p' || word[1] < '0' || word[1] > '9')
        return -1;
    x = strtod (word + 1, &end);
    return *end || x > 100 ? -1 : x / 100;
}

static int show_word (struct asking *a, struct show_item *item)
{
    char word[16];
    size_t n = strcspn (a->text + a->at, " \t,()");

    FORMAT (word, "%.*s", (int)n, a->text + a->at);
    item->what = SHOW_WHATS;
    for (int i = 0; i < SHOW_WHATS; i++)
        if (strcmp (show_table[i].word, word) == 0)
            item->what = i;
    if (item->what == SHOW_WHATS && strcmp (word, "avg") == 0)
        item->what = SHOW_mean;
    item->quantile = strcmp (word, "median") == 0 ? 0.5 : show_quantile (word);
    if (item->what == SHOW_WHATS && item->quantile < 0)
        return show_unknown (a, word);
    a->at += n;
    return 0;
}

/* --- values --------------------------------------------------------------- */

/* A cell has the sums of these without more work. */
static int show_is_cheap (const struct show_item *i, enum where_column column)
{
    return (column == WHERE_dur && i->what != SHOW_quantile) ||
           (column == WHERE_bytes && i->what == SHOW_sum);
}

static int show_new_value (struct asking *a,
                           struct query *q,
                           const struct where_node *column)
{
    struct query_value *v;
    const char *name = column->argument ? column->argument : "";

    for (int i = 0; i < q->values; i++)
        if (q->value[i].column == column->column &&
            strcmp (q->value[i].argument, name) == 0)
            return i;
    if (q->values == QUERY_VALUES_MAX)
        return asking_fail (a, a->at, "more than %d columns", QUERY_VALUES_MAX);
    v = &q->value[q->values];
    *v = (struct query_value){.column = (enum where_column)column->column};
    FORMAT (v->argument, "%s", name);
    return q->values++;
}

/* "(COLUMN)" */
static int
show_column (struct asking *a, struct query *q, struct show_item *item)
{
    struct where_node n;
    enum where_type type;
    size_t at;

    if (!asking_take (a, "("))
        return asking_fail (a, a->at, "(COLUMN) should be here, like (dur)");
    asking_space (a);
    at = a->at;
    if (asking_column (a, &n) < 0)
        return -1;
    type = where_column_info (n.column)->type;
    if (type == WHERE_TEXT || type == WHERE_ERRNO)
        return asking_fail (a, at, "not a column of numbers");
    if (!asking_take (a, ")"))
        return asking_fail (a, a->at, "\")\" should be here");
    if ((item->value = show_new_value (a, q, &n)) < 0)
        return -1;
    if (item->what == SHOW_quantile)
        q->value[item->value].quantiles = 1;
    if (!show_is_cheap (item, n.column))
        q->value[item->value].wanted = 1;
    return 0;
}

static int show_one (struct asking *a, struct query *q, struct show *s)
{
    struct show_item *item = &s->item[s->items];
    size_t from;

    if (s->items == SHOW_MAX)
        return asking_fail (a, a->at, "more than %d measures", SHOW_MAX);
    asking_space (a);
    from = a->at;
    *item = (struct show_item){.value = -1};
    if (show_word (a, item) < 0 ||
        ((item->what == SHOW_quantile || show_table[item->what].of) &&
         show_column (a, q, item) < 0))
        return -1;
    if (item->what == SHOW_union || item->what == SHOW_bandwidth ||
        item->what == SHOW_ops)
        q->running = 1;
    if (item->what == SHOW_errors || item->what == SHOW_bandwidth ||
        (item->value >= 0 && q->value[item->value].column == WHERE_bytes))
        q->times_only = 0;
    FORMAT (item->word, "%.*s", (int)(a->at - from), a->text + from);
    s->items++;
    return 0;
}

int show_parse (struct show *s,
                struct query *q,
                const char *words,
                struct errtext *err)
{
    struct where parsed = {.terms = 0};
    struct asking a = {.text = words, .w = &parsed, .err = err};
    int rc;

    ZERO (s);
    q->running = 0;
    q->values = 0;
    q->times_only = 1;
    do
        rc = show_one (&a, q, s);
    while (rc == 0 && asking_take (&a, ","));
    asking_space (&a);
    if (rc == 0 && words[a.at])
        rc = asking_fail (&a, a.at, "\",\" should be here");
    where_clear (&parsed);
    return rc;
}

int show_parse_sort (struct show *s,
                     const struct query *q,
                     const char *word,
                     struct errtext *err)
{
    int turned = *word == '-';
    const char *name = word + turned;

    s->sorted = 1;
    for (int i = 0; i < s->items; i++)
        if (strcmp (s->item[i].word, name) == 0) {
            s->sort = i;
            s->descending = !turned;
            return 0;
        }
    for (int k = 0; k < q->keys; k++)
        if (strcmp (query_key_word (&q->key[k]), name) == 0) {
            s->sort = ~k;
            s->descending = turned;
            return 0;
        }
    errno = EINVAL;
    return errf (err,
                 "%s: not shown: sort by a key of --by or a measure of --show",
                 word);
}

/* --- numbers -------------------------------------------------------------- */

static double show_ratio (uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

/* A measure of durations, which every event has. */
static double show_duration (const struct show_item *i,
                             const struct query *q,
                             const struct query_cell *c)
{
    if (i->what == SHOW_sum)
        return c->ns;
    if (!c->count ||
        (i->what == SHOW_mean && query_has_key (q, GROUP_interval)))
        return NAN; /* the sum is of time inside the interval */
    return i->what == SHOW_mean  ? show_ratio (c->ns, c->count)
           : i->what == SHOW_min ? c->min
                                 : c->max;
}

static double show_number (const struct show_item *i,
                           const struct query *q,
                           const struct query_cell *c)
{
    const struct query_value *v = &q->value[i->value];
    struct query_numbers *n = c->numbers ? &c->numbers[i->value] : NULL;

    if (show_is_cheap (i, v->column))
        return v->column == WHERE_dur ? show_duration (i, q, c) : c->bytes;
    if (!n || !n->count)
        return NAN;
    switch (i->what) {
    case SHOW_sum:
        return numbers_sum (v, n);
    case SHOW_mean:
        return numbers_mean (v, n);
    case SHOW_min:
        return numbers_value (v, n->min);
    case SHOW_max:
        return numbers_value (v, n->max);
    default:
        return numbers_quantile (v, n, i->quantile);
    }
}

double show_value (const struct show_item *i,
                   const struct query *q,
                   const struct query_cell *c)
{
    switch (i->what) {
    case SHOW_count:
        return c->count;
    case SHOW_errors:
        return c->errors;
    case SHOW_union:
        return c->running;
    case SHOW_bandwidth:
        return c->bytes ? show_ratio (c->bytes, c->running) * 1e9 : NAN;
    case SHOW_ops:
        return show_ratio (c->count, c->running) * 1e9;
    default:
        return show_number (i, q, c);
    }
}
