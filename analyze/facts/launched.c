/* SPDX-License-Identifier: MIT
 *
 * launched.c - processes with a rank -> ranks found and ranks started
 *
 * In:  job, restart, step, rank and number of ranks of each process
 * Out: struct launched, to summary.c
 */
#include "config.h"

#include "analyze/facts/launched.h"

#include <stdlib.h>
#include <string.h>

/* Slurm's numbers of steps that are none of srun: interactive, batch, extern.
 */
#define LAUNCHED_STEP_SPECIAL 0xfffffff0

/* What mpirun runs on each node: srun calls them ranks. */
static const char *const launched_daemons[] = {
    "orted",    "prted", "prte", "hydra_pmi_proxy", "hydra_bstrap_proxy",
    "pmi_proxy"};

static int launched_is_daemon (const struct trace_process *who)
{
    const char *exe = who->text[SHARD_STRING_EXE];
    const char *slash = exe ? strrchr (exe, '/') : NULL;

    for (size_t i = 0;
         slash && i < sizeof (launched_daemons) / sizeof (launched_daemons[0]);
         i++)
        if (strcmp (slash + 1, launched_daemons[i]) == 0)
            return 1;
    return 0;
}

static int launched_order (uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int launched_by_step (const struct shard_process *a,
                             const struct shard_process *b)
{
    int rc = launched_order (a->job_id, b->job_id);

    if (rc == 0)
        rc = launched_order (a->restart, b->restart);
    return rc ? rc
              : launched_order ((uint64_t)a->step_id, (uint64_t)b->step_id);
}

static int launched_by_rank (const void *va, const void *vb)
{
    const struct shard_process *a = *(const struct shard_process *const *)va;
    const struct shard_process *b = *(const struct shard_process *const *)vb;
    int rc = launched_by_step (a, b);

    return rc ? rc : (a->rank > b->rank) - (a->rank < b->rank);
}

static int launched_in_script (const struct shard_process *p)
{
    return p->job_id && (p->step_id < 0 || p->step_id >= LAUNCHED_STEP_SPECIAL);
}

/* One step: p[0] up to p[n]. Returns n. */
static size_t launched_step (struct launched *l,
                             struct launched *script,
                             const struct shard_process *const *p,
                             size_t n)
{
    size_t found = 0, started = 0, at = 0;

    for (; at < n && launched_by_step (p[0], p[at]) == 0; at++) {
        found += at == 0 || p[at]->rank != p[at - 1]->rank;
        if (p[at]->ranks > started)
            started = p[at]->ranks;
    }
    if (launched_in_script (p[0]) && found == 1 && p[0]->rank == 0)
        l = script;
    l->found += found;
    l->started += started < found ? found : started;
    l->said |= started > 0;
    return at;
}

int launched_count (struct launched *l, const struct totals *t)
{
    const struct shard_process **p = calloc (t->processes + 1, sizeof (*p));
    struct launched script = {0, 0, 0};
    size_t n = 0;

    memset (l, 0, sizeof (*l));
    if (!p)
        return -1;
    for (size_t i = 0; i < t->processes; i++)
        if (t->process[i].who->p.rank >= 0 &&
            !launched_is_daemon (t->process[i].who))
            p[n++] = &t->process[i].who->p;
    qsort (p, n, sizeof (*p), launched_by_rank);
    for (size_t at = 0; at < n;)
        at += launched_step (l, &script, p + at, n - at);
    if (!l->found)
        *l = script;
    if (!l->said)
        l->started = 0;
    free (p);
    return 0;
}
