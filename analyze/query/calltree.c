/* SPDX-License-Identifier: MIT
 *
 * calltree.c - regions of all threads inside each other, with the calls under
 *              them -> one tree
 *
 * In:  events of a job: first its regions and stdio, then the other calls
 * Out: struct calltree, to treetable.c and treewrite.c
 */
#include "config.h"

#include "analyze/query/calltree_work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- the second reading: leaves ---------------------------------------------
 */

/* The innermost frame at that time; NULL: none. */
static const struct calltree_frame *calltree_around (
    const struct calltree_piece *p, struct calltree_worker *one, uint64_t time)
{
    const struct calltree_frame *f = p->frame;
    size_t at = one->at, open;

    if (!p->count)
        return NULL;
    while (at + 1 < p->count && f[at + 1].start <= time)
        at++;
    while (at > 0 && f[at].start > time)
        at--;
    one->at = at;
    if (f[at].start > time)
        return NULL;
    for (open = at + 1; open && f[open - 1].end <= time;)
        open = f[open - 1].parent;
    return open ? &f[open - 1] : NULL;
}

static int calltree_add_leaf (struct calltree_worker *one,
                              uint32_t node,
                              uint16_t call,
                              const struct calltree_leaf *add)
{
    int64_t at = pairs_ordinal (&one->leaves, (uint64_t)node << 32 | call);
    size_t room = one->room ? 2 * one->room : 64;
    struct calltree_leaf *more, *leaf;

    if (at < 0)
        return -1;
    if ((size_t)at >= one->room) {
        if (!(more = reallocarray (one->leaf, room, sizeof (*more))))
            return -1;
        memset (more + one->room, 0, (room - one->room) * sizeof (*more));
        one->leaf = more;
        one->room = room;
    }
    leaf = &one->leaf[at];
    leaf->count += add->count;
    leaf->total += add->total;
    leaf->bytes += add->bytes;
    leaf->inside += add->inside;
    return 0;
}

static int calltree_leaf (struct calltree_work *w,
                          struct calltree_worker *one,
                          const struct batch *b,
                          size_t i,
                          int wanted)
{
    size_t piece = one->piece;
    const struct calltree_frame *f;
    struct calltree_leaf leaf = {0};
    uint64_t end = b->end[i], ns = end - b->start[i];

    while (w->pass.piece[piece].continues)
        piece--;
    f = calltree_around (&w->piece[piece], one, b->start[i]);
    if (f && f->wanted)
        leaf.inside = (f->end < end ? f->end : end) - b->start[i];
    if (wanted)
        leaf = (struct calltree_leaf){
            1, ns, b->bytes_read[i] ? b->bytes_read[i] : b->bytes_written[i],
            leaf.inside};
    return calltree_add_leaf (one, f ? f->node : w->piece[piece].root,
                              b->call[i], &leaf);
}

static int
calltree_take_leaves (void *cookie, int worker, const struct batch *b)
{
    struct calltree_work *w = cookie;
    struct calltree_worker *one = &w->worker[worker];
    unsigned char wanted[BATCH_EVENTS];

    if (evfilter_batch (&one->filter, b, wanted) < 0)
        return -1;
    for (size_t i = 0; i < b->count; i++)
        if (call_table[b->call[i]].category == CALL_CATEGORY_POSIX &&
            calltree_leaf (w, one, b, i, wanted[i]) < 0)
            return -1;
    return 0;
}

static int calltree_put_leaf (struct calltree_work *w,
                              const struct pairs_slot *s,
                              const struct calltree_leaf *leaf)
{
    struct calltree *t = w->tree;
    uint32_t parent = (uint32_t)(s->key >> 32);
    char buf[128];
    int64_t node = calltree_child (
        t, parent,
        calltree_text (w->pass.dict, (uint16_t)s->key, 0, buf, sizeof (buf)));

    if (node < 0)
        return -1;
    t->node[node].count += leaf->count;
    t->node[node].total += leaf->total;
    t->node[node].self += (int64_t)leaf->total;
    t->node[node].bytes += leaf->bytes;
    t->node[parent].self -= (int64_t)leaf->inside;
    return 0;
}

