/* SPDX-License-Identifier: MIT
 *
 * siteask.c - questions to the site's database -> tables, history
 *
 * Caveat: names of columns come from summary.h only, what a user typed is an
 *         argument of the statement.
 */
#include "config.h"

#include "cli/site/estimate.h"
#include "cli/site/site.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

enum { KEYS_MAX = 8, METRICS_MAX = 12 };

#define ASK_NODE_HOURS \
    "max (1, coalesce (nodes, 1)) * coalesce (job_time, 0) / 3600"

struct ask {
    int key[KEYS_MAX], keys;
    int metric[METRICS_MAX], metrics;
    int sampled;                         /* some jobs stand for others */
    int estimate, mean[METRICS_MAX + 2]; /* groups: their first cell, and which
                                            are means; 0: none are estimated */
    int estimates;
    const char *args[4]; /* of the statement */
    const char *where;
    FILE *sql;
    char *text;
    size_t size;
    struct textable *table;
};

enum { FEW_DAYS = 31, SECONDS_PER_DAY = 24 * 3600 };

/* Metrics of top and worst when none is named; columns of the index
 * job_weighted (sitedb.c), so that whole rows are not read. */
static const char *const ask_default[] = {"job_time", "io_time", "read_bytes",
                                          "write_bytes", "data_meta_time"};

/* -- words ---------------------------------------------------------------- */

static _Noreturn void ask_unknown (const char *word, const char *what)
{
    const char *names[SUMMARY_COUNT + 1] = {NULL};

    for (int i = 0; i < (int)SUMMARY_COUNT; i++)
        names[i] = summary_info (i).name;
    die_with (EXIT_USAGE, "site: %s: no %s: did you mean %s?", word, what,
              nearest_word (word, names) ?: "user");
}

/* "a,b" of each use of an option. */
static void ask_words (
    const struct opt_list *list, int *at, int *count, int max, const char *what)
{
    for (int i = 0; i < list->count; i++)
        for (const char *w = list->item[i]; *w;) {
            size_t n = strcspn (w, ",");
            const char *word = arena_copy (w, n);
            int found = summary_find (word);

            if (found < 0)
                ask_unknown (word, what);
            if (*count == max)
                die_with (EXIT_USAGE, "site: %s: at most %d of them", what,
                          max);
            at[(*count)++] = found;
            w += n + (w[n] == ',');
        }
}

static void ask_begin (struct ask *a, const struct siteask *q)
{
    int args = 0;

    *a = (struct ask){.where = " WHERE 1", .table = textable_create ()};
    ask_words (&q->by, a->key, &a->keys, KEYS_MAX, "column");
    ask_words (&q->metric, a->metric, &a->metrics, METRICS_MAX, "metric");
    for (size_t i = 0; !q->metric.count && i < ITEMS (ask_default); i++)
        a->metric[a->metrics++] = summary_find (ask_default[i]);
    if (q->days) /* +: of many days the index of what is asked costs less */
        a->where = arena_format (
            "%s AND %sended >= %lld", a->where, q->days > FEW_DAYS ? "+" : "",
            (long long)time (NULL) - (long long)q->days * SECONDS_PER_DAY);
    if (q->program) {
        a->args[args++] = q->program;
        a->where = arena_format ("%s AND program = ?%d", a->where, args);
    }
    if (q->user) {
        a->args[args++] = q->user;
        a->where = arena_format ("%s AND user = ?%d", a->where, args);
    }
    a->sql = xmemstream (&a->text, &a->size);
}

/* -- cells ---------------------------------------------------------------- */

/* Sums of what adds up; means of rates, shares and sizes. */
static int ask_adds_up (int at)
{
    const char *unit = summary_info (at).unit;

    return *unit == '\0' || strcmp (unit, "B") == 0 || strcmp (unit, "s") == 0;
}

static int ask_digits (int at)
{
    return at >= (int)SUMMARY_FIELDS
               ? metric_table[at - (int)SUMMARY_FIELDS].digits
               : 0;
}

