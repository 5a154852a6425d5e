/* SPDX-License-Identifier: MIT
 *
 * pfwkeptnames.c - names of a DFTracer trace <-> one after the other
 *
 * In:  struct pfw_names; names that were kept, from blockindexread.c
 * Out: the same
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/import/pfw/pfwkept.h"
#include "analyze/import/pfw/pfwnamesin.h"

size_t pfw_names_count (const struct pfw_names *n)
{
    return n->count;
}

const char *pfw_names_hash_at (const struct pfw_names *n,
                               size_t i,
                               size_t *length,
                               uint32_t *number)
{
    if (!n->hash || i >= strmap_count (n->hash))
        return NULL;
    *number = (uint32_t)(uintptr_t)strmap_value (n->hash, i);
    return strmap_key (n->hash, i, length);
}

int pfw_names_fill (struct pfw_names *n,
                    const struct pfw_name *name,
                    const char *text)
{
    size_t room = n->room ? 2 * n->room : 256;
    struct pfw_name *all = n->item;
    char *copy;

    if (n->count + 1 >= n->room) {
        if (!(all = reallocarray (all, room, sizeof (*all))))
            return -1;
        n->item = all;
        n->room = room;
    }
    if (!(copy = malloc ((size_t)name->length + 1)))
        return -1;
    memcpy (copy, text, name->length);
    copy[name->length] = '\0';
    n->item[++n->count] = *name;
    n->item[n->count].text = copy;
    return 0;
}

int pfw_names_fill_hash (struct pfw_names *n,
                         const char *hash,
                         size_t length,
                         uint32_t number)
{
    int64_t at = strmap_intern (n->hash, hash, length, NULL);

    if (at < 0)
        return -1;
    strmap_set (n->hash, (size_t)at, (void *)(uintptr_t)number);
    return 0;
}
