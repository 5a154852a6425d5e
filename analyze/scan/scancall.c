/* SPDX-License-Identifier: MIT
 *
 * scancall.c - calls of libc -> counters of their function, file, process
 *
 * In:  events, from scan.c
 * Out: counts, histograms, the sets of time they belong to
 * Caveat: what counts a call is inlined in the loop over calls that follow each
 *         other, where nothing may take the address of the step: so it stays in
 *         registers.
 */
#include "config.h"

#include "analyze/scan/scan.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/format/profile.h"

#include <sys/mman.h>

static int scansides_of (enum call call)
{
    return CALL_SIDES (call, call_table[call].category, call_table[call].class);
}

void scansides_add (struct counts *n,
                    enum call call,
                    uint64_t bytes,
                    uint64_t filled,
                    uint64_t flushed)
{
    enum call_class class = call_table[call].class;
    int sides = scansides_of (call);

    n->call_read += sides & CALL_READS ? bytes : 0;
    n->call_written += sides & CALL_WRITES ? bytes : 0;
    if (call_table[call].category != CALL_CATEGORY_STDIO)
        return;
    n->stream_read += class == CALL_CLASS_READ ? bytes : 0;
    n->stream_written += class == CALL_CLASS_WRITE ? bytes : 0;
    n->stream_filled += filled;
    n->stream_flushed += flushed;
}

/* The sum of a POSIX call that has one side, or unused. */
static uint64_t *
scansides_one (struct counts *n, enum call call, uint64_t *unused)
{
    int sides = scansides_of (call);

    return sides == CALL_READS    ? &n->call_read
           : sides == CALL_WRITES ? &n->call_written
                                  : unused;
}

#define SCAN_INLINE inline __attribute__ ((always_inline))

/* --- counting --------------------------------------------------------- */

/* Return what a call moved. */
static SCAN_INLINE struct transfer count_of (const struct step *e)
{
    return (struct transfer){1, e->bytes, e->end - e->start};
}

static SCAN_INLINE void count_transfer (struct transfer *t,
                                        const struct step *e)
{
    t->count++;
    t->bytes += e->bytes;
    t->ns += e->end - e->start;
}

static SCAN_INLINE void count_call (struct call_total *c, const struct step *e)
{
    c->bytes += e->bytes;
    c->libc += e->libc_read + e->libc_written;
    c->errors += e->failed;
    hist_add (&c->time, e->end - e->start);
}

/* Position of a read or write relative to the one before it. */
static SCAN_INLINE void
count_follow (struct step *e, int writes, int64_t offset)
{
    struct scan_name *n = e->name;
    struct file_total *f = e->file;
    int before;

    if (n->chunk != e->s->chunk) {
        n->chunk = e->s->chunk;
        n->place = (struct place){0};
    }
    before = n->place.known;
    e->placed = place_follow (&n->place, writes, offset, e->bytes);
    f->placed[e->placed]++;
    f->switches += before + n->place.known == PLACE_READ + PLACE_WRITE;
    f->unaligned += (uint64_t)offset % CALL_PAGE != 0;
    if (!writes && n->place.end > f->extent)
        f->extent = n->place.end;
}

/* How many bytes it skips. */
static SCAN_INLINE void
count_stride (const struct step *e, enum access_way way, uint64_t offset)
{
    const struct scan_name *n = e->name;
    struct strides_file *f =
        n->strider == e->u ? &e->u->strides.item[n->stride]
                           : scanplace_begin (e->u, e->name, e->b->name[e->i]);
    uint64_t end;

    end = f->end[way];
    f->end[way] = offset + e->bytes + 1;
    if (!end && e->u->strides.continues) { /* strides_join knows it */
        f->first[way] = offset + 1;
        return;
    }
    accessvalues_meet (&e->file->strides, way, strides_of (end, offset));
}

static SCAN_INLINE void count_place (struct step *e, int writes)
{
    enum access_way way = writes ? ACCESS_WRITE : ACCESS_READ;
    int64_t offset = e->b->offset[e->i];

    if (offset >= 0)
        count_follow (e, writes, offset);
    if (e->failed)
        return;
    if (offset < 0)
        accessvalues_add_unknown (&e->file->strides, way, 1);
    else
        count_stride (e, way, offset);
}

