/* SPDX-License-Identifier: MIT
 *
 * scancall.c - one call of libc -> counters of its call, file, process
 *
 * In:  events, from scan.c
 * Out: counts, histograms, the sets of time it belongs to
 */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "analyze/query/totals/scanstep.h"
#include "lib/core/calls.h"
#include "lib/core/record/usage.h"

/* --- plans ------------------------------------------------------------ */

#define FILE_NUMBER(NAME) \
    ((uint8_t)(offsetof (struct file_total, NAME) / sizeof (uint64_t)))

static void
plan_of_file (struct scan_plan *p, const struct step *e, enum call_class class)
{
    enum call call = (enum call)e->b->call[e->i];

    p->places =
        e->info->class == CALL_CLASS_READ || e->info->class == CALL_CLASS_WRITE;
    p->bytes = FILE_NUMBER (read_bytes); /* of others there are none */
    if (class == CALL_CLASS_READ) {
        p->count = FILE_NUMBER (reads);
        p->ns = FILE_NUMBER (read_ns);
        p->sizes = SIZES_READ + 1;
    } else if (class == CALL_CLASS_WRITE) {
        p->count = FILE_NUMBER (writes);
        p->bytes = FILE_NUMBER (write_bytes);
        p->ns = FILE_NUMBER (write_ns);
        p->sizes = SIZES_WRITE + 1;
    } else if (class == CALL_CLASS_SYNC) {
        p->count = FILE_NUMBER (syncs);
        p->ns = FILE_NUMBER (sync_ns);
    } else {
        p->ns = FILE_NUMBER (meta_ns);
        p->count = call == CALL_mmap ? FILE_NUMBER (maps)
                   : e->info->ret == CALL_RET_FD || call == CALL_fopen
                       ? FILE_NUMBER (opens)
                       : FILE_NUMBER (meta);
    }
}

/* What the main thread does, it waits for. */
static unsigned plan_checkpoint (const struct unit *u)
{
    return 1u << SET_CKPT_WRITE | (u->main_thread ? 1u << SET_CHECKPOINT : 0);
}

static void plan_read (struct scan_plan *p, struct unit *u, enum file_kind kind)
{
    p->more |= kind == KIND_INDEX ? SCAN_MORE_INDEX : 0;
    if (p->more & SCAN_MORE_STREAM)
        return;
    p->moved = kind == KIND_DATA ? &u->n.read : &u->n.other_read;
    p->sets = kind == KIND_DATA ? 1u << SET_READ : 0;
}

static void
plan_write (struct scan_plan *p, struct unit *u, enum file_kind kind)
{
    p->more |= kind == KIND_INDEX ? SCAN_MORE_INDEX : 0;
    if (!(p->more & SCAN_MORE_STREAM)) {
        p->moved = &u->n.write;
        p->sets = 1u << SET_WRITE;
    }
    if (kind == KIND_CHECKPOINT) {
        p->also = &u->n.ckpt_write;
        p->sets |= (uint16_t)plan_checkpoint (u);
    }
}

/* Of calls on files of storage. */
static void plan_storage (struct scan_plan *p,
                          const struct step *e,
                          enum file_kind kind,
                          enum call_class class)
{
    enum call call = (enum call)e->b->call[e->i];
    struct unit *u = e->u;

    p->storage = 1;
    p->bill = e->s->bill[call][kind];
    p->cost = &u->n.cost[e->s->cost[call]];
    if (class == CALL_CLASS_READ)
        plan_read (p, u, kind);
    else if (class == CALL_CLASS_WRITE)
        plan_write (p, u, kind);
    else if (class == CALL_CLASS_SYNC)
        p->sets = kind == KIND_CHECKPOINT ? (uint16_t)plan_checkpoint (u) : 0;
    else if (class == CALL_CLASS_MAP && call == CALL_mmap)
        p->more |= SCAN_MORE_MAP;
    else if (class == CALL_CLASS_META && kind == KIND_DATA &&
             !(p->more & SCAN_MORE_STREAM))
        p->moved = &u->n.data_meta;
}

/* Of a call that reads, writes or neither. 0, or -1 (ENOMEM). */
static int plan_make (struct scan_plan *p,
                      const struct step *e,
                      unsigned flavor,
                      enum call_class class)
{
    uint16_t call = e->b->call[e->i];
    struct call_total **total = &e->s->tally.call[call];

    *p = (struct scan_plan){.bill = BILL_NONE, .class = (uint8_t) class};
    p->more = e->info->category == CALL_CATEGORY_POSIX ? 0 : SCAN_MORE_STREAM;
    p->more |= e->info->class == CALL_CLASS_COPY ? SCAN_MORE_COPY : 0;
    plan_of_file (p, e, class);
    if (flavor >= SCAN_STORAGE)
        plan_storage (p, e, (enum file_kind) (flavor - SCAN_STORAGE), class);
    if (call == CALL_sync) { /* of all files */
        p->storage = 1;
        p->bill = e->s->bill[call][KIND_NONE];
        p->cost = &e->u->n.cost[e->s->cost[call]];
    }
    if (!*total && !(*total = calloc (1, sizeof (**total))))
        return -1;
    p->call = *total;
    p->spans = p->more & SCAN_MORE_COPY
                   ? NULL
                   : unit_spans (e->u, (struct span_key){call, p->sets, p->bill,
                                                         p->storage});
    if (!p->spans && !(p->more & SCAN_MORE_COPY))
        return -1;
    p->unit = e->u;
    return 0;
}

