/* SPDX-License-Identifier: MIT
 *
 * freeze.c - spec and grid -> a new sweep directory
 *
 * In:  the bytes of the sweep file, the grid, the most tasks of an array
 * Out: all that a task needs, on disk, before anything is submitted;
 *      manifest.json comes last and says that the rest is whole
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "lib/util/textable.h"
#include "sweep/run/machine.h"
#include "sweep/plan/plan.h"
#include "sweep/run/provenance.h"
#include "sweep/submit/rounds.h"
#include "sweep/precheck.h"
#include "sweep/sweepdir.h"

enum {
    SPEC_BYTES_MAX = 16 * 1024 * 1024,
    SCRIPT_BYTES_MAX = 4 * 1024 * 1024, /* Slurm's own limit */
};

struct freezing {
    struct arena *arena;
    const char *path, *spec_path;
    const struct spec *spec;
    const struct grid *grid;
    const struct layout *layout; /* of the whole sweep */
    const struct freeze_options *options;
    struct errtext *err;
};

static const char *in (const struct freezing *f, const char *name)
{
    return arena_format (f->arena, "%s/%s", f->path, name);
}

/* 1: frozen before from the same text; 0: nothing is there yet. */
static int frozen_before (const struct freezing *f)
{
    char *now = read_file (f->spec_path, SPEC_BYTES_MAX, NULL, f->err);
    char *then = NULL;
    int rc = 0;

    if (!now)
        return -1;
    if (access (in (f, "spec.yaml"), F_OK) == 0)
        then = read_file (in (f, "spec.yaml"), SPEC_BYTES_MAX, NULL, f->err);
    if (then && strcmp (now, then))
        rc = errf (f->err,
                   "%s: holds another sweep (its spec.yaml differs "
                   "from %s): choose another --dir, or remove it",
                   f->path, f->spec_path);
    else if (then && access (in (f, "manifest.json"), F_OK) == 0)
        rc = 1;
    free (now);
    free (then);
    return rc;
}

static int make_directories (const struct freezing *f)
{
    static const char *const names[] = {"jobs", "slurm", "runs", "results"};

    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++)
        if (make_dirs (in (f, names[i]), 0755, f->err) < 0)
            return -1;
    for (size_t i = 0; i < f->layout->runs; i++) {
        const struct point *p = &f->grid->point[f->layout->run[i].point];
        const char *path =
            arena_format (f->arena, "%s/runs/%s.%s/r%d", f->path, p->label,
                          p->id, f->layout->run[i].repeat);

        if (make_dirs (path, 0755, f->err) < 0)
            return -1;
    }
    return 0;
}

static int copy_spec (const struct freezing *f)
{
    char *text = read_file (f->spec_path, SPEC_BYTES_MAX, NULL, f->err);
    int rc;

    if (!text)
        return -1;
    rc = write_file (in (f, "spec.yaml"), 0644, text, f->err);
    free (text);
    return rc;
}

/* A script's path is seen from the sweep file. */
static int copy_script (const struct freezing *f)
{
    const char *path = precheck_script_path (f->spec, f->arena);
    char *text;
    int rc;

    if (!path)
        return 0;
    text = read_user_file (path, SCRIPT_BYTES_MAX, NULL, f->err);
    if (!text)
        return -1;
    rc = write_file (in (f, "script"), 0755, text, f->err);
    free (text);
    return rc;
}

static int freeze_write_table (const struct freezing *f,
                               const char *name,
                               struct textable *t)
{
    struct atomic_file *file = atomic_open (in (f, name), 0644, f->err);

    if (file)
        textable_print (t, atomic_stream (file), TABLE_CSV);
    textable_destroy (t);
    return file ? atomic_commit (file, f->err) : -1;
}

static void digests (const struct freezing *f, struct json *j)
{
    char hex[SHA256_HEX + 1];

    json_open (j, "digests", '{');
    for (size_t i = 0; spec_parts[i]; i++) {
        spec_digest (f->spec, spec_parts[i], hex);
        json_text (j, spec_parts[i], hex);
    }
    json_close (j, '}');
}

/* The directory itself, where runs start, and the declared data. */
static void
provenance (const struct freezing *f, struct json *j, const char *cwd)
{
    const struct grid *g = f->grid;
    const char **path =
        arena_array (f->arena, g->count * f->spec->datas + 2, sizeof (*path));
    size_t n = 0;

    path[n++] = f->path;
    path[n++] = cwd;
    for (size_t p = 0; p < g->count; p++)
        for (size_t i = 0; i < f->spec->datas; i++)
            path[n++] = g->point[p].data[i];
    provenance_git (j, f->arena, cwd, f->path);
    provenance_versions (j, f->arena);
    json_text (j, "environment", "environment");
    machine_host (j);
    machine_mounts (j, f->arena, path, n);
}

