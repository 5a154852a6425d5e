/* SPDX-License-Identifier: MIT
 *
 * scancall.c - one call of libc -> counters of its call, file, process
 *
 * In:  events, from scan.c
 * Out: counts, histograms, the sets of time it belongs to
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "analyze/query/totals/scanstep.h"
#include "lib/core/calls.h"
#include "lib/core/record/usage.h"

static int count_call (struct step *e)
{
    struct call_total **slot = &e->s->tally.call[e->b->call[e->i]];

    if (!*slot && !(*slot = calloc (1, sizeof (**slot))))
        return -1;
    (*slot)->bytes += e->bytes;
    (*slot)->libc += e->libc_read + e->libc_written;
    (*slot)->errors += e->b->error[e->i] != 0 || e->b->ret[e->i] == -1;
    hist_add (&(*slot)->time, e->end - e->start);
    return 0;
}

static void count_transfer (struct transfer *t, const struct step *e)
{
    t->count++;
    t->bytes += e->bytes;
    t->ns += e->end - e->start;
}

/* Where a read or write is, seen from the one before. */
static void count_place (const struct step *e)
{
    struct scan_name *n = e->name;
    struct file_total *f = e->file;
    int64_t offset = e->b->offset[e->i];

    if (offset < 0 || !(e->info->fields & F_OFFSET))
        return;
    if (n->chunk != e->s->chunk) {
        n->chunk = e->s->chunk;
        n->place = (struct place){0};
    }
    f->placed[place_move (&n->place, e->b->call[e->i], offset, e->bytes)]++;
    if (e->info->class == CALL_CLASS_READ && n->place.end > f->extent)
        f->extent = n->place.end;
}

static void count_file_stream (struct file_total *f,
                               const struct step *e,
                               enum call_class class)
{
    f->libc_read += e->libc_read;
    f->libc_written += e->libc_written;
    f->stdio_ns += e->end - e->start;
    f->stdio_read_bytes += class == CALL_CLASS_READ ? e->bytes : 0;
    f->stdio_write_bytes += class == CALL_CLASS_WRITE ? e->bytes : 0;
}

static void count_file (const struct step *e, enum call_class class)
{
    struct file_total *f = e->file;

    if (!f)
        return;
    if (e->info->category == CALL_CATEGORY_STDIO)
        count_file_stream (f, e, class);
    if (e->info->class == CALL_CLASS_READ || e->info->class == CALL_CLASS_WRITE)
        count_place (e);
    if (class == CALL_CLASS_READ) {
        f->reads++;
        f->read_bytes += e->bytes;
        f->read_ns += e->end - e->start;
    } else if (class == CALL_CLASS_WRITE) {
        f->writes++;
        f->write_bytes += e->bytes;
        f->write_ns += e->end - e->start;
    } else if (class == CALL_CLASS_SYNC) {
        f->syncs++;
        f->sync_ns += e->end - e->start;
    } else {
        f->meta_ns += e->end - e->start;
        if (e->b->call[e->i] == CALL_mmap)
            f->maps++;
        else if (e->info->ret == CALL_RET_FD || e->b->call[e->i] == CALL_fopen)
            f->opens++;
        else
            f->meta++;
    }
}

static void count_read (struct step *e, int posix)
{
    int data = e->file->kind == KIND_DATA;

    if (e->file->kind == KIND_INDEX) {
        e->u->startup.index_reads++;
        e->u->startup.index_read_bytes += e->bytes;
    }
    if (!posix) {
        e->u->n.stdio_reads += (uint64_t)data;
        return;
    }
    count_transfer (data ? &e->u->n.read : &e->u->n.other_read, e);
    if (data)
        scan_add_set (e, SET_READ);
}

/* What the main thread does, it waits for. */
static void add_ckpt_write (struct step *e)
{
    scan_add_set (e, SET_CKPT_WRITE);
    if (e->u->main_thread)
        scan_add_set (e, SET_CHECKPOINT);
}

static void count_write (struct step *e, int posix)
{
    if (posix) {
        count_transfer (&e->u->n.write, e);
        scan_add_set (e, SET_WRITE);
    }
    if (e->file->kind == KIND_INDEX)
        startup_built (&e->u->startup, e->start, e->end, e->bytes);
    if (e->file->kind == KIND_CHECKPOINT) {
        count_transfer (&e->u->n.ckpt_write, e);
        add_ckpt_write (e);
    }
}

