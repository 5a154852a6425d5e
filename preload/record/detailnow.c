/* SPDX-License-Identifier: MIT
 *
 * detailnow.c - whether this process has events or counters now
 *
 * Caveat: async-signal-safe; any thread at any time. What holds is a set of
 * bits, of which each change makes the state anew.
 */

/* Design. Events, then counters, or both in turns (preload/record/). Whether
 * a process has events or counters now is one state of the process
 * (detailnow): a set of reasons why not (its limit is reached, its rank, its
 * step, the time, calls are not slow yet); none of them: events. It is bit
 * LAYER_PROFILE of recorder_layers, which each wrapper reads anyhow, so that
 * a plain trace and a plain profile pay nothing for it. A thread has two
 * buffers (recbuffer), one of events and one of counters, and looks at the
 * state at the end of each call: the call is encoded into the one or counted
 * in the other, never both. Where a chunk cannot be begun because of the
 * limit, the state changes and the call at hand is the first one that is
 * counted; where that fails for another reason (no space, no descriptor),
 * 256 events are counted and then space is asked for again. What finds no
 * room in the profile either is counted as lost. Limits of bytes and events
 * are of the events (filelimit); the profile behind them has its own 4 MiB.
 * The process block gets layer profile with the first block of
 * counters; killed between these stores, it is still understood (traceproc).
 * first: is looked at where the clock is, in the slow way of an event; p99:
 * from histograms that are there, 20 times a second (profslow). A child of
 * fork has limits of its own. The analysis adds rows of the profile to the
 * events of the same threads; --trace-part leaves them away, and processes
 * end where their trace does (profparts). */

#include "config.h"

#include <stdatomic.h>

#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/base/sys.h"
#include "lib/format/calls.h"
#include "lib/format/profile.h"
#include "lib/settings/detail.h"
#include "preload/record/detailnow.h"
#include "preload/record/recorder.h"
#include "preload/record/shardlive.h"

enum {
    DETAILNOW_FULL = 1 << 8, /* there was no room for more events */
    LOOK_MS = 10             /* between two looks at the time, at most */
};

SYS_STATE unsigned detailnow_profile;
SYS_STATE uint64_t detailnow_tick = UINT64_MAX;

static SYS_STATE struct {
    struct detail wanted;
    unsigned plain; /* LAYER_PROFILE and no other wish: always counters */
    _Atomic unsigned lacking; /* terms that do not hold, DETAILNOW_FULL */
    uint64_t seed;            /* of the job */
    uint64_t until_ns;        /* CLOCK_REALTIME at which `first` is over */
} detailnow;

