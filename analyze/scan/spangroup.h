/* SPDX-License-Identifier: MIT
 *
 * spangroup.h - packed intervals, in groups of equally long numbers
 *               (private to spanlog.c and spancursor.c)
 *
 *     count, gap << 4 | length: bytes of each number
 *     count times: gap since the end of the one before, length
 *
 * One load gives both numbers of an interval, as most have at most eight bytes
 * together. Behind the last group SPANGROUP_SLACK bytes may be read and
 * written.
 */
#ifndef DFT_ANALYZE_SPANGROUP_H
#define DFT_ANALYZE_SPANGROUP_H

#include <stdint.h>
#include <string.h>

#include "analyze/scan/interval.h"

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

#endif
