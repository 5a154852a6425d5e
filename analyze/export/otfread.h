/* SPDX-License-Identifier: MIT
 *
 * otfread.h - a thread's events in the order of their starts
 */
#ifndef DFT_ANALYZE_OTFREAD_H
#define DFT_ANALYZE_OTFREAD_H

#include "analyze/export/otfevent.h"
#include "analyze/scan/evfilter.h"

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

/* 0, or -1 (ENOMEM); close in any case. */
int otfread_open (struct otfread *r);
void otfread_close (struct otfread *r); /* keeps errno */

/* Begin a thread, which is read twice. 0, or -1 with errno. */
int otfread_thread (struct otfread *r, const struct part_thread *thread);

/* The next event; valid until the next call. 1, 0 at the end, -1 with errno. */
int otfread_next (struct otfread *r, const struct otfevent **e);

#endif
