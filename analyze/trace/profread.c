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

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/profread_own.h"
#include "lib/format/event.h"

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
    if (t->names == t->room) {
        size_t more = 2 * t->room;
        uint32_t *name = reallocarray (t->name, more, sizeof (*name));

        if (!name)
            return -1;
        t->name = name;
        t->room = more;
    }
    if (!(t->name[t->names] = profrows_name (p, &like, text, h->call)))
        return -1;
    t->names++;
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
    if (!(r = profrows_row (p)))
        return -1;
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

/* Strides of 0, which have no record. */
static int profread_zeros (struct profrows *p,
                           const struct profread_thread *t,
                           const struct profile_file *from,
                           uint32_t name)
{
    for (int is_write = 0; is_write < 2; is_write++) {
        const struct profvalue like = profread_stride_of (t, name, is_write);

        if (profread_value (p, &like, 0, from->zero[is_write]) < 0)
            return -1;
    }
    return 1;
}

static int profread_place (struct profrows *p,
                           const struct profread_thread *t,
                           const struct profile_file *from)
{
    int64_t name = profread_number (t, from->head.number);
    struct profplace *r;

    if (name <= 0)
        return 0;
    if (!(r = profrows_place (p)))
        return -1;
    r->proc = t->proc;
    r->tid = t->tid;
    r->name = (uint32_t)name;
    memcpy (r->n, from->n, sizeof (r->n));
    return profread_zeros (p, t, from, r->name);
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
    if (!(r = profrows_group (p)))
        return -1;
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
        return bytes < PROFILE_FILE_LEAST ? 0 : profread_place (p, t, &u.file);
    case PROFILE_HIST:
        return bytes < sizeof (struct profile_group)
                   ? 0
                   : profread_group (p, t, &u.head, cells, sizeof (uint64_t));
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
    default: /* of a later version */
        return 1;
    }
}

int profread_block (struct profrows *p,
                    struct profread_thread *t,
                    const unsigned char *payload,
                    size_t bytes)
{
    int good = 1;

    if (!t->room) {
        if (!(t->name = calloc (16, sizeof (*t->name))))
            return -1;
        t->room = 16;
        t->names = 1; /* number 0 is none */
    }
    for (size_t at = 0; at < bytes;) {
        struct profile_head h;
        size_t n;
        int rc;

        if (bytes - at < sizeof (h))
            return 0;
        memcpy (&h, payload + at, sizeof (h));
        n = (size_t)h.bytes * PROFILE_ALIGN;
        if (!n || n > bytes - at)
            return 0;
        if ((rc = profread_record (p, t, payload + at, n)) < 0)
            return -1;
        good &= rc;
        at += n;
    }
    return good;
}

/* --- blocks --------------------------------------------------------------- */

static int profread_by_thread (const void *a, const void *b)
{
    const struct trace_chunk *x = *(const struct trace_chunk *const *)a;
    const struct trace_chunk *y = *(const struct trace_chunk *const *)b;

    if (x->head.proc != y->head.proc)
        return x->head.proc < y->head.proc ? -1 : 1;
    if (x->head.tid != y->head.tid)
        return x->head.tid < y->head.tid ? -1 : 1;
    if (x->head.base != y->head.base) /* of one thread all are the same */
        return x->head.base < y->head.base ? -1 : 1;
    return (x->head.seq > y->head.seq) - (x->head.seq < y->head.seq);
}

static int profread_all (const struct tracefile *f,
                         struct profrows *p,
                         const struct trace_chunk **c,
                         size_t n,
                         unsigned char *buf,
                         uint64_t *bad)
{
    struct profread_thread t = {.name = NULL};
    size_t row = p->rows, value = p->values;
    int rc = 1;

    for (size_t i = 0; rc >= 0 && i < n; i++) {
        ssize_t got = tracefile_read (f, c[i], buf);

        if (!i || c[i]->head.proc != t.proc || c[i]->head.tid != t.tid ||
            c[i]->head.seq == 0) {
            t.names = t.room ? 1 : 0;
            t.thread++;
        }
        t.proc = c[i]->head.proc;
        t.tid = c[i]->head.tid;
        rc = got < 0 ? 0 : profread_block (p, &t, buf, (size_t)got);
        *bad += rc == 0;
    }
    free (t.name);
    profread_sizes_known (p, row, value);
    return rc < 0 ? -1 : 0;
}

int profread (const struct tracefile *f, struct profrows *p, uint64_t *bad)
{
    size_t n = tracefile_profiles (f);
    const struct trace_chunk **c;
    unsigned char *buf;
    int rc = -1;

    *bad = 0;
    if (!n)
        return 0;
    c = calloc (n, sizeof (*c));
    buf = malloc (SHARD_CHUNK_MAX);
    if (c && buf) {
        for (size_t i = 0; i < n; i++)
            c[i] = tracefile_profile (f, i);
        qsort (c, n, sizeof (*c), profread_by_thread);
        rc = profread_all (f, p, c, n, buf, bad);
    }
    free (c);
    free (buf);
    return rc;
}
