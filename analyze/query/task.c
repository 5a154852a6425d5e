/* SPDX-License-Identifier: MIT
 *
 * task.c - threads of a job -> pieces of work, and together again
 *
 * In:  threads with their chunks, from parts.c
 * Out: units to be filled, to load.c
 */
#include "config.h"

#include "analyze/query/task.h"

#include <stdlib.h>
#include <string.h>

#include "lib/core/settings/layers.h"

/* Events of a thread in one piece, at least: so many that putting the pieces
 * together costs nothing beside. */
static uint64_t piece_events = 1 << 20;

void totals_cut (uint64_t events)
{
    piece_events = events;
}

static struct task *
new_task (struct tasks *all, const struct part *part, size_t process)
{
    size_t room = all->room ? 2 * all->room : 64;
    struct task *t = all->item;

    if (all->count == all->room) {
        if (!(t = reallocarray (t, room, sizeof (*t))))
            return NULL;
        all->item = t;
        all->room = room;
    }
    t = &all->item[all->count++];
    memset (t, 0, sizeof (*t));
    unit_init (&t->unit, part->who);
    t->process = process;
    return t;
}

/* Cut the last task into pieces if it is long. What layer mmap says needs the
 * thread as a whole. The cuts depend on the trace only. */
static int cut (struct tasks *all, const struct part *part)
{
    struct task *t = &all->item[all->count - 1];
    uint64_t events = 0;

    t->whole = 1;
    for (size_t i = 0; i < t->chunks; i++) {
        size_t left = t->chunks - i;

        if (events >= piece_events && !(t->unit.who->p.layers & LAYER_MMAP)) {
            const struct trace_chunk **chunk = t->chunk + i;

            t->chunks = i;
            t->whole = 0;
            if (!(t = new_task (all, part, t->process)))
                return -1;
            t->chunk = chunk;
            t->chunks = left;
            t->continues = 1;
            t->unit.regions.continues = t->unit.samples.continues = 1;
            events = 0;
            i = 0;
        }
        events += t->chunk[i]->events;
    }
    return 0;
}

int tasks_plan (struct tasks *all, const struct part *part, size_t process)
{
    size_t next;

    for (size_t i = 0; i < part->chunks; i = next) {
        struct task *t = new_task (all, part, process);

        if (!t)
            return -1;
        next = part_thread_end (part, i);
        t->chunk = part->chunk + i;
        t->chunks = next - i;
        if (cut (all, part) < 0)
            return -1;
    }
    return 0;
}

int tasks_join (struct tasks *all)
{
    size_t next;

    for (size_t i = 0; i < all->count; i = next) {
        struct unit *u = &all->item[i].unit;

        for (next = i + 1; next < all->count && all->item[next].continues;
             next++)
            if (unit_join (u, &all->item[next].unit) < 0)
                return -1;
        if (!all->item[i].whole && unit_finish (u) < 0)
            return -1;
    }
    return 0;
}

void tasks_clear (struct tasks *all)
{
    for (size_t i = 0; i < all->count; i++)
        unit_clear (&all->item[i].unit);
    free (all->item);
    memset (all, 0, sizeof (*all));
}
