/* SPDX-License-Identifier: MIT
 *
 * names.h - the last names of a chunk, for one that looks like them
 *
 * Private to the recorder. Paths come in families: a new one mostly begins as
 * one of the last few did, and often ends like it, too.
 */
#ifndef DFT_RECORD_NAMES_H
#define DFT_RECORD_NAMES_H

#include "lib/format/event.h"

enum { RECENT_NAMES = 8 }; /* a power of two */

/* Ids of names_intern; that of the chunk's id n is in slot n modulo
 * RECENT_NAMES. 0: none. */
struct recent {
    uint32_t ids[RECENT_NAMES];
};

static inline void recent_add (struct recent *r, uint32_t local, uint32_t id)
{
    r->ids[local % RECENT_NAMES] = id;
}

/* Compare the name id, which becomes name number local of the chunk, with
 * recent ones. Return 1 and *like, or 0 if the full text takes no more bytes.
 * Async-signal-safe. */
int recent_find (const struct recent *r,
                 uint32_t local,
                 uint32_t id,
                 struct event_like *like);

#endif
