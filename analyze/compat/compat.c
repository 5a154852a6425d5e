/* SPDX-License-Identifier: MIT
 *
 * compat.c - sums by operation, thread and second -> the numbers DFAnalyzer
 *            prints, and exact ones
 *
 * In:  struct compat_tally, from compatread.c or compatpartial.c
 * Out: struct compat, to compatview.c
 *
 * DFAnalyzer's rules (views proc_name and time_range; what differs between its
 * versions is in compatversion.h): an event belongs to one second; the time of
 * a layer is the sum of durations (process view), or of the busiest thread of
 * each second (time view); it is overlapped by compute where compute took
 * longer in the same thread or second. Intervals are never intersected; that
 * is what the exact values are for.
 *
 * All sums are of whole microseconds, so that their order does not matter.
 */
#include "config.h"

#include "analyze/compat/compat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compat/compatop.h"

/* --- layers ------------------------------------------------------------ */

static double seconds (uint64_t us)
{
    return (double)us / US_PER_S;
}

/* Set of layers of each operation; malloc'd, NULL: ENOMEM. */
static uint32_t *layers_of_ops (const struct compat_tally *t,
                                const struct layerset *layers)
{
    size_t n = strmap_count (t->ops);
    uint32_t *set = calloc (n + 1, sizeof (*set));

    for (size_t i = 0; set && i < n; i++) {
        const struct compat_op *op = strmap_value (t->ops, i);
        struct compat_op_texts of =
            compat_op_texts (strmap_key (t->ops, i, NULL));

        if (!op->open)
            set[i] = layerset_match (layers, of.category, of.name);
    }
    return set;
}

/* --- DFAnalyzer's sums ------------------------------------------------- */

/* Sums of a thread in a second, of a thread, or of a second. */
struct cell {
    uint64_t us[LAYERSET_MAX], n[LAYERSET_MAX], bytes[LAYERSET_MAX];
};

static struct cell *cell_of (struct strmap *m, const void *key, size_t n)
{
    int64_t at = strmap_intern (m, key, n, NULL);
    struct cell *c;

    if (at < 0)
        return NULL;
    if ((c = strmap_value (m, (size_t)at)) || !(c = calloc (1, sizeof (*c))))
        return c;
    strmap_set (m, (size_t)at, c);
    return c;
}

static void free_cells (struct strmap *m)
{
    for (size_t i = 0; m && i < strmap_count (m); i++)
        free (strmap_value (m, i));
    strmap_destroy (m);
}

static int
add_run (struct strmap *cells, const struct compat_run *r, uint32_t layers)
{
    for (size_t i = 0; layers && i < r->seconds; i++) {
        const struct compat_second *s = &r->second[i];
        const uint64_t key[] = {s->number, r->thread};
        struct cell *c = cell_of (cells, (const void *)key, sizeof (key));

        if (!c)
            return -1;
        for (uint32_t set = layers; set; set &= set - 1) {
            int l = __builtin_ctz (set);

            c->us[l] += s->us;
            c->n[l] += s->n;
            c->bytes[l] += s->bytes;
        }
    }
    return 0;
}

/* Second and thread -> sums. NULL: ENOMEM. */
static struct strmap *make_cells (const struct compat_tally *t,
                                  const uint32_t *of_op)
{
    struct strmap *cells = strmap_create ();

    for (size_t i = 0; cells && i < strmap_count (t->runs); i++) {
        const struct compat_run *r = strmap_value (t->runs, i);

        if (add_run (cells, r, of_op[r->op]) < 0) {
            free_cells (cells);
            return NULL;
        }
    }
    return cells;
}

/* In whole microseconds. */
struct sums {
    uint64_t us, alone_us, all_us;
};

static uint64_t compat_join_us (uint64_t a, uint64_t b, int longest)
{
    return !longest ? a + b : a > b ? a : b;
}

