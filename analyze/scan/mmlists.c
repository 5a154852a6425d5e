/* SPDX-License-Identifier: MIT
 *
 * mmlists.c - the lists of struct mm_log: growing, appending, freeing
 */
#include "config.h"

#include "analyze/scan/mmlog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- lists ---------------------------------------------------------------- */

void *mmlist_add (struct mmlist *l, size_t n)
{
    size_t room = l->room ? 2 * l->room : 16;
    void *item = l->item;
    char *at;

    if (l->count == l->room) {
        if (!(item = reallocarray (item, room, n)))
            return NULL;
        l->item = item;
        l->room = room;
    }
    at = (char *)l->item + l->count++ * n;
    memset (at, 0, n);
    return at;
}

static int
mmlists_append (struct mmlist *to, const struct mmlist *from, size_t n)
{
    for (size_t i = 0; i < from->count; i++) {
        void *item = mmlist_add (to, n);

        if (!item)
            return -1;
        memcpy (item, (const char *)from->item + i * n, n);
    }
    return 0;
}

/* Ordinal of a text; MM_NOBODY, errno ENOMEM on failure. */
uint32_t mmlog_ordinal (struct strmap **map, const char *text, size_t length)
{
    int isnew;
    int64_t at;

    if (!*map && !(*map = strmap_create ()))
        return MM_NOBODY;
    at = strmap_intern (*map, text, length, &isnew);
    return at < 0 ? MM_NOBODY : (uint32_t)at;
}

int mmlog_size (struct mm_log *log, uint32_t op, uint64_t size)
{
    while (log->sizes.count <= op)
        if (!mmlist_add (&log->sizes, sizeof (uint64_t)))
            return -1;
    ((uint64_t *)log->sizes.item)[op] += size;
    return 0;
}

/* --- merging ----------------------------------------------------------------
 */

static uint32_t
moved (struct strmap **to, const struct strmap *from, uint32_t at)
{
    size_t length;
    const char *text;

    if (at == MM_NOBODY)
        return at;
    text = strmap_key (from, at, &length);
    return mmlog_ordinal (to, text, length);
}

#define MOVE(LIST, TYPE, MAP, FIELD)                                       \
    for (size_t i = to->LIST.count - from->LIST.count; i < to->LIST.count; \
         i++) {                                                            \
        struct TYPE *x = (struct TYPE *)to->LIST.item + i;                 \
        x->FIELD = moved (&to->MAP, from->MAP, x->FIELD);                  \
    }

int mmlog_append (struct mm_log *to, const struct mm_log *from)
{
    const uint64_t *size = from->sizes.item;

    errno = 0;
    if (mmlists_append (&to->uses, &from->uses, sizeof (struct mm_use)) < 0 ||
        mmlists_append (&to->looks, &from->looks, sizeof (struct mm_look)) <
            0 ||
        mmlists_append (&to->faults, &from->faults, sizeof (struct mm_seen)) <
            0 ||
        mmlists_append (&to->misses, &from->misses, sizeof (struct mm_miss)) <
            0 ||
        mmlists_append (&to->parts, &from->parts, sizeof (struct mm_part)) <
            0 ||
        mmlists_append (&to->watched, &from->watched,
                        sizeof (struct mm_watch)) < 0)
        return -1;
    MOVE (looks, mm_look, files, file)
    MOVE (faults, mm_seen, files, file)
    MOVE (misses, mm_miss, files, file)
    MOVE (parts, mm_part, ops, op)
    for (size_t i = 0; i < from->sizes.count; i++) {
        uint32_t op = moved (&to->ops, from->ops, (uint32_t)i);

        if (op != MM_NOBODY && mmlog_size (to, op, size[i]) < 0)
            return -1;
    }
    if (from->mapped_at && (!to->mapped_at || from->mapped_at < to->mapped_at))
        to->mapped_at = from->mapped_at;
    to->sources |= from->sources;
    if (from->perf_errno)
        to->perf_errno = from->perf_errno;
    mm_losses_meet (&to->lost, &from->lost);
    return errno == ENOMEM ? -1 : 0;
}

int mmlog_empty (const struct mm_log *log)
{
    return !log->uses.count && !log->looks.count && !log->faults.count &&
           !log->watched.count && !log->misses.count && !log->parts.count &&
           !log->sizes.count && !log->sources && !log->mapped_at;
}

void mmlog_clear (struct mm_log *log)
{
    int saved = errno;

    free (log->uses.item);
    free (log->looks.item);
    free (log->faults.item);
    free (log->misses.item);
    free (log->parts.item);
    free (log->open.item);
    free (log->sizes.item);
    free (log->watched.item);
    strmap_destroy (log->files);
    strmap_destroy (log->ops);
    memset (log, 0, sizeof (*log));
    errno = saved;
}