static SCAN_INLINE void count_share (const struct step *e,
                                     enum call_class class)
{
    struct scan_name *n = e->name;
    struct share *s = n->sharer == e->u ? &e->u->shares.item[n->share]
                                        : scan_new_share (e->s, e->u, n);

    if (s)
        share_add (s, class, count_of (e));
}

static SCAN_INLINE void count_file (struct step *e, const struct scan_plan *p)
{
    uint64_t *number = e->file->number;

    number[p->count]++;
    number[p->bytes] += e->bytes;
    number[p->ns] += e->end - e->start;
    if (p->places)
        count_place (e, p->class == CALL_CLASS_WRITE);
    if (p->sizes && !e->failed)
        accessvalues_meet (&e->file->sizes, p->sizes - 1u, e->bytes);
}

/* Count a call as its plan says, for a file and the unit. */
static SCAN_INLINE void count_plan (struct step *e, const struct scan_plan *p)
{
    if (e->file) {
        count_file (e, p);
        if (p->storage)
            count_share (e, p->class);
    }
    if (p->moved)
        count_transfer (p->moved, e);
    if (p->also)
        count_transfer (p->also, e);
    e->sets |= p->sets;
    e->storage |= p->storage;
    e->bill = p->storage ? p->bill : e->bill;
}

void scan_stream (const struct step *e,
                  enum call_class class,
                  struct transfer t)
{
    struct file_total *f = e->file;
    struct counts *n = &e->u->n;

    f->libc_read += e->libc_read;
    f->libc_written += e->libc_written;
    f->stdio_ns += t.ns;
    f->stdio_read_bytes += class == CALL_CLASS_READ ? t.bytes : 0;
    f->stdio_write_bytes += class == CALL_CLASS_WRITE ? t.bytes : 0;
    if (f->class != FILE_CLASS_STORAGE)
        return;
    n->stdio_ns += t.ns;
    n->libc_read += e->libc_read;
    n->libc_written += e->libc_written;
    if (class == CALL_CLASS_READ && f->kind == KIND_DATA)
        n->stdio_reads += t.count;
    if (class == CALL_CLASS_READ)
        transfer_add (&n->stdio_read, &t);
    else if (class == CALL_CLASS_WRITE)
        transfer_add (&n->stdio_write, &t);
}

void scan_index (const struct step *e, enum call_class class, struct transfer t)
{
    struct startup *s = &e->u->startup;

    if (class == CALL_CLASS_READ) {
        s->index_reads += t.count;
        s->index_read_bytes += t.bytes;
    } else
        startup_built (s, e->start, e->end, t.bytes);
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
    e->u->n.data_maps += is_data_map (e);
    e->u->n.mapped_bytes += size;
    if (e->file->kind == KIND_INDEX)
        startup_map (&e->u->startup, e->start, e->end, size);
}

/* Count cases that depend on more than the call and its file. */
static void count_more (struct step *e, unsigned more, enum call_class class)
{
    if (more & SCAN_MORE_STREAM && e->file)
        scan_stream (e, class, count_of (e));
    if (more & SCAN_MORE_INDEX)
        scan_index (e, class, count_of (e));
    if (more & SCAN_MORE_MAP)
        count_map (e);
}

/* --- calls ------------------------------------------------------------ */

/* A copy inside the kernel reads one file and writes another; it stays one
 * call. */
static void count_copy (struct step *e, const struct scan_plan *from)
{
    const struct scan_plan *to =
        scan_plan (e, e->b->name2[e->i], e->s->copied, CALL_CLASS_WRITE);
    struct transfer *cost = from->cost;

    count_plan (e, to);
    cost = cost ? cost : to->cost;
    e->u->n.posix_storage += !from->storage && to->storage;
    count_more (e, to->more, CALL_CLASS_WRITE);
    if (cost)
        count_transfer (cost, e);
    scan_keep_time (e);
}

/* Bytes that libc moved for a call on a stream; its result says only how many
 * the program got. */
