/* SPDX-License-Identifier: MIT
 *
 * order.c - repeats and shuffles -> one order; groups and limits -> arrays
 *
 * Caveat: Slurm sorts the indices of an array, so an order can only live in
 * the map from index to run.
 */
#include "config.h"

#include "sweep/plan/order.h"
#include "lib/base/array.h"

uint64_t splitmix64 (uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t splitmix64_below (uint64_t *state, uint64_t n)
{
    uint64_t reject = -n % n, r; /* 2^64 mod n: no value is favoured */

    do
        r = splitmix64 (state);
    while (r < reject);
    return r % n;
}

static uint64_t order_mix (uint64_t seed, uint64_t with)
{
    uint64_t state = seed ^ with * 0xd6e8feb86659fd93u;

    return splitmix64 (&state);
}

uint64_t seed_of_repeat (const struct spec *s, int repeat)
{
    return order_mix (s->seed, (uint64_t)repeat + 1) >>
           33; /* 31 bits: any tool */
}

uint64_t seed_of_run (const struct spec *s, const struct point *p, int repeat)
{
    uint64_t id = 0;

    sscanf (p->digest, "%16lx", &id);
    return order_mix (order_mix (s->seed, id), (uint64_t)repeat + 1) >> 33;
}

static void shuffle (struct run *run, size_t count, uint64_t *state)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = splitmix64_below (state, i);
        struct run swap = run[i - 1];

        run[i - 1] = run[j];
        run[j] = swap;
    }
}

int run_has_paired (const struct spec *s, const struct grid *g, struct run r)
{
    return s->control.paired && run_has_control (s, g, r);
}

int run_has_control (const struct spec *s, const struct grid *g, struct run r)
{
    return g->point[r.point].control && !r.control &&
           r.repeat < s->control.repeats;
}

int run_control_first (const struct spec *s, const struct grid *g, struct run r)
{
    uint64_t state = seed_of_run (s, &g->point[r.point], r.repeat);

    return (int)(splitmix64 (&state) >> 63);
}

/* Block after block: a repeat is one pass over all points. */
static void
order_runs (struct layout *l, const struct spec *s, const struct grid *g)
{
    uint64_t state = s->seed;
    size_t n = 0, most = g->count * (size_t)s->repeats * 2;

    l->run = arena_array (most, sizeof (*l->run));
    for (int r = 0; r < s->repeats; r++) {
        size_t block = n;

        for (size_t p = 0; p < g->count; p++) {
            struct run run = {.point = (int)p, .repeat = r};

            l->run[n++] = run;
            if (!run_has_control (s, g, run) || s->control.paired)
                continue;
            run.control = 1;
            l->run[n++] = run;
        }
        if (s->order == ORDER_BLOCKED)
            shuffle (l->run + block, n - block, &state);
    }
    l->runs = n;
    if (s->order == ORDER_RANDOM)
        shuffle (l->run, n, &state);
}

struct cutting {
    struct layout *layout;
    const char *const *nodes; /* per run, or NULL */
    size_t *run;              /* indices of runs, group after group */
    size_t *end;              /* per group: its end in run */
    int max_tasks, round;
};

static const char *nodes_of (const struct cutting *x, size_t run)
{
    return x->nodes ? x->nodes[run] : NULL;
}

static int same_nodes (const char *x, const char *y)
{
    return x && y ? !strcmp (x, y) : x == y;
}

/* Indices of the runs, by group, in order within it. */
static void sort_by_group (struct cutting *x, const struct grid *g)
{
    const struct layout *l = x->layout;
    size_t groups = g->groups;

    x->run = arena_array (l->runs + 1, sizeof (*x->run));
    x->end = arena_array (groups + 2, sizeof (*x->end));
    for (size_t i = 0; i < l->runs; i++)
        x->end[g->point[l->run[i].point].group + 2]++;
    for (size_t i = 2; i < groups + 2; i++)
        x->end[i] += x->end[i - 1];
    /* end[group + 1] is its beginning, and moves on to its end */
    for (size_t i = 0; i < l->runs; i++)
        x->run[x->end[g->point[l->run[i].point].group + 1]++] = i;
    x->end++;
}

/* The runs of run[from, end) on the nodes of the first, out of the list; what
 * is left of it moves together. */
