/* SPDX-License-Identifier: MIT
 *
 * pfwencode.h - events of a batch, as they come -> chunks, one thread's each
 *               (private to pfwbatch.c)
 */
#ifndef DFT_ANALYZE_PFWENCODE_H
#define DFT_ANALYZE_PFWENCODE_H

#include "analyze/trace/pfw/pfwbatch.h"

#define PFW_NO_NAME ((int64_t)-2)

/* Times are ns; keys and texts of arguments are numbers of names. */
struct pfw_event {
    uint64_t start, end, size, flags;
    int64_t offset, ret;
    int64_t name; /* of names: file, or category and name */
    int32_t fd, err;
    uint16_t call, nargs;
    uint32_t arg, thread;
};

/* What a call of libc moved, into ev. 0, or -1 (ENOMEM). */
int pfw_call_take (struct pfw_batch *b,
                   const struct pfw_line *l,
                   struct pfw_event *ev);

/* Fill chunk, name_list and bytes: each thread's events by their ends. 0, or
 * -1 (ENOMEM). */
int pfw_encode (struct pfw_batch *b);

#endif
