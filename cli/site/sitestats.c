/* SPDX-License-Identifier: MIT
 *
 * sitestats.c - job and sweep directories -> a row for each user
 *
 * In:  job.json, node.*.json; results/runs.csv of sweeps
 * Out: struct sitestats
 * Caveat: anybody may have written any of it.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/site/sitestats.h"
#include "lib/base/parse.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "lib/util/ytree.h"

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
    row = reallocarray (s->row, s->rows + 1, sizeof (*row));
    if (!row)
        return NULL;
    s->row = row;
    row += s->rows;
    memset (row, 0, sizeof (*row));
    effect_begin (&row->overhead);
    row->user = strdup (user);
    if (!row->user)
        return NULL;
    s->rows++;
    return row;
}

static uint64_t sitestats_number (const struct ynode *n, const char *key)
{
    uint64_t value = 0;

    (void)parse_u64 (ynode_text (n, key, "0"), &value);
    return value;
}

/* What an epilog of before, or one whose time was over, has not written is
 * not taken for zero: its events are in no rate, its node in no sum. */
static void add_cost (struct site_row *row, const struct ynode *n)
{
    uint64_t us = sitestats_number (n, "processes_us");
    uint64_t epilog = sitestats_number (n, "epilog_ms");

    if (us) {
        row->processes_us += us;
        row->rated_events += sitestats_number (n, "events");
        row->rated_bytes += sitestats_number (n, "bytes");
    }
    if (!ynode_get (n, "epilog_ms"))
        return;
    row->epilogs++;
    row->epilog_ms += epilog;
    row->epilog_cpu_ms += sitestats_number (n, "epilog_cpu_ms");
    if (epilog > row->epilog_max_ms)
        row->epilog_max_ms = epilog;
}

/* A user's file that may be a link or a FIFO by now. */
static struct ytree *sitestats_load (const char *path, size_t max)
{
    size_t length;
    char *text = read_file (path, max, &length, NULL);
    struct ytree *t = text ? ytree_parse (path, text, length, NULL) : NULL;

    free (text);
    return t;
}

static void
add_node (struct sitestats *s, struct site_row *row, const char *path)
{
    struct ytree *t = sitestats_load (path, NODE_JSON_MAX);
    const struct ynode *n = t ? ytree_root (t) : NULL;

    if (!n) {
        s->unreadable++;
        ytree_destroy (t);
        return;
    }
    row->nodes++;
    row->processes += sitestats_number (n, "processes");
    row->unfinished += sitestats_number (n, "unfinished");
    row->events += sitestats_number (n, "events");
    row->lost += sitestats_number (n, "events_lost") +
                 sitestats_number (n, "events_missing");
    row->stages += sitestats_number (n, "stages_missing");
    row->bytes += sitestats_number (n, "bytes");
    add_cost (row, n);
    ytree_destroy (t);
}

static int is_node_file (const char *name)
{
    size_t n = strlen (name);

    return strncmp (name, "node.", 5) == 0 && n > 10 &&
           strcmp (name + n - 5, ".json") == 0;
}