/* --- counting --------------------------------------------------------- */

static void count_transfer (struct transfer *t, uint64_t bytes, uint64_t ns)
{
    t->count++;
    t->bytes += bytes;
    t->ns += ns;
}

static int call_failed (const struct step *e)
{
    return e->b->error[e->i] != 0 || e->b->ret[e->i] == -1;
}

static void count_call (struct call_total *c, const struct step *e)
{
    c->bytes += e->bytes;
    c->libc += e->libc_read + e->libc_written;
    c->errors += (uint64_t)call_failed (e);
    hist_add (&c->time, e->end - e->start);
}

/* Where a read or write is, seen from the one before. */
static void count_place (struct step *e)
{
    struct scan_name *n = e->name;
    struct file_total *f = e->file;
    int64_t offset = e->b->offset[e->i];
    int before;

    if (offset < 0 || !(e->info->fields & F_OFFSET))
        return;
    if (n->chunk != e->s->chunk) {
        n->chunk = e->s->chunk;
        n->place = (struct place){0};
    }
    before = n->place.known;
    e->placed =
        (uint8_t)place_move (&n->place, e->b->call[e->i], offset, e->bytes);
    f->placed[e->placed]++;
    f->switches += before && before != n->place.known;
    f->unaligned += (uint64_t)offset % CALL_PAGE != 0;
    if (e->info->class == CALL_CLASS_READ && n->place.end > f->extent)
        f->extent = n->place.end;
}

static inline void count_share (const struct step *e, enum call_class class)
{
    struct scan_name *n = e->name;
    struct share *s =
        n->sharer == e->u ? &e->u->shares.item[n->share] : scan_new_share (e);
    uint64_t ns = e->end - e->start;

    if (!s)
        return;
    s->ns += ns;
    if (class == CALL_CLASS_READ) {
        s->reads++;
        s->read_bytes += e->bytes;
    } else if (class == CALL_CLASS_WRITE) {
        s->writes++;
        s->write_bytes += e->bytes;
        s->write_ns += ns;
    } else if (class == CALL_CLASS_SYNC)
        s->write_ns += ns;
}

static int count_file (struct step *e, const struct scan_plan *p)
{
    uint64_t *number = (uint64_t *)e->file;

    number[p->count]++;
    number[p->bytes] += e->bytes;
    number[p->ns] += e->end - e->start;
    if (p->places)
        count_place (e);
    if (!p->sizes || call_failed (e))
        return 0;
    return sizes_meet (&e->file->sizes, p->sizes - 1u, e->bytes);
}

/* What the plan says of a file, and of the unit. 0, or -1 (ENOMEM). */
static inline int count_plan (struct step *e, const struct scan_plan *p)
{
    uint64_t ns = e->end - e->start;

    if (e->file) {
        if (count_file (e, p) < 0)
            return -1;
        if (p->storage)
            count_share (e, (enum call_class)p->class);
    }
    if (p->moved)
        count_transfer (p->moved, e->bytes, ns);
    if (p->also)
        count_transfer (p->also, e->bytes, ns);
    e->sets |= p->sets;
    e->storage |= p->storage;
    e->bill = p->storage ? p->bill : e->bill;
    return 0;
}

/* Of calls on streams. */
static void count_stream (struct step *e, enum call_class class)
{
    struct file_total *f = e->file;
    struct counts *n = &e->u->n;
    uint64_t ns = e->end - e->start;

    f->libc_read += e->libc_read;
    f->libc_written += e->libc_written;
    f->stdio_ns += ns;
    f->stdio_read_bytes += class == CALL_CLASS_READ ? e->bytes : 0;
    f->stdio_write_bytes += class == CALL_CLASS_WRITE ? e->bytes : 0;
    if (f->class != FILE_CLASS_STORAGE)
        return;
    n->stdio_ns += ns;
    n->libc_read += e->libc_read;
    n->libc_written += e->libc_written;
    n->stdio_reads += class == CALL_CLASS_READ && f->kind == KIND_DATA;
    if (class == CALL_CLASS_READ)
        count_transfer (&n->stdio_read, e->bytes, ns);
    else if (class == CALL_CLASS_WRITE)
        count_transfer (&n->stdio_write, e->bytes, ns);
}

static void count_index (struct step *e, enum call_class class)
{
    struct startup *s = &e->u->startup;

    if (class == CALL_CLASS_READ) {
        s->index_reads++;
        s->index_read_bytes += e->bytes;
    } else
        startup_built (s, e->start, e->end, e->bytes);
}

