/* SPDX-License-Identifier: MIT
 *
 * calltreeframes.c - regions and calls of stdio inside each other
 *
 * In:  events of a job, the first time; the frames of each thread
 * Out: nodes of a call tree; frames by their starts, to calltree.c
 */
#include "config.h"

#include "analyze/query/calltree_work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- nodes ---------------------------------------------------------------- */

const char *calltree_label (const struct calltree *t, size_t node)
{
    return node == CALLTREE_ROOT
               ? "all"
               : strmap_key (t->labels, t->node[node].label, NULL);
}

int64_t calltree_child (struct calltree *t, uint32_t parent, const char *label)
{
    int64_t name = strmap_intern (t->labels, label, strlen (label), NULL), at;
    struct calltree_node *more;

    if (name < 0 || (at = pairs_ordinal (&t->children, (uint64_t)parent << 32 |
                                                           (uint32_t)name)) < 0)
        return -1;
    if ((size_t)++at < t->nodes)
        return at;
    if (!(t->nodes & (t->nodes - 1))) { /* room is a power of two */
        more = reallocarray (t->node, 2 * t->nodes, sizeof (*more));
        if (!more)
            return -1;
        t->node = more;
    }
    t->node[t->nodes++] =
        (struct calltree_node){.parent = parent,
                               .label = (uint32_t)name,
                               .depth = t->node[parent].depth + 1};
    return at;
}

const char *calltree_text (
    const struct dict *d, uint16_t call, uint32_t name, char *buf, size_t room)
{
    const struct call_info *info = &call_table[call];
    const struct dict_entry *e = dict_entry_of (d, name, SHARD_NAME_EVENT);

    (void)snprintf (buf, room, "%s/%s",
                    e ? e->text
                      : call_category_name ((enum call_category)info->category),
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

int calltree_begin (void *cookie, size_t piece, int worker)
{
    struct calltree_work *w = cookie;

    w->worker[worker].piece = piece;
    w->worker[worker].at = 0;
    return 0;
}

static int calltree_add_frame (struct calltree_piece *p,
                               const struct batch *b,
                               size_t i,
                               int wanted)
{
    size_t room = p->room ? 2 * p->room : 64;
    struct calltree_frame *more;

    if (p->count == p->room) {
        if (!(more = reallocarray (p->frame, room, sizeof (*more))))
            return -1;
        p->frame = more;
        p->room = room;
    }
    p->frame[p->count++] = (struct calltree_frame){
        .start = b->start[i],
        .end = b->end[i],
        .name = call_table[b->call[i]].category == CALL_CATEGORY_APP
                    ? b->name[i]
                    : 0,
        .call = b->call[i],
        .wanted = (uint8_t)wanted};
    return 0;
}

int calltree_take_frames (void *cookie, int worker, const struct batch *b)
{
    struct calltree_work *w = cookie;
    struct calltree_worker *one = &w->worker[worker];
    unsigned char wanted[BATCH_EVENTS];

    if (evfilter_batch (&one->filter, b, wanted) < 0)
        return -1;
    for (size_t i = 0; i < b->count; i++)
        if (calltree_is_frame (b, i) &&
            calltree_add_frame (&w->piece[one->piece], b, i, wanted[i]) < 0)
            return -1;
    return 0;
}

/* --- frames inside each other -----------------------------------------------
 */

/* Those that end later are outside; of equal ones the later event. */
static int calltree_by_start (const void *a, const void *b)
{
    const struct calltree_frame *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->parent > y->parent ? -1 : 1; /* the place among all, for now */
}

static int calltree_place (struct calltree_work *w,
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
    int64_t node = parent;

    if (t->node[parent].depth < CALLTREE_DEPTH_MAX)
        node = calltree_child (
            t, parent,
            calltree_text (w->pass.dict, f->call, f->name, buf, sizeof (buf)));
    if (node < 0)
        return -1;
    f->node = (uint32_t)node;
    if (above && above->wanted)
        t->node[parent].self -= (int64_t)(end - f->start);
    if (!f->wanted)
        return 0;
    t->node[node].count++;
    t->node[node].total += f->end - f->start;
    t->node[node].self += (int64_t)(f->end - f->start);
    return 0;
}

static int calltree_nest (struct calltree_work *w, struct calltree_piece *p)
{
    uint32_t open = 0; /* index + 1 */

    for (size_t i = 0; i < p->count; i++)
        p->frame[i].parent = (uint32_t)i;
    if (p->count)
        qsort (p->frame, p->count, sizeof (*p->frame), calltree_by_start);
    for (size_t i = 0; i < p->count; i++) {
        while (open && p->frame[open - 1].end <= p->frame[i].start)
            open = p->frame[open - 1].parent;
        p->frame[i].parent = open;
        if (calltree_place (w, p->frame, i, p->root) < 0)
            return -1;
        open = (uint32_t)i + 1;
    }
    return 0;
}

/* The node that stands for the thread. -1: ENOMEM. */
static int64_t calltree_thread (struct calltree_work *w,
                                const struct pass_piece *piece)
{
    const struct trace_process *who = w->pass.parts.item[piece->process].who;
    const char *host = who->text[SHARD_STRING_HOST];
    char buf[512];

    switch (w->asked->by) {
    case GROUP_host:
        (void)snprintf (buf, sizeof (buf), "%s", host);
        break;
    case GROUP_rank:
        (void)snprintf (buf, sizeof (buf),
                        who->p.rank < 0 ? "no rank" : "rank %d", who->p.rank);
        break;
    case GROUP_process:
        (void)snprintf (buf, sizeof (buf), "%s:%u", host, who->p.pid);
        break;
    case GROUP_thread:
        (void)snprintf (buf, sizeof (buf), "%s:%u:%u", host, who->p.pid,
                        piece->tid);
        break;
    default:
        return CALLTREE_ROOT;
    }
    return calltree_child (w->tree, CALLTREE_ROOT, buf);
}

/* Frames of later pieces of a thread go to its first one. */
int calltree_join (struct calltree_work *w)
{
    size_t first = 0;

    for (size_t i = 0; i < w->pass.pieces; i++) {
        struct calltree_piece *p = &w->piece[i], *to = &w->piece[first];
        struct calltree_frame *more;

        if (!w->pass.piece[i].continues) {
            first = i;
            continue;
        }
        more =
            reallocarray (to->frame, to->count + p->count + 1, sizeof (*more));
        if (!more)
            return -1;
        if (p->count)
            memcpy (more + to->count, p->frame, p->count * sizeof (*more));
        to->frame = more;
        to->count += p->count;
        free (p->frame);
        *p = (struct calltree_piece){.frame = NULL};
    }
    for (size_t i = 0; i < w->pass.pieces; i++) {
        int64_t root = calltree_thread (w, &w->pass.piece[i]);

        if (root < 0)
            return -1;
        w->piece[i].root = (uint32_t)root;
        if (calltree_nest (w, &w->piece[i]) < 0)
            return -1;
    }
    return 0;
}
