/* SPDX-License-Identifier: MIT
 *
 * blocks.c - requests to block devices, pages brought to the cache -> events
 *
 * What the kernel writes back by itself belongs to who made the pages dirty; if
 * that process has ended, to one of the job that has not.
 */
#include "config.h"

#include "kernel/calls.h"
#include "lib/base/array.h"
#include "lib/format/usagekeys.h"

enum {
    BLOCKS_DEVICES = 64, /* whose names are remembered */
    BLOCKS_NAME = 64,
    BLOCKS_MINOR_BITS = 20, /* of the kernel's dev_t */
    BLOCKS_ERROR = 5        /* EIO, whatever the kernel's own word is */
};

/* By REQ_OP_*; 0: not one of them. */
static const uint16_t blocks_call[] = {
    [0] = CALL_block_read,    /* READ */
    [1] = CALL_block_write,   /* WRITE */
    [2] = CALL_block_flush,   /* FLUSH */
    [3] = CALL_block_discard, /* DISCARD */
    [5] = CALL_block_discard, /* SECURE_ERASE */
    [9] = CALL_block_write,   /* WRITE_ZEROES */
};

enum { BLOCKS_OPS = ITEMS (blocks_call) };

struct blocks_device {
    uint32_t device;
    char name[BLOCKS_NAME]; /* "": free */
};

/* "/dev/sda1", or "/dev/block/8:1" where sysfs does not tell. */
static void blocks_find_name (struct blocks_device *d)
{
    unsigned major = d->device >> BLOCKS_MINOR_BITS;
    unsigned minor = d->device & ((1u << BLOCKS_MINOR_BITS) - 1);
    char link[64], target[1024];
    const char *base;
    ssize_t n;

    FORMAT (d->name, "/dev/block/%u:%u", major, minor);
    FORMAT (link, "/sys/dev/block/%u:%u", major, minor);
    n = readlink (link, target, sizeof (target) - 1);
    if (n <= 0)
        return;
    target[n] = '\0';
    base = strrchr (target, '/');
    if (base && strlen (base) < BLOCKS_NAME - sizeof ("/dev"))
        FORMAT (d->name, "/dev%.*s", BLOCKS_NAME - 6, base);
}

static struct chunk_name blocks_device (uint32_t device)
{
    static struct blocks_device known[BLOCKS_DEVICES];
    struct blocks_device *d = known;
    int i;

    for (i = 0; i < BLOCKS_DEVICES && known[i].name[0]; i++)
        if (known[i].device == device)
            break;
    d = &known[i < BLOCKS_DEVICES ? i : (int)(device % BLOCKS_DEVICES)];
    if (!d->name[0] || d->device != device) {
        d->device = device;
        blocks_find_name (d);
    }
    return (struct chunk_name){d->name, strlen (d->name), FILE_CLASS_DEVICE};
}

void blocks_keep (struct calls *c, const struct abi_keep *r)
{
    const struct open_file *f = opens_get (c->opens, r->file, r->number);
    struct open_file kept;

    if (!f)
        return;
    kept = *f;
    kept.address = r->number; /* no address of the kernel is that small */
    opens_set (c->opens, &kept);
}

static void blocks_start (struct event *ev, enum call call, int64_t offset)
{
    memset (ev, 0, offsetof (struct event, args));
    ev->call = (uint16_t)call;
    ev->fd = -1;
    ev->offset = offset;
}

void blocks_take (struct calls *c, const struct abi_block *r)
{
    struct thread *h = procs_thread_late (c->procs, &r->head);
    struct chunk_name file, device = blocks_device (r->device);
    struct event ev;

    if (!h || r->op >= BLOCKS_OPS || !blocks_call[r->op]) {
        c->unplaced += !h;
        return;
    }
    if (!h->proc->wanted ||
        (!calls_name (c, h, r->number, r->number, &file) && r->number))
        return;
    blocks_start (&ev, blocks_call[r->op], r->offset);
    ev.start = r->start;
    ev.end = r->head.time;
    ev.size = r->bytes;
    ev.ret = r->failed ? -1 : (int64_t)r->bytes;
    if (ev.call == CALL_block_flush || ev.call == CALL_block_discard)
        ev.ret = r->failed ? -1 : 0;
    ev.err = r->failed ? BLOCKS_ERROR : 0;
    ev.flags = r->flags;
    if (!calls_drops (c, &ev))
        procs_record (c->procs, h, &ev, &file, &device);
}

