/* SPDX-License-Identifier: MIT
 *
 * choice.c - which metrics and figures the page of a sweep has
 *
 * In:  points with their metrics, the sweep file's plots: and metrics:
 * Out: figures and columns, to the page; pure
 */
#include "config.h"

#include "analyze/report/study/choice.h"
#include "analyze/report/study/roles.h"
#include "lib/base/array.h"
#include "lib/model/metric.h"
#include "lib/util/fsutil.h"
#include "lib/util/stats.h"
#include "lib/util/xalloc.h"

/* --- how much a metric differs between the points of a sweep ----------------
 */

static const double worth_percent = 1; /* of the job, or of 100 % */
static const double same_ratio = 1.3;  /* two metrics that say the same */
static double
spread_sd (const struct sweepdata *d, size_t p, const char *metric)
{
    double sd = csv_number (d->points, p, arena_format ("%s_sd", metric));

    return isnan (sd) ? 0 : sd;
}

/* The largest of a metric in percent: times of the time of the job. */
static double
spread_weight (const struct sweepdata *d, const char *metric, const char *unit)
{
    int seconds = strcmp (unit, "s") == 0;
    double most = 0;

    if (!seconds && strcmp (unit, "%") != 0)
        return worth_percent;
    for (size_t p = 0; p < d->count; p++) {
        double v = sweepdata_cell (d, p, metric).v;
        double job = seconds ? sweepdata_cell (d, p, "job_time").v : 100;

        most = fmax (most, job > 0 ? 100 * v / job : worth_percent);
    }
    return most;
}

/* How much a metric differs between points, beyond what its repeats differ:
 * standard deviation over mean, times the fraction of points that have it. 0:
 * not at all, or too little to matter (less than 1 % of the job, of 100 %). */
static double choice_spread (const struct sweepdata *d, const char *metric)
{
    struct statistics s = {.n = 0};
    double noise = 0, variance;

    for (size_t p = 0; p < d->count; p++) {
        double v = sweepdata_cell (d, p, metric).v, sd;

        if (isnan (v))
            continue;
        sd = spread_sd (d, p, metric);
        noise += sd * sd;
        statistics_add (&s, v);
    }
    statistics_end (&s);
    if (s.n < 2 || s.mean == 0 ||
        spread_weight (d, metric, sweepdata_unit (d, metric)) < worth_percent)
        return 0;
    variance = s.sd * s.sd - noise / (double)s.n;
    return variance > 0 ? sqrt (variance) / fabs (s.mean) * (double)s.n /
                              (double)d->count
                        : 0;
}

/* Is one of them the other times a constant (almost), wherever both are? */
static int
choice_alike (const struct sweepdata *d, const char *a, const char *b)
{
    double least = INFINITY, most = 0;

    for (size_t p = 0; p < d->count; p++) {
        double x = sweepdata_cell (d, p, a).v, y = sweepdata_cell (d, p, b).v;

        if (isnan (x) != isnan (y))
            return 0;
        if (isnan (x) || (x == 0 && y == 0))
            continue;
        if (!(x > 0 && y > 0))
            return 0;
        least = fmin (least, x / y);
        most = fmax (most, x / y);
    }
    return most > 0 && most < same_ratio * least;
}

/* --- the name of a metric -> words for a figure or a column -----------------
 */

/* "bill_sync_time", "bill_sync", with prefix "bill_" -> the row; -1: neither.
 */
static int metricwords_bill (const char *metric, const char *prefix)
{
    const char *row = metric + strlen (prefix);

    for (int i = 0;
         i < BILL_COUNT && strncmp (metric, prefix, strlen (prefix)) == 0;
         i++) {
        size_t n = strlen (bill_table[i].name);

        if (strncmp (row, bill_table[i].name, n) == 0 &&
            (!row[n] || strcmp (row + n, "_time") == 0))
            return i;
    }
    return -1;
}

