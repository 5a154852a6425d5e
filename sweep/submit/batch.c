/* SPDX-License-Identifier: MIT
 *
 * batch.c - an array, or the analysis -> script text and sbatch's words; pure
 *
 * Caveat: the words come after --job-name, see slurm_submit (); paths in them
 *      are absolute.
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "sweep/submit/submit.h"
#include "sweep/spec/sbatch.h"
#include "sweep/run/program.h"

struct arguments {
    const char **argv;
    size_t count;
};

static void batch_put (struct arguments *a, const char *word)
{
    a->argv = arena_grow (a->argv, a->count, sizeof (*a->argv));
    a->argv[a->count++] = word;
}

static const char **batch_finish (struct arguments *a)
{
    batch_put (a, NULL);
    return a->argv;
}

const char *batch_script_path (struct sweepdir *d, const char *name)
{
    return arena_format ("%s/jobs/%s.sbatch", d->path, name);
}

static const char *command_text (const char *name, const char *const *argv)
{
    const char *text = arena_format ("sbatch --parsable --job-name=%s", name);

    for (size_t i = 0; argv[i]; i++)
        text = arena_format ("%s %s", text, shell_quote (argv[i]));
    return text;
}

/* -- the batch script -------------------------------------------------- */

/* Options that the sweep gives itself: those of the script would remain where
 * it gives none (--array of mode: pack), or are of no use to it: a folder of
 * --error that is not there fails the job before it starts, --wait waits for a
 * job that is held. */
static const struct {
    const char *word;
    char letter;
    int value; /* 0: none; 1: is needed; -1: is part of the same word, if any */
} own_options[] = {
    {"array", 'a', 1},    {"output", 'o', 1},     {"error", 'e', 1},
    {"job-name", 'J', 1}, {"open-mode", 0, 1},    {"wait", 'W', 0},
    {"parsable", 0, 0},   {"test-only", 0, 0},    {"hold", 'H', 0},
    {"dftrace", 0, -1},   {"dependency", 'd', 1},
};

/* The row of a word of a #SBATCH line, or -1; *next: its value is the next
 * word. */
static int own_option (const char *word, int *next)
{
    size_t n = strcspn (word, "= \t\n");

    for (size_t i = 0; i < ITEMS (own_options); i++) {
        *next = 0;
        if (!strncmp (word, "--", 2) && n > 2 &&
            strlen (own_options[i].word) == n - 2 &&
            !strncmp (word + 2, own_options[i].word, n - 2)) {
            *next = own_options[i].value == 1 && word[n] != '=';
            return (int)i;
        }
        if (word[0] == '-' && own_options[i].letter &&
            word[1] == own_options[i].letter) {
            *next = own_options[i].value == 1 && n == 2 && word[n] != '=';
            return (int)i;
        }
    }
    return -1;
}

/* A word as sbatch reads it: quotes keep blanks. */
static size_t directive_word (const char *text)
{
    char quote = 0;
    size_t n = 0;

    for (; text[n] && (quote || !strchr (" \t\r", text[n])); n++)
        if (quote ? text[n] == quote : strchr ("\"'", text[n]) != NULL)
            quote = quote ? 0 : text[n];
    return n;
}

/* A #SBATCH line without the options that are the sweep's; "" when nothing is
 * left. A word that begins with # is a comment to its end. */
static const char *directive (const char *line)
{
    const char *p = line + 7, *out = "";
    int drop = 0;

    for (p += strspn (p, " \t\r"); *p && *p != '#'; p += strspn (p, " \t\r")) {
        const char *word = arena_copy (p, directive_word (p));
        int value = drop;

        p += strlen (word);
        drop = 0;
        if (!value && own_option (word, &drop) < 0)
            out = arena_format ("%s %s", out, word);
    }
    return *out ? arena_format ("#SBATCH%s\n", out) : "";
}

/* #SBATCH lines of the user's script, up to its first command. */
static const char *directives (struct sweepdir *d)
{
    const char *out = "";
    char *text, *line, *save = NULL;

    if (!d->spec->script)
        return out;
    text = read_file (arena_format ("%s/script", d->path), SPEC_SCRIPT_MAX,
                      NULL, NULL);
    if (!text) /* not frozen yet */
        text = read_user_file (spec_script_path (d->spec), SPEC_SCRIPT_MAX,
                               NULL, NULL);
    for (line = text ? strtok_r (text, "\n", &save) : NULL; line;
         line = strtok_r (NULL, "\n", &save)) {
        line += strspn (line, " \t");
        if (*line != '#' && *line)
            break;
        if (!strncmp (line, "#SBATCH", 7))
            out = arena_format ("%s%s", out, directive (line));
    }
    free (text);
    return out;
}

const char *batch_array_script (struct sweepdir *d,
                                const struct chunk *c,
                                const char *const *argv)
{
    const char *command = command_text (sweepdir_job_name (d, c->name), argv);

    return arena_format (
        "#!/bin/bash\n%s"
        "# sweep %s, array %s: %d task%s, one run each (see %s.map); "
        "submitted by:\n"
        "#   %s\n"
        "exec %s sweep exec %s %s %s\n",
        directives (d), d->spec->name, c->name, c->count,
        c->count == 1 ? "" : "s", c->name, command,
        shell_quote (program_self ()), shell_quote (d->path), c->name,
        d->spec->mode == MODE_PACK ? "all" : "\"$SLURM_ARRAY_TASK_ID\"");
}

