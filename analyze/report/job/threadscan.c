/* SPDX-License-Identifier: MIT
 *
 * threadscan.c - the events of one thread -> when it was at what
 *
 * In:  batches of events, from jobscan.c
 * Out: bins of lanes and bytes, histograms, steps
 * Caveat: the hot loop of the page; it allocates only where a file is new.
 */
#include "config.h"

#include "analyze/report/job/threadscan.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/above.h"

/* So many steps of a thread are kept: each dot of a figure is one. */
enum { STEPS_KEPT = 512 };

/* Where the thread is in a file, in this chunk. */
struct place_seen {
    struct place at;
    uint64_t chunk;
};

static int threadscan_class (uint8_t class)
{
    switch (class) {
    case CALL_CLASS_READ:
        return SCAN_READ;
    case CALL_CLASS_WRITE:
        return SCAN_WRITE;
    case CALL_CLASS_COPY:
        return SCAN_COPY;
    case CALL_CLASS_META:
        return SCAN_META;
    case CALL_CLASS_SYNC:
        return SCAN_SYNC;
    default:
        return -1;
    }
}

/* --- calls -----------------------------------------------------------------
 */

/* NULL: ENOMEM. */
static struct place *threadscan_place (struct threadscan *t, uint32_t name)
{
    struct place_seen *seen;

    if (name >= t->places) {
        size_t room = 2 * (size_t)name + 64;

        if (!(seen = reallocarray (t->place, room, sizeof (*seen))))
            return NULL;
        memset (seen + t->places, 0, (room - t->places) * sizeof (*seen));
        t->place = seen;
        t->places = room;
    }
    seen = &t->place[name];
    if (seen->chunk != t->chunk)
        *seen = (struct place_seen){.chunk = t->chunk};
    return &seen->at;
}

/* Bytes of event i that were read from, or written to, a file on storage. */
static void
threadscan_move (struct threadscan *t, const struct batch *b, size_t i, int way)
{
    uint64_t bytes = way ? b->bytes_written[i] : b->bytes_read[i];
    size_t bin = bins_at (t->bins, b->end[i]);

    hist_add (&t->sums->size[way], bytes);
    t->sums->ended[way][bin]++;
    t->sums->ended_bytes[way][bin] += bytes;
    t->moved = 1;
    if (b->start[i] >= t->bins->edge[bin])
        t->bytes[way][bin] += bytes;
    else
        bins_spread (t->bins, t->bytes[way], b->start[i], b->end[i], bytes);
}

static int
threadscan_access (struct threadscan *t, const struct batch *b, size_t i)
{
    int way = call_table[b->call[i]].class == CALL_CLASS_WRITE;
    struct place *at = threadscan_place (t, b->name[i]);

    if (!at)
        return -1;
    t->sums->placed[way][place_move (at, b->call[i], b->offset[i],
                                     way ? b->bytes_written[i]
                                         : b->bytes_read[i])]++;
    return 0;
}

static int threadscan_on_storage (const struct threadscan *t, uint32_t name)
{
    const struct dict_entry *e = dict_entry_of (t->dict, name, SHARD_NAME_FILE);

    return e && e->class == FILE_CLASS_STORAGE;
}

/* A call of a layer above POSIX. What it asks for are POSIX calls inside. */
static void
threadscan_above (struct threadscan *t, const struct batch *b, size_t i)
{
    int lane = call_table[b->call[i]].category == CALL_CATEGORY_MPIIO
                   ? LANE_MPIIO
                   : LANE_HDF5;

    if (!above_is_request ((enum call)b->call[i]))
        lane_add (&t->lane[lane], t->bins, b->start[i], b->end[i]);
}

static int
threadscan_call (struct threadscan *t, const struct batch *b, size_t i)
{
    int class = threadscan_class (call_table[b->call[i]].class), from, to;

    if (call_category_is_above (call_table[b->call[i]].category)) {
        threadscan_above (t, b, i);
        return 0;
    }
    if (class < 0 || call_table[b->call[i]].category == CALL_CATEGORY_KERNEL)
        return 0;
    from = threadscan_on_storage (t, b->name[i]);
    to = class == SCAN_COPY && threadscan_on_storage (t, b->name2[i]);
    if (!from && !to)
        return 0;
    t->class_ns[class] += b->end[i] - b->start[i];
    hist_add (&t->sums->latency[class], b->end[i] - b->start[i]);
    lane_add (&t->lane[LANE_IO], t->bins, b->start[i], b->end[i]);
    if (class > SCAN_COPY || b->error[i] != 0 || b->ret[i] < 0)
        return 0;
    if (class == SCAN_WRITE || to)
        threadscan_move (t, b, i, 1);
    if (class != SCAN_WRITE && from)
        threadscan_move (t, b, i, 0);
    if (class != SCAN_COPY)
        return threadscan_access (t, b, i);
    t->sums->placed[0][PLACED_NOT] += (uint64_t)from;
    t->sums->placed[1][PLACED_NOT] += (uint64_t)to;
    return 0;
}