static void look_at_stream (struct step *e)
{
    for (uint32_t a = e->b->arg[e->i]; a < e->b->arg[e->i + 1]; a++) {
        const struct batch_arg *arg = &e->b->args[a];
        const struct dict_entry *key = dict_entry (e->s->dict, arg->key);
        uint64_t value = MAX (arg->i, 0);

        if (!key || arg->type != EVENT_ARG_INT)
            continue;
        if (key->key == DICT_KEY_USAGE + USAGE_STDIO_READ)
            e->libc_read = value;
        else if (key->key == DICT_KEY_USAGE + USAGE_STDIO_WRITTEN)
            e->libc_written = value;
        else if (key->key == DICT_KEY_USAGE + USAGE_STDIO_AGAIN)
            e->bytes -= MIN (value, e->bytes);
    }
}

/* Its plan; a copy reads its first file. */
static inline const struct scan_plan *call_plan (struct step *e)
{
    enum call_class class = e->info->class;

    return scan_plan (e, e->b->name[e->i], e->s->plan,
                      class == CALL_CLASS_COPY ? CALL_CLASS_READ : class);
}

/* Read the result of the call. */
static SCAN_INLINE void call_look (struct step *e)
{
    const struct batch *b = e->b;
    size_t i = e->i;

    e->start = b->start[i];
    e->end = b->end[i];
    e->bytes = b->bytes_read[i] | b->bytes_written[i];
    e->failed = b->error[i] != 0 || b->ret[i] == -1;
}

/* Counts of all calls. */
static SCAN_INLINE void
call_count (struct step *e, const struct scan_plan *p, int posix)
{
    const uint32_t *arg = e->b->arg + e->i;

    if (e->u->main_thread)
        startup_call (&e->u->startup, e->start, e->end);
    count_plan (e, p);
    count_call (p->call, e);
    if (posix && p->storage && e->file)
        e->u->n.posix_storage++;
    if (p->class == CALL_CLASS_META && arg[0] != arg[1])
        scanfs_event (e->s, e->b, e->i, e->file);
}

/* Counts of calls that are no copies. */
static SCAN_INLINE void call_end (const struct step *e,
                                  const struct scan_plan *p)
{
    if (p->cost)
        count_transfer (p->cost, e);
    spanlog_add (&p->spans->log, e->start, e->end);
}

/* Its flags say so; 0: they are not known, or those of open () to read. */
static int opens_to_read (const struct step *e)
{
    uint64_t flags = e->b->flags[e->i];

    return flags && (flags & O_ACCMODE) == O_RDONLY &&
           !(flags & (O_CREAT | O_TRUNC));
}

/* A checkpoint that is read is no checkpoint that is taken. */
static void call_end_restart (const struct step *e, const struct scan_plan *p)
{
    struct span_key key = p->spans->key;

    key.sets = 0;
    key.bill = e->s->bill[e->b->call[e->i]][KIND_INDEX];
    if (p->cost)
        count_transfer (p->cost, e);
    unit_keep (e->u, key, e->start, e->end);
}

void scan_call (struct step *e)
{
    int posix = e->info->category == CALL_CATEGORY_POSIX;
    const struct scan_plan *p = call_plan (e);

    e->u->n.posix += posix;
    e->u->n.stdio += !posix;
    call_look (e);
    if (!posix)
        look_at_stream (e);
    scansides_add (&e->u->n, e->b->call[e->i], e->bytes, e->libc_read,
                   e->libc_written);
    call_count (e, p, posix);
    if (p->more)
        count_more (e, p->more, p->class);
    if (p->more & SCAN_MORE_CKPT_OPEN && opens_to_read (e))
        call_end_restart (e, p);
    else if (p->more & SCAN_MORE_COPY)
        count_copy (e, p);
    else
        call_end (e, p);
}

