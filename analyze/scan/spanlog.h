/* SPDX-License-Identifier: MIT
 *
 * spanlog.h - times of one thread, packed: a few bytes for each interval
 *
 * Exact for any order of adding; small and fast in the order in which a
 * thread's events end. Intervals that exceed the memory limit go to a temporary
 * file (spool.h). A cursor reads a log in the order of its intervals.
 */

/* Design. Times are kept as packed intervals of each thread, a few bytes
 * each, once for the call and all sets it belongs to: groups of 32, whose
 * gaps and lengths have as many bytes as the longest of them (spanlog.h);
 * beyond --memory (64 MiB) they go to an unnamed file. All unions of a job
 * (of calls, of sets in processes, ranks and the job, alone and together)
 * come from one sweep (spanunion.h): in each round a few hundred intervals
 * of every log are sorted by their value and each adds to the unions it
 * belongs to what is behind the end of all before. A log without a time in a
 * round sleeps until a round reaches its next one, so that a sweep costs as
 * much as there are times, also where damage has left them years apart
 * (spanunion.c). The length of a union of one log is known without. Threads
 * sweep slices of the time. What two sets have in common is what they have
 * more than their union; nothing is estimated. */

#pragma once

#include "analyze/scan/packer.h"

#include <stdint.h>
#include <string.h>

/* Sums are integers, so that they do not depend on the order in which they
 * were made: however a trace is divided, the result is the same. */
__extension__ typedef unsigned __int128 uint128_t;

/* [start, end); ns */
struct interval {
    uint64_t start, end;
};

/* Sorted, disjoint, none empty. All zero is the empty set. */
struct intervals {
    struct interval *item; /* owned */
    size_t count, room;
};

/* Add [start, end). In the order in which one thread's events end it is
 * amortized O(1); any other order is right, too, but slow. An empty or
 * inverted interval adds nothing. */
void intervals_add (struct intervals *set, uint64_t start, uint64_t end);

uint64_t intervals_length (const struct intervals *set);

/* Free the items; the set is then empty. */
void intervals_clear (struct intervals *set);

enum {
    SPANGROUP_COUNT = 32, /* at most */
    SPANGROUP_SLACK = 8,
    SPANGROUP_MAX = 2 + 16 * SPANGROUP_COUNT /* bytes */
};

/* Groups being read. */
struct span_groups {
    const unsigned char *p, *limit;
    uint32_t left;        /* intervals of the group at hand */
    uint32_t gap, length; /* bytes of each */
    uint64_t end;         /* of the interval before */
};

/* Begin the next group. 0, or -1: what is left is none. */
static inline int spangroup_open (struct span_groups *g)
{
    if (g->limit - g->p < 2)
        return -1;
    g->left = g->p[0];
    g->gap = g->p[1] >> 4;
    g->length = g->p[1] & 15;
    g->p += 2;
    return !g->gap || !g->length || g->gap > 8 || g->length > 8 ||
                   (g->gap + g->length) * g->left > (size_t)(g->limit - g->p)
               ? -1
               : 0;
}

static inline uint64_t spangroup_number (const unsigned char *p, uint32_t bytes)
{
    uint64_t word;

    memcpy (&word, p, sizeof (word));
    return word & UINT64_MAX >> (64 - 8 * bytes);
}

/* The next interval; there is one. */
static inline struct interval spangroup_next (struct span_groups *g)
{
    struct interval v;

    v.start = g->end + spangroup_number (g->p, g->gap);
    v.end = v.start + spangroup_number (g->p + g->gap, g->length);
    g->p += g->gap + g->length;
    g->end = v.end;
    g->left--;
    return v;
}

/* The next n intervals, as starts and lengths that fit in 32 bits; there are
 * so many, and their two numbers have at most eight bytes. */
static inline void spangroup_take (struct span_groups *g,
                                   size_t n,
                                   uint64_t *start,
                                   uint32_t *length)
{
    uint64_t low = UINT64_MAX >> (64 - 8 * g->gap), end = g->end, word;
    uint64_t high = UINT64_MAX >> (64 - 8 * g->length);
    uint32_t shift = 8 * g->gap, bytes = g->gap + g->length;
    const unsigned char *p = g->p;

    for (size_t i = 0; i < n; i++, p += bytes) {
        memcpy (&word, p, sizeof (word));
        start[i] = end + (word & low);
        length[i] = (uint32_t)(word >> shift & high);
        end = start[i] + length[i];
    }
    g->p = p;
    g->end = end;
    g->left -= (uint32_t)n;
}

static inline uint32_t spangroup_bytes (uint64_t any)
{
    return any ? 8 - (uint32_t)__builtin_clzll (any) / 8 : 1;
}

/* Write n intervals (at most SPANGROUP_COUNT), the first of which begins at
 * `end` or later. Returns the byte behind them. */
