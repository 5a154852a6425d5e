/* SPDX-License-Identifier: MIT
 *
 * accessvalues.c - a size, or a stride, of accesses to a file -> how often
 *
 * In:  calls of a trace, rows of a profile
 * Out: each value with its count, to the views
 */
#include "config.h"

#include "analyze/query/accessvalues.h"

#include <errno.h>
#include <stdlib.h>

/* The struct of a file and way. NULL: ENOMEM. */
static struct accessvalues_of *accessvalues_of (struct accessvalues **f,
                                                enum access_way way)
{
    if (!*f && !(*f = calloc (1, sizeof (**f))))
        return NULL;
    if (!(*f)->way[way])
        (*f)->way[way] = calloc (1, sizeof (*(*f)->way[way]));
    return (*f)->way[way];
}

/* What a damaged file says may be too much. */
static void accessvalues_more (uint64_t *to, uint64_t times)
{
    if (__builtin_add_overflow (*to, times, to))
        *to = UINT64_MAX;
}

/* --- the most that there may be ----------------------------------------------
 */

/* Of its odd factor, 1 at least; 0 is round. */
static unsigned accessvalues_bits (uint64_t value)
{
    return value ? 64u - (unsigned)(__builtin_clzll (value) +
                                    __builtin_ctzll (value))
                 : 1;
}

static int accessvalues_is_out (const struct accessvalues_of *s, uint64_t value)
{
    return s->bits && accessvalues_bits (value) >= s->bits;
}

static int
accessvalues_put (struct accessvalues_of *s, uint64_t value, uint64_t times)
{
    for (int i = 0; i < ACCESSVALUES_FEW; i++)
        if (!s->few[i].times || s->few[i].value == value) {
            s->few[i].value = value;
            accessvalues_more (&s->few[i].times, times);
            return 0;
        }
    if (!s->more && !(s->more = calloc (1, sizeof (*s->more))))
        return -1;
    return valuecount_add (s->more, value + VALUECOUNT_LEAST, times);
}

static void accessvalues_free_more (struct accessvalues_of *s)
{
    if (s->more)
        valuecount_clear (s->more);
    free (s->more);
}

/* Leave out those whose odd factors have so many bits. 0, or -1 (ENOMEM): it
 * is as it was. */
static int accessvalues_leave (struct accessvalues_of *s, unsigned bits)
{
    struct accessvalues_of to = {.unknown = s->unknown, .bits = bits};
    size_t n;
    struct valuecount_slot *all = accessvalues_sorted (s, &n);
    int rc = all ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < n; i++)
        if (accessvalues_is_out (&to, all[i].value))
            accessvalues_more (&to.unknown, all[i].times);
        else
            rc = accessvalues_put (&to, all[i].value, all[i].times);
    free (all);
    accessvalues_free_more (rc == 0 ? s : &to);
    if (rc == 0)
        *s = to;
    return rc;
}

/* There are too many. 0, or -1 (ENOMEM). */
static int accessvalues_shrink (struct accessvalues_of *s)
{
    size_t with[66] = {0}, n, fewer = 0; /* by bits of the odd factor */
    struct valuecount_slot *all = accessvalues_sorted (s, &n);
    unsigned bits = 1;

    if (!all)
        return -1;
    for (size_t i = 0; i < n; i++)
        with[accessvalues_bits (all[i].value)]++;
    free (all);
    while (fewer + with[bits] <= ACCESSVALUES_MOST) /* 65 have 1 at most */
        fewer += with[bits++];
    return accessvalues_leave (s, bits);
}

int accessvalues_bound (struct accessvalues **f,
                        enum access_way way,
                        unsigned bits)
{
    struct accessvalues_of *s = bits ? accessvalues_of (f, way) : NULL;

    if (!bits)
        return 0;
    if (!s)
        return -1;
    return s->bits && s->bits <= bits ? 0 : accessvalues_leave (s, bits);
}

/* --- adding ------------------------------------------------------------------
 */

