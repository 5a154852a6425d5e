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

/* Sums over the jobs of a user. */
enum counter {
    JOBS,
    OPEN, /* not analyzed yet */
    NODES,
    PROCESSES,
    UNFINISHED,
    EVENTS,
    LOST,
    BYTES,
    STAGES,       /* never collected */
    PROCESSES_US, /* from start to end, of all */
    RATED_EVENTS, /* in that time */
    RATED_BYTES,
    EPILOGS, /* nodes whose epilog said its time */
    EPILOG_MS,
    EPILOG_CPU_MS,
    EPILOG_MAX_MS, /* no sum: the most */
    COUNTERS
};

struct site_row {
    const char *user;
    uint64_t n[COUNTERS];
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
    size_t rows;
    struct site_row sum;      /* without a user */
    struct site_month *month; /* in order of time, after the end */
    size_t months;
    uint64_t unreadable; /* files and directories */
};

enum {
    JSON_MAX = 1 << 24,      /* of a job.json with a long list */
    NODE_JSON_MAX = 1 << 16, /* an epilog writes less than 1 KiB */
    CSV_MAX = 1 << 26,
    SECONDS_PER_DAY = 24 * 3600
};

static struct site_row *row_of (struct sitestats *s, const char *user)
{
    struct site_row *row;

    for (size_t i = 0; i < s->rows; i++)
        if (strcmp (s->row[i].user, user) == 0)
            return &s->row[i];
    s->row = arena_grow (s->row, s->rows, sizeof (*row));
    row = &s->row[s->rows++];
    ZERO (row);
    effect_begin (&row->overhead);
    row->user = arena_text (user);
    return row;
}

/* Values missing from an older epilog, or from one that ran out of time, are
 * not taken as zero: its events are in no rate, its node in no sum. */
static void
add_node (struct sitestats *s, struct site_row *row, const char *path)
{
    static const struct {
        enum counter counter;
        const char *key, *only; /* where that is there and not 0 */
    } members[] = {
        {PROCESSES, "processes", NULL},
        {UNFINISHED, "unfinished", NULL},
        {EVENTS, "events", NULL},
        {LOST, "events_lost", NULL},
        {LOST, "events_missing", NULL},
        {STAGES, "stages_missing", NULL},
        {BYTES, "bytes", NULL},
        {PROCESSES_US, "processes_us", NULL},
        {RATED_EVENTS, "events", "processes_us"},
        {RATED_BYTES, "bytes", "processes_us"},
    };
    struct ytree *t = site_json (path, NODE_JSON_MAX);
    const struct ynode *n = t ? ytree_root (t) : NULL;

    s->unreadable += !n;
    row->n[NODES] += n != NULL;
    for (size_t i = 0; i < ITEMS (members); i++)
        if (!members[i].only || ynode_number (n, members[i].only))
            row->n[members[i].counter] += ynode_number (n, members[i].key);
    if (ynode_get (n, "epilog_ms")) {
        uint64_t ms = ynode_number (n, "epilog_ms");

        row->n[EPILOGS]++;
        row->n[EPILOG_MS] += ms;
        row->n[EPILOG_CPU_MS] += ynode_number (n, "epilog_cpu_ms");
        row->n[EPILOG_MAX_MS] = MAX (row->n[EPILOG_MAX_MS], ms);
    }
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
    const struct dirent *entry;
    struct site_row *row;
    struct strmap *seen;
    struct ytree *t;
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
    seen = strmap_create ();
    row->n[JOBS]++;
    row->n[OPEN] += lstat (arena_format ("%s/metrics.json", dir), &st) < 0;
    while (d && (entry = readdir (d)))
        if (is_node_file (entry->d_name) &&
            is_new (seen, dirfd (d), entry->d_name))
            add_node (s, row, arena_format ("%s/%s", dir, entry->d_name));
    strmap_destroy (seen);
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
    s->month = arena_grow (s->month, s->months, sizeof (*m));
    m = &s->month[s->months++];
    ZERO (m);
    memcpy (m->name, name, sizeof (name));
    effect_begin (&m->overhead);
    return m;
}

/* Pairs of a traced and an untraced run, when somebody made the tables of the
 * sweep not longer ago. */
static void sitestats_add_sweep (struct sitestats *s, const char *dir)
{
    const char *path = arena_format ("%s/results/runs.csv", dir);
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

    return ORDER (y->n[BYTES], x->n[BYTES]) ?: strcmp (x->user, y->user);
}

static int sitestats_by_month (const void *a, const void *b)
{
    const struct site_month *x = a, *y = b;

    return strcmp (x->name, y->name);
}

/* Read the jobs below the directories: rows, those with most bytes first, and a
 * sum. Links are not followed. */
static struct sitestats sitestats_read (int days, int count, char **dirs)
{
    struct sitestats s = {
        .since = days ? time (NULL) - (time_t)days * SECONDS_PER_DAY : 0};
    const struct site_walk walk = {.job = sitestats_add_job,
                                   .other = sitestats_other,
                                   .denied = sitestats_denied,
                                   .cookie = &s};

    effect_begin (&s.sum.overhead);
    for (int i = 0; i < count; i++)
        site_walk (&walk, dirs[i], 0);
    for (size_t i = 0; i < s.rows; i++) {
        const uint64_t *n = s.row[i].n;

        effect_end (&s.row[i].overhead);
        for (int c = 0; c < EPILOG_MAX_MS; c++)
            s.sum.n[c] += n[c];
        s.sum.n[EPILOG_MAX_MS] = MAX (s.sum.n[EPILOG_MAX_MS], n[EPILOG_MAX_MS]);
    }
    effect_end (&s.sum.overhead);
    for (size_t i = 0; i < s.months; i++)
        effect_end (&s.month[i].overhead);
    SORT (s.month, s.months, sitestats_by_month);
    SORT (s.row, s.rows, sitestats_by_bytes);
    return s;
}

