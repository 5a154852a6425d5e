/* SPDX-License-Identifier: MIT
 *
 * where.h - "cat=POSIX", "file=*.bin", "time=0.5-2" -> which events
 */
#ifndef DFT_ANALYZE_WHERE_H
#define DFT_ANALYZE_WHERE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/core/errtext.h"

enum { WHERE_MAX = 64 };

enum where_key {
    WHERE_CAT,
    WHERE_NAME,
    WHERE_FILE,
    WHERE_HOST,
    WHERE_PID,
    WHERE_TID,
    WHERE_RANK,
    WHERE_TIME,
    WHERE_KEYS
};

/* All terms have to hold. */
struct where {
    struct {
        enum where_key key;
        int unequal;         /* "!=" */
        const char *pattern; /* of texts: the caller's */
        double low, high;    /* of numbers, both included */
    } term[WHERE_MAX];
    int terms;
};

/* What a term is compared with. Texts are never NULL. */
struct where_event {
    const char *text[WHERE_PID]; /* cat, name, file, host */
    double number[WHERE_KEYS];   /* pid, tid, rank, time: s from the start */
};

/* Add KEY=VALUE or KEY!=VALUE: shell patterns with commas for texts, N, N-M,
 * N- or -M for numbers. 0, or -1 with err. */
int where_add (struct where *w, const char *text, struct errtext *err);
int where_match (const struct where *w, const struct where_event *e);
int where_has (const struct where *w, enum where_key key);
/* Only the terms whose key is in the set of bits 1 << enum where_key. */
int where_match_keys (const struct where *w,
                      const struct where_event *e,
                      unsigned keys_asked);

#endif
