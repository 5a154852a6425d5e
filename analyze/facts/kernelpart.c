/* SPDX-License-Identifier: MIT
 *
 * kernelpart.c - blocks of one process, by the library and by layer kernel
 */
#include "config.h"

#include "analyze/facts/kernelpart.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format/usagekeys.h"
#include "lib/format/layers.h"

static int kernelpart_is (const struct process *p)
{
    return p->who->p.layers == LAYER_KERNEL;
}

static int kernelpart_order (const void *a, const void *b)
{
    const struct process *x = *(const struct process *const *)a;
    const struct process *y = *(const struct process *const *)b;
    int order = strcmp (x->who->text[SHARD_STRING_HOST],
                        y->who->text[SHARD_STRING_HOST]);

    return order ? order
                 : (x->who->p.pid > y->who->p.pid) -
                       (x->who->p.pid < y->who->p.pid);
}

/* ns that both were there; 0: never. */
static uint64_t kernelpart_overlap (const struct process *a,
                                    const struct process *b)
{
    uint64_t from = a->start > b->start ? a->start : b->start;
    uint64_t to = a->end < b->end ? a->end : b->end;

    return to >= from ? to - from + 1 : 0;
}

/* Of the n of the library, sorted: the one that p is part of, or p. */
static const struct process *
kernelpart_whole (const struct process *p, const struct process **of, size_t n)
{
    const struct process *best = p;
    size_t low = 0, high = n;
    uint64_t most = 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (kernelpart_order (&of[middle], &p) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n && kernelpart_order (&of[low], &p) == 0; low++)
        if (kernelpart_overlap (p, of[low]) > most) {
            most = kernelpart_overlap (p, of[low]);
            best = of[low];
        }
    return best;
}

size_t *kernelpart_find (const struct totals *t)
{
    size_t *whole = calloc (t->processes + 1, sizeof (*whole));
    const struct process **of =
        calloc (t->processes + 1, sizeof (struct process *));
    size_t n = 0;

    for (size_t i = 0; of && i < t->processes; i++)
        if (!kernelpart_is (&t->process[i]))
            of[n++] = &t->process[i];
    if (n > 1)
        qsort (of, n, sizeof (struct process *), kernelpart_order);
    for (size_t i = 0; whole && of && i < t->processes; i++)
        whole[i] = kernelpart_is (&t->process[i])
                       ? (size_t)(kernelpart_whole (&t->process[i], of, n) -
                                  t->process)
                       : i;
    if (!of) {
        free (whole);
        whole = NULL;
    }
    free (of);
    return whole;
}

int kernelpart_join (struct totals *t, const size_t *whole)
{
    for (size_t i = 0; i < t->processes; i++) {
        struct mm_log *from = &t->process[i].mm, *to;

        if (!(from->sources & MM_KERNEL))
            continue;
        from->lost.faults += t->process[i].who->p.lost_space;
        if (whole[i] == i)
            continue;
        to = &t->process[whole[i]].mm;
        if (!(to->sources & MM_KERNEL)) /* else another piece of it did */
            to->faults.count = to->watched.count = 0;
        to->lost.faults = 0;
        if (mmlog_append (to, from) < 0)
            return -1;
        mmlog_clear (from);
    }
    return 0;
}
