/* SPDX-License-Identifier: MIT
 *
 * pfwlocal.c - texts and hashes of one block of lines -> numbers from 0
 *
 * In:  texts, from pfwbatch.c
 * Out: numbers, and what an event's name says of it
 */
#include "config.h"

#include "analyze/import/pfw/pfwlocal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/format/layers.h"

enum { FIRST_SLOTS = 256 };

static uint64_t pfwlocal_mix (uint64_t h, uint64_t w)
{
    h = (h ^ w) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

static uint64_t pfwlocal_hash_text (uint64_t h, const struct pfw_text *t)
{
    const char *p = t->p;
    size_t n = t->n;
    uint64_t w;

    h = pfwlocal_mix (h, n);
    for (; n >= 8; p += 8, n -= 8) {
        memcpy (&w, p, 8);
        h = pfwlocal_mix (h, w);
    }
    w = 0;
    if (n)
        memcpy (&w, p, n);
    return pfwlocal_mix (h, w);
}

static int pfwlocal_same (const struct pfw_text *a, const struct pfw_text *b)
{
    return a->n == b->n && (a->n == 0 || memcmp (a->p, b->p, a->n) == 0);
}

/* --- the table --------------------------------------------------------- */

static int pfwlocal_grow (struct pfw_locals *n)
{
    size_t room = n->room ? 2 * n->room : FIRST_SLOTS / 2;
    struct pfw_local *item = reallocarray (n->item, room, sizeof (*item));
    uint32_t *slot;

    if (!item)
        return -1;
    n->item = item;
    if (!(slot = calloc (2 * room, sizeof (*slot))))
        return -1;
    free (n->slot);
    n->slot = slot;
    n->room = room;
    n->slots = 2 * room;
    for (size_t i = 0; i < n->count; i++) {
        size_t at = n->item[i].hash & (n->slots - 1);

        while (slot[at])
            at = (at + 1) & (n->slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    return 0;
}

/* Up to eight bytes of a text, at its end or its begin. */
static inline uint64_t some_bytes (const struct pfw_text *t)
{
    uint64_t w = 0;
    uint32_t low, high;

    if (t->n >= 8) {
        memcpy (&w, t->p + t->n - 8, 8);
        return w;
    }
    if (t->n >= 4) {
        memcpy (&low, t->p, 4);
        memcpy (&high, t->p + t->n - 4, 4);
        return (uint64_t)high << 32 | low;
    }
    for (uint32_t i = 0; i < t->n; i++)
        w = w << 8 | (unsigned char)t->p[i];
    return w;
}

/* Where a name is looked for first. */
static inline uint32_t *recent_of (struct pfw_locals *n,
                                   const struct pfw_local *want)
{
    uint64_t w = some_bytes (&want->text) + want->kind;

    if (want->second.n)
        w = w * 31 + some_bytes (&want->second) + want->second.n;
    w = (w + want->text.n) * 0x9e3779b97f4a7c15u;
    return &n->recent[w >> 40 & (PFW_RECENT - 1)];
}

static inline int is_like (const struct pfw_local *l,
                           const struct pfw_local *want)
{
    return l->kind == want->kind && l->is_hash == want->is_hash &&
           pfwlocal_same (&l->text, &want->text) &&
           pfwlocal_same (&l->second, &want->second);
}

/* Number of the one that is like `want`; *isnew when it was not there. */
static int64_t
pfwlocal_find (struct pfw_locals *n, struct pfw_local *want, int *isnew)
{
    size_t at;

    if (n->count == n->room && pfwlocal_grow (n) < 0)
        return -1;
    want->hash = pfwlocal_hash_text (want->kind | (unsigned)want->is_hash << 8,
                                     &want->text);
    if (want->second.n)
        want->hash = pfwlocal_hash_text (want->hash, &want->second);
    for (at = want->hash & (n->slots - 1); n->slot[at];
         at = (at + 1) & (n->slots - 1)) {
        const struct pfw_local *l = &n->item[n->slot[at] - 1];

        if (l->hash == want->hash && is_like (l, want))
            return (int64_t)n->slot[at] - 1;
    }
    *isnew = 1;
    n->item[n->count] = *want;
    n->slot[at] = (uint32_t)++n->count;
    return (int64_t)n->count - 1;
}

static int64_t
pfwlocal_intern (struct pfw_locals *n, struct pfw_local *want, int *isnew)
{
    uint32_t *recent = recent_of (n, want);
    int64_t number;

    *isnew = 0;
    if (*recent && is_like (&n->item[*recent - 1], want))
        return (int64_t)*recent - 1;
    number = pfwlocal_find (n, want, isnew);
    *recent = (uint32_t)(number + 1);
    return number;
}

int64_t pfw_locals_text (struct pfw_locals *n,
                         enum shard_name_kind kind,
                         const struct pfw_text *text)
{
    struct pfw_local want = {.text = *text, .kind = (uint8_t)kind};
    int isnew;

    return pfwlocal_intern (n, &want, &isnew);
}

int64_t pfw_locals_hash (struct pfw_locals *n, const struct pfw_text *hash)
{
    struct pfw_local want = {
        .text = *hash, .kind = SHARD_NAME_FILE, .is_hash = 1};
    int isnew;

    return pfwlocal_intern (n, &want, &isnew);
}

/* --- events ------------------------------------------------------------ */

static int is (const struct pfw_text *t, const char *word)
{
    return t->n == strlen (word) && memcmp (t->p, word, t->n) == 0;
}

static int is_any_case (const struct pfw_text *t, const char *word)
{
    return t->n == strlen (word) && strncasecmp (t->p, word, t->n) == 0;
}

static void explain (struct pfw_local *l)
{
    l->layer = is_any_case (&l->text, "POSIX")   ? LAYER_POSIX
               : is_any_case (&l->text, "STDIO") ? LAYER_STDIO
                                                 : LAYER_APP;
    l->call = (uint8_t)pfw_names_call (&l->text, &l->second);
    if (is (&l->text, "dftracer"))
        l->own = is (&l->second, "start") ? PFW_OWN_START
                 : is (&l->second, "end") ? PFW_OWN_END
                                          : PFW_OWN_NONE;
}

int64_t pfw_locals_event (struct pfw_locals *n,
                          const struct pfw_text *category,
                          const struct pfw_text *name)
{
    struct pfw_local want = {
        .text = *category, .second = *name, .kind = SHARD_NAME_EVENT};
    int isnew;
    int64_t at = pfwlocal_intern (n, &want, &isnew);

    if (at >= 0 && isnew)
        explain (&n->item[at]);
    return at;
}

uint32_t pfw_local_number (struct pfw_local *l, struct pfw_names *names)
{
    if (!l->number)
        l->number = l->kind == SHARD_NAME_EVENT
                        ? pfw_names_event (names, &l->text, &l->second)
                    : l->is_hash
                        ? pfw_names_hash (names, &l->text)
                        : pfw_names_text (names, (enum shard_name_kind)l->kind,
                                          &l->text);
    return l->number;
}

/* --- all of them ------------------------------------------------------- */

void pfw_locals_empty (struct pfw_locals *n)
{
    n->count = 0;
    memset (n->recent, 0, sizeof (n->recent));
    if (n->slots)
        memset (n->slot, 0, n->slots * sizeof (*n->slot));
}

void pfw_locals_clear (struct pfw_locals *n)
{
    free (n->item);
    free (n->slot);
    memset (n, 0, sizeof (*n));
}
