/* SPDX-License-Identifier: MIT
 *
 * scan.c - batches of events -> tally and unit
 *
 * In:  events in columns, from load.c
 * Out: counts, histograms, sets of time; calls of libc are in scancall.c, calls
 *      of MPI-IO, HDF5 and NetCDF in scanabove.c
 * Caveat: the hot loop of the analysis; it allocates only where a name, a
 *         call or a set is new or has to grow.
 */
#include "config.h"

#include "analyze/scan/scan.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/xalloc.h"

static void
plan_of_file (struct scan_plan *p, enum call call, enum call_class class)
{
    const struct call_info *info = &call_table[call];

    p->places = info->fields & F_OFFSET && (info->class == CALL_CLASS_READ ||
                                            info->class == CALL_CLASS_WRITE);
    p->bytes = FILE_read_bytes; /* of others there are none */
    if (class == CALL_CLASS_READ) {
        p->count = FILE_reads;
        p->ns = FILE_read_ns;
        p->sizes = ACCESS_READ + 1;
    } else if (class == CALL_CLASS_WRITE) {
        p->count = FILE_writes;
        p->bytes = FILE_write_bytes;
        p->ns = FILE_write_ns;
        p->sizes = ACCESS_WRITE + 1;
    } else if (class == CALL_CLASS_SYNC) {
        p->count = FILE_syncs;
        p->ns = FILE_sync_ns;
    } else {
        p->ns = FILE_meta_ns;
        p->count = call == CALL_mmap                                ? FILE_maps
                   : info->ret == CALL_RET_FD || call == CALL_fopen ? FILE_opens
                                                                    : FILE_meta;
    }
}

/* Metadata calls that make, close or replace a checkpoint; the others look. */
static int scan_is_of_saving (enum call call)
{
    switch ((int)call) {
    case CALL_close:
    case CALL_ftruncate:
    case CALL_truncate:
    case CALL_unlink:
    case CALL_unlinkat:
    case CALL_mkdir:
    case CALL_mkdirat:
    case CALL_rmdir:
    case CALL_rename:
    case CALL_renameat:
    case CALL_remove:
    case CALL_fallocate:
    case CALL_link:
    case CALL_linkat:
    case CALL_symlink:
    case CALL_symlinkat:
    case CALL_fopen:
    case CALL_fclose:
        return 1;
    default:
        return call_table[call].ret == CALL_RET_FD;
    }
}

/* The process waits for everything that its main thread does. sets: bits. */
static uint16_t plan_checkpoint (const struct unit *u, unsigned sets)
{
    return (uint16_t)(sets | (u->main_thread ? 1u << SET_CHECKPOINT : 0));
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
        p->sets |= plan_checkpoint (u, 1u << SET_CKPT_WRITE);
    }
}

/* Plan of a call on a file on storage. */
static void plan_storage (struct scan_plan *p,
                          const struct scanner *s,
                          struct unit *u,
                          enum call call,
                          enum file_kind kind,
                          enum call_class class)
{
    const struct call_info *info = &call_table[call];

    p->storage = 1;
    p->bill = s->bill[call][kind];
    p->cost = &u->n.cost[s->cost[call]];
    if (class == CALL_CLASS_READ)
        plan_read (p, u, kind);
    else if (class == CALL_CLASS_WRITE)
        plan_write (p, u, kind);
    else if (class == CALL_CLASS_SYNC)
        p->sets = kind == KIND_CHECKPOINT
                      ? plan_checkpoint (u, 1u << SET_CKPT_WRITE |
                                                1u << SET_CKPT_SYNC)
                      : 0;
    else if (class == CALL_CLASS_META && kind == KIND_CHECKPOINT &&
             scan_is_of_saving (call)) {
        p->sets = plan_checkpoint (u, 1u << SET_CKPT_META);
        p->more |= info->fields & F_FLAGS && info->ret == CALL_RET_FD
                       ? SCAN_MORE_CKPT_OPEN
                       : 0;
    } else if (class == CALL_CLASS_MAP && call == CALL_mmap)
        p->more |= SCAN_MORE_MAP;
    else if (class == CALL_CLASS_META && kind == KIND_DATA &&
             !(p->more & SCAN_MORE_STREAM))
        p->moved = &u->n.data_meta;
}