const char *metricwords (const char *metric)
{
    static const struct {
        const char *prefix, *word;
    } words[] = {{"io_", "I/O "}, {"posix_", "POSIX "}, {"", ""}};
    int bill = metricwords_bill (metric, "bill_");
    int wall = metricwords_bill (metric, "wall_");
    size_t i = 0;
    char *text;

    if (bill >= 0)
        return arena_format ("ranks' time: %s", bill_table[bill].title);
    if (wall >= 0)
        return arena_format ("job's time: %s", bill_table[wall].title);
    while (strncmp (metric, words[i].prefix, strlen (words[i].prefix)) != 0)
        i++;
    text =
        arena_format ("%s%s", words[i].word, metric + strlen (words[i].prefix));
    for (char *p = text; (p = strchr (p, '_'));)
        *p = ' ';
    return text;
}

/* --- all of it --------------------------------------------------------------
 */

enum {
    FIGURES_ALONE = 8, /* unasked, of a study without a data loader */
    FIGURES_MORE = 4,  /* unasked, besides those of a data loader */
    MEAN_SUFFIX = 5,   /* "_mean" */
    METRICS_MAX = 256
};

static const double log_ratio = 100; /* largest over smallest */

/* Figures of a training: what its data loader did. */
static const struct study_figure loader_figures[] = {
    {"fig-events", "POSIX events recorded", "posix_events", "POSIX events",
     "Logarithmic: a bar's length is no measure, its end is.", STUDY_BARS, 1,
     NO_AXIS, NO_AXIS},
    {"fig-loader", "Data loader time", "loader_time", "data loader time",
     "Per rank the union of all loader regions; the rank with the most.",
     STUDY_HEAT, 0, NO_AXIS, NO_AXIS},
    {"fig-share", "Data loader time as a share of the job's", "loader_percent",
     "share of job time", "", STUDY_BARS, 0, NO_AXIS, NO_AXIS},
    {"fig-read-time", "Time in reads of data files", "read_time", "read time",
     "Summed over threads; colours on a logarithmic scale.", STUDY_HEAT, 1,
     NO_AXIS, NO_AXIS},
    {"fig-bandwidth", "Read bandwidth", "read_bandwidth", "read bandwidth",
     "Bytes read over the time in which somebody was reading.", STUDY_HEAT, 0,
     NO_AXIS, NO_AXIS},
    {"fig-size", "Average transfer size of reads", "read_size", "average read",
     "Bytes read over reads.", STUDY_HEAT, 0, NO_AXIS, NO_AXIS},
    {"fig-sample", "Bandwidth of a sample", "sample_bandwidth",
     "mean bandwidth of a sample", "", STUDY_LINES, 0, NO_AXIS, NO_AXIS},
    {"fig-storage", "Bytes that storage delivered", "storage_bytes",
     "from storage",
     "Layer mmap: of page faults on mapped files and of calls alike, "
     "read-ahead included.",
     STUDY_HEAT, 0, NO_AXIS, NO_AXIS},
    {"fig-input", "Time lost to input", "input_wait_time", "input wait",
     "Layer mmap: stalls for pages of mapped files and time in reads of data "
     "files, summed over threads; colours on a logarithmic scale.",
     STUDY_HEAT, 1, NO_AXIS, NO_AXIS},
    {"fig-amplification", "Read amplification", "read_amplification",
     "read amplification",
     "Layer mmap: bytes that storage delivered over bytes of samples used.",
     STUDY_BARS, 0, NO_AXIS, NO_AXIS},
};
enum { LOADER_FIGURES = ITEMS (loader_figures) };

/* Columns of the tables, unasked, where some point has them. */
static const char *const usual_columns[] = {
    "posix_events", "loader_time",      "loader_percent",   "stall_time",
    "read_count",   "read_bytes",       "read_time",        "read_bandwidth",
    "read_size",    "sample_bandwidth", "checkpoint_count", "checkpoint_time",
    "job_time"};
enum { USUAL_COLUMNS = ITEMS (usual_columns) };

/* Nothing that a reader asks for first, or another word for the same. */
static const char *const never_unasked[] = {"posix_events_storage",
                                            "app_events",
                                            "loader_time_mean",
                                            "loader_time_job",
                                            "read_bandwidth_thread",
                                            "other_read_count",
                                            "other_read_bytes",
                                            "stdio_read_bytes_libc",
                                            "stdio_write_bytes_libc",
                                            "checkpoint_bandwidth_best",
                                            "checkpoint_bandwidth_worst",
                                            "io_overlap_job",
                                            "index_maps",
                                            "index_map_burst",
                                            "index_mapped_bytes",
                                            "lost_events",
                                            "wall_time",
                                            "acct_elapsed",
                                            "acct_max_rss",
                                            "acct_disk_read"};

