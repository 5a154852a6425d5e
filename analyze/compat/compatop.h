/* SPDX-License-Identifier: MIT
 *
 * compatop.h - what DFAnalyzer takes an event for (private to compat*.c)
 */
#ifndef DFT_ANALYZE_COMPATOP_H
#define DFT_ANALYZE_COMPATOP_H

#include "analyze/compat/compattally.h"

enum {
    COMPAT_CATEGORY_MAX = 64, /* of the event; longer ones are cut */
    COMPAT_NAME_MAX = 255,
    COMPAT_HASH_MAX = 255,
    COMPAT_KEY_MAX =
        COMPAT_CATEGORY_MAX + 64 + COMPAT_NAME_MAX + COMPAT_HASH_MAX + 3,
    COMPAT_IGNORED = -2
};

/* The key of the event's operation in key, which has COMPAT_KEY_MAX bytes; its
 * length, or 0: DFAnalyzer leaves it out. */
size_t compat_op_key (const struct compat_version *v,
                      const struct compat_item *e,
                      char *key);

/* "category NUL name NUL hash"; in place. */
struct compat_op_texts {
    const char *category, *name, *hash;
};
struct compat_op_texts compat_op_texts (const char *key);

/* Does the operation move bytes? */
int compat_op_moves (const struct compat_version *v,
                     const struct compat_op_texts *of);

#endif