/* -- one array --------------------------------------------------------- */

/* Return the option's text multiplied as `resume --grow` asks for. */
static const char *batch_grown (const struct chunk *c,
                                const struct name_text *o)
{
    const char *more = NULL;

    if (!o->text)
        return NULL;
    if (c->grow_time > 0 && !strcmp (o->name, "time"))
        more = grow_time (o->text, c->grow_time);
    if (c->grow_mem > 0 && !strncmp (o->name, "mem", 3))
        more = grow_mem (o->text, c->grow_mem);
    return more ? more : o->text;
}

static int has_option (const struct point *p, const char *name)
{
    for (size_t i = 0; i < p->options; i++)
        if (!strcmp (p->option[i].name, name))
            return 1;
    return 0;
}

static void
put_options (struct arguments *v, const struct chunk *c, const struct point *p)
{
    /* a run that is silently repeated is another measurement */
    if (!has_option (p, "requeue"))
        batch_put (v, "--no-requeue");
    for (size_t i = 0; i < p->options; i++) {
        const struct name_text *o = &p->option[i];
        const char *text = batch_grown (c, o);

        if (c->nodes && !strcmp (o->name, "nodelist"))
            continue;

        batch_put (v, text ? arena_format ("--%s=%s", o->name, text)
                           : arena_format ("--%s", o->name));
    }
}

const char **batch_array_arguments (struct sweepdir *d,
                                    const struct chunk *c,
                                    const char *after)
{
    struct arguments v = {};

    batch_put (&v, "--hold");
    if (d->spec->mode != MODE_PACK)
        batch_put (&v, arena_format ("--array=0-%d%s", c->count - 1,
                                     c->throttle
                                         ? arena_format ("%%%d", c->throttle)
                                         : ""));
    batch_put (&v, arena_format ("--output=%s/slurm/%s.out", d->path,
                                 d->spec->mode == MODE_PACK ? "%j" : "%A_%a"));
    batch_put (&v, arena_format ("--chdir=%s", d->cwd));
    batch_put (&v, "--open-mode=append");
    if (after)
        batch_put (&v, arena_format ("--dependency=afterany:%s", after));
    put_options (&v, c, &d->grid->point[c->run[0].point]);
    if (c->nodes)
        batch_put (&v, arena_format ("--nodelist=%s", c->nodes));
    if (d->grid->point[c->run[0].point].trace)
        /* each run has a directory of its own: the runner sees to it */
        batch_put (&v, arena_format ("--dftrace=%s,nobatch",
                                     d->grid->point[c->run[0].point].trace));
    batch_put (&v, batch_script_path (d, c->name));
    return batch_finish (&v);
}

/* -- the analysis job -------------------------------------------------- */

/* Let the analysis go wherever the runs may go: add the options of place that
 * are equal for all points. */
static void put_place (const struct sweepdir *d, struct arguments *v)
{
    static const char *const place[] = {"partition",   "account",  "qos",
                                        "reservation", "clusters", "licenses",
                                        "constraint",  NULL};
    const struct grid *g = d->grid;

    for (size_t i = 0; i < g->point[0].options; i++) {
        const struct name_text *o = &g->point[0].option[i];

        for (size_t k = 0; place[k] && o->text && g->groups == 1; k++)
            if (!strcmp (place[k], o->name) && strcmp (o->name, "licenses"))
                batch_put (v, arena_format ("--%s=%s", o->name, o->text));
    }
}

const char **batch_analysis_arguments (struct sweepdir *d, const char *after)
{
    struct arguments v = {};

    if (*after) { /* else all arrays have ended */
        batch_put (&v, arena_format ("--dependency=afterany:%s", after));
        batch_put (&v, "--kill-on-invalid-dep=yes");
    }
    batch_put (&v, "--nodes=1");
    batch_put (&v, "--ntasks=1");
    batch_put (&v,
               arena_format ("--output=%s/slurm/analysis.%%j.out", d->path));
    batch_put (&v, arena_format ("--chdir=%s", d->path));
    put_place (d, &v);
    batch_put (&v, batch_script_path (d, "analysis"));
    return batch_finish (&v);
}

const char *batch_analysis_script (struct sweepdir *d,
                                   const char *name,
                                   const char *const *argv,
                                   int goes_on)
{
    const char *self = shell_quote (program_self ());
    const char *path = shell_quote (d->path);

    return arena_format (
        "#!/bin/bash\n"
        "# sweep %s: %sthe tables, after all arrays; submitted by:\n#   %s\n"
        "%s"
        "exec %s sweep results %s --write\n",
        d->spec->name, goes_on ? "what is still to be submitted, and " : "",
        command_text (name, argv),
        goes_on ? arena_format ("%s sweep resume --auto %s\n", self, path) : "",
        self, path);
}
