/* SPDX-License-Identifier: MIT
 *
 * freeze.c - spec and grid -> checked -> a new sweep directory
 *
 * In:  the bytes of the sweep file, the grid, the most tasks of an array
 * Out: all that a task needs, on disk, before anything is submitted;
 *      manifest.json comes last and says that the rest is whole
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "lib/util/optparse.h"
#include "lib/util/textable.h"
#include "sweep/plan/plan.h"
#include "sweep/plan/sweepdir.h"
#include "sweep/run/machine.h"
#include "sweep/run/program.h"
#include "sweep/spec/sbatch.h"
#include "sweep/submit/submit.h"

enum {
    SPEC_BYTES_MAX = 16 * 1024 * 1024,
};

struct freezing {
    const char *path, *spec_path;
    const struct spec *spec;
    const struct grid *grid;
    const struct layout *layout; /* of the whole sweep */
    const struct freeze_options *options;
    struct errtext *err;
};

static const char *in (const struct freezing *f, const char *name)
{
    return arena_format ("%s/%s", f->path, name);
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

    for (size_t i = 0; i < ITEMS (names); i++)
        if (make_dirs (in (f, names[i]), 0755, f->err) < 0)
            return -1;
    for (size_t i = 0; i < f->layout->runs; i++) {
        const struct point *p = &f->grid->point[f->layout->run[i].point];
        const char *path = arena_format ("%s/runs/%s.%s/r%d", f->path, p->label,
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
    const char *path = spec_script_path (f->spec);
    char *text;
    int rc;

    if (!path)
        return 0;
    text = read_user_file (path, SPEC_SCRIPT_MAX, NULL, f->err);
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
        arena_array (g->count * f->spec->datas + 2, sizeof (*path));
    size_t n = 0;

    path[n++] = f->path;
    path[n++] = cwd;
    for (size_t p = 0; p < g->count; p++)
        for (size_t i = 0; i < f->spec->datas; i++)
            path[n++] = g->point[p].data[i];
    provenance_git (j, cwd, f->path);
    provenance_versions (j);
    json_text (j, "environment", "environment");
    machine_host (j);
    machine_mounts (j, path, n);
}

static void manifest (const struct freezing *f, struct json *j, const char *cwd)
{
    char created[32], nonce[9];
    time_t now = time (NULL);
    struct timespec precise;
    struct tm tm;
    uint64_t state;

    clock_gettime (CLOCK_REALTIME, &precise);
    state = (uint64_t)precise.tv_nsec ^ (uint64_t)now << 30 ^
            (uint64_t)getpid () << 50;
    FORMAT (nonce, "%08x", (unsigned)splitmix64 (&state));
    strftime (created, sizeof (created), "%Y-%m-%dT%H:%M:%SZ",
              gmtime_r (&now, &tm));
    json_put (j,
              "{ format:'dftrace-sweep' version:%d name:%s nonce:%s created:%s "
              "cwd:%s dftrace:%s points:%zu runs:%zu max_tasks:%d wave:%d",
              1, f->spec->name, nonce, created, cwd, PACKAGE_VERSION,
              f->grid->count, f->layout->runs, f->options->max_tasks,
              f->options->wave);
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
    return layout_of_runs (
        f->spec, f->grid,
        &(struct round_runs){o->run, o->runs, NULL, o->max_tasks, 0});
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
    if (round_write (f->path, f->grid, first_round (f), 0, f->err) < 0 ||
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
    struct freezing f = {.path = path,
                         .spec_path = spec_path,
                         .spec = s,
                         .grid = g,
                         .options = o,
                         .err = err};
    int rc;

    f.layout = layout_make (s, g, o->max_tasks);
    rc = freeze (&f);
    return rc;
}

static int keep_old_spec (const struct freezing *f, const struct sweepdir *d)
{
    const char *name = arena_format ("spec.%d.yaml", d->rounds - 1);
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
                     const struct freeze_options *o,
                     struct errtext *err)
{
    struct freezing f = {.path = d->path,
                         .spec_path = spec_path,
                         .spec = s,
                         .grid = g,
                         .err = err};

    f.layout = layout_make (s, g, d->max_tasks);
    /* the new file knows every old point: it may come before the round */
    if (keep_old_spec (&f, d) < 0 || copy_script (&f) < 0 ||
        copy_spec (&f) < 0 ||
        freeze_write_table (&f, "plan.csv",
                            plan_points_table (s, g, f.layout)) < 0 ||
        freeze_write_table (&f, "order.csv",
                            plan_order_table (s, g, f.layout)) < 0)
        return -1;
    if (!o->runs)
        return 0;
    return round_write (
        d->path, g,
        layout_of_runs (s, g,
                        &(struct round_runs){o->run, o->runs, NULL,
                                             d->max_tasks, d->rounds}),
        d->rounds, err);
}

/* ---- spec, grid, this machine -> is there anything to refuse ---- */

enum {
    HELPER_BYTES_MAX = 1024 * 1024,
    TEXT_BYTES_MAX = 100 * 1024, /* as one argument of bash */
    BASH_TIMEOUT = 60,           /* s */
    SBATCH_TIMEOUT = 60
};

struct precheck {
    const struct spec *spec;
    const struct grid *grid;
    const char *script; /* its text, or NULL */
    struct errtext *err;
};

static const struct ynode *precheck_node (const struct precheck *c,
                                          const char *key)
{
    return ynode_get (ytree_root (c->spec->tree), key);
}

static int
refuse (const struct precheck *c, const struct ynode *n, const char *problem)
{
    errno = EINVAL;
    return ytree_errf (c->spec->tree, n, c->err, "%s", problem);
}

/* -- axes that reach nothing ------------------------------------------- */

static void use_templates (const struct spec *s,
                           const struct named_template *t,
                           size_t count,
                           char *used)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < s->columns; c++)
            used[c] |= (char)template_uses (t[i].template, (int)c);
}

/* Columns whose values make a difference to a run. */
static char *columns_used (const struct precheck *c)
{
    const struct spec *s = c->spec;
    char *used = arena_alloc (s->columns + 1);

    use_templates (s, s->env, s->envs, used);
    use_templates (s, s->slurm, s->slurms, used);
    use_templates (s, s->tracing, s->tracings, used);
    use_templates (s, s->data, s->datas, used);
    for (size_t k = 0; s->task_id == TASK_ID_EXPR && k < s->columns; k++)
        used[k] |= (char)expr_uses (s->task_id_expr->expr, (int)k);
    for (size_t d = s->derives; d-- > 0;)
        for (size_t k = 0; used[s->derive[d].column] && k < s->columns; k++)
            used[k] |= (char)expr_uses (s->derive[d].expr, (int)k);
    return used;
}

static int companion_used (const struct axis *x, const char *used)
{
    for (size_t i = 0; i < x->count; i++)
        for (size_t k = 0; k < x->companion[i].count; k++)
            if (used[x->companion[i].column[k]])
                return 1;
    return 0;
}

static int axis_varies (const struct precheck *c, size_t axis)
{
    const struct grid *g = c->grid;

    for (size_t i = 1; i < g->count; i++)
        if (!value_same (&g->point[0].column[axis], &g->point[i].column[axis]))
            return 1;
    return 0;
}

/* Is there a word in the text, not as a part of a longer name? */
static int text_has (const char *text, const char *word)
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t n = strlen (word);

    for (const char *p = text; p && (p = strstr (p, word)); p += n)
        if (!p[n] || !strchr (name, p[n]))
            return 1;
    return 0;
}