static void compat_add_row (struct compat *c,
                            enum compat_view view,
                            const struct cell *r,
                            struct sums *sums)
{
    uint64_t compute = c->layers.compute < 0 ? 0 : r->us[c->layers.compute];
    const int longest =
        view == COMPAT_PROCESS && c->version->rules & COMPAT_LONGEST;

    for (size_t l = 0; l < c->layers.layers; l++) {
        struct compat_layer *to = &c->view[view][l];

        sums[l].all_us += r->us[l];
        sums[l].us = compat_join_us (sums[l].us, r->us[l], longest);
        to->count += r->n[l];
        to->bytes += r->bytes[l];
        if (r->us[l] > compute) {
            sums[l].alone_us =
                compat_join_us (sums[l].alone_us, r->us[l] - compute, longest);
            to->u_count += r->n[l];
            to->u_bytes += r->bytes[l];
        }
    }
}

/* Times of a thread are summed; of a second the largest counts. */
static void join_cell (struct cell *to, const struct cell *c, int sum)
{
    for (int l = 0; l < LAYERSET_MAX; l++) {
        if (sum)
            to->us[l] += c->us[l];
        else if (c->us[l] > to->us[l])
            to->us[l] = c->us[l];
        to->n[l] += c->n[l];
        to->bytes[l] += c->bytes[l];
    }
}

static int
sum_view (struct compat *c, const struct strmap *cells, enum compat_view view)
{
    struct strmap *rows = strmap_create ();
    struct sums sums[LAYERSET_MAX] = {{0}};
    int rc = rows ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < strmap_count (cells); i++) {
        const char *key = strmap_key (cells, i, NULL);
        struct cell *row = cell_of (
            rows, view == COMPAT_PROCESS ? key + sizeof (uint64_t) : key,
            sizeof (uint64_t));

        if (row)
            join_cell (row, strmap_value (cells, i), view == COMPAT_PROCESS);
        else
            rc = -1;
    }
    for (size_t i = 0; rc == 0 && i < strmap_count (rows); i++)
        compat_add_row (c, view, strmap_value (rows, i), sums);
    for (size_t l = 0; l < c->layers.layers; l++) {
        c->view[view][l].time_s = seconds (sums[l].us);
        c->view[view][l].u_time_s = seconds (sums[l].alone_us);
        c->view[view][l].sum_s = seconds (sums[l].all_us);
    }
    free_cells (rows);
    return rc;
}

/* --- exactly ----------------------------------------------------------- */

/* The runs of a tally, those of a process together. */
struct member {
    const struct compat_run *run;
    uint32_t process, layers;
};

static int compat_by_process (const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    return (x->process > y->process) - (x->process < y->process);
}

static struct member *make_members (const struct compat_tally *t,
                                    const uint32_t *of_op)
{
    size_t n = strmap_count (t->runs);
    struct member *m = calloc (n + 1, sizeof (*m));

    for (size_t i = 0; m && i < n; i++) {
        const struct compat_run *r = strmap_value (t->runs, i);
        const struct compat_thread *thread =
            strmap_value (t->threads, r->thread);

        m[i] = (struct member){r, thread->process, of_op[r->op]};
    }
    if (m)
        qsort (m, n, sizeof (*m), compat_by_process);
    return m;
}

/* Union of a layer over some runs. */
static int
unite (const struct member *m, size_t n, int layer, struct intervals *out)
{
    const struct intervals **sets = calloc (n + 1, sizeof (*sets));
    size_t used = 0;
    int rc;

    if (!sets)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (m[i].layers >> layer & 1 && m[i].run->set.count)
            sets[used++] = &m[i].run->set;
    rc = intervals_union (out, sets, used);
    free (sets);
    return rc;
}

/* Adds the lengths of each layer and of what compute has in common with it. */
static int exact_of (const struct compat *c,
                     const struct member *m,
                     size_t n,
                     struct sums *sums)
{
    struct intervals compute = {0}, all = {0};
    int rc = 0;

