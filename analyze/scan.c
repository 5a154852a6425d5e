/* SPDX-License-Identifier: MIT
 *
 * scan.c - one chunk's events -> tally and unit
 *
 * In:  checked payloads, from load.c
 * Out: counts, histograms, sets of time
 * Caveat: the hot loop of the analysis; it allocates only where a name, a
 *         call or a set is new or has to grow.
 */
#include "config.h"

#include "analyze/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What a key of an argument means; only their addresses count. */
static char key_size, key_other;

/* One event on its way through the counters. */
struct step {
    struct scanner *s;
    struct unit *u;
    const struct event *ev;
    const struct call_info *info;
    uint64_t start, end;     /* ns of CLOCK_REALTIME */
    uint64_t bytes;          /* moved */
    struct file_total *file; /* NULL: not known */
};

/* --- names ------------------------------------------------------------ */

static void *intern (
    struct strmap *m, const char *key, size_t length, size_t size, int *isnew)
{
    int64_t at = strmap_intern (m, key, length, isnew);
    void *value;

    if (at < 0)
        return NULL;
    if (!*isnew)
        return strmap_value (m, (size_t)at);
    if ((value = calloc (1, size)))
        strmap_set (m, (size_t)at, value);
    return value;
}

static void *new_file (struct scanner *s, const struct name *name)
{
    int isnew;
    struct file_total *f =
        intern (s->tally->files, name->text, name->length, sizeof (*f), &isnew);
    int64_t at;

    if (!f || !isnew)
        return f;
    at = strmap_find (s->tally->files, name->text, name->length);
    f->class = (enum file_class)name->class;
    f->kind = KIND_NONE;
    if (f->class == FILE_CLASS_STORAGE)
        f->kind =
            kind_of (s->rules, strmap_key (s->tally->files, (size_t)at, NULL));
    return f;
}

static void *new_op (struct scanner *s, const struct name *name)
{
    int isnew;
    struct op_total *op =
        intern (s->tally->ops, name->text, name->length, sizeof (*op), &isnew);
    const char *category;
    int64_t at;

    if (!op || !isnew)
        return op;
    at = strmap_find (s->tally->ops, name->text, name->length);
    category = strmap_key (s->tally->ops, (size_t)at, NULL);
    op->foreign = strcasecmp (category, "POSIX") == 0   ? CALL_CATEGORY_POSIX
                  : strcasecmp (category, "STDIO") == 0 ? CALL_CATEGORY_STDIO
                                                        : CALL_CATEGORY_APP;
    if (strlen (category) < name->length)
        op->role = role_of (category, category + strlen (category) + 1);
    return op;
}

static void *new_key (const struct name *name)
{
    static const char size[] = "image_size";

    return name->length == sizeof (size) - 1 &&
                   memcmp (name->text, size, name->length) == 0
               ? &key_size
               : &key_other;
}

static int grow_targets (struct scanner *s, uint32_t id)
{
    size_t room = s->target_room ? s->target_room : 256;
    void **target;
    struct place *place;

    if (id < s->target_room)
        return 0;
    while (room <= id)
        room *= 2;
    if (!(place = reallocarray (s->place, room, sizeof (*place))))
        return -1;
    memset (place + s->target_room, 0,
            (room - s->target_room) * sizeof (*place));
    s->place = place;
    if (!(target = reallocarray (s->target, room, sizeof (*target))))
        return -1;
    memset (target + s->target_room, 0,
            (room - s->target_room) * sizeof (*target));
    s->target = target;
    s->target_room = room;
    return 0;
}

/* What a dictionary id of this chunk stands for. NULL: id 0, a name of
 * another kind than expected, or no memory (errno ENOMEM). */
static void *target (struct scanner *s, uint32_t id, enum shard_name_kind kind)
{
    const struct name *name = decoder_name (&s->decoder, id);

    if (!name || name->kind != kind || grow_targets (s, id) < 0)
        return NULL;
    if (!s->target[id])
        s->target[id] = kind == SHARD_NAME_FILE    ? new_file (s, name)
                        : kind == SHARD_NAME_EVENT ? new_op (s, name)
                                                   : new_key (name);
    return s->target[id];
}

/* --- calls ------------------------------------------------------------ */

