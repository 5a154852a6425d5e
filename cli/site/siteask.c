/* SPDX-License-Identifier: MIT
 *
 * siteask.c - questions to the site's database -> tables
 *
 * Caveat: names of columns come from summary.h only, what a user typed is an
 *         argument of the statement.
 */
#include "config.h"

#include "cli/site/siteaskown.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEW_DAYS = 31, SECONDS_PER_DAY = 24 * 3600 };

/* clang-format off */
static const char *const ask_default[] = {
#define ASKED(metric, top, history) (top) ? #metric : NULL,
#include "cli/site/asked.def"
#undef ASKED
};
/* clang-format on */

/* -- words ---------------------------------------------------------------- */

static int ask_unknown (const char *word, const char *what, struct errtext *err)
{
    const char *names[SUMMARY_COUNT + 1] = {NULL}, *near;

    for (int i = 0; i < (int)SUMMARY_COUNT; i++)
        names[i] = summary_info (i).name;
    near = nearest_word (word, names);
    errno = EINVAL;
    return errf (err, "%s: no %s: did you mean %s?", word, what,
                 near ? near : "user");
}

/* "a,b" of each use of an option. */
static int ask_words (const struct opt_list *list,
                      int *at,
                      int *count,
                      int max,
                      const char *what,
                      struct errtext *err)
{
    char word[64];

    for (int i = 0; i < list->count; i++)
        for (const char *w = list->item[i]; *w;) {
            size_t n = strcspn (w, ",");
            int found;

            (void)snprintf (word, sizeof (word), "%.*s", (int)n, w);
            found = summary_find (word);
            if (found < 0)
                return ask_unknown (word, what, err);
            if (*count == max) {
                errno = EINVAL;
                return errf (err, "%s: at most %d of them", what, max);
            }
            at[(*count)++] = found;
            w += n + (w[n] == ',');
        }
    return 0;
}

/* Days, program and user; the arguments are those of the question. */
static void ask_where (struct ask *a, const struct siteask *q)
{
    int args = 0, n = 0;

    n += snprintf (a->where, sizeof (a->where), " WHERE 1");
    if (q->days) /* +: of many days the index of what is asked costs less */
        n += snprintf (a->where + n, sizeof (a->where) - (size_t)n,
                       " AND %sended >= %lld", q->days > FEW_DAYS ? "+" : "",
                       (long long)time (NULL) -
                           (long long)q->days * SECONDS_PER_DAY);
    if (q->program) {
        a->args[args++] = q->program;
        n += snprintf (a->where + n, sizeof (a->where) - (size_t)n,
                       " AND program = ?%d", args);
    }
    if (q->user) {
        a->args[args++] = q->user;
        (void)snprintf (a->where + n, sizeof (a->where) - (size_t)n,
                        " AND user = ?%d", args);
    }
}

static int
ask_begin (struct ask *a, const struct siteask *q, struct errtext *err)
{
    const size_t defaults = sizeof (ask_default) / sizeof (*ask_default);

    memset (a, 0, sizeof (*a));
    if (ask_words (&q->by, a->key, &a->keys, KEYS_MAX, "column", err) < 0 ||
        ask_words (&q->metric, a->metric, &a->metrics, METRICS_MAX, "metric",
                   err) < 0)
        return -1;
    for (size_t i = 0; !q->metric.count && i < defaults; i++)
        if (ask_default[i])
            a->metric[a->metrics++] = summary_find (ask_default[i]);
    ask_where (a, q);
    a->table = textable_create ();
    a->sql = open_memstream (&a->text, &a->size);
    return a->table && a->sql ? 0 : errf (err, "%s", strerror (ENOMEM));
}

static struct textable *ask_end (struct ask *a, int rc)
{
    if (a->sql)
        (void)fclose (a->sql);
    free (a->text);
    if (rc < 0) {
        int keep = errno;

        textable_destroy (a->table);
        errno = keep;
        return NULL;
    }
    return a->table;
}

/* -- cells ---------------------------------------------------------------- */

static int ask_row (void *arg, int n, const struct sitecell *cell)
{
    struct ask *a = arg;

    textable_row (a->table);
    if (a->estimates)
        n = a->estimate;
    for (int i = 0; i < n; i++) {
        if (cell[i].text)
            textable_text (a->table, cell[i].text);
        else if (isnan (cell[i].number))
            textable_na (a->table);
        else
            textable_double (a->table, cell[i].number, 0);
    }
    if (a->estimates)
        ask_weigh_row (a, cell + n);
    return 0;
}

/* Sums of what adds up; means of rates, shares and sizes. */
int ask_adds_up (int at)
{
    const char *unit = summary_info (at).unit;

    return *unit == '\0' || strcmp (unit, "B") == 0 || strcmp (unit, "s") == 0;
}

int ask_digits (int at)
{
    return at >= (int)SUMMARY_FIELDS
               ? metric_table[at - (int)SUMMARY_FIELDS].digits
               : 0;
}

void ask_metric_column (struct ask *a, int at, const char *how)
{
    const struct metric_info *m = at >= (int)SUMMARY_FIELDS
                                      ? &metric_table[at - (int)SUMMARY_FIELDS]
                                      : NULL;
    struct summary_info info = summary_info (at);
    char name[96], title[128];

    (void)snprintf (name, sizeof (name), "%s%s%s", info.name, *how ? "_" : "",
                    how);
    (void)snprintf (title, sizeof (title), "%s%s%s", m ? m->title : info.name,
                    *how ? "\n" : "", how);
    textable_column (a->table, name, title, info.unit, 1);
    textable_column_digits (a->table, ask_digits (at));
}

