/* SPDX-License-Identifier: MIT
 *
 * columnsource.c - what all keys of a query look at
 *
 * In:  events in columns, what is known of the job
 * Out: bytes, places and so on of each event, to column.c and query.c
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/column.h"

int column_source_begin (struct column_source *s,
                         const struct trace_process *who)
{
    s->chunk++;
    s->rank = who->p.rank;
    s->member = NULL;
    if (!s->context || !s->context->members)
        return 0;
    if (!(s->member = query_context_find (s->context, who))) {
        errno = ESRCH;
        return -1;
    }
    s->rank = s->context->number[s->member->rank];
    return 0;
}

static int column_find_places (struct column_source *s)
{
    const struct batch *b = s->batch;
    size_t names = dict_limit (s->dict), room = s->places ? s->places : 256;
    struct column_place *place;

    while (room < names)
        room *= 2;
    if (room > s->places) {
        if (!(place = reallocarray (s->place, room, sizeof (*place))))
            return -1;
        memset (place + s->places, 0, (room - s->places) * sizeof (*place));
        s->place = place;
        s->places = room;
    }
    for (size_t i = 0; i < b->count; i++) {
        enum call_class class = (enum call_class)call_table[b->call[i]].class;

        s->placed[i] = PLACED_NOT;
        if ((class != CALL_CLASS_READ && class != CALL_CLASS_WRITE) ||
            !b->name[i])
            continue;
        place = &s->place[b->name[i]];
        if (place->chunk != s->chunk)
            *place = (struct column_place){.chunk = s->chunk};
        s->placed[i] = (uint8_t)place_move (&place->at, b->call[i],
                                            b->offset[i], s->bytes[i]);
    }
    return 0;
}

/* What follows from the call. */
static void column_source_calls (struct column_source *s)
{
    for (int call = 0; call < CALL_MAX; call++) {
        const struct call_info *info = &call_table[call];
        int moves =
            (info->class == CALL_CLASS_READ ||
             info->class == CALL_CLASS_WRITE ||
             info->class == CALL_CLASS_COPY) &&
            (s->layers_apart || (!call_category_is_above (info->category) &&
                                 info->category != CALL_CATEGORY_KERNEL));

        s->how_call[call] =
            (unsigned char)((moves ? COLUMN_MOVES : 0) |
                            (info->category == CALL_CATEGORY_APP ? COLUMN_APP
                                                                 : 0) |
                            (call == CALL_metadata ? COLUMN_IGNORED : 0) |
                            (info->category == CALL_CATEGORY_MMAP &&
                                     call != CALL_page_fault
                                 ? COLUMN_MEASURED
                                 : 0));
    }
    s->knows_calls = 1;
}

int column_source_batch (struct column_source *s, const struct batch *b)
{
    s->batch = b;
    s->chunk += (uint32_t)b->begins;
    if (!s->knows_calls)
        column_source_calls (s);
    for (size_t i = 0; i < b->count; i++)
        s->how[i] = s->how_call[b->call[i]];
    for (size_t i = 0; !s->times_only && i < b->count; i++) {
        unsigned how = s->how[i];
        int failed = (b->error[i] != 0) | (b->ret[i] == -1);

        s->bytes[i] =
            how & COLUMN_MOVES && b->ret[i] > 0 ? (uint64_t)b->ret[i] : 0;
        s->how[i] =
            (unsigned char)(how | (failed && !(how & COLUMN_APP) ? COLUMN_FAILED
                                                                 : 0));
    }
    return s->wants_places ? column_find_places (s) : 0;
}

void column_source_clear (struct column_source *s)
{
    free (s->place);
    s->place = NULL;
    s->places = 0;
}
