/* SPDX-License-Identifier: MIT
 *
 * sitedb.c - the jobs of a site in one SQLite file
 */
#include "config.h"

#include "cli/site/sitedb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_SQLITE

#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

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
    return errf (err, "%s: %s", db->path, sqlite3_errmsg (db->db));
}

static int sitedb_run (struct sitedb *db, const char *sql, struct errtext *err)
{
    return sqlite3_exec (db->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : sitedb_fail (db, err);
}

/* What questions ask by themselves comes first: SQLite knows of an index that
 * it holds all of a question only for the first 63 columns. A newer version has
 * more columns: those of rows from before are n/a. */
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
#define ASKED(metric, top, history) ", " #metric " REAL"
#include "cli/site/asked.def"
#undef ASKED
                    ", PRIMARY KEY (ended, job, part, host)) WITHOUT ROWID;",
                    err) < 0)
        return -1;
    for (int i = 0; i < (int)SUMMARY_COUNT; i++) {
        struct summary_info info = summary_info (i);
        sqlite3_stmt *look = NULL;
        int there;

        (void)snprintf (sql, sizeof (sql),
                        "SELECT 1 FROM pragma_table_info ('job') WHERE "
                        "name = '%s'",
                        info.name);
        there =
            sqlite3_prepare_v2 (db->db, sql, -1, &look, NULL) == SQLITE_OK &&
            sqlite3_step (look) == SQLITE_ROW;
        (void)sqlite3_finalize (look);
        if (there)
            continue;
        (void)snprintf (sql, sizeof (sql), "ALTER TABLE job ADD COLUMN %s %s",
                        info.name, info.is_text ? "TEXT" : "REAL");
        if (sitedb_run (db, sql, err) < 0)
            return -1;
    }
    return sitedb_run (db,
                       "DROP INDEX IF EXISTS job_program;"
                       "DROP INDEX IF EXISTS job_asked;"
                       "CREATE INDEX IF NOT EXISTS job_weighed ON job "
                       "(program, user, name, nodes, ranks, ended, weight"
#define ASKED(metric, top, history) ", " #metric
#include "cli/site/asked.def"
#undef ASKED
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
    FILE *out = open_memstream (&sql, &size);
    int rc;

    if (!out)
        return errf (err, "%s: %s", db->path, strerror (ENOMEM));
    (void)fputs ("INSERT OR REPLACE INTO job (", out);
    for (int i = 0; i < (int)SUMMARY_COUNT; i++)
        (void)fprintf (out, "%s%s", i ? ", " : "", summary_info (i).name);
    (void)fputs (") VALUES (", out);
    for (int i = 0; i < (int)SUMMARY_COUNT; i++)
        (void)fputs (i ? ", ?" : "?", out);
    (void)fputs (")", out);
    rc = fclose (out) == 0 && sqlite3_prepare_v2 (db->db, sql, -1, &db->add,
                                                  NULL) == SQLITE_OK
             ? 0
             : sitedb_fail (db, err);
    free (sql);
    return rc;
}

struct sitedb *sitedb_open (const char *path, int write, struct errtext *err)
{
    struct sitedb *db = calloc (1, sizeof (*db));
    int fd, flags = write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;