static int count_call (struct step *e)
{
    struct call_total **slot = &e->s->tally->call[e->ev->call];
    struct spanlog **log = &e->u->call[e->ev->call];

    if ((!*slot && !(*slot = calloc (1, sizeof (**slot)))) ||
        (!*log && !(*log = calloc (1, sizeof (**log)))))
        return -1;
    (*slot)->bytes += e->bytes;
    (*slot)->errors += e->ev->err != 0 || e->ev->ret == -1;
    hist_add (&(*slot)->time, e->end - e->start);
    return spanlog_add (*log, e->start, e->end);
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
    struct place *at = &e->s->place[e->ev->file];
    uint64_t offset = (uint64_t)e->ev->offset;

    if (e->ev->offset < 0 || !(e->info->fields & F_OFFSET))
        return;
    if (at->known && offset == at->end)
        e->file->consecutive++;
    else if (at->known && offset < at->end)
        e->file->random++;
    else if (at->known && offset - at->end == at->gap)
        e->file->strided++;
    else if (at->known)
        e->file->sequential++;
    at->gap = at->known && offset > at->end ? offset - at->end : 0;
    at->end = offset + e->bytes;
    at->known = 1;
    if (e->info->class == CALL_CLASS_READ && at->end > e->file->extent)
        e->file->extent = at->end;
}

static void count_file (const struct step *e, enum call_class class)
{
    struct file_total *f = e->file;

    if (!f)
        return;
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
    } else if (e->ev->call == CALL_mmap)
        f->maps++;
    else if (e->info->ret == CALL_RET_FD || e->ev->call == CALL_fopen)
        f->opens++;
    else
        f->meta++;
}

static int add_time (const struct step *e, enum set set)
{
    return spanlog_add (&e->u->set[set], e->start, e->end);
}

static int count_read (struct step *e, int posix)
{
    int data = e->file->kind == KIND_DATA;

    if (!posix) {
        e->u->n.stdio_reads += (uint64_t)data;
        return 0;
    }
    count_transfer (data ? &e->u->n.read : &e->u->n.other_read, e);
    return data ? add_time (e, SET_READ) : 0;
}

static int count_write (struct step *e, int posix)
{
    if (posix) {
        count_transfer (&e->u->n.write, e);
        if (add_time (e, SET_WRITE) < 0)
            return -1;
    }
    if (e->file->kind == KIND_CHECKPOINT) {
        count_transfer (&e->u->n.ckpt_write, e);
        return add_time (e, SET_CKPT_WRITE);
    }
    return 0;
}

/* Calls on files of storage. */
static int count_storage (struct step *e, int posix, enum call_class class)
{
    e->u->n.posix_storage += (uint64_t)posix;
    switch (class) {
    case CALL_CLASS_READ:
        return count_read (e, posix);
    case CALL_CLASS_WRITE:
        return count_write (e, posix);
    case CALL_CLASS_SYNC:
        return e->file->kind == KIND_CHECKPOINT ? add_time (e, SET_CKPT_WRITE)
                                                : 0;
    case CALL_CLASS_MAP:
        if (e->ev->call == CALL_mmap && e->ev->err == 0) {
            e->u->n.maps++;
            e->u->n.mapped_bytes += e->ev->size;
        }
        return 0;
    default:
        return 0;
    }
}

/* The file of an id, NULL none. -1: ENOMEM. */
static int find_file (struct step *e, uint32_t id)
{
    e->file = id ? target (e->s, id, SHARD_NAME_FILE) : NULL;
    return id && !e->file && errno == ENOMEM ? -1 : 0;
}

static int count_side (struct step *e, int posix, enum call_class class)
{
    count_file (e, class);
    return e->file && e->file->class == FILE_CLASS_STORAGE
               ? count_storage (e, posix, class)
               : 0;
}

/* A copy inside the kernel reads one file and writes another; it stays one
 * call. */
static int count_copy (struct step *e, int posix)
{
    uint64_t calls = e->u->n.posix_storage;

    if (count_side (e, posix, CALL_CLASS_READ) < 0 ||
        find_file (e, e->ev->file2) < 0 ||
        count_side (e, posix, CALL_CLASS_WRITE) < 0)
        return -1;
    if (e->u->n.posix_storage > calls)
        e->u->n.posix_storage = calls + 1;
    return 0;
}

static int moves_bytes (enum call_class class)
{
    return class == CALL_CLASS_READ || class == CALL_CLASS_WRITE ||
           class == CALL_CLASS_COPY;
}

