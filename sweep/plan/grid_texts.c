/* SPDX-License-Identifier: MIT
 *
 * grid_texts.c - templates at a point -> variables, options, paths, tracing
 */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "lib/settings/tracespec.h"
#include "sweep/plan/grid_work.h"
#include "sweep/spec/grow.h"

static int evaluate (const struct expansion *x,
                     const struct named_template *t,
                     const struct point *p,
                     const char *key,
                     struct value *v)
{
    struct arena *a = x->grid->arena;
    struct errtext err;

    if (template_eval (t->template, p->column, a, v, &err) < 0)
        return grid_fail_at (x, t->node, p->column,
                             arena_format (a, "%s: %s", key, t->name),
                             err.text);
    if (v->type == VALUE_LIST)
        return grid_fail_at (x, t->node, p->column,
                             arena_format (a, "%s: %s", key, t->name),
                             "a list is no text");
    return 0;
}

/* null: unset; true and false: 1 and 0 */
int grid_give_env (const struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    struct arena *a = x->grid->arena;
    struct value v;

    p->env = arena_array (a, s->envs ? s->envs : 1, sizeof (*p->env));
    for (size_t i = 0; i < s->envs; i++) {
        if (evaluate (x, &s->env[i], p, "env", &v) < 0)
            return -1;
        p->env[i].name = s->env[i].name;
        if (v.type == VALUE_BOOL)
            p->env[i].text = v.integer ? "1" : "0";
        else if (v.type != VALUE_NULL)
            p->env[i].text = value_text (a, &v);
    }
    return 0;
}

/* -- options of sbatch ------------------------------------------------- */

static int is_count (const char *text)
{
    return *text && !text[strspn (text, "0123456789")];
}

/* "4", "2-8", "1k"; since 23.11 "1-15:4", "2,4,8" */
static int is_nodes (const char *text)
{
    return *text >= '0' && *text <= '9' &&
           !text[strspn (text, "0123456789,:-kKmM")];
}

static int is_time (const char *text)
{
    static const char *const words[] = {"UNLIMITED", "INFINITE", "-1"};

    for (size_t i = 0; i < sizeof (words) / sizeof (words[0]); i++)
        if (!strcasecmp (text, words[i]))
            return 1;
    return grow_seconds (text) >= 0;
}

/* "2000", "4G", "1.5T", "4GB" */
static int is_size (const char *text)
{
    size_t n = strspn (text, "0123456789.");

    if (!n || (n == 1 && *text == '.'))
        return 0;
    text += n;
    if (*text && strchr ("kKmMgGtTpP", *text))
        text++;
    return !*text || ((*text == 'b' || *text == 'B') && !text[1]);
}

static const struct {
    const char *option;
    int (*is_good) (const char *text);
    const char *as_in;
} option_shapes[] = {
    {"nodes", is_nodes, "4 or 2-8"},
    {"ntasks", is_count, "4"},
    {"ntasks-per-node", is_count, "4"},
    {"ntasks-per-core", is_count, "1"},
    {"ntasks-per-socket", is_count, "1"},
    {"ntasks-per-gpu", is_count, "1"},
    {"cpus-per-task", is_count, "4"},
    {"cpus-per-gpu", is_count, "4"},
    {"time", is_time, "30, \"01:30:00\" or 2-12"},
    {"time-min", is_time, "30, \"01:30:00\" or 2-12"},
    {"mem", is_size, "4000 or 4G"},
    {"mem-per-cpu", is_size, "4000 or 4G"},
    {"mem-per-gpu", is_size, "4000 or 4G"},
    {"tmp", is_size, "4000 or 4G"},
};

/* sbatch would refuse these when the sweep is frozen already. */
static int option_is_good (const struct expansion *x,
                           const struct named_template *t,
                           const struct point *p,
                           const struct name_text *o)
{
    struct arena *a = x->grid->arena;

    for (size_t i = 0; i < sizeof (option_shapes) / sizeof (option_shapes[0]);
         i++) {
        if (strcmp (o->name, option_shapes[i].option) != 0 ||
            (o->text && option_shapes[i].is_good (o->text)))
            continue;
        return grid_fail_at (
            x, t->node, p->column, arena_format (a, "slurm: %s", o->name),
            arena_format (a, "\"%s\" is nothing that sbatch takes: as in %s",
                          o->text ? o->text : "true", option_shapes[i].as_in));
    }
    return 0;
}

/* null and false: absent; true: bare */
int grid_give_options (const struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    struct arena *a = x->grid->arena;
    struct value v;

    p->option = arena_array (a, s->slurms ? s->slurms : 1, sizeof (*p->option));
    for (size_t i = 0; i < s->slurms; i++) {
        struct name_text *o = &p->option[p->options];

        if (evaluate (x, &s->slurm[i], p, "slurm", &v) < 0)
            return -1;
        if (v.type == VALUE_NULL || (v.type == VALUE_BOOL && !v.integer))
            continue;
        o->name = s->slurm[i].name;
        o->text = v.type == VALUE_BOOL ? NULL : value_text (a, &v);
        if (option_is_good (x, &s->slurm[i], p, o) < 0)
            return -1;
        p->options++;
    }
    return 0;
}

int grid_give_task_id (const struct expansion *x, struct point *p, size_t place)
{
    const struct spec *s = x->spec;
    struct arena *a = x->grid->arena;
    struct errtext err;
    struct value v;

    if (s->task_id == TASK_ID_GRID)
        p->task_id = arena_format (a, "%zu", place);
    if (s->task_id != TASK_ID_EXPR)
        return 0;
    if (expr_eval (s->task_id_expr->expr, p->column, a, &v, &err) < 0)
        return grid_fail_at (x, s->task_id_expr->node, p->column, "task_id",
                             err.text);
    if (v.type != VALUE_INT || v.integer < 0)
        return grid_fail_at (x, s->task_id_expr->node, p->column, "task_id",
                             arena_format (a, "%s is no whole number from 0 on",
                                           value_show (a, &v)));
    p->task_id = arena_format (a, "%lld", (long long)v.integer);
    return 0;
}

int grid_give_data (const struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    struct value v;

    p->data = arena_array (x->grid->arena, s->datas + 1, sizeof (*p->data));
    for (size_t i = 0; i < s->datas; i++) {
        if (evaluate (x, &s->data[i], p, "data", &v) < 0)
            return -1;
        p->data[i] = value_text (x->grid->arena, &v);
    }
    return 0;
}

/* "posix,app,max=1G", as the option of sbatch; NULL: not traced. Elements of a
 * list have a row each. */
int grid_give_trace (const struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    struct arena *a = x->grid->arena;
    struct tracespec parsed;
    struct errtext err;
    struct value v;

    p->trace = s->layers ? arena_text (a, s->layers) : NULL;
    for (size_t i = 0; p->trace && i < s->tracings; i++) {
        const struct named_template *t = &s->tracing[i];
        int more = i && t[-1].name == t->name;

        if (evaluate (x, t, p, "trace", &v) < 0)
            return -1;
        if (v.type != VALUE_NULL)
            p->trace = arena_format (a, "%s%c%s%s%s", p->trace,
                                     more ? ':' : ',', more ? "" : t->name,
                                     more ? "" : "=", value_text (a, &v));
    }
    if (s->tracings && p->trace &&
        tracespec_parse (&parsed, p->trace, &err) < 0)
        return grid_fail_at (x, s->tracing[0].node, p->column, "trace",
                             err.text);
    return 0;
}
