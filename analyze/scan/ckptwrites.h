/* SPDX-License-Identifier: MIT
 *
 * ckptwrites.h - writes of files -> those outside of checkpoint regions
 */
#ifndef DFT_ANALYZE_CKPTWRITES_H
#define DFT_ANALYZE_CKPTWRITES_H

#include <stddef.h>
#include <stdint.h>

enum ckptwrite_mark {
    CKPTWRITE_INSIDE = 1, /* a checkpoint region writes the file */
    CKPTWRITE_OUTSIDE = 2 /* something else does */
};

/* Writes of a file that no checkpoint region was around yet: ns. */
struct ckptwrite {
    uint32_t number; /* dictionary; 0: taken off */
    uint64_t first, last;
};

struct ckptwrites {
    struct ckptwrite *item; /* owned; by last */
    size_t count, room;
};

/* Add one, whose last is not before that of the others. 0, or -1 (ENOMEM). */
int ckptwrites_put (struct ckptwrites *w, struct ckptwrite one);

/* Leave out what was taken off. at: by number, where each one is then, from 1;
 * NULL: not wanted. */
void ckptwrites_pack (struct ckptwrites *w, uint32_t *at);

/* A checkpoint region that began at `start` is around all since then: mark
 * these files (by number), and take off what is inside as a whole; at as above.
 */
void ckptwrites_cover (struct ckptwrites *w,
                       uint64_t start,
                       uint32_t *at,
                       uint8_t *mark);

#endif