static void ask_group_columns (struct ask *a)
{
    if (a->sampled) {
        ask_weigh_columns (a);
        return;
    }
    textable_column (a->table, "jobs", "jobs", "", 1);
    textable_column (a->table, "node_hours", "node\nhours", "h", 1);
    textable_column_digits (a->table, 2);
    (void)fputs ("count (*) AS jobs, total (" ASK_NODE_HOURS ") AS node_hours",
                 a->sql);
    for (int i = 0; i < a->metrics; i++) {
        const char *how = ask_adds_up (a->metric[i]) ? "sum" : "mean";

        ask_metric_column (a, a->metric[i], how);
        (void)fprintf (a->sql, ", %s (%s) AS %s_%s",
                       *how == 's' ? "sum" : "avg",
                       summary_info (a->metric[i]).name,
                       summary_info (a->metric[i]).name, how);
    }
}

static int ask_run (struct ask *a, struct sitedb *db, struct errtext *err)
{
    if (fflush (a->sql) != 0)
        return errf (err, "%s", strerror (ENOMEM));
    return sitedb_ask (db, a->text, a->args, ask_row, a, err);
}

/* -- questions ------------------------------------------------------------ */

/* sort: jobs, node_hours, or a metric, which is asked then, too. */
static int ask_sort (struct ask *a,
                     const char *word,
                     char *out,
                     size_t size,
                     struct errtext *err)
{
    int at;

    if (!word || strcmp (word, "node_hours") == 0 ||
        strcmp (word, "jobs") == 0) {
        (void)snprintf (out, size, "%s", word ? word : "node_hours");
        return 0;
    }
    at = summary_find (word);
    if (at < 0 || summary_info (at).is_text)
        return ask_unknown (word, "metric", err);
    for (int i = 0; i < a->metrics; i++)
        if (a->metric[i] == at)
            at = -1 - at;
    if (at >= 0 && a->metrics < METRICS_MAX)
        a->metric[a->metrics++] = at;
    at = at < 0 ? -1 - at : at;
    (void)snprintf (out, size, "%s_%s", summary_info (at).name,
                    ask_adds_up (at) ? "sum" : "mean");
    return 0;
}

struct textable *
siteask_top (struct sitedb *db, const struct siteask *q, struct errtext *err)
{
    struct ask a;
    char sort[96];
    int rc = ask_begin (&a, q, err);

    if (rc == 0 && !a.keys)
        a.key[a.keys++] = SUMMARY_user;
    if (rc == 0)
        rc = ask_sort (&a, q->sort, sort, sizeof (sort), err);
    if (rc == 0)
        rc = ask_weigh (&a, db, err);
    if (rc == 0) {
        (void)fputs ("SELECT ", a.sql);
        for (int i = 0; i < a.keys; i++) {
            const char *name = summary_info (a.key[i]).name;

            textable_column (a.table, name, name, "", 0);
            (void)fprintf (a.sql,
                           summary_info (a.key[i]).is_text
                               ? "%s, "
                               : "CAST (%s AS INTEGER), ",
                           name);
        }
        ask_group_columns (&a);
        (void)fprintf (a.sql, " FROM job%s GROUP BY ", a.where);
        for (int i = 0; i < a.keys; i++)
            (void)fprintf (a.sql, "%s%s", i ? ", " : "",
                           summary_info (a.key[i]).name);
        (void)fprintf (a.sql, " ORDER BY %s DESC, 1", sort);
        if (q->top)
            (void)fprintf (a.sql, " LIMIT %d", q->top);
        rc = ask_run (&a, db, err);
    }
    return ask_end (&a, rc);
}

struct textable *
siteask_days (struct sitedb *db, const struct siteask *q, struct errtext *err)
{
    struct ask a;
    int rc = ask_begin (&a, q, err);

    if (rc == 0)
        rc = ask_weigh (&a, db, err);
    if (rc == 0) {
        a.keys = 1; /* the day is a text */
        textable_column (a.table, "day", "day", "", 0);
        (void)fputs ("SELECT date (ended / 86400 * 86400, 'unixepoch'), ",
                     a.sql);
        ask_group_columns (&a);
        (void)fprintf (a.sql, " FROM job%s GROUP BY ended / 86400 ORDER BY 1",
                       a.where);
        rc = ask_run (&a, db, err);
    }
    return ask_end (&a, rc);
}

struct textable *
siteask_worst (struct sitedb *db, const struct siteask *q, struct errtext *err)
{
    static const char *const text[] = {"ended", "user", "program", "name"};
    struct ask a;
    const char *metric;
    int rc = ask_begin (&a, q, err), lowest;

    if (rc == 0) {
        metric = summary_info (a.metric[0]).name;
        lowest =
            q->lowest || strcmp (summary_info (a.metric[0]).unit, "MiB/s") == 0;
        a.keys = 4;
        for (int i = 0; i < a.keys; i++)
            textable_column (a.table, text[i], text[i], "", 0);
        textable_column (a.table, "job", "job", "", 1);
        textable_column (a.table, "nodes", "nodes", "", 1);
        (void)fputs ("SELECT datetime (ended, 'unixepoch'), user, program, "
                     "name, job, nodes",
                     a.sql);
        for (int i = 0; i < a.metrics; i++) {
            ask_metric_column (&a, a.metric[i], "");
            (void)fprintf (a.sql, ", %s", summary_info (a.metric[i]).name);
        }
        (void)fprintf (a.sql, " FROM job%s AND %s IS NOT NULL ORDER BY %s %s",
                       a.where, metric, metric, lowest ? "ASC" : "DESC");
        if (q->top)
            (void)fprintf (a.sql, " LIMIT %d", q->top);
        rc = ask_run (&a, db, err);
    }
    return ask_end (&a, rc);
}
