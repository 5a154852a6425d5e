/* SPDX-License-Identifier: MIT
 *
 * mmcache.c - looks of the processes of a node at a file -> what its page cache
 *             gained
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/facts/mmwork.h"

struct mm_cache *mm_cache_of (struct mm_totals *t,
                              uint32_t node,
                              const char *file,
                              size_t length)
{
    size_t n = sizeof (node) + length;
    char *key = malloc (n);
    struct mm_cache *c = NULL;

    if (key) {
        memcpy (key, &node, sizeof (node));
        memcpy (key + sizeof (node), file, length);
        c = mm_value (&t->caches, key, n, sizeof (*c));
    }
    free (key);
    return c;
}

static void cache_look (struct mm_cache *c, const struct mm_look *k)
{
    if (!k->cached_known)
        return;
    if (!c->looks || k->t < c->first_t) {
        c->first_t = k->t;
        c->first = mm_minus (k->cached, k->loaded);
    }
    if (!c->looks || k->t >= c->last_t) {
        c->last_t = k->t;
        c->last = k->cached;
    }
    if (k->cached > c->most)
        c->most = k->cached;
    if (c->looks && k->mapped != c->mapped)
        c->mixed = 1;
    if (k->mapped > c->mapped)
        c->mapped = k->mapped;
    c->looks++;
}

int mm_note_caches (struct join *j, const struct mm_process *p)
{
    const struct mm_look *k = j->log->looks.item;

    for (size_t i = 0; i < j->files; i++) {
        size_t length;
        const char *file = strmap_key (j->log->files, i, &length);
        struct mm_cache *c = mm_cache_of (j->t, p->node, file, length);

        if (!c)
            return -1;
        j->cache[i] = c;
        c->given += j->file[i].bytes;
        c->call_bytes += j->file[i].call_bytes;
        if (j->file[i].mapped > c->length)
            c->length = j->file[i].mapped;
        if (j->file[i].touched > c->length)
            c->length = j->file[i].touched;
    }
    for (size_t i = 0; i < j->log->looks.count; i++)
        cache_look (j->cache[k[i].file], &k[i]);
    return 0;
}
