/* SPDX-License-Identifier: MIT
 *
 * ytree.c - any bytes as YAML: no crash, no leak, limits hold
 *
 * make fuzz-ytree CC=clang; a corpus to start from: etc/examples
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/ytree.h"

enum { NODES_MAX = 1000000, DEPTH_MAX = 64 };

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Nodes that a reader meets; aborts where a promise of ytree.h is broken. */
static size_t walk (const struct ynode *n, int depth)
{
    size_t nodes = 1;

    if (depth > DEPTH_MAX || n->line < 1 || n->column < 1)
        abort ();
    if (n->type == YNODE_SCALAR && (!n->text || n->count > 0))
        abort ();
    for (size_t i = 0; i < n->count; i++) {
        if (n->type == YNODE_MAP)
            nodes += walk (n->key[i], depth + 1);
        nodes += walk (n->item[i], depth + 1);
    }
    return nodes;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct errtext err = {""};
    struct ytree *t = ytree_parse ("fuzz", (const char *)data, size, &err);

    if (!t) {
        if (!err.text[0])
            abort ();
        return 0;
    }
    if (ytree_root (t) && walk (ytree_root (t), 1) > NODES_MAX)
        abort ();
    ytree_destroy (t);
    return 0;
}
