/* SPDX-License-Identifier: MIT
 *
 * freeze.c - spec and grid -> checked -> a new sweep directory
 *
 * In:  the bytes of the sweep file, the grid, the most tasks of an array
 * Out: all that a task needs, on disk, before anything is submitted;
 *      manifest.json comes last and says that the rest is whole
 */
#include "config.h"

#include <setjmp.h>

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
};

static const char *in (const struct freezing *f, const char *name)
{
    return arena_format ("%s/%s", f->path, name);
}

static int is_there (const struct freezing *f, const char *name)
{
    return access (in (f, name), F_OK) == 0;
}

/* Was it frozen before, from the same text? */
static int frozen_before (const struct freezing *f)
{
    const char *now = xread_file (f->spec_path, SPEC_BYTES_MAX);

    if (!is_there (f, "spec.yaml"))
        return 0;
    if (strcmp (now, xread_file (in (f, "spec.yaml"), SPEC_BYTES_MAX)))
        die ("%s: holds another sweep (its spec.yaml differs from %s): choose "
             "another --dir, or remove it",
             f->path, f->spec_path);
    return is_there (f, "manifest.json");
}

static void make_directories (const struct freezing *f)
{
    static const char *const names[] = {"jobs", "slurm", "runs", "results"};

    for (size_t i = 0; i < ITEMS (names); i++)
        xmake_dirs (in (f, names[i]));
    for (size_t i = 0; i < f->layout->runs; i++) {
        const struct point *p = &f->grid->point[f->layout->run[i].point];

        xmake_dirs (arena_format ("%s/runs/%s.%s/r%d", f->path, p->label, p->id,
                                  f->layout->run[i].repeat));
    }
}

static void copy_spec (const struct freezing *f)
{
    xwrite_file (in (f, "spec.yaml"), 0644,
                 xread_file (f->spec_path, SPEC_BYTES_MAX));
}

static void freeze_write_table (const struct freezing *f,
                                const char *name,
                                struct textable *t)
{
    struct atomic_file *file = xatomic_open (in (f, name), 0644);

    textable_print (t, atomic_stream (file), TABLE_CSV);
    textable_destroy (t);
    xatomic_commit (file);
}

/* The plan, its order and the script, whose path is seen from the sweep file.
 */
