/* SPDX-License-Identifier: MIT
 *
 * scan.c - batches of events -> tally and unit
 *
 * In:  events in columns, from load.c
 * Out: counts, histograms, sets of time
 * Caveat: the hot loop of the analysis; it allocates only where a name, a
 *         call or a set is new or has to grow.
 */
#include "config.h"

#include "analyze/scan/scanstep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/layers.h"

/* --- names ------------------------------------------------------------ */

static struct file_total *scan_new_file (const struct dict_entry *e)
{
    struct file_total *f = calloc (1, sizeof (*f));

    if (f) {
        f->class = (enum file_class)e->class;
        f->kind = (enum file_kind)e->file_kind;
    }
    return f;
}

static struct op_total *scan_new_op (const struct dict_entry *e)
{
    struct op_total *op = calloc (1, sizeof (*op));

    if (op) {
        op->foreign = (enum call_category)e->layer;
        op->role = (enum role)e->role;
        op->sample = (enum role_sample)e->sample;
    }
    return op;
}

struct scan_name *
scan_new_name (struct scanner *s, uint32_t number, enum shard_name_kind kind)
{
    const struct dict_entry *e = dict_entry_of (s->dict, number, kind);
    struct scan_name *n = &s->name[number];

    errno = 0;
    if (!e)
        return NULL;
    if (kind == SHARD_NAME_FILE) {
        n->total.file = scan_new_file (e);
        n->flavor = (uint8_t)(e->class == FILE_CLASS_STORAGE
                                  ? SCAN_STORAGE + e->file_kind
                                  : SCAN_ELSEWHERE);
    } else if (kind == SHARD_NAME_KEY)
        n->key = e->key;
    else
        n->total.op = scan_new_op (e);
    if (!n->total.any && kind != SHARD_NAME_KEY) {
        errno = ENOMEM;
        return NULL;
    }
    n->kind = (uint8_t)kind;
    return n;
}

int scan_room (struct scanner *s)
{
    size_t room = s->names ? s->names : 256, names = dict_limit (s->dict);
    struct scan_name *name;

    if (names <= s->names)
        return 0;
    while (room < names)
        room *= 2;
    if (!(name = reallocarray (s->name, room, sizeof (*name))))
        return -1;
    memset (name + s->names, 0, (room - s->names) * sizeof (*name));
    s->name = name;
    s->names = room;
    return 0;
}

/* --- times ------------------------------------------------------------ */

int scan_keep_time (const struct step *e)
{
    const struct span_key key = {.call = e->b->call[e->i],
                                 .sets = (uint16_t)e->sets,
                                 .bill = e->bill,
                                 .storage = e->storage};

    return unit_keep (e->u, key, e->start, e->end);
}

/* When a call was, in a job that has a map of time. */
static int scan_is_stored (const struct step *e, uint32_t id)
{
    const struct dict_entry *file =
        dict_entry_of (e->s->dict, id, SHARD_NAME_FILE);

    return file && file->class == FILE_CLASS_STORAGE;
}

static void scan_time (const struct step *e)
{
    const struct timemap_call c = {
        .class = (enum call_class)e->info->class,
        .storage = scan_is_stored (e, e->b->name[e->i]),
        .storage2 = scan_is_stored (e, e->b->name2[e->i]),
        .start = e->start,
        .end = e->end,
        .bytes = e->bytes};

    timemap_count (e->s->time, &c);
}

/* --- batches ---------------------------------------------------------- */

static int
scan_event (struct scanner *s, struct unit *u, const struct batch *b, size_t i)
{
    unsigned layers = u->who->p.layers;
    struct step e = {.s = s,
                     .u = u,
                     .b = b,
                     .i = i,
                     .info = &call_table[b->call[i]],
                     .bill = BILL_NONE,
                     .start = b->start[i],
                     .end = b->end[i]};

    if ((layers & LAYER_MMAP ||
         (e.info->category == CALL_CATEGORY_MMAP && layers & LAYER_KERNEL)) &&
        mmlog_event (&u->mm, s->dict, b, i) < 0)
        return -1;
    if (e.info->category == CALL_CATEGORY_MMAP)
        return 0;
    if (e.info->category == CALL_CATEGORY_KERNEL)
        return scan_kernel (&e);
    if (call_category_is_above (e.info->category))
        return scanabove_event (&e);
    if (e.info->category == CALL_CATEGORY_APP)
        return scan_region (&e);
    if (scan_call (&e) < 0)
        return -1;
    if (s->timed)
        scan_time (&e);
    return layers & LAYERS_ABOVE && e.info->category == CALL_CATEGORY_POSIX
               ? scanabove_below (&e)
               : 0;
}

