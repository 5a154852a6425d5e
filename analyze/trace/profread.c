/* SPDX-License-Identifier: MIT
 *
 * profread.c - blocks of profiles of a trace -> their rows
 *
 * In:  a trace file; hostile: whoever wrote it may have written anything
 * Out: struct profrows, to load.c
 *
 * Records refer to names by their number in the thread, which an earlier record
 * of the thread has defined.
 */
#include "config.h"

#include "analyze/trace/profread.h"
#include "lib/base/array.h"
#include "lib/format/event.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

enum { PROFREAD_SHIFT_MAX = 62 }; /* of a bin */

struct profread_bins {
    const unsigned char *bin; /* the spare one */
    uint64_t base;
    uint32_t shift, odd;
};

/* The bin at a place, which is the number-th of those with this shift. */
static void profread_bin (struct profrows *p,
                          const struct profread_thread *t,
                          const struct profread_bins *b,
                          size_t place,
                          uint64_t number,
                          uint32_t shift)
{
    static const struct profile_bin none;
    struct profile_bin bin;
    struct profbin *r;

    memcpy (&bin, b->bin + place * sizeof (bin), sizeof (bin));
    if (memcmp (&bin, &none, sizeof (bin)) == 0)
        return;
    r = profrows_bin (p);
    r->proc = t->proc;
    r->tid = t->tid;
    r->start = ((b->base >> shift) + number) << shift;
    r->width = (uint64_t)1 << shift;
    memcpy (r->n, bin.n, sizeof (r->n));
}

int profread_map (struct profrows *p,
                  const struct profread_thread *t,
                  const unsigned char *at,
                  size_t bytes)
{
    struct profread_bins b;
    struct profile_map m;
    uint64_t bins, done, first;

    if (bytes < sizeof (m))
        return 0;
    memcpy (&m, at, sizeof (m));
    bins = (bytes - sizeof (m)) / sizeof (struct profile_bin);
    done = m.state >> PROFILE_DONE_SHIFT;
    b = (struct profread_bins){.bin = at + sizeof (m),
                               .base = m.base,
                               .shift = m.state & (PROFILE_SPARE - 1)};
    b.odd =
        b.shift > PROFREAD_SHIFT_MAX ? 0 : (uint32_t)(m.base >> b.shift) & 1;
    if (!m.head.number || m.head.number > PROFILE_BINS_MAX ||
        m.head.number + 1 > bins || b.shift > PROFREAD_SHIFT_MAX ||
        done > m.head.number)
        return 0;
    for (uint64_t i = 0; i < done; i++)
        profread_bin (p, t, &b,
                      m.state & PROFILE_SPARE && i == b.odd ? 0 : (size_t)i + 1,
                      i, b.shift + 1);
    first = done ? 2 * done - b.odd : 0;
    for (uint64_t i = first; i < m.head.number; i++)
        profread_bin (p, t, &b, (size_t)i + 1, i, b.shift);
    return 1;
}

static void profread_value (struct profrows *p,
                            const struct profvalue *like,
                            uint64_t bytes,
                            uint64_t times)
{
    struct profvalue *r = times ? profrows_value (p) : NULL;

    if (!r)
        return;
    *r = *like;
    r->bytes = bytes;
    r->times = times;
}

static int profread_values (struct profrows *p,
                            const struct profvalue *like,
                            const unsigned char *at,
                            size_t bytes)
{
    size_t n = (bytes - sizeof (struct profile_head)) / sizeof (uint64_t);

    at += sizeof (struct profile_head);
    for (size_t i = 0; i < n; i++) {
        uint64_t slot;

        memcpy (&slot, at + i * sizeof (slot), sizeof (slot));
        profread_value (p, like, profile_value_of ((uint32_t)slot),
                        slot >> PROFILE_VALUES_SHIFT);
    }
    return 1;
}

/* Rows with the same key are one row. */
struct profread_key {
    uint32_t thread, call, name, name2;
};

/* Find how many calls of each row are of sizes that are not told. */
static void profread_sizes_known (struct profrows *p, size_t row, size_t value)
{
    struct strmap *known = strmap_create ();

    for (; value < p->values; value++) {
        const struct profvalue *v = &p->value[value];
        const struct profread_key key = {v->thread, v->call, v->name, v->name2};
        size_t at;

        if (v->kind != PROFVALUE_SIZE)
            continue;
        at = strmap_intern (known, (const char *)&key, sizeof (key), NULL);
        strmap_set (known, at,
                    (void *)((uintptr_t)strmap_value (known, at) + v->times));
    }
    for (; row < p->rows; row++) {
        struct profrow *r = &p->row[row];
        const struct profread_key key = {r->thread, r->call, r->name, r->name2};
        int64_t at = strmap_find (known, (const char *)&key, sizeof (key));
        uint64_t good = profrow_good (r),
                 told = at < 0 ? 0 : (uintptr_t)strmap_value (known, at);

        r->same = at < 0 && r->n[PROFILE_size_least] &&
                  r->n[PROFILE_size_least] - 1 == r->n[PROFILE_size_most];
        r->unknown = r->same || told > good ? 0 : good - told;
    }
    strmap_destroy (known);
}

