/* SPDX-License-Identifier: MIT
 *
 * jobrows.c - processes of a job -> the rows of its figures
 *
 * In:  totals and summary of a job
 * Out: names and choices, to jobscan.c; the same rows in all figures
 */
#include "config.h"

#include "analyze/report/job/jobrows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"

/* A candidate for a row. */
struct candidate {
    size_t index;    /* of its process, or its first one */
    int first, rank; /* does it begin a rank; its number, INT32_MAX none */
    uint64_t events;
    size_t processes;
};

static int candidate_by_weight (const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->first != y->first)
        return y->first - x->first;
    if (x->first && x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->events != y->events)
        return x->events < y->events ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static int candidate_by_rank (const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int candidate_by_index (const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

static struct candidate *jobrows_processes (const struct result *r)
{
    const struct totals *t = r->totals;
    struct candidate *c = calloc (t->processes + 1, sizeof (*c));

    for (size_t i = 0; c && i < t->processes; i++) {
        const struct process *p = &t->process[i];
        const struct rank *rank = &r->summary->rank[p->rank];

        c[i] = (struct candidate){
            .index = i,
            .first = p->who->p.rank >= 0 && rank->first == p,
            .rank = p->who->p.rank >= 0 ? p->who->p.rank : INT32_MAX,
            .events = p->n.events,
            .processes = 1};
    }
    return c;
}

static const char *jobrows_host_of (const struct totals *t, size_t i)
{
    return t->process[i].who->text[SHARD_STRING_HOST];
}

/* Processes of the totals are sorted by host. */
static struct candidate *jobrows_nodes (const struct totals *t, size_t *n)
{
    struct candidate *c = calloc (t->processes + 1, sizeof (*c));

    *n = 0;
    for (size_t i = 0; c && i < t->processes; i++) {
        if (i == 0 ||
            strcmp (jobrows_host_of (t, i - 1), jobrows_host_of (t, i)) != 0)
            c[(*n)++].index = i;
        c[*n - 1].events += t->process[i].n.events;
        c[*n - 1].processes++;
    }
    return c;
}

/* Keep the first ones of all that are sorted by weight, in another order. */
static int jobrows_rows_keep (struct scan_rows *rows,
                              struct candidate *c,
                              size_t n,
                              int (*order) (const void *, const void *))
{
    rows->all = n;
    rows->count = n < SCAN_ROWS_MAX ? n : SCAN_ROWS_MAX;
    if (n)
        qsort (c, n, sizeof (*c), candidate_by_weight);
    if (rows->count)
        qsort (c, rows->count, sizeof (*c), order);
    rows->row = calloc (rows->count + 1, sizeof (*rows->row));
    return rows->row ? 0 : -1;
}

/* By its rank, or by its program where it has none. */
static char *jobrows_process_name (const struct trace_process *who)
{
    const char *host = who->text[SHARD_STRING_HOST];
    const char *exe = who->text[SHARD_STRING_EXE];
    const char *slash = strrchr (exe, '/');

    exe = slash ? slash + 1 : exe;
    return who->p.rank >= 0
               ? text_format ("rank %d, %s:%u", who->p.rank, host, who->p.pid)
               : text_format ("%s%s%s:%u", exe, *exe ? ", " : "", host,
                              who->p.pid);
}

static int jobrows_make_processes (struct jobrows *j,
                                   struct scan_rows *rows,
                                   const struct result *r)
{
    const struct totals *t = r->totals;
    struct candidate *c = jobrows_processes (r);
    int rc =
        c ? jobrows_rows_keep (rows, c, t->processes, candidate_by_rank) : -1;

    for (size_t i = 0; rc == 0 && i < rows->count; i++) {
        j->process[c[i].index] = (uint32_t)i;
        rows->row[i].processes = 1;
        rows->row[i].name = jobrows_process_name (t->process[c[i].index].who);
        rc = rows->row[i].name ? 0 : -1;
    }
    free (c);
    return rc;
}

static int jobrows_make_nodes (struct jobrows *j,
                               struct scan_rows *rows,
                               const struct totals *t)
{
    size_t n = 0;
    struct candidate *c = jobrows_nodes (t, &n);
    int rc =
        c ? jobrows_rows_keep (rows, c, n > 1 ? n : 0, candidate_by_index) : -1;

    for (size_t i = 0; rc == 0 && i < rows->count; i++) {
        for (size_t k = 0; k < c[i].processes; k++)
            j->node[c[i].index + k] = (uint32_t)i;
        rows->row[i].processes = c[i].processes;
        rows->row[i].name =
            text_format ("%s, %zu process%s", jobrows_host_of (t, c[i].index),
                         c[i].processes, c[i].processes == 1 ? "" : "es");
        rc = rows->row[i].name ? 0 : -1;
    }
    free (c);
    return rc;
}

int jobrows_make (struct jobrows *j, struct jobscan *s, const struct result *r)
{
    size_t n = r->totals->processes;

    s->processes.what = "processes";
    s->processes.by = "the first process of each rank, then those with the "
                      "most events";
    s->nodes.what = "nodes";
    s->nodes.by = "those with the most events";
    j->process = malloc ((n + 1) * sizeof (*j->process));
    j->node = malloc ((n + 1) * sizeof (*j->node));
    if (!j->process || !j->node)
        return -1;
    for (size_t i = 0; i < n; i++)
        j->process[i] = j->node[i] = JOBROW_NONE;
    return jobrows_make_processes (j, &s->processes, r) < 0
               ? -1
               : jobrows_make_nodes (j, &s->nodes, r->totals);
}

void jobrows_clear (struct jobrows *j)
{
    free (j->process);
    free (j->node);
}

void scan_rows_clear (struct scan_rows *rows)
{
    for (size_t i = 0; rows->row && i < rows->count; i++)
        free (rows->row[i].name);
    free (rows->row);
}

const struct scan_rows *jobrows_shown (const struct jobscan *s)
{
    return s->nodes.count && s->processes.count < s->processes.all
               ? &s->nodes
               : &s->processes;
}

void jobrows_say (FILE *out, const struct scan_rows *rows)
{
    if (rows->count < rows->all)
        (void)fprintf (out, " %zu of %zu %s: %s.", rows->count, rows->all,
                       rows->what, rows->by);
}