static void ask_metric_column (struct ask *a, int at, const char *how)
{
    const struct metric_info *m = at >= (int)SUMMARY_FIELDS
                                      ? &metric_table[at - (int)SUMMARY_FIELDS]
                                      : NULL;
    struct summary_info info = summary_info (at);

    textable_column (a->table,
                     arena_format ("%s%s%s", info.name, *how ? "_" : "", how),
                     arena_format ("%s%s%s", m ? m->title : info.name,
                                   *how ? "\n" : "", how),
                     info.unit, 1);
    textable_column_digits (a->table, ask_digits (at));
}

/* ---- questions of groups where jobs stand for others ---- */

static void sampled_found (void *arg, int n, const struct sitecell *cell)
{
    *(int *)arg = 1;
}

/* Set a->sampled if a job of the question stands for others. */
static void ask_sampled (struct ask *a)
{
    sitedb_ask (
        arena_format ("SELECT 1 FROM job%s AND weight > 1 LIMIT 1", a->where),
        a->args, sampled_found, &a->sampled);
}

/* The half of its interval, behind the column of an estimate. */
static void ask_half (struct ask *a, const char *of, int digits)
{
    textable_column (a->table, arena_format ("%s_half", of), "\302\261\n95 %",
                     "", 1);
    textable_column_digits (a->table, digits);
}

static void estimate_column (
    struct ask *a, const char *x, const char *alias, int mean, int digits)
{
    ask_half (a, alias, digits);
    estimate_sql (a->sql, x, alias, mean);
    a->mean[a->estimates++] = mean;
}

/* Columns and SQL for numbers that are estimates, with their intervals; then
 * the cells of a row. */
static void ask_estimate_columns (struct ask *a)
{
    textable_columns (a->table, "traced#");
    textable_column_digits (a->table, 0);
    fputs ("count (*)", a->sql);
    a->estimate = a->keys + 1;
    textable_column (a->table, "jobs", "jobs\nestimate", "", 1);
    textable_column_digits (a->table, 0);
    estimate_column (a, "1", "jobs", 0, 0);
    textable_column (a->table, "node_hours", "node hours\nestimate", "h", 1);
    textable_column_digits (a->table, 2);
    estimate_column (a, ASK_NODE_HOURS, "node_hours", 0, 2);
    for (int i = 0; i < a->metrics; i++) {
        const char *how = ask_adds_up (a->metric[i]) ? "sum" : "mean";
        const char *name = summary_info (a->metric[i]).name;

        ask_metric_column (a, a->metric[i], how);
        estimate_column (a, name, arena_format ("%s_%s", name, how),
                         *how == 'm', ask_digits (a->metric[i]));
    }
}

static void estimate_cell (struct ask *a, const struct sitecell *cell, int mean)
{
    double number[ESTIMATE_CELLS];
    struct estimate e;

    for (int i = 0; i < ESTIMATE_CELLS; i++)
        number[i] = cell[i].number;
    e = estimate_of (number, mean);
    textable_cells (a->table, "%.0f %.0f", e.value, e.half);
}

static void ask_estimate_row (struct ask *a, const struct sitecell *cell)
{
    for (int i = 0; i < a->estimates; i++)
        estimate_cell (a, cell + i * (ESTIMATE_CELLS + 1) + 1, a->mean[i]);
}

static void ask_row (void *arg, int n, const struct sitecell *cell)
{
    struct ask *a = arg;

    textable_row (a->table);
    if (a->estimates)
        n = a->estimate;
    for (int i = 0; i < n; i++) {
        if (cell[i].text)
            textable_text (a->table, cell[i].text);
        else
            textable_double (a->table, cell[i].number, 0);
    }
    if (a->estimates)
        ask_estimate_row (a, cell + n);
}

static void ask_group_columns (struct ask *a)
{
    if (a->sampled) {
        ask_estimate_columns (a);
        return;
    }
    textable_columns (a->table, "jobs#");
    textable_column (a->table, "node_hours", "node\nhours", "h", 1);
    textable_column_digits (a->table, 2);
    fputs ("count (*) AS jobs, total (" ASK_NODE_HOURS ") AS node_hours",
           a->sql);
    for (int i = 0; i < a->metrics; i++) {
        const char *how = ask_adds_up (a->metric[i]) ? "sum" : "mean";

        ask_metric_column (a, a->metric[i], how);
        fprintf (a->sql, ", %s (%s) AS %s_%s", *how == 's' ? "sum" : "avg",
                 summary_info (a->metric[i]).name,
                 summary_info (a->metric[i]).name, how);
    }
}

