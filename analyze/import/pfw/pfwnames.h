/* SPDX-License-Identifier: MIT
 *
 * pfwnames.h - texts and hashes of a DFTracer trace -> names with a meaning
 */
#ifndef DFT_ANALYZE_PFWNAMES_H
#define DFT_ANALYZE_PFWNAMES_H

#include "analyze/import/pfw/pfwlex.h"
#include "lib/format/calls.h"
#include "lib/format/shard.h"

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
struct pfw_names *pfw_names_create (void);    /* NULL: ENOMEM */
void pfw_names_destroy (struct pfw_names *n); /* NULL is fine */

/* Numbers of names, from 1; 0 when memory is short. */
uint32_t pfw_names_text (struct pfw_names *n,
                         enum shard_name_kind kind,
                         const struct pfw_text *text);
/* Category and name of an event. */
uint32_t pfw_names_event (struct pfw_names *n,
                          const struct pfw_text *category,
                          const struct pfw_text *name);
/* What a hash stands for; once nobody has said so, a name made of it. */
uint32_t pfw_names_hash (struct pfw_names *n, const struct pfw_text *hash);

/* hash stands for text, also where it was used before. 0, -1 (ENOMEM). */
int pfw_names_define (struct pfw_names *n,
                      const struct pfw_text *hash,
                      const struct pfw_text *text);

/* Does a line of metadata say what a hash stands for? */
int pfw_names_is_definition (const struct pfw_line *l);

/* Put hash -> text (malloc'd) of all that are defined into map; texts that are
 * there stay. 0, -1 (ENOMEM). */
int pfw_names_tell (const struct pfw_names *n, struct strmap *map);
/* The same of one line of metadata, if it is a definition. */
int pfw_names_tell_line (const struct pfw_line *l, struct strmap *map);
/* Hashes that nothing explained when they were used, and map (NULL: anything)
 * does. */
size_t pfw_names_missing (const struct pfw_names *n, const struct strmap *map);
/* What map says of these is what they stand for. 0, -1 (ENOMEM). */
int pfw_names_explain (struct pfw_names *n, const struct strmap *map);
/* Names that are hashes, since nothing explains them. */
size_t pfw_names_undefined (const struct pfw_names *n);
/* No names will be added or looked up: forget how to. */
void pfw_names_seal (struct pfw_names *n);

struct pfw_name *pfw_names_get (const struct pfw_names *n, uint32_t number);

#endif
