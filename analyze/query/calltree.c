/* SPDX-License-Identifier: MIT
 *
 * calltree.c - nested regions of all threads and the calls in them -> one tree
 *
 * In:  events of a job: first its regions and stdio, then the other calls
 * Out: struct calltree, to treetable.c
 */

/* Design. A call tree (calltree.h) takes two readings: the first one finds
 * regions and calls of stdio, sorts those of a thread by their starts and
 * puts each below the innermost one that is open; the second one finds for
 * each other call the frame around its start, next to that of the call
 * before. */

#include "config.h"

#include "analyze/query/calltree.h"
#include "analyze/scan/evfilter.h"
#include "analyze/scan/pass.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

/* A region, or a call of stdio. */
struct calltree_frame {
    uint64_t start, end;
    uint32_t name; /* dictionary; 0: the call itself */
    uint16_t call;
    uint8_t wanted;
    uint32_t node;
    uint32_t parent; /* index + 1 in the same thread; 0: none */
};

struct calltree_split {
    struct calltree_frame *frame; /* owned; of the first split of a thread: all
                                     of the thread, by their starts */
    size_t count, room;
    uint32_t root; /* node */
};

/* Sums of one call below one node, counted by one worker. */
struct calltree_leaf {
    uint64_t count, total, bytes, inside;
};

struct calltree_worker {
    struct evfilter filter;
    size_t split, at;           /* at: the frame looked at last */
    struct pairs leaves;        /* node, call -> leaf */
    struct calltree_leaf *leaf; /* owned */
    size_t room;
};

struct calltree_work {
    struct calltree *tree;
    const struct calltree_asked *asked;
    struct pass pass;
    struct calltree_split *split;   /* owned */
    struct calltree_worker *worker; /* owned */
};

static int calltreeorder_compare (const void *a, const void *b, void *tree)
{
    const struct calltree *t = tree;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct calltree_node *p = &t->node[x], *q = &t->node[y];

    return ORDER (p->parent, q->parent)
           ?: ORDER (q->total, p->total)
           ?: strcmp (calltree_label (t, x), calltree_label (t, y));
}

/* Whose subtree counts any event. */
static unsigned char *calltreeorder_used (const struct calltree *t)
{
    unsigned char *used = ZEROED (used, t->nodes);

    for (size_t i = t->nodes; i-- > 0;) {
        used[i] |= t->node[i].count > 0;
        used[t->node[i].parent] |= used[i];
    }
    return used;
}

uint32_t *calltree_order (const struct calltree *t, size_t *n)
{
    uint32_t *child = ZEROED (child, t->nodes);
    uint32_t *first = ZEROED (first, t->nodes + 1);
    uint32_t *order = ZEROED (order, t->nodes);
    uint32_t *open = ZEROED (open, t->nodes);
    unsigned char *used = calltreeorder_used (t);
    size_t children = 0, depth = 0;

    *n = 0;
    for (size_t i = 1; i < t->nodes; i++)
        if (used[i])
            child[children++] = (uint32_t)i;
    qsort_r (child, children, sizeof (*child), calltreeorder_compare,
             (void *)(uintptr_t)t);
    for (size_t i = children; i-- > 0;)
        first[t->node[child[i]].parent] = (uint32_t)i + 1;
    order[(*n)++] = CALLTREE_ROOT;
    if (first[CALLTREE_ROOT])
        open[depth++] = first[CALLTREE_ROOT] - 1;
    while (depth > 0) {
        uint32_t at = open[--depth], node = child[at];

        order[(*n)++] = node;
        if (at + 1 < children &&
            t->node[child[at + 1]].parent == t->node[node].parent)
            open[depth++] = at + 1;
        if (first[node])
            open[depth++] = first[node] - 1;
    }
    free (child);
    free (first);
    free (open);
    free (used);
    return order;
}

/* --- nodes ---------------------------------------------------------------- */

const char *calltree_label (const struct calltree *t, size_t node)
{
    return node == CALLTREE_ROOT
               ? "all"
               : strmap_key (t->labels, t->node[node].label, NULL);
}