/* Does the mapping bring data in? Memory that processes share with each other
 * (segments of MPI in a session directory) is a file, too, but written. No
 * flags: the trace does not tell them. */
static int is_data_map (const struct step *e)
{
    uint64_t flags = e->b->flags[e->i];

    return e->file->kind == KIND_DATA &&
           !((flags & PROT_WRITE) && (flags >> MAP_FLAGS_SHIFT & MAP_SHARED));
}

static void count_map (struct step *e)
{
    uint64_t size = e->b->size[e->i];

    if (e->b->error[e->i] != 0)
        return;
    e->u->n.maps++;
    e->u->n.data_maps += (uint64_t)is_data_map (e);
    e->u->n.mapped_bytes += size;
    if (e->file->kind == KIND_INDEX)
        startup_map (&e->u->startup, e->start, e->end, size);
}

/* What follows from more than the call and its file. */
static void count_more (struct step *e, unsigned more, enum call_class class)
{
    if (more & SCAN_MORE_STREAM && e->file)
        count_stream (e, class);
    if (more & SCAN_MORE_INDEX)
        count_index (e, class);
    if (more & SCAN_MORE_MAP)
        count_map (e);
}

/* --- calls ------------------------------------------------------------ */

struct scan_plan *scan_plan (struct step *e,
                             uint32_t id,
                             struct scan_plan (*plans)[SCAN_FLAVORS],
                             enum call_class class)
{
    unsigned flavor = SCAN_NO_FILE;
    struct scan_plan *p;

    e->name = id ? scan_name (e->s, id, SHARD_NAME_FILE) : NULL;
    e->file = e->name ? e->name->total.file : NULL;
    if (e->name)
        flavor = e->name->flavor;
    else if (id && errno == ENOMEM)
        return NULL;
    p = &plans[e->b->call[e->i]][flavor];
    return p->unit == e->u || plan_make (p, e, flavor, class) == 0 ? p : NULL;
}

/* A copy inside the kernel reads one file and writes another; it stays one
 * call. */
static int count_copy (struct step *e, const struct scan_plan *from)
{
    const struct scan_plan *to =
        scan_plan (e, e->b->name2[e->i], e->s->copied, CALL_CLASS_WRITE);
    struct transfer *cost = from->cost;

    if (!to || count_plan (e, to) < 0)
        return -1;
    cost = cost ? cost : to->cost;
    e->u->n.posix_storage += !from->storage && to->storage;
    count_more (e, to->more, CALL_CLASS_WRITE);
    if (cost)
        count_transfer (cost, e->bytes, e->end - e->start);
    return scan_keep_time (e);
}

/* What libc moved for a call on a stream, which the call's result, what the
 * program had, does not say. */
static void look_at_stream (struct step *e)
{
    for (uint32_t a = e->b->arg[e->i]; a < e->b->arg[e->i + 1]; a++) {
        const struct batch_arg *arg = &e->b->args[a];
        const struct dict_entry *key = dict_entry (e->s->dict, arg->key);
        uint64_t value = arg->i > 0 ? (uint64_t)arg->i : 0;

        if (!key || arg->type != EVENT_ARG_INT)
            continue;
        if (key->key == DICT_KEY_USAGE + USAGE_STDIO_READ)
            e->libc_read = value;
        else if (key->key == DICT_KEY_USAGE + USAGE_STDIO_WRITTEN)
            e->libc_written = value;
        else if (key->key == DICT_KEY_USAGE + USAGE_STDIO_AGAIN)
            e->bytes -= value < e->bytes ? value : e->bytes;
    }
}

int scan_call (struct step *e)
{
    int posix = e->info->category == CALL_CATEGORY_POSIX;
    enum call_class class = (enum call_class)e->info->class;
    const struct scan_plan *p;

    e->u->n.posix += (uint64_t)posix;
    e->u->n.stdio += (uint64_t)!posix;
    if (e->u->main_thread)
        startup_call (&e->u->startup, e->start, e->end);
    e->bytes = e->b->bytes_read[e->i] | e->b->bytes_written[e->i];
    if (!posix)
        look_at_stream (e);
    if (class == CALL_CLASS_COPY)
        class = CALL_CLASS_READ;
    p = scan_plan (e, e->b->name[e->i], e->s->plan, class);
    if (!p || count_plan (e, p) < 0)
        return -1;
    count_call (p->call, e);
    e->u->n.posix_storage += (uint64_t)(posix && p->storage && e->file);
    if (class == CALL_CLASS_META && e->b->arg[e->i] != e->b->arg[e->i + 1] &&
        scanfs_event (e) < 0)
        return -1;
    if (p->more)
        count_more (e, p->more, class);
    if (p->more & SCAN_MORE_COPY)
        return count_copy (e, p);
    if (p->cost)
        count_transfer (p->cost, e->bytes, e->end - e->start);
    return spanlog_add (&p->spans->log, e->start, e->end);
}
