/* SPDX-License-Identifier: MIT
 *
 * find.c - paths of the command line -> jobs and their trace files
 *
 * In:  files, job directories, sweep directories
 * Out: struct job, to load.c, merge.c and stat
 */
#include "config.h"

#include "analyze/find.h"
#include "analyze/parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/jobinfo.h"
#include "lib/util/fsutil.h"

enum { RUN_DEPTH_MAX = 5 }; /* runs/LABEL.ID/rN/aN/trace */

static int is_dir (const char *path)
{
    struct stat st;

    return stat (path, &st) == 0 && S_ISDIR (st.st_mode);
}

static int is_file (const char *path)
{
    struct stat st;

    return lstat (path, &st) == 0 && S_ISREG (st.st_mode);
}

static int
has (const char *dir, const char *name, int (*test) (const char *path))
{
    char *path = path_join (dir, name);
    int yes = path && test (path);

    free (path);
    return yes;
}

/* --- sources of a job --------------------------------------------------- */

static int add_source (struct job *job, char *path)
{
    struct source *s =
        reallocarray (job->source, job->sources + 1, sizeof (*s));

    if (!s || !path) {
        if (s)
            job->source = s;
        free (path);
        errno = ENOMEM;
        return -1;
    }
    job->source = s;
    s += job->sources++;
    memset (s, 0, sizeof (*s));
    s->path = path;
    return 0;
}

static int is_shard_name (const struct dirent *d)
{
    size_t n = strlen (d->d_name);

    return n > 4 && d->d_name[0] != '.' &&
           strcmp (d->d_name + n - 4, ".dft") == 0 &&
           strcmp (d->d_name, "trace.dft") != 0;
}

/* All *.dft of dir but trace.dft, by name. */
static int add_shards (struct job *job, const char *dir)
{
    struct dirent **names = NULL;
    int n = scandir (dir, &names, is_shard_name, alphasort), rc = 0;

    for (int i = 0; i < n; i++) {
        if (rc == 0)
            rc = add_source (job, path_join (dir, names[i]->d_name));
        free (names[i]);
    }
    free (names);
    return rc;
}

static void drop_sources (struct job *job)
{
    for (size_t i = 0; i < job->sources; i++) {
        tracefile_close (job->source[i].file);
        free (job->source[i].path);
    }
    free (job->source);
    job->source = NULL;
    job->sources = 0;
}

static void open_sources (struct job *job)
{
    for (size_t i = 0; i < job->sources; i++) {
        struct source *s = &job->source[i];

        if (!s->file)
            s->file = tracefile_open (s->path, &s->problem);
    }
}

/* --- is trace.dft as good as the shards? -------------------------------- */

static int holds (const struct tracefile *trace, const struct trace_process *p)
{
    for (size_t i = 0; i < tracefile_processes (trace); i++)
        if (same_process (tracefile_process (trace, i), p))
            return 1;
    return 0;
}

static int whole (const struct tracefile *f)
{
    const struct trace_health *h = tracefile_health (f);

    for (size_t i = 0; i < tracefile_processes (f); i++)
        if (tracefile_process (f, i)->damaged)
            return 0;
    return !h->cut && !h->chunks_cut && !h->missing && !h->bytes_skipped;
}

static int newer (const char *path, const char *than)
{
    struct stat a, b;

    if (stat (path, &a) < 0 || stat (than, &b) < 0)
        return 0;
    return a.st_mtim.tv_sec > b.st_mtim.tv_sec ||
           (a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
            a.st_mtim.tv_nsec > b.st_mtim.tv_nsec);
}

static int replaces (const char *path,
                     const struct tracefile *trace,
                     const struct job *job)
{
    if (!whole (trace))
        return 0;
    for (size_t i = 0; i < job->sources; i++) {
        const struct source *s = &job->source[i];

        if (!s->file || !whole (s->file) || !newer (path, s->path))
            return 0;
        for (size_t p = 0; p < tracefile_processes (s->file); p++)
            if (!holds (trace, tracefile_process (s->file, p)))
                return 0;
    }
    return 1;
}

