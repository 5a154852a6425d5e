/* SPDX-License-Identifier: MIT
 *
 * pfwlocal.h - texts and hashes of one block of lines -> numbers from 0
 *
 * They point into the block. What they mean in the whole file is known only
 * when the blocks before it have been read.
 */
#ifndef DFT_ANALYZE_PFWLOCAL_H
#define DFT_ANALYZE_PFWLOCAL_H

#include "analyze/import/pfw/pfwlex.h"
#include "analyze/import/pfw/pfwnames.h"

enum pfw_own { PFW_OWN_NONE = 0, PFW_OWN_START, PFW_OWN_END };

struct pfw_local {
    struct pfw_text text, second; /* second: name of an event */
    uint64_t hash;
    uint8_t kind;      /* enum shard_name_kind */
    uint8_t is_hash;   /* of a file: the text is its hash */
    uint8_t call, own; /* of an event: enum call; the tracer's own */
    uint16_t layer;    /* of an event: bit of the enum */
    uint32_t number;   /* the writer's: its number in struct pfw_names */
};

enum { PFW_RECENT = 256 }; /* a power of two */

/* All zero is empty. */
struct pfw_locals {
    struct pfw_local *item; /* owned */
    size_t count, room;
    uint32_t *slot; /* number + 1; owned */
    size_t slots;
    uint32_t recent[PFW_RECENT]; /* number + 1, by a few bytes of the text */
};

/* -1: ENOMEM. */
int64_t pfw_locals_text (struct pfw_locals *n,
                         enum shard_name_kind kind,
                         const struct pfw_text *text);
int64_t pfw_locals_hash (struct pfw_locals *n, const struct pfw_text *hash);
int64_t pfw_locals_event (struct pfw_locals *n,
                          const struct pfw_text *category,
                          const struct pfw_text *name);

/* The number of a local name in names. 0: ENOMEM. */
uint32_t pfw_local_number (struct pfw_local *l, struct pfw_names *names);

void pfw_locals_empty (struct pfw_locals *n); /* keeps room */
void pfw_locals_clear (struct pfw_locals *n);

#endif