/* A run that looks itself up by its label or id knows all of its values. */
static int runs_know_their_point (const struct precheck *c)
{
    static const char *const words[] = {"SWEEP_LABEL", "SWEEP_POINT",
                                        "SWEEP_RUN", "plan.csv"};
    const struct spec *s = c->spec;

    for (size_t i = 0; i < ITEMS (words); i++)
        if (text_has (s->setup, words[i]) || text_has (s->run, words[i]) ||
            text_has (c->script, words[i]))
            return 1;
    return s->task_id == TASK_ID_GRID;
}

static int axes_reach (const struct precheck *c)
{
    const struct spec *s = c->spec;
    const char *used = columns_used (c);

    if (runs_know_their_point (c))
        return 0;
    for (size_t i = 0; i < s->axes; i++)
        if (!used[i] && !companion_used (&s->axis[i], used) &&
            axis_varies (c, i))
            return refuse (
                c, s->axis[i].node,
                arena_format ("axes: %s reaches no run: neither env, slurm, "
                              "trace nor data uses it, so all of its values "
                              "would run the same: add env: {%s: \"${%s}\"}",
                              s->axis[i].name, s->axis[i].name,
                              s->axis[i].name));
    return 0;
}

/* -- texts ------------------------------------------------------------- */

static int read_script (struct precheck *c)
{
    const char *path = spec_script_path (c->spec);
    struct errtext err = {""};
    char *text;

    if (!path)
        return 0;
    text = read_user_file (path, SPEC_SCRIPT_MAX, NULL, &err);
    if (!text)
        return refuse (c, precheck_node (c, "script"),
                       arena_format ("script: %s", err.text));
    c->script = arena_text (text);
    free (text);
    return 0;
}

