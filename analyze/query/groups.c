/* SPDX-License-Identifier: MIT
 *
 * groups.c - events of a job -> sums by one or two keys of groupkeys.def
 *
 * In:  a job that has been read: its ranks, steps and epochs are known
 * Out: struct groups, to cmd_analyze.c by way of grouptable.c, and to
 *      groupshare.c
 *
 * The unit of work is a thread, as in load.c; each worker has its own cells,
 * and the sets of time of a cell are kept by thread, so that unions are exact
 * whoever read what.
 */
#include "config.h"

#include "analyze/query/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/grouppass.h"
#include "analyze/query/spans/spanunion.h"
#include "lib/util/pool.h"
#include "lib/util/progress.h"

enum { WORKERS_MAX = 64 };

/* --- before ----------------------------------------------------------------
 */

static int make_workers (struct group_pass *x)
{
    const struct grouping *g = x->by;

    x->workers = g->threads > 0 ? g->threads : pool_threads ();
    if (x->workers > WORKERS_MAX)
        x->workers = WORKERS_MAX;
    x->scan = calloc ((size_t)x->workers, sizeof (*x->scan));
    x->buffer = calloc ((size_t)x->workers, sizeof (*x->buffer));
    if (!x->scan || !x->buffer)
        return -1;
    for (int i = 0; i < x->workers; i++) {
        struct groupscan *s = &x->scan[i];

        s->by = g;
        s->label = x->job->label;
        s->start = x->frame->start;
        s->interval = x->frame->interval;
        s->filter.where = g->where && g->where->terms ? g->where : NULL;
        s->filter.start = x->frame->first_start;
        if (!(x->buffer[i] = malloc (SHARD_CHUNK_MAX)) ||
            groupscan_init (s) < 0)
            return -1;
    }
    return 0;
}

/* --- the pass ----------------------------------------------------------------
 */

static int
read_thread (struct group_pass *x, const struct part_thread *t, int worker)
{
    const struct part *part = &x->parts.item[t->part];
    const struct group_member *m = groupframe_find (x->frame, part->who);
    struct groupscan *s = &x->scan[worker];

    if (!m) {
        errno = ESRCH;
        return -1;
    }
    groupscan_thread (s, part->who, x->frame->number[m->rank],
                      t->chunk[0]->head.tid, &x->frame->windows[m->rank]);
    for (size_t i = 0; i < t->chunks; i++) {
        ssize_t n = tracefile_read (part->file, t->chunk[i], x->buffer[worker]);

        if (n > 0 &&
            groupscan_chunk (s, t->chunk[i], x->buffer[worker], (size_t)n) < 0)
            return -1;
        progress_add (t->chunk[i]->events);
    }
    return groupscan_done (s);
}

static void do_thread (void *cookie, size_t index, int worker)
{
    struct group_pass *x = cookie;

    if (read_thread (x, &x->thread[index], worker) < 0)
        atomic_store (&x->failed, errno ? errno : ENOMEM);
}

static int read_all (struct group_pass *x)
{
    uint64_t events = 0;
    int rc;

    for (size_t i = 0; i < x->threads; i++)
        for (size_t c = 0; c < x->thread[i].chunks; c++)
            events += x->thread[i].chunk[c]->events;
    progress_start ("analyze", events, "events");
    rc = pool_run (x->threads, x->workers, do_thread, x);
    progress_end ();
    errno = atomic_load (&x->failed);
    return rc < 0 || errno ? -1 : 0;
}

/* --- after -------------------------------------------------------------------
 */

void group_add (struct group *to, const struct group *from)
{
    if (from->count && (!to->count || from->min < to->min))
        to->min = from->min;
    if (from->max > to->max)
        to->max = from->max;
    to->count += from->count;
    to->errors += from->errors;
    to->bytes += from->bytes;
    to->ns += from->ns;
}

/* The group of a worker's cell; its key is both texts with their NULs. */
static int64_t group_of (struct group_pass *x,
                         const struct groupscan *s,
                         size_t cell,
                         int *isnew)
{
    char key[2 * (EVENT_NAME_MAX + 1)];
    int64_t value[GROUP_BY_MAX];
    size_t n = 0;

    memcpy (value, strmap_key (s->cells, cell, NULL), sizeof (value));
    for (int k = 0; k < s->by->keys; k++) {
        size_t length;
        const char *text = strmap_key (s->value[k], (size_t)value[k], &length);

        memcpy (key + n, text, length + 1);
        n += length + 1;
    }
    return strmap_intern (x->out->keys, key, n, isnew);
}

