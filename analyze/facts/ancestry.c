/* SPDX-License-Identifier: MIT
 *
 * ancestry.c - which process of a job another one came from
 *
 * In:  processes with their host, pid, parent and start, from load.c
 * Out: parents and heads of ranks, to summary.c
 */
#include "config.h"

#include "analyze/facts/ancestry.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

static const char *ancestry_host (const struct process *p)
{
    return p->who->text[SHARD_STRING_HOST];
}

static int
ancestry_pid (const struct process *p, const char *host, uint32_t pid)
{
    return strcmp (ancestry_host (p), host) ?: ORDER (p->who->p.pid, pid);
}

static int ancestry_by_pid (const void *va, const void *vb)
{
    const struct process *a = *(struct process *const *)va;
    const struct process *b = *(struct process *const *)vb;

    return ancestry_pid (a, ancestry_host (b), b->who->p.pid)
               ?: ORDER (a->who->p.start_real, b->who->p.start_real)
               ?: ORDER (a, b); /* one array: its order */
}

static int ancestry_step (const struct shard_process *a,
                          const struct shard_process *b)
{
    return ORDER (a->job_id, b->job_id)
               ?: ORDER (a->restart, b->restart)
               ?: ORDER (a->step_id, b->step_id);
}

static int ancestry_rank (const struct shard_process *a,
                          const struct shard_process *b)
{
    return ancestry_step (a, b) ?: ORDER (a->rank, b->rank);
}

static int ancestry_by_rank (const void *va, const void *vb)
{
    const struct process *a = *(struct process *const *)va;
    const struct process *b = *(struct process *const *)vb;

    return ancestry_rank (&a->who->p, &b->who->p) ?: ORDER (a, b);
}

void ancestry_open (struct ancestry *a, struct totals *t)
{
    ZERO (a);
    a->t = t;
    NEW (a->by_pid, t->processes + 1);
    NEW (a->by_rank, t->processes + 1);
    for (size_t i = 0; i < t->processes; i++) {
        a->by_pid[i] = &t->process[i];
        if (t->process[i].who->p.rank >= 0)
            a->by_rank[a->ranked++] = &t->process[i];
    }
    SORT (a->by_pid, t->processes, ancestry_by_pid);
    SORT (a->by_rank, a->ranked, ancestry_by_rank);
}

void ancestry_close (struct ancestry *a)
{
    int saved = errno;

    free (a->by_pid);
    free (a->by_rank);
    ZERO (a);
    errno = saved;
}

static int ancestry_until_order (const struct process *p,
                                 const char *host,
                                 uint32_t pid,
                                 uint64_t start)
{
    return ancestry_pid (p, host, pid) ?: ORDER (p->who->p.start_real, start);
}

/* How many of by_pid come before what started after `start` there. */
static size_t ancestry_until (const struct ancestry *a,
                              const char *host,
                              uint32_t pid,
                              uint64_t start)
{
    return FIRST_NOT (a->t->processes, i,
                      ancestry_until_order (a->by_pid[i], host, pid, start) <=
                          0);
}

struct process *const *
ancestry_same (const struct ancestry *a, const struct process *p, size_t *n)
{
    const char *host = ancestry_host (p);
    uint32_t pid = p->who->p.pid;
    size_t first = FIRST_NOT (a->t->processes, i,
                              ancestry_pid (a->by_pid[i], host, pid) < 0);

    *n = ancestry_until (a, host, pid, UINT64_MAX) - first;
    return a->by_pid + first;
}

/* The youngest process with this id that is not younger than p; of several
 * that started at the same time the first. */
static struct process *ancestry_youngest (const struct ancestry *a,
                                          const struct process *p,
                                          uint32_t pid)
{
    const char *host = ancestry_host (p);
    struct process *found = NULL, *q;

    for (size_t i = ancestry_until (a, host, pid, p->who->p.start_real);
         i-- > 0;) {
        q = a->by_pid[i];
        if (ancestry_pid (q, host, pid) != 0 ||
            (found && q->who->p.start_real != found->who->p.start_real))
            break;
        if (q != p)
            found = q;
    }
    return found;
}

struct process *ancestry_parent (const struct ancestry *a,
                                 const struct process *p)
{
    struct process *before = ancestry_youngest (a, p, p->who->p.pid);

    if (before || p->who->p.ppid == p->who->p.pid)
        return before;
    return ancestry_youngest (a, p, p->who->p.ppid);
}

struct process *ancestry_head (const struct ancestry *a, struct process *p)
{
    struct process *head = p, *up;

    if (p->who->p.rank >= 0)
        return a->by_rank[FIRST_NOT (
            a->ranked, i,
            ancestry_rank (&a->by_rank[i]->who->p, &p->who->p) < 0)];
    for (size_t depth = 0; depth < a->t->processes; depth++) {
        if (!(up = ancestry_parent (a, head)) || up->who->p.rank >= 0)
            break;
        head = up;
    }
    return head;
}

int ancestry_replaced (const struct ancestry *a, const struct process *p)
{
    size_t after =
        ancestry_until (a, ancestry_host (p), p->who->p.pid, UINT64_MAX);

    return a->by_pid[after - 1] != p;
}

/* --- processes with a rank -> ranks found and ranks started -----------------
 */

/* Slurm's numbers of steps that are none of srun: interactive, batch, extern.
 */
#define LAUNCHED_STEP_SPECIAL 0xfffffff0

/* Return 1 for the daemons that mpirun starts on each node: srun calls them
 * ranks. */
static const char *const launched_daemons[] = {
    "orted",    "prted", "prte", "hydra_pmi_proxy", "hydra_bstrap_proxy",
    "pmi_proxy"};

static int launched_is_daemon (const struct trace_process *who)
{
    const char *exe = who->text[SHARD_STRING_EXE];
    const char *slash = exe ? strrchr (exe, '/') : NULL;

    for (size_t i = 0; slash && i < ITEMS (launched_daemons); i++)
        if (strcmp (slash + 1, launched_daemons[i]) == 0)
            return 1;
    return 0;
}

static int launched_in_script (const struct shard_process *p)
{
    return p->job_id && (p->step_id < 0 || p->step_id >= LAUNCHED_STEP_SPECIAL);
}

/* Count the step of the first of n processes; return how many it has. */
static size_t launched_step (struct launched *l,
                             struct launched *script,
                             const struct process *const *p,
                             size_t n)
{
    const struct shard_process *first = &p[0]->who->p, *before = NULL;
    size_t found = 0, started = 0, at = 0;

    for (; at < n && ancestry_step (first, &p[at]->who->p) == 0; at++) {
        const struct shard_process *one = &p[at]->who->p;

        found += !before || one->rank != before->rank;
        started = MAX (started, one->ranks);
        before = one;
    }
    if (launched_in_script (first) && found == 1 && first->rank == 0)
        l = script;
    l->found += found;
    l->started += MAX (found, started);
    l->reported |= started > 0;
    return at;
}

void launched_count (struct launched *l, const struct totals *t)
{
    const struct process **p = ZEROED (p, t->processes + 1);
    struct launched script = {0, 0, 0};
    size_t n = 0;

    ZERO (l);
    for (size_t i = 0; i < t->processes; i++)
        if (t->process[i].who->p.rank >= 0 &&
            !launched_is_daemon (t->process[i].who))
            p[n++] = &t->process[i];
    SORT (p, n, ancestry_by_rank);
    for (size_t at = 0; at < n;)
        at += launched_step (l, &script, p + at, n - at);
    if (!l->found)
        *l = script;
    if (!l->reported)
        l->started = 0;
    free (p);
}