/* Say what could not be read. An exit status. */
static int sitestats_status (const struct sitestats *s)
{
    if (!s->unreadable)
        return EXIT_OK;
    log_warn ("site: %" PRIu64 " files or directories could not be read",
              s->unreadable);
    return EXIT_DAMAGED;
}

/* ---- `dftrace site stats`: what was traced, at what overhead ---- */

enum section { TRACED = 1, COST = 2, ESTIMATE = 4 };

/* -- cells ------------------------------------------------------------- */

/* Numbers that are made of counters, or of pairs. */
enum { PAIRS = COUNTERS, OVERHEAD, OVERHEAD_LOW, OVERHEAD_HIGH, CALLS_S };

static int call_ns; /* of --call-ns */

/* NaN: not known. */
static double number_of (const struct site_row *r, int what)
{
    switch (what) {
    case PAIRS:
        return (double)r->overhead.pairs;
    case OVERHEAD:
        return (r->overhead.mean - 1) * 100;
    case OVERHEAD_LOW:
        return (r->overhead.low - 1) * 100;
    case OVERHEAD_HIGH:
        return (r->overhead.high - 1) * 100;
    case CALLS_S:
        return (double)r->n[EVENTS] * call_ns / 1e9;
    case EPILOG_MS:
    case EPILOG_MAX_MS:
    case EPILOG_CPU_MS:
        return r->n[EPILOGS] ? (double)r->n[what] : NAN;
    default:
        return (double)r->n[what];
    }
}

#define MIB     (1 << 20)
#define US_HOUR 3.6e9

/* number / unit_of, and with per that by per / per_of. */
static const struct column {
    enum section section;
    const char *name, *title, *unit;
    int digits; /* -1: a count */
    int number;
    double unit_of;
    int per;
    double per_of; /* 0: by nothing */
} columns[] = {
    {TRACED, "jobs", "jobs", "", -1, JOBS, 1, 0, 0},
    {TRACED, "open", "not\nanalyzed", "", -1, OPEN, 1, 0, 0},
    {TRACED, "nodes", "nodes", "", -1, NODES, 1, 0, 0},
    {TRACED, "processes", "processes", "", -1, PROCESSES, 1, 0, 0},
    {TRACED, "unfinished", "killed", "", -1, UNFINISHED, 1, 0, 0},
    {TRACED, "events", "events", "", -1, EVENTS, 1, 0, 0},
    {TRACED, "lost", "lost", "", -1, LOST, 1, 0, 0},
    {TRACED, "stages_missing", "stages\nmissing", "", -1, STAGES, 1, 0, 0},
    {TRACED, "mib", "traces", "MiB", 1, BYTES, MIB, 0, 0},
    {TRACED, "bytes_per_event", "per\nevent", "B", 1, BYTES, 1, EVENTS, 1},
    {COST, "process_hours", "processes", "h", 3, PROCESSES_US, US_HOUR, 0, 0},
    {COST, "events_per_s", "events\nof one", "1/s", 1, RATED_EVENTS, 1,
     PROCESSES_US, 1e6},
    {COST, "mib_per_hour", "traces\nof one", "MiB/h", 1, RATED_BYTES, MIB,
     PROCESSES_US, US_HOUR},
    {COST, "epilogs", "epilogs\ntimed", "", -1, EPILOGS, 1, 0, 0},
    {COST, "epilog_s", "their\ntime", "s", 3, EPILOG_MS, 1e3, 0, 0},
    {COST, "epilog_max_s", "longest", "s", 3, EPILOG_MAX_MS, 1e3, 0, 0},
    {COST, "epilog_cpu_s", "their\nCPU", "s", 3, EPILOG_CPU_MS, 1e3, 0, 0},
    {COST, "pairs", "controls", "", -1, PAIRS, 1, 0, 0},
    {COST, "overhead", "slower\nby", "%", 1, OVERHEAD, 1, 0, 0},
    {COST, "overhead_low", "from", "%", 1, OVERHEAD_LOW, 1, 0, 0},
    {COST, "overhead_high", "to", "%", 1, OVERHEAD_HIGH, 1, 0, 0},
    {ESTIMATE, "estimate_s", "estimate\nof calls", "s", 3, CALLS_S, 1, 0, 0},
};
enum { COLUMNS = ITEMS (columns) };

/* -- the table --------------------------------------------------------- */

static void
site_put_row (struct textable *t, const struct site_row *r, unsigned sections)
{
    textable_line (t, "%s", r->user ? r->user : "all");
    for (int i = 0; i < COLUMNS; i++) {
        const struct column *c = &columns[i];
        double value;

        if (!(c->section & sections))
            continue;
        value = number_of (r, c->number) / c->unit_of;
        if (c->per_of) {
            double per = number_of (r, c->per) / c->per_of;

            value = per > 0 ? value / per : NAN;
        }
        if (c->digits < 0)
            textable_uint (t, (uint64_t)value);
        else
            textable_double (t, value, c->digits);
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
    struct sitestats s = sitestats_read (o->ask.days, count, operands);

    call_ns = o->call_ns;
    print_stats (&s, o->format);
    return sitestats_status (&s);
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
    struct sitestats s =
        sitestats_read (o->days_said ? o->ask.days : 0, count, operands);

    cost_print (&s, o->format);
    return sitestats_status (&s);
}