void group_set_values (struct groups *gs, size_t i, int keys)
{
    const char *text = strmap_key (gs->keys, i, NULL);

    for (int k = 0; k < keys; k++, text += strlen (text) + 1)
        gs->item[i].value[k] = text;
}

static int join (struct group_pass *x, size_t most)
{
    x->out->item = calloc (most + 1, sizeof (*x->out->item));
    x->cell = calloc (most * (size_t)x->workers + 1, sizeof (*x->cell));
    if (!x->out->item || !x->cell)
        return -1;
    for (int w = 0; w < x->workers; w++)
        for (size_t c = 0; c < strmap_count (x->scan[w].cells); c++) {
            struct group_cell *cell = strmap_value (x->scan[w].cells, c);
            int isnew;
            int64_t at = group_of (x, &x->scan[w], c, &isnew);

            if (at < 0 || !cell)
                return -1;
            group_add (&x->out->item[at], &cell->sum);
            x->cell[(size_t)at * (size_t)x->workers + (size_t)w] = cell;
        }
    x->out->count = strmap_count (x->out->keys);
    for (size_t i = 0; i < x->out->count; i++)
        group_set_values (x->out, i, x->by->keys);
    return 0;
}

static void do_union (void *cookie, size_t index, int worker)
{
    struct group_pass *x = cookie;
    struct group_cell **cell = &x->cell[index * (size_t)x->workers];
    const struct spanlog **logs;
    size_t n = 0;

    (void)worker;
    for (int w = 0; w < x->workers; w++)
        n += cell[w] ? cell[w]->logs : 0;
    logs = calloc (n + 1, sizeof (*logs));
    n = 0;
    for (int w = 0; logs && w < x->workers; w++)
        for (size_t i = 0; cell[w] && i < cell[w]->logs; i++)
            logs[n++] = &cell[w]->log[i];
    if (!logs || spans_length (logs, n, &x->out->item[index].running) < 0)
        atomic_store (&x->failed, errno ? errno : ENOMEM);
    free (logs);
}

int group_pass_unite (struct group_pass *x)
{
    int threads = x->by->threads > 0 ? x->by->threads : pool_threads ();

    if (pool_run (x->out->count, threads < WORKERS_MAX ? threads : WORKERS_MAX,
                  do_union, x) < 0)
        return -1;
    errno = atomic_load (&x->failed);
    return errno ? -1 : 0;
}

int group_pass_read (struct group_pass *x)
{
    size_t most = 0;

    x->out->interval = x->frame->interval;
    if (!(x->out->keys = strmap_create ()) ||
        parts_make (&x->parts, x->job) < 0 ||
        !(x->thread = parts_threads (&x->parts, &x->threads)) ||
        make_workers (x) < 0 || read_all (x) < 0)
        return -1;
    for (int w = 0; w < x->workers; w++)
        most += strmap_count (x->scan[w].cells);
    return join (x, most);
}

void group_pass_clear (struct group_pass *x)
{
    int saved = errno;

    for (int i = 0; i < x->workers; i++) {
        if (x->scan)
            groupscan_clear (&x->scan[i]);
        if (x->buffer)
            free (x->buffer[i]);
    }
    free (x->scan);
    free (x->buffer);
    free (x->cell);
    free (x->thread);
    parts_clear (&x->parts);
    errno = saved;
}

int groups_make (struct groups *gs,
                 const struct grouping *g,
                 const struct result *r,
                 struct errtext *err)
{
    struct group_frame frame;
    struct group_pass x = {.job = r->job, .by = g, .frame = &frame, .out = gs};
    int rc;

    memset (gs, 0, sizeof (*gs));
    if (groupframe_make (&frame, g, r, err) < 0)
        return -1;
    rc = group_pass_read (&x) < 0 ? -1 : group_pass_unite (&x);
    if (rc < 0)
        (void)errf (err, "%s: %s", r->job->label,
                    strerror (errno ? errno : ENOMEM));
    group_pass_clear (&x);
    groupframe_clear (&frame);
    if (rc < 0)
        groups_clear (gs);
    return rc;
}

void groups_clear (struct groups *gs)
{
    int saved = errno;

    free (gs->item);
    strmap_destroy (gs->keys);
    memset (gs, 0, sizeof (*gs));
    errno = saved;
}