/* The index of the node below parent. */
static uint32_t
calltree_child (struct calltree *t, uint32_t parent, const char *label)
{
    uint32_t name =
        (uint32_t)strmap_intern (t->labels, label, strlen (label), NULL);
    uint32_t at = 1 + (uint32_t)pairs_ordinal (&t->children,
                                               (uint64_t)parent << 32 | name);
    struct calltree_node *node;

    if (at < t->nodes)
        return at;
    node = APPEND (t->node, t->nodes, t->room);
    node->parent = parent;
    node->label = name;
    node->depth = t->node[parent].depth + 1;
    return at;
}

/* "compute/forward", "POSIX/read". Returns buf. */
static const char *calltree_text (
    const struct dict *d, uint16_t call, uint32_t name, char *buf, size_t room)
{
    const struct call_info *info = &call_table[call];
    const struct dict_entry *e = dict_entry_of (d, name, SHARD_NAME_EVENT);

    snprintf (buf, room, "%s/%s",
              e ? e->text : call_category_name (info->category),
              e ? dict_region_name (e) : info->name);
    return buf;
}

/* --- the first reading: frames ----------------------------------------------
 */

static int calltree_is_frame (const struct batch *b, size_t i)
{
    int category = call_table[b->call[i]].category;

    return b->call[i] != CALL_metadata &&
           (category == CALL_CATEGORY_APP || category == CALL_CATEGORY_STDIO);
}

static void calltree_begin (void *cookie, size_t split, int worker)
{
    struct calltree_work *w = cookie;

    w->worker[worker].split = split;
    w->worker[worker].at = 0;
}

static void calltree_add_frame (struct calltree_split *p,
                                const struct batch *b,
                                size_t i,
                                int wanted)
{
    *APPEND (p->frame, p->count, p->room) = (struct calltree_frame){
        .start = b->start[i],
        .end = b->end[i],
        .name = call_table[b->call[i]].category == CALL_CATEGORY_APP
                    ? b->name[i]
                    : 0,
        .call = b->call[i],
        .wanted = (uint8_t)wanted};
}

static int
calltree_take_frames (void *cookie, int worker, const struct batch *b)
{
    struct calltree_work *w = cookie;
    struct calltree_worker *one = &w->worker[worker];
    unsigned char wanted[BATCH_EVENTS];

    evfilter_batch (&one->filter, b, wanted);
    for (size_t i = 0; i < b->count; i++)
        if (calltree_is_frame (b, i))
            calltree_add_frame (&w->split[one->split], b, i, wanted[i]);
    return 0;
}

/* --- frames inside each other -----------------------------------------------
 */

/* Those that end later are outside; of equal ones the later event. */
static int calltree_by_start (const void *a, const void *b)
{
    const struct calltree_frame *x = a, *y = b;

    return ORDER (x->start, y->start)
           ?: ORDER (y->end, x->end)
           /* parent: the place among all, for now */
           ?: ORDER (y->parent, x->parent);
}

static void calltree_place (struct calltree_work *w,
                            struct calltree_frame *frame,
                            size_t i,
                            uint32_t root)
{
    struct calltree_frame *f = &frame[i];
    struct calltree_frame *above = f->parent ? &frame[f->parent - 1] : NULL;
    struct calltree *t = w->tree;
    uint32_t parent = above ? above->node : root;
    uint64_t end = above && above->end < f->end ? above->end : f->end;
    char buf[KEYS_WORD_MAX + 2048];
    uint32_t node = parent;

    if (t->node[parent].depth < CALLTREE_DEPTH_MAX)
        node = calltree_child (
            t, parent,
            calltree_text (w->pass.dict, f->call, f->name, buf, sizeof (buf)));
    f->node = node;
    if (above && above->wanted)
        t->node[parent].self -= (int64_t)(end - f->start);
    if (!f->wanted)
        return;
    t->node[node].count++;
    t->node[node].total += f->end - f->start;
    t->node[node].self += (int64_t)(f->end - f->start);
}