    if (!db) {
        (void)errf (err, "%s: %s", path, strerror (ENOMEM));
        return NULL;
    }
    err->text[0] = '\0';
    (void)snprintf (db->path, sizeof (db->path), "%s", path);
    db->write = write;
    fd = open (path, (write ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0600);
    if (fd < 0) {
        (void)errf (err, "%s: %s", path, strerror (errno));
        free (db);
        return NULL;
    }
    (void)close (fd);
    if (sqlite3_open_v2 (path, &db->db, flags | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite3_busy_timeout (db->db, BUSY_MS) != SQLITE_OK ||
        sitedb_run (db, SITEDB_CACHE, err) < 0 ||
        (write &&
         (sitedb_run (db, "BEGIN IMMEDIATE", err) < 0 ||
          sitedb_columns (db, err) < 0 || sitedb_prepare (db, err) < 0))) {
        if (!err->text[0])
            (void)sitedb_fail (db, err);
        (void)sitedb_close (db, 0, NULL);
        return NULL;
    }
    return db;
}

int sitedb_close (struct sitedb *db, int commit, struct errtext *err)
{
    int rc = 0;

    if (!db)
        return 0;
    (void)sqlite3_finalize (db->add);
    if (db->write && commit)
        rc = sitedb_run (db, "COMMIT", err);
    (void)sqlite3_close (db->db); /* what was not committed is gone */
    free (db);
    return rc;
}

int sitedb_add (struct sitedb *db,
                const struct job_summary *s,
                struct errtext *err)
{
    for (int i = 0; i < (int)SUMMARY_COUNT; i++) {
        if (summary_info (i).is_text)
            (void)sqlite3_bind_text (db->add, i + 1, s->text[i], -1,
                                     SQLITE_STATIC);
        else if (isnan (s->number[i]))
            (void)sqlite3_bind_null (db->add, i + 1);
        else
            (void)sqlite3_bind_double (db->add, i + 1, s->number[i]);
    }
    if (isnan (s->number[SUMMARY_part]))
        (void)sqlite3_bind_int (db->add, SUMMARY_part + 1, 0);
    if (sqlite3_step (db->add) != SQLITE_DONE)
        return sitedb_fail (db, err);
    (void)sqlite3_reset (db->add);
    return 0;
}

int64_t sitedb_offset (struct sitedb *db, const char *file)
{
    sqlite3_stmt *q = NULL;
    int64_t offset = 0;

    if (sqlite3_prepare_v2 (db->db, "SELECT offset FROM file WHERE name = ?1",
                            -1, &q, NULL) == SQLITE_OK &&
        sqlite3_bind_text (q, 1, file, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step (q) == SQLITE_ROW)
        offset = sqlite3_column_int64 (q, 0);
    (void)sqlite3_finalize (q);
    return offset;
}

int sitedb_set_offset (struct sitedb *db,
                       const char *file,
                       int64_t offset,
                       struct errtext *err)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2 (db->db,
                                 "INSERT OR REPLACE INTO file VALUES (?1, ?2)",
                                 -1, &q, NULL) == SQLITE_OK &&
                     sqlite3_bind_text (q, 1, file, -1, SQLITE_STATIC) ==
                         SQLITE_OK &&
                     sqlite3_bind_int64 (q, 2, offset) == SQLITE_OK &&
                     sqlite3_step (q) == SQLITE_DONE
                 ? 0
                 : sitedb_fail (db, err);

    (void)sqlite3_finalize (q);
    return rc;
}

int64_t sitedb_expire (struct sitedb *db, int64_t before, struct errtext *err)
{
    char sql[96];

    (void)snprintf (sql, sizeof (sql), "DELETE FROM job WHERE ended < %lld",
                    (long long)before);
    return sitedb_run (db, sql, err) < 0 ? -1 : sqlite3_changes (db->db);
}

static struct sitecell sitedb_cell (sqlite3_stmt *q, int i)
{
    switch (sqlite3_column_type (q, i)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        return (struct sitecell){NULL, sqlite3_column_double (q, i)};
    case SQLITE_NULL:
        return (struct sitecell){NULL, NAN};
    default:
        return (struct sitecell){(const char *)sqlite3_column_text (q, i), NAN};
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

    if (sqlite3_prepare_v2 (db->db, sql, -1, &q, NULL) != SQLITE_OK ||
        sqlite3_column_count (q) > CELLS_MAX) {
        (void)sqlite3_finalize (q);
        return sitedb_fail (db, err);
    }
    for (int i = 0; args && args[i]; i++)
        (void)sqlite3_bind_text (q, i + 1, args[i], -1, SQLITE_STATIC);
    while (!stop && (rc = sqlite3_step (q)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count (q); i++)
            cell[i] = sitedb_cell (q, i);
        stop = take (arg, sqlite3_column_count (q), cell);
    }
    rc = stop || rc == SQLITE_DONE ? 0 : sitedb_fail (db, err);
    (void)sqlite3_finalize (q);
    return rc;
}

#else

struct sitedb *sitedb_open (const char *path, int write, struct errtext *err)
{
    (void)write;
    errno = ENOTSUP;
    (void)errf (err, "%s: built without SQLite: configure found no sqlite3",
                path);
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
