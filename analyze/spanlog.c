/* SPDX-License-Identifier: MIT
 *
 * spanlog.c - the times of one thread, packed: union and intersection
 *
 * In:  start and end of events, from scan.c
 * Out: lengths, to load.c and summary.c
 *
 * A packed interval is two varints: the gap since the end of the one before,
 * and its length. Blocks grow from small to BLOCK_MAX; full ones of that size
 * leave memory when all logs together have more than the limit.
 */
#include "config.h"

#include "analyze/spanlog.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/core/varint.h"

enum {
    TAIL_MAX = 256, /* intervals that a parent may still swallow */
    TAIL_PACK = 128,
    BLOCK_MIN = 256,
    BLOCK_MAX = 1 << 15,
    PAIR_MAX = 20, /* bytes of two varints */
    LIMIT_DEFAULT = 64 << 20
};

struct span_block {
    struct span_block *next;
    uint64_t offset; /* in the file, when data is NULL */
    uint32_t used, room;
    unsigned char *data; /* owned */
};

/* --- the temporary file ----------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    int fd;
    uint64_t end;
    atomic_uint_fast64_t memory, limit;
} spool = {PTHREAD_MUTEX_INITIALIZER, -1, 0, 0, LIMIT_DEFAULT};

void spanlog_limit (uint64_t bytes)
{
    atomic_store (&spool.limit, bytes);
}

static int spool_open (void)
{
    if (spool.fd < 0)
        spool.fd = open ("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (spool.fd < 0)
        spool.fd = open ("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (spool.fd < 0)
        spool.fd = memfd_create ("dftrace", MFD_CLOEXEC);
    return spool.fd;
}

/* Move a full block out of memory. */
static int spill (struct span_block *b)
{
    uint32_t done = 0;
    int fd;

    (void)pthread_mutex_lock (&spool.lock);
    fd = spool_open ();
    b->offset = spool.end;
    spool.end += b->used;
    (void)pthread_mutex_unlock (&spool.lock);
    while (fd >= 0 && done < b->used) {
        ssize_t n = pwrite (fd, b->data + done, b->used - done,
                            (off_t)(b->offset + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        done += (uint32_t)n;
    }
    if (fd < 0)
        return -1;
    free (b->data);
    b->data = NULL;
    atomic_fetch_sub (&spool.memory, b->room);
    return 0;
}

static int fetch (const struct span_block *b, unsigned char *to)
{
    uint32_t done = 0;

    while (done < b->used) {
        ssize_t n = pread (spool.fd, to + done, b->used - done,
                           (off_t)(b->offset + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return -1;
        done += (uint32_t)n;
    }
    return 0;
}

/* --- adding ----------------------------------------------------------- */

static int new_block (struct spanlog *log)
{
    struct span_block *b = calloc (1, sizeof (*b)), *last = log->last;

    if (!b)
        return -1;
    b->room = !last                    ? BLOCK_MIN
              : last->room < BLOCK_MAX ? 2 * last->room
                                       : BLOCK_MAX;
    if (!(b->data = malloc (b->room))) {
        free (b);
        return -1;
    }
    if (last)
        last->next = b;
    else
        log->first = b;
    log->last = b;
    if (atomic_fetch_add (&spool.memory, b->room) >
            atomic_load (&spool.limit) &&
        last && last->room == BLOCK_MAX)
        return spill (last);
    return 0;
}

static int pack (struct spanlog *log)
{
    for (int i = 0; i < TAIL_PACK; i++) {
        const struct interval *v = &log->tail.item[i];
        struct span_block *b = log->last;
        unsigned char *p;

        if ((!b || b->used + PAIR_MAX > b->room) && new_block (log) < 0)
            return -1;
        b = log->last;
        p = put_varint (b->data + b->used, v->start - log->packed_end);
        p = put_varint (p, v->end - v->start);
        b->used = (uint32_t)(p - b->data);
        log->packed_end = v->end;
    }
    log->tail.count -= TAIL_PACK;
    memmove (log->tail.item, log->tail.item + TAIL_PACK,
             log->tail.count * sizeof (*log->tail.item));
    return 0;
}

int spanlog_add (struct spanlog *log, uint64_t start, uint64_t end)
{
    if (end <= start)
        return 0;
    if (log->first && start < log->packed_end) {
        if (intervals_add (&log->late, start, end) < 0)
            return -1;
        start = log->packed_end;
    }
    if (intervals_add (&log->tail, start, end) < 0)
        return -1;
    return log->tail.count > TAIL_MAX ? pack (log) : 0;
}

int spanlog_empty (const struct spanlog *log)
{
    return !log->first && !log->tail.count && !log->late.count;
}

void spanlog_clear (struct spanlog *log)
{
    int saved = errno;

    intervals_clear (&log->tail);
    intervals_clear (&log->late);
    for (struct span_block *b = log->first, *next; b; b = next) {
        next = b->next;
        if (b->data)
            atomic_fetch_sub (&spool.memory, b->room);
        free (b->data);
        free (b);
    }
    memset (log, 0, sizeof (*log));
    errno = saved;
}

/* --- one sorted run ---------------------------------------------------- */

/* Packed blocks, then a list; or only a list. */
struct cursor {
    struct interval now;
    const struct span_block *block; /* after the one at hand */
    const unsigned char *p, *limit;
    unsigned char *buffer; /* of a block that was not in memory; owned */
    const struct intervals *list;
    size_t at;
    uint64_t end; /* of the last packed one */
};

static int next_block (struct cursor *c)
{
    const struct span_block *b = c->block;

    c->block = b->next;
    c->p = b->data;
    if (!b->data) {
        if (!c->buffer && !(c->buffer = malloc (BLOCK_MAX)))
            return -1;
        if (fetch (b, c->buffer) < 0)
            return -1;
        c->p = c->buffer;
    }
    c->limit = c->p + b->used;
    return 0;
}

/* 1 and c->now, 0 at the end, -1. */
static int cursor_next (struct cursor *c)
{
    uint64_t gap = 0, length = 0;

    while (c->p == c->limit && c->block)
        if (next_block (c) < 0)
            return -1;
    if (c->p < c->limit) {
        const unsigned char *p = get_varint (c->p, c->limit, &gap);

        if (!p || !(p = get_varint (p, c->limit, &length))) {
            errno = EIO; /* the temporary file is not what it was */
            return -1;
        }
        c->p = p;
        c->now.start = c->end + gap;
        c->end = c->now.end = c->now.start + length;
        return 1;
    }
    if (c->at == c->list->count)
        return 0;
    c->now = c->list->item[c->at++];
    return 1;
}

/* --- the union of many -------------------------------------------------- */

struct merged {
    struct cursor *item;  /* owned */
    struct cursor **heap; /* owned; the earliest start on top */
    size_t count, live;
    struct interval now;
};

static void sink (struct merged *m, size_t i)
{
    struct cursor *c = m->heap[i];

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= m->live)
            break;
        if (child + 1 < m->live &&
            m->heap[child + 1]->now.start < m->heap[child]->now.start)
            child++;
        if (m->heap[child]->now.start >= c->now.start)
            break;
        m->heap[i] = m->heap[child];
        i = child;
    }
    m->heap[i] = c;
}

static void merged_close (struct merged *m)
{
    for (size_t i = 0; m->item && i < m->count; i++)
        free (m->item[i].buffer);
    free (m->item);
    free (m->heap);
}

static int add_cursor (struct merged *m,
                       const struct span_block *block,
                       const struct intervals *list)
{
    struct cursor *c = &m->item[m->count++];
    int rc;

    c->block = block;
    c->list = list;
    if ((rc = cursor_next (c)) > 0)
        m->heap[m->live++] = c;
    return rc < 0 ? -1 : 0;
}

static int
merged_open (struct merged *m, const struct spanlog *const *logs, size_t n)
{
    memset (m, 0, sizeof (*m));
    m->item = calloc (2 * n + 1, sizeof (*m->item));
    m->heap = calloc (2 * n + 1, sizeof (struct cursor *));
    if (!m->item || !m->heap)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (logs[i] && (add_cursor (m, logs[i]->first, &logs[i]->tail) < 0 ||
                        add_cursor (m, NULL, &logs[i]->late) < 0))
            return -1;
    for (size_t i = m->live / 2; i-- > 0;)
        sink (m, i);
    return 0;
}

static int advance (struct merged *m)
{
    int rc = cursor_next (m->heap[0]);

    if (rc < 0)
        return -1;
    if (rc == 0)
        m->heap[0] = m->heap[--m->live];
    if (m->live)
        sink (m, 0);
    return 0;
}

/* The next interval of the union: 1 and m->now, 0 at the end, -1. */
static int merged_next (struct merged *m)
{
    if (!m->live)
        return 0;
    m->now = m->heap[0]->now;
    do
        if (advance (m) < 0)
            return -1;
    while (m->live && m->heap[0]->now.start <= m->now.end &&
           (m->heap[0]->now.end <= m->now.end ||
            (m->now.end = m->heap[0]->now.end)));
    return 1;
}

int spans_length (const struct spanlog *const *logs, size_t n, uint64_t *out)
{
    struct merged m;
    int rc = merged_open (&m, logs, n);

    *out = 0;
    if (rc == 0)
        while ((rc = merged_next (&m)) > 0)
            *out += m.now.end - m.now.start;
    merged_close (&m);
    return rc < 0 ? -1 : 0;
}

int spans_common (const struct spanlog *const *a,
                  size_t na,
                  const struct spanlog *const *b,
                  size_t nb,
                  uint64_t *out)
{
    struct merged x = {0}, y = {0};
    int have_x = -1, have_y = -1;

    *out = 0;
    if (merged_open (&x, a, na) == 0 && merged_open (&y, b, nb) == 0) {
        have_x = merged_next (&x);
        have_y = merged_next (&y);
    }
    while (have_x > 0 && have_y > 0) {
        uint64_t start = x.now.start > y.now.start ? x.now.start : y.now.start;
        uint64_t end = x.now.end < y.now.end ? x.now.end : y.now.end;

        if (start < end)
            *out += end - start;
        if (x.now.end < y.now.end)
            have_x = merged_next (&x);
        else
            have_y = merged_next (&y);
    }
    merged_close (&x);
    merged_close (&y);
    return have_x < 0 || have_y < 0 ? -1 : 0;
}
