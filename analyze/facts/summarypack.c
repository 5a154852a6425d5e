/* SPDX-License-Identifier: MIT
 *
 * summarypack.c - the facts that metrics are made of <-> bytes
 *
 * In:  struct summary, from summary.c; bytes, which may be anything
 * Out: the other
 */
#include "config.h"

#include "analyze/facts/summarypack.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format/layers.h"
#include "lib/format/shard.h"

uint64_t summarypack_layout (void)
{
    const uint64_t layout[] = {sizeof (struct summary),
                               sizeof (struct rank),
                               sizeof (struct bill_lane),
                               sizeof (struct call_total),
                               SET_COUNT,
                               CALL_MAX,
                               BILL_COUNT,
                               COST_COUNT,
                               OVERLAP_COUNT};

    return shard_checksum (layout, sizeof (layout), 0);
}

int summary_packs (const struct summary *s)
{
    return !(s->layers & (LAYER_MMAP | LAYER_KERNEL)) && !s->mm.measured;
}

/* --- writing --------------------------------------------------------------
 */

static void summarypack_put_ranks (struct packer *p,
                                   const struct summary *s,
                                   const struct totals *t)
{
    for (size_t i = 0; i < s->ranks; i++) {
        struct rank rank = s->rank[i];

        pack_uint (p, (uint64_t)(rank.first - t->process));
        rank.first = NULL;
        pack_bytes (p, &rank, sizeof (rank));
    }
    for (size_t i = 0; i < s->lanes; i++) {
        struct bill_lane lane = s->lane[i];

        pack_uint (p, (uint64_t)(lane.first - t->process));
        lane.first = NULL;
        pack_bytes (p, &lane, sizeof (lane));
    }
}

void summary_pack (struct packer *p,
                   const struct summary *s,
                   const struct totals *t)
{
    struct summary copy = *s;

    copy.rank = NULL;
    copy.lane = NULL;
    memset (&copy.gone, 0, sizeof (copy.gone));
    memset (&copy.mm, 0, sizeof (copy.mm));
    pack_bytes (p, &copy, sizeof (copy));
    summarypack_put_ranks (p, s, t);
    pack_uint (p, t->processes);
    for (size_t i = 0; i < t->processes; i++) {
        pack_uint (p, t->process[i].rank);
        pack_uint (p, t->process[i].ending);
        for (int set = 0; set < SET_COUNT; set++)
            pack_uint (p, t->process[i].time[set]);
    }
    for (int call = 0; call < CALL_MAX; call++)
        pack_uint (p, t->call_union[call]);
}

/* --- reading --------------------------------------------------------------
 */

static const struct process *summarypack_process (struct unpacker *u,
                                                  const struct totals *t)
{
    uint64_t at = unpack_uint (u);

    u->bad |= at >= t->processes;
    return u->bad ? NULL : &t->process[at];
}

static int summarypack_get_ranks (struct unpacker *u,
                                  struct summary *s,
                                  const struct totals *t)
{
    size_t left = (size_t)(u->limit - u->p);

    if (s->ranks > left / sizeof (*s->rank) ||
        s->lanes > left / sizeof (*s->lane)) {
        u->bad = 1;
        s->ranks = s->lanes = 0;
        return -1;
    }
    s->rank = calloc (s->ranks + 1, sizeof (*s->rank));
    s->lane = calloc (s->lanes + 1, sizeof (*s->lane));
    if (!s->rank || !s->lane)
        return -1;
    for (size_t i = 0; i < s->ranks; i++) {
        const struct process *first = summarypack_process (u, t);

        unpack_bytes (u, &s->rank[i], sizeof (s->rank[i]));
        s->rank[i].first = first;
        u->bad |= s->rank[i].waited > WAIT_SILENCE;
    }
    for (size_t i = 0; i < s->lanes; i++) {
        const struct process *first = summarypack_process (u, t);

        unpack_bytes (u, &s->lane[i], sizeof (s->lane[i]));
        s->lane[i].first = first;
        u->bad |= s->lane[i].rank >= s->ranks;
    }
    return u->bad ? -1 : 0;
}

static int summarypack_get_processes (struct unpacker *u,
                                      const struct summary *s,
                                      struct totals *t)
{
    u->bad |= unpack_uint (u) != t->processes;
    for (size_t i = 0; i < t->processes && !u->bad; i++) {
        struct process *p = &t->process[i];
        uint64_t rank = unpack_uint (u), ending = unpack_uint (u);

        for (int set = 0; set < SET_COUNT; set++)
            p->time[set] = unpack_uint (u);
        u->bad |= rank >= s->ranks || ending > ENDING_SIGNAL;
        p->rank = (size_t)rank;
        p->ending = (enum ending)ending;
    }
    for (int call = 0; call < CALL_MAX; call++)
        t->call_union[call] = unpack_uint (u);
    return u->bad ? -1 : 0;
}

int summary_unpack (struct unpacker *u, struct summary *s, struct totals *t)
{
    memset (s, 0, sizeof (*s));
    unpack_bytes (u, s, sizeof (*s));
    s->rank = NULL;
    s->lane = NULL;
    memset (&s->gone, 0, sizeof (s->gone));
    memset (&s->mm, 0, sizeof (s->mm));
    if (u->bad || summarypack_get_ranks (u, s, t) < 0 ||
        summarypack_get_processes (u, s, t) < 0 || !unpack_ended (u))
        return -1;
    return summary_join_mmap (s, t);
}
