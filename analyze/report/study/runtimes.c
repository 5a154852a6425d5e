/* SPDX-License-Identifier: MIT
 *
 * runtimes.c - time in calls and regions of every run of two sweeps
 *
 * In:  tables/calls.csv and operations.csv of the runs' traces
 * Out: ratios of pairs of runs, to the page that compares
 */
#include "config.h"

#include "analyze/report/study/runtimes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"

/* Seconds of a call in both runs of a pair; 0: it was not made. */
struct runtime_pair {
    double seconds[2];
};

struct runtimes_work {
    struct runtimes *t;
    struct strmap *names;     /* "layer NUL name" -> row */
    struct runtime_pair *now; /* per row, of this pair */
    size_t room;
};

/* The row of a call, a new one when it is seen first; NULL: ENOMEM. */
static struct runtime *
runtimes_row (struct runtimes_work *w, const char *layer, const char *name)
{
    char *key = text_format ("%s\n%s", layer, name);
    int isnew = 0;
    int64_t at = key ? strmap_intern (w->names, key, strlen (key), &isnew) : -1;
    struct runtime *row;

    free (key);
    if (at < 0)
        return NULL;
    if (!isnew)
        return &w->t->row[at];
    if (w->t->count == w->room) {
        size_t room = w->room ? 2 * w->room : 64;
        struct runtime *rows =
            reallocarray (w->t->row, room, sizeof (*w->t->row));
        struct runtime_pair *now;

        if (!rows)
            return NULL;
        w->t->row = rows;
        if (!(now = reallocarray (w->now, room, sizeof (*w->now))))
            return NULL;
        w->now = now;
        w->room = room;
    }
    row = &w->t->row[w->t->count];
    *row = (struct runtime){.layer = strdup (layer), .name = strdup (name)};
    effect_begin (&row->ratio);
    w->now[w->t->count++] = (struct runtime_pair){{0, 0}};
    return row->layer && row->name ? row : NULL;
}

static int runtimes_take (struct runtimes_work *w,
                          const char *dir,
                          const char *table,
                          int side)
{
    struct csv *c = csv_load (dir, table, NULL);
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < csv_rows (c); i++) {
        struct runtime *row = runtimes_row (w, csv_get (c, i, "category"),
                                            csv_get (c, i, "name"));
        double s = csv_number (c, i, "sum_s");

        if (!row)
            rc = -1;
        else if (!isnan (s))
            w->now[row - w->t->row].seconds[side] += s;
    }
    csv_destroy (c);
    return rc;
}

static int runtimes_run (struct runtimes_work *w,
                         const struct sweepdata *d,
                         size_t run,
                         int side)
{
    char *dir = text_format (
        "%s/runs/%s.%s/r%s/a%s/trace/tables", d->dir,
        csv_get (d->runs, run, "label"), csv_get (d->runs, run, "point"),
        csv_get (d->runs, run, "repeat"), csv_get (d->runs, run, "attempt"));
    int rc = !dir || runtimes_take (w, dir, "calls.csv", side) < 0 ||
                     runtimes_take (w, dir, "operations.csv", side) < 0
                 ? -1
                 : 0;

    free (dir);
    return rc;
}

/* Both runs of a pair have been read. */
static void runtimes_pair_end (struct runtimes_work *w)
{
    for (size_t i = 0; i < w->t->count; i++) {
        double *s = w->now[i].seconds;
        struct runtime *row = &w->t->row[i];

        if (s[0] > 0 || s[1] > 0)
            effect_pair (&row->ratio, s[0], s[1]);
        for (int k = 0; k < 2; k++) {
            row->sum[k] += s[k];
            s[k] = 0;
        }
    }
    w->t->pairs++;
}

static int runtimes_by_change (const void *x, const void *y)
{
    const struct runtime *a = x, *b = y;
    double p = fabs (a->sum[1] - a->sum[0]), q = fabs (b->sum[1] - b->sum[0]);

    if (p != q)
        return p < q ? 1 : -1;
    return strcmp (a->name, b->name);
}

/* Student's t of the logarithms of the ratios against 0. */
static double runtimes_chance (const struct effect *e)
{
    if (e->pairs < 2)
        return NAN;
    if (e->logs.sd <= 0)
        return e->logs.mean == 0;
    return student_p (e->logs.mean / e->logs.sd * sqrt ((double)e->pairs),
                      e->pairs - 1);
}

static int runtimes_end (struct runtimes *t)
{
    double *p = calloc (t->count + 1, sizeof (*p));
    int rc = -1;

    for (size_t i = 0; p && i < t->count; i++) {
        effect_end (&t->row[i].ratio);
        p[i] = runtimes_chance (&t->row[i].ratio);
    }
    if (p && statistics_holm (p, t->count) == 0) {
        for (size_t i = 0; i < t->count; i++)
            t->row[i].p = p[i];
        rc = 0;
    }
    free (p);
    if (rc == 0 && t->count)
        qsort (t->row, t->count, sizeof (*t->row), runtimes_by_change);
    return rc;
}

int runtimes_load (struct runtimes *t,
                   const struct sweepdata *a,
                   const struct sweepdata *b,
                   const long *pair)
{
    struct runtimes_work w = {.t = t, .names = strmap_create ()};
    int rc = w.names ? 0 : -1;

    memset (t, 0, sizeof (*t));
    for (size_t r = 0; rc == 0 && r < csv_rows (a->runs); r++) {
        if (pair[r] < 0)
            continue;
        if (runtimes_run (&w, a, r, 0) < 0 ||
            runtimes_run (&w, b, (size_t)pair[r], 1) < 0)
            rc = -1;
        else
            runtimes_pair_end (&w);
    }
    free (w.now);
    strmap_destroy (w.names);
    return rc < 0 ? -1 : runtimes_end (t);
}

void runtimes_clear (struct runtimes *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free (t->row[i].layer);
        free (t->row[i].name);
    }
    free (t->row);
    memset (t, 0, sizeof (*t));
}
