/* SPDX-License-Identifier: MIT
 *
 * ytree.h - YAML (and JSON, its subset) text -> tree with positions
 *
 * libyaml does the reading. Scalars stay text; plain and quoted ones are told
 * apart. Duplicate keys, tags and "<<" are errors with file:line:column;
 * nodes (with aliases followed), depth and bytes are limited.
 */
#pragma once

#include <stddef.h>

#include "lib/base/text.h"

enum ynode_type { YNODE_SCALAR, YNODE_LIST, YNODE_MAP };

struct ynode {
    enum ynode_type type;
    int line, column;    /* from 1 */
    int quoted;          /* scalar: was quoted or a block */
    char *text;          /* scalar */
    size_t count;        /* list, map */
    struct ynode **item; /* list: items; map: values */
    struct ynode **key;  /* map: keys (scalars) */
};

struct ytree;

/* NULL and err ("FILE:LINE:COLUMN: …") on failure. */
struct ytree *ytree_load (const char *path, struct errtext *err);
struct ytree *ytree_parse (const char *name,
                           const char *text,
                           size_t length,
                           struct errtext *err);
void ytree_destroy (struct ytree *t);
const struct ynode *ytree_root (const struct ytree *t); /* NULL: empty */
const char *ytree_name (const struct ytree *t);         /* for messages */

/* Value of a key of a map, or NULL (also when n is NULL or no map). */
const struct ynode *ynode_get (const struct ynode *n, const char *key);

/* Text of a scalar under a key, or fallback. */
const char *
ynode_text (const struct ynode *n, const char *key, const char *fallback);

/* A whole number, 0 where there is none. */
uint64_t ynode_number (const struct ynode *n, const char *key);

/* err = "FILE:LINE:COLUMN: message"; returns -1. */
int ytree_errf (const struct ytree *t,
                const struct ynode *n,
                struct errtext *err,
                const char *fmt,
                ...) __attribute__ ((format (printf, 4, 5)));
