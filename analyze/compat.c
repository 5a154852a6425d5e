/* SPDX-License-Identifier: MIT
 *
 * compat.c - sums by thread and second -> the numbers DFAnalyzer prints, and
 *            exact ones
 *
 * In:  struct compat_reader, from compatread.c
 * Out: struct compat, to compatview.c
 *
 * DFAnalyzer's rules (release of July 2025, views proc_name and time_range):
 * an event belongs to the second in which it starts; the time of a layer is
 * the sum of durations (process view), or of the busiest thread of each
 * second (time view); it is overlapped by compute where compute took longer
 * in the same thread or second. Intervals are never intersected; that is what
 * the exact values are for.
 */
#include "config.h"

#include "analyze/compatread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- DFAnalyzer's sums ------------------------------------------------- */

/* A row of a view: a thread, or a second. */
struct row {
    uint64_t us[LAYERSET_MAX], n[LAYERSET_MAX], bytes[LAYERSET_MAX];
};

static void
add_row (struct compat *c, enum compat_view view, const struct row *r)
{
    uint64_t compute = c->layers.compute < 0 ? 0 : r->us[c->layers.compute];

    for (size_t l = 0; l < c->layers.layers; l++) {
        struct compat_layer *to = &c->view[view][l];

        to->time_s += (double)r->us[l] / 1e6;
        to->count += r->n[l];
        to->bytes += r->bytes[l];
        if (r->us[l] > compute) {
            to->u_time_s += (double)(r->us[l] - compute) / 1e6;
            to->u_count += r->n[l];
            to->u_bytes += r->bytes[l];
        }
    }
}

/* Cells of one key into rows: over[i] says of cell i's key what row it is in;
 * times are summed, or the largest counts. */
static int sum_view (struct compat_reader *r, enum compat_view view)
{
    size_t cells = strmap_count (r->cells), rows = 0;
    struct row *row;

    for (size_t i = 0; i < cells; i++) {
        const uint32_t *key = (const void *)strmap_key (r->cells, i, NULL);
        uint32_t id;

        memcpy (&id, &key[view == COMPAT_PROCESS], sizeof (id));
        if (id >= rows)
            rows = (size_t)id + 1;
    }
    if (!(row = calloc (rows + 1, sizeof (*row))))
        return -1;
    for (size_t i = 0; i < cells; i++) {
        const struct compat_cell *c = strmap_value (r->cells, i);
        uint32_t id[2];
        struct row *to;

        memcpy (id, strmap_key (r->cells, i, NULL), sizeof (id));
        to = &row[id[view == COMPAT_PROCESS]];
        for (int l = 0; l < LAYERSET_MAX; l++) {
            if (view == COMPAT_PROCESS)
                to->us[l] += c->us[l];
            else if (c->us[l] > to->us[l])
                to->us[l] = c->us[l];
            to->n[l] += c->n[l];
            to->bytes[l] += c->bytes[l];
        }
    }
    for (size_t i = 0; i < rows; i++)
        add_row (r->c, view, &row[i]);
    free (row);
    return 0;
}

/* --- exactly ----------------------------------------------------------- */

/* Union of a layer over the threads of a process, or all (UINT32_MAX). */
static int unite (struct compat_reader *r,
                  uint32_t process,
                  int layer,
                  struct intervals *out)
{
    size_t n = strmap_count (r->threads), used = 0;
    const struct intervals **sets = calloc (n + 1, sizeof (*sets));
    int rc;

    if (!sets)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct compat_thread *t = strmap_value (r->threads, i);

        if (t->set[layer].count &&
            (process == UINT32_MAX || t->process == process))
            sets[used++] = &t->set[layer];
    }
    rc = intervals_union (out, sets, used);
    free (sets);
    return rc;
}

/* Lengths of a layer and of what compute has in common with it. */
static int exact_of (struct compat_reader *r,
                     uint32_t process,
                     int layer,
                     double *s,
                     double *common)
{
    struct intervals all = {0}, compute = {0};
    int rc = unite (r, process, layer, &all);

    if (rc == 0 && r->c->layers.compute >= 0)
        rc = unite (r, process, r->c->layers.compute, &compute);
    if (rc == 0) {
        *s += (double)intervals_length (&all) / 1e6;
        *common += (double)intervals_common (&all, &compute) / 1e6;
    }
    intervals_clear (&all);
    intervals_clear (&compute);
    return rc;
}

static int make_exact (struct compat_reader *r)
{
    for (size_t l = 0; l < r->c->layers.layers; l++) {
        struct compat_exact *e = &r->c->exact[l];

        e->sum_s = r->c->view[COMPAT_PROCESS][l].time_s;
        if (exact_of (r, UINT32_MAX, (int)l, &e->union_s, &e->job_overlap_s) <
            0)
            return -1;
        for (size_t p = 0; p < strmap_count (r->processes); p++)
            if (exact_of (r, (uint32_t)p, (int)l, &e->rank_sum_s,
                          &e->rank_overlap_s) < 0)
                return -1;
    }
    return 0;
}

/* --- all of it --------------------------------------------------------- */

static void free_values (struct strmap *m)
{
    for (size_t i = 0; m && i < strmap_count (m); i++)
        free (strmap_value (m, i));
    strmap_destroy (m);
}

static void free_reader (struct compat_reader *r)
{
    for (size_t i = 0; r->threads && i < strmap_count (r->threads); i++) {
        struct compat_thread *t = strmap_value (r->threads, i);

        for (int l = 0; t && l < LAYERSET_MAX; l++)
            intervals_clear (&t->set[l]);
    }
    free_values (r->ops);
    free_values (r->threads);
    free_values (r->processes);
    free_values (r->cells);
    pfw_names_destroy (r->names);
}

static int load (struct compat *c, const struct job *job)
{
    struct compat_reader r = {.c = c,
                              .ops = strmap_create (),
                              .threads = strmap_create (),
                              .processes = strmap_create (),
                              .cells = strmap_create (),
                              .names = pfw_names_create ()};
    int rc = -1;

    if (r.ops && r.threads && r.processes && r.cells && r.names &&
        compat_read (&r, job) == 0 && sum_view (&r, COMPAT_PROCESS) == 0 &&
        sum_view (&r, COMPAT_TIME) == 0 && make_exact (&r) == 0) {
        c->job_s = r.end > r.start ? (double)(r.end - r.start) / 1e6 : 0;
        c->threads = strmap_count (r.threads);
        rc = 0;
    }
    free_reader (&r);
    return rc;
}

/* Has the preset found the layer that every run of DLIO has? */
static int is_dlio (const struct compat *c)
{
    return c->view[COMPAT_PROCESS][0].count > 0;
}

int compat_load (struct compat *c,
                 const struct job *job,
                 const char *layers,
                 struct errtext *err)
{
    memset (c, 0, sizeof (*c));
    if (layerset_load (&c->layers, layers ? layers : "dlio", err) < 0)
        return -1;
    if (load (c, job) < 0) {
        (void)errf (err, "%s: %s", job->label, strerror (errno));
        compat_clear (c);
        return -1;
    }
    if (layers || is_dlio (c))
        return 0;
    compat_clear (c);
    return compat_load (c, job, "ai", err);
}

void compat_clear (struct compat *c)
{
    layerset_clear (&c->layers);
    memset (c, 0, sizeof (*c));
}
