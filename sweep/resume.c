/* SPDX-License-Identifier: MIT
 *
 * resume.c - what is not done -> a new, shorter map
 *
 * Caveat: a run may only be chosen when its last array has let go of it, else
 *      two tasks would write one run.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "sweep/grow.h"
#include "sweep/resume.h"
#include "sweep/rounds.h"

/* A run and the twin in its task go together: only a pair can be compared. */
static int is_chosen (const struct sweepdir *d,
                      const struct sweep_report *r,
                      struct run run)
{
    int twin = run_has_twin (d->spec, d->grid, run), bad = 0, open = 0;

    for (size_t i = 0; i < r->count; i++) {
        struct run x = r->run[i].run;

        if (x.point != run.point || x.repeat != run.repeat ||
            (!twin && x.control != run.control))
            continue;
        bad |= outcome_class (r->run[i].outcome) == OUTCOME_BAD;
        open |= outcome_class (r->run[i].outcome) == OUTCOME_OPEN;
    }
    return bad && !open;
}

void resume_choose (struct sweepdir *d,
                    const struct sweep_report *r,
                    struct resume_plan *p)
{
    struct run *run =
        arena_array (d->arena, d->layout->runs + 1, sizeof (*run));

    p->run = run;
    p->runs = 0;
    for (size_t i = 0; i < d->layout->runs && p->runs < r->count; i++)
        if (is_chosen (d, r, d->layout->run[i]))
            run[p->runs++] = d->layout->run[i];
}

/* Rounds that had the run. */
static int tries (const struct sweepdir *d, struct run run)
{
    int n = 0;

    for (size_t i = 0; i < d->layout->chunks; i++)
        for (int t = 0; t < d->layout->chunk[i].count; t++) {
            const struct run *x = &d->layout->chunk[i].run[t];

            n += x->point == run.point && x->repeat == run.repeat &&
                 x->control == run.control;
        }
    return n;
}

void resume_choose_retries (struct sweepdir *d,
                            const struct sweep_report *r,
                            struct resume_plan *p)
{
    const struct retry *retry = &d->spec->retry;
    struct sweep_report some = *r;
    struct run *run;
    size_t n = 0;

    p->grow_time = retry->grow_time;
    p->grow_mem = retry->grow_mem;
    some.run = arena_array (d->arena, r->count + 1, sizeof (*some.run));
    some.count = 0;
    for (size_t i = 0; i < r->count; i++)
        if (retry->on >> r->run[i].outcome & 1)
            some.run[some.count++] = r->run[i];
    resume_choose (d, &some, p);
    run = arena_array (d->arena, p->runs + 1, sizeof (*run));
    for (size_t i = 0; i < p->runs; i++)
        if (tries (d, p->run[i]) <= retry->times)
            run[n++] = p->run[i];
    p->run = run;
    p->runs = n;
}

static const char *option_text (const struct point *p, const char *name)
{
    for (size_t i = 0; i < p->options; i++)
        if (!strncmp (p->option[i].name, name, strlen (name)))
            return p->option[i].text;
    return NULL;
}

int resume_check_grow (const struct sweepdir *d,
                       const struct resume_plan *p,
                       struct errtext *err)
{
    errno = EINVAL;
    for (size_t i = 0; i < p->runs; i++) {
        const struct point *point = &d->grid->point[p->run[i].point];
        const char *time = option_text (point, "time");
        const char *mem = option_text (point, "mem");

        if (p->grow_time > 0 &&
            (!time || !grow_time (d->arena, time, p->grow_time)))
            return errf (err,
                         "--grow: %s: slurm: time: %s: no limit that can be "
                         "multiplied",
                         point->label, time ? time : "not said");
        if (p->grow_mem > 0 && (!mem || !grow_mem (d->arena, mem, p->grow_mem)))
            return errf (err,
                         "--grow: %s: slurm: mem: %s: no size that can be "
                         "multiplied",
                         point->label, mem ? mem : "not said");
    }
    return 0;
}

int resume_write (struct sweepdir *d,
                  const struct resume_plan *p,
                  struct errtext *err)
{
    struct layout *l = layout_of_runs (d->arena, d->spec, d->grid, p->run,
                                       p->runs, d->max_tasks, d->rounds);

    for (size_t i = 0; i < l->chunks; i++) {
        l->chunk[i].grow_time = p->grow_time;
        l->chunk[i].grow_mem = p->grow_mem;
    }
    return round_write (d->arena, d->path, d->grid, l, d->rounds, err);
}