void scan_new_plan (struct scan_plan *p,
                    struct scanner *s,
                    struct unit *u,
                    enum call call,
                    unsigned flavor,
                    enum call_class class)
{
    const struct call_info *info = &call_table[call];
    struct call_total **total = &s->tally.call[call];

    *p = (struct scan_plan){.bill = BILL_NONE, .class = (uint8_t) class};
    p->more = info->category == CALL_CATEGORY_POSIX ? 0 : SCAN_MORE_STREAM;
    p->more |= info->class == CALL_CLASS_COPY ? SCAN_MORE_COPY : 0;
    plan_of_file (p, call, class);
    if (flavor >= SCAN_STORAGE)
        plan_storage (p, s, u, call, flavor - SCAN_STORAGE, class);
    if (call == CALL_sync) { /* of all files */
        p->storage = 1;
        p->bill = s->bill[call][KIND_NONE];
        p->cost = &u->n.cost[s->cost[call]];
    }
    if (!*total)
        NEW (*total, 1);
    p->call = *total;
    p->spans = p->more & SCAN_MORE_COPY
                   ? NULL
                   : unit_spans (u,
                                 (struct span_key){.call = (uint16_t)call,
                                                   .sets = p->sets,
                                                   .bill = p->bill,
                                                   .storage = p->storage},
                                 u->main_thread);
    p->unit = u;
}

struct strides_file *
scanplace_begin (struct unit *u, struct scan_name *n, uint32_t number)
{
    int64_t at = strides_add (&u->strides, number);

    n->strider = u;
    n->stride = (uint32_t)at;
    return &u->strides.item[at];
}

static void
scanplace_take (void *cookie, uint32_t name, int is_write, uint64_t stride)
{
    struct scan_name *n = scan_name (cookie, name, SHARD_NAME_FILE);

    if (n)
        accessvalues_meet (&n->total.file->strides,
                           is_write ? ACCESS_WRITE : ACCESS_READ, stride);
}

void scanplace_join (struct scanner *s, struct unit *u, struct unit *later)
{
    scan_room (s);
    strides_join (&u->strides, &later->strides, scanplace_take, s);
}

/* Texts of an event that it may have. */
struct scanfs_texts {
    const struct dict_entry *type, *point, *prefix;
};

static void scanfs_text (const char *from, size_t n, char *to, size_t room)
{
    if (n >= room)
        n = 0;
    memcpy (to, from, n);
    to[n] = '\0';
}

static void
scanfs_mount (struct scanner *s, const struct scanfs_texts *fs, uint64_t block)
{
    const struct dict_entry *prefix = fs->prefix ? fs->prefix : fs->point;
    struct mount_entry m = {.block = block};

    scanfs_text (fs->type->text, fs->type->length, m.type, sizeof (m.type));
    if (fs->point)
        scanfs_text (fs->point->text, fs->point->length, m.point,
                     sizeof (m.point));
    if (prefix && prefix->length)
        tally_add (&s->tally, TALLY_MOUNTS, prefix->text, prefix->length, &m);
}

static void scanfs_larger (uint64_t *to, int64_t value)
{
    if (value > 0 && (uint64_t)value > *to)
        *to = value;
}

/* Take a number about a file on Lustre from the recorder. */
static void scanfs_file (struct file_total *f, unsigned key, int64_t value)
{
    if (key == USAGE_LUSTRE_STRIPES)
        scanfs_larger (&f->stripes, value);
    else if (key == USAGE_LUSTRE_STRIPE_SIZE)
        scanfs_larger (&f->stripe_bytes, value);
    else if (key == USAGE_LUSTRE_COMPONENTS)
        scanfs_larger (&f->components, value);
}

void scanfs_event (struct scanner *s,
                   const struct batch *b,
                   size_t i,
                   struct file_total *file)
{
    struct scanfs_texts fs = {NULL, NULL, NULL};
    uint64_t block = 0;

