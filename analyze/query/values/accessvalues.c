/* SPDX-License-Identifier: MIT
 *
 * accessvalues.c - a size, or a stride, of accesses to a file -> how often
 *
 * In:  calls of a trace, rows of a profile
 * Out: each value with its count, to the views
 */
#include "config.h"

#include "analyze/query/values/accessvalues.h"

#include <errno.h>
#include <stdlib.h>

/* The struct of a file and way. NULL: ENOMEM. */
static struct accessvalues_of *accessvalues_of (struct accessvalues **f,
                                                enum access_way way)
{
    if (!*f && !(*f = calloc (1, sizeof (**f))))
        return NULL;
    return &(*f)->way[way];
}

/* What a damaged file says may be too much. */
static void accessvalues_more (uint64_t *to, uint64_t times)
{
    if (__builtin_add_overflow (*to, times, to))
        *to = UINT64_MAX;
}

int accessvalues_add (struct accessvalues **f,
                      enum access_way way,
                      uint64_t bytes,
                      uint64_t times)
{
    struct accessvalues_of *s = accessvalues_of (f, way);

    if (!s)
        return -1;
    for (int i = 0; i < ACCESSVALUES_FEW; i++)
        if (!s->few[i].times || s->few[i].value == bytes) {
            s->few[i].value = bytes;
            accessvalues_more (&s->few[i].times, times);
            return 0;
        }
    return times ? valuecount_add (&s->more, bytes + VALUECOUNT_LEAST, times)
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

static int accessvalues_by_times (const void *a, const void *b)
{
    const struct valuecount_slot *x = a, *y = b;

    if (x->times != y->times)
        return x->times > y->times ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

struct valuecount_slot *accessvalues_sorted (const struct accessvalues_of *s,
                                             size_t *n)
{
    size_t more;
    uint64_t *pair = valuecount_sorted (&s->more, &more);
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

int accessvalues_merge (struct accessvalues **to,
                        const struct accessvalues *from)
{
    for (int w = 0; from && w < ACCESS_WAYS; w++) {
        enum access_way way = (enum access_way)w;
        size_t n;
        struct valuecount_slot *all = accessvalues_sorted (&from->way[w], &n);
        int rc = all ? 0 : -1;

        for (size_t i = 0; rc == 0 && i < n; i++)
            rc = accessvalues_add (to, way, all[i].value, all[i].times);
        free (all);
        if (rc < 0 ||
            (from->way[w].unknown &&
             accessvalues_add_unknown (to, way, from->way[w].unknown) < 0))
            return -1;
    }
    return 0;
}

void accessvalues_free (struct accessvalues *f)
{
    int saved = errno;

    for (int w = 0; f && w < ACCESS_WAYS; w++)
        valuecount_clear (&f->way[w].more);
    free (f);
    errno = saved;
}