static void count_stream (struct step *e, enum call_class class)
{
    struct counts *n = &e->u->n;

    n->stdio_ns += e->end - e->start;
    n->libc_read += e->libc_read;
    n->libc_written += e->libc_written;
    if (class == CALL_CLASS_READ)
        count_transfer (&n->stdio_read, e);
    else if (class == CALL_CLASS_WRITE)
        count_transfer (&n->stdio_write, e);
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

/* Calls on files of storage. */
static void count_storage (struct step *e, int posix, enum call_class class)
{
    e->u->n.posix_storage += (uint64_t)posix;
    if (!posix)
        count_stream (e, class);
    switch (class) {
    case CALL_CLASS_READ:
        count_read (e, posix);
        break;
    case CALL_CLASS_WRITE:
        count_write (e, posix);
        break;
    case CALL_CLASS_SYNC:
        if (e->file->kind == KIND_CHECKPOINT)
            add_ckpt_write (e);
        break;
    case CALL_CLASS_MAP:
        if (e->b->call[e->i] == CALL_mmap && e->b->error[e->i] == 0) {
            e->u->n.maps++;
            e->u->n.data_maps += (uint64_t)is_data_map (e);
            e->u->n.mapped_bytes += e->b->size[e->i];
            if (e->file->kind == KIND_INDEX)
                startup_map (&e->u->startup, e->start, e->end,
                             e->b->size[e->i]);
        }
        break;
    case CALL_CLASS_META:
        if (posix && e->file->kind == KIND_DATA)
            count_transfer (&e->u->n.data_meta, e);
        break;
    default:
        break;
    }
}

/* The file of a name, NULL none. -1: ENOMEM. */
static int find_file (struct step *e, uint32_t id)
{
    e->name = id ? scan_name (e->s, id, SHARD_NAME_FILE) : NULL;
    e->file = e->name ? e->name->total.file : NULL;
    return id && !e->name && errno == ENOMEM ? -1 : 0;
}

static void count_side (struct step *e, int posix, enum call_class class)
{
    count_file (e, class);
    if (e->file && e->file->class == FILE_CLASS_STORAGE) {
        count_storage (e, posix, class);
        e->storage = 1;
        e->bill = e->s->bill[e->b->call[e->i]][e->file->kind];
    }
}

/* sync () is of all files. */
static void count_cost (struct step *e)
{
    uint16_t call = e->b->call[e->i];

    if (call == CALL_sync) {
        e->storage = 1;
        e->bill = e->s->bill[call][KIND_NONE];
    }
    if (e->storage)
        count_transfer (&e->u->n.cost[e->s->cost[call]], e);
}

/* A copy inside the kernel reads one file and writes another; it stays one
 * call. */
static int count_copy (struct step *e, int posix)
{
    uint64_t calls = e->u->n.posix_storage;

    count_side (e, posix, CALL_CLASS_READ);
    if (find_file (e, e->b->name2[e->i]) < 0)
        return -1;
    count_side (e, posix, CALL_CLASS_WRITE);
    if (e->u->n.posix_storage > calls)
        e->u->n.posix_storage = calls + 1;
    return 0;
}

static int moves_bytes (enum call_class class)
{
    return class == CALL_CLASS_READ || class == CALL_CLASS_WRITE ||
           class == CALL_CLASS_COPY;
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

    e->u->n.posix += (uint64_t)posix;
    e->u->n.stdio += (uint64_t)!posix;
    if (e->u->main_thread)
        startup_call (&e->u->startup, e->start, e->end);
    if (moves_bytes (class) && e->b->ret[e->i] > 0)
        e->bytes = (uint64_t)e->b->ret[e->i];
    if (!posix)
        look_at_stream (e);
    if (find_file (e, e->b->name[e->i]) < 0 || count_call (e) < 0)
        return -1;
    if (class != CALL_CLASS_COPY)
        count_side (e, posix, class);
    else if (count_copy (e, posix) < 0)
        return -1;
    count_cost (e);
    return scan_keep_time (e);
}
