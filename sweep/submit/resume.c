/* SPDX-License-Identifier: MIT
 *
 * resume.c - what is not done -> a new, shorter map
 *
 * Caveat: a run may only be chosen when its last array has let go of it, else
 *      two tasks would write one run.
 */
#include "config.h"

#include "sweep/spec/sbatch.h"
#include "sweep/submit/submit.h"
#include "sweep/plan/sweepdir.h"

static int is_of_class (const struct run_report *x, enum outcome_class class)
{
    return x && outcome_class (x->outcome) == class;
}

/* A run and the control in its task go together: only a pair can be compared.
 */
static int resume_is_chosen (const struct sweepdir *d,
                             const struct sweep_report *r,
                             struct run run)
{
    const struct run_report *x = status_of (r, run),
                            *y = status_of_control (d, r, run);

    return (is_of_class (x, OUTCOME_BAD) || is_of_class (y, OUTCOME_BAD)) &&
           !is_of_class (x, OUTCOME_OPEN) && !is_of_class (y, OUTCOME_OPEN);
}

void resume_choose (struct sweepdir *d,
                    const struct sweep_report *r,
                    struct resume_plan *p)
{
    struct run *run = arena_array (d->layout->runs + 1, sizeof (*run));

    p->run = run;
    p->runs = 0;
    for (size_t i = 0; i < d->layout->runs; i++)
        if (resume_is_chosen (d, r, d->layout->run[i]))
            run[p->runs++] = d->layout->run[i];
}

/* Rounds that had each run; the key is that of status_of (). */
static int *count_tries (const struct sweepdir *d)
{
    size_t repeats = d->spec->repeats;
    int *tries =
        arena_array (d->grid->count * repeats * 2 + 1, sizeof (*tries));

    for (size_t i = 0; i < d->layout->chunks; i++)
        for (int t = 0; t < d->layout->chunk[i].count; t++) {
            struct run x = d->layout->chunk[i].run[t];

            tries[((size_t)x.point * repeats + (size_t)x.repeat) * 2 +
                  (size_t)x.control]++;
        }
    return tries;
}

void resume_choose_retries (struct sweepdir *d,
                            const struct sweep_report *r,
                            struct resume_plan *p)
{
    const struct retry *retry = &d->spec->retry;
    size_t repeats = d->spec->repeats, n = 0;
    const int *tries = count_tries (d);
    struct run *run;

    p->grow_time = retry->grow_time;
    p->grow_mem = retry->grow_mem;
    resume_choose (d, r, p);
    run = arena_array (p->runs + 1, sizeof (*run));
    for (size_t i = 0; i < p->runs; i++) {
        struct run one = p->run[i];

        if (status_wants_retry (d, r, one) &&
            tries[((size_t)one.point * repeats + (size_t)one.repeat) * 2 +
                  (size_t)one.control] <= retry->times)
            run[n++] = one;
    }
    p->run = run;
    p->runs = n;
}

void resume_same_nodes (struct sweepdir *d,
                        const struct sweep_report *r,
                        struct resume_plan *p)
{
    const char **nodes = arena_array (p->runs + 1, sizeof (*nodes));

    for (size_t i = 0; i < p->runs; i++) {
        const struct run_report *x = status_of (r, p->run[i]);

        if (x && *x->status.nodes)
            nodes[i] = x->status.nodes;
    }
    p->nodes = nodes;
}

static const char *resume_option_text (const struct point *p, const char *name)
{
    for (size_t i = 0; i < p->options; i++)
        if (!strncmp (p->option[i].name, name, strlen (name)))
            return p->option[i].text;
    return NULL;
}

void resume_check_grow (const struct sweepdir *d, const struct resume_plan *p)
{
    for (size_t i = 0; i < p->runs; i++) {
        const struct point *point = &d->grid->point[p->run[i].point];
        const char *time = resume_option_text (point, "time");
        const char *mem = resume_option_text (point, "mem");

        if (p->grow_time > 0 && (!time || !grow_time (time, p->grow_time)))
            die ("--grow: %s: slurm: time: %s: no limit that can be multiplied",
                 point->label, time ? time : "not said");
        if (p->grow_mem > 0 && (!mem || !grow_mem (mem, p->grow_mem)))
            die ("--grow: %s: slurm: mem: %s: no size that can be multiplied",
                 point->label, mem ? mem : "not said");
    }
}

void resume_write (struct sweepdir *d, const struct resume_plan *p)
{
    struct layout *l =
        layout_of_runs (d->spec, d->grid,
                        &(struct round_runs){p->run, p->runs, p->nodes,
                                             d->max_tasks, d->rounds});

    for (size_t i = 0; i < l->chunks; i++) {
        l->chunk[i].grow_time = p->grow_time;
        l->chunk[i].grow_mem = p->grow_mem;
    }
    round_write (d->path, d->grid, l, d->rounds);
}
