/* SPDX-License-Identifier: MIT
 *
 * sitedb.c - lines that epilogs kept -> the jobs of a site in one SQLite file
 */
#include "config.h"

#include <dirent.h>

#include "cli/site/sitedb.h"
#include "cli/site/site.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

#ifdef HAVE_SQLITE

#include "analyze/tables/sqlite.h"

enum { BUSY_MS = 10000 };

/* KiB of pages in memory: rows come by time and go into an index by program,
 * all over it; SQLite's own 2 MiB mean a page read and written for most of
 * them. Questions that sort do it there, too. */
#define SITEDB_CACHE "PRAGMA cache_size = -131072"

static struct {
    sqlite3 *db;
    sqlite3_stmt *add;
    const char *path;
} site;

/* End the command with the message of SQLite; changes since the last commit are
 * rolled back. */
static _Noreturn void sitedb_fail (void)
{
    const char *why = arena_text (sqlite.errmsg (site.db));

    sqlite.exec (site.db, "ROLLBACK", NULL, NULL, NULL);
    die ("site: %s: %s", site.path, why);
}

/* The end of the command unless rc is the result that is wanted. */
static void sitedb_need (int rc, int wanted)
{
    if (rc != wanted)
        sitedb_fail ();
}

static void sitedb_run (const char *sql)
{
    sitedb_need (sqlite.exec (site.db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static sqlite3_stmt *sitedb_prepare (const char *sql)
{
    sqlite3_stmt *q;

    sitedb_need (sqlite.prepare_v2 (site.db, sql, -1, &q, NULL), SQLITE_OK);
    return q;
}

/* "a, b, c" of all columns, or so many question marks. */
static const char *sitedb_list (int marks)
{
    const char *list = "";

    for (int i = 0; i < (int)SUMMARY_COUNT; i++)
        list = arena_format ("%s%s%s", list, i ? ", " : "",
                             marks ? "?" : summary_info (i).name);
    return list;
}

/* Create the columns. Columns used by default questions come first: SQLite uses
 * a covering index only for the first 63 columns. A newer version has more
 * columns, which are n/a in older rows. */
static void sitedb_columns (void)
{
    sitedb_run ("CREATE TABLE IF NOT EXISTS file (name TEXT PRIMARY KEY, "
                "offset INTEGER NOT NULL);"
                "CREATE TABLE IF NOT EXISTS job (ended INTEGER NOT NULL, "
                "job INTEGER NOT NULL, part INTEGER NOT NULL, "
                "host TEXT NOT NULL, program TEXT, user TEXT, name TEXT, "
                "nodes REAL, ranks REAL, weight REAL"
                ", job_time REAL, io_time REAL, read_bytes REAL, "
                "write_bytes REAL, data_meta_time REAL, read_bandwidth "
                "REAL, stall_time REAL, checkpoint_time REAL"
                ", PRIMARY KEY (ended, job, part, host)) WITHOUT ROWID;");
    for (int i = 0; i < (int)SUMMARY_COUNT; i++) {
        struct summary_info info = summary_info (i);
        sqlite3_stmt *look = sitedb_prepare (
            arena_format ("SELECT 1 FROM pragma_table_info ('job') WHERE "
                          "name = '%s'",
                          info.name));
        int there = sqlite.step (look) == SQLITE_ROW;

        (void)sqlite.finalize (look);
        if (!there)
            sitedb_run (arena_format ("ALTER TABLE job ADD COLUMN %s %s",
                                      info.name,
                                      info.is_text ? "TEXT" : "REAL"));
    }
    sitedb_run ("CREATE INDEX IF NOT EXISTS job_weighted ON job "
                "(program, user, name, nodes, ranks, ended, weight"
                ", job_time, io_time, read_bytes, write_bytes, data_meta_time, "
                "read_bandwidth, stall_time, checkpoint_time"
                ");"
                /* is anybody there who stands for others? */
                "CREATE INDEX IF NOT EXISTS job_sampled ON job "
                "(ended, weight) WHERE weight > 1");
}

void sitedb_open (const char *path, int write)
{
    int flags = write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, fd;
    struct errtext err;

    if (sqlite_load (&err) < 0)
        die ("site: %s", err.text);
    site.path = path;
    fd = open (path, (write ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0600);
    if (fd < 0)
        die ("site: %s: %m", path);
    close (fd);
    sitedb_need (
        sqlite.open_v2 (path, &site.db, flags | SQLITE_OPEN_NOMUTEX, NULL),
        SQLITE_OK);
    sitedb_need (sqlite.busy_timeout (site.db, BUSY_MS), SQLITE_OK);
    sitedb_run (SITEDB_CACHE);
    if (!write)
        return;
    sitedb_run ("BEGIN IMMEDIATE");
    sitedb_columns ();
    site.add = sitedb_prepare (
        arena_format ("INSERT OR REPLACE INTO job (%s) VALUES (%s)",
                      sitedb_list (0), sitedb_list (1)));
}

static void sitedb_add (const struct job_summary *s)
{
    for (int i = 0; i < (int)SUMMARY_COUNT; i++) {
        if (summary_info (i).is_text)
            (void)sqlite.bind_text (site.add, i + 1, s->text[i], -1,
                                    SQLITE_STATIC);
        else if (isnan (s->number[i]))
            (void)sqlite.bind_null (site.add, i + 1);
        else
            (void)sqlite.bind_double (site.add, i + 1, s->number[i]);
    }
    if (isnan (s->number[SUMMARY_part]))
        (void)sqlite.bind_int (site.add, SUMMARY_part + 1, 0);
    sitedb_need (sqlite.step (site.add), SQLITE_DONE);
    (void)sqlite.reset (site.add);
}

/* How many bytes of that file have been read. */
static int64_t sitedb_offset (const char *file)
{
    sqlite3_stmt *q =
        sitedb_prepare ("SELECT offset FROM file WHERE name = ?1");
    int64_t offset = 0;

    if (sqlite.bind_text (q, 1, file, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite.step (q) == SQLITE_ROW)
        offset = sqlite.column_int64 (q, 0);
    (void)sqlite.finalize (q);
    return offset;
}

static void sitedb_set_offset (const char *file, int64_t offset)
{
    sqlite3_stmt *q =
        sitedb_prepare ("INSERT OR REPLACE INTO file VALUES (?1, ?2)");

    (void)sqlite.bind_text (q, 1, file, -1, SQLITE_STATIC);
    (void)sqlite.bind_int64 (q, 2, offset);
    sitedb_need (sqlite.step (q), SQLITE_DONE);
    (void)sqlite.finalize (q);
}

static struct sitecell sitedb_cell (sqlite3_stmt *q, int i)
{
    switch (sqlite.column_type (q, i)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        return (struct sitecell){NULL, sqlite.column_double (q, i)};
    case SQLITE_NULL:
        return (struct sitecell){NULL, NAN};
    default:
        return (struct sitecell){(const char *)sqlite.column_text (q, i), NAN};
    }
}

void sitedb_ask (const char *sql,
                 const char *const *args,
                 void (*take) (void *arg, int n, const struct sitecell *cell),
                 void *arg)
{
    sqlite3_stmt *q = sitedb_prepare (sql);
    int rc, n = sqlite.column_count (q);
    struct sitecell *cell = arena_array ((size_t)n + 1, sizeof (*cell));

    for (int i = 0; args[i]; i++)
        (void)sqlite.bind_text (q, i + 1, args[i], -1, SQLITE_STATIC);
    while ((rc = sqlite.step (q)) == SQLITE_ROW) {
        for (int i = 0; i < n; i++)
            cell[i] = sitedb_cell (q, i);
        take (arg, n, cell);
    }
    sitedb_need (rc, SQLITE_DONE);
    (void)sqlite.finalize (q);
}

/* ---- the lines that epilogs kept -> the site's database ---- */

enum { SECONDS_PER_DAY = 24 * 3600, LINE_MAX_BYTES = 64 * 1024 };

struct collect {
    struct sitecollect sum;
    int dirfd;
    uid_t owner;
    time_t keep_from; /* 0: for ever */
};

static int collect_is_ours (const struct dirent *entry)
{
    const char *name = entry->d_name;
    size_t n = strlen (name);

    return n > 6 && name[0] != '.' && strcmp (name + n - 6, ".jsonl") == 0;
}

/* YYYYMMDD.jsonl */
static const char *collect_day (const char *name)
{
    const char *dash = strrchr (name, '-');

    return dash ? dash + 1 : name;
}

/* Whole lines from the stream's position; where the last one ended. */
static int64_t collect_lines (struct collect *c, FILE *in, int64_t offset)
{
    struct job_summary s;
    char *line = NULL;
    size_t room = 0;
    ssize_t n;

    /* without its end, a line is being written, or the disk was full */
    while ((n = getline (&line, &room, in)) > 0 && line[n - 1] == '\n') {
        offset += n;
        if (n > LINE_MAX_BYTES || siteline_read (line, &s) < 0) {
            c->sum.bad++;
            continue;
        }
        sitedb_add (&s);
        c->sum.jobs++;
    }
    free (line);
    return offset;
}

static void collect_file (struct collect *c, const char *name)
{
    int fd =
        openat (c->dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int64_t from = sitedb_offset (name), to;
    struct stat st;
    FILE *in;

    if (fd < 0 || fstat (fd, &st) < 0 || !S_ISREG (st.st_mode) ||
        st.st_uid != c->owner || !(in = fdopen (fd, "r"))) {
        c->sum.bad++;
        if (fd >= 0)
            close (fd);
        return;
    }
    if (st.st_size < from) /* it was made anew */
        from = 0;
    to = from;
    if (st.st_size > from && fseeko (in, from, SEEK_SET) == 0) {
        c->sum.files++;
        to = collect_lines (c, in, from);
    }
    fclose (in);
    if (to != from)
        sitedb_set_offset (name, to);
    if (c->keep_from && st.st_mtime < c->keep_from && to == st.st_size)
        unlinkat (c->dirfd, name, 0);
}

/* Rows are kept by their time: day after day they go to the end, not into pages
 * that have to be read again. */
static int collect_by_day (const struct dirent **a, const struct dirent **b)
{
    const char *left = collect_day ((*a)->d_name);
    const char *right = collect_day ((*b)->d_name);
    return strcmp (left, right) ?: strcmp ((*a)->d_name, (*b)->d_name);
}

static void collect_trusts (struct collect *c, const char *dir)
{
    struct stat st;

    c->dirfd = open (dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->dirfd < 0 || fstat (c->dirfd, &st) < 0)
        die ("site: %s: %m", dir);
    c->owner = st.st_uid;
    if ((st.st_uid != 0 && st.st_uid != geteuid ()) || st.st_mode & 022)
        die ("site: %s: others can write to it: what is in it is not trusted: "
             "chown root, chmod go-w",
             dir);
}

struct sitecollect
sitecollect_run (const char *dir, const char *path, int keep_days)
{
    struct collect c = {.keep_from = 0};
    struct dirent **entry;
    int n;

    if (keep_days > 0)
        c.keep_from = time (NULL) - (time_t)keep_days * SECONDS_PER_DAY;
    collect_trusts (&c, dir);
    sitedb_open (path, 1);
    n = scandirat (c.dirfd, ".", &entry, collect_is_ours, collect_by_day);
    if (n < 0)
        die ("site: %s: %m", dir);
    for (int i = 0; i < n; i++)
        collect_file (&c, entry[i]->d_name);
    if (c.keep_from) {
        sitedb_run (arena_format ("DELETE FROM job WHERE ended < %lld",
                                  (long long)c.keep_from));
        c.sum.expired = (uint64_t)sqlite.changes (site.db);
    }
    sitedb_run ("COMMIT");
    return c.sum;
}

#else

void sitedb_open (const char *path, int write)
{
    die ("site: %s: built without SQLite: configure found no sqlite3", path);
}

void sitedb_ask (const char *sql,
                 const char *const *args,
                 void (*take) (void *arg, int n, const struct sitecell *cell),
                 void *arg)
{
}

struct sitecollect
sitecollect_run (const char *dir, const char *path, int keep_days)
{
    sitedb_open (path, 1);
    return (struct sitecollect){0};
}

#endif