static void write_plan (const struct freezing *f)
{
    const char *script = spec_script_path (f->spec);

    if (script)
        xwrite_file (in (f, "script"), 0755,
                     xread_user_file (script, SPEC_SCRIPT_MAX));
    freeze_write_table (f, "plan.csv",
                        plan_points_table (f->spec, f->grid, f->layout));
    freeze_write_table (f, "order.csv",
                        plan_order_table (f->spec, f->grid, f->layout));
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

static void write_manifest (const struct freezing *f)
{
    struct atomic_file *file = xatomic_open (in (f, "manifest.json"), 0644);
    char *cwd = getcwd (NULL, 0);
    struct json j;

    json_init (&j, atomic_stream (file), 0);
    manifest (f, &j, cwd ? cwd : "/");
    free (cwd);
    xatomic_commit (file);
}

int sweepdir_freeze (const char *path,
                     const char *spec_path,
                     const struct spec *s,
                     const struct grid *g,
                     const struct freeze_options *o)
{
    struct freezing f = {.path = path,
                         .spec_path = spec_path,
                         .spec = s,
                         .grid = g,
                         .layout = layout_make (s, g, o->max_tasks),
                         .options = o};
    const struct round_runs first = {o->run, o->runs, NULL, o->max_tasks, 0};

    if (frozen_before (&f))
        return 1;
    make_directories (&f);
    write_plan (&f);
    round_write (path, g, o->run ? layout_of_runs (s, g, &first) : f.layout, 0);
    copy_spec (&f);
    xwrite_file (in (&f, "environment"), 0600, provenance_environment ());
    write_manifest (&f);
    return 0;
}

void sweepdir_extend (const struct sweepdir *d,
                      const char *spec_path,
                      const struct spec *s,
                      const struct grid *g,
                      const struct freeze_options *o)
{
    struct freezing f = {.path = d->path,
                         .spec_path = spec_path,
                         .spec = s,
                         .grid = g,
                         .layout = layout_make (s, g, d->max_tasks)};
    const char *old = arena_format ("spec.%d.yaml", d->rounds - 1);

    /* the new file knows every old point: it may come before the round */
    if (!is_there (&f, old))
        xwrite_file (in (&f, old), 0644,
                     xread_file (in (&f, "spec.yaml"), SPEC_BYTES_MAX));
    write_plan (&f);
    copy_spec (&f);
    if (o->runs)
        round_write (
            d->path, g,
            layout_of_runs (s, g,
                            &(struct round_runs){o->run, o->runs, NULL,
                                                 d->max_tasks, d->rounds}),
            d->rounds);
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
    jmp_buf failed; /* where the checks end at the first mistake */
};

static const struct ynode *precheck_node (const struct precheck *c,
                                          const char *key)
{
    return ynode_get (ytree_root (c->spec->tree), key);
}

static _Noreturn void
refuse (struct precheck *c, const struct ynode *n, const char *problem)
{
    ytree_errf (c->spec->tree, n, c->err, "%s", problem);
    longjmp (c->failed, 1);
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

static void axes_reach (struct precheck *c)
{
    const struct spec *s = c->spec;
    const char *used = columns_used (c);

    for (size_t i = 0; i < s->axes && !runs_know_their_point (c); i++)
        if (!used[i] && !companion_used (&s->axis[i], used) &&
            axis_varies (c, i))
            refuse (c, s->axis[i].node,
                    arena_format (
                        "axes: %s reaches no run: neither env, slurm, "
                        "trace nor data uses it, so all of its values "
                        "would run the same: add env: {%s: \"${%s}\"}",
                        s->axis[i].name, s->axis[i].name, s->axis[i].name));
}

/* -- texts ------------------------------------------------------------- */

static void read_script (struct precheck *c)
{
    const char *path = spec_script_path (c->spec);
    struct errtext err = {""};
    char *text;

    if (!path)
        return;
    text = read_user_file (path, SPEC_SCRIPT_MAX, NULL, &err);
    if (!text)
        refuse (c, precheck_node (c, "script"),
                arena_format ("script: %s", err.text));
    c->script = arena_text (text);
    free (text);
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

static void tasks_are_points (struct precheck *c)
{
    const struct spec *s = c->spec;
    const char *const text[] = {s->setup, s->run, c->script};
    static const char *const key[] = {"setup", "run", "script"};

    for (size_t i = 0; !s->task_id && i < ITEMS (key); i++) {
        int here = indexes_by_task (text[i]);
        const char *helper = here ? NULL : helper_by_task (c, text[i]);

        if (here || helper)
            refuse (
                c, precheck_node (c, key[i]),
                arena_format (
                    "%s: %s%suses SLURM_ARRAY_TASK_ID, which is the place of "
                    "a run in the shuffled job array, not of its point in the "
                    "grid: say `task_id: grid` (places from 0 on, the last "
                    "axis fastest), `task_id: EXPRESSION`, or `task_id: array` "
                    "if any number is good",
                    key[i], helper ? helper : "", helper ? " " : ""));
    }
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

static void text_is_bash (struct precheck *c, const char *key, const char *text)
{
    const char *complaint = NULL;

    if (text && strlen (text) <= TEXT_BYTES_MAX)
        complaint = bash_complaint (c, "-c", text);
    if (complaint)
        refuse (c, precheck_node (c, key),
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

static void texts_are_bash (struct precheck *c)
{
    const struct spec *s = c->spec;
    const char *complaint = NULL;

    text_is_bash (c, "setup", s->setup);
    text_is_bash (c, "run", s->run);
    text_is_bash (c, "teardown", s->teardown);
    if (c->script && is_for_bash (c->script))
        complaint = bash_complaint (c, "--", spec_script_path (s));
    if (complaint)
        refuse (c, precheck_node (c, "script"),
                arena_format ("script: %s: bash: %s", s->script, complaint));
}

/* -- options of sbatch ------------------------------------------------- */

/* The text of `sbatch --help`, with plugins' options; NULL without sbatch. */
static const char *sbatch_help (void)
{
    const char *const argv[] = {"sbatch", "--help", NULL};
    const char *out = program_output (argv, SBATCH_TIMEOUT, NULL);

    return out && strstr (out, "--partition") ? out : NULL;
}

static void options_are_known (struct precheck *c)
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
            help = sbatch_help ();
        if (help && text_has (help, arena_format ("--%s", name)))
            continue;
        near = nearest_word (name, sbatch_options);
        if (near)
            refuse (c, n->key[i],
                    arena_format ("slurm: sbatch has no option \"%s\" (did you "
                                  "mean \"%s\"?)",
                                  name, near));
        if (help) /* else a plugin that is not here may have it */
            refuse (c, n->key[i],
                    arena_format ("slurm: sbatch has no option \"%s\": `sbatch "
                                  "--help` lists them",
                                  name));
    }
}

int precheck (const struct spec *s, const struct grid *g, struct errtext *err)
{
    struct precheck *c = arena_alloc (sizeof (*c)); /* as longjmp () may change
                                                       what is on the stack */

    c->spec = s;
    c->grid = g;
    c->err = err;
    if (setjmp (c->failed))
        return -1;
    read_script (c);
    tasks_are_points (c);
    axes_reach (c);
    texts_are_bash (c);
    if (s->mode != MODE_LOCAL)
        options_are_known (c);
    return 0;
}
