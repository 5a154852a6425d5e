/* SPDX-License-Identifier: MIT
 *
 * grid_texts.c - templates at a point -> variables, options, paths, tracing
 */
#include "config.h"

#include "lib/core/settings/tracespec.h"
#include "sweep/plan/grid_work.h"

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
        p->options++;
    }
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