    for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++) {
        const struct batch_arg *arg = &b->args[a];
        const struct dict_entry *key = dict_entry (s->dict, arg->key);
        unsigned usage = key ? key->key - (unsigned)DICT_KEY_USAGE : 0;

        if (!key || key->key < DICT_KEY_USAGE)
            continue;
        if (arg->type == EVENT_ARG_TEXT) {
            const struct dict_entry *text =
                dict_entry_of (s->dict, arg->text, SHARD_NAME_TEXT);

            if (usage == USAGE_FS_TYPE)
                fs.type = text;
            else if (usage == USAGE_FS_MOUNT)
                fs.point = text;
            else if (usage == USAGE_FS_PREFIX)
                fs.prefix = text;
        } else if (arg->type == EVENT_ARG_INT && usage == USAGE_FS_BLOCK)
            block = arg->i > 0 ? arg->i : 0;
        else if (arg->type == EVENT_ARG_INT && file)
            scanfs_file (file, usage, arg->i);
    }
    if (fs.type)
        scanfs_mount (s, &fs, block);
}

struct share *
scan_new_share (struct scanner *s, struct unit *u, struct scan_name *n)
{
    size_t before = u->shares.count, at;
    const struct dict_entry *file;

    if (!s->pairs ||
        __atomic_load_n (s->pairs, __ATOMIC_RELAXED) > 2 * SHARES_MAX)
        return NULL;
    file = dict_entry (s->dict, (uint32_t)(n - s->name));
    at = shares_at (&u->shares, shares_id (file->text, file->length));
    if (u->shares.count != before)
        __atomic_fetch_add (s->pairs, 1, __ATOMIC_RELAXED);
    n->sharer = u;
    n->share = (uint32_t)at;
    return &u->shares.item[at];
}

enum { SCANKERNEL_DIRECT = 1, SCANKERNEL_LATE = 2, SCANKERNEL_KNOWN = 1 };

static const struct dict_entry *scankernel_name (const struct step *e,
                                                 uint32_t number)
{
    return dict_entry_of (e->s->dict, number, SHARD_NAME_FILE);
}

/* "device NUL path" */
static void scankernel_add (struct step *e, struct block_total *b)
{
    const struct dict_entry *device = scankernel_name (e, e->b->name2[e->i]);
    const struct dict_entry *file = scankernel_name (e, e->b->name[e->i]);
    char key[2 * PATH_MAX];
    size_t n = 0;

    if (device && device->length < PATH_MAX) {
        memcpy (key, device->text, device->length);
        n = device->length;
    }
    key[n++] = '\0';
    if (file && file->length < PATH_MAX) {
        memcpy (key + n, file->text, file->length);
        n += file->length;
    }
    tally_add (&e->s->tally, TALLY_BLOCKS, key, n, b);
}

static struct file_total *scankernel_file (struct step *e)
{
    uint32_t number = e->b->name[e->i];
    struct scan_name *name =
        number ? scan_name (e->s, number, SHARD_NAME_FILE) : NULL;

    return name ? name->total.file : NULL;
}

static void scankernel_read (struct step *e, struct block_total *b)
{
    uint64_t ns = e->end - e->start;
    struct file_total *f;

    b->reads = 1;
    b->read_bytes = e->bytes;
    b->read_ns = b->read_most = ns;
    transfer_add (&e->u->n.block_read, &(struct transfer){1, e->bytes, ns});
    if (!b->direct_bytes)
        return;
    e->u->n.block_direct_read += e->bytes;
    if ((f = scankernel_file (e)))
        f->direct_bytes += e->bytes;
}

static void scankernel_write (struct step *e, struct block_total *b)
{
    uint64_t ns = e->end - e->start;

    b->writes = 1;
    b->write_bytes = e->bytes;
    b->write_ns = b->write_most = ns;
    transfer_add (&e->u->n.block_write, &(struct transfer){1, e->bytes, ns});
}

static void scankernel_block (struct step *e)
{
    struct block_total b = {.failed = e->b->error[e->i] != 0};
    uint64_t flags = e->b->flags[e->i];

    b.direct_bytes = flags & SCANKERNEL_DIRECT ? e->bytes : 0;
    b.late_bytes = flags & SCANKERNEL_LATE ? e->bytes : 0;
    if (e->info->class == CALL_CLASS_READ)
        scankernel_read (e, &b);
    else if (e->info->class == CALL_CLASS_WRITE)
        scankernel_write (e, &b);
    else {
        b.others = 1;
        b.other_ns = e->end - e->start;
        e->u->n.block_other++;
    }
    scankernel_add (e, &b);
}

