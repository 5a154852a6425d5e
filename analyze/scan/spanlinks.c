/* SPDX-License-Identifier: MIT
 *
 * spanlinks.c - logs, unions and bills -> what each log counts for
 *
 * In:  members and bills, from spanunion.c
 * Out: unions of each log
 *
 * Not swept are unions of one log, whose length is known, and those of the
 * same logs as another one.
 */
#include "config.h"

#include "analyze/scan/spanlinks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util/strmap.h"

/* --- which unions a log belongs to ------------------------------------------
 */

struct links_on_way {
    struct spanlinks *l;
    int failed;
};

static void links_add (void *cookie, uint32_t sum)
{
    struct links_on_way *w = cookie;
    struct spanlinks *l = w->l;
    size_t room = l->room ? 2 * l->room : 256;
    uint32_t *link = l->link;

    if (l->links == l->room) {
        if (!(link = reallocarray (link, room, sizeof (*link)))) {
            w->failed = 1;
            return;
        }
        l->link = link;
        l->room = room;
    }
    l->link[l->links++] = sum;
}

static int links_of (struct spanlinks *l, const struct span_member *m)
{
    struct links_on_way w = {.l = l};

    for (uint32_t k = 0; k < m->sums; k++)
        links_add (&w, m->sum[k]);
    for (uint32_t k = 0; k < m->charges; k++)
        spanbill_sums (&l->plan[m->charge[k].bill], m->charge[k].class,
                       links_add, &w);
    return w.failed ? -1 : 0;
}

static int links_empty (const struct span_member *m)
{
    return !m->log || spanlog_empty (m->log);
}

static int links_number (struct spanlinks *l,
                         const struct span_member *members,
                         size_t n,
                         const struct spanbill *bill,
                         size_t bills)
{
    if (!(l->plan = calloc (bills + 1, sizeof (*l->plan))))
        return -1;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0;
             !links_empty (&members[i]) && k < members[i].charges; k++)
            spanbill_has (&l->plan[members[i].charge[k].bill],
                          members[i].charge[k].class);
    for (size_t b = 0; b < bills; b++)
        l->sums += spanbill_number (&l->plan[b], &bill[b], (uint32_t)l->sums);
    return 0;
}

/* The links of a target are behind those of the one before. */
static int
links_find (struct spanlinks *l, const struct span_member *members, size_t n)
{
    if (!(l->target = calloc (n + 1, sizeof (*l->target))))
        return -1;
    for (size_t i = 0; i < n; i++) {
        size_t from = l->links;

        if (links_empty (&members[i]))
            continue;
        if (links_of (l, &members[i]) < 0)
            return -1;
        l->target[l->targets++] = (struct span_target){
            .log = members[i].log, .links = (uint32_t)(l->links - from)};
    }
    return 0;
}

/* --- fewer ------------------------------------------------------------------
 */

/* Logs of each union, in their order. */
struct links_logs {
    size_t *first; /* [sums + 1]: its first one in log */
    uint32_t *log;
};

static int links_turn (const struct spanlinks *l, struct links_logs *g)
{
    size_t at = 0, *next = calloc (l->sums + 1, sizeof (*next));

    g->first = calloc (l->sums + 1, sizeof (*g->first));
    g->log = calloc (l->links + 1, sizeof (*g->log));
    if (!next || !g->first || !g->log) {
        free (next);
        return -1;
    }
    for (size_t i = 0; i < l->links; i++)
        g->first[l->link[i] + 1]++;
    for (size_t s = 0; s < l->sums; s++) {
        next[s] = g->first[s];
        g->first[s + 1] += g->first[s];
    }
    for (size_t t = 0; t < l->targets; t++)
        for (uint32_t k = 0; k < l->target[t].links; k++)
            g->log[next[l->link[at++]]++] = (uint32_t)t;
    free (next);
    return 0;
}

/* The length of what is one log is known. */
static int
links_know (struct spanlinks *l, const struct links_logs *g, size_t s)
{
    const struct spanlog *log = l->target[g->log[g->first[s]]].log;

    if (g->first[s + 1] - g->first[s] != 1 || log->late.count)
        return 0;
    l->length[s] = log->packed_length + intervals_length (&log->tail);
    return 1;
}

/* l->same: UINT32_MAX for those that need no sweep. */
static int links_compare (struct spanlinks *l, const struct links_logs *g)
{
    struct strmap *seen = strmap_create ();
    uint32_t *first = calloc (l->sums + 1, sizeof (*first)); /* of an ordinal */
    int rc = seen && first ? 0 : -1;

    for (size_t s = 0; rc == 0 && s < l->sums; s++) {
        size_t n = g->first[s + 1] - g->first[s];
        int isnew = 0;
        int64_t at;

        l->same[s] = UINT32_MAX;
        if (!n || links_know (l, g, s))
            continue;
        at = strmap_intern (seen, (const char *)(g->log + g->first[s]),
                            n * sizeof (*g->log), &isnew);
        if (at < 0)
            rc = -1;
        else if (isnew)
            first[at] = (uint32_t)s;
        if (at >= 0)
            l->same[s] = first[at];
    }
    strmap_destroy (seen);
    free (first);
    return rc;
}

/* Leave out links and targets that need no sweep. */
static void links_thin (struct spanlinks *l)
{
    size_t at = 0, links = 0, targets = 0;

    for (size_t t = 0; t < l->targets; t++) {
        struct span_target *to = &l->target[targets];
        size_t begin = links;

        for (uint32_t k = 0; k < l->target[t].links; k++, at++)
            if (l->same[l->link[at]] == l->link[at])
                l->link[links++] = l->link[at];
        to->log = l->target[t].log;
        to->links = (uint32_t)(links - begin);
        to->link = l->link + begin;
        targets += links > begin;
    }
    l->targets = targets;
    l->links = links;
}

int spanlinks_make (struct spanlinks *l,
                    const struct span_member *members,
                    size_t n,
                    size_t sums,
                    const struct spanbill *bill,
                    size_t bills)
{
    struct links_logs g = {NULL, NULL};
    int rc = -1;

    *l = (struct spanlinks){.sums = sums};
    if (links_number (l, members, n, bill, bills) == 0 &&
        links_find (l, members, n) == 0 &&
        (l->length = calloc (l->sums + 1, sizeof (*l->length))) &&
        (l->same = calloc (l->sums + 1, sizeof (*l->same))) &&
        links_turn (l, &g) == 0 && links_compare (l, &g) == 0) {
        links_thin (l);
        rc = 0;
    }
    free (g.first);
    free (g.log);
    return rc;
}

void spanlinks_end (struct spanlinks *l, struct spanbill *bill, size_t bills)
{
    for (size_t s = 0; s < l->sums; s++)
        if (l->same[s] != UINT32_MAX)
            l->length[s] = l->length[l->same[s]];
    for (size_t b = 0; b < bills; b++)
        spanbill_put (&l->plan[b], l->length, &bill[b]);
}

void spanlinks_clear (struct spanlinks *l)
{
    free (l->target);
    free (l->length);
    free (l->same);
    free (l->link);
    free (l->plan);
}
