/* SPDX-License-Identifier: MIT
 *
 * sitestats.c - `dftrace site stats` and `cost`: a row for each user, month
 *
 * In:  job.json, node.*.json; results/runs.csv of sweeps
 * Out: struct sitestats
 * Caveat: anybody may have written any of it.
 */
#include "config.h"

#include <dirent.h>
#include <pwd.h>

#include "analyze/report/page.h"
#include "analyze/report/study/effects.h"
#include "cli/site/site.h"
#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/strmap.h"
#include "lib/util/textable.h"
#include "lib/util/xalloc.h"
#include "lib/util/ytree.h"

struct site_row {
    char *user;
    uint64_t jobs, open; /* open: not analyzed yet */
    uint64_t nodes, processes, unfinished;
    uint64_t events, lost, bytes;
    uint64_t stages;                    /* never collected */
    uint64_t processes_us;              /* from start to end, of all */
    uint64_t rated_events, rated_bytes; /* in that time */
    uint64_t epilogs;                   /* nodes whose epilog said its time */
    uint64_t epilog_ms, epilog_max_ms, epilog_cpu_ms;
    struct effect overhead; /* of traced runs and their untraced controls */
};

/* Sweeps with untraced controls whose results were made in a month, UTC. */
struct site_month {
    char name[16]; /* YYYY-MM */
    uint64_t sweeps;
    struct effect overhead;
};

struct sitestats {
    time_t since; /* older jobs are left out */
    struct site_row *row;
    size_t rows, room;
    struct site_row sum;      /* without a user */
    struct site_month *month; /* in order of time, after the end */
    size_t months, months_room;
    uint64_t unreadable; /* files and directories */
};

enum {
    DEPTH_MAX = 6,
    JSON_MAX = 1 << 24,      /* of a job.json with a long list */
    NODE_JSON_MAX = 1 << 16, /* an epilog writes less than 1 KiB */
    CSV_MAX = 1 << 26
};

static struct site_row *row_of (struct sitestats *s, const char *user)
{
    struct site_row *row;

    for (size_t i = 0; i < s->rows; i++)
        if (strcmp (s->row[i].user, user) == 0)
            return &s->row[i];
    row = APPEND (s->row, s->rows, s->room);
    effect_begin (&row->overhead);
    row->user = xstrdup (user);
    return row;
}

/* Add the cost of an epilog. Values missing from an older epilog, or from one
 * that ran out of time, are not taken as zero: its events are in no rate, its
 * node in no sum. */
static void add_cost (struct site_row *row, const struct ynode *n)
{
    uint64_t us = ynode_number (n, "processes_us");
    uint64_t epilog = ynode_number (n, "epilog_ms");

    if (us) {
        row->processes_us += us;
        row->rated_events += ynode_number (n, "events");
        row->rated_bytes += ynode_number (n, "bytes");
    }
    if (!ynode_get (n, "epilog_ms"))
        return;
    row->epilogs++;
    row->epilog_ms += epilog;
    row->epilog_cpu_ms += ynode_number (n, "epilog_cpu_ms");
    if (epilog > row->epilog_max_ms)
        row->epilog_max_ms = epilog;
}

static void
add_node (struct sitestats *s, struct site_row *row, const char *path)
{
    struct ytree *t = site_json (path, NODE_JSON_MAX);
    const struct ynode *n = t ? ytree_root (t) : NULL;

    if (!n) {
        s->unreadable++;
        ytree_destroy (t);
        return;
    }
    row->nodes++;
    row->processes += ynode_number (n, "processes");
    row->unfinished += ynode_number (n, "unfinished");
    row->events += ynode_number (n, "events");
    row->lost +=
        ynode_number (n, "events_lost") + ynode_number (n, "events_missing");
    row->stages += ynode_number (n, "stages_missing");
    row->bytes += ynode_number (n, "bytes");
    add_cost (row, n);
    ytree_destroy (t);
}