static void scankernel_fill (struct step *e)
{
    struct file_total *f = scankernel_file (e);
    uint64_t added = e->b->size[e->i];
    int64_t ret = e->b->ret[e->i];
    uint64_t missed = ret > 0 ? ret : 0;

    e->u->n.cache_fill.count++;
    e->u->n.cache_fill.bytes += added;
    if (!f)
        return;
    f->fills++;
    f->fill_bytes += added;
    f->missed_bytes += missed;
    f->unsure_bytes += e->b->flags[e->i] & SCANKERNEL_KNOWN ? 0 : added;
}

static void scan_kernel (struct step *e)
{
    enum call call = e->b->call[e->i];

    e->bytes = e->b->bytes_read[e->i] | e->b->bytes_written[e->i];
    scan_call_total (e, call == CALL_cache_fill ? e->b->size[e->i] : e->bytes);
    if (call != CALL_cache_fill) {
        scankernel_block (e);
        return;
    }
    scankernel_fill (e);
}

/* Arguments of a region; -1: none. */
struct region_args {
    int64_t size;             /* bytes of the sample it handled */
    int64_t count;            /* samples, workers */
    int64_t again;            /* times that it was done before */
    int64_t mark[MARK_KINDS]; /* its step, its epoch */
    int marks;                /* there is one */
};

static void listen (struct region_args *args, const struct step *e)
{
    const struct batch_arg *arg = e->b->args + e->b->arg[e->i];
    const struct batch_arg *end = e->b->args + e->b->arg[e->i + 1];

    *args = (struct region_args){-1, -1, -1, {-1, -1, -1, -1}, 0};
    for (; arg < end; arg++) {
        const struct scan_name *key;

        if (arg->type != EVENT_ARG_INT || arg->i < 0 ||
            !(key = scan_name (e->s, arg->key, SHARD_NAME_KEY)))
            continue;
        if (key->key == DICT_KEY_IMAGE_SIZE)
            args->size = arg->i;
        else if (key->key == DICT_KEY_COUNT)
            args->count = arg->i;
        else if (key->key == DICT_KEY_AGAIN)
            args->again = arg->i;
        else if (key->key == DICT_KEY_STEP || key->key == DICT_KEY_EPOCH) {
            args->mark[key->key == DICT_KEY_STEP ? MARK_STEP : MARK_EPOCH] =
                arg->i;
            args->marks = 1;
        }
    }
}

static void count_marks (struct step *e,
                         const struct region_args *args,
                         const struct op_total *op)
{
    enum role role = op->role;
    int checkpoint = role == ROLE_CHECKPOINT && e->u->main_thread &&
                     op->sample != ROLE_SAMPLE_WAIT;

    if (!args->marks && role != ROLE_EPOCH && role != ROLE_BARRIER &&
        !checkpoint)
        return;
    for (int kind = 0; kind < MARK_KINDS; kind++)
        if (args->mark[kind] >= 0 ||
            (kind == MARK_EPOCH && role == ROLE_EPOCH) ||
            (kind == MARK_BARRIER && role == ROLE_BARRIER) ||
            (kind == MARK_CHECKPOINT && checkpoint))
            marks_add (&e->u->marks[kind], args->mark[kind], e->start, e->end);
}

/* Keep when a region of the role was: the sets and the bill of all of them in a
 * unit are the same. */
static void region_keep (struct step *e, enum role role)
{
    struct spans *spans = e->s->region[role].spans;

    if (e->s->region[role].unit != e->u) {
        spans = unit_spans (e->u,
                            (struct span_key){.call = CALL_region,
                                              .sets = (uint16_t)e->sets,
                                              .bill = e->bill},
                            e->u->main_thread);
        e->s->region[role].unit = e->u;
        e->s->region[role].spans = spans;
    }
    spanlog_add (&spans->log, e->start, e->end);
}

