/* SPDX-License-Identifier: MIT
 *
 * pfwnames.h - texts and hashes of a DFTracer trace -> names with a meaning
 */
#pragma once

#include "analyze/import/pfw/pfwlex.h"
#include "lib/format/event.h"

enum { PFW_KEY_MAX = 2 * EVENT_NAME_MAX + 2 }; /* bytes of a name's key */

struct pfw_name {
    char *text; /* NUL behind it */
    uint32_t length;
    uint8_t kind;      /* enum shard_name_kind */
    uint8_t class;     /* enum file_class */
    uint8_t undefined; /* a hash that nothing has explained */
    uint8_t late;      /* a hash that was explained after its first use */
};

struct pfw_names;

/* The call that an event is; CALL_region when it is none that has a number, be
 * it POSIX or not. */
enum call pfw_names_call (const struct pfw_text *category,
                          const struct pfw_text *name);

struct strmap;
struct pfw_names *pfw_names_create (void);
void pfw_names_destroy (struct pfw_names *n); /* NULL is fine */

/* Numbers of names, from 1. */
uint32_t pfw_names_text (struct pfw_names *n,
                         enum shard_name_kind kind,
                         const struct pfw_text *text);
/* The text that a hash stands for; if nothing defines it, a name made of it. */
uint32_t pfw_names_hash (struct pfw_names *n, const struct pfw_text *hash);

/* hash stands for text, also where it was used before. */
void pfw_names_define (struct pfw_names *n,
                       const struct pfw_text *hash,
                       const struct pfw_text *text);

/* Does a line of metadata say what a hash stands for? */
int pfw_names_is_definition (const struct pfw_line *l);

/* Put hash -> text (malloc'd) of all that are defined into map; texts that are
 * there stay. */
void pfw_names_tell (const struct pfw_names *n, struct strmap *map);
/* As pfw_names_tell, of one line of metadata, if it is a definition. */
void pfw_names_tell_line (const struct pfw_line *l, struct strmap *map);
/* Hashes that nothing explained when they were used, and map (NULL: anything)
 * does. */
size_t pfw_names_missing (const struct pfw_names *n, const struct strmap *map);
/* Define these hashes as map does. */
void pfw_names_explain (struct pfw_names *n, const struct strmap *map);
/* Names that are hashes, since nothing explains them. */
size_t pfw_names_undefined (const struct pfw_names *n);
/* No names will be added or looked up: forget how to. */
void pfw_names_seal (struct pfw_names *n);

struct pfw_name *pfw_names_get (const struct pfw_names *n, uint32_t number);

/* --- names of one block -----------------------------------------------------
 *
 * Texts and hashes of one block of lines have numbers from 0 and point into the
 * block. Their meaning in the whole file is known only when the blocks before
 * it have been read.
 */

enum pfw_own { PFW_OWN_NONE = 0, PFW_OWN_START, PFW_OWN_END };

struct pfw_local {
    struct pfw_text text, second; /* second: name of an event */
    uint8_t kind;      /* enum shard_name_kind; NONE: the hash of a file */
    uint8_t call, own; /* of an event: enum call; the tracer's own */
    uint16_t layer;    /* of an event: bit of the enum */
    uint32_t number;   /* the writer's: its number in struct pfw_names */
};

enum { PFW_RECENT = 256 }; /* a power of two */

/* All zero is empty. */
struct pfw_locals {
    struct pfw_local *item; /* owned */
    size_t count, room;
    struct strmap *number; /* of each key; owned */
    char key[PFW_KEY_MAX];
    uint32_t recent[PFW_RECENT]; /* number + 1, by a few bytes of the text */
};

/* Their numbers, from 0; kind SHARD_NAME_NONE: text is a hash. */
uint32_t pfw_locals_text (struct pfw_locals *n,
                          enum shard_name_kind kind,
                          const struct pfw_text *text);
uint32_t pfw_locals_event (struct pfw_locals *n,
                           const struct pfw_text *category,
                           const struct pfw_text *name);

/* The number of a local name in names. */
uint32_t pfw_local_number (struct pfw_local *l, struct pfw_names *names);

void pfw_locals_empty (struct pfw_locals *n); /* keeps room */
void pfw_locals_clear (struct pfw_locals *n);
