/* SPDX-License-Identifier: MIT
 *
 * otfread.c - a thread's events in the order of their starts
 *
 * In:  chunks, with events by their ends
 * Out: events by their starts, to otfio.c
 *
 * An event that starts when all before it have ended is in its place already.
 * The others (a region around calls, a call of MPI-IO around those of POSIX)
 * are found in a first reading and sorted; a second reading gives the rest, and
 * both are merged. So what is kept or written to a temporary file is the small
 * part of a trace.
 */
#include "config.h"

#include "analyze/export/otfread.h"
#include "lib/base/array.h"
#include "lib/util/spool.h"
#include "lib/util/xalloc.h"

void otfread_open (struct otfread *r)
{
    r->filter = (struct evfilter){.where = r->where};
    r->filter.start = parts_start (r->parts);
    r->dict = dict_create (NULL);
    r->reader = batch_reader_create (r->dict);
    r->filter.dict = r->dict;
    r->wide = otfsort_create (r->room ? r->room : OTFSORT_ROOM);
    NEW (r->wanted, BATCH_EVENTS);
}

void otfread_close (struct otfread *r)
{
    int saved_errno = errno;

    evfilter_clear (&r->filter);
    batch_reader_destroy (r->reader);
    otfsort_destroy (r->wide);
    free (r->wanted);
    dict_destroy (r->dict);
    *r = (struct otfread){.parts = NULL};
    errno = saved_errno;
}

/* --- batches -------------------------------------------------------------- */

static void otfread_bad (struct otfread *r, uint64_t events)
{
    if (r->counting)
        r->bad += events;
}

/* The rest of the chunk at hand is none. */
static void otfread_chunk_end (struct otfread *r)
{
    const struct trace_chunk *c = r->thread->chunk[r->chunk];
    uint64_t events = batch_reader_events (r->reader);

    if (events < c->events && (events || c->present == c->used))
        otfread_bad (r, c->events - events);
    r->chunk++;
    r->batch = NULL;
}

/* The next batch of the thread; r->batch NULL: a chunk is to be begun. 1, 0 at
 * the end. */
static int otfread_batch (struct otfread *r)
{
    const struct part_thread *t = r->thread;

    for (; r->chunk < t->chunks;) {
        const struct trace_chunk *c = t->chunk[r->chunk];

        if (!r->batch &&
            batch_reader_chunk (r->reader, &r->parts->item[t->part], t->part,
                                c) < 0) {
            otfread_bad (r, c->events);
            r->chunk++;
            continue;
        }
        if (batch_reader_next (r->reader, &r->batch) > 0) {
            r->at = 0;
            if (r->where)
                evfilter_batch (&r->filter, r->batch, r->wanted);
            return 1;
        }
        otfread_chunk_end (r);
    }
    return 0;
}

/* The next event that is wanted, by ends. 1, 0 at the end. */
static int otfread_step (struct otfread *r, struct otfevent *e)
{
    const struct batch *b;
    size_t i;

    do {
        if ((!r->batch || r->at == r->batch->count) && !otfread_batch (r))
            return 0;
        i = r->at++;
    } while (r->where && !r->wanted[i]);
    b = r->batch;
    *e = (struct otfevent){
        .start = b->start[i],
        .end = b->end[i],
        .index = r->index++,
        .size = b->size[i],
        .flags = b->flags[i],
        .bytes_read = b->bytes_read[i],
        .bytes_written = b->bytes_written[i],
        .offset = b->offset[i],
        .ret = b->ret[i],
        .name = b->name[i],
        .name2 = b->name2[i],
        .error = b->error[i],
        .fd = b->fd[i],
        .call = b->call[i],
        .args = (uint16_t)(b->arg[i + 1] - b->arg[i]),
        .arg = b->args + b->arg[i],
    };
    return 1;
}

static void otfread_rewind (struct otfread *r)
{
    r->batch = NULL;
    r->chunk = r->at = 0;
    r->index = r->latest = 0;
}

/* Does it begin before all earlier ones have ended? */
static int otfread_is_wide (struct otfread *r, const struct otfevent *e)
{
    int wide = e->start < r->latest;

    if (e->end > r->latest)
        r->latest = e->end;
    return wide;
}

/* --- both readings -------------------------------------------------------- */

