/* SPDX-License-Identifier: MIT
 *
 * sitehistory.c - jobs of one shape over time -> did a metric change, and when?
 *
 * Shape: program, name, nodes, ranks. Rows come in the order of shape and time,
 * so that one is held at a time.
 */
#include "config.h"

#include "cli/site/siteask.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/site/change.h"
#include "lib/util/fsutil.h"

enum { SHAPE_CELLS = 5, SHAPE_MAX = 512, SECONDS_PER_DAY = 24 * 3600 };

struct history {
    struct textable *table;
    const char *metric; /* its name */
    int digits;
    char shape[SHAPE_MAX]; /* cells with a tab between them */
    double *value;         /* of the shape, in order of time */
    int64_t *ended;
    size_t n, room;
    int failed;
};

static void history_date (struct textable *t, int64_t when)
{
    const time_t seconds = (time_t)when;
    char day[32] = "";
    struct tm tm;

    if (gmtime_r (&seconds, &tm))
        (void)strftime (day, sizeof (day), "%Y-%m-%d", &tm);
    textable_text (t, day);
}

/* The row of the shape that has ended. */
static void history_end (struct history *h)
{
    struct change c;
    char *save, *cells;
    double logs = 0;

    if (h->n < 2)
        return;
    c = change_find (h->value, h->n);
    for (size_t i = 0; i < h->n; i++)
        logs += log (h->value[i]);
    textable_row (h->table);
    cells = h->shape;
    for (int i = 0; i < SHAPE_CELLS; i++) {
        save = strchr (cells, '\t');
        if (save)
            *save = '\0';
        textable_text (h->table, cells);
        cells = save ? save + 1 : cells + strlen (cells);
    }
    textable_text (h->table, h->metric);
    textable_uint (h->table, h->n);
    textable_double (h->table, exp (logs / (double)h->n), h->digits);
    if (c.at) {
        history_date (h->table, h->ended[c.at]);
        textable_double (h->table, c.before, h->digits);
        textable_double (h->table, c.after, h->digits);
        textable_double (h->table, c.after / c.before, 3);
        textable_double (h->table, c.p, 6);
    } else {
        for (int i = 0; i < 5; i++)
            textable_na (h->table);
    }
}

static int history_grow (struct history *h)
{
    size_t room = h->room ? h->room * 2 : 256;
    double *value = reallocarray (h->value, room, sizeof (*value));
    int64_t *ended;

    if (!value)
        return -1;
    h->value = value;
    ended = reallocarray (h->ended, room, sizeof (*ended));
    if (!ended)
        return -1;
    h->ended = ended;
    h->room = room;
    return 0;
}

static int history_take (void *arg, int n, const char *const *cell)
{
    struct history *h = arg;
    char shape[SHAPE_MAX] = "";
    size_t used = 0;

    (void)n;
    for (int i = 0; i < SHAPE_CELLS; i++) {
        used += (size_t)snprintf (shape + used, sizeof (shape) - used, "%s%s",
                                  i ? "\t" : "", cell[i] ? cell[i] : "");
        if (used >= sizeof (shape))
            return 0; /* longer than texts of a line are */
    }
    if (strcmp (shape, h->shape) != 0) {
        history_end (h);
        (void)snprintf (h->shape, sizeof (h->shape), "%s", shape);
        h->n = 0;
    }
    if (h->n == h->room && history_grow (h) < 0) {
        h->failed = 1;
        return 1;
    }
    h->ended[h->n] = strtoll (cell[SHAPE_CELLS], NULL, 10);
    h->value[h->n++] = strtod (cell[SHAPE_CELLS + 1], NULL);
    return 0;
}

static void history_columns (struct textable *t)
{
    static const char *const text[] = {"user",  "program", "name",
                                       "nodes", "ranks",   "metric"};

    for (size_t i = 0; i < sizeof (text) / sizeof (*text); i++)
        textable_column (t, text[i], text[i], "", 0);
    textable_column (t, "jobs", "jobs", "", 1);
    textable_column (t, "mean", "geometric\nmean", "", 1);
    textable_column (t, "changed", "changed", "", 0);
    textable_column (t, "before", "before", "", 1);
    textable_column (t, "after", "after", "", 1);
    textable_column (t, "ratio", "after /\nbefore", "", 1);
    textable_column (t, "p", "p", "", 1);
}

static int history_metric (struct sitedb *db,
                           const struct siteask *q,
                           struct history *h,
                           int at,
                           struct errtext *err)
{
    const char *args[3] = {q->program, q->user, NULL};
    char *sql = text_format (
        "SELECT user, program, name, CAST (nodes AS INTEGER), "
        "CAST (ranks AS INTEGER), ended, %s FROM job WHERE %s > 0 "
        "AND program = ?1%s AND ended >= %lld "
        "ORDER BY user, program, name, nodes, ranks, ended",
        summary_info (at).name, summary_info (at).name,
        q->user ? " AND user = ?2" : "",
        q->days ? (long long)time (NULL) - (long long)q->days * SECONDS_PER_DAY
                : 0LL);
    int rc;

    if (!sql)
        return errf (err, "%s", strerror (ENOMEM));
    h->metric = summary_info (at).name;
    h->digits = metric_table[at - (int)SUMMARY_FIELDS].digits;
    h->shape[0] = '\0';
    h->n = 0;
    rc = sitedb_ask (db, sql, args, history_take, h, err);
    if (rc == 0)
        history_end (h);
    if (h->failed)
        rc = errf (err, "%s", strerror (ENOMEM));
    free (sql);
    return rc;
}

static const char *const history_default[] = {"job_time",   "read_bandwidth",
                                              "io_time",    "data_meta_time",
                                              "stall_time", "checkpoint_time"};

struct textable *siteask_history (struct sitedb *db,
                                  const struct siteask *q,
                                  struct errtext *err)
{
    struct history h = {.table = textable_create ()};
    const char *const *name = history_default;
    int n = sizeof (history_default) / sizeof (*history_default), rc = 0;

    if (q->metric.count) {
        name = q->metric.item;
        n = q->metric.count;
    }
    if (!h.table)
        rc = errf (err, "%s", strerror (ENOMEM));
    else
        history_columns (h.table);
    for (int i = 0; rc == 0 && i < n; i++) {
        int at = summary_find (name[i]);

        if (at < (int)SUMMARY_FIELDS) {
            errno = EINVAL;
            rc = errf (err, "%s: no metric: see `dftrace help metrics`",
                       name[i]);
        } else {
            rc = history_metric (db, q, &h, at, err);
        }
    }
    free (h.value);
    free (h.ended);
    if (rc < 0) {
        int keep = errno;

        textable_destroy (h.table);
        errno = keep;
        return NULL;
    }
    return h.table;
}
