/* SPDX-License-Identifier: MIT
 *
 * planwarn.c - a plan -> its waves, its cost, what it will not tell
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format/layers.h"
#include "lib/util/fsutil.h"
#include "sweep/spec/grow.h"
#include "sweep/plan/planwarn.h"
#include "sweep/precheck.h"

enum {
    GROUPS_SHOWN = 8, /* in warnings */
    SCRIPT_BYTES_MAX = 1024 * 1024
};

const char *plan_option (const struct point *p, const char *name)
{
    for (size_t i = 0; i < p->options; i++)
        if (!strcmp (p->option[i].name, name))
            return p->option[i].text ? p->option[i].text : "yes";
    return "-";
}

void plan_print_waves (FILE *out,
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

/* What the runs may take at most, were each to use all of its time. A control
 * shares the task, and the limit, of its run. */
void plan_print_cost (FILE *out,
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
        node_hours += (double)(seconds * chunk_jobs (c, s->mode)) / 3600 *
                      (nodes >= 1 ? nodes : 1);
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
    struct arena *a = g->arena;

    for (size_t i = 0; i < l->chunks; i++) {
        const struct chunk *c = &l->chunk[i];

        if (i && l->chunk[i - 1].group == c->group)
            continue;
        for (size_t x = 0; x < s->axes; x++) {
            const struct value *v = &g->point[c->run[0].point].column[x];
            size_t inside = 0, outside = 0, points = 0;

            for (size_t p = 0; p < g->count; p++) {
                int same = value_same (a, v, &g->point[p].column[x]);

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
                         s->column[x], value_text (a, v), c->group);
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
        what = text = read_user_file (precheck_script_path (s, g->arena),
                                      SCRIPT_BYTES_MAX, NULL, NULL);
    if (what && !strstr (what, "srun"))
        fprintf (out,
                 "warning nobatch leaves out the batch script, and %s names no "
                 "srun:\n        its runs will leave no trace\n",
                 s->script ? s->script : "run");
    free (text);
}

void plan_print_warnings (FILE *out,
                          const struct spec *s,
                          const struct grid *g,
                          const struct layout *l)
{
    warn_untraced (out, s, g);
    for (size_t i = 0; i < s->slurms; i++)
        if (!precheck_option_is_known (s->slurm[i].name))
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
