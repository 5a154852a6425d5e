/* SPDX-License-Identifier: MIT
 *
 * objecttotal.h - what is counted of a dataset, a group, a variable
 */
#ifndef DFT_ANALYZE_OBJECTTOTAL_H
#define DFT_ANALYZE_OBJECTTOTAL_H

#include <stddef.h>
#include <stdint.h>

struct object_total {
#define OBJECTCOUNT(RULE, NAME, HELP) uint64_t NAME;
#include "lib/model/objectcounts.def"
#undef OBJECTCOUNT
};

void object_total_add (struct object_total *to,
                       const struct object_total *from);

/* A key of struct tally's objects: layer, file and object are three texts with
 * a NUL between them. */
struct object_name {
    const char *layer, *file, *object;
};

/* 0, or -1: a key of `length` bytes (and a NUL) is none. */
int object_name_of (const char *key, size_t length, struct object_name *name);

#endif
