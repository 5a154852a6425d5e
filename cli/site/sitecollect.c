/* SPDX-License-Identifier: MIT
 *
 * sitecollect.c - the lines that epilogs kept -> the site's database
 *
 * In:  DIR/HOST-YYYYMMDD.jsonl
 * Out: rows of the database, in one transaction
 */
#include "config.h"

#include "cli/site/sitecollect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/site/sitedb.h"
#include "cli/site/siteline.h"

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
            (void)close (fd);
        return 0;
    }
    if (st.st_size < from) /* it was made anew */
        from = 0;
    to = from;
    if (st.st_size > from && fseeko (in, from, SEEK_SET) == 0) {
        c->sum->files++;
        to = collect_lines (c, in, from);
    }
    (void)fclose (in);
    if (to < 0 ||
        (to != from && sitedb_set_offset (c->db, name, to, c->err) < 0))
        return -1;
    if (c->keep_from && st.st_mtime < c->keep_from && to == st.st_size)
        (void)unlinkat (c->dirfd, name, 0);
    return 0;
}

/* Rows are kept by their time: day after day they go to the end, not into pages
 * that have to be read again. */
static int collect_by_day (const struct dirent **a, const struct dirent **b)
{
    const char *left = collect_day ((*a)->d_name);
    const char *right = collect_day ((*b)->d_name);
    int order = strcmp (left, right);

    return order ? order : strcmp ((*a)->d_name, (*b)->d_name);
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
                     "believed: chown root, chmod go-w",
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
    (void)closedir (d);
    return rc;
}
