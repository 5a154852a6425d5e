/* SPDX-License-Identifier: MIT
 *
 * database.c - tables of jobs -> one SQLite file
 *
 * In:  struct result of each job; its views, as text tables have them
 * Out: a table for each view, with the job's number before its columns, and a
 *      table of the jobs
 */
#include "config.h"

#include "analyze/tables/results.h"

#ifdef HAVE_SQLITE

#include <stdarg.h>

#include "analyze/tables/sqlite.h"
#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/util/fsutil.h"
#include "lib/util/textable.h"
#include "lib/util/xalloc.h"

struct sqlite_functions sqlite;

int sqlite_load (struct errtext *err)
{
    static const char *const names[] = {
#define F(NAME) "sqlite3_" #NAME,
        SQLITE_FUNCTIONS (F)
#undef F
            NULL};

    return lazylib_load (SQLITE_FILE, names, &sqlite, err);
}

struct database {
    sqlite3 *db;
    char *path, *temporary; /* owned */
    sqlite3_int64 jobs;
};

static int fail (const struct database *d, struct errtext *err)
{
    errno = EIO;
    return errf (err, "%s: %s", d->path, sqlite.errmsg (d->db));
}

static int
database_run (const struct database *d, struct errtext *err, const char *sql)
{
    return sql && sqlite.exec (d->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : fail (d, err);
}

struct database *database_create (const char *path, struct errtext *err)
{
    struct database *d;

    if (sqlite_load (err) < 0)
        return NULL;
    NEW (d, 1);
    d->path = xstrdup (path);
    d->temporary = xasprintf ("%s.%ld.tmp", path, (long)getpid ());
    unlink (d->temporary);
    if (sqlite.open (d->temporary, &d->db) != SQLITE_OK ||
        database_run (
            d, err,
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
            "CREATE TABLE job (job INTEGER PRIMARY KEY, label TEXT, dir TEXT, "
            "job_id INTEGER, job_name TEXT, user TEXT, nodelist TEXT, "
            "point TEXT);"
            "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT);"
            "INSERT INTO about VALUES ('format', 'dftrace-tables'), "
            "('version', '1'), ('program', '" PACKAGE_STRING "');") < 0) {
        fail (d, err);
        database_abort (d);
        return NULL;
    }
    return d;
}

/* --- rows ---------------------------------------------------------------- */

static int
put_job (struct database *d, const struct result *r, struct errtext *err)
{
    const struct job_info *info = &r->job->info;
    char *sql = sqlite.mprintf (
        "INSERT INTO job VALUES (%lld, %Q, %Q, %lld, %Q, %Q, %Q, %Q)",
        ++d->jobs, r->job->label, r->job->dir ? r->job->dir : "",
        (sqlite3_int64)info->job_id, info->name, info->user, info->nodelist,
        info->point);
    int rc = database_run (d, err, sql);

    sqlite.free (sql);
    return rc;
}

/* Integers where there is nothing behind the point in any text form. */
static const char *type_of (const struct textable *t, size_t column)
{
    for (size_t row = 0; row < t->rows; row++)
        switch (t->cell[row * t->columns + column].type) {
        case CELL_TEXT:
            return "TEXT";
        case CELL_DOUBLE:
            return "REAL";
        default:
            break;
        }
    return t->column[column].right ? "NUMERIC" : "TEXT";
}

static char *more (char *text, const char *format, ...)
{
    va_list args;
    char *tail, *both;

    va_start (args, format);
    tail = sqlite.vmprintf (format, args);
    va_end (args);
    both = sqlite.mprintf ("%s%s", text, tail);
    sqlite.free (text);
    sqlite.free (tail);
    return xalloc_checked (both);
}

static int make_table (struct database *d,
                       const char *name,
                       const struct textable *t,
                       struct errtext *err)
{
    char *sql = sqlite.mprintf (
        "CREATE TABLE IF NOT EXISTS \"%w\" (job INTEGER REFERENCES job", name);
    int rc;

    for (size_t i = 0; i < t->columns; i++)
        sql = more (sql, ", \"%w\" %s", t->column[i].name, type_of (t, i));
    sql = more (sql, ")");
    rc = database_run (d, err, sql);
    sqlite.free (sql);
    return rc;
}

/* SQLite takes any bytes for text; its clients take UTF-8. */
static int database_text (sqlite3_stmt *s, int at, const char *text)
{
    size_t length = strlen (text), n = 0, taken;
    char *out =
        xalloc_checked (sqlite.malloc64 (ESCAPE_BYTES_MAX * length + 1));

    for (; length > 0; text += taken, length -= taken)
        n += escape_bytes (out + n, text, length, &taken);
    return sqlite.bind_text (s, at, out, (int)n, sqlite.free);
}

static int bind (sqlite3_stmt *s, int at, const struct table_cell *c)
{
    switch (c->type) {
    case CELL_TEXT:
        return database_text (s, at, c->text);
    case CELL_UINT: /* beyond 2^63 it is no count any more */
        return c->u <= INT64_MAX
                   ? sqlite.bind_int64 (s, at, (sqlite3_int64)c->u)
                   : sqlite.bind_double (s, at, c->u);
    case CELL_DOUBLE:
        return sqlite.bind_double (s, at, c->d);
    default:
        return sqlite.bind_null (s, at);
    }
}

static int database_put_row (struct database *d,
                             sqlite3_stmt *s,
                             const struct table_cell *cell,
                             size_t n)
{
    int rc = sqlite.bind_int64 (s, 1, d->jobs);

    for (size_t i = 0; rc == SQLITE_OK && i < n; i++)
        rc = bind (s, (int)i + 2, &cell[i]);
    if (rc == SQLITE_OK && sqlite.step (s) != SQLITE_DONE)
        rc = SQLITE_ERROR;
    return rc == SQLITE_OK && sqlite.reset (s) == SQLITE_OK ? 0 : -1;
}

static int put_rows (struct database *d,
                     const char *name,
                     const struct textable *t,
                     struct errtext *err)
{
    char *sql = sqlite.mprintf ("INSERT INTO \"%w\" VALUES (?", name);
    sqlite3_stmt *s = NULL;
    int rc = 0;

    for (size_t i = 0; i < t->columns; i++)
        sql = more (sql, ", ?");
    sql = more (sql, ")");
    if (sqlite.prepare_v2 (d->db, sql, -1, &s, NULL) != SQLITE_OK)
        rc = fail (d, err);
    for (size_t row = 0; rc == 0 && row < t->rows; row++)
        if (database_put_row (d, s, &t->cell[row * t->columns], t->columns) < 0)
            rc = fail (d, err);
    (void)sqlite.finalize (s);
    sqlite.free (sql);
    return rc;
}

int database_add (struct database *d,
                  const struct result *r,
                  struct errtext *err)
{
    int rc = put_job (d, r, err);

    for (int v = 0; rc == 0 && v < VIEW_COUNT; v++) {
        struct textable *t = view_make (r, v, 0);
        const char *name = view_table[v].file;

        rc = make_table (d, name, t, err) < 0 ? -1 : put_rows (d, name, t, err);
        textable_destroy (t);
    }
    return rc;
}

int database_commit (struct database *d, struct errtext *err)
{
    int rc = database_run (d, err, "COMMIT");

    if (rc == 0 && sqlite.close (d->db) == SQLITE_OK) {
        d->db = NULL;
        if (rename (d->temporary, d->path) < 0)
            rc = err_system (err, d->path, errno);
    }
    database_abort (d);
    return rc;
}

void database_abort (struct database *d)
{
    int saved = errno;

    if (d) {
        (void)sqlite.close (d->db);
        unlink (d->temporary);
        free (d->temporary);
        free (d->path);
        free (d);
    }
    errno = saved;
}

#else /* HAVE_SQLITE */

struct database *database_create (const char *path, struct errtext *err)
{
    errno = ENOTSUP;
    errf (err, "%s: this dftrace was built without SQLite: use --format csv",
          path);
    return NULL;
}

int database_add (struct database *d,
                  const struct result *r,
                  struct errtext *err)
{
    errno = ENOTSUP;
    return errf (err, "built without SQLite");
}

int database_commit (struct database *d, struct errtext *err)
{
    errno = ENOTSUP;
    return errf (err, "built without SQLite");
}

void database_abort (struct database *d)
{
}

#endif