static int is_node_file (const char *name)
{
    size_t n = strlen (name);

    return strncmp (name, "node.", 5) == 0 && n > 10 &&
           strcmp (name + n - 5, ".json") == 0;
}

/* Return 1 if a file is seen for the first time: many names of one file count
 * once. */
static int is_new (struct strmap *seen, int dirfd, const char *name)
{
    struct stat st;
    int isnew = 1;

    if (fstatat (dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    if (st.st_nlink > 1)
        strmap_intern (seen, (const char *)&st.st_ino, sizeof (st.st_ino),
                       &isnew);
    return isnew;
}

/* Return the user of a file: its owner. The name inside is used only for files
 * of root, who may have moved them here. */
static const char *user_of (const struct stat *st, const char *said)
{
    const struct passwd *pw = st->st_uid ? getpwuid (st->st_uid) : NULL;

    return pw ? pw->pw_name : said;
}

static void sitestats_add_job (void *stats,
                               const char *dir,
                               const char *job_json,
                               const struct stat *owner)
{
    struct sitestats *s = stats;
    struct ytree *t = NULL;
    char *metrics;
    const struct dirent *entry;
    struct site_row *row;
    struct strmap *seen;
    struct stat st;
    DIR *d;

    if (owner->st_mtime < s->since)
        return;
    t = site_json (job_json, JSON_MAX);
    if (!t || !ytree_root (t)) {
        s->unreadable++;
        ytree_destroy (t);
        return;
    }
    row = row_of (
        s, user_of (owner, ynode_text (ytree_root (t), "user", "unknown")));
    ytree_destroy (t);
    d = opendir (dir);
    metrics = path_join (dir, "metrics.json");
    seen = strmap_create ();
    row->jobs++;
    row->open += lstat (metrics, &st) < 0;
    while (d && (entry = readdir (d))) {
        if (is_node_file (entry->d_name) &&
            is_new (seen, dirfd (d), entry->d_name)) {
            char *path = path_join (dir, entry->d_name);

            add_node (s, row, path);
            free (path);
        }
    }
    strmap_destroy (seen);
    free (metrics);
    if (d)
        closedir (d);
}

static struct site_month *month_of (struct sitestats *s, time_t when)
{
    struct site_month *m;
    char name[sizeof (m->name)];
    struct tm tm;

    if (!gmtime_r (&when, &tm) || !strftime (name, sizeof (name), "%Y-%m", &tm))
        return NULL;
    for (size_t i = 0; i < s->months; i++)
        if (strcmp (s->month[i].name, name) == 0)
            return &s->month[i];
    m = APPEND (s->month, s->months, s->months_room);
    memcpy (m->name, name, sizeof (name));
    effect_begin (&m->overhead);
    return m;
}

/* Pairs of a traced and an untraced run, when somebody made the tables of the
 * sweep not longer ago. */
static void sitestats_add_sweep (struct sitestats *s, const char *dir)
{
    char *path = path_join (dir, "results/runs.csv");
    struct csv *runs = NULL;
    struct site_row *row;
    struct site_month *month;
    struct stat st;
    size_t length, before;

    if (lstat (path, &st) == 0 && S_ISREG (st.st_mode) &&
        st.st_mtime >= s->since) {
        char *text = read_file (path, CSV_MAX, &length, NULL);

        runs = text ? csv_parse (text, length) : NULL;
        s->unreadable += !runs;
    }
    if (runs) {
        row = row_of (s, user_of (&st, "root"));
        effect_tracing_pairs (&row->overhead, runs);
        effect_tracing_pairs (&s->sum.overhead, runs);
    }
    month = runs ? month_of (s, st.st_mtime) : NULL;
    if (month) {
        before = month->overhead.pairs;
        effect_tracing_pairs (&month->overhead, runs);
        month->sweeps += month->overhead.pairs > before;
    }
    csv_destroy (runs);
    free (path);
}

static void sitestats_other (void *stats, const char *dir)
{
    if (page_is_sweep (dir))
        sitestats_add_sweep (stats, dir);
}

static void sitestats_denied (void *stats, const char *dir)
{
    ((struct sitestats *)stats)->unreadable++;
}

static int sitestats_by_bytes (const void *a, const void *b)
{
    const struct site_row *x = a, *y = b;

    return x->bytes < y->bytes   ? 1
           : x->bytes > y->bytes ? -1
                                 : strcmp (x->user, y->user);
}

static int sitestats_by_month (const void *a, const void *b)
{
    const struct site_month *x = a, *y = b;

    return strcmp (x->name, y->name);
}

/* Begin, add what is below each directory, end: then there are rows, those
 * with most bytes first, and a sum. Links are not followed. */
static void sitestats_begin (struct sitestats *s, time_t since)
{
    memset (s, 0, sizeof (*s));
    s->since = since;
    effect_begin (&s->sum.overhead);
}

static void sitestats_read (struct sitestats *s, const char *dir)
{
    const struct site_walk walk = {.job = sitestats_add_job,
                                   .other = sitestats_other,
                                   .denied = sitestats_denied,
                                   .cookie = s};

    site_walk (&walk, dir, 0);
}

static void sitestats_add_row (struct site_row *sum, const struct site_row *r)
{
    sum->jobs += r->jobs;
    sum->open += r->open;
    sum->nodes += r->nodes;
    sum->processes += r->processes;
    sum->unfinished += r->unfinished;
    sum->events += r->events;
    sum->lost += r->lost;
    sum->stages += r->stages;
    sum->bytes += r->bytes;
    sum->processes_us += r->processes_us;
    sum->rated_events += r->rated_events;
    sum->rated_bytes += r->rated_bytes;
    sum->epilogs += r->epilogs;
    sum->epilog_ms += r->epilog_ms;
    sum->epilog_cpu_ms += r->epilog_cpu_ms;
    if (r->epilog_max_ms > sum->epilog_max_ms)
        sum->epilog_max_ms = r->epilog_max_ms;
}

static void sitestats_end (struct sitestats *s)
{
    for (size_t i = 0; i < s->rows; i++) {
        effect_end (&s->row[i].overhead);
        sitestats_add_row (&s->sum, &s->row[i]);
    }
    effect_end (&s->sum.overhead);
    for (size_t i = 0; i < s->months; i++)
        effect_end (&s->month[i].overhead);
    if (s->months)
        qsort (s->month, s->months, sizeof (*s->month), sitestats_by_month);
    if (s->rows)
        qsort (s->row, s->rows, sizeof (*s->row), sitestats_by_bytes);
}

static void sitestats_clear (struct sitestats *s)
{
    for (size_t i = 0; i < s->rows; i++)
        free (s->row[i].user);
    free (s->row);
    free (s->month);
    s->month = NULL;
    s->months = 0;
    s->row = NULL;
    s->rows = 0;
}

/* ---- `dftrace site stats`: what was traced, at what overhead ---- */

enum { SECONDS_PER_DAY = 24 * 3600 };
enum section { TRACED = 1, COST = 2, ESTIMATE = 4 };

static const double us_per_s = 1e6, us_per_hour = 3.6e9, ms_per_s = 1e3,
                    mib = 1 << 20;

/* -- cells ------------------------------------------------------------- */

struct column {
    enum section section;
    const char *name, *title, *unit;
    int digits;                                /* -1: a count */
    double (*value) (const struct site_row *); /* NaN: not known */
};

static int call_ns; /* of --call-ns */

static double ratio (double a, double b)
{
    return b > 0 ? a / b : NAN;
}

#define COUNT(FIELD)                                    \
    static double FIELD##_of (const struct site_row *r) \
    {                                                   \
        return (double)r->FIELD;                        \
    }
COUNT (jobs)
COUNT (open)
COUNT (nodes)
COUNT (processes)
COUNT (unfinished)
COUNT (events)
COUNT (lost)
COUNT (epilogs)

static double stages_of (const struct site_row *r)
{
    return (double)r->stages;
}

static double mib_of (const struct site_row *r)
{
    return (double)r->bytes / mib;
}

static double event_bytes_of (const struct site_row *r)
{
    return ratio ((double)r->bytes, (double)r->events);
}

static double hours_of (const struct site_row *r)
{
    return (double)r->processes_us / us_per_hour;
}

static double events_per_s_of (const struct site_row *r)
{
    return ratio ((double)r->rated_events, (double)r->processes_us / us_per_s);
}

static double mib_per_hour_of (const struct site_row *r)
{
    return ratio ((double)r->rated_bytes / mib, hours_of (r));
}

static double epilog_s_of (const struct site_row *r)
{
    return r->epilogs ? (double)r->epilog_ms / ms_per_s : NAN;
}

static double epilog_max_s_of (const struct site_row *r)
{
    return r->epilogs ? (double)r->epilog_max_ms / ms_per_s : NAN;
}

static double epilog_cpu_s_of (const struct site_row *r)
{
    return r->epilogs ? (double)r->epilog_cpu_ms / ms_per_s : NAN;
}

static double pairs_of (const struct site_row *r)
{
    return (double)r->overhead.pairs;
}

static double overhead_of (const struct site_row *r)
{
    return (r->overhead.mean - 1) * 100;
}

static double overhead_low_of (const struct site_row *r)
{
    return (r->overhead.low - 1) * 100;
}

static double overhead_high_of (const struct site_row *r)
{
    return (r->overhead.high - 1) * 100;
}

static double estimate_of (const struct site_row *r)
{
    return (double)r->events * call_ns / 1e9;
}

static const struct column columns[] = {
    {TRACED, "jobs", "jobs", "", -1, jobs_of},
    {TRACED, "open", "not\nanalyzed", "", -1, open_of},
    {TRACED, "nodes", "nodes", "", -1, nodes_of},
    {TRACED, "processes", "processes", "", -1, processes_of},
    {TRACED, "unfinished", "killed", "", -1, unfinished_of},
    {TRACED, "events", "events", "", -1, events_of},
    {TRACED, "lost", "lost", "", -1, lost_of},
    {TRACED, "stages_missing", "stages\nmissing", "", -1, stages_of},
    {TRACED, "mib", "traces", "MiB", 1, mib_of},
    {TRACED, "bytes_per_event", "per\nevent", "B", 1, event_bytes_of},
    {COST, "process_hours", "processes", "h", 3, hours_of},
    {COST, "events_per_s", "events\nof one", "1/s", 1, events_per_s_of},
    {COST, "mib_per_hour", "traces\nof one", "MiB/h", 1, mib_per_hour_of},
    {COST, "epilogs", "epilogs\ntimed", "", -1, epilogs_of},
    {COST, "epilog_s", "their\ntime", "s", 3, epilog_s_of},
    {COST, "epilog_max_s", "longest", "s", 3, epilog_max_s_of},
    {COST, "epilog_cpu_s", "their\nCPU", "s", 3, epilog_cpu_s_of},
    {COST, "pairs", "controls", "", -1, pairs_of},
    {COST, "overhead", "slower\nby", "%", 1, overhead_of},
    {COST, "overhead_low", "from", "%", 1, overhead_low_of},
    {COST, "overhead_high", "to", "%", 1, overhead_high_of},
    {ESTIMATE, "estimate_s", "estimate\nof calls", "s", 3, estimate_of},
};
enum { COLUMNS = ITEMS (columns) };

/* -- the table --------------------------------------------------------- */

static void
site_put_row (struct textable *t, const struct site_row *r, unsigned sections)
{
    textable_line (t, "%s", r->user ? r->user : "all");
    for (int i = 0; i < COLUMNS; i++) {
        const struct column *c = &columns[i];

        if (!(c->section & sections))
            continue;
        if (c->digits < 0)
            textable_uint (t, (uint64_t)c->value (r));
        else
            textable_double (t, c->value (r), c->digits);
    }
}

static void print_sections (const struct sitestats *s,
                            unsigned sections,
                            enum table_format format)
{
    struct textable *t = textable_create ();

    textable_columns (t, "user");
    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].section & sections)
            textable_column (t, columns[i].name, columns[i].title,
                             columns[i].unit, 1);
    for (size_t i = 0; i < s->rows; i++)
        site_put_row (t, &s->row[i], sections);
    site_put_row (t, &s->sum, sections);
    textable_print (t, stdout, format);
    textable_destroy (t);
}

