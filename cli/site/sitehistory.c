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

enum {
    SHAPE_TEXTS = 3,
    SHAPE_CELLS = 5,
    METRICS_MAX = 16,
    SECONDS_PER_DAY = 24 * 3600
};

/* One metric of the shape, in order of time. */
struct series {
    int at; /* of summary.h */
    double *value;
    int64_t *ended;
    size_t n, room;
};

struct history {
    struct textable *table;
    struct series series[METRICS_MAX];
    int metrics;
    char *text[SHAPE_TEXTS]; /* of the shape; NULL before the first row */
    double size[SHAPE_CELLS - SHAPE_TEXTS]; /* its nodes and ranks; NAN: n/a */
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

static void history_row (const struct history *h, const struct series *m)
{
    int digits = metric_table[m->at - (int)SUMMARY_FIELDS].digits;
    struct change c;
    double logs = 0;

    if (m->n < 2)
        return;
    c = change_find (m->value, m->n);
    for (size_t i = 0; i < m->n; i++)
        logs += log (m->value[i]);
    textable_row (h->table);
    for (int i = 0; i < SHAPE_TEXTS; i++)
        textable_text (h->table, h->text[i]);
    for (int i = 0; i < SHAPE_CELLS - SHAPE_TEXTS; i++) {
        if (isnan (h->size[i]))
            textable_na (h->table);
        else
            textable_double (h->table, h->size[i], 0);
    }
    textable_text (h->table, summary_info (m->at).name);
    textable_uint (h->table, m->n);
    textable_double (h->table, exp (logs / (double)m->n), digits);
    if (c.at) {
        history_date (h->table, m->ended[c.at]);
        textable_double (h->table, c.before, digits);
        textable_double (h->table, c.after, digits);
        textable_double (h->table, c.after / c.before, 3);
        textable_probability (h->table, c.p, 6);
    } else {
        for (int i = 0; i < 5; i++)
            textable_na (h->table);
    }
}

/* The rows of the shape that has ended. */
static void history_end (struct history *h)
{
    for (int i = 0; i < h->metrics; i++) {
        history_row (h, &h->series[i]);
        h->series[i].n = 0;
    }
    for (int i = 0; i < SHAPE_TEXTS; i++) {
        free (h->text[i]);
        h->text[i] = NULL;
    }
}

static int history_add (struct series *m, int64_t ended, double value)
{
    if (m->n == m->room) {
        size_t room = m->room ? m->room * 2 : 256;
        double *more = reallocarray (m->value, room, sizeof (*more));
        int64_t *times;

        if (!more)
            return -1;
        m->value = more;
        times = reallocarray (m->ended, room, sizeof (*times));
        if (!times)
            return -1;
        m->ended = times;
        m->room = room;
    }
    m->value[m->n] = value;
    m->ended[m->n++] = ended;
    return 0;
}

static int history_same (const struct history *h, const struct sitecell *cell)
{
    for (int i = 0; i < SHAPE_TEXTS; i++)
        if (!h->text[i] ||
            strcmp (h->text[i], cell[i].text ? cell[i].text : ""))
            return 0;
    for (int i = 0; i < SHAPE_CELLS - SHAPE_TEXTS; i++) {
        double now = cell[SHAPE_TEXTS + i].number;

        if (isnan (now) ? !isnan (h->size[i]) : h->size[i] != now)
            return 0;
    }
    return 1;
}

/* The first row of a shape: what was before is told. */
static int history_begin (struct history *h, const struct sitecell *cell)
{
    history_end (h);
    for (int i = 0; i < SHAPE_TEXTS; i++) {
        h->text[i] = strdup (cell[i].text ? cell[i].text : "");
        if (!h->text[i])
            return -1;
    }
    for (int i = 0; i < SHAPE_CELLS - SHAPE_TEXTS; i++)
        h->size[i] = cell[SHAPE_TEXTS + i].number;
    return 0;
}

static int history_take (void *arg, int n, const struct sitecell *cell)
{
    const struct sitecell *value = cell + SHAPE_CELLS + 1;
    struct history *h = arg;

    (void)n;
    if (!history_same (h, cell) && history_begin (h, cell) < 0)
        h->failed = 1;
    for (int i = 0; !h->failed && i < h->metrics; i++)
        if (value[i].number > 0 &&
            history_add (&h->series[i], (int64_t)cell[SHAPE_CELLS].number,
                         value[i].number) < 0)
            h->failed = 1;
    return h->failed;
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

/* clang-format off */
static const char *const history_default[] = {
#define ASKED(metric, top, history) (history) ? #metric : NULL,
#include "cli/site/asked.def"
#undef ASKED
};
/* clang-format on */

static int history_metrics (struct history *h,
                            const struct siteask *q,
                            struct errtext *err)
{
    const char *const *name = history_default;
    int n = sizeof (history_default) / sizeof (*history_default);

    if (q->metric.count) {
        name = q->metric.item;
        n = q->metric.count;
    }
    for (int i = 0; i < n; i++) {
        int at = name[i] ? summary_find (name[i]) : 0;

        if (!name[i])
            continue;
        errno = EINVAL;
        if (at < (int)SUMMARY_FIELDS)
            return errf (err, "%s: no metric: see `dftrace help metrics`",
                         name[i]);
        if (h->metrics == METRICS_MAX)
            return errf (err, "metric: at most %d of them", METRICS_MAX);
        h->series[h->metrics++].at = at;
    }
    return 0;
}

/* In the order of the database's index. */
static char *history_sql (const struct history *h, const struct siteask *q)
{
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream (&sql, &size);

    if (!out)
        return NULL;
    (void)fputs ("SELECT user, program, name, CAST (nodes AS INTEGER), "
                 "CAST (ranks AS INTEGER), ended",
                 out);
    for (int i = 0; i < h->metrics; i++)
        (void)fprintf (out, ", %s", summary_info (h->series[i].at).name);
    (void)fprintf (out,
                   " FROM job WHERE program = ?1%s AND ended >= %lld "
                   "ORDER BY user, program, name, nodes, ranks, ended",
                   q->user ? " AND user = ?2" : "",
                   q->days ? (long long)time (NULL) -
                                 (long long)q->days * SECONDS_PER_DAY
                           : 0LL);
    if (fclose (out) != 0) {
        free (sql);
        return NULL;
    }
    return sql;
}

static int history_ask (struct history *h,
                        struct sitedb *db,
                        const struct siteask *q,
                        struct errtext *err)
{
    const char *args[3] = {q->program, q->user, NULL};
    char *sql = history_sql (h, q);
    int rc = sql ? sitedb_ask (db, sql, args, history_take, h, err) : -1;

    if (!sql || h->failed)
        rc = errf (err, "%s", strerror (ENOMEM));
    if (rc == 0)
        history_end (h);
    free (sql);
    return rc;
}

struct textable *siteask_history (struct sitedb *db,
                                  const struct siteask *q,
                                  struct errtext *err)
{
    struct history h = {.table = textable_create ()};
    int rc = h.table ? history_metrics (&h, q, err)
                     : errf (err, "%s", strerror (ENOMEM));

    if (rc == 0) {
        history_columns (h.table);
        rc = history_ask (&h, db, q, err);
    }
    for (int i = 0; i < h.metrics; i++) {
        free (h.series[i].value);
        free (h.series[i].ended);
    }
    for (int i = 0; i < SHAPE_TEXTS; i++)
        free (h.text[i]);
    if (rc < 0) {
        int keep = errno;

        textable_destroy (h.table);
        errno = keep;
        return NULL;
    }
    return h.table;
}