/* Sets that the time of a region belongs to, by its role. */
static const struct role_sets {
    int keeps; /* its time is kept, */
    int main;  /* of main threads only: for others nobody waits */
    unsigned sets, main_sets;
} role_sets[ROLE_COUNT] = {
    [ROLE_LOADER] = {.keeps = 1, .sets = 1u << SET_LOADER},
    [ROLE_STALL] = {.keeps = 1, .sets = 1u << SET_STALL},
    [ROLE_WORKERS] = {.keeps = 1},
    [ROLE_CHECKPOINT] = {.keeps = 1, .main = 1, .sets = 1u << SET_CHECKPOINT},
    [ROLE_BARRIER] = {.keeps = 1,
                      .sets = 1u << SET_BARRIER,
                      .main_sets = 1u << SET_COMM},
    [ROLE_COLLECTIVE] = {.keeps = 1, .main = 1, .sets = 1u << SET_COMM},
};

static void count_role (struct step *e, enum role role)
{
    const struct role_sets *how = &role_sets[role];
    int loader = role == ROLE_LOADER || role == ROLE_WORKERS;

    e->u->n.regions[role]++;
    if (loader || role == ROLE_STALL || role == ROLE_COMPUTE)
        startup_train (&e->u->startup, e->start, e->end, !loader);
    if (e->u->main_thread)
        e->bill = e->s->bill_role[role];
    if (!how->keeps || (how->main && !e->u->main_thread))
        return;
    e->sets |= how->sets | (e->u->main_thread ? how->main_sets : 0);
    if (role == ROLE_BARRIER)
        startup_barrier (&e->u->startup, e->end - e->start);
    region_keep (e, role);
}

/* Keep the time of the region that is in no other region with a row in the
 * bill. */
static void count_own (struct step *e, enum role role)
{
    struct nest *own = &e->u->nest[UNIT_OWN];

    if (e->s->bill_role[role] == BILL_NONE)
        return;
    own->keeps_gaps = role == ROLE_COMPUTE || role == ROLE_BODY;
    nest_add (own, e->start, e->end, 0, (void *)(uintptr_t)role);
    if (own->keeps_gaps)
        unit_keep_own (e->u, role);
}

/* A call that DFTracer knows and calls.def does not. */
static void foreign_call (struct step *e, struct op_total *op)
{
    e->u->n.posix += op->foreign == CALL_CATEGORY_POSIX;
    e->u->n.stdio += op->foreign == CALL_CATEGORY_STDIO;
    op->self += e->end - e->start;
    thinhist_add (&op->time, e->end - e->start);
}

/* An item, or a region of the loader that says how large its sample is. What
 * others say by image_size is something else (a batch, an argument). */
static int is_sample (const struct op_total *op, const struct region_args *args)
{
    return op->sample == ROLE_SAMPLE_ITEM ||
           (op->role == ROLE_LOADER && args->size > 0);
}

static uint64_t sample_tag (const struct op_total *op,
                            const struct region_args *args)
{
    uint64_t size = args->size > 0 ? args->size : 0;

    return op->sample == ROLE_SAMPLE_READ ? size | NEST_WINS : size;
}

/* The samples of an item or of a batch, the workers of a loader. */
static void count_samples (struct step *e,
                           const struct op_total *op,
                           const struct region_args *args)
{
    struct transfer t = {1, args->count > 0 ? args->count : 0,
                         e->end - e->start};

    if (op->sample == ROLE_SAMPLE_BATCH)
        e->u->n.sample_used += t.bytes;
    else if (op->sample == ROLE_SAMPLE_END)
        transfer_add (&e->u->n.loader_end, &t);
    else if (op->role == ROLE_WORKERS) {
        transfer_add (&e->u->n.workers, &t);
        if (args->again > 0)
            transfer_add (&e->u->n.workers_again, &t);
    }
    if (!is_sample (op, args))
        return;
    nest_add (&e->u->nest[UNIT_SAMPLES], e->start, e->end,
              sample_tag (op, args), NULL);
    nest_add (&e->u->nest[UNIT_COUNTED], e->start, e->end,
              op->sample == ROLE_SAMPLE_ITEM && t.bytes ? t.bytes : 1, NULL);
}

