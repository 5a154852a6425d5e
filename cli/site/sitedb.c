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

enum { CELLS_MAX = (int)SUMMARY_COUNT + 64, BUSY_MS = 10000 };

/* KiB of pages in memory: rows come by time and go into an index by program,
 * all over it; SQLite's own 2 MiB mean a page read and written for most of
 * them. Questions that sort do it there, too. */
#define SITEDB_CACHE "PRAGMA cache_size = -131072"

struct sitedb {
    sqlite3 *db;
    sqlite3_stmt *add;
    int write;
    char path[4096];
};

static int sitedb_fail (struct sitedb *db, struct errtext *err)
{
    errno = EIO;
    return errf (err, "%s: %s", db->path, sqlite.errmsg (db->db));
}

static int sitedb_run (struct sitedb *db, const char *sql, struct errtext *err)
{
    return sqlite.exec (db->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : sitedb_fail (db, err);
}

/* Create the columns. Columns used by default questions come first: SQLite uses
 * a covering index only for the first 63 columns. A newer version has more
 * columns, which are n/a in older rows. */
static int sitedb_columns (struct sitedb *db, struct errtext *err)
{
    char sql[256];

    if (sitedb_run (db,
                    "CREATE TABLE IF NOT EXISTS file (name TEXT PRIMARY KEY, "
                    "offset INTEGER NOT NULL);"
                    "CREATE TABLE IF NOT EXISTS job (ended INTEGER NOT NULL, "
                    "job INTEGER NOT NULL, part INTEGER NOT NULL, "
                    "host TEXT NOT NULL, program TEXT, user TEXT, name TEXT, "
                    "nodes REAL, ranks REAL, weight REAL"
                    ", job_time REAL, io_time REAL, read_bytes REAL, "
                    "write_bytes REAL, data_meta_time REAL, read_bandwidth "
                    "REAL, stall_time REAL, checkpoint_time REAL"
                    ", PRIMARY KEY (ended, job, part, host)) WITHOUT ROWID;",
                    err) < 0)
        return -1;
    for (int i = 0; i < (int)SUMMARY_COUNT; i++) {
        struct summary_info info = summary_info (i);
        sqlite3_stmt *look = NULL;
        int there;

        snprintf (sql, sizeof (sql),
                  "SELECT 1 FROM pragma_table_info ('job') WHERE "
                  "name = '%s'",
                  info.name);
        there = sqlite.prepare_v2 (db->db, sql, -1, &look, NULL) == SQLITE_OK &&
                sqlite.step (look) == SQLITE_ROW;
        (void)sqlite.finalize (look);
        if (there)
            continue;
        snprintf (sql, sizeof (sql), "ALTER TABLE job ADD COLUMN %s %s",
                  info.name, info.is_text ? "TEXT" : "REAL");
        if (sitedb_run (db, sql, err) < 0)
            return -1;
    }
    return sitedb_run (
        db,
        "CREATE INDEX IF NOT EXISTS job_weighted ON job "
        "(program, user, name, nodes, ranks, ended, weight"
        ", job_time, io_time, read_bytes, write_bytes, data_meta_time, "
        "read_bandwidth, stall_time, checkpoint_time"
        ");"
        /* is anybody there who stands for others? */
        "CREATE INDEX IF NOT EXISTS job_sampled ON job "
        "(ended, weight) WHERE weight > 1",
        err);
}

static int sitedb_prepare (struct sitedb *db, struct errtext *err)
{
    char *sql = NULL;
    size_t size;
    FILE *out = xmemstream (&sql, &size);
    int rc;

    fputs ("INSERT OR REPLACE INTO job (", out);
    for (int i = 0; i < (int)SUMMARY_COUNT; i++)
        fprintf (out, "%s%s", i ? ", " : "", summary_info (i).name);
    fputs (") VALUES (", out);
    for (int i = 0; i < (int)SUMMARY_COUNT; i++)
        fputs (i ? ", ?" : "?", out);
    fputs (")", out);
    xmemstream_end (out);
    rc = sqlite.prepare_v2 (db->db, sql, -1, &db->add, NULL) == SQLITE_OK
             ? 0
             : sitedb_fail (db, err);
    free (sql);
    return rc;
}

struct sitedb *sitedb_open (const char *path, int write, struct errtext *err)
{
    struct sitedb *db;
    int fd, flags = write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;

    if (sqlite_load (err) < 0)
        return NULL;
    NEW (db, 1);
    err->text[0] = '\0';
    snprintf (db->path, sizeof (db->path), "%s", path);
    db->write = write;
    fd = open (path, (write ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0600);
    if (fd < 0) {
        errf (err, "%s: %s", path, strerror (errno));
        free (db);
        return NULL;
    }
    close (fd);
    if (sqlite.open_v2 (path, &db->db, flags | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite.busy_timeout (db->db, BUSY_MS) != SQLITE_OK ||
        sitedb_run (db, SITEDB_CACHE, err) < 0 ||
        (write &&
         (sitedb_run (db, "BEGIN IMMEDIATE", err) < 0 ||
          sitedb_columns (db, err) < 0 || sitedb_prepare (db, err) < 0))) {
        if (!err->text[0])
            sitedb_fail (db, err);
        sitedb_close (db, 0, NULL);
        return NULL;
    }
    return db;
}

int sitedb_close (struct sitedb *db, int commit, struct errtext *err)
{
    int rc = 0;

    if (!db)
        return 0;
    (void)sqlite.finalize (db->add);
    if (db->write && commit)
        rc = sitedb_run (db, "COMMIT", err);
    (void)sqlite.close (db->db); /* what was not committed is gone */
    free (db);
    return rc;
}

static int
sitedb_add (struct sitedb *db, const struct job_summary *s, struct errtext *err)
{
    for (int i = 0; i < (int)SUMMARY_COUNT; i++) {
        if (summary_info (i).is_text)
            (void)sqlite.bind_text (db->add, i + 1, s->text[i], -1,
                                    SQLITE_STATIC);
        else if (isnan (s->number[i]))
            (void)sqlite.bind_null (db->add, i + 1);
        else
            (void)sqlite.bind_double (db->add, i + 1, s->number[i]);
    }
    if (isnan (s->number[SUMMARY_part]))
        (void)sqlite.bind_int (db->add, SUMMARY_part + 1, 0);
    if (sqlite.step (db->add) != SQLITE_DONE)
        return sitedb_fail (db, err);
    (void)sqlite.reset (db->add);
    return 0;
}

static int64_t sitedb_offset (struct sitedb *db, const char *file)
{
    sqlite3_stmt *q = NULL;
    int64_t offset = 0;

    if (sqlite.prepare_v2 (db->db, "SELECT offset FROM file WHERE name = ?1",
                           -1, &q, NULL) == SQLITE_OK &&
        sqlite.bind_text (q, 1, file, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite.step (q) == SQLITE_ROW)
        offset = sqlite.column_int64 (q, 0);
    (void)sqlite.finalize (q);
    return offset;
}

/* How many bytes of that file have been read; and say so. */
static int sitedb_set_offset (struct sitedb *db,
                              const char *file,
                              int64_t offset,
                              struct errtext *err)
{
    sqlite3_stmt *q = NULL;
    int rc =
        sqlite.prepare_v2 (db->db,
                           "INSERT OR REPLACE INTO file VALUES (?1, ?2)", -1,
                           &q, NULL) == SQLITE_OK &&
                sqlite.bind_text (q, 1, file, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite.bind_int64 (q, 2, offset) == SQLITE_OK &&
                sqlite.step (q) == SQLITE_DONE
            ? 0
            : sitedb_fail (db, err);

    (void)sqlite.finalize (q);
    return rc;
}

/* Remove jobs that ended before; how many, or -1 with err. */
static int64_t
sitedb_expire (struct sitedb *db, int64_t before, struct errtext *err)
{
    char sql[96];

    snprintf (sql, sizeof (sql), "DELETE FROM job WHERE ended < %lld",
              (long long)before);
    return sitedb_run (db, sql, err) < 0 ? -1 : sqlite.changes (db->db);
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

int sitedb_ask (struct sitedb *db,
                const char *sql,
                const char *const *args,
                int (*take) (void *arg, int n, const struct sitecell *cell),
                void *arg,
                struct errtext *err)
{
    struct sitecell cell[CELLS_MAX];
    sqlite3_stmt *q = NULL;
    int rc, stop = 0;

    if (sqlite.prepare_v2 (db->db, sql, -1, &q, NULL) != SQLITE_OK ||
        sqlite.column_count (q) > CELLS_MAX) {
        (void)sqlite.finalize (q);
        return sitedb_fail (db, err);
    }
    for (int i = 0; args && args[i]; i++)
        (void)sqlite.bind_text (q, i + 1, args[i], -1, SQLITE_STATIC);
    while (!stop && (rc = sqlite.step (q)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite.column_count (q); i++)
            cell[i] = sitedb_cell (q, i);
        stop = take (arg, sqlite.column_count (q), cell);
    }
    rc = stop || rc == SQLITE_DONE ? 0 : sitedb_fail (db, err);
    (void)sqlite.finalize (q);
    return rc;
}

#else

struct sitedb *sitedb_open (const char *path, int write, struct errtext *err)
{
    errno = ENOTSUP;
    errf (err, "%s: built without SQLite: configure found no sqlite3", path);
    return NULL;
}

int sitedb_close (struct sitedb *db, int commit, struct errtext *err)
{
    (void)db, (void)commit, (void)err;
    return 0;
}

int sitedb_add (struct sitedb *db,
                const struct job_summary *s,
                struct errtext *err)
{
    (void)db, (void)s, (void)err;
    return -1;
}

int64_t sitedb_offset (struct sitedb *db, const char *file)
{
    (void)db, (void)file;
    return 0;
}

int sitedb_set_offset (struct sitedb *db,
                       const char *file,
                       int64_t offset,
                       struct errtext *err)
{
    (void)db, (void)file, (void)offset, (void)err;
    return -1;
}

int64_t sitedb_expire (struct sitedb *db, int64_t before, struct errtext *err)
{
    (void)db, (void)before, (void)err;
    return -1;
}

int sitedb_ask (struct sitedb *db,
                const char *sql,
                const char *const *args,
                int (*take) (void *arg, int n, const struct sitecell *cell),
                void *arg,
                struct errtext *err)
{
    (void)db, (void)sql, (void)args, (void)take, (void)arg, (void)err;
    return -1;
}

#endif

/* ---- the lines that epilogs kept -> the site's database ---- */

enum { SECONDS_PER_DAY = 24 * 3600, LINE_MAX_BYTES = 64 * 1024 };

struct collect {
    struct sitedb *db;
    struct sitecollect *sum;
    struct errtext *err;
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

/* Whole lines from the stream's position; where the last one ended, or -1. */
static int64_t collect_lines (struct collect *c, FILE *in, int64_t offset)
{
    struct job_summary s;
    char *line = NULL;
    size_t room = 0;
    ssize_t n;

    while ((n = getline (&line, &room, in)) > 0) {
        if (line[n - 1] != '\n') /* being written, or the disk was full */
            break;
        offset += n;
        if (n > LINE_MAX_BYTES || siteline_read (line, &s) < 0) {
            c->sum->bad++;
        } else if (sitedb_add (c->db, &s, c->err) < 0) {
            offset = -1;
            break;
        } else {
            c->sum->jobs++;
        }
    }
    free (line);
    return offset;
}

static int collect_file (struct collect *c, const char *name)
{
    int fd =
        openat (c->dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int64_t from = sitedb_offset (c->db, name), to;
    struct stat st;
    FILE *in;

    if (fd < 0 || fstat (fd, &st) < 0 || !S_ISREG (st.st_mode) ||
        st.st_uid != c->owner || !(in = fdopen (fd, "r"))) {
        c->sum->bad++;
        if (fd >= 0)
            close (fd);
        return 0;
    }
    if (st.st_size < from) /* it was made anew */
        from = 0;
    to = from;
    if (st.st_size > from && fseeko (in, from, SEEK_SET) == 0) {
        c->sum->files++;
        to = collect_lines (c, in, from);
    }
    fclose (in);
    if (to < 0 ||
        (to != from && sitedb_set_offset (c->db, name, to, c->err) < 0))
        return -1;
    if (c->keep_from && st.st_mtime < c->keep_from && to == st.st_size)
        unlinkat (c->dirfd, name, 0);
    return 0;
}

/* Rows are kept by their time: day after day they go to the end, not into pages
 * that have to be read again. */
static int collect_by_day (const struct dirent **a, const struct dirent **b)
{
    const char *left = collect_day ((*a)->d_name);
    const char *right = collect_day ((*b)->d_name);
    return strcmp (left, right) ?: strcmp ((*a)->d_name, (*b)->d_name);
}

static int collect_all (struct collect *c, const char *dir)
{
    struct dirent **entry = NULL;
    int n = scandirat (c->dirfd, ".", &entry, collect_is_ours, collect_by_day);
    int rc = 0;

    if (n < 0)
        return errf (c->err, "%s: %s", dir, strerror (errno));
    for (int i = 0; i < n; i++) {
        if (rc == 0)
            rc = collect_file (c, entry[i]->d_name);
        free (entry[i]);
    }
    free (entry);
    return rc;
}

static int collect_trusts (struct collect *c, const char *dir, DIR *d)
{
    struct stat st;

    c->dirfd = dirfd (d);
    if (fstat (c->dirfd, &st) < 0)
        return errf (c->err, "%s: %s", dir, strerror (errno));
    c->owner = st.st_uid;
    if ((st.st_uid != 0 && st.st_uid != geteuid ()) || st.st_mode & 022)
        return errf (c->err,
                     "%s: others can write to it: what is in it is not "
                     "trusted: chown root, chmod go-w",
                     dir);
    return 0;
}

int sitecollect_run (const char *dir,
                     const char *path,
                     int keep_days,
                     struct sitecollect *sum,
                     struct errtext *err)
{
    struct collect c = {.sum = sum, .err = err};
    DIR *d = opendir (dir);
    int64_t expired = 0;
    int rc;

    memset (sum, 0, sizeof (*sum));
    if (!d)
        return errf (err, "%s: %s", dir, strerror (errno));
    if (keep_days > 0)
        c.keep_from = time (NULL) - (time_t)keep_days * SECONDS_PER_DAY;
    rc = collect_trusts (&c, dir, d);
    if (rc == 0)
        c.db = sitedb_open (path, 1, err);
    if (c.db) {
        rc = collect_all (&c, dir);
        if (rc == 0 && c.keep_from)
            expired = sitedb_expire (c.db, c.keep_from, err);
        if (expired < 0)
            rc = -1;
        sum->expired = (uint64_t)(expired > 0 ? expired : 0);
        if (sitedb_close (c.db, rc == 0, err) < 0)
            rc = -1;
    } else {
        rc = -1;
    }
    closedir (d);
    return rc;
}