/* --- records -------------------------------------------------------------- */

/* Number of the thread -> of the rows; -1: there is no such name. */
static int64_t profread_number (const struct profread_thread *t,
                                uint32_t number)
{
    return number < t->names ? (int64_t)t->name[number] : -1;
}

static int profread_name (struct profrows *p,
                          struct profread_thread *t,
                          const struct profile_head *h,
                          const char *text,
                          size_t room)
{
    struct profname like = {.kind = h->kind,
                            .class = h->class,
                            .folded = (h->flags & PROFILE_FOLDED) != 0};

    if (h->call > room || h->call > EVENT_NAME_MAX || h->number != t->names ||
        (h->kind != SHARD_NAME_FILE && h->kind != SHARD_NAME_EVENT) ||
        h->class > FILE_CLASS_OTHER)
        return 0;
    GROW (t->name, t->room, t->names + 1);
    t->name[t->names++] = profrows_name (p, &like, text, h->call);
    return 1;
}

static int profread_is_call (uint16_t call)
{
    return call > 0 && call < CALL_MAX && call_table[call].name[0];
}

static int profread_row (struct profrows *p,
                         const struct profread_thread *t,
                         const struct profile_row *from)
{
    int64_t name = profread_number (t, from->head.number);
    int64_t name2 = profread_number (t, from->head.number2);
    struct profrow *r;

    if (name < 0 || name2 < 0 || !profread_is_call (from->head.call))
        return 0;
    r = profrows_row (p);
    *r = (struct profrow){.proc = t->proc,
                          .tid = t->tid,
                          .thread = t->thread,
                          .call = from->head.call,
                          .name = (uint32_t)name,
                          .name2 = (uint32_t)name2};
    memcpy (r->n, from->n, sizeof (r->n));
    return 1;
}

static struct profvalue profread_stride_of (const struct profread_thread *t,
                                            uint32_t name,
                                            int is_write)
{
    return (struct profvalue){.proc = t->proc,
                              .thread = t->thread,
                              .name = name,
                              .call = is_write ? CALL_write : CALL_read,
                              .kind = PROFVALUE_STRIDE};
}

static int profread_place (struct profrows *p,
                           const struct profread_thread *t,
                           const struct profile_file *from)
{
    int64_t name = profread_number (t, from->head.number);
    struct profplace *r;

    if (name <= 0)
        return 0;
    r = profrows_place (p);
    r->proc = t->proc;
    r->tid = t->tid;
    r->name = (uint32_t)name;
    memcpy (r->n, from->n, sizeof (r->n));
    for (int is_write = 0; is_write < 2; is_write++) {
        const struct profvalue like =
            profread_stride_of (t, (uint32_t)name, is_write);

        /* strides of 0 have no record */
        profread_value (p, &like, 0, from->zero[is_write]);
    }
    return 1;
}

static int profread_row_sizes (struct profrows *p,
                               const struct profread_thread *t,
                               const struct profile_head *h,
                               const unsigned char *at,
                               size_t bytes)
{
    int64_t name = profread_number (t, h->number);
    int64_t name2 = profread_number (t, h->number2);
    const struct profvalue row = {.proc = t->proc,
                                  .thread = t->thread,
                                  .name = (uint32_t)name,
                                  .name2 = (uint32_t)name2,
                                  .call = h->call,
                                  .kind = PROFVALUE_SIZE};

    return name < 0 || name2 < 0 || !profread_is_call (h->call)
               ? 0
               : profread_values (p, &row, at, bytes);
}

static int profread_file_strides (struct profrows *p,
                                  const struct profread_thread *t,
                                  const struct profile_head *h,
                                  const unsigned char *at,
                                  size_t bytes)
{
    int64_t name = profread_number (t, h->number);
    const struct profvalue like = profread_stride_of (
        t, (uint32_t)name, (h->kind & PROFILE_STRIDES_WRITE) != 0);

    return name <= 0 ? 0 : profread_values (p, &like, at, bytes);
}