/* --- figures ----------------------------------------------------------------
 */

static const char *choice_heading (const char *words)
{
    char *text = arena_text (words);

    if (*text >= 'a' && *text <= 'z')
        *text = (char)(*text - 'a' + 'A');
    return text;
}

/* The definition as a sentence of its own. */
static const char *choice_more (const char *metric, int log)
{
    int m = metric_parse (metric);
    const char *text =
        arena_format ("%s%s%s", m < 0 ? "" : metric_table[m].definition,
                      m < 0 ? "" : ".", log ? " Logarithmic scale." : "");

    return text[strcspn (text, " _")] == '_' /* a name stays as it is */
               ? text
               : choice_heading (text);
}

static int choice_is_wide (const struct sweepdata *d, const char *metric)
{
    double least = INFINITY, most = 0;

    for (size_t p = 0; p < d->count; p++) {
        double v = sweepdata_cell (d, p, metric).v;

        if (v <= 0)
            return 0;
        least = fmin (least, v);
        most = fmax (most, v);
    }
    return most > log_ratio * least;
}

/* Lines over numbers; a heat map over words, or when lines are too many. */
static enum study_kind choice_kind (const struct sweepdata *d,
                                    const struct study_figure *f)
{
    struct axis_roles r;

    roles_choose_for (&r, d->axis, d->axes, f->x, f->by);
    if (r.x < 0 || d->axis[r.x].levels < 2)
        return STUDY_BARS;
    if (r.y >= 0 && d->axis[r.y].levels > 8)
        return STUDY_HEAT;
    if (d->axis[r.x].numeric)
        return STUDY_LINES;
    return r.y >= 0 && r.panels > 8 ? STUDY_HEAT : STUDY_BARS;
}

static const char *choice_id (const struct study_choice *c, const char *metric)
{
    size_t same = 1;
    char *id;

    for (size_t i = 0; i < c->figures; i++)
        same += strcmp (c->figure[i].metric, metric) == 0;
    id = same > 1 ? arena_format ("fig-%s-%zu", metric, same)
                  : arena_format ("fig-%s", metric);
    for (char *p = id; (p = strchr (p, '_'));)
        *p = '-';
    return id;
}

static int choice_has (const struct study_choice *c, const char *metric)
{
    for (size_t i = 0; i < c->figures; i++)
        if (strcmp (c->figure[i].metric, metric) == 0)
            return 1;
    return 0;
}

static void choice_add (struct study_choice *c,
                        const struct sweepdata *d,
                        const char *metric,
                        int x,
                        int by)
{
    struct study_figure f = {.metric = metric, .x = x, .by = by};

    if (c->figures == METRICS_MAX)
        return;
    f.measure = metricwords (metric);
    f.heading = choice_heading (f.measure);
    for (size_t i = 0; i < LOADER_FIGURES; i++)
        if (strcmp (loader_figures[i].metric, metric) == 0) {
            f.heading = loader_figures[i].heading;
            f.measure = loader_figures[i].measure;
        }
    f.log = choice_is_wide (d, metric);
    f.more = choice_more (metric, f.log);
    f.kind = choice_kind (d, &f);
    f.id = choice_id (c, metric);
    c->figure[c->figures++] = f;
}

/* --- what the file names ---------------------------------------------------
 */

static void choice_named (struct study_choice *c, const struct sweepdata *d)
{
    for (size_t i = 0; i < d->plots; i++)
        choice_add (c, d, d->plot[i].metric, d->plot[i].x, d->plot[i].by);
    for (size_t i = 0; i < d->metrics; i++)
        if (!choice_has (c, d->metric[i]))
            choice_add (c, d, d->metric[i], NO_AXIS, NO_AXIS);
    c->named = c->figures > 0;
}

/* --- what differs most ------------------------------------------------------
 */

struct choice_candidate {
    const char *metric;
    double spread;
};

static int choice_by_spread (const void *a, const void *b)
{
    const struct choice_candidate *x = a, *y = b;

    return ORDER (y->spread, x->spread);
}