/* The same file under many names costs its owner nothing: it counts once. */
static int is_new (struct strmap *seen, int dirfd, const char *name)
{
    struct stat st;
    int isnew = 1;

    if (fstatat (dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    if (st.st_nlink > 1 && strmap_intern (seen, (const char *)&st.st_ino,
                                          sizeof (st.st_ino), &isnew) < 0)
        return 0;
    return isnew;
}

/* Who pays: the owner. Only in root's files, who may have moved them here, is
 * what they say believed. */
static const char *user_of (const struct stat *st, const char *said)
{
    const struct passwd *pw = st->st_uid ? getpwuid (st->st_uid) : NULL;

    return pw ? pw->pw_name : said;
}

static void sitestats_add_job (struct sitestats *s,
                               const char *dir,
                               const char *job_json,
                               const struct stat *owner)
{
    struct ytree *t = sitestats_load (job_json, JSON_MAX);
    const struct dirent *entry;
    char *metrics = path_join (dir, "metrics.json");
    struct stat st;
    struct site_row *row;
    struct strmap *seen;
    DIR *d;

    if (!t || !ytree_root (t)) {
        s->unreadable++;
        ytree_destroy (t);
        free (metrics);
        return;
    }
    row = row_of (
        s, user_of (owner, ynode_text (ytree_root (t), "user", "unknown")));
    ytree_destroy (t);
    d = row ? opendir (dir) : NULL;
    seen = strmap_create ();
    if (row) {
        row->jobs++;
        row->open += !metrics || lstat (metrics, &st) < 0;
    }
    while (d && seen && (entry = readdir (d))) {
        char *path = is_node_file (entry->d_name) &&
                             is_new (seen, dirfd (d), entry->d_name)
                         ? path_join (dir, entry->d_name)
                         : NULL;
        if (path)
            add_node (s, row, path);
        free (path);
    }
    strmap_destroy (seen);
    if (d)
        (void)closedir (d);
    free (metrics);
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
    m = reallocarray (s->month, s->months + 1, sizeof (*m));
    if (!m)
        return NULL;
    s->month = m;
    m += s->months++;
    memset (m, 0, sizeof (*m));
    memcpy (m->name, name, sizeof (name));
    effect_begin (&m->overhead);
    return m;
}

/* Pairs of a traced and an untraced run, when somebody made the tables of the
 * sweep not longer ago. */
static void sitestats_add_sweep (struct sitestats *s, const char *dir)
{
    char *results = path_join (dir, "results");
    char *path = results ? path_join (results, "runs.csv") : NULL;
    struct csv *runs = NULL;
    struct site_row *row;
    struct site_month *month;
    struct stat st;
    size_t length, before;

    if (path && lstat (path, &st) == 0 && S_ISREG (st.st_mode) &&
        st.st_mtime >= s->since) {
        char *text = read_file (path, CSV_MAX, &length, NULL);

        runs = text ? csv_parse (text, length) : NULL;
        s->unreadable += !runs;
    }
    row = runs ? row_of (s, user_of (&st, "root")) : NULL;
    if (row) {
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
    free (results);
}

static void walk_below (struct sitestats *s, const char *dir, int depth);

/* Every directory with a job.json not older than since; links are not
 * followed. */
static void sitestats_walk (struct sitestats *s, const char *dir, int depth)
{
    char *job = path_join (dir, "job.json");
    struct stat st;

    if (job && lstat (job, &st) == 0) {
        if (S_ISREG (st.st_mode) && st.st_mtime >= s->since)
            sitestats_add_job (s, dir, job, &st);
    } else if (depth < DEPTH_MAX) {
        if (sweepdata_is (dir))
            sitestats_add_sweep (s, dir);
        walk_below (s, dir, depth);
    }
    free (job);
}

static void walk_below (struct sitestats *s, const char *dir, int depth)
{
    DIR *d = opendir (dir);
    const struct dirent *entry;
    struct stat st;

    if (!d)
        s->unreadable++;
    while (d && (entry = readdir (d))) {
        char *path;

        if (entry->d_name[0] == '.' ||
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISDIR (st.st_mode))
            continue;
        path = path_join (dir, entry->d_name);
        if (path)
            sitestats_walk (s, path, depth + 1);
        free (path);
    }
    if (d)
        (void)closedir (d);
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

void sitestats_begin (struct sitestats *s, time_t since)
{
    memset (s, 0, sizeof (*s));
    s->since = since;
    effect_begin (&s->sum.overhead);
}

void sitestats_read (struct sitestats *s, const char *dir)
{
    sitestats_walk (s, dir, 0);
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

void sitestats_end (struct sitestats *s)
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

void sitestats_clear (struct sitestats *s)
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