static void print_stats (const struct sitestats *s, enum table_format format)
{
    unsigned cost = call_ns ? COST | ESTIMATE : COST;

    if (format == TABLE_CSV || format == TABLE_JSON) {
        print_sections (s, TRACED | cost, format);
        return;
    }
    print_sections (s, TRACED, format);
    putchar ('\n');
    print_sections (s, cost, format);
}

int site_stats (const struct site_options *o, int count, char **operands)
{
    struct sitestats s;

    call_ns = o->call_ns;
    sitestats_begin (&s, o->ask.days ? time (NULL) -
                                           (time_t)o->ask.days * SECONDS_PER_DAY
                                     : 0);
    for (int i = 0; i < count; i++)
        sitestats_read (&s, operands[i]);
    sitestats_end (&s);
    print_stats (&s, o->format);
    sitestats_clear (&s);
    if (s.unreadable)
        log_warn ("site: %" PRIu64 " files or directories could not be read",
                  s.unreadable);
    return s.unreadable ? EXIT_DAMAGED : EXIT_OK;
}

/* ---- `dftrace site cost`: what tracing cost, by month ---- */

static void cost_columns (struct textable *t)
{
    textable_columns (t, "month sweeps#");
    textable_column (t, "pairs", "controls", "", 1);
    textable_column (t, "overhead_percent", "slower\nby", "%", 1);
    textable_column (t, "low_percent", "95 %\nfrom", "%", 1);
    textable_column (t, "high_percent", "to", "%", 1);
}

