/* SPDX-License-Identifier: MIT
 *
 * numbers.h - the numbers of one column in a cell: sum, minimum, quantiles,
 *             all exact
 *
 * A number is kept as 64 bits whose order is its own: an integer, or the value
 * of an argument as a double. Sums are integers of 128 bits, of arguments two
 * (the second one in units of 2^-64), so that the order of adding does not
 * matter.
 */
#pragma once

#include "analyze/scan/column.h"
#include "analyze/scan/packer.h"
#include "analyze/scan/values.h"
#include "analyze/scan/where.h"

enum { QUERY_VALUES_MAX = 16 };

#define NUMBERS_SIGN ((uint64_t)1 << 63) /* of integers, turned round */

/* A column of numbers that is asked for. */
struct query_value {
    enum where_column column;
    char argument[KEYS_WORD_MAX]; /* of WHERE_argument: its name */
    int wanted;                   /* else the sums of a cell are enough */
    int quantiles;                /* each value is kept, too */
};

__extension__ typedef __int128 query_sum;

/* All zero is empty. */
struct query_numbers {
    uint64_t count;
    uint64_t min, max;        /* as number_of reads them */
    query_sum sum, fraction;  /* of arguments: in 2^-64 */
    struct valuecount values; /* with quantiles; to be settled before they are
                                 read, merged or packed */
    struct valuecount_slot
        *sorted; /* value, times, by value; owned; NULL: not yet */
    size_t sorteds;
};

/* The numbers of a batch. */
struct query_batch_numbers {
    uint32_t argument; /* dictionary; 0: not asked yet */
    uint64_t value[BATCH_EVENTS];
    unsigned char has[BATCH_EVENTS];
};

/* A number as it stands for itself. */
double numbers_value (const struct query_value *v, uint64_t value);

/* Fill n from a batch. */
void numbers_batch (struct query_batch_numbers *n,
                    const struct query_value *v,
                    const struct column_source *s,
                    uint64_t start);

/* Add an argument, which is a double, to the sums. */
void numbers_add_argument (struct query_numbers *n, uint64_t value);

/* Add one, without its place among the values. */
static inline void numbers_add (struct query_numbers *n,
                                const struct query_value *v,
                                uint64_t value)
{
    if (!n->count || value < n->min)
        n->min = value;
    if (!n->count || value > n->max)
        n->max = value;
    n->count++;
    if (v->column == WHERE_argument)
        numbers_add_argument (n, value);
    else
        n->sum += (int64_t)(value ^ NUMBERS_SIGN);
}

/* Add all of another one. */
void numbers_merge (struct query_numbers *to, const struct query_numbers *from);
void numbers_clear (struct query_numbers *n);

/* Keep of the values only what gives these quantiles; the rest stays as it is.
 */
void numbers_thin (struct query_numbers *n, const double *q, size_t quantiles);

void numbers_pack (struct packer *p, const struct query_numbers *n);
/* Into an empty one. If it makes no sense, u->bad is set. */
void numbers_unpack (struct unpacker *u, struct query_numbers *n);

/* For reading: NaN when there is none. The quantile q is the value of rank
 * ceil (q * count), exactly; it sorts the values when first asked for. */
double numbers_sum (const struct query_value *v, const struct query_numbers *n);
double numbers_mean (const struct query_value *v,
                     const struct query_numbers *n);
double numbers_quantile (const struct query_value *v,
                         struct query_numbers *n,
                         double q);
