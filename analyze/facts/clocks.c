/* SPDX-License-Identifier: MIT
 *
 * clocks.c - how far the clocks of the nodes are apart
 *
 * In:  barrier regions and starts of processes, from load.c
 * Out: an offset for each node, to viewrows.c, and into traces for cmd_merge.c
 */
#include "config.h"

#include "analyze/facts/clocks.h"
#include "lib/base/array.h"
#include "lib/util/spool.h"
#include "lib/util/xalloc.h"

/* When each node left its barriers; numbers are those of the barriers. */
struct leaves {
    uint64_t *at; /* owned; ns */
    size_t count;
    int unequal; /* its processes passed different numbers of them */
};

static int64_t middle (int64_t *value, size_t n)
{
    return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

static int by_value (const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return ORDER (x, y);
}

/* Median of n > 0 values, and of their distances from it. */
static void clocks_settle (struct node_clock *node, int64_t *value, size_t n)
{
    SORT (value, n, by_value);
    node->events = n;
    node->offset = middle (value, n);
    for (size_t i = 0; i < n; i++)
        value[i] = llabs (value[i] - node->offset);
    SORT (value, n, by_value);
    node->spread = middle (value, n);
}

/* --- barriers ------------------------------------------------------------ */

static int clocks_by_end (const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    return ORDER (x->end, y->end);
}

/* The earliest of the node's processes to leave counts: others are held up by
 * their own node. */
static void add_process (struct leaves *l, const struct process *p)
{
    const struct marks *m = &p->marks[MARK_BARRIER];
    struct mark *sorted;

    if (!m->count)
        return;
    if (l->at && l->count != m->count)
        l->unequal = 1;
    if (l->unequal)
        return;
    if (!l->at) {
        NEW (l->at, m->count);
        l->count = m->count;
    }
    NEW (sorted, m->count);
    memcpy (sorted, m->item, m->count * sizeof (*sorted));
    SORT (sorted, m->count, clocks_by_end);
    for (size_t i = 0; i < m->count; i++)
        if (!l->at[i] || sorted[i].end < l->at[i])
            l->at[i] = sorted[i].end;
    free (sorted);
}

static void compare_barriers (struct node_clock *node,
                              const struct leaves *own,
                              const struct leaves *first)
{
    int64_t *apart;

    if (!first->at || !own->at || first->unequal || own->unequal ||
        own->count != first->count)
        return;
    NEW (apart, own->count);
    for (size_t i = 0; i < own->count; i++)
        apart[i] = own->at[i] - first->at[i];
    node->source = CLOCK_BARRIERS;
    clocks_settle (node, apart, own->count);
    free (apart);
}

/* --- starts ----------------------------------------------------------------
 */

/* When the first rank of a step started on a node; 0: none did. */
static uint64_t
first_start (const struct totals *t, const char *host, const struct process *as)
{
    uint64_t start = 0;

    for (size_t i = 0; i < t->processes; i++) {
        const struct trace_process *who = t->process[i].who;

        if (who->p.rank >= 0 && who->p.step_id == as->who->p.step_id &&
            who->p.job_id == as->who->p.job_id &&
            who->p.restart == as->who->p.restart &&
            strcmp (who->text[SHARD_STRING_HOST], host) == 0 &&
            (!start || who->p.start_real < start))
            start = who->p.start_real;
    }
    return start;
}

/* One step is enough for what it is worth. */
static void compare_starts (struct node_clock *node,
                            const char *first,
                            const struct totals *t)
{
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];
        uint64_t own, other;

        if (p->who->p.rank < 0 ||
            strcmp (p->who->text[SHARD_STRING_HOST], first) != 0)
            continue;
        own = first_start (t, node->host, p);
        other = first_start (t, first, p);
        if (!own || !other)
            continue;
        node->source = CLOCK_STARTS;
        node->events = 1;
        node->offset = own - other;
        return;
    }
}

/* --- all nodes ---------------------------------------------------------------
 */

static void find_nodes (struct clocks *c, const struct totals *t)
{
    NEW (c->node, t->processes + 1);
    for (size_t i = 0; i < t->processes; i++) { /* sorted by host */
        const char *host = t->process[i].who->text[SHARD_STRING_HOST];

        if (!c->nodes || strcmp (c->node[c->nodes - 1].host, host) != 0)
            c->node[c->nodes++].host = host;
    }
}

static void find_leaves (struct leaves *leaves,
                         const struct clocks *c,
                         const struct totals *t)
{
    size_t node = 0;

    for (size_t i = 0; i < t->processes; i++) {
        while (strcmp (c->node[node].host,
                       t->process[i].who->text[SHARD_STRING_HOST]) != 0)
            node++;
        add_process (&leaves[node], &t->process[i]);
    }
}

void clocks_make (struct clocks *c, const struct totals *t)
{
    struct leaves *leaves = NULL;

    ZERO (c);
    find_nodes (c, t);
    NEW (leaves, c->nodes + 1);
    find_leaves (leaves, c, t);
    if (c->nodes)
        c->node[0].source = CLOCK_SELF;
    for (size_t i = 1; i < c->nodes; i++) {
        compare_barriers (&c->node[i], &leaves[i], &leaves[0]);
        if (c->node[i].source == CLOCK_NONE)
            compare_starts (&c->node[i], c->node[0].host, t);
    }
    for (size_t i = 0; leaves && i < c->nodes; i++)
        free (leaves[i].at);
    free (leaves);
}

void clocks_clear (struct clocks *c)
{
    int saved = errno;

    free (c->node);
    ZERO (c);
    errno = saved;
}

const char *clock_source_name (enum clock_source source)
{
    static const char *const names[] = {
        [CLOCK_NONE] = "n/a",
        [CLOCK_SELF] = "reference",
        [CLOCK_BARRIERS] = "barriers",
        [CLOCK_STARTS] = "starts",
    };

    return names[source];
}

/* --- into the traces --------------------------------------------------------
 */

static void apply (struct job *job, const struct node_clock *node)
{
    for (size_t i = 0; i < job->sources; i++) {
        struct tracefile *f = job->source[i].file;

        for (size_t p = 0; f && p < tracefile_processes (f); p++) {
            const struct trace_process *who = tracefile_process (f, p);

            if (strcmp (who->text[SHARD_STRING_HOST], node->host) == 0)
                tracefile_shift_clock (f, p, node->offset);
        }
    }
}

int clocks_align (struct job *job, size_t *aligned, struct errtext *err)
{
    static const struct kind_rules rules;
    struct totals t;
    struct clocks c;

    *aligned = 0;
    if (totals_load (&t, job, &rules, NULL, 0, err) < 0)
        return -1;
    clocks_make (&c, &t);
    for (size_t i = 1; i < c.nodes; i++)
        if (c.node[i].source == CLOCK_BARRIERS) {
            apply (job, &c.node[i]);
            ++*aligned;
        }
    clocks_clear (&c);
    totals_clear (&t);
    return 0;
}