static int call_event (struct step *e)
{
    int posix = e->info->category == CALL_CATEGORY_POSIX;
    enum call_class class = (enum call_class)e->info->class;

    e->u->n.posix += (uint64_t)posix;
    e->u->n.stdio += (uint64_t)!posix;
    if (moves_bytes (class) && e->ev->ret > 0)
        e->bytes = (uint64_t)e->ev->ret;
    if (find_file (e, e->ev->file) < 0 || count_call (e) < 0)
        return -1;
    return class == CALL_CLASS_COPY ? count_copy (e, posix)
                                    : count_side (e, posix, class);
}

/* --- regions ---------------------------------------------------------- */

/* Bytes of the sample a region says it handled; 0 none. */
static uint64_t sample_size (const struct step *e)
{
    for (int i = 0; i < e->ev->nargs; i++) {
        const struct event_arg *arg = &e->ev->args[i];

        if (arg->type == EVENT_ARG_INT && arg->i > 0 &&
            target (e->s, arg->key, SHARD_NAME_KEY) == &key_size)
            return (uint64_t)arg->i;
    }
    return 0;
}

static int count_role (struct step *e, enum role role)
{
    e->u->n.regions[role]++;
    switch (role) {
    case ROLE_LOADER:
        return add_time (e, SET_LOADER);
    case ROLE_STALL:
        return add_time (e, SET_STALL);
    case ROLE_CHECKPOINT:
        return add_time (e, SET_CHECKPOINT);
    case ROLE_COMPUTE:
        return add_time (e, SET_COMPUTE);
    default:
        return 0;
    }
}

/* A call that DFTracer knows and calls.def does not. */
static void foreign_call (struct step *e, struct op_total *op)
{
    e->u->n.posix += op->foreign == CALL_CATEGORY_POSIX;
    e->u->n.stdio += op->foreign == CALL_CATEGORY_STDIO;
    hist_add (&op->time, e->end - e->start);
    op->self += e->end - e->start;
}

static int app_event (struct step *e)
{
    struct op_total *op = target (e->s, e->ev->file, SHARD_NAME_EVENT);
    uint64_t inside = 0, size;

    if (op && op->foreign != CALL_CATEGORY_APP) {
        foreign_call (e, op);
        return 0;
    }
    e->u->n.app++;
    if (!op)
        return errno == ENOMEM ? -1 : 0;
    if (e->ev->call == CALL_metadata)
        return 0;
    hist_add (&op->time, e->end - e->start);
    if (e->ev->call != CALL_region)
        return 0;
    if (nest_add (&e->u->regions, e->start, e->end, 0, &inside) < 0)
        return -1;
    op->self += e->end - e->start - inside;
    if ((size = sample_size (e)) &&
        nest_add (&e->u->samples, e->start, e->end, size, &inside) < 0)
        return -1;
    return count_role (e, op->role);
}

/* --- chunks ----------------------------------------------------------- */

static int
count_event (struct scanner *s, struct unit *u, const struct event *ev)
{
    struct step e = {.s = s, .u = u, .ev = ev};

    if (ev->call >= CALL_MAX || !call_table[ev->call].name)
        return 0; /* of a later version of the format */
    e.info = &call_table[ev->call];
    e.start = trace_real_ns (u->who, ev->start);
    e.end = trace_real_ns (u->who, ev->end);
    if (e.start < u->first)
        u->first = e.start;
    if (e.end > u->last)
        u->last = e.end;
    u->n.events++;
    errno = 0;
    return e.info->category == CALL_CATEGORY_APP ? app_event (&e)
                                                 : call_event (&e);
}

static void forget_targets (struct scanner *s)
{
    memset (s->target, 0, s->target_room * sizeof (*s->target));
    memset (s->place, 0, s->target_room * sizeof (*s->place));
}

int scanner_chunk (struct scanner *s,
                   struct unit *u,
                   const struct trace_chunk *c,
                   const unsigned char *payload,
                   size_t bytes,
                   uint64_t *decoded)
{
    struct event ev;
    int rc;

    *decoded = 0;
    if (decoder_begin (&s->decoder, &c->head, payload, bytes) < 0)
        return -1;
    if (s->target)
        forget_targets (s);
    while ((rc = decoder_next (&s->decoder, &ev)) > 0) {
        if (count_event (s, u, &ev) < 0) {
            errno = ENOMEM;
            return -1;
        }
        (*decoded)++;
    }
    return rc;
}

void scanner_clear (struct scanner *s)
{
    decoder_end (&s->decoder);
    free (s->target);
    free (s->place);
    s->place = NULL;
    s->target = NULL;
    s->target_room = 0;
}