int otfread_thread (struct otfread *r, const struct part_thread *thread)
{
    struct otfevent e;

    r->thread = thread;
    otfsort_reset (r->wide);
    otfread_rewind (r);
    r->counting = 1;
    while (otfread_step (r, &e))
        if (otfread_is_wide (r, &e) && otfsort_add (r->wide, &e) < 0)
            return -1;
    if (otfsort_sort (r->wide) < 0)
        return -1;
    otfread_rewind (r);
    r->counting = 0;
    r->has_narrow = r->has_wide = -1;
    return 0;
}

static int otfread_narrow (struct otfread *r)
{
    while (otfread_step (r, &r->narrow_event))
        if (!otfread_is_wide (r, &r->narrow_event))
            return 1;
    return 0;
}

int otfread_next (struct otfread *r, const struct otfevent **e)
{
    if (r->has_narrow < 0)
        r->has_narrow = otfread_narrow (r);
    if (r->has_wide < 0 &&
        (r->has_wide = otfsort_next (r->wide, &r->wide_event)) < 0)
        return -1;
    if (!r->has_narrow && !r->has_wide)
        return 0;
    if (r->has_wide && (!r->has_narrow ||
                        otfevent_before (&r->wide_event, &r->narrow_event))) {
        *e = &r->wide_event;
        r->has_wide = -1;
    } else {
        *e = &r->narrow_event;
        r->has_narrow = -1;
    }
    return 1;
}

/* --- events in the order of their starts ---------------------------------- */

enum { OTFSORT_BUFFER = 64 << 10 /* of a run that is being read */ };

/* A part of the file, sorted. */
struct otfsort_run {
    uint64_t at, end;      /* what is still to be read from the file */
    unsigned char *buffer; /* owned */
    size_t pos, have;
};

struct otfsort {
    unsigned char *bytes; /* owned */
    size_t used, room;
    const unsigned char **item; /* records in bytes; owned */
    size_t items, items_room, next;
    int fd;
    uint64_t file_end;
    struct otfsort_run *run; /* owned */
    size_t runs, runs_room;
    size_t *heap; /* of runs, the first record on top; owned */
    size_t live;
    int started; /* the top has been given: go on behind it */
};

/* A record: the event, its arguments. Alignment of both is 8. */
static size_t otfsort_length (const struct otfevent *e)
{
    return sizeof (*e) + e->args * sizeof (*e->arg);
}

static void otfsort_event (const unsigned char *record, struct otfevent *e)
{
    memcpy (e, record, sizeof (*e));
    e->arg = (const struct batch_arg *)(const void *)(record + sizeof (*e));
}

static int otfsort_compare (const void *a, const void *b)
{
    struct otfevent x, y;

    otfsort_event (*(const unsigned char *const *)a, &x);
    otfsort_event (*(const unsigned char *const *)b, &y);
    return otfevent_before (&x, &y) ? -1 : otfevent_before (&y, &x);
}

struct otfsort *otfsort_create (size_t room)
{
    struct otfsort *s = ZEROED (s, 1);

    s->fd = -1;
    s->room = room;
    s->bytes = xmalloc (room);
    return s;
}

void otfsort_reset (struct otfsort *s)
{
    for (size_t i = 0; i < s->runs; i++)
        free (s->run[i].buffer);
    free (s->heap);
    s->heap = NULL;
    s->runs = s->items = s->used = s->next = s->live = 0;
    s->file_end = 0;
    s->started = 0;
}

void otfsort_destroy (struct otfsort *s)
{
    int saved_errno = errno;

    if (s) {
        otfsort_reset (s);
        if (s->fd >= 0)
            close (s->fd);
        free (s->run);
        free (s->item);
        free (s->bytes);
        free (s);
    }
    errno = saved_errno;
}

/* --- runs ----------------------------------------------------------------- */

static int otfsort_write (struct otfsort *s, const unsigned char *p, size_t n)
{
    while (n > 0) {
        ssize_t done = pwrite (s->fd, p, n, (off_t)s->file_end);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        p += done;
        n -= done;
        s->file_end += done;
    }
    return 0;
}

static void otfsort_order (struct otfsort *s)
{
    if (s->items)
        SORT (s->item, s->items, otfsort_compare);
}

