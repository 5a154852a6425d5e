/* SPDX-License-Identifier: MIT
 *
 * profslow.c - histograms of a thread -> whether its calls have become slow
 *
 * In:  counts by duration, looked at a few times a second where there is a
 *      bound: calls pay nothing for it
 * Out: one word to detailnow.c, once the 99th percentile of a window is above
 *      the bound
 */
#include "config.h"

#include <string.h>

#include "lib/format/calls.h"
#include "preload/record/prof.h"
#include "lib/base/clock.h"
#include "preload/record/detailnow.h"

enum {
    LOOK_MS = 50,
    WINDOW_CALLS = 100, /* at least, for a 99th percentile */
    WINDOW_SLOW = 10    /* as many slow ones are enough before that */
};

struct profslow {
    uint64_t calls, above;
};

/* first: the first bucket that is above the bound. */
static void
profslow_add (struct profslow *sum, unsigned bucket, unsigned first, uint64_t n)
{
    sum->calls += n;
    sum->above += bucket >= first ? n : 0;
}

/* All records of a group: the first one has few, those behind it many. */
static void profslow_group (const struct prof *p,
                            uint16_t call,
                            unsigned group,
                            unsigned first,
                            struct profslow *sum)
{
    struct profile_head like = {.type = PROFILE_FEW,
                                .kind = PROFILE_HIST_TIME,
                                .call = call,
                                .number = group};
    const struct profile_few *few = prof_has (p, &like);
    const struct profile_many *many;

    for (unsigned i = 0; few && i < PROFILE_BUCKETS; i++)
        profslow_add (sum, group * PROFILE_BUCKETS + i, first, few->count[i]);
    like.type = PROFILE_MANY;
    for (unsigned n = 0; few && n < PROFILE_AGAIN_MAX; n++) {
        if (!(many = prof_has (p, &like)))
            break;
        for (unsigned i = 0; i < PROFILE_BUCKETS; i++)
            profslow_add (sum, group * PROFILE_BUCKETS + i, first,
                          many->count[i]);
        like.kind += PROFILE_AGAIN;
    }
}

/* More than one call of a hundred since the last window took longer. */
static void profslow_judge (struct prof *p, enum call_class class, uint64_t ns)
{
    struct profslow sum = {0, 0};
    uint64_t window, slow;
    unsigned first = profile_bucket (ns) + 1;

    for (uint16_t c = CALL_open; c < CALL_MAX; c++)
        if (call_table[c].name[0] && call_table[c].class == class)
            for (unsigned g = 0; g < PROFILE_GROUPS; g++)
                profslow_group (p, c, g, first, &sum);
    window = sum.calls - p->slow.calls;
    slow = sum.above - p->slow.above;
    if (window < WINDOW_CALLS && slow < WINDOW_SLOW)
        return; /* it goes on */
    p->slow.calls = sum.calls;
    p->slow.above = sum.above;
    if (slow * 100 > window)
        detailnow_slow ();
}

uint64_t prof_look (struct prof *p)
{
    enum call_class class;
    struct clock_pair pair;
    uint64_t ns;

    if (!detailnow_bound (&class, &ns))
        return UINT64_MAX;
    if (p->slots)
        profslow_judge (p, class, ns);
    pair = clock_pair ();
    return pair.tick + clock_hz (&pair) * LOOK_MS / 1000;
}
