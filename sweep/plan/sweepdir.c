/* SPDX-License-Identifier: MIT
 *
 * sweepdir.c - open a frozen sweep directory; paths in it
 */
#include "config.h"

#include <dirent.h>

#include "lib/util/fsutil.h"
#include "sweep/plan/sweepdir.h"

enum {
    MAP_BYTES_MAX = 512 * 1024 * 1024,
    LOCK_SECONDS = 60, /* a submission takes seconds */
};

static void read_manifest (struct sweepdir *d)
{
    const char *path = arena_format ("%s/manifest.json", d->path);
    struct ytree *t = ytree_load (path, NULL);
    const struct ynode *root;

    if (!t)
        die ("%s: no sweep directory: give the directory that `dftrace sweep "
             "submit` or `run` made",
             d->path);
    root = ytree_root (t);
    d->nonce = arena_text (ynode_text (root, "nonce", ""));
    d->cwd = arena_text (ynode_text (root, "cwd", ""));
    d->max_tasks = atoi (ynode_text (root, "max_tasks", "0"));
    d->wave = atoi (ynode_text (root, "wave", "0"));
    ytree_destroy (t);
    if (!*d->nonce || d->max_tasks < 1)
        die ("%s: damaged: start over in another directory", path);
}

static void read_spec (struct sweepdir *d)
{
    struct errtext err;

    d->spec = spec_load (arena_format ("%s/spec.yaml", d->path), &err);
    d->grid = d->spec ? grid_expand (d->spec, &err) : NULL;
    if (!d->grid)
        die ("%s", err.text);
    d->points = strmap_create ();
    for (size_t i = 0; i < d->grid->count; i++)
        strmap_intern (d->points, d->grid->point[i].id,
                       strlen (d->grid->point[i].id), NULL);
    rounds_read (d);
}

struct sweepdir *sweepdir_open (const char *path)
{
    struct sweepdir *d = arena_alloc (sizeof (*d));
    char *absolute = realpath (path, NULL);

    d->lock = -1;
    if (!absolute)
        die ("%s: %m", path);
    d->path = arena_text (absolute);
    free (absolute);
    read_manifest (d);
    read_spec (d);
    return d;
}

void sweepdir_close (struct sweepdir *d)
{
    sweepdir_unlock (d);
    strmap_destroy (d->points);
    spec_destroy (d->spec);
}

/* -- one driver at a time ---------------------------------------------- */

/* Lock for the process, not for the descriptor: a directory that is opened
 * anew while it is locked is locked already. */
static int lock_once (int fd, struct flock *l)
{
    *l = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl (fd, F_SETLK, l) == 0)
        return 0;
    return errno == EACCES || errno == EAGAIN ? 1 : 0;
}

void sweepdir_lock (struct sweepdir *d)
{
    const char *path = arena_format ("%s/lock", d->path);
    struct flock l;

    if (d->lock >= 0)
        return;
    d->lock = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (d->lock < 0)
        die ("%s: %m", path);
    for (int i = 0; lock_once (d->lock, &l); i++) {
        if (i >= LOCK_SECONDS) {
            fcntl (d->lock, F_GETLK, &l);
            die ("%s: another command is at work on this sweep (process %ld): "
                 "wait for its end",
                 d->path, (long)l.l_pid);
        }
        sleep (1);
    }
}

void sweepdir_unlock (struct sweepdir *d)
{
    if (d->lock >= 0)
        close (d->lock);
    d->lock = -1;
}

/* -- paths ------------------------------------------------------------- */

const char *sweepdir_run_path (const struct sweepdir *d, struct run r)
{
    const struct point *p = &d->grid->point[r.point];

    return arena_format ("%s/runs/%s.%s/r%d%s", d->path, p->label, p->id,
                         r.repeat, r.control ? "/control" : "");
}

const char *
sweepdir_attempt_path (const struct sweepdir *d, struct run r, int attempt)
{
    return arena_format ("%s/a%d", sweepdir_run_path (d, r), attempt);
}

int sweepdir_last_attempt (const struct sweepdir *d, struct run r)
{
    DIR *dir = opendir (sweepdir_run_path (d, r));
    struct dirent *e;
    int last = -1, n, length;

    while (dir && (e = readdir (dir)))
        if (sscanf (e->d_name, "a%d%n", &n, &length) == 1 &&
            !e->d_name[length] && n > last)
            last = n;
    if (dir)
        closedir (dir);
    return last;
}

const char *sweepdir_job_name (const struct sweepdir *d, const char *what)
{
    return arena_format ("%s.%s.%s", d->spec->name, d->nonce, what);
}

int sweepdir_run_of_id (const struct sweepdir *d,
                        const char *id,
                        struct run *out)
{
    const char *dot = strrchr (id, '.');
    int64_t point;
    char *end;

    if (!dot || dot[1] != 'r')
        return -1;
    out->repeat = (int)strtol (dot + 2, &end, 10);
    out->control = *end == 'c';
    end += out->control;
    if (*end || out->repeat < 0 || out->repeat >= d->spec->repeats)
        return -1;
    point = strmap_find (d->points, id, dot - id);
    out->point = (int)point;
    return point < 0 ? -1 : 0;
}

struct run
sweepdir_map_lookup (const struct sweepdir *d, const char *map, int index)
{
    const char *path = arena_format ("%s/jobs/%s.map", d->path, map);
    char *rest, *line, id[128];
    struct run run;
    int number;

    if (strchr (map, '/'))
        die ("%s: no map", map);
    rest = xread_file (path, MAP_BYTES_MAX);
    do
        if (!(line = strsep (&rest, "\n")))
            die ("%s: no task %d in it", path, index);
    while (sscanf (line, "%d\t%127s", &number, id) != 2 || number != index);
    if (sweepdir_run_of_id (d, id, &run) < 0)
        die ("%s: task %d: the run %s is not of this sweep: was spec.yaml "
             "changed?",
             path, index, id);
    return run;
}
