/* SPDX-License-Identifier: MIT
 *
 * ytree_build.h - YAML events -> nodes; inside of ytree only
 */
#ifndef DFT_UTIL_YTREE_BUILD_H
#define DFT_UTIL_YTREE_BUILD_H

#include <stddef.h>
#include <yaml.h>

#include "lib/util/strmap.h"
#include "lib/util/ytree.h"

/* n comes first: a ynode of ours is a struct node. */
struct node {
    struct ynode n;
    struct node *next; /* all nodes of the tree */
    size_t room;
    size_t weight; /* nodes below and this one, aliases followed */
    int height;    /* levels below and this one */
    int open;      /* still being read */
};

struct ytree {
    char *name;
    struct node *all;
    const struct ynode *root;
};

struct builder {
    struct ytree *t;
    yaml_parser_t parser;
    const char *text;
    size_t length;
    struct strmap *anchors; /* name -> node */
    size_t weight;          /* so far */
    struct errtext *err;
};

/* The whole stream into b->t: 0, or -1 with b->err. */
int ytree_build (struct builder *b);

/* err = "FILE:LINE:COLUMN: message", errno EINVAL; returns -1. */
int ytree_place_errf (struct builder *b,
                      const yaml_mark_t *mark,
                      const char *fmt,
                      ...) __attribute__ ((format (printf, 3, 4)));

/* What the parser itself complains about; returns -1. */
int ytree_parser_errf (struct builder *b);

#endif