void scan_region (struct step *e)
{
    uint32_t number = e->b->name[e->i];
    struct scan_name *name =
        number ? scan_name (e->s, number, SHARD_NAME_EVENT) : NULL;
    struct op_total *op = name ? name->total.op : NULL;
    struct region_args args;

    if (op && op->foreign != CALL_CATEGORY_APP) {
        foreign_call (e, op);
        return;
    }
    e->u->n.app++;
    if (!op)
        return;
    if (e->b->call[e->i] == CALL_metadata) {
        pointfaults_take (&e->s->tally.points, e->s->dict, e->b, e->i);
        return;
    }
    thinhist_add (&op->time, e->end - e->start);
    if (e->b->call[e->i] != CALL_region)
        return;
    op->self += e->end - e->start -
                nest_add (&e->u->nest[UNIT_REGIONS], e->start, e->end, 0, op);
    listen (&args, e);
    count_marks (e, &args, op);
    count_samples (e, op, &args);
    count_own (e, op->role);
    count_role (e, op->role);
}

/* --- names ------------------------------------------------------------ */

static struct file_total *scan_new_file (const struct dict_entry *e)
{
    struct file_total *f = ZEROED (f, 1);

    f->class = e->class;
    f->kind = e->file_kind;
    return f;
}

static struct op_total *scan_new_op (const struct dict_entry *e)
{
    struct op_total *op = ZEROED (op, 1);

    op->foreign = e->layer;
    op->role = e->role;
    op->sample = e->sample;
    return op;
}

struct scan_name *
scan_new_name (struct scanner *s, uint32_t number, enum shard_name_kind kind)
{
    const struct dict_entry *e = dict_entry_of (s->dict, number, kind);
    struct scan_name *n = &s->name[number];

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
    n->kind = (uint8_t)kind;
    return n;
}

void scan_room (struct scanner *s)
{
    GROW_ZEROED (s->name, s->names, dict_limit (s->dict));
}

/* --- times ------------------------------------------------------------ */

void scan_keep_time (const struct step *e)
{
    const struct span_key key = {.call = e->b->call[e->i],
                                 .sets = (uint16_t)e->sets,
                                 .bill = e->bill,
                                 .storage = e->storage};

    unit_keep (e->u, key, e->start, e->end);
}

/* So short a child that is not traced, or has recorded nothing, is its start.
 */
enum { SCAN_START_NS = 100000000 };

/* Of threads beside the main one only what helps a rank that waits, as they say
 * it themselves: there may be hundreds, and the sampler tells of all; and when
 * one of them runs, wants to, or waits for a child, for who waits for them. */
static void scan_wait (struct step *e)
{
    enum call call = e->b->call[e->i];
    uint64_t flags = e->b->flags[e->i];
    uint32_t tid = wait_tid (flags, e->b->tid);
    int main = tid == e->u->main_tid;
    int starts = call == CALL_wait_child && e->end - e->start < SCAN_START_NS;
    int estimate = (flags & WAIT_ESTIMATE) != 0;
    int runs = !main && estimate && call == CALL_wait_run;
    int wants = !main && estimate && call == CALL_wait_runq;
    int child = !main && call == CALL_wait_child && !starts;
    const struct span_key key = {.call = (uint16_t)call,
                                 .bill = child    ? BILL_NONE
                                         : starts ? BILL_spawn
                                                  : e->s->bill[call][KIND_NONE],
                                 .estimate = (uint8_t)estimate};

    e->u->n.waits++;
    e->u->n.others_ran_ns += runs ? e->end - e->start : 0;
    e->u->n.others_wanted_ns += wants ? e->end - e->start : 0;
    if (main && call_waits_for_others (call))
        e->u->n.waited_ns += e->end - e->start;
    if (!main && !runs && !wants && !child &&
        (tid != e->b->tid || key.estimate || !(bill_helps >> key.bill & 1)))
        return;
    /* a split of any thread tells of the main one */
    spanlog_add (&unit_spans (e->u, key, main)->log, e->start, e->end);
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
        .class = e->info->class,
        .storage = scan_is_stored (e, e->b->name[e->i]),
        .storage2 = scan_is_stored (e, e->b->name2[e->i]),
        .start = e->start,
        .end = e->end,
        .bytes = e->bytes};

    timemap_count (e->s->time, &c);
}

/* --- batches ---------------------------------------------------------- */

