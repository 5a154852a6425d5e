/* SPDX-License-Identifier: MIT
 *
 * pfwseen.c - lines of a DFTracer trace that are there twice
 *
 * In:  lines, from pfwbatch.c
 * Out: whether each is new
 */
#include "config.h"

#include "analyze/import/pfw/pfwseen.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 1024, ROUNDED_NS = 2000 /* both ends are whole us */ };

struct pfw_seen {
    uint64_t *slot; /* hashes of lines; 0 empty */
    size_t slots, count;
};

int pfw_goes_back (const struct pfw_mark *before, const struct pfw_mark *after)
{
    return (after->id && after->id == before->id) ||
           (after->start + ROUNDED_NS < before->start &&
            after->end + ROUNDED_NS < before->end);
}

struct pfw_seen *pfw_seen_create (void)
{
    struct pfw_seen *s = calloc (1, sizeof (*s));

    if (!s)
        return NULL;
    s->slots = FIRST_SLOTS;
    if (!(s->slot = calloc (s->slots, sizeof (*s->slot)))) {
        free (s);
        return NULL;
    }
    return s;
}

void pfw_seen_destroy (struct pfw_seen *s)
{
    int saved = errno;

    if (s)
        free (s->slot);
    free (s);
    errno = saved;
}

/* --- hashes ----------------------------------------------------------------
 */

static uint64_t pfwseen_mix (uint64_t h, uint64_t w)
{
    h = (h ^ w) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static uint64_t pfwseen_text (uint64_t h, const struct pfw_text *t)
{
    h = pfwseen_mix (h, t->p ? t->n : UINT32_MAX);
    for (uint32_t i = 0; t->p && i < t->n; i++)
        h = (h ^ (unsigned char)t->p[i]) * 0x100000001b3u;
    return pfwseen_mix (h, 0);
}

static uint64_t pfwseen_hash (const struct pfw_line *l)
{
    uint64_t h = pfwseen_mix (0x9e3779b97f4a7c15u, l->id);

    h = pfwseen_mix (pfwseen_mix (pfwseen_mix (h, l->pid), l->tid), l->ts);
    h = pfwseen_mix (pfwseen_mix (h, l->dur),
                     (uint64_t)l->ts_part << 16 | l->dur_part);
    h = pfwseen_text (pfwseen_text (h, &l->name), &l->cat);
    h = pfwseen_text (pfwseen_text (h, &l->hhash), &l->fhash);
    h = pfwseen_mix (pfwseen_mix (h, (uint64_t)l->ret), (uint64_t)l->offset);
    h = pfwseen_mix (pfwseen_mix (h, (uint64_t)l->size), (uint64_t)l->count);
    return h ? h : 1;
}

/* --- the set
 * ------------------------------------------------------------------ */

static int pfwseen_grow (struct pfw_seen *s)
{
    size_t slots = 2 * s->slots;
    uint64_t *slot;

    if (2 * s->count < s->slots)
        return 0;
    if (!(slot = calloc (slots, sizeof (*slot))))
        return -1;
    for (size_t i = 0; i < s->slots; i++) {
        size_t at = s->slot[i] & (slots - 1);

        if (!s->slot[i])
            continue;
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = s->slot[i];
    }
    free (s->slot);
    s->slot = slot;
    s->slots = slots;
    return 0;
}

int pfw_seen_add (struct pfw_seen *s, const struct pfw_line *l)
{
    uint64_t hash;
    size_t at;

    if (!(l->has & PFW_HAS_ID))
        return 0;
    if (pfwseen_grow (s) < 0)
        return -1;
    hash = pfwseen_hash (l);
    for (at = hash & (s->slots - 1); s->slot[at];
         at = (at + 1) & (s->slots - 1))
        if (s->slot[at] == hash)
            return 1;
    s->slot[at] = hash;
    s->count++;
    return 0;
}
