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

static int ancestry_number (uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Return 1 if both have the same host and process id. */
static int
ancestry_pid (const struct process *p, const char *host, uint32_t pid)
{
    return strcmp (ancestry_host (p), host)
               ?: ancestry_number (p->who->p.pid, pid);
}

static int ancestry_by_pid (const void *va, const void *vb)
{
    const struct process *a = *(struct process *const *)va;
    const struct process *b = *(struct process *const *)vb;
    int rc = ancestry_pid (a, ancestry_host (b), b->who->p.pid);

    if (rc == 0)
        rc = ancestry_number (a->who->p.start_real, b->who->p.start_real);
    return rc ? rc : a < b ? -1 : a > b; /* one array: its order */
}

/* Return 1 if both belong to the same rank of the same step. */
static int ancestry_rank (const struct shard_process *a,
                          const struct shard_process *b)
{
    int rc = ancestry_number (a->job_id, b->job_id);

    if (rc == 0)
        rc = ancestry_number (a->restart, b->restart);
    if (rc == 0)
        rc = ancestry_number (a->step_id, b->step_id);
    return rc ? rc : a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int ancestry_by_rank (const void *va, const void *vb)
{
    const struct process *a = *(struct process *const *)va;
    const struct process *b = *(struct process *const *)vb;
    return ancestry_rank (&a->who->p, &b->who->p) ?: a < b ? -1 : a > b;
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
    qsort (a->by_pid, t->processes, sizeof (struct process *), ancestry_by_pid);
    qsort (a->by_rank, a->ranked, sizeof (struct process *), ancestry_by_rank);
}

void ancestry_close (struct ancestry *a)
{
    int saved = errno;

    free (a->by_pid);
    free (a->by_rank);
    ZERO (a);
    errno = saved;
}

/* How many of by_pid come before what started after `start` there. */
static size_t ancestry_until (const struct ancestry *a,
                              const char *host,
                              uint32_t pid,
                              uint64_t start)
{
    size_t low = 0, high = a->t->processes;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct process *p = a->by_pid[middle];
        int rc = ancestry_pid (p, host, pid);

        if (rc < 0 || (rc == 0 && p->who->p.start_real <= start))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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

static struct process *ancestry_first_of_rank (const struct ancestry *a,
                                               const struct process *p)
{
    size_t low = 0, high = a->ranked;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ancestry_rank (&a->by_rank[middle]->who->p, &p->who->p) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return a->by_rank[low];
}

struct process *ancestry_head (const struct ancestry *a, struct process *p)
{
    struct process *head = p, *up;

    if (p->who->p.rank >= 0)
        return ancestry_first_of_rank (a, p);
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
    return rc ? rc : launched_order (a->step_id, b->step_id);
}

static int launched_by_rank (const void *va, const void *vb)
{
    const struct shard_process *a = *(const struct shard_process *const *)va;
    const struct shard_process *b = *(const struct shard_process *const *)vb;
    return launched_by_step (a, b) ?: ORDER (a->rank, b->rank);
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
    l->started += MAX (found, started);
    l->reported |= started > 0;
    return at;
}

void launched_count (struct launched *l, const struct totals *t)
{
    const struct shard_process **p = ZEROED (p, t->processes + 1);
    struct launched script = {0, 0, 0};
    size_t n = 0;

    ZERO (l);
    for (size_t i = 0; i < t->processes; i++)
        if (t->process[i].who->p.rank >= 0 &&
            !launched_is_daemon (t->process[i].who))
            p[n++] = &t->process[i].who->p;
    SORT (p, n, launched_by_rank);
    for (size_t at = 0; at < n;)
        at += launched_step (l, &script, p + at, n - at);
    if (!l->found)
        *l = script;
    if (!l->reported)
        l->started = 0;
    free (p);
}
