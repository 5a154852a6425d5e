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

static int read_manifest (struct sweepdir *d, struct errtext *err)
{
    const char *path = arena_format ("%s/manifest.json", d->path);
    struct ytree *t = ytree_load (path, err);
    const struct ynode *root;

    if (!t)
        return errf (err,
                     "%s: no sweep directory: give the directory that "
                     "`dftrace sweep submit` or `run` made",
                     d->path);
    root = ytree_root (t);
    d->nonce = arena_text (ynode_text (root, "nonce", ""));
    d->cwd = arena_text (ynode_text (root, "cwd", ""));
    d->max_tasks = atoi (ynode_text (root, "max_tasks", "0"));
    d->wave = atoi (ynode_text (root, "wave", "0"));
    ytree_destroy (t);
    if (!*d->nonce || d->max_tasks < 1)
        return errf (err, "%s: damaged: start over in another directory", path);
    return 0;
}

static int read_spec (struct sweepdir *d, struct errtext *err)
{
    d->spec = spec_load (arena_format ("%s/spec.yaml", d->path), err);
    if (!d->spec)
        return -1;
    d->grid = grid_expand (d->spec, err);
    if (!d->grid)
        return -1;
    d->points = strmap_create ();
    for (size_t i = 0; i < d->grid->count; i++)
        strmap_intern (d->points, d->grid->point[i].id,
                       strlen (d->grid->point[i].id), NULL);
    return rounds_read (d, err);
}

struct sweepdir *sweepdir_open (const char *path, struct errtext *err)
{
    struct sweepdir *d = arena_alloc (sizeof (*d));
    char *absolute = realpath (path, NULL);

    d->lock = -1;
    if (!absolute) {
        err_system (err, path, errno);
        goto error;
    }
    d->path = arena_text (absolute);
    if (read_manifest (d, err) < 0 || read_spec (d, err) < 0)
        goto error;
    free (absolute);
    return d;
error:
    free (absolute);
    sweepdir_close (d);
    return NULL;
}

void sweepdir_close (struct sweepdir *d)
{
    int saved_errno = errno;

    if (!d)
        return;
    sweepdir_unlock (d);
    strmap_destroy (d->points);
    spec_destroy (d->spec);
    errno = saved_errno;
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

int sweepdir_lock (struct sweepdir *d, struct errtext *err)
{
    const char *path = arena_format ("%s/lock", d->path);
    struct flock l;

    if (d->lock >= 0)
        return 0;
    d->lock = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (d->lock < 0)
        return err_system (err, path, errno);
    for (int i = 0; lock_once (d->lock, &l); i++) {
        if (i >= LOCK_SECONDS) {
            fcntl (d->lock, F_GETLK, &l);
            sweepdir_unlock (d);
            return errf (err,
                         "%s: another command is at work on this sweep "
                         "(process %ld): wait for its end",
                         d->path, (long)l.l_pid);
        }
        sleep (1);
    }
    return 0;
}

void sweepdir_unlock (struct sweepdir *d)
{
    int saved_errno = errno;

    if (d->lock >= 0)
        close (d->lock);
    d->lock = -1;
    errno = saved_errno;
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

int sweepdir_map_lookup (const struct sweepdir *d,
                         const char *map,
                         int index,
                         struct run *out,
                         struct errtext *err)
{
    const char *path = arena_format ("%s/jobs/%s.map", d->path, map);
    char *text, *line, *save = NULL, id[128];
    int number, found = 0;

    if (strchr (map, '/'))
        return errf (err, "%s: no map", map);
    text = read_file (path, MAP_BYTES_MAX, NULL, err);
    if (!text)
        return -1;
    for (line = strtok_r (text, "\n", &save); line && !found;
         line = strtok_r (NULL, "\n", &save))
        if (sscanf (line, "%d\t%127s", &number, id) == 2 && number == index)
            found = 1;
    free (text);
    if (!found)
        return errf (err, "%s: no task %d in it", path, index);
    if (sweepdir_run_of_id (d, id, out) < 0)
        return errf (err,
                     "%s: task %d: the run %s is not of this sweep: was "
                     "spec.yaml changed?",
                     path, index, id);
    return 0;
}