/* Does a line that is no comment name it? */
static int indexes_by_task (const char *text)
{
    while (text && *text) {
        size_t blank = strspn (text, " \t"), n = strcspn (text, "\n");
        const char *found = memmem (text, n, "SLURM_ARRAY_TASK_ID", 19);

        if (found && text[blank] != '#')
            return 1;
        text += n + (text[n] == '\n');
    }
    return 0;
}

/* A file of text that a word of a script may start or read; NULL: none. */
static const char *text_of_word (const struct precheck *c, const char *word)
{
    struct stat st;
    char *text;
    const char *copy = NULL;
    size_t length = 0;

    if (!strpbrk (word, "./") || stat (word, &st) < 0 ||
        !S_ISREG (st.st_mode) || st.st_size > HELPER_BYTES_MAX)
        return NULL;
    text = read_user_file (word, HELPER_BYTES_MAX, &length, NULL);
    if (text && strlen (text) == length)
        copy = arena_text (text);
    free (text);
    return copy;
}

/* A program that the text names and that indexes by its task; NULL: none.
 * Paths are seen from here, where the runs start, too. */
static const char *helper_by_task (const struct precheck *c, const char *text)
{
    static const char path[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";

    while (text && *text) {
        size_t n = strspn (text, path);
        const char *word = arena_copy (text, n);

        if (n && indexes_by_task (text_of_word (c, word)))
            return word;
        text += n + (text[n] != '\0');
    }
    return NULL;
}

static int tasks_are_points (const struct precheck *c)
{
    const struct spec *s = c->spec;
    const char *const text[] = {s->setup, s->run, c->script};
    static const char *const key[] = {"setup", "run", "script"};

    for (size_t i = 0; !s->task_id && i < ITEMS (key); i++) {
        int here = indexes_by_task (text[i]);
        const char *helper = here ? NULL : helper_by_task (c, text[i]);

        if (here || helper)
            return refuse (
                c, precheck_node (c, key[i]),
                arena_format (
                    "%s: %s%suses SLURM_ARRAY_TASK_ID, which is the place of "
                    "a run in the shuffled job array, not of its point in the "
                    "grid: say `task_id: grid` (places from 0 on, the last "
                    "axis fastest), `task_id: EXPRESSION`, or `task_id: array` "
                    "if any number is good",
                    key[i], helper ? helper : "", helper ? " " : ""));
    }
    return 0;
}

/* -- bash -------------------------------------------------------------- */

static const char *
bash_complaint (const struct precheck *c, const char *option, const char *text)
{
    /* extended patterns are another grammar, which the text may turn on */
    const char *const argv[] = {"env",     "-u", "BASH_ENV", "bash", "-O",
                                "extglob", "-n", option,     text,   NULL};
    const char *const plain[] = {"env", "-u",   "BASH_ENV", "bash",
                                 "-n",  option, text,       NULL};
    struct program_result r;
    struct errtext err;
    const char *line;

    for (int i = 0; i < 2; i++)
        if (program_run (i ? plain : argv, program_environment (1),
                         BASH_TIMEOUT, &r, &err) < 0 ||
            r.timed_out || program_succeeded (&r))
            return NULL;
    line = program_complaint (&r);
    if (strstr (line, ": line "))
        return strstr (line, ": line ") + 2;
    return NULL; /* no bash here, or it says something else */
}

static int
text_is_bash (const struct precheck *c, const char *key, const char *text)
{
    const char *complaint;

    if (!text || strlen (text) > TEXT_BYTES_MAX)
        return 0;
    complaint = bash_complaint (c, "-c", text);
    if (!complaint)
        return 0;
    return refuse (c, precheck_node (c, key),
                   arena_format ("%s: bash: %s", key, complaint));
}

/* "#!/bin/bash", "#!/usr/bin/env bash", "#!/bin/sh -e" */
static int is_for_bash (const char *script)
{
    const char *line, *sh;

    if (strncmp (script, "#!", 2) != 0)
        return 1;
    line = script + 2;
    sh = memmem (line, strcspn (line, "\n"), "/sh", 3);
    return memmem (line, strcspn (line, "\n"), "bash", 4) ||
           (sh && strchr (" \n", sh[3]));
}

static int texts_are_bash (const struct precheck *c)
{
    const struct spec *s = c->spec;
    const char *complaint = NULL;

    if (text_is_bash (c, "setup", s->setup) < 0 ||
        text_is_bash (c, "run", s->run) < 0 ||
        text_is_bash (c, "teardown", s->teardown) < 0)
        return -1;
    if (c->script && is_for_bash (c->script))
        complaint = bash_complaint (c, "--", spec_script_path (s));
    if (!complaint)
        return 0;
    return refuse (c, precheck_node (c, "script"),
                   arena_format ("script: %s: bash: %s", s->script, complaint));
}

/* -- options of sbatch ------------------------------------------------- */

/* The text of `sbatch --help`, with plugins' options; NULL without sbatch. */
static const char *sbatch_help (const struct precheck *c)
{
    const char *const argv[] = {"sbatch", "--help", NULL};
    struct program_result r;
    struct errtext err;

    if (program_run (argv, program_environment (1), SBATCH_TIMEOUT, &r, &err) <
            0 ||
        !program_succeeded (&r))
        return NULL;
    return strstr (r.out, "--partition") ? r.out : NULL;
}

static int options_are_known (const struct precheck *c)
{
    const struct spec *s = c->spec;
    const struct ynode *n = precheck_node (c, "slurm");
    const char *help = NULL, *near, *name;
    int asked = 0;

    for (size_t i = 0; i < s->slurms; i++) {
        name = s->slurm[i].name;
        if (sbatch_option_is_known (name))
            continue;
        if (!asked++)
            help = sbatch_help (c);
        if (help && text_has (help, arena_format ("--%s", name)))
            continue;
        near = nearest_word (name, sbatch_options);
        if (near)
            return refuse (c, n->key[i],
                           arena_format ("slurm: sbatch has no option \"%s\" "
                                         "(did you mean \"%s\"?)",
                                         name, near));
        if (help) /* else a plugin that is not here may have it */
            return refuse (c, n->key[i],
                           arena_format ("slurm: sbatch has no option \"%s\": "
                                         "`sbatch --help` lists them",
                                         name));
    }
    return 0;
}

int precheck (const struct spec *s, const struct grid *g, struct errtext *err)
{
    struct precheck c = {.spec = s, .grid = g, .err = err};

    if (read_script (&c) < 0 || tasks_are_points (&c) < 0 ||
        axes_reach (&c) < 0 || texts_are_bash (&c) < 0)
        return -1;
    return s->mode == MODE_LOCAL ? 0 : options_are_known (&c);
}
