/* SPDX-License-Identifier: MIT
 *
 * plan.c - spec, grid and arrays -> the overview, with cost and warnings
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/fsutil.h"
#include "sweep/plan/plan.h"
#include "sweep/spec/sbatch.h"

/* Numbers go out as written (08 stays 08), so all cells are text. */
void plan_cell (struct textable *t, const struct value *v)
{
    if (v->type == VALUE_NONE || v->type == VALUE_NULL)
        textable_na (t);
    else
        textable_text (t, value_text (v));
}

static int column_is_number (const struct grid *g, size_t column)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->point[i].column[column].type == VALUE_TEXT)
            return 0;
    return 1;
}

/* Per point: has it a run? */
static char *points_shown (const struct grid *g, const struct layout *l)
{
    char *shown = arena_alloc (g->count + 1);

    for (size_t i = 0; i < l->runs; i++)
        shown[l->run[i].point] = 1;
    return shown;
}

struct textable *plan_points_table (const struct spec *s,
                                    const struct grid *g,
                                    const struct layout *l)
{
    struct textable *t = textable_create ();
    const char *shown = points_shown (g, l);

    textable_column (t, "point", "id", NULL, 0);
    textable_columns (t, "label");
    for (size_t c = 0; c < s->columns; c++)
        textable_column (t, s->column[c], s->column[c], NULL,
                         column_is_number (g, c));
    for (size_t e = 0; e < s->envs; e++)
        textable_column (t, arena_format ("env.%s", s->env[e].name),
                         s->env[e].name, NULL, 0);
    if (s->task_id > TASK_ID_ARRAY)
        textable_columns (t, "task_id");
    textable_columns (t, "group");
    for (size_t i = 0; i < g->count; i++) {
        const struct point *p = &g->point[i];

        if (!shown[i])
            continue;
        textable_line (t, "%s %s", p->id, p->label);
        for (size_t c = 0; c < s->columns; c++)
            plan_cell (t, &p->column[c]);
        for (size_t e = 0; e < s->envs; e++) {
            if (p->env[e].text)
                textable_text (t, p->env[e].text);
            else
                textable_na (t);
        }
        if (s->task_id > TASK_ID_ARRAY)
            textable_text (t, p->task_id);
        textable_text (t, arena_format ("g%d", p->group));
    }
    return t;
}

struct textable *plan_order_table (const struct spec *s,
                                   const struct grid *g,
                                   const struct layout *l)
{
    struct textable *t = textable_create ();
    int *next = arena_array (l->chunks, sizeof (*next));

    textable_columns (t, "position# run label repeat# array task# seed#");
    for (size_t i = 0; i < l->runs; i++) {
        const struct point *p = &g->point[l->run[i].point];
        const struct chunk *c = l->chunk;
        int task = 0;

        /* runs of a group keep their order: take the next of its chunks */
        while (c->group != p->group || next[c - l->chunk] >= c->count)
            c++;
        task = next[c - l->chunk]++;
        textable_line (t, "%zu %s %s %d %s %d %ju", i, run_id (g, l->run[i]),
                       p->label, l->run[i].repeat, c->name, task,
                       seed_of_run (s, p, l->run[i].repeat));
    }
    return t;
}

/* ---- a plan -> its waves, its cost, what it will not tell ---- */

enum {
    GROUPS_SHOWN = 8, /* in warnings */
};

static const char *plan_option (const struct point *p, const char *name)
{
    for (size_t i = 0; i < p->options; i++)
        if (!strcmp (p->option[i].name, name))
            return p->option[i].text ? p->option[i].text : "yes";
    return "-";
}

static void plan_print_waves (FILE *out,
                              const struct spec *s,
                              const struct layout *l,
                              const struct plan_limits *limit)
{
    size_t waves = layout_waves (l, s->mode, limit->wave);

    if (waves > 1)
        fprintf (out,
                 "waves   %zu, of at most %d tasks (%s): the analysis job of "
                 "each submits the next\n",
                 waves, limit->wave, limit->waves);
}

/* Print the most that the runs can take, if each uses all of its time. A
 * control shares the task, and the limit, of its run. */
static void plan_print_cost (FILE *out,
                             const struct spec *s,
                             const struct grid *g,
                             const struct layout *l)
{
    double hours = 0, node_hours = 0;

    for (size_t i = 0; i < l->chunks; i++) {
        const struct chunk *c = &l->chunk[i];
        const struct point *p = &g->point[c->run[0].point];
        int64_t seconds = grow_seconds (plan_option (p, "time"));
        double nodes = atof (plan_option (p, "nodes"));

        if (seconds <= 0)
            return;
        hours += (double)(seconds * chunk_jobs (c, s->mode)) / 3600;
        node_hours +=
            (double)(seconds * chunk_jobs (c, s->mode)) / 3600 * MAX (nodes, 1);
    }
    fprintf (out, "cost    at most %.1f h of jobs, %.1f node-hours\n", hours,
             node_hours);
}