static struct textable *ask_run (struct ask *a)
{
    xmemstream_end (a->sql);
    sitedb_ask (a->text, a->args, ask_row, a);
    free (a->text);
    return a->table;
}

/* -- questions ------------------------------------------------------------ */

/* sort: jobs, node_hours, or a metric, which is asked then, too. */
static const char *ask_sort (struct ask *a, const char *word)
{
    int at, i = 0;

    if (!word || strcmp (word, "node_hours") == 0 || strcmp (word, "jobs") == 0)
        return word ? word : "node_hours";
    at = summary_find (word);
    if (at < 0 || summary_info (at).is_text)
        ask_unknown (word, "metric");
    while (i < a->metrics && a->metric[i] != at)
        i++;
    if (i == a->metrics && i < METRICS_MAX)
        a->metric[a->metrics++] = at;
    return arena_format ("%s_%s", summary_info (at).name,
                         ask_adds_up (at) ? "sum" : "mean");
}

struct textable *siteask_top (const struct siteask *q)
{
    struct ask a;
    const char *sort, *names = "";

    ask_begin (&a, q);
    if (!a.keys)
        a.key[a.keys++] = SUMMARY_user;
    sort = ask_sort (&a, q->sort);
    ask_sampled (&a);
    fputs ("SELECT ", a.sql);
    for (int i = 0; i < a.keys; i++) {
        struct summary_info info = summary_info (a.key[i]);

        textable_column (a.table, info.name, info.name, "", 0);
        fprintf (a.sql, info.is_text ? "%s, " : "CAST (%s AS INTEGER), ",
                 info.name);
        names = arena_format ("%s%s%s", names, i ? ", " : "", info.name);
    }
    ask_group_columns (&a);
    fprintf (a.sql, " FROM job%s GROUP BY %s ORDER BY %s DESC, 1", a.where,
             names, sort);
    if (q->top)
        fprintf (a.sql, " LIMIT %d", q->top);
    return ask_run (&a);
}

struct textable *siteask_days (const struct siteask *q)
{
    struct ask a;

    ask_begin (&a, q);
    ask_sampled (&a);
    a.keys = 1; /* the day is a text */
    textable_columns (a.table, "day");
    fputs ("SELECT date (ended / 86400 * 86400, 'unixepoch'), ", a.sql);
    ask_group_columns (&a);
    fprintf (a.sql, " FROM job%s GROUP BY ended / 86400 ORDER BY 1", a.where);
    return ask_run (&a);
}

struct textable *siteask_worst (const struct siteask *q)
{
    struct summary_info metric;
    struct ask a;
    int lowest;

    ask_begin (&a, q);
    metric = summary_info (a.metric[0]);
    lowest = q->lowest || strcmp (metric.unit, "MiB/s") == 0;
    textable_columns (a.table, "ended user program name job# nodes#");
    fputs ("SELECT datetime (ended, 'unixepoch'), user, program, "
           "name, job, nodes",
           a.sql);
    for (int i = 0; i < a.metrics; i++) {
        ask_metric_column (&a, a.metric[i], "");
        fprintf (a.sql, ", %s", summary_info (a.metric[i]).name);
    }
    fprintf (a.sql, " FROM job%s AND %s IS NOT NULL ORDER BY %s %s", a.where,
             metric.name, metric.name, lowest ? "ASC" : "DESC");
    if (q->top)
        fprintf (a.sql, " LIMIT %d", q->top);
    return ask_run (&a);
}

/* ---- jobs of one shape over time -> did a metric change, and when? ---- */

enum { SHAPE_TEXTS = 3, SHAPE_CELLS = 5, HISTORY_METRICS_MAX = 16 };

/* One metric of the shape, in order of time. */
struct series {
    int at; /* of summary.h */
    double *value;
    int64_t *ended;
    size_t n;
};