/* Has it a process that no shard has (they were removed)? */
static int adds (const struct tracefile *trace, const struct job *job)
{
    for (size_t p = 0; p < tracefile_processes (trace); p++) {
        size_t i = 0;

        while (i < job->sources &&
               !(job->source[i].file &&
                 holds (job->source[i].file, tracefile_process (trace, p))))
            i++;
        if (i == job->sources)
            return 1;
    }
    return 0;
}

/* Take trace.dft in the place of the shards where that loses nothing, or with
 * them where it has more. */
static int consider_trace (struct job *job)
{
    char *path = path_join (job->dir, "trace.dft");
    struct tracefile *trace = NULL;
    int rc = path ? 0 : -1;

    if (rc == 0 && is_file (path))
        trace = tracefile_open (path, NULL);
    if (trace && replaces (path, trace, job)) {
        drop_sources (job);
        job->merged = 1;
    }
    if (trace && (job->merged || adds (trace, job))) {
        rc = add_source (job, path);
        path = NULL; /* the job's, or freed */
        if (rc == 0) {
            job->source[job->sources - 1].file = trace;
            trace = NULL;
        }
    }
    tracefile_close (trace);
    free (path);
    return rc;
}

static int find_traces (struct job *job, struct errtext *err)
{
    char *shards = path_join (job->dir, "shards");
    int rc = shards ? add_shards (job, shards) : -1;

    free (shards);
    if (rc == 0)
        rc = add_shards (job, job->dir);
    if (rc == 0 && !job->sources && has (job->dir, "trace.dft", is_file)) {
        job->merged = 1;
        return add_source (job, path_join (job->dir, "trace.dft"));
    }
    if (rc < 0)
        return errf (err, "%s: %s", job->dir, strerror (errno));
    if (!job->sources) {
        errno = ENOENT;
        return errf (err,
                     "%s: no traces in it: looked for shards/*.dft, "
                     "*.dft and trace.dft; was the job traced (--dftrace=…)?",
                     job->dir);
    }
    open_sources (job);
    return consider_trace (job);
}

int job_open (struct job *job, struct errtext *err)
{
    if (job->dir && !job->sources && find_traces (job, err) < 0)
        return -1;
    open_sources (job);
    return 0;
}

void job_close (struct job *job)
{
    int saved = errno;

    if (job->dir)
        drop_sources (job);
    else
        for (size_t i = 0; i < job->sources; i++) {
            tracefile_close (job->source[i].file);
            job->source[i].file = NULL;
        }
    errno = saved;
}

/* --- jobs ---------------------------------------------------------------- */

static struct job *new_job (struct joblist *list)
{
    size_t room = list->room ? 2 * list->room : 8;
    struct job *item = list->item;

    if (list->count == list->room) {
        if (!(item = reallocarray (item, room, sizeof (*item))))
            return NULL;
        list->item = item;
        list->room = room;
    }
    item = &list->item[list->count++];
    memset (item, 0, sizeof (*item));
    return item;
}

static int add_file (struct joblist *list, const char *path)
{
    struct job *job = new_job (list);
    const char *base = strrchr (path, '/');

    if (!job || add_source (job, strdup (path)) < 0 ||
        jobinfo_load (&job->info, NULL, NULL) < 0 ||
        !(job->label = strdup (base ? base + 1 : path)))
        return -1;
    return 0;
}

/* The last component that says something, of "a/b/", ".", "x/..". */
static char *name_of (const char *path)
{
    char *real = realpath (path, NULL);
    const char *base = real ? strrchr (real, '/') : NULL;
    char *name = strdup (base && base[1] ? base + 1 : path);

    free (real);
    return name;
}