/* --- regions ---------------------------------------------------------------
 */

static int threadscan_grow_steps (struct scan_sums *s)
{
    size_t room = s->step_room ? 2 * s->step_room : 256;
    struct scan_step *step;

    if (s->step_count < s->step_room)
        return 0;
    if (!(step = reallocarray (s->step, room, sizeof (*step))))
        return -1;
    s->step = step;
    s->step_room = room;
    return 0;
}

/* Of a long list every second is dropped, and then every second is taken. */
static void threadscan_thin_steps (struct threadscan *t)
{
    struct scan_step *step = t->sums->step + t->first;

    for (size_t i = 0; 2 * i < t->steps; i++)
        step[i] = step[2 * i];
    t->steps = (t->steps + 1) / 2;
    t->sums->step_count = t->first + t->steps;
    t->every *= 2;
}

static int
threadscan_step (struct threadscan *t, const struct batch *b, size_t i)
{
    struct scan_sums *s = t->sums;

    hist_add (&s->steps, b->end[i] - b->start[i]);
    if (t->skip) {
        t->skip--;
        return 0;
    }
    if (t->steps == STEPS_KEPT)
        threadscan_thin_steps (t);
    if (threadscan_grow_steps (s) < 0)
        return -1;
    s->step[s->step_count++] = (struct scan_step){
        b->start[i], b->end[i] - b->start[i], b->who->p.rank};
    t->steps++;
    t->skip = t->every - 1;
    return 0;
}

static int
threadscan_region (struct threadscan *t, const struct batch *b, size_t i)
{
    static const int lanes[ROLE_COUNT] = {[ROLE_NONE] = -1,
                                          [ROLE_COMPUTE] = LANE_COMPUTE,
                                          [ROLE_LOADER] = LANE_LOADER,
                                          [ROLE_STALL] = LANE_STALL,
                                          [ROLE_CHECKPOINT] = LANE_CHECKPOINT,
                                          [ROLE_BARRIER] = -1,
                                          [ROLE_EPOCH] = -1,
                                          [ROLE_COLLECTIVE] = -1,
                                          [ROLE_BODY] = -1};
    const struct dict_entry *e =
        dict_entry_of (t->dict, b->name[i], SHARD_NAME_EVENT);

    if (!e || lanes[e->role] < 0)
        return 0;
    lane_add (&t->lane[lanes[e->role]], t->bins, b->start[i], b->end[i]);
    return e->role == ROLE_COMPUTE && strcmp (dict_region_name (e), "step") == 0
               ? threadscan_step (t, b, i)
               : 0;
}

/* --- threads ---------------------------------------------------------------
 */

int threadscan_batch (struct threadscan *t, const struct batch *b)
{
    t->chunk += (uint64_t)b->begins;
    for (size_t i = 0; i < b->count; i++)
        if (b->call[i] == CALL_region ? threadscan_region (t, b, i) < 0
                                      : threadscan_call (t, b, i) < 0)
            return -1;
    return 0;
}

void threadscan_begin (struct threadscan *t)
{
    for (size_t i = 0; i < LANE_FAULT; i++)
        lane_clear (&t->lane[i]);
    if (t->moved)
        memset (t->bytes, 0, sizeof (t->bytes));
    memset (t->class_ns, 0, sizeof (t->class_ns));
    t->moved = 0;
    t->chunk++; /* files of the thread before are forgotten */
    t->first = t->sums->step_count;
    t->steps = t->skip = 0;
    t->every = 1;
}

static void threadscan_add (uint64_t to[BINS], const uint64_t from[BINS])
{
    for (size_t i = 0; i < BINS; i++)
        to[i] += from[i];
}

void threadscan_end (struct threadscan *t, struct scan_process *p)
{
    for (size_t i = 0; i < LANE_FAULT; i++) {
        lane_settle (&t->lane[i], t->bins);
        if (t->lane[i].used)
            threadscan_add (p->busy[i], t->lane[i].ns);
    }
    for (size_t way = 0; t->moved && way < 2; way++)
        threadscan_add (p->bytes[way], t->bytes[way]);
    for (size_t i = 0; i < SCAN_CLASSES; i++)
        p->class_ns[i] += t->class_ns[i];
}

void threadscan_clear (struct threadscan *t)
{
    free (t->place);
    t->place = NULL;
    t->places = 0;
}
