/* SPDX-License-Identifier: MIT
 *
 * pfwpack.h - events of a batch, as they come -> chunks, one thread's each
 *             (private to pfwbatch.c)
 */
#ifndef DFT_ANALYZE_PFWPACK_H
#define DFT_ANALYZE_PFWPACK_H

#include <stdlib.h>
#include <string.h>

#include "analyze/import/pfw/pfwbatch.h"

#define PFW_NO_NAME ((int64_t)-2)

/* Times are ns; what a call does not carry is 0, or -1 in offset and fd. */
struct pfw_event {
    uint64_t start, end, size, flags;
    int64_t offset, ret;
    int64_t name; /* of names: file, or category and name */
    int32_t fd, err;
    uint16_t call, nargs;
    uint32_t arg, thread;
};

/* An argument; its key, and a value that is a text, are numbers of names. */
struct pfw_event_arg {
    uint32_t key;
    uint8_t type;   /* enum event_arg_type */
    uint64_t value; /* its bits */
};

/* Room for `want` elements in *array. 0, or -1 (ENOMEM). */
static inline int
pfw_reserve (void *array, size_t *room, size_t want, size_t size)
{
    size_t more = *room ? *room : 16;
    void *p;

    if (want <= *room)
        return 0;
    while (more < want)
        more *= 2;
    memcpy (&p, array, sizeof (p));
    if (!(p = reallocarray (p, more, size)))
        return -1;
    memcpy (array, &p, sizeof (p));
    *room = more;
    return 0;
}

/* The arguments of an event, into ev. 0, or -1 (ENOMEM). */
int pfw_args_take (struct pfw_batch *b,
                   const struct pfw_line *l,
                   struct pfw_event *ev);

/* What a call of libc moved, into ev. 0, or -1 (ENOMEM). */
int pfw_call_take (struct pfw_batch *b,
                   const struct pfw_line *l,
                   struct pfw_event *ev);

/* Fill chunk and bytes: each thread's events by their ends. 0, or -1
 * (ENOMEM). */
int pfw_pack (struct pfw_batch *b);
void pfw_pack_end (struct pfw_batch *b);

#endif
