/* SPDX-License-Identifier: MIT
 *
 * cmd_plan.c - `dftrace sweep plan SPEC`: what would run
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/plan.h"
#include "sweep/slurm.h"
#include "sweep/submit.h"

enum { PLAN_ROWS = 24, PLAN_MAX_TASKS = 1001 };

struct plan_options {
    const char *points;
    int order, script, keys, schema;
};

static const struct verb_help help = {
    .usage = "dftrace sweep plan [OPTION…] SPEC",
    .summary = "show what a sweep file would run; writes and submits nothing",
    .example = "  $ dftrace sweep plan study.yaml\n"
               "  $ dftrace sweep plan study.yaml --points csv > plan.csv",
    .exits = "0  the file is good\n6  it is not; the message says where",
};

/* Without a Slurm to ask, the usual limit; the text says which it is. */
static const char *array_limit (struct arena *a, int *max_tasks)
{
    struct slurm_config c;

    if (slurm_config_read (a, &c, NULL) == 0) {
        *max_tasks = c.max_tasks;
        return c.source;
    }
    *max_tasks = PLAN_MAX_TASKS;
    return "MaxArraySize 1001 (assumed: no Slurm here)";
}

static void print_table (struct textable *t, enum table_format format)
{
    textable_print (t, stdout, format);
    textable_destroy (t);
}

/* The batch script of the first array, as submit would write it. */
static void print_script (struct spec *s, struct grid *g, struct layout *l)
{
    struct sweepdir d = {.arena = g->arena,
                         .path = arena_format (g->arena, "./%s", s->name),
                         .spec = s,
                         .grid = g,
                         .layout = l,
                         .nonce = "00000000",
                         .cwd = "."};

    fputs (submit_preview (&d, &l->chunk[0]), stdout);
}

static int plan (const struct plan_options *o, const char *path, int format)
{
    struct spec *s;
    struct grid *g;
    struct layout *l;
    const char *limit = "";
    int max_tasks = PLAN_MAX_TASKS;

    if (cmd_load (path, &s, &g) < 0)
        return EXIT_SPEC;
    if (s->mode == MODE_ARRAY)
        limit = array_limit (g->arena, &max_tasks);
    l = layout_make (g->arena, s, g, max_tasks);
    if (o->points)
        print_table (plan_points_table (s, g), (enum table_format)format);
    else if (o->order)
        print_table (plan_order_table (s, g, l), TABLE_TEXT);
    else if (o->script)
        print_script (s, g, l);
    else
        plan_print (stdout, s, g, l, limit, PLAN_ROWS);
    grid_destroy (g);
    spec_destroy (s);
    return EXIT_OK;
}

int sweep_cmd_plan (int argc, char **argv)
{
    struct plan_options o = {.points = NULL};
    const struct opt opts[] = {
        {"points", 0, OPT_TEXT, &o.points, "FORMAT",
         "all points as text, csv, markdown or json"},
        {"order", 0, OPT_FLAG, &o.order, NULL,
         "all runs in the order in which they start"},
        {"script", 0, OPT_FLAG, &o.script, NULL,
         "the batch script of the first array"},
        {"keys", 0, OPT_FLAG, &o.keys, NULL, "the keys a sweep file may have"},
        {"schema", 0, OPT_FLAG, &o.schema, NULL,
         "the same as a JSON schema, for editors"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    int operand, status, format = TABLE_TEXT;

    if (cmd_options (opts, &help, argc, argv, &operand, &status) < 0)
        return status;
    if (o.schema) {
        spec_print_schema (stdout);
        return EXIT_OK;
    }
    if (o.keys) {
        spec_print_keys (stdout);
        return EXIT_OK;
    }
    if (cmd_operands (&help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    if (o.points && (format = table_format_parse (o.points)) < 0) {
        log_error ("--points: %s: no such format: use text, csv, markdown or "
                   "json",
                   o.points);
        return EXIT_USAGE;
    }
    return plan (&o, argv[operand], format);
}