int accessvalues_add (struct accessvalues **f,
                      enum access_way way,
                      uint64_t bytes,
                      uint64_t times)
{
    struct accessvalues_of *s = accessvalues_of (f, way);

    if (!s)
        return -1;
    if (!times)
        return 0;
    if (accessvalues_is_out (s, bytes)) {
        accessvalues_more (&s->unknown, times);
        return 0;
    }
    if (accessvalues_put (s, bytes, times) < 0)
        return -1;
    return s->more && s->more->count > ACCESSVALUES_MOST - ACCESSVALUES_FEW
               ? accessvalues_shrink (s)
               : 0;
}

int accessvalues_add_unknown (struct accessvalues **f,
                              enum access_way way,
                              uint64_t times)
{
    struct accessvalues_of *s = accessvalues_of (f, way);

    if (s)
        accessvalues_more (&s->unknown, times);
    return s ? 0 : -1;
}

int accessvalues_learn (struct accessvalues **f,
                        enum access_way way,
                        uint64_t bytes,
                        uint64_t times)
{
    struct accessvalues_of *s = accessvalues_of (f, way);

    if (!s)
        return -1;
    s->unknown -= times < s->unknown ? times : s->unknown;
    return accessvalues_add (f, way, bytes, times);
}

int accessvalues_add_row (struct accessvalues **f,
                          enum access_way way,
                          const struct profrow *row)
{
    uint64_t good = profrow_good (row);

    if (row->same)
        return good ? accessvalues_add (f, way, row->n[PROFILE_size_most], good)
                    : 0;
    return row->unknown ? accessvalues_add_unknown (f, way, row->unknown) : 0;
}

/* --- reading -----------------------------------------------------------------
 */

static int accessvalues_by_times (const void *a, const void *b)
{
    const struct valuecount_slot *x = a, *y = b;

    if (x->times != y->times)
        return x->times > y->times ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Values of the table, plus VALUECOUNT_LEAST, and times. NULL: ENOMEM. */
static uint64_t *accessvalues_pairs (const struct accessvalues_of *s, size_t *n)
{
    static const struct valuecount none;

    return valuecount_sorted (s->more ? s->more : &none, n);
}

struct valuecount_slot *accessvalues_sorted (const struct accessvalues_of *s,
                                             size_t *n)
{
    size_t more;
    uint64_t *pair = accessvalues_pairs (s, &more);
    struct valuecount_slot *all =
        pair ? calloc (more + ACCESSVALUES_FEW, sizeof (*all)) : NULL;

    *n = 0;
    for (int i = 0; all && i < ACCESSVALUES_FEW; i++)
        if (s->few[i].times)
            all[(*n)++] = s->few[i];
    for (size_t i = 0; all && i < more; i++)
        all[(*n)++] = (struct valuecount_slot){
            .value = pair[2 * i] - VALUECOUNT_LEAST, .times = pair[2 * i + 1]};
    free (pair);
    if (all)
        qsort (all, *n, sizeof (*all), accessvalues_by_times);
    return all;
}

static int accessvalues_merge_way (struct accessvalues **to,
                                   enum access_way way,
                                   const struct accessvalues_of *from)
{
    size_t n;
    struct valuecount_slot *all = accessvalues_sorted (from, &n);
    int rc = all ? accessvalues_bound (to, way, from->bits) : -1;

    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = accessvalues_add (to, way, all[i].value, all[i].times);
    free (all);
    return rc < 0 ? -1 : accessvalues_add_unknown (to, way, from->unknown);
}

int accessvalues_merge (struct accessvalues **to, struct accessvalues **from)
{
    struct accessvalues *f = *from;

    if (f && !*to) {
        *to = f;
        *from = NULL;
        return 0;
    }
    for (int w = 0; f && w < ACCESS_WAYS; w++) {
        if (!f->way[w])
            continue;
        if (!(*to)->way[w]) {
            (*to)->way[w] = f->way[w];
            f->way[w] = NULL;
        } else if (accessvalues_merge_way (to, (enum access_way)w, f->way[w]) <
                   0)
            return -1;
    }
    return 0;
}

void accessvalues_free (struct accessvalues *f)
{
    int saved = errno;

    for (int w = 0; f && w < ACCESS_WAYS; w++) {
        if (f->way[w])
            accessvalues_free_more (f->way[w]);
        free (f->way[w]);
    }
    free (f);
    errno = saved;
}
