/* SPDX-License-Identifier: MIT
 *
 * lacks.h - tracepoints that not every kernel has
 */
#ifndef DFT_KERNEL_LACKS_H
#define DFT_KERNEL_LACKS_H

#include <stddef.h>

struct bpf_object;

enum lacks {
    LACKS_REQUESTS = 1,
    LACKS_FAULTS = 2,
    LACKS_BLOCKS = 4,
    LACKS_CACHE = 8,
    LACKS_PLACES = 16, /* of faults: their addresses are told, no more */
    LACKS_PARTS = 5,   /* bits that are said; what is above costs time only */
    LACKS_CASTS = 32
};

/* Leave programs out whose tracepoints this kernel does not have, or has with
 * other arguments. Before the object is loaded. A sum of enum lacks. */
unsigned lacks_find (struct bpf_object *object);

/* Without which nothing can be recorded: what is missing, for people; NULL:
 * none of what is known to be missing on older kernels. */
const char *lacks_base (void);

/* What is not recorded therefore, for people; "" where nothing is lacking. Of
 * one thread; until the next call. */
const char *lacks_text (unsigned lacks);

#endif