/* A group whose points all share the value of an axis that others lack: the
 * axis cannot be told from the time at which the group ran. */
static void warn_confounded (FILE *out,
                             const struct spec *s,
                             const struct grid *g,
                             const struct layout *l)
{

    for (size_t i = 0; i < l->chunks; i++) {
        const struct chunk *c = &l->chunk[i];

        if (i && l->chunk[i - 1].group == c->group)
            continue;
        for (size_t x = 0; x < s->axes; x++) {
            const struct value *v = &g->point[c->run[0].point].column[x];
            size_t inside = 0, outside = 0, points = 0;

            for (size_t p = 0; p < g->count; p++) {
                int same = value_same (v, &g->point[p].column[x]);

                points += g->point[p].group == c->group;
                inside += same && g->point[p].group == c->group;
                outside += same && g->point[p].group != c->group;
            }
            if (inside == points && !outside)
                fprintf (out,
                         "warning %s=%s is alone in g%d: its runs are not "
                         "interleaved with the others;\n        the same "
                         "Slurm options for all points would make it one "
                         "array\n",
                         s->column[x], value_text (v), c->group);
        }
    }
}

/* Steps of srun may hide in programs that the script calls, so this is a
 * warning only. */
static void
warn_untraced (FILE *out, const struct spec *s, const struct grid *g)
{
    struct errtext err;
    unsigned layers = 0;
    char *text = NULL;
    const char *what = s->run;

    if (!s->layers || layers_parse (s->layers, &layers, &err) < 0 ||
        !(layers & LAYER_NOBATCH) || s->mode == MODE_LOCAL)
        return;
    if (s->script)
        what = text =
            read_user_file (spec_script_path (s), SPEC_SCRIPT_MAX, NULL, NULL);
    if (what && !strstr (what, "srun"))
        fprintf (out,
                 "warning nobatch leaves out the batch script, and %s names no "
                 "srun:\n        its runs will leave no trace\n",
                 s->script ? s->script : "run");
    free (text);
}

static void plan_print_warnings (FILE *out,
                                 const struct spec *s,
                                 const struct grid *g,
                                 const struct layout *l)
{
    warn_untraced (out, s, g);
    for (size_t i = 0; i < s->slurms; i++)
        if (!sbatch_option_is_known (s->slurm[i].name))
            fprintf (out,
                     "warning slurm: %s is no option of sbatch itself: is "
                     "there a plugin that has it?\n",
                     s->slurm[i].name);
    for (size_t i = 0; i < s->excludes; i++)
        if (!g->dropped[i])
            fprintf (out, "warning exclude: %s drops nothing\n",
                     s->exclude[i].text);
    if (g->groups > 1 && s->order != ORDER_GRID)
        fprintf (out,
                 "warning points have %d different sets of Slurm options: "
                 "runs of different\n        arrays are not interleaved with "
                 "each other\n",
                 g->groups);
    if (g->groups > 1 && g->groups <= GROUPS_SHOWN && s->order != ORDER_GRID)
        warn_confounded (out, s, g, l);
}

/* -- the overview ------------------------------------------------------ */

/* A control in the same task takes its time from the task's limit. */
static void print_controls (FILE *out,
                            const struct spec *s,
                            const struct grid *g,
                            const struct layout *l)
{
    size_t paired = 0, controls = 0;

    for (size_t i = 0; i < l->runs; i++) {
        paired += run_has_paired (s, g, l->run[i]);
        controls += l->run[i].control;
    }
    if (paired)
        fprintf (out,
                 ", %zu with an untraced control: %zu executions\n"
                 "        a task with a control needs the time of two runs",
                 paired, l->runs + paired);
    if (controls)
        fprintf (out, ", %zu of them untraced controls", controls);
    fputc ('\n', out);
}

static void print_counts (FILE *out,
                          const struct spec *s,
                          const struct grid *g,
                          const struct layout *l)
{
    fprintf (out, "%s: ", s->name);
    for (size_t i = 0; i < s->axes; i++)
        fprintf (out, "%s%zu %s", i ? " x " : "", s->axis[i].count,
                 s->axis[i].name);
    if (s->extras)
        fprintf (out, " + %zu extra", s->extras);
    fprintf (out, " = %zu points, %zu excluded\n", g->count, g->excluded);
    for (size_t i = 0; i < s->excludes; i++)
        fprintf (out, "%*s%zu by %s\n", (int)strlen (s->name) + 2, "",
                 g->dropped[i], s->exclude[i].text);
    fprintf (out, "%*sx %d repeat%s = %zu tasks", (int)strlen (s->name) + 2, "",
             s->repeats, s->repeats == 1 ? "" : "s", l->runs);
    print_controls (out, s, g, l);
    fprintf (out, "order   %s, seed %llu; ", spec_order_word (s->order),
             (unsigned long long)s->seed);
    if (s->max_running)
        fprintf (out, "at most %d running\n", s->max_running);
    else
        fprintf (out, "no limit on running tasks\n");
    fprintf (out, "trace   %s\n", s->layers ? s->layers : "off");
}