static int calltree_put_leaves (struct calltree_work *w)
{
    for (int i = 0; i < w->pass.workers; i++) {
        const struct calltree_worker *one = &w->worker[i];

        for (size_t k = 0; k < one->leaves.slots; k++) {
            const struct pairs_slot *s = &one->leaves.slot[k];

            if (s->ordinal &&
                calltree_put_leaf (w, s, &one->leaf[s->ordinal - 1]) < 0)
                return -1;
        }
    }
    return 0;
}

/* --- all ------------------------------------------------------------------ */

static int calltree_open (struct calltree_work *w, const struct job *job)
{
    const struct where *where = w->asked->where;
    struct calltree *t = w->tree;

    if (pass_open (&w->pass, job, w->asked->rules, w->asked->threads) < 0)
        return -1;
    w->piece = calloc (w->pass.pieces + 1, sizeof (*w->piece));
    w->worker = calloc ((size_t)w->pass.workers, sizeof (*w->worker));
    t->labels = strmap_create ();
    t->node = calloc (1, sizeof (*t->node));
    if (!w->piece || !w->worker || !t->labels || !t->node)
        return -1;
    t->nodes = 1;
    for (int i = 0; i < w->pass.workers; i++) {
        struct evfilter *f = &w->worker[i].filter;

        f->where = where && where->terms ? where : NULL;
        f->dict = w->pass.dict;
        f->start = job->start ? job->start : parts_start (&w->pass.parts);
    }
    return 0;
}

static void calltree_close (struct calltree_work *w)
{
    for (size_t i = 0; w->piece && i < w->pass.pieces; i++)
        free (w->piece[i].frame);
    for (int i = 0; w->worker && i < w->pass.workers; i++) {
        evfilter_clear (&w->worker[i].filter);
        pairs_clear (&w->worker[i].leaves);
        free (w->worker[i].leaf);
    }
    free (w->piece);
    free (w->worker);
    pass_close (&w->pass);
}

/* What only stands around others lasts as long as these. Nodes come after
 * those above them. */
static int calltree_sum (struct calltree *t)
{
    int64_t *below = calloc (t->nodes, sizeof (*below));

    if (!below)
        return -1;
    for (size_t i = t->nodes; i-- > 0;) {
        struct calltree_node *n = &t->node[i];

        if (!n->count) {
            n->self = 0;
            n->total = below[i] > 0 ? (uint64_t)below[i] : 0;
        }
        if (i)
            below[n->parent] += n->self + below[i];
        below[i] = 0;
    }
    free (below);
    return 0;
}

int calltree_make (struct calltree *t,
                   const struct job *job,
                   const struct calltree_asked *asked,
                   struct errtext *err)
{
    struct calltree_work w = {.tree = t, .asked = asked};
    const struct pass_user frames = {&w, calltree_begin, calltree_take_frames,
                                     NULL, BATCH_ALL};
    const struct pass_user leaves = {&w, calltree_begin, calltree_take_leaves,
                                     NULL, BATCH_ALL};
    int rc = -1;

    memset (t, 0, sizeof (*t));
    errno = 0;
    if (calltree_open (&w, job) == 0 && pass_run (&w.pass, &frames, 1) == 0 &&
        calltree_join (&w) == 0 && pass_run (&w.pass, &leaves, 1) == 0 &&
        calltree_put_leaves (&w) == 0 && calltree_sum (t) == 0)
        rc = 0;
    if (rc < 0)
        (void)errf (err, "%s: %s", job->label,
                    strerror (errno ? errno : ENOMEM));
    else if (asked->where)
        rc = where_check (asked->where, w.pass.dict, err);
    calltree_close (&w);
    if (rc < 0)
        calltree_clear (t);
    return rc;
}

void calltree_clear (struct calltree *t)
{
    strmap_destroy (t->labels);
    free (t->node);
    pairs_clear (&t->children);
    memset (t, 0, sizeof (*t));
}
