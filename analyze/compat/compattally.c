/* SPDX-License-Identifier: MIT
 *
 * compattally.c - events -> sums by operation, thread and second, as
 *                 DFAnalyzer divides them
 *
 * In:  events in any order, from compatread.c; runs of partitions, from
 *      compatpartial.c
 * Out: struct compat_tally, to compat.c
 *
 * A path that only another file explains is open until all files have been
 * read; then the least text that any file gives for its hash counts, so that
 * it does not matter who read what.
 */
#include "config.h"

#include "analyze/compat/compattally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compat/compatop.h"

enum { CACHE_KEY_MAX = 1024 };

/* --- tables ----------------------------------------------------------------
 */

int compat_tally_init (struct compat_tally *t,
                       const struct compat_layers *layers,
                       uint64_t start)
{
    *t = (struct compat_tally){.layers = layers,
                               .start = start,
                               .ops = strmap_create (),
                               .threads = strmap_create (),
                               .processes = strmap_create (),
                               .runs = strmap_create (),
                               .paths = strmap_create (),
                               .cache = strmap_create ()};
    if (t->ops && t->threads && t->processes && t->runs && t->paths &&
        t->cache && compat_totals_init (&t->totals) == 0)
        return 0;
    compat_tally_clear (t);
    errno = ENOMEM;
    return -1;
}

static void free_values (struct strmap *m)
{
    for (size_t i = 0; m && i < strmap_count (m); i++)
        free (strmap_value (m, i));
    strmap_destroy (m);
}

void compat_tally_clear (struct compat_tally *t)
{
    for (size_t i = 0; t->runs && i < strmap_count (t->runs); i++) {
        struct compat_run *r = strmap_value (t->runs, i);

        if (!r)
            continue;
        free (r->second);
        intervals_clear (&r->set);
    }
    free_values (t->runs);
    free_values (t->ops);
    free_values (t->threads);
    free_values (t->paths);
    strmap_destroy (t->processes);
    strmap_destroy (t->cache);
    compat_totals_clear (&t->totals);
    memset (t, 0, sizeof (*t));
}

/* The value under a key, new and zeroed if need be. */
static void *compattally_value_of (struct strmap *m,
                                   const void *key,
                                   size_t n,
                                   size_t size,
                                   int64_t *at,
                                   int *isnew)
{
    void *value;

    if ((*at = strmap_intern (m, key, n, isnew)) < 0)
        return NULL;
    if ((value = strmap_value (m, (size_t)*at)) || !(value = calloc (1, size)))
        return value;
    *isnew = 1;
    strmap_set (m, (size_t)*at, value);
    return value;
}

int64_t compat_tally_op (struct compat_tally *t, const char *key, size_t n)
{
    struct compat_op_texts of = compat_op_texts (key);
    struct compat_op *op;
    int64_t at;
    int isnew = 0;

    if (!(op =
              compattally_value_of (t->ops, key, n, sizeof (*op), &at, &isnew)))
        return -1;
    if (!isnew)
        return at;
    op->open = *of.hash != '\0';
    op->moves = compat_op_moves (t->layers->version, &of);
    for (int i = 0; i < t->layers->sets; i++)
        op->wanted |= op->open || layerset_match (&t->layers->set[i],
                                                  of.category, of.name) != 0;
    return at;
}

int64_t compat_tally_thread (struct compat_tally *t, const char *key, size_t n)
{
    struct compat_thread *thread;
    int64_t process, at;
    int isnew = 0;

    process = strmap_intern (t->processes, key, n - sizeof (uint64_t), NULL);
    if (process < 0 ||
        !(thread = compattally_value_of (t->threads, key, n, sizeof (*thread),
                                         &at, &isnew)))
        return -1;
    thread->process = (uint32_t)process;
    return at;
}

struct compat_run *
compat_tally_run (struct compat_tally *t, uint32_t op, uint32_t thread)
{
    const uint32_t key[2] = {op, thread};
    struct compat_run *r;
    int64_t at;
    int isnew = 0;

    if ((r = compattally_value_of (t->runs, key, sizeof (key), sizeof (*r), &at,
                                   &isnew))) {
        r->op = op;
        r->thread = thread;
    }
    return r;
}

