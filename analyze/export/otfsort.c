/* SPDX-License-Identifier: MIT
 *
 * otfsort.c - events -> the same in the order of their starts, in little memory
 *
 * In:  events of one thread, from otfread.c
 * Out: the same by their starts
 *
 * Records fill a buffer; where it is full, it is sorted and written to an
 * unnamed file as a run. Runs are then merged with a heap.
 */
#include "config.h"

#include "analyze/export/otfsort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/spool.h"

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
    struct otfsort *s = calloc (1, sizeof (*s));

    if (!s)
        return NULL;
    s->fd = -1;
    s->room = room;
    if (!(s->bytes = malloc (room))) {
        free (s);
        return NULL;
    }
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
            (void)close (s->fd);
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
        n -= (size_t)done;
        s->file_end += (uint64_t)done;
    }
    return 0;
}

static int otfsort_add_run (struct otfsort *s, uint64_t begin)
{
    if (s->runs == s->runs_room) {
        size_t room = s->runs_room ? 2 * s->runs_room : 16;
        struct otfsort_run *run = reallocarray (s->run, room, sizeof (*s->run));

        if (!run)
            return -1;
        s->run = run;
        s->runs_room = room;
    }
    s->run[s->runs++] = (struct otfsort_run){begin, s->file_end, NULL, 0, 0};
    return 0;
}

static void otfsort_order (struct otfsort *s)
{
    if (s->items)
        qsort (s->item, s->items, sizeof (*s->item), otfsort_compare);
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
    if (!(out = malloc (s->used ? s->used : 1)))
        return -1;
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
    return rc == 0 ? otfsort_add_run (s, begin) : -1;
}

static int otfsort_item_room (struct otfsort *s)
{
    const unsigned char **item;
    size_t room = s->items_room ? 2 * s->items_room : 1024;

    if (s->items < s->items_room)
        return 0;
    if (!(item = reallocarray (s->item, room, sizeof (*s->item))))
        return -1;
    s->item = item;
    s->items_room = room;
    return 0;
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
    if (otfsort_item_room (s) < 0)
        return -1;
    p = s->bytes + s->used;
    memcpy (p, e, sizeof (*e));
    if (e->args)
        memcpy (p + sizeof (*e), e->arg, length - sizeof (*e));
    s->item[s->items++] = p;
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
            want = (size_t)(r->end - r->at);
        done = pread (s->fd, r->buffer + r->have, want, (off_t)r->at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            errno = done == 0 ? EIO : errno;
            return -1;
        }
        r->have += (size_t)done;
        r->at += (uint64_t)done;
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
    if (!(s->heap = calloc (s->runs, sizeof (*s->heap))))
        return -1;
    for (size_t i = 0; i < s->runs; i++) {
        int rc;

        if (!(s->run[i].buffer = malloc (OTFSORT_BUFFER)) ||
            (rc = otfsort_fill (s, &s->run[i])) < 0)
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
