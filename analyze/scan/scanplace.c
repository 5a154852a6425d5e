/* SPDX-License-Identifier: MIT
 *
 * scanplace.c - where threads are in files, from piece to piece of a thread
 *
 * In:  the first access of a thread to a file, from scancall.c; pieces of a
 *      thread, from load.c
 * Out: where it is; how many bytes those skip that began a piece
 */
#include "config.h"

#include <errno.h>

#include "analyze/scan/scanstep.h"

struct strides_file *
scanplace_begin (struct unit *u, struct scan_name *n, uint32_t number)
{
    int64_t at = strides_add (&u->strides, number);

    if (at < 0)
        return NULL;
    n->strider = u;
    n->stride = (uint32_t)at;
    return &u->strides.item[at];
}

static int
scanplace_take (void *cookie, uint32_t name, int is_write, uint64_t stride)
{
    struct scan_name *n = scan_name (cookie, name, SHARD_NAME_FILE);

    if (!n)
        return errno ? -1 : 0;
    return accessvalues_meet (&n->total.file->strides,
                              is_write ? ACCESS_WRITE : ACCESS_READ, stride);
}

int scanplace_join (struct scanner *s, struct unit *u, struct unit *later)
{
    return scan_room (s) < 0
               ? -1
               : strides_join (&u->strides, &later->strides, scanplace_take, s);
}