static void calltree_nest (struct calltree_work *w, struct calltree_split *p)
{
    uint32_t open = 0; /* index + 1 */

    for (size_t i = 0; i < p->count; i++)
        p->frame[i].parent = (uint32_t)i;
    if (p->count)
        SORT (p->frame, p->count, calltree_by_start);
    for (size_t i = 0; i < p->count; i++) {
        while (open && p->frame[open - 1].end <= p->frame[i].start)
            open = p->frame[open - 1].parent;
        p->frame[i].parent = open;
        calltree_place (w, p->frame, i, p->root);
        open = (uint32_t)i + 1;
    }
}

/* The node that stands for the thread. */
static uint32_t calltree_thread (struct calltree_work *w,
                                 const struct pass_split *split)
{
    const struct trace_process *who = w->pass.parts.item[split->process].who;
    const char *host = who->text[SHARD_STRING_HOST];
    char buf[512];

    switch (w->asked->by) {
    case GROUP_host:
        FORMAT (buf, "%s", host);
        break;
    case GROUP_rank:
        FORMAT (buf, who->p.rank < 0 ? "no rank" : "rank %d", who->p.rank);
        break;
    case GROUP_process:
        FORMAT (buf, "%s:%u", host, who->p.pid);
        break;
    case GROUP_thread:
        FORMAT (buf, "%s:%u:%u", host, who->p.pid, split->tid);
        break;
    default:
        return CALLTREE_ROOT;
    }
    return calltree_child (w->tree, CALLTREE_ROOT, buf);
}

/* Put the frames of each thread, which are with its first split then, inside
 * each other, in the tree. */
static void calltree_join (struct calltree_work *w)
{
    size_t first = 0;

    for (size_t i = 0; i < w->pass.splits; i++) {
        struct calltree_split *p = &w->split[i], *to = &w->split[first];

        if (!w->pass.split[i].continues) {
            first = i;
            continue;
        }
        GROW (to->frame, to->room, to->count + p->count);
        if (p->count)
            memcpy (to->frame + to->count, p->frame,
                    p->count * sizeof (*p->frame));
        to->count += p->count;
        free (p->frame);
        *p = (struct calltree_split){.frame = NULL};
    }
    for (size_t i = 0; i < w->pass.splits; i++) {
        w->split[i].root = calltree_thread (w, &w->pass.split[i]);
        calltree_nest (w, &w->split[i]);
    }
}

/* --- the second reading: leaves ---------------------------------------------
 */

/* The innermost frame at that time; NULL: none. */
static const struct calltree_frame *calltree_around (
    const struct calltree_split *p, struct calltree_worker *one, uint64_t time)
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

static void calltree_add_leaf (struct calltree_worker *one,
                               uint32_t node,
                               uint16_t call,
                               const struct calltree_leaf *add)
{
    int64_t at = pairs_ordinal (&one->leaves, (uint64_t)node << 32 | call);
    struct calltree_leaf *leaf;

    GROW_ZEROED (one->leaf, one->room, (size_t)at + 1);
    leaf = &one->leaf[at];
    leaf->count += add->count;
    leaf->total += add->total;
    leaf->bytes += add->bytes;
    leaf->inside += add->inside;
}

static void calltree_leaf (struct calltree_work *w,
                           struct calltree_worker *one,
                           const struct batch *b,
                           size_t i,
                           int wanted)
{
    size_t split = one->split;
    const struct calltree_frame *f;
    struct calltree_leaf leaf = {0};
    uint64_t end = b->end[i], ns = end - b->start[i];

    while (w->pass.split[split].continues)
        split--;
    f = calltree_around (&w->split[split], one, b->start[i]);
    if (f && f->wanted)
        leaf.inside = MIN (f->end, end) - b->start[i];
    if (wanted)
        leaf = (struct calltree_leaf){
            1, ns, b->bytes_read[i] ? b->bytes_read[i] : b->bytes_written[i],
            leaf.inside};
    calltree_add_leaf (one, f ? f->node : w->split[split].root, b->call[i],
                       &leaf);
}