static const char *starts_after (const struct layout *l, const struct chunk *c)
{
    const char *throttle =
        c->throttle ? arena_format (", %d at a time", c->throttle) : "";

    if (c->after < 0)
        return throttle;
    return arena_format ("%s; starts after %s", throttle,
                         l->chunk[c->after].name);
}

static void print_arrays (FILE *out,
                          const struct grid *g,
                          const struct layout *l,
                          const char *limit)
{
    struct textable *t = textable_create ();

    textable_columns (t, "array tasks# nodes# time limit");
    for (size_t i = 0; i < l->chunks; i++) {
        const struct chunk *c = &l->chunk[i];
        const struct point *p = &g->point[c->run[0].point];

        textable_line (t, "%s %d %s %s %s", c->name, c->count,
                       plan_option (p, "nodes"), plan_option (p, "time"),
                       arena_format ("%s%s", limit, starts_after (l, c)));
    }
    textable_print (t, out, TABLE_TEXT);
    textable_destroy (t);
}

/* A variable whose text is that of a column says nothing new. */
static int
env_repeats_column (const struct spec *s, const struct grid *g, size_t env)
{
    for (size_t c = 0; c < s->columns; c++) {
        size_t i = 0;

        while (i < g->count && g->point[i].env[env].text &&
               !strcmp (g->point[i].env[env].text,
                        value_text (&g->point[i].column[c])))
            i++;
        if (i == g->count)
            return 1;
    }
    return 0;
}

static int column_varies (const struct grid *g, size_t c)
{
    for (size_t i = 1; i < g->count; i++)
        if (!value_same (&g->point[0].column[c], &g->point[i].column[c]))
            return 1;
    return 0;
}

static int env_varies (const struct grid *g, size_t e)
{
    for (size_t i = 1; i < g->count; i++) {
        const char *x = g->point[0].env[e].text, *y = g->point[i].env[e].text;

        if ((!x != !y) || (x && strcmp (x, y)))
            return 1;
    }
    return 0;
}

static void point_row (struct textable *t,
                       const struct spec *s,
                       const struct grid *g,
                       const struct point *p,
                       const char *show_column,
                       const char *show_env)
{
    textable_line (t, "%s %s", p->id, p->label);
    for (size_t c = 0; c < s->columns; c++)
        if (show_column[c])
            plan_cell (t, &p->column[c]);
    for (size_t e = 0; e < s->envs; e++)
        if (show_env[e])
            textable_text (t, p->env[e].text ? p->env[e].text : "(unset)");
    if (p->task_id)
        textable_text (t, p->task_id);
}

/* Axes, and of the rest what differs between points. */
static void plan_print_points (FILE *out,
                               const struct spec *s,
                               const struct grid *g,
                               const struct layout *l,
                               size_t rows)
{
    struct textable *t = textable_create ();
    const char *shown = points_shown (g, l);
    size_t more = 0, n = 0;
    char *column = arena_alloc (s->columns);
    char *env = arena_alloc (s->envs + 1);

    textable_column (t, "point", "id", NULL, 0);
    textable_columns (t, "label");
    for (size_t c = 0; c < s->columns; c++) {
        column[c] = c < s->axes || column_varies (g, c);
        if (column[c])
            textable_column (t, s->column[c], s->column[c], NULL,
                             column_is_number (g, c));
    }
    for (size_t e = 0; e < s->envs; e++) {
        env[e] = env_varies (g, e) && !env_repeats_column (s, g, e);
        if (env[e])
            textable_column (t, s->env[e].name, s->env[e].name, NULL, 0);
    }
    if (s->task_id > TASK_ID_ARRAY)
        textable_columns (t, "task_id#");
    for (size_t i = 0; i < g->count; i++) {
        if (shown[i] && (!rows || n++ < rows))
            point_row (t, s, g, &g->point[i], column, env);
        else
            more += shown[i];
    }
    textable_print (t, out, TABLE_TEXT);
    textable_destroy (t);
    if (more)
        fprintf (out, "… %zu more (--points for all)\n", more);
}

void plan_print (FILE *out,
                 const struct spec *s,
                 const struct grid *g,
                 const struct layout *l,
                 const struct plan_limits *limit,
                 size_t rows)
{
    print_counts (out, s, g, l);
    fputc ('\n', out);
    if (s->mode != MODE_LOCAL) {
        print_arrays (out, g, l, limit->tasks);
        plan_print_waves (out, s, l, limit);
        plan_print_cost (out, s, g, l);
        fputc ('\n', out);
    }
    plan_print_warnings (out, s, g, l);
    plan_print_points (out, s, g, l, rows);
}