static void manifest (const struct freezing *f, struct json *j, const char *cwd)
{
    char created[32], nonce[9];
    time_t now = time (NULL);
    struct timespec precise;
    struct tm tm;
    uint64_t state;

    (void)clock_gettime (CLOCK_REALTIME, &precise);
    state = (uint64_t)precise.tv_nsec ^ (uint64_t)now << 30 ^
            (uint64_t)getpid () << 50;
    (void)snprintf (nonce, sizeof (nonce), "%08x",
                    (unsigned)splitmix64 (&state));
    (void)strftime (created, sizeof (created), "%Y-%m-%dT%H:%M:%SZ",
                    gmtime_r (&now, &tm));
    json_open (j, NULL, '{');
    json_text (j, "format", "dftrace-sweep");
    json_int (j, "version", 1);
    json_text (j, "name", f->spec->name);
    json_text (j, "nonce", nonce);
    json_text (j, "created", created);
    json_text (j, "cwd", cwd);
    json_text (j, "dftrace", PACKAGE_VERSION);
    json_uint (j, "points", f->grid->count);
    json_uint (j, "runs", f->layout->runs);
    json_int (j, "max_tasks", f->options->max_tasks);
    json_int (j, "wave", f->options->wave);
    if (f->spec->layers)
        json_text (j, "layers", f->spec->layers);
    else
        json_null (j, "layers");
    digests (f, j);
    provenance (f, j, cwd);
    json_close (j, '}');
}

static int write_manifest (const struct freezing *f)
{
    struct atomic_file *file =
        atomic_open (in (f, "manifest.json"), 0644, f->err);
    char *cwd = getcwd (NULL, 0);
    struct json j;

    if (file) {
        json_init (&j, atomic_stream (file), 0);
        manifest (f, &j, cwd ? cwd : "/");
    }
    free (cwd);
    return file ? atomic_commit (file, f->err) : -1;
}

static const struct layout *first_round (const struct freezing *f)
{
    const struct freeze_options *o = f->options;

    if (!o->run)
        return f->layout;
    return layout_of_runs (f->arena, f->spec, f->grid, o->run, NULL, o->runs,
                           o->max_tasks, 0);
}

static int freeze (const struct freezing *f)
{
    int rc = frozen_before (f);

    if (rc)
        return rc;
    if (make_directories (f) < 0 || copy_script (f) < 0 ||
        freeze_write_table (f, "plan.csv",
                            plan_points_table (f->spec, f->grid, f->layout)) <
            0 ||
        freeze_write_table (f, "order.csv",
                            plan_order_table (f->spec, f->grid, f->layout)) < 0)
        return -1;
    if (round_write (f->arena, f->path, f->grid, first_round (f), 0, f->err) <
            0 ||
        copy_spec (f) < 0)
        return -1;
    if (provenance_environment (in (f, "environment"), f->err) < 0)
        return -1;
    return write_manifest (f);
}

int sweepdir_freeze (const char *path,
                     const char *spec_path,
                     const struct spec *s,
                     const struct grid *g,
                     const struct freeze_options *o,
                     struct errtext *err)
{
    struct freezing f = {.arena = arena_create (),
                         .path = path,
                         .spec_path = spec_path,
                         .spec = s,
                         .grid = g,
                         .options = o,
                         .err = err};
    int rc;

    f.layout = layout_make (f.arena, s, g, o->max_tasks);
    rc = freeze (&f);
    arena_destroy (f.arena);
    return rc;
}

static int keep_old_spec (const struct freezing *f, const struct sweepdir *d)
{
    const char *name = arena_format (f->arena, "spec.%d.yaml", d->rounds - 1);
    char *text;
    int rc;

    if (access (in (f, name), F_OK) == 0)
        return 0;
    text = read_file (in (f, "spec.yaml"), SPEC_BYTES_MAX, NULL, f->err);
    if (!text)
        return -1;
    rc = write_file (in (f, name), 0644, text, f->err);
    free (text);
    return rc;
}

int sweepdir_extend (const struct sweepdir *d,
                     const char *spec_path,
                     const struct spec *s,
                     const struct grid *g,
                     const struct run *run,
                     size_t runs,
                     struct errtext *err)
{
    struct freezing f = {.arena = d->arena,
                         .path = d->path,
                         .spec_path = spec_path,
                         .spec = s,
                         .grid = g,
                         .err = err};

    f.layout = layout_make (d->arena, s, g, d->max_tasks);
    /* the new file knows every old point: it may come before the round */
    if (keep_old_spec (&f, d) < 0 || copy_script (&f) < 0 ||
        copy_spec (&f) < 0 ||
        freeze_write_table (&f, "plan.csv",
                            plan_points_table (s, g, f.layout)) < 0 ||
        freeze_write_table (&f, "order.csv",
                            plan_order_table (s, g, f.layout)) < 0)
        return -1;
    if (!runs)
        return 0;
    return round_write (d->arena, d->path, g,
                        layout_of_runs (d->arena, s, g, run, NULL, runs,
                                        d->max_tasks, d->rounds),
                        d->rounds, err);
}
