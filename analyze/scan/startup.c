/* SPDX-License-Identifier: MIT
 *
 * startup.c - what happens before and around training, one process at a time
 *
 * In:  calls and regions, from scan.c
 * Out: firsts, lasts and sums, to phases.c
 */
#include "config.h"

#include "analyze/scan/startup.h"
#include "lib/base/array.h"

static void startup_first (uint64_t *at, uint64_t t)
{
    if (t && (!*at || t < *at))
        *at = t;
}

static void startup_last (uint64_t *at, uint64_t t)
{
    if (t > *at)
        *at = t;
}

void startup_train (struct startup *s, uint64_t start, uint64_t end, int step)
{
    startup_first (&s->train_first, start);
    startup_last (&s->train_last, end);
    if (step) {
        startup_first (&s->step_first, start);
        startup_last (&s->step_last, end);
    }
}

void startup_barrier (struct startup *s, uint64_t ns)
{
    if (!s->step_first)
        s->barrier_ns += ns;
}

void startup_built (struct startup *s,
                    uint64_t start,
                    uint64_t end,
                    uint64_t bytes)
{
    startup_first (&s->built_first, start);
    startup_last (&s->built_last, end);
    s->built_bytes += bytes;
}

void startup_map (struct startup *s,
                  uint64_t start,
                  uint64_t end,
                  uint64_t bytes)
{
    startup_first (&s->map_first, start);
    startup_last (&s->map_last, end);
    s->maps++;
    s->map_bytes += bytes;
    s->map_ns += end - start;
}

static void
startup_keep_longer (struct startup *s, uint64_t start, uint64_t end)
{
    uint64_t length = s->quiet_end - s->quiet_start;

    if (end - start > length ||
        (end - start == length && start < s->quiet_start)) {
        s->quiet_start = start;
        s->quiet_end = end;
    }
}

void startup_odd_call (struct startup *s, uint64_t start)
{
    if (s->last_call && start > s->last_call)
        startup_keep_longer (s, s->last_call, start);
    startup_first (&s->first_call, start);
}

void startup_join (struct startup *s, const struct startup *more)
{
    struct startup later = *more;

    if (s->step_first) { /* what follows is no start */
        later.barrier_ns = 0;
        later.quiet_start = later.quiet_end = 0;
    } else {
        if (s->last_call && later.first_call > s->last_call)
            startup_keep_longer (s, s->last_call, later.first_call);
        startup_first (&s->first_call, later.first_call);
        startup_last (&s->last_call, later.last_call);
    }
    startup_merge (s, &later);
}

/* How facts add up. */
#define FACT_SUM(TO, MORE)   (*(TO) += (MORE))
#define FACT_FIRST(TO, MORE) startup_first (TO, MORE)
#define FACT_LAST(TO, MORE)  startup_last (TO, MORE)

void startup_merge (struct startup *s, const struct startup *more)
{
#define FACT(NAME, MERGE, HELP) FACT_##MERGE (&s->NAME, more->NAME);
#include "lib/model/facts.def"
#undef FACT
    if (more->quiet_end)
        startup_keep_longer (s, more->quiet_start, more->quiet_end);
}

uint64_t
startup_quiet_in (const struct startup *s, uint64_t start, uint64_t end)
{
    uint64_t from = MAX (s->quiet_start, start);
    uint64_t to = MIN (s->quiet_end, end);

    return to > from ? to - from : 0;
}
