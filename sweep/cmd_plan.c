/* SPDX-License-Identifier: MIT
 *
 * cmd_plan.c - `dftrace sweep plan SPEC`: what would run
 */
#include "config.h"

#include "sweep/cmd.h"
#include "sweep/plan/plan.h"
#include "sweep/submit/slurm.h"
#include "sweep/submit/submit.h"

enum { PLAN_ROWS = 24, PLAN_MAX_TASKS = 1001 };

struct plan_options {
    struct filter_options filter;
    enum table_format format;
    int points;
    int order, script, keys, schema;
};

static const struct verb_help help = {
    .usage = "dftrace sweep plan [OPTION…] SPEC [RUN…]",
    .summary = "show what a sweep file would run; writes and submits nothing",
    .example = "  $ dftrace sweep plan study.yaml\n"
               "  $ dftrace sweep plan study.yaml --format csv > plan.csv",
    .exits = "0  the file is good\n6  it is not; the message says where",
};

/* Without a Slurm to ask, the usual limits; the text says which they are. */
static struct plan_limits limits (void)
{
    struct plan_limits l = {.max_tasks = PLAN_MAX_TASKS,
                            .tasks =
                                "MaxArraySize 1001 (assumed: no Slurm here)",
                            .waves = ""};
    struct slurm_config c;

    if (slurm_config_read (&c, NULL) < 0)
        return l;
    l.max_tasks = c.max_tasks;
    l.tasks = c.source;
    l.wave = c.max_jobs / 3;
    l.waves = arena_format ("a third of MaxJobCount %d", c.max_jobs);
    if (l.wave && l.wave < l.max_tasks)
        l.max_tasks = l.wave;
    return l;
}

/* The batch script of the first array, as submit would write it. */
static void print_script (struct spec *s, struct grid *g, struct layout *l)
{
    struct sweepdir d = {.path = arena_format ("./%s", s->name),
                         .spec = s,
                         .grid = g,
                         .layout = l,
                         .nonce = "00000000",
                         .cwd = "."};

    fputs (submit_preview (&d, &l->chunk[0]), stdout);
}

/* The runs that the filter leaves, cut into arrays. */
static struct layout *some (const struct plan_options *o,
                            const char *path,
                            const struct spec *s,
                            const struct grid *g,
                            int max_tasks)
{
    struct layout *l = layout_make (s, g, max_tasks);
    struct sweepdir d = {.path = path,
                         .spec = (struct spec *)s,
                         .grid = (struct grid *)g,
                         .layout = l};
    struct errtext err;
    struct run *run;
    size_t runs;

    if (!filter_used (&o->filter))
        return l;
    if (filter_runs (&d, &o->filter, 0, &run, &runs, &err) < 0) {
        log_error ("%s", err.text);
        return NULL;
    }
    if (!runs) {
        log_error ("%s: no run is meant by the filter", path);
        return NULL;
    }
    return layout_of_runs (s, g,
                           &(struct round_runs){run, runs, NULL, max_tasks, 0});
}

static void plan_print_table (struct textable *t, int format)
{
    textable_print (t, stdout, format);
    textable_destroy (t);
}

static int
plan_file (const struct plan_options *o, const char *path, int format)
{
    struct spec *s;
    struct grid *g;
    struct plan_limits limit = {.max_tasks = PLAN_MAX_TASKS, .tasks = ""};
    struct layout *l;
    int status = EXIT_OK;

    if (cmd_load (path, &s, &g) < 0)
        return EXIT_SPEC;
    if (s->mode != MODE_LOCAL)
        limit = limits ();
    l = some (o, path, s, g, limit.max_tasks);
    if (!l)
        status = EXIT_USAGE;
    else if (o->order)
        plan_print_table (plan_order_table (s, g, l), format);
    else if (o->points || format != TABLE_TEXT)
        plan_print_table (plan_points_table (s, g, l), format);
    else if (o->script)
        print_script (s, g, l);
    else
        plan_print (stdout, s, g, l, &limit, PLAN_ROWS);
    spec_destroy (s);
    return status;
}

int sweep_cmd_plan (int argc, char **argv)
{
    struct plan_options o = {.points = 0};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        FORMAT_OPTION (o.format),
        {"points", 0, OPT_FLAG, &o.points, NULL,
         "all points as text, as other formats have them"},
        {"order", 0, OPT_FLAG, &o.order, NULL,
         "all runs in the order in which they start"},
        {"script", 0, OPT_FLAG, &o.script, NULL,
         "the batch script of the first array"},
        {"keys", 0, OPT_FLAG, &o.keys, NULL, "the keys a sweep file may have"},
        {"schema", 0, OPT_FLAG, &o.schema, NULL,
         "the same as a JSON schema, for editors"},
        OPT_END,
    };
    int operand, status;

    if (optparse_command (opts, &help, argc, argv, &operand, &status) < 0)
        return status;
    if (o.schema) {
        spec_print_schema (stdout);
        return EXIT_OK;
    }
    if (o.keys) {
        spec_print_keys (stdout);
        return EXIT_OK;
    }
    if (argc == operand) {
        log_error ("missing operand: usage: %s", help.usage);
        return EXIT_USAGE;
    }
    cmd_words (&o.filter, argc, argv, operand);
    return plan_file (&o, argv[operand], o.format);
}
