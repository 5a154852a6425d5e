/* SPDX-License-Identifier: MIT
 *
 * jobfiles.c - a job directory -> the trace files to read
 *
 * In:  DIR/trace.dft, DIR/shards
 * Out: paths, to jobscan.c
 */
#include "config.h"

#include "report/job/jobfiles.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/util/fsutil.h"

static int is_shard (const struct dirent *e)
{
    size_t n = strlen (e->d_name);

    return n > 4 && strcmp (e->d_name + n - 4, ".dft") == 0;
}

static int newer (const struct stat *x, const struct stat *y)
{
    return x->st_mtim.tv_sec != y->st_mtim.tv_sec
               ? x->st_mtim.tv_sec > y->st_mtim.tv_sec
               : x->st_mtim.tv_nsec > y->st_mtim.tv_nsec;
}

/* path is taken. */
static int add (struct jobfiles *f, char *path)
{
    char **list =
        path ? reallocarray (f->path, f->count + 1, sizeof (*list)) : NULL;

    if (!list) {
        free (path);
        return -1;
    }
    f->path = list;
    f->path[f->count++] = path;
    return 0;
}

static int add_shards (struct jobfiles *f, const char *dir)
{
    struct dirent **entry = NULL;
    int n = scandir (dir, &entry, is_shard, alphasort), rc = 0;

    for (int i = 0; i < n; i++) {
        if (rc == 0)
            rc = add (f, path_join (dir, entry[i]->d_name));
        free (entry[i]);
    }
    free (entry);
    return rc;
}

static int any_newer (const struct jobfiles *f, const struct stat *merged)
{
    struct stat st;

    for (size_t i = 0; i < f->count; i++)
        if (stat (f->path[i], &st) == 0 && newer (&st, merged))
            return 1;
    return 0;
}

int jobfiles_find (struct jobfiles *f, const char *dir, struct errtext *err)
{
    char *merged = path_join (dir, "trace.dft");
    char *shards = path_join (dir, "shards");
    struct stat st;
    int rc = -1;

    memset (f, 0, sizeof (*f));
    if (merged && shards && add_shards (f, shards) == 0) {
        rc = 0;
        if (stat (merged, &st) == 0 && !any_newer (f, &st)) {
            jobfiles_clear (f);
            rc = add (f, merged);
            merged = NULL;
        }
    }
    if (rc < 0)
        (void)errf (err, "%s: %s", dir, strerror (ENOMEM));
    free (merged);
    free (shards);
    return rc;
}

void jobfiles_clear (struct jobfiles *f)
{
    for (size_t i = 0; i < f->count; i++)
        free (f->path[i]);
    free (f->path);
    memset (f, 0, sizeof (*f));
}