    if (c->layers.compute >= 0)
        rc = unite (m, n, c->layers.compute, &compute);
    for (size_t l = 0; rc == 0 && l < c->layers.layers; l++) {
        if ((rc = unite (m, n, (int)l, &all)) == 0) {
            sums[l].us += intervals_length (&all);
            sums[l].alone_us += intervals_common (&all, &compute);
        }
        intervals_clear (&all);
    }
    intervals_clear (&compute);
    return rc;
}

static int
make_exact (struct compat *c, const struct compat_tally *t, const uint32_t *of)
{
    size_t n = strmap_count (t->runs);
    struct member *m = make_members (t, of);
    struct sums job[LAYERSET_MAX] = {{0}}, ranks[LAYERSET_MAX] = {{0}};
    int rc = m ? exact_of (c, m, n, job) : -1;

    for (size_t i = 0, next; rc == 0 && i < n; i = next) {
        for (next = i; next < n && m[next].process == m[i].process;)
            next++;
        rc = exact_of (c, m + i, next - i, ranks);
    }
    for (size_t l = 0; l < c->layers.layers; l++)
        c->exact[l] = (struct compat_exact){
            c->view[COMPAT_PROCESS][l].sum_s, seconds (job[l].us),
            seconds (job[l].alone_us), seconds (ranks[l].us),
            seconds (ranks[l].alone_us)};
    free (m);
    return rc;
}

/* --- all of it --------------------------------------------------------- */

/* Of the whole trace. */
static void compat_sum_totals (struct compat *c, const struct compat_tally *t)
{
    const struct compat_totals *all = &t->totals;

    c->version = t->layers->version;
    if (!compat_rule (t, COMPAT_TOTALS)) {
        c->job_s = t->end > t->start ? seconds (t->end - t->start) : 0;
        for (size_t i = 0; i < strmap_count (t->threads); i++)
            c->processes +=
                ((struct compat_thread *)strmap_value (t->threads, i))->counts;
        return;
    }
    c->job_s = all->last > all->first ? seconds (all->last - all->first) : 0;
    c->events = all->events;
    c->processes = strmap_count (all->thing[COMPAT_PROCESSES]);
    c->nodes = strmap_count (all->thing[COMPAT_NODES]);
    c->files = strmap_count (all->thing[COMPAT_FILES]);
}

/* Of a tally that is resolved. Takes the layers. */
static int compat_sum_up (struct compat *c,
                          const struct compat_tally *t,
                          struct layerset *layers)
{
    struct strmap *cells = NULL;
    uint32_t *of;
    int rc = -1;

    memset (c, 0, sizeof (*c));
    c->layers = *layers;
    memset (layers, 0, sizeof (*layers));
    compat_sum_totals (c, t);
    if ((of = layers_of_ops (t, &c->layers)) && (cells = make_cells (t, of)) &&
        sum_view (c, cells, COMPAT_PROCESS) == 0 &&
        sum_view (c, cells, COMPAT_TIME) == 0)
        rc = make_exact (c, t, of);
    free_cells (cells);
    free (of);
    if (rc < 0)
        compat_clear (c);
    return rc;
}

/* Has the preset found the layer that every run of DLIO has? */
static int compat_fits (const struct compat *c)
{
    return c->view[COMPAT_PROCESS][0].count > 0;
}

int compat_make (struct compat *c,
                 struct compat_tally *t,
                 struct compat_layers *layers)
{
    int rc = compat_tally_resolve (t);

    for (int i = 0; rc == 0 && i < layers->sets; i++) {
        rc = compat_sum_up (c, t, &layers->set[i]);
        if (rc < 0 || i + 1 == layers->sets || compat_fits (c))
            break;
        compat_clear (c);
    }
    return rc;
}

void compat_clear (struct compat *c)
{
    layerset_clear (&c->layers);
    memset (c, 0, sizeof (*c));
}