/* "LABEL.ID/r0/a0/trace" -> "LABEL", "LABEL.ID/r2/a0/trace" -> "LABEL/r2":
 * what a reader needs to tell runs of a sweep apart. In place. */
static void shorten (char *label)
{
    char *id = label + strcspn (label, "/"), *to, *from = id;

    while (id > label && *id != '.')
        id--;
    to = id > label ? id : from;
    while (*from) {
        size_t n = 1 + strcspn (from + 1, "/");

        if (!(n == 3 &&
              (memcmp (from, "/r0", n) == 0 || memcmp (from, "/a0", n) == 0)) &&
            !(n == 6 && memcmp (from, "/trace", n) == 0)) {
            memmove (to, from, n);
            to += n;
        }
        from += n;
    }
    *to = '\0';
}

static int add_dir (struct joblist *list,
                    const char *path,
                    const char *label,
                    struct errtext *err)
{
    struct job *job = new_job (list);

    if (!job || !(job->dir = strdup (path)))
        return errf (err, "%s: %s", path, strerror (ENOMEM));
    (void)jobinfo_load (&job->info, path, &job->problem);
    job->label = label ? strdup (label)
                 : job->info.point && *job->info.point
                     ? strdup (job->info.point)
                     : name_of (path);
    if (label && job->label)
        shorten (job->label);
    return job->label ? 0 : errf (err, "%s: %s", path, strerror (ENOMEM));
}

static int looks_like_job (const char *path)
{
    return has (path, "shards", is_dir) || has (path, "job.json", is_file) ||
           has (path, "trace.dft", is_file);
}

static int is_subdir_name (const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* Jobs below path, in order of their names. */
static int walk_runs (struct joblist *list,
                      const char *path,
                      const char *label,
                      int depth,
                      struct errtext *err)
{
    struct dirent **names = NULL;
    int n, rc = 0;

    if (looks_like_job (path))
        return add_dir (list, path, label, err);
    if (depth == RUN_DEPTH_MAX)
        return 0;
    n = scandir (path, &names, is_subdir_name, versionsort);
    for (int i = 0; i < n; i++) {
        char *sub = path_join (path, names[i]->d_name);
        char *sublabel = label ? path_join (label, names[i]->d_name)
                               : strdup (names[i]->d_name);

        if (rc == 0 && sub && sublabel && is_dir (sub))
            rc = walk_runs (list, sub, sublabel, depth + 1, err);
        free (sub);
        free (sublabel);
        free (names[i]);
    }
    free (names);
    return rc;
}

static int
add_sweep (struct joblist *list, const char *path, struct errtext *err)
{
    size_t before = list->count;
    char *runs = path_join (path, "runs");
    int rc = runs ? walk_runs (list, runs, NULL, 0, err) : -1;

    free (runs);
    if (rc == 0 && list->count == before)
        rc = errf (err,
                   "%s: no run of this sweep has traces yet: see "
                   "dftrace sweep status",
                   path);
    return rc;
}

int joblist_add (struct joblist *list, const char *path, struct errtext *err)
{
    errno = 0;
    if (is_file (path)) {
        if (add_file (list, path) < 0)
            return errf (err, "%s: %s", path, strerror (errno));
        return 0;
    }
    if (!is_dir (path))
        return errf (err, "%s: %s", path,
                     errno ? strerror (errno) : "not a file or directory");
    if (!looks_like_job (path) && has (path, "manifest.json", is_file) &&
        has (path, "runs", is_dir))
        return add_sweep (list, path, err);
    return add_dir (list, path, NULL, err);
}

void joblist_clear (struct joblist *list)
{
    int saved = errno;

    for (size_t i = 0; i < list->count; i++) {
        struct job *job = &list->item[i];

        drop_sources (job);
        jobinfo_clear (&job->info);
        free (job->dir);
        free (job->label);
    }
    free (list->item);
    memset (list, 0, sizeof (*list));
    errno = saved;
}