struct history {
    struct textable *table;
    struct series series[HISTORY_METRICS_MAX];
    int metrics;
    const char *text[SHAPE_TEXTS]; /* of the shape; NULL before the first row */
    double size[SHAPE_CELLS - SHAPE_TEXTS]; /* its nodes and ranks; NAN: n/a */
};

static void history_date (struct textable *t, int64_t when)
{
    const time_t seconds = (time_t)when;
    char day[32] = "";
    struct tm tm;

    if (gmtime_r (&seconds, &tm))
        strftime (day, sizeof (day), "%Y-%m-%d", &tm);
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
        textable_double (h->table, h->size[i], 0);
    }
    textable_cells (h->table, "%s %zu", summary_info (m->at).name, m->n);
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
}

static void history_add (struct series *m, int64_t ended, double value)
{
    m->value = arena_grow (m->value, m->n, sizeof (*m->value));
    m->ended = arena_grow (m->ended, m->n, sizeof (*m->ended));
    m->value[m->n] = value;
    m->ended[m->n++] = ended;
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

static void history_take (void *arg, int n, const struct sitecell *cell)
{
    const struct sitecell *value = cell + SHAPE_CELLS + 1;
    struct history *h = arg;

    if (!history_same (h, cell)) {
        history_end (h);
        for (int i = 0; i < SHAPE_TEXTS; i++)
            h->text[i] = arena_text (cell[i].text ? cell[i].text : "");
        for (int i = 0; i < SHAPE_CELLS - SHAPE_TEXTS; i++)
            h->size[i] = cell[SHAPE_TEXTS + i].number;
    }
    for (int i = 0; i < h->metrics; i++)
        if (value[i].number > 0)
            history_add (&h->series[i], (int64_t)cell[SHAPE_CELLS].number,
                         value[i].number);
}

static void history_columns (struct textable *t)
{
    textable_columns (t, "user program name nodes ranks metric jobs#");
    textable_column (t, "mean", "geometric\nmean", "", 1);
    textable_columns (t, "changed before# after#");
    textable_column (t, "ratio", "after /\nbefore", "", 1);
    textable_columns (t, "p#");
}

/* As ask_default, of history. */
static const char *const history_default[] = {
    "job_time",       "io_time",    "data_meta_time",
    "read_bandwidth", "stall_time", "checkpoint_time"};

static void history_metrics (struct history *h, const struct siteask *q)
{
    const char *const *name = history_default;
    int n = ITEMS (history_default);

    if (q->metric.count) {
        name = q->metric.item;
        n = q->metric.count;
    }
    for (int i = 0; i < n; i++) {
        int at = summary_find (name[i]);

        if (at < (int)SUMMARY_FIELDS)
            die_with (EXIT_USAGE,
                      "site: %s: no metric: see `dftrace help metrics`",
                      name[i]);
        if (h->metrics == HISTORY_METRICS_MAX)
            die_with (EXIT_USAGE, "site: metric: at most %d of them",
                      HISTORY_METRICS_MAX);
        h->series[h->metrics++].at = at;
    }
}

/* In the order of the database's index. */
struct textable *siteask_history (const struct siteask *q)
{
    struct history h = {.table = textable_create ()};
    const char *args[3] = {q->program, q->user, NULL};
    const char *names = "";

    history_metrics (&h, q);
    history_columns (h.table);
    for (int i = 0; i < h.metrics; i++)
        names =
            arena_format ("%s, %s", names, summary_info (h.series[i].at).name);
    sitedb_ask (
        arena_format ("SELECT user, program, name, CAST (nodes AS INTEGER), "
                      "CAST (ranks AS INTEGER), ended%s"
                      " FROM job WHERE program = ?1%s AND ended >= %lld "
                      "ORDER BY user, program, name, nodes, ranks, ended",
                      names, q->user ? " AND user = ?2" : "",
                      q->days ? (long long)time (NULL) -
                                    (long long)q->days * SECONDS_PER_DAY
                              : 0LL),
        args, history_take, &h);
    history_end (&h);
    return h.table;
}