size_t
scan_calls (struct scanner *s, struct unit *u, const struct batch *b, size_t at)
{
    struct step e = {.s = s, .u = u, .b = b, .i = at};
    const struct scan_plan *p = NULL; /* of the call before */
    uint64_t unused = 0, *side = &unused;

    for (; e.i < b->count; e.i++) {
        if (!p || b->call[e.i] != b->call[e.i - 1] ||
            b->name[e.i] != b->name[e.i - 1]) {
            e.info = &call_table[b->call[e.i]];
            if (e.info->category != CALL_CATEGORY_POSIX)
                break;
            p = call_plan (&e);
            if (p->more)
                break;
            side = scansides_one (&u->n, b->call[e.i], &unused);
        }
        call_look (&e);
        *side += e.bytes;
        call_count (&e, p, 1);
        call_end (&e, p);
    }
    u->n.posix += e.i - at;
    return e.i;
}

/* --- calls on sockets and their sums -> totals of a peer --- */

static int scannet_is_ip (const struct dict_entry *peer)
{
    static const char local[] = "local";

    return peer->length != sizeof (local) - 1 ||
           memcmp (peer->text, local, peer->length) != 0;
}

static void
scannet_add (const struct step *e, uint32_t name, struct peer_total *p)
{
    const struct dict_entry *peer =
        dict_entry_of (e->s->dict, name, SHARD_NAME_FILE);
    struct counts *n = &e->u->n;

    if (!peer)
        return;
    if (scannet_is_ip (peer)) {
        transfer_add (&n->net_sent,
                      &(struct transfer){p->calls, p->sent, p->ns});
        transfer_add (&n->net_first,
                      &(struct transfer){p->answers, 0, p->first_ns});
        n->net_received += p->received;
        n->net_connections += p->connections;
    }
    tally_add (&e->s->tally, TALLY_PEERS, peer->text, peer->length, p);
}

/* Offsets in struct peer_total of what arguments say, plus 1. */
static const uint8_t scannet_sums[USAGE_COUNT] = {
#define SUM(USAGE, FIELD) \
    [USAGE_NET_##USAGE] = offsetof (struct peer_total, FIELD) + 1
    SUM (PROCESSES, processes),
    SUM (CONNECTIONS, connections),
    SUM (FAILED, failed),
    SUM (CALLS, calls),
    SUM (SENT, sent),
    SUM (RECEIVED, received),
    SUM (TIME, ns),
    SUM (ANSWERS, answers),
    SUM (FIRST, first_ns),
#undef SUM
};

static void scannet_args (const struct step *e)
{
    const struct batch *b = e->b;
    struct peer_total p = {0};

    for (uint32_t a = b->arg[e->i]; a < b->arg[e->i + 1]; a++) {
        const struct batch_arg *arg = &b->args[a];
        const struct dict_entry *key = dict_entry (e->s->dict, arg->key);
        unsigned at = 0;

        if (key && key->key >= DICT_KEY_USAGE && arg->type == EVENT_ARG_INT &&
            arg->i > 0)
            at = scannet_sums[key->key - (unsigned)DICT_KEY_USAGE];
        if (at)
            *(uint64_t *)(void *)((char *)&p + at - 1) += arg->i;
    }
    scannet_add (e, b->name[e->i], &p);
}

void scannet_event (const struct step *e)
{
    if (e->b->call[e->i] == CALL_net_sums) {
        scannet_args (e);
        return;
    }
    scan_call_total (e, e->b->bytes_read[e->i] | e->b->bytes_written[e->i]);
    scan_keep_time (e);
}

void scannet_row (const struct step *e,
                  enum call call,
                  uint32_t name,
                  const uint64_t *n)
{
    uint64_t calls = n[PROFILE_calls];
    struct peer_total p = {0};

    if (call == CALL_net_sums)
        p.processes = calls;
    else if (call == CALL_connection)
        p.connections = calls;
    else if (call == CALL_first_byte) {
        p.answers = calls;
        p.first_ns = n[PROFILE_time];
    } else {
        p.calls = calls;
        p.ns = call == CALL_accept ? 0 : n[PROFILE_time];
        p.sent = call == CALL_send ? n[PROFILE_bytes] : 0;
        p.received = call == CALL_recv ? n[PROFILE_bytes] : 0;
        p.failed = call == CALL_connect ? n[PROFILE_errors] : 0;
    }
    scannet_add (e, name, &p);
}