static void cost_row (struct textable *t,
                      const char *name,
                      uint64_t sweeps,
                      const struct effect *e)
{
    textable_line (t, "%s %ju %zu %.2f %.2f %.2f", name, sweeps, e->pairs,
                   (e->mean - 1) * 100, (e->low - 1) * 100,
                   (e->high - 1) * 100);
}

static void cost_print (const struct sitestats *s, enum table_format format)
{
    struct textable *t = textable_create ();
    uint64_t sweeps = 0;

    cost_columns (t);
    for (size_t i = 0; i < s->months; i++) {
        if (s->month[i].overhead.pairs)
            cost_row (t, s->month[i].name, s->month[i].sweeps,
                      &s->month[i].overhead);
        sweeps += s->month[i].sweeps;
    }
    if (sweeps)
        cost_row (t, "all", sweeps, &s->sum.overhead);
    textable_print (t, stdout, format);
    textable_destroy (t);
    if (!sweeps)
        log_warn (
            "site: no pair of a traced run and its untraced control: "
            "give a sweep `control: {paired: true}` and make its results");
}

int site_cost (const struct site_options *o, int count, char **operands)
{
    struct sitestats s;

    sitestats_begin (&s, o->days_said ? time (NULL) - (time_t)o->ask.days *
                                                          SECONDS_PER_DAY
                                      : 0);
    for (int i = 0; i < count; i++)
        sitestats_read (&s, operands[i]);
    sitestats_end (&s);
    cost_print (&s, o->format);
    if (s.unreadable)
        log_warn ("site: %" PRIu64 " files or directories could not be read",
                  s.unreadable);
    sitestats_clear (&s);
    return s.unreadable ? EXIT_DAMAGED : EXIT_OK;
}