/* recorder_layers may become 0 at any time, and then stays so. */
static void detailnow_put (unsigned profile)
{
    unsigned layers = __atomic_load_n (&recorder_layers, __ATOMIC_RELAXED);

    __atomic_store_n (&detailnow_profile, profile, __ATOMIC_RELAXED);
    while (layers && !__atomic_compare_exchange_n (
                         &recorder_layers, &layers,
                         profile ? layers | LAYER_PROFILE
                                 : layers & ~(unsigned)LAYER_PROFILE,
                         0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Another thread may change it meanwhile: the last one sees all. */
static void detailnow_make (void)
{
    unsigned lacking;

    do {
        lacking = atomic_load (&detailnow.lacking);
        detailnow_put (detailnow.plain || lacking);
    } while (atomic_load (&detailnow.lacking) != lacking);
}

static void detailnow_set (unsigned bit, int holds)
{
    unsigned before = holds ? atomic_fetch_and (&detailnow.lacking, ~bit)
                            : atomic_fetch_or (&detailnow.lacking, bit);

    if (((before & bit) == 0) != (holds != 0))
        detailnow_make ();
}

void detailnow_again (void)
{
    detailnow_make ();
}

void detailnow_limit (void)
{
    detailnow_set (DETAILNOW_FULL, 0);
}

/* --- terms ---------------------------------------------------------------- */

void detailnow_rank (int32_t rank, uint32_t ranks)
{
    if (detailnow.wanted.terms & DETAIL_RANK)
        detailnow_set (DETAIL_RANK,
                       rank >= 0 &&
                           detail_holds (&detailnow.wanted.rank, (uint64_t)rank,
                                         detailnow.seed, ranks));
}

int recorder_has_steps (void)
{
    return (detailnow.wanted.terms & DETAIL_STEP) != 0;
}

void recorder_step (int64_t step)
{
    if (recorder_has_steps ())
        detailnow_set (DETAIL_STEP,
                       step >= 0 &&
                           detail_holds (&detailnow.wanted.step, (uint64_t)step,
                                         detailnow.seed, 0));
}

int detailnow_bound (enum call_class *class, uint64_t *ns)
{
    if (!(atomic_load_explicit (&detailnow.lacking, memory_order_relaxed) &
          DETAIL_P99))
        return 0;
    *class = (enum call_class)detailnow.wanted.p99_class;
    *ns = detailnow.wanted.p99_ns;
    return 1;
}

void detailnow_slow (void)
{
    detailnow_set (DETAIL_P99, 1);
}

/* The next look is when it will be over, as far as the ticks are known, but
 * not much later than now, since they are not known well. */
void detailnow_look (void)
{
    uint64_t now = clock_ns (CLOCK_REALTIME), left, due = UINT64_MAX;
    struct clock_pair pair;

    if (now >= detailnow.until_ns) {
        detailnow_set (DETAIL_FIRST, 0);
    } else {
        pair = clock_pair ();
        left = detailnow.until_ns - now;
        if (left > LOOK_MS * (CLOCK_NS_PER_S / 1000))
            left = LOOK_MS * (CLOCK_NS_PER_S / 1000);
        due = pair.tick + (uint64_t)((unsigned __int128)left *
                                     clock_hz (&pair) / CLOCK_NS_PER_S);
    }
    __atomic_store_n (&detailnow_tick, due, __ATOMIC_RELAXED);
}

/* --- starts --------------------------------------------------------------- */

/* Return the start of the job if Slurm gives it, else now. */
static uint64_t detailnow_origin (uint64_t real_ns)
{
    const char *text = settings_environ (NULL, "SLURM_JOB_START_TIME");
    uint64_t s = 0;

    if (text && parse_u64 (text, &s) < 0)
        s = 0;
    return s && s <= real_ns / CLOCK_NS_PER_S ? s * CLOCK_NS_PER_S : real_ns;
}

unsigned detailnow_start (const struct settings *s,
                          unsigned layers,
                          const struct shard_process *ids,
                          uint64_t real_ns)
{
    struct detail *d = &detailnow.wanted;

    if (s->given & SETTING_BIT (detail))
        (void)detail_parse (s->detail, d, NULL);
    detailnow.plain = layers & LAYER_PROFILE && !d->terms;
    if (d->terms) {
        detailnow.seed = ids->array_job_id ? ids->array_job_id : ids->job_id;
        /* the rank that the environment says, no step yet, reads are quick */
        detailnow.lacking = d->terms & (DETAIL_RANK | DETAIL_STEP | DETAIL_P99);
        detailnow_rank (ids->rank, ids->ranks);
    }
    if (d->terms & DETAIL_FIRST) {
        detailnow.until_ns = detailnow_origin (real_ns) + d->first_ns;
        detailnow_tick = 0;
    }
    layers &= ~(unsigned)LAYER_PROFILE;
    detailnow_profile = detailnow.plain || detailnow.lacking;
    return detailnow_profile ? layers | LAYER_PROFILE : layers;
}

void detailnow_forked (void)
{
    if (!(detailnow.lacking & DETAILNOW_FULL))
        return;
    atomic_fetch_and (&detailnow.lacking, ~(unsigned)DETAILNOW_FULL);
    detailnow_make ();
}

/* ---- how much a process may write ---- */

static SYS_STATE struct {
    uint64_t bytes, events;
    int profiles; /* from the start */
} filelimit;

void filelimit_start (const struct settings *s)
{
    filelimit.bytes = s->max_bytes;
    filelimit.events = s->max_events;
    filelimit.profiles =
        s->layers & LAYER_PROFILE && !(s->given & SETTING_BIT (detail));
}

uint64_t filelimit_bytes (int profile)
{
    return filelimit.bytes && profile && !filelimit.profiles
               ? filelimit.bytes + PROFILE_BYTES_MAX
               : filelimit.bytes;
}

int filelimit_is_reached (int profile)
{
    if (profile)
        return 0;
    return filelimit.events &&
           __atomic_load_n (&shardlive ()->events_sealed, __ATOMIC_RELAXED) >=
               filelimit.events;
}