int compat_tally_path (struct compat_tally *t,
                       const char *hash,
                       size_t length,
                       const char *path)
{
    int64_t at = strmap_intern (t->paths, hash, length, NULL);
    char *old = at < 0 ? NULL : strmap_value (t->paths, (size_t)at), *text;

    if (at < 0)
        return -1;
    if (old && strcmp (old, path) <= 0)
        return 0;
    if (!(text = strdup (path)))
        return -1;
    free (old);
    strmap_set (t->paths, (size_t)at, text);
    return 0;
}

/* --- runs ------------------------------------------------------------------
 */

/* Index of the first second that is not before this one. */
static size_t find_second (const struct compat_run *r, uint64_t number)
{
    size_t first = 0, last = r->seconds;

    if (last && r->second[last - 1].number <= number)
        return last - (r->second[last - 1].number == number);
    while (first < last) {
        size_t middle = first + (last - first) / 2;

        if (r->second[middle].number < number)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

int compat_run_second (struct compat_run *r, const struct compat_second *s)
{
    size_t at = find_second (r, s->number), room = r->room ? 2 * r->room : 8;
    struct compat_second *to;

    if (at == r->seconds || r->second[at].number != s->number) {
        if (r->seconds == r->room) {
            if (!(to = reallocarray (r->second, room, sizeof (*to))))
                return -1;
            r->second = to;
            r->room = room;
        }
        memmove (&r->second[at + 1], &r->second[at],
                 (r->seconds - at) * sizeof (*to));
        r->second[at] =
            (struct compat_second){.number = s->number, .first = s->first};
        r->seconds++;
    }
    to = &r->second[at];
    to->us += s->us;
    to->n += s->n;
    to->bytes += s->bytes;
    if (s->first < to->first)
        to->first = s->first;
    return 0;
}

int compat_run_add (struct compat_run *to, const struct compat_run *from)
{
    const struct intervals *both[] = {&to->set, &from->set};
    struct intervals set;

    for (size_t i = 0; i < from->seconds; i++)
        if (compat_run_second (to, &from->second[i]) < 0)
            return -1;
    if (!from->set.count)
        return 0;
    if (intervals_union (&set, both, 2) < 0)
        return -1;
    intervals_clear (&to->set);
    to->set = set;
    return 0;
}

/* --- events ----------------------------------------------------------------
 */

/* Its operation, COMPAT_IGNORED, or -1. */
static int64_t find_op (struct compat_tally *t, const struct compat_item *e)
{
    char key[COMPAT_KEY_MAX];
    size_t n = compat_op_key (t->layers->version, e, key);

    return n ? compat_tally_op (t, key, n) : COMPAT_IGNORED;
}

static size_t
compattally_append (char *key, size_t at, const char *text, size_t n)
{
    if (at + n + 1 > CACHE_KEY_MAX)
        return CACHE_KEY_MAX;
    memcpy (key + at, text, n);
    key[at + n] = '\0';
    return at + n + 1;
}

/* Remembered: 3 more than that, so that nothing is 0. */
int64_t compat_tally_op_of (struct compat_tally *t, const struct compat_item *e)
{
    char key[CACHE_KEY_MAX];
    size_t n = compattally_append (key, 0, e->category, e->category_length);
    int64_t at, op;
    int isnew;

    n = compattally_append (key, n, e->name, e->name_length);
    if (e->path)
        n = compattally_append (key, n, e->path, strlen (e->path));
    if (e->hash || n == CACHE_KEY_MAX)
        return find_op (t, e);
    if ((at = strmap_intern (t->cache, key, n, &isnew)) < 0)
        return -1;
    if (!isnew)
        return (int64_t)(intptr_t)strmap_value (t->cache, (size_t)at) - 3;
    if ((op = find_op (t, e)) != -1)
        strmap_set (t->cache, (size_t)at, (void *)(intptr_t)(op + 3));
    return op;
}

int64_t compat_tally_thread_of (struct compat_tally *t,
                                const struct compat_item *e)
{
    char key[2 * sizeof (uint64_t) + COMPAT_HOST_MAX];
    size_t n =
        e->host_length < COMPAT_HOST_MAX ? e->host_length : COMPAT_HOST_MAX;

    memcpy (key, &e->pid, sizeof (e->pid));
    if (n)
        memcpy (key + sizeof (e->pid), e->host, n);
    memcpy (key + sizeof (e->pid) + n, &e->tid, sizeof (e->tid));
    return compat_tally_thread (t, key, n + 2 * sizeof (e->pid));
}

int compat_tally_count (struct compat_tally *t,
                        int64_t at,
                        int64_t thread,
                        const struct compat_item *e)
{
    const struct compat_op *op;
    struct compat_run *r;
    struct compat_second s = {.us = e->dur, .n = 1, .first = e->ts};

    if (at == COMPAT_IGNORED)
        return 0;
    if (at < 0 || thread < 0)
        return -1;
    op = strmap_value (t->ops, (size_t)at);
    if (!op->open)
        ((struct compat_thread *)strmap_value (t->threads, (size_t)thread))
            ->counts = 1;
    if (!op->wanted)
        return 0;
    if (!(r = compat_tally_run (t, (uint32_t)at, (uint32_t)thread)))
        return -1;
    if (compat_rule (t, COMPAT_MIDDLE))
        s.number = (e->ts + e->dur / 2) / US_PER_S;
    else
        s.number = e->ts > t->start ? (e->ts - t->start) / US_PER_S : 0;
    s.bytes = op->moves ? e->bytes : 0;
    return compat_run_second (r, &s) < 0 ||
                   intervals_add (&r->set, e->ts, e->ts + e->dur) < 0
               ? -1
               : 0;
}

int compat_tally_add (struct compat_tally *t, const struct compat_item *e)
{
    int64_t at = compat_tally_op_of (t, e);

    return at == COMPAT_IGNORED
               ? 0
               : compat_tally_count (t, at, compat_tally_thread_of (t, e), e);
}

/* --- the end ----------------------------------------------------------------
 */

/* The operation that an open one turns out to be. */
static int64_t closed_op (struct compat_tally *t, size_t op)
{
    struct compat_op_texts of = compat_op_texts (strmap_key (t->ops, op, NULL));
    int64_t at = strmap_find (t->paths, of.hash, strlen (of.hash));
    const char *path = at < 0 ? NULL : strmap_value (t->paths, (size_t)at);
    struct compat_item e = {.category = of.category,
                            .category_length = strlen (of.category),
                            .name = of.name,
                            .name_length = strlen (of.name),
                            .path = path};

    return find_op (t, &e);
}

/* Seconds of the clock, by what is in their middle -> seconds from the first
 * event, by what begins in them. */
static int count_from_first (struct compat_run *r, uint64_t origin)
{
    struct compat_run to = {.op = r->op};

    for (size_t i = 0; i < r->seconds; i++) {
        struct compat_second s = r->second[i];

        s.number = s.first > origin ? (s.first - origin) / US_PER_S : 0;
        if (compat_run_second (&to, &s) < 0) {
            free (to.second);
            return -1;
        }
    }
    free (r->second);
    r->second = to.second;
    r->seconds = to.seconds;
    r->room = to.room;
    return 0;
}

int compat_tally_resolve (struct compat_tally *t)
{
    size_t runs = strmap_count (t->runs);

    if (compat_rule (t, COMPAT_MIDDLE))
        for (size_t i = 0; i < runs; i++)
            if (count_from_first (strmap_value (t->runs, i), t->totals.first) <
                0)
                return -1;
    for (size_t i = 0; i < runs; i++) {
        struct compat_run *from = strmap_value (t->runs, i), *to;
        const struct compat_op *op = strmap_value (t->ops, from->op);
        struct compat_thread *thread = strmap_value (t->threads, from->thread);
        int64_t at;

        if (!op->open)
            continue;
        at = closed_op (t, from->op);
        if (at == COMPAT_IGNORED)
            continue;
        if (at < 0)
            return -1;
        thread->counts = 1;
        op = strmap_value (t->ops, (size_t)at);
        if (op->wanted &&
            (!(to = compat_tally_run (t, (uint32_t)at, from->thread)) ||
             compat_run_add (to, from) < 0))
            return -1;
    }
    return 0;
}