/* One of the three widths of cells. */
static int profread_group (struct profrows *p,
                           const struct profread_thread *t,
                           const struct profile_head *h,
                           const unsigned char *cell,
                           size_t width)
{
    int64_t name = profread_number (t, h->number2);
    struct profgroup *r;

    if (name < 0 || h->number >= PROFILE_GROUPS || !profread_is_call (h->call))
        return 0;
    r = profrows_group (p);
    r->proc = t->proc;
    r->tid = t->tid;
    r->call = h->call;
    r->name = (uint32_t)name;
    r->what = h->kind % PROFILE_AGAIN;
    r->group = (uint8_t)h->number;
    for (size_t i = 0; i < PROFILE_BUCKETS; i++) /* little endian */
        memcpy (&r->count[i], cell + i * width, width);
    return 1;
}

/* One record of so many bytes. */
static int profread_record (struct profrows *p,
                            struct profread_thread *t,
                            const unsigned char *at,
                            size_t bytes)
{
    union {
        struct profile_head head;
        struct profile_row row;
        struct profile_file file;
    } u;
    const unsigned char *cells = at + sizeof (u.head);
    size_t n = bytes < sizeof (u) ? bytes : sizeof (u);

    memset (&u, 0, sizeof (u));
    memcpy (&u, at, n);
    switch (u.head.type) {
    case PROFILE_NAME:
        return profread_name (p, t, &u.head, (const char *)at + sizeof (u.head),
                              bytes - sizeof (u.head));
    case PROFILE_ROW:
        return bytes < sizeof (u.row) ? 0 : profread_row (p, t, &u.row);
    case PROFILE_FILE:
        return bytes < sizeof (u.file) ? 0 : profread_place (p, t, &u.file);
    case PROFILE_FEW:
        return bytes < sizeof (struct profile_few)
                   ? 0
                   : profread_group (p, t, &u.head, cells, sizeof (uint8_t));
    case PROFILE_MANY:
        return bytes < sizeof (struct profile_many)
                   ? 0
                   : profread_group (p, t, &u.head, cells, sizeof (uint32_t));
    case PROFILE_MAP:
        return profread_map (p, t, at, bytes);
    case PROFILE_SIZES:
        return profread_row_sizes (p, t, &u.head, at, bytes);
    case PROFILE_STRIDES:
        return profread_file_strides (p, t, &u.head, at, bytes);
    default: /* not finished, when its process died */
        return 1;
    }
}

int profread_block (struct profrows *p,
                    struct profread_thread *t,
                    const unsigned char *payload,
                    size_t bytes)
{
    int good = 1;

    if (!t->room) /* number 0 is none */
        *APPEND (t->name, t->names, t->room) = 0;
    for (size_t at = 0; at < bytes;) {
        struct profile_head h;
        size_t n;

        if (bytes - at < sizeof (h))
            return 0;
        memcpy (&h, payload + at, sizeof (h));
        n = (size_t)h.bytes * PROFILE_ALIGN;
        if (!n || n > bytes - at)
            return 0;
        good &= profread_record (p, t, payload + at, n);
        at += n;
    }
    return good;
}

/* --- blocks --------------------------------------------------------------- */

static int profread_by_thread (const void *a, const void *b)
{
    const struct trace_chunk *x = *(const struct trace_chunk *const *)a;
    const struct trace_chunk *y = *(const struct trace_chunk *const *)b;

    return ORDER (x->head.proc, y->head.proc)
           ?: ORDER (x->head.tid, y->head.tid)
           ?: ORDER (x->head.base, y->head.base) /* one in a thread */
           ?: ORDER (x->head.seq, y->head.seq);
}

static void profread_all (const struct tracefile *f,
                          struct profrows *p,
                          const struct trace_chunk **c,
                          size_t n,
                          unsigned char *buf,
                          uint64_t *bad)
{
    struct profread_thread t = {.name = NULL};
    size_t row = p->rows, value = p->values;

    for (size_t i = 0; i < n; i++) {
        ssize_t got = tracefile_read (f, c[i], buf);

        if (!i || c[i]->head.proc != t.proc || c[i]->head.tid != t.tid ||
            c[i]->head.seq == 0) {
            t.names = t.room ? 1 : 0;
            t.thread++;
        }
        t.proc = c[i]->head.proc;
        t.tid = c[i]->head.tid;
        *bad += got < 0 || !profread_block (p, &t, buf, (size_t)got);
    }
    free (t.name);
    profread_sizes_known (p, row, value);
}

void profread (const struct tracefile *f, struct profrows *p, uint64_t *bad)
{
    size_t n = tracefile_profiles (f);
    const struct trace_chunk **c;
    unsigned char *buf;
    size_t room = 0;

    *bad = 0;
    if (!n)
        return;
    NEW (c, n);
    for (size_t i = 0; i < n; i++) {
        c[i] = tracefile_profile (f, i);
        room = MAX (room, tracefile_room (c[i]));
    }
    SORT (c, n, profread_by_thread);
    buf = xmalloc (room + 1);
    profread_all (f, p, c, n, buf, bad);
    free (c);
    free (buf);
}