/* When there were events; how many. */
static void
scan_window (const struct scanner *s, struct unit *u, const struct batch *b)
{
    const unsigned char *wanted = s->filter.where ? s->wanted : NULL;
    const uint64_t *start = b->start, *end = b->end;
    uint64_t first = u->first, last = u->last, n = b->count;

    for (size_t i = 0; i < b->count; i++) {
        if (wanted && !wanted[i]) {
            n--;
            continue;
        }
        if (start[i] < first)
            first = start[i];
        if (end[i] > last)
            last = end[i];
    }
    u->first = first;
    u->last = last;
    u->n.events += n;
}

/* Events one by one: some who hear of calls want each of them. */
static int scan_each (struct scanner *s, struct unit *u, const struct batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        if ((!s->filter.where || s->wanted[i]) && scan_event (s, u, b, i) < 0)
            return -1;
    return 0;
}

/* Calls that follow each other at once. */
static int scan_all (struct scanner *s, struct unit *u, const struct batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (scan_calls (s, u, b, &i) < 0 ||
            (i < b->count && scan_event (s, u, b, i) < 0))
            return -1;
    return 0;
}

int scanner_batch (struct scanner *s, struct unit *u, const struct batch *b)
{
    int each = s->filter.where || s->timed ||
               u->who->p.layers & (LAYER_MMAP | LAYERS_ABOVE);

    u->main_thread = b->tid == u->main_tid;
    s->chunk += (uint32_t)b->begins;
    if (scan_room (s) < 0 ||
        (s->filter.where && evfilter_batch (&s->filter, b, s->wanted) < 0))
        return -1;
    scan_window (s, u, b);
    if ((each ? scan_each (s, u, b) : scan_all (s, u, b)) == 0)
        return 0;
    errno = ENOMEM;
    return -1;
}

void scanner_begin (struct scanner *s)
{
    for (int role = 0; role < ROLE_COUNT; role++)
        s->bill_role[role] = (uint8_t)bill_of_role ((enum role)role);
    for (int call = 0; call < CALL_MAX; call++) {
        s->cost[call] = (uint8_t)cost_of_call ((enum call)call);
        for (int kind = 0; kind <= KIND_COUNT; kind++)
            s->bill[call][kind] =
                (uint8_t)bill_of_call ((enum call)call, (enum file_kind)kind);
    }
}

/* --- workers ---------------------------------------------------------- */

/* A name's total in all workers -> the one of the tally. */
static int scan_join_name (struct tally *t,
                           const struct dict *dict,
                           uint32_t number,
                           const struct scan_name *from)
{
    const struct dict_entry *e = dict_entry (dict, number);

    return from->kind == SHARD_NAME_FILE
               ? tally_add_file (t, e->text, e->length, from->total.file)
               : tally_add_op (t, e->text, e->length, from->total.op);
}

int scanner_join (struct tally *t, const struct scanner *s)
{
    if (tally_merge (t, &s->tally) < 0)
        return -1;
    for (size_t i = 0; i < s->names; i++)
        if (s->name[i].total.any &&
            scan_join_name (t, s->dict, (uint32_t)i, &s->name[i]) < 0)
            return -1;
    return 0;
}

void scanner_clear (struct scanner *s)
{
    evfilter_clear (&s->filter);
    for (size_t i = 0; i < s->names; i++) {
        if (s->name[i].kind == SHARD_NAME_FILE && s->name[i].total.file) {
            accessvalues_free (s->name[i].total.file->sizes);
            accessvalues_free (s->name[i].total.file->strides);
        }
        free (s->name[i].total.any);
    }
    free (s->name);
    free (s->time);
    tally_clear (&s->tally);
}
