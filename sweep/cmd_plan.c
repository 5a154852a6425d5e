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
static struct layout *some (const struct filter_options *filter,
                            const char *path,
                            struct spec *s,
                            struct grid *g,
                            int max_tasks)
{
    struct layout *l = layout_make (s, g, max_tasks);
    struct sweepdir d = {.path = path, .spec = s, .grid = g, .layout = l};
    struct run *run;
    size_t runs;

    if (!filter_used (filter))
        return l;
    run = filter_runs (&d, filter, EXIT_USAGE, 0, &runs);
    if (!runs)
        die_with (EXIT_USAGE, "%s: no run is meant by the filter", path);
    return layout_of_runs (s, g,
                           &(struct round_runs){run, runs, NULL, max_tasks, 0});
}

int sweep_cmd_plan (int argc, char **argv)
{
    struct filter_options filter = {.only = NULL};
    enum table_format format = TABLE_TEXT;
    int points = 0, order = 0, script = 0, keys = 0, schema = 0;
    const struct opt opts[] = {
        FILTER_OPTIONS (filter),
        FORMAT_OPTION (format),
        {"points", 0, OPT_FLAG, &points, NULL,
         "all points as text, as other formats have them"},
        {"order", 0, OPT_FLAG, &order, NULL,
         "all runs in the order in which they start"},
        {"script", 0, OPT_FLAG, &script, NULL,
         "the batch script of the first array"},
        {"keys", 0, OPT_FLAG, &keys, NULL, "the keys a sweep file may have"},
        {"schema", 0, OPT_FLAG, &schema, NULL,
         "the same as a JSON schema, for editors"},
        OPT_END,
    };
    int operand = optparse_operands (opts, &help, argc, argv);
    struct plan_limits limit = {.max_tasks = PLAN_MAX_TASKS, .tasks = ""};
    struct spec *s;
    struct grid *g;
    struct layout *l;

    if (schema || keys) {
        (schema ? spec_print_schema : spec_print_keys) (stdout);
        return EXIT_OK;
    }
    if (argc == operand)
        die_with (EXIT_USAGE, "missing operand: usage: %s", help.usage);
    cmd_words (&filter, argc, argv, operand);
    cmd_load (argv[operand], &s, &g);
    if (s->mode != MODE_LOCAL)
        limit = limits ();
    l = some (&filter, argv[operand], s, g, limit.max_tasks);
    if (order)
        cmd_table (plan_order_table (s, g, l), format);
    else if (points || format != TABLE_TEXT)
        cmd_table (plan_points_table (s, g, l), format);
    else if (script)
        print_script (s, g, l);
    else
        plan_print (stdout, s, g, l, &limit, PLAN_ROWS);
    return EXIT_OK;
}