static int
calltree_take_leaves (void *cookie, int worker, const struct batch *b)
{
    struct calltree_work *w = cookie;
    struct calltree_worker *one = &w->worker[worker];
    unsigned char wanted[BATCH_EVENTS];

    evfilter_batch (&one->filter, b, wanted);
    for (size_t i = 0; i < b->count; i++)
        if (call_table[b->call[i]].category == CALL_CATEGORY_POSIX)
            calltree_leaf (w, one, b, i, wanted[i]);
    return 0;
}

static void calltree_put_leaf (struct calltree_work *w,
                               const struct pairs_slot *s,
                               const struct calltree_leaf *leaf)
{
    struct calltree *t = w->tree;
    uint32_t parent = (uint32_t)(s->key >> 32);
    char buf[128];
    uint32_t node = calltree_child (
        t, parent,
        calltree_text (w->pass.dict, (uint16_t)s->key, 0, buf, sizeof (buf)));

    t->node[node].count += leaf->count;
    t->node[node].total += leaf->total;
    t->node[node].self += (int64_t)leaf->total;
    t->node[node].bytes += leaf->bytes;
    t->node[parent].self -= (int64_t)leaf->inside;
}

static void calltree_put_leaves (struct calltree_work *w)
{
    for (int i = 0; i < w->pass.workers; i++) {
        const struct calltree_worker *one = &w->worker[i];

        for (size_t k = 0; k < one->leaves.slots; k++) {
            const struct pairs_slot *s = &one->leaves.slot[k];

            if (s->ordinal)
                calltree_put_leaf (w, s, &one->leaf[s->ordinal - 1]);
        }
    }
}

/* --- all ------------------------------------------------------------------ */

static void calltree_open (struct calltree_work *w, const struct job *job)
{
    const struct where *where = w->asked->where;
    struct calltree *t = w->tree;

    pass_open (&w->pass, job, w->asked->rules, w->asked->threads);
    NEW (w->split, w->pass.splits + 1);
    NEW (w->worker, w->pass.workers);
    t->labels = strmap_create ();
    APPEND (t->node, t->nodes, t->room);
    for (int i = 0; i < w->pass.workers; i++) {
        struct evfilter *f = &w->worker[i].filter;

        f->where = where && where->terms ? where : NULL;
        f->dict = w->pass.dict;
        f->start = job->start ? job->start : parts_start (&w->pass.parts);
    }
}

static void calltree_close (struct calltree_work *w)
{
    for (size_t i = 0; i < w->pass.splits; i++)
        free (w->split[i].frame);
    for (int i = 0; i < w->pass.workers; i++) {
        evfilter_clear (&w->worker[i].filter);
        pairs_clear (&w->worker[i].leaves);
        free (w->worker[i].leaf);
    }
    free (w->split);
    free (w->worker);
    pass_close (&w->pass);
}

/* A node without a time of its own lasts as long as the nodes below it. Nodes
 * come after those above them. */
static void calltree_sum (struct calltree *t)
{
    int64_t *below = ZEROED (below, t->nodes);

    for (size_t i = t->nodes; i-- > 0;) {
        struct calltree_node *n = &t->node[i];

        if (!n->count) {
            n->self = 0;
            n->total = below[i] > 0 ? below[i] : 0;
        }
        if (i)
            below[n->parent] += n->self + below[i];
        below[i] = 0;
    }
    free (below);
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
    int rc;

    ZERO (t);
    calltree_open (&w, job);
    if ((rc = pass_run (&w.pass, &frames, 1)) == 0) {
        calltree_join (&w);
        rc = pass_run (&w.pass, &leaves, 1);
    }
    if (rc < 0) {
        err_system (err, job->label, errno);
    } else {
        calltree_put_leaves (&w);
        calltree_sum (t);
        if (asked->where)
            rc = where_check (asked->where, w.pass.dict, err);
    }
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
    ZERO (t);
}
