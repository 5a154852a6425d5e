/* SPDX-License-Identifier: MIT
 *
 * pfwnames.h - texts and hashes of a DFTracer trace -> names with a meaning
 */
#ifndef DFT_ANALYZE_PFWNAMES_H
#define DFT_ANALYZE_PFWNAMES_H

#include "analyze/trace/pfw/pfwlex.h"
#include "lib/core/calls.h"
#include "lib/core/shard.h"

struct pfw_name {
    char *text; /* NUL behind it */
    uint32_t length;
    uint8_t kind;      /* enum shard_name_kind */
    uint8_t class;     /* enum file_class */
    uint8_t undefined; /* a hash that nothing has explained */
};

struct pfw_names;

/* The call that an event is; CALL_region when it is none that has a number, be
 * it POSIX or not. */
enum call pfw_names_call (const struct pfw_text *category,
                          const struct pfw_text *name);

struct pfw_names *pfw_names_create (void);
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

struct pfw_name *pfw_names_get (struct pfw_names *n, uint32_t number);
size_t pfw_names_count (const struct pfw_names *n);

#endif
