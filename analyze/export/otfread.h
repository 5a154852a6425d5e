/* SPDX-License-Identifier: MIT
 *
 * otfread.h - a thread's events in the order of their starts
 */
#pragma once

#include "analyze/scan/evfilter.h"
#include "analyze/trace/batch.h"

/* -- one event by itself, out of the columns of a batch -- */

/* The columns of struct batch. */
struct otfevent {
    uint64_t start, end;
    uint64_t index; /* in its thread, by ends */
    uint64_t size, flags, bytes_read, bytes_written;
    int64_t offset, ret;
    uint32_t name, name2;
    int32_t error, fd;
    uint16_t call;
    uint16_t args;
    const struct batch_arg *arg; /* [args]; not the event's */
};

/* Does a come before b where events are in the order of their starts? What
 * encloses another event comes first; of equal times, the one that the trace
 * has later. */
static inline int otfevent_before (const struct otfevent *a,
                                   const struct otfevent *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    return a->end != b->end ? a->end > b->end : a->index > b->index;
}

/* -- a thread's events in the order of their starts -- */

struct otfsort;

/* Zero but for parts, where, room. */
struct otfread {
    const struct parts *parts;
    const struct where *where; /* NULL: all events */
    size_t room;               /* bytes of events in memory; 0: as usual */
    struct dict *dict;         /* owned */
    uint64_t bad;              /* events that cannot be decoded */
    /* private */
    struct evfilter filter;
    struct batch_reader *reader;
    struct otfsort *wide; /* events that enclose earlier ones */
    unsigned char *wanted;
    const struct part_thread *thread;
    const struct batch *batch;
    size_t chunk, at;
    uint64_t index, latest;
    int counting; /* the first of two readings */
    struct otfevent narrow_event, wide_event;
    int has_narrow, has_wide; /* 1: at hand; 0: none left; -1: to be read */
};

void otfread_open (struct otfread *r);
void otfread_close (struct otfread *r); /* keeps errno */

/* Begin a thread, which is read twice. 0, or -1 with errno. */
int otfread_thread (struct otfread *r, const struct part_thread *thread);

/* The next event; valid until the next call. 1, 0 at the end, -1 with errno. */
int otfread_next (struct otfread *r, const struct otfevent **e);

/* -- events -> the same in the order of their starts, in little memory -- */

enum { OTFSORT_ROOM = 32 << 20 /* bytes of events in memory, at most */ };

struct otfsort;

/* Events beyond room bytes go to an unnamed temporary file. */
struct otfsort *otfsort_create (size_t room);
void otfsort_destroy (struct otfsort *s); /* NULL is fine, keeps errno */

/* Take a copy, with its arguments. 0, or -1 with errno. */
int otfsort_add (struct otfsort *s, const struct otfevent *e);

/* All have been added: give them from the first on. 0, or -1 with errno. */
int otfsort_sort (struct otfsort *s);

/* The next one; its arguments are valid until the next call. 1, 0 at the end,
 * -1 with errno. */
int otfsort_next (struct otfsort *s, struct otfevent *e);

/* Forget all, to begin anew. */
void otfsort_reset (struct otfsort *s);