static inline unsigned char *spangroup_put (unsigned char *p,
                                            const struct interval *v,
                                            size_t n,
                                            uint64_t end)
{
    uint64_t gap[SPANGROUP_COUNT], length[SPANGROUP_COUNT], gaps = 0, all = 0;
    uint32_t wide, bytes;

    for (size_t i = 0; i < n; i++) {
        gap[i] = v[i].start - end;
        end = v[i].end;
        length[i] = end - v[i].start;
        gaps |= gap[i];
        all |= length[i];
    }
    wide = spangroup_bytes (gaps);
    bytes = wide + spangroup_bytes (all);
    *p++ = (unsigned char)n;
    *p++ = (unsigned char)(wide << 4 | (bytes - wide));
    for (size_t i = 0; bytes <= 8 && i < n; i++) {
        gap[i] |= length[i] << 8 * wide;
        memcpy (p + i * bytes, &gap[i], sizeof (*gap));
    }
    for (size_t i = 0; bytes > 8 && i < n; i++) {
        memcpy (p + i * bytes, &gap[i], sizeof (*gap));
        memcpy (p + i * bytes + wide, &length[i], sizeof (*length));
    }
    return p + n * bytes;
}

enum {
    SPANLOG_TAIL = 256,         /* intervals that a parent may still swallow */
    SPANLOG_BLOCK_MAX = 1 << 15 /* bytes of a block */
};

/* Packed intervals (the functions above). */
struct span_block {
    struct span_block *next;
    uint64_t from;   /* the end of the one before the first */
    uint64_t offset; /* in the spool, when data is NULL */
    uint32_t used, room;
    unsigned char *data; /* owned */
};

/* All zero is empty. */
struct spanlog {
    struct intervals tail;           /* the youngest, not packed yet */
    struct intervals late;           /* begin before what is packed ends */
    struct span_block *first, *last; /* owned */
    uint64_t packed_end;             /* of the youngest packed one */
    uint64_t packed_length;          /* of all packed ones */
    uint64_t bytes;                  /* packed */
};

/* spanlog_add for any order. */
void spanlog_insert (struct spanlog *log, uint64_t start, uint64_t end);

/* Add [start, end). An empty one adds nothing. */
static inline void
spanlog_add (struct spanlog *log, uint64_t start, uint64_t end)
{
    struct intervals *t = &log->tail;

    if (t->count == 0 || t->count == SPANLOG_TAIL || t->count == t->room ||
        start <= t->item[t->count - 1].end || end <= start) {
        spanlog_insert (log, start, end);
        return;
    }
    t->item[t->count++] = (struct interval){start, end};
}

/* Add all of later, whose spans were added after those of log in the order in
 * which events of one thread end; later is then empty. */
void spanlog_join (struct spanlog *log, struct spanlog *later);

typedef void spanlog_each_fn (void *cookie, uint64_t start, uint64_t end);

/* Call each with every interval, those that came late at the end. */
void spanlog_each (const struct spanlog *log,
                   spanlog_each_fn *each,
                   void *cookie);

/* Widen [*start, *end) to the log. */
void spanlog_widen (const struct spanlog *log, uint64_t *start, uint64_t *end);

int spanlog_empty (const struct spanlog *log);

/* Sum of the lengths of its intervals. */
uint64_t spanlog_length (const struct spanlog *log);

void spanlog_clear (struct spanlog *log);

/* Length of an interval of 2^32 - 1 ns or more, which is only the last one at
 * hand: span_cursor.wide has its length. */
#define SPAN_WIDE UINT32_MAX

/* Intervals at hand: [at … count - 1] of start and length. */
struct span_cursor {
    uint64_t *start;  /* room of each; the caller's */
    uint32_t *length; /* > 0 */
    size_t at, count, room;
    uint64_t wide; /* see SPAN_WIDE; 0: the last one at hand is shorter */
    int more;      /* there are others behind them */
    /* private */
    uint64_t lo, hi;                /* of the slice of the time */
    const struct span_block *block; /* after the one at hand */
    struct span_groups groups;      /* of the one at hand */
    unsigned char *buffer; /* of a block that was not in memory; owned */
    const struct intervals *list;
    size_t list_at;
};

/* The length of the one at that place. */
static inline uint64_t span_cursor_length (const struct span_cursor *c,
                                           size_t place)
{
    return c->length[place] == SPAN_WIDE ? c->wide : c->length[place];
}

/* Begin with the packed part and the list behind it, either of which may be
 * NULL; start, length and room are set. */
void spancursor_open (struct span_cursor *c,
                      const struct span_block *block,
                      const struct intervals *list,
                      uint64_t lo,
                      uint64_t hi);

/* Put others behind those that are still at hand, unless the last of these is
 * wide. */
void spancursor_fill (struct span_cursor *c);

void spancursor_close (struct span_cursor *c); /* zeroed is fine */

void spanlog_pack (struct packer *p, const struct spanlog *log);

/* Into an empty log. 0, or -1: u->bad, or errno. */
int spanlog_unpack (struct unpacker *u, struct spanlog *log);