void blocks_cached (struct calls *c, const struct abi_cache *r)
{
    static const struct chunk_name none;
    struct thread *h = procs_thread (c->procs, &r->head);
    struct chunk_name file;
    struct event ev;

    if (!h || !h->proc->wanted ||
        !calls_name (c, h, r->number, r->number, &file))
        return;
    blocks_start (&ev, CALL_cache_fill, r->offset);
    ev.start = ev.end = r->head.time;
    ev.size = r->added;
    ev.ret = r->missed;
    ev.flags = r->exact;
    if (!calls_drops (c, &ev))
        procs_record (c->procs, h, &ev, &file, &none);
}

/* ---- page faults of mapped files -> events of layer mmap ---- */

static const struct chunk_name faults_no_name;

static void faults_put (struct event *ev, enum usage_key key, uint64_t value)
{
    ev->args[ev->nargs++] = (struct event_arg){
        .key = key, .type = EVENT_ARG_INT, .i = (int64_t)value};
}

static void
faults_source (struct calls *c, struct thread *h, const struct abi_fault *r)
{
    struct event ev;

    memset (&ev, 0, offsetof (struct event, args));
    ev.start = ev.end = r->head.time;
    ev.call = CALL_mm_sources;
    ev.fd = -1;
    ev.offset = -1;
    ev.flags = MM_KERNEL;
    procs_record (c->procs, h, &ev, &faults_no_name, &faults_no_name);
    h->proc->faults_told = 1;
}

void faults_take (struct calls *c, const struct abi_fault *r)
{
    struct thread *h = procs_thread (c->procs, &r->head);
    struct chunk_name name = faults_no_name;
    struct event ev;

    if (!h || !h->proc->wanted)
        return;
    if (r->file && !calls_name (c, h, r->file, r->number, &name))
        return; /* the trace itself, too */
    if (!h->proc->faults_told)
        faults_source (c, h, r);
    memset (&ev, 0, offsetof (struct event, args));
    ev.end = r->head.time;
    ev.start = ev.end - r->slept;
    ev.call = CALL_page_fault;
    ev.fd = -1;
    ev.offset = name.path ? (int64_t)r->offset : -1;
    ev.flags = r->head.tid;
    if (!r->major)
        faults_put (&ev, USAGE_MINOR, 1);
    if (r->bytes)
        faults_put (&ev, USAGE_READ, r->bytes);
    procs_record (c->procs, h, &ev, &name, &faults_no_name);
}

/* ---- requests of io_urings -> events ---- */

/* By IORING_OP_*; 0: not one of them. */
static const uint16_t requests_call[] = {
    [1] = CALL_aio_read,   /* READV */
    [2] = CALL_aio_write,  /* WRITEV */
    [3] = CALL_aio_fsync,  /* FSYNC */
    [4] = CALL_aio_read,   /* READ_FIXED */
    [5] = CALL_aio_write,  /* WRITE_FIXED */
    [8] = CALL_aio_fsync,  /* SYNC_FILE_RANGE */
    [22] = CALL_aio_read,  /* READ */
    [23] = CALL_aio_write, /* WRITE */
    [60] = CALL_aio_read,  /* READV_FIXED */
    [61] = CALL_aio_write, /* WRITEV_FIXED */
};

enum { REQUESTS_OPS = ITEMS (requests_call) };

/* Return the size that was asked for. It is not known if the kernel chose the
 * buffer, or if a vector has more elements than are read. */
static uint64_t requests_size (const struct abi_request *r)
{
    uint64_t moved = r->result > 0 ? (uint64_t)r->result : 0;

    return r->size == UINT64_MAX || r->size < moved ? moved : r->size;
}

void requests_take (struct calls *c, const struct abi_request *r)
{
    static const struct chunk_name none;
    struct thread *h = procs_thread (c->procs, &r->head);
    struct chunk_name name;
    struct event ev;

    if (!h || !h->proc->wanted || r->op >= REQUESTS_OPS ||
        !requests_call[r->op] || !calls_name (c, h, r->file, r->number, &name))
        return;
    memset (&ev, 0, offsetof (struct event, args));
    ev.start = r->start;
    ev.end = r->head.time;
    ev.call = requests_call[r->op];
    ev.fd = r->fd;
    ev.offset = r->offset;
    ev.ret = r->result;
    if (ev.call != CALL_aio_fsync)
        ev.size = requests_size (r);
    if (r->result < 0) {
        ev.ret = -1;
        ev.err = -r->result;
    }
    if (!calls_drops (c, &ev))
        procs_record (c->procs, h, &ev, &name, &none);
}
