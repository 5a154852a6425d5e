/* SPDX-License-Identifier: MIT
 *
 * numbers.c - the numbers of one column in a cell
 *
 * In:  events of a batch, from query.c
 * Out: sums, quantiles; sections of partial results
 */
#include "config.h"

#include "analyze/query/numbers.h"

#include "analyze/scan/evfilter.h"
#include "lib/util/xalloc.h"

/* --- order ---------------------------------------------------------------- */

static uint64_t numbers_of_integer (int64_t x)
{
    return (uint64_t)x ^ NUMBERS_SIGN;
}

static uint64_t numbers_of_double (double x)
{
    uint64_t bits;

    x += 0.0; /* one zero */
    memcpy (&bits, &x, sizeof (bits));
    return bits & NUMBERS_SIGN ? ~bits : bits | NUMBERS_SIGN;
}

static double numbers_to_double (uint64_t value)
{
    uint64_t bits = value & NUMBERS_SIGN ? value & ~NUMBERS_SIGN : ~value;
    double x;

    memcpy (&x, &bits, sizeof (x));
    return x;
}

double numbers_value (const struct query_value *v, uint64_t value)
{
    return v->column == WHERE_argument ? numbers_to_double (value)
                                       : (int64_t)(value ^ NUMBERS_SIGN);
}

void numbers_add_argument (struct query_numbers *n, uint64_t value)
{
    double x = numbers_to_double (value), most = 0x1p62, whole;

    x = x > most ? most : x < -most ? -most : x;
    whole = floor (x);
    n->sum += (int64_t)whole;
    n->fraction += (query_sum)((x - whole) * 0x1p64);
}

/* --- batches -------------------------------------------------------------- */

/* The first argument of that name, if it is a number. */
static void numbers_arguments (struct query_batch_numbers *n,
                               const struct batch *b)
{
    memset (n->has, 0, b->count);
    for (size_t i = 0; i < b->count; i++)
        for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++) {
            const struct batch_arg *arg = &b->args[a];
            double x = arg->type == EVENT_ARG_INT ? arg->i : arg->d;

            if (arg->key != n->argument)
                continue;
            n->has[i] = arg->type != EVENT_ARG_TEXT && isfinite (x);
            if (n->has[i])
                n->value[i] = numbers_of_double (x);
            break;
        }
}

void numbers_batch (struct query_batch_numbers *n,
                    const struct query_value *v,
                    const struct column_source *s,
                    uint64_t start)
{
    const struct batch *b = s->batch;
    int64_t *value = (int64_t *)n->value;

    if (v->column != WHERE_argument) {
        evterm_numbers (v->column, s, start, value, n->has);
        for (size_t i = 0; i < b->count; i++)
            n->value[i] = numbers_of_integer (value[i]);
        return;
    }
    if (!n->argument)
        n->argument = dict_number (s->dict, SHARD_NAME_KEY, FILE_CLASS_UNKNOWN,
                                   v->argument, strlen (v->argument));
    numbers_arguments (n, b);
}

/* --- adding --------------------------------------------------------------- */

void numbers_merge (struct query_numbers *to, const struct query_numbers *from)
{
    if (!from->count)
        return;
    if (!to->count || from->min < to->min)
        to->min = from->min;
    if (!to->count || from->max > to->max)
        to->max = from->max;
    to->count += from->count;
    /* what a damaged file says may wrap */
    __builtin_add_overflow (to->sum, from->sum, &to->sum);
    __builtin_add_overflow (to->fraction, from->fraction, &to->fraction);
    valuecount_merge (&to->values, &from->values);
}

void numbers_clear (struct query_numbers *n)
{
    valuecount_clear (&n->values);
    free (n->sorted);
    ZERO (n);
}

/* --- files ---------------------------------------------------------------- */

static void numbers_pack_sum (struct packer *p, query_sum sum)
{
    pack_uint (p, sum);
    pack_int (p, sum >> 64);
}

static query_sum numbers_unpack_sum (struct unpacker *u)
{
    query_sum low = (query_sum)unpack_uint (u);
    int64_t high = unpack_int (u);

    return (query_sum)high * ((query_sum)1 << 64) + low;
}

void numbers_pack (struct packer *p, const struct query_numbers *n)
{
    size_t values;
    struct valuecount_slot *sorted = valuecount_sorted (&n->values, &values);

    pack_uint (p, n->count);
    pack_uint (p, n->min);
    pack_uint (p, n->max);
    numbers_pack_sum (p, n->sum);
    numbers_pack_sum (p, n->fraction);
    pack_uint (p, values);
    for (size_t i = 0; i < values; i++) {
        pack_uint (p, sorted[i].value);
        pack_uint (p, sorted[i].times);
    }
    free (sorted);
}

void numbers_unpack (struct unpacker *u, struct query_numbers *n)
{
    uint64_t values;

    ZERO (n);
    n->count = unpack_uint (u);
    n->min = unpack_uint (u);
    n->max = unpack_uint (u);
    n->sum = numbers_unpack_sum (u);
    n->fraction = numbers_unpack_sum (u);
    values = unpack_uint (u);
    for (uint64_t i = 0; i < values && !u->bad; i++) {
        uint64_t value = unpack_uint (u), times = unpack_uint (u);

        u->bad |= !times;
        if (!u->bad)
            valuecount_add (&n->values, value, times);
    }
}

/* --- reading -------------------------------------------------------------- */

double numbers_sum (const struct query_value *v, const struct query_numbers *n)
{
    if (!n || !n->count)
        return NAN;
    return v->column == WHERE_argument
               ? (double)((long double)n->sum +
                          (long double)n->fraction * 0x1p-64L)
               : n->sum;
}

double numbers_mean (const struct query_value *v, const struct query_numbers *n)
{
    return numbers_sum (v, n) / (n && n->count ? (double)n->count : NAN);
}

/* Once. */
static void numbers_sort (struct query_numbers *n)
{
    if (!n->sorted)
        n->sorted = valuecount_sorted (&n->values, &n->sorteds);
}

/* The place in sorted of the value of that quantile. */
static size_t numbers_place (const struct query_numbers *n, double q)
{
    double rank = ceil (q * (double)n->count);
    uint64_t before = 0;
    size_t i = 0;

    for (; i + 1 < n->sorteds; i++) {
        before += n->sorted[i].times;
        if ((double)before >= rank)
            break;
    }
    return i;
}

double numbers_quantile (const struct query_value *v,
                         struct query_numbers *n,
                         double q)
{
    if (!n || !n->count)
        return NAN;
    numbers_sort (n);
    return n->sorteds ? numbers_value (v, n->sorted[numbers_place (n, q)].value)
                      : NAN;
}

/* Those before a value that is kept count with it. */
static void numbers_gather (const struct query_numbers *n,
                            const unsigned char *keep,
                            struct valuecount *values)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n->sorteds; i++) {
        sum += n->sorted[i].times;
        if (!keep[i] && i + 1 < n->sorteds)
            continue;
        valuecount_add (values, n->sorted[i].value, sum);
        sum = 0;
    }
}

void numbers_thin (struct query_numbers *n, const double *q, size_t quantiles)
{
    struct valuecount values = {0};
    unsigned char *keep;

    numbers_sort (n);
    if (n->sorteds <= quantiles + 1)
        return;
    NEW (keep, n->sorteds);
    for (size_t i = 0; i < quantiles; i++)
        keep[numbers_place (n, q[i])] = 1;
    numbers_gather (n, keep, &values);
    free (keep);
    valuecount_clear (&n->values);
    free (n->sorted);
    n->values = values;
    n->sorted = NULL;
}