static int choice_is_wanted (const char *metric)
{
    for (size_t i = 0; i < ITEMS (never_unasked); i++)
        if (strcmp (never_unasked[i], metric) == 0)
            return 0;
    return 1;
}

/* Every metric of the points: the columns that end in "_mean". */
static size_t choice_candidates (const struct sweepdata *d,
                                 struct choice_candidate *out)
{
    size_t n = 0;

    for (size_t i = 0; i < csv_columns (d->points) && n < METRICS_MAX; i++) {
        const char *head = csv_head (d->points, i), *metric;
        size_t length = strlen (head);

        if (length <= MEAN_SUFFIX ||
            strcmp (head + length - MEAN_SUFFIX, "_mean") != 0)
            continue;
        metric = arena_copy (head, length - MEAN_SUFFIX);
        out[n] = (struct choice_candidate){metric, choice_spread (d, metric)};
        n += out[n].spread > 0 && choice_is_wanted (metric);
    }
    SORT (out, n, choice_by_spread);
    return n;
}

static void choice_differing (struct study_choice *c,
                              const struct sweepdata *d,
                              size_t most)
{
    struct choice_candidate candidate[METRICS_MAX + 1];
    size_t n = choice_candidates (d, candidate);

    for (size_t i = 0; i < n && most; i++) {
        size_t k = 0;

        while (k < c->figures &&
               !choice_alike (d, c->figure[k].metric, candidate[i].metric))
            k++;
        if (k < c->figures || choice_has (c, candidate[i].metric))
            continue;
        choice_add (c, d, candidate[i].metric, NO_AXIS, NO_AXIS);
        most--;
    }
}

static void choice_unasked (struct study_choice *c, const struct sweepdata *d)
{
    for (size_t i = 0; c->operations && i < LOADER_FIGURES; i++)
        if (sweepdata_has (d, loader_figures[i].metric))
            c->figure[c->figures++] = loader_figures[i];
    if (!sweepdata_has (d, "job_time"))
        choice_add (c, d, "wall_time", NO_AXIS, NO_AXIS);
    else if (choice_spread (d, "job_time") > 0 || !c->operations)
        choice_add (c, d, "job_time", NO_AXIS, NO_AXIS);
    choice_differing (c, d, c->operations ? FIGURES_MORE : FIGURES_ALONE - 1);
}

/* --- columns
 * ------------------------------------------------------------------ */

static void choice_column (struct study_choice *c, const char *metric)
{
    for (size_t i = 0; i < c->columns; i++)
        if (strcmp (c->column[i], metric) == 0)
            return;
    c->title[c->columns] = metricwords (metric);
    c->column[c->columns++] = metric;
}

/* Is it anything but 0 at some point? */
static int choice_is_some (const struct sweepdata *d, const char *metric)
{
    for (size_t p = 0; p < d->count; p++)
        if (fabs (sweepdata_cell (d, p, metric).v) > 0)
            return 1;
    return 0;
}

static void choice_columns (struct study_choice *c, const struct sweepdata *d)
{
    for (size_t i = 0; !c->named && i < USUAL_COLUMNS; i++)
        if (choice_is_some (d, usual_columns[i]))
            choice_column (c, usual_columns[i]);
    for (size_t i = 0; i < c->figures; i++)
        choice_column (c, c->figure[i].metric);
    if (sweepdata_has (d, "job_time"))
        choice_column (c, "job_time");
    choice_column (c, "lost_events");
}

/* --- all of it
 * ---------------------------------------------------------------- */

struct study_choice *choice_create (const struct sweepdata *d)
{
    struct study_choice *c = arena_alloc (sizeof (*c));
    size_t room = METRICS_MAX + LOADER_FIGURES + d->plots + d->metrics;

    c->figure = arena_array (room, sizeof (*c->figure));
    c->column = arena_array (room + USUAL_COLUMNS + 2, sizeof (*c->column));
    c->title = arena_array (room + USUAL_COLUMNS + 2, sizeof (*c->title));
    c->operations = sweepdata_has (d, "loader_time");
    choice_named (c, d);
    if (!c->named)
        choice_unasked (c, d);
    else
        c->operations = choice_has (c, "loader_time") && d->ops > 0;
    choice_columns (c, d);
    return c;
}