/* The records in memory become a run of the file. */
static int otfsort_spill (struct otfsort *s)
{
    uint64_t begin = s->file_end;
    unsigned char *out;
    size_t n = 0;
    int rc;

    if (s->fd < 0 && (s->fd = spool_file ()) < 0)
        return -1;
    out = xmalloc (s->used);
    otfsort_order (s);
    for (size_t i = 0; i < s->items; i++) {
        struct otfevent e;

        otfsort_event (s->item[i], &e);
        memcpy (out + n, s->item[i], otfsort_length (&e));
        n += otfsort_length (&e);
    }
    rc = otfsort_write (s, out, n);
    free (out);
    s->used = s->items = 0;
    *APPEND (s->run, s->runs, s->runs_room) =
        (struct otfsort_run){.at = begin, .end = s->file_end};
    return rc;
}

int otfsort_add (struct otfsort *s, const struct otfevent *e)
{
    size_t length = otfsort_length (e);
    unsigned char *p;

    if (length > s->room) {
        errno = ENOMEM;
        return -1;
    }
    if (length > s->room - s->used && otfsort_spill (s) < 0)
        return -1;
    p = s->bytes + s->used;
    memcpy (p, e, sizeof (*e));
    if (e->args)
        memcpy (p + sizeof (*e), e->arg, length - sizeof (*e));
    *APPEND (s->item, s->items, s->items_room) = p;
    s->used += length;
    return 0;
}

/* --- merging -------------------------------------------------------------- */

/* More of a run, so that its next record is whole. 1, 0 at its end, -1. */
static int otfsort_fill (struct otfsort *s, struct otfsort_run *r)
{
    struct otfevent e;
    size_t left = r->have - r->pos;

    if (left >= sizeof (e)) {
        otfsort_event (r->buffer + r->pos, &e);
        if (left >= otfsort_length (&e))
            return 1;
    }
    memmove (r->buffer, r->buffer + r->pos, left);
    r->pos = 0;
    r->have = left;
    while (r->have < OTFSORT_BUFFER && r->at < r->end) {
        size_t want = OTFSORT_BUFFER - r->have;
        ssize_t done;

        if (want > r->end - r->at)
            want = r->end - r->at;
        done = pread (s->fd, r->buffer + r->have, want, (off_t)r->at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            errno = done == 0 ? EIO : errno;
            return -1;
        }
        r->have += done;
        r->at += done;
    }
    return r->have > 0;
}

static int otfsort_run_before (const struct otfsort *s, size_t a, size_t b)
{
    struct otfevent x, y;

    otfsort_event (s->run[a].buffer + s->run[a].pos, &x);
    otfsort_event (s->run[b].buffer + s->run[b].pos, &y);
    return otfevent_before (&x, &y);
}

static void otfsort_sink (struct otfsort *s, size_t i)
{
    for (;;) {
        size_t least = i, left = 2 * i + 1;

        for (size_t c = left; c < left + 2 && c < s->live; c++)
            if (otfsort_run_before (s, s->heap[c], s->heap[least]))
                least = c;
        if (least == i)
            return;
        left = s->heap[i];
        s->heap[i] = s->heap[least];
        s->heap[least] = left;
        i = least;
    }
}

int otfsort_sort (struct otfsort *s)
{
    if (s->runs == 0) {
        otfsort_order (s);
        return 0;
    }
    if (s->items && otfsort_spill (s) < 0)
        return -1;
    NEW (s->heap, s->runs);
    for (size_t i = 0; i < s->runs; i++) {
        int rc;

        s->run[i].buffer = xmalloc (OTFSORT_BUFFER);
        if ((rc = otfsort_fill (s, &s->run[i])) < 0)
            return -1;
        if (rc > 0)
            s->heap[s->live++] = i;
    }
    for (size_t i = s->live / 2; i-- > 0;)
        otfsort_sink (s, i);
    return 0;
}

int otfsort_next (struct otfsort *s, struct otfevent *e)
{
    struct otfsort_run *r;

    if (s->runs == 0) {
        if (s->next == s->items)
            return 0;
        otfsort_event (s->item[s->next++], e);
        return 1;
    }
    if (s->started && s->live) {
        int rc;

        r = &s->run[s->heap[0]];
        otfsort_event (r->buffer + r->pos, e);
        r->pos += otfsort_length (e);
        if ((rc = otfsort_fill (s, r)) < 0)
            return -1;
        if (rc == 0)
            s->heap[0] = s->heap[--s->live];
        otfsort_sink (s, 0);
    }
    s->started = 1;
    if (s->live == 0)
        return 0;
    r = &s->run[s->heap[0]];
    otfsort_event (r->buffer + r->pos, e);
    return 1;
}