static struct run *
take_together (struct cutting *x, size_t from, size_t *end, int *count)
{
    const char *nodes = nodes_of (x, x->run[from]);
    struct run *run = arena_array (*end - from, sizeof (*run));
    size_t left = from;

    *count = 0;
    for (size_t i = from; i < *end; i++) {
        if (same_nodes (nodes_of (x, x->run[i]), nodes))
            run[(*count)++] = x->layout->run[x->run[i]];
        else
            x->run[left++] = x->run[i];
    }
    *end = left;
    return run;
}

/* All runs of a group, in order, cut where an array is full. */
static void cut_group (struct cutting *x, int group)
{
    struct layout *l = x->layout;
    size_t first = group ? x->end[group - 1] : 0, end = x->end[group];
    int n = 0, count;

    while (end > first) {
        const char *nodes = nodes_of (x, x->run[first]);
        struct run *run = take_together (x, first, &end, &count);

        for (int from = 0; from < count; n++) {
            struct chunk *c;

            l->chunk = arena_grow (l->chunk, l->chunks, sizeof (*c));
            c = &l->chunk[l->chunks++];
            ZERO (c);
            if (x->round)
                FORMAT (c->name, "a%d.g%d.%d", x->round, group, n);
            else
                FORMAT (c->name, "g%d.%d", group, n);
            c->group = group;
            c->round = x->round;
            c->run = run + from;
            c->count =
                count - from < x->max_tasks ? count - from : x->max_tasks;
            c->nodes = nodes;
            c->after = -1;
            from += c->count;
        }
    }
}

/* The limit is over the whole sweep and Slurm's is per array: share it out,
 * or, when there is less than one for each, let arrays wait for each other. */
static void limit_running (struct layout *l, int max_running, int pack)
{
    int chunks = (int)l->chunks;

    for (int i = 0; (max_running || pack) && i < chunks; i++) {
        struct chunk *c = &l->chunk[i];

        if (pack) {
            c->after = i - 1; /* -1: none */
        } else if (max_running < chunks) {
            c->throttle = 1;
            c->after = i >= max_running ? i - max_running : -1;
        } else {
            c->throttle =
                max_running / chunks + (i < max_running % chunks ? 1 : 0);
        }
    }
}

static void order_cut (struct layout *l,
                       const struct spec *s,
                       const struct grid *g,
                       const struct round_runs *r)
{
    struct cutting x = {.layout = l,
                        .nodes = r->nodes,
                        .max_tasks = s->mode == MODE_PACK ? INT_MAX
                                     : r->max_tasks < 1   ? 1
                                                          : r->max_tasks,
                        .round = r->round};

    sort_by_group (&x, g);
    for (int group = 0; group < g->groups; group++)
        cut_group (&x, group);
    limit_running (l, s->max_running, s->mode == MODE_PACK);
}

struct layout *
layout_make (const struct spec *s, const struct grid *g, int max_tasks)
{
    struct layout *l = arena_alloc (sizeof (*l));

    order_runs (l, s, g);
    order_cut (l, s, g, &(struct round_runs){.max_tasks = max_tasks});
    return l;
}

struct layout *layout_of_runs (const struct spec *s,
                               const struct grid *g,
                               const struct round_runs *r)
{
    struct layout *l = arena_alloc (sizeof (*l));

    l->runs = r->runs;
    l->run = arena_array (r->runs + 1, sizeof (*l->run));
    memcpy (l->run, r->run, r->runs * sizeof (*l->run));
    order_cut (l, s, g, r);
    return l;
}

int chunk_jobs (const struct chunk *c, enum sweep_mode mode)
{
    return mode == MODE_PACK ? 1 : c->count;
}

size_t layout_waves (const struct layout *l, enum sweep_mode mode, int wave)
{
    size_t waves = 1;
    int in_wave = 0;

    for (size_t i = 0; wave && i < l->chunks; i++) {
        int jobs = chunk_jobs (&l->chunk[i], mode);

        if (in_wave && in_wave + jobs > wave) {
            waves++;
            in_wave = 0;
        }
        in_wave += jobs;
    }
    return waves;
}

const char *run_id (const struct grid *g, struct run r)
{
    return arena_format ("%s.r%d%s", g->point[r.point].id, r.repeat,
                         r.control ? "c" : "");
}