static void
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
    int category = e.info->category;

    if (category != CALL_CATEGORY_NET &&
        (layers & LAYER_MMAP ||
         (category == CALL_CATEGORY_MMAP && layers & LAYER_KERNEL)))
        mmlog_event (&u->mm, s->dict, b, i);
    if (category == CALL_CATEGORY_NET)
        scannet_event (&e);
    else if (category == CALL_CATEGORY_MMAP)
        return;
    else if (category == CALL_CATEGORY_WAIT)
        scan_wait (&e);
    else if (category == CALL_CATEGORY_KERNEL)
        scan_kernel (&e);
    else if (call_category_is_above (category))
        scanabove_event (&e);
    else if (category == CALL_CATEGORY_APP)
        scan_region (&e);
    else {
        scan_call (&e);
        if (s->timed)
            scan_time (&e);
        if (layers & LAYERS_ABOVE && category == CALL_CATEGORY_POSIX)
            scanabove_below (&e);
    }
}

/* When there were events; how many, without waits. */
static void
scan_window (const struct scanner *s, struct unit *u, const struct batch *b)
{
    const unsigned char *wanted = s->filter.where ? s->wanted : NULL;
    const uint64_t *start = b->start, *end = b->end;
    uint64_t first = u->first, last = u->last, n = b->count, waits = 0;

    for (size_t i = 0; i < b->count; i++) {
        uint64_t wait = call_is_wait (b->call[i]);

        waits += wait;
        if (wanted && !wanted[i]) {
            n--;
            continue;
        }
        n -= wait;
        if (start[i] < first)
            first = start[i];
        if (end[i] > last)
            last = end[i];
    }
    u->first = first;
    u->last = last;
    u->n.events += n;
    u->waits += waits;
    u->others += b->count - waits;
}

void scanner_batch (struct scanner *s, struct unit *u, const struct batch *b)
{
    /* some who hear of calls want each of them */
    int each = s->filter.where || s->timed ||
               u->who->p.layers & (LAYER_MMAP | LAYERS_ABOVE);

    u->main_thread = b->tid == u->main_tid;
    s->chunk += (uint32_t)b->begins;
    scan_room (s);
    if (s->filter.where)
        evfilter_batch (&s->filter, b, s->wanted);
    scan_window (s, u, b);
    for (size_t i = 0; i < b->count; i++) {
        if (!each && (i = scan_calls (s, u, b, i)) == b->count)
            return;
        if (!s->filter.where || s->wanted[i])
            scan_event (s, u, b, i);
    }
}

void scanner_begin (struct scanner *s)
{
    for (int role = 0; role < ROLE_COUNT; role++)
        s->bill_role[role] = (uint8_t)bill_of_role (role);
    for (int call = 0; call < CALL_MAX; call++) {
        s->cost[call] = (uint8_t)cost_of_call (call);
        for (int kind = 0; kind <= KIND_COUNT; kind++)
            s->bill[call][kind] = (uint8_t)bill_of_call (
                call, kind == KIND_CHECKPOINT &&
                              call_table[call].class == CALL_CLASS_META &&
                              !scan_is_of_saving (call)
                          ? KIND_INDEX
                          : kind);
    }
}

/* --- workers ---------------------------------------------------------- */

static void scan_name_clear (struct scan_name *n)
{
    tally_free (n->kind == SHARD_NAME_FILE ? TALLY_FILES : TALLY_OPS,
                n->total.any);
    n->total.any = NULL;
}

/* There may be a million names: none is in memory twice for long. */
void scanner_join (struct tally *t, struct scanner *s)
{
    tally_merge (t, &s->tally);
    for (size_t i = 0; i < s->names; i++) {
        struct scan_name *n = &s->name[i];
        const struct dict_entry *e = dict_entry (s->dict, (uint32_t)i);

        if (!n->total.any)
            continue;
        tally_add (t, n->kind == SHARD_NAME_FILE ? TALLY_FILES : TALLY_OPS,
                   e->text, e->length, n->total.any);
        scan_name_clear (n);
    }
}

void scanner_clear (struct scanner *s)
{
    evfilter_clear (&s->filter);
    for (size_t i = 0; i < s->names; i++)
        scan_name_clear (&s->name[i]);
    free (s->name);
    free (s->time);
    tally_clear (&s->tally);
}
