/* SPDX-License-Identifier: MIT
 *
 * evfilter.c - --where, event by event, while a trace is read
 *
 * In:  struct where; decoded events
 * Out: yes or no, to scan.c and groupscan.c
 */
#include "config.h"

#include "analyze/query/evfilter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/evname.h"

enum { UNKNOWN = 0, NO = 1, YES = 2 };

enum {
    NAMES = 1u << WHERE_CAT | 1u << WHERE_NAME,
    FILES = 1u << WHERE_FILE,
    THREAD =
        1u << WHERE_HOST | 1u << WHERE_PID | 1u << WHERE_TID | 1u << WHERE_RANK,
    TIMES = 1u << WHERE_TIME
};

void evfilter_chunk (struct evfilter *f,
                     const struct trace_process *who,
                     uint32_t tid)
{
    struct where_event e = {.text = {"", "", "", who->text[SHARD_STRING_HOST]},
                            .number = {[WHERE_PID] = who->p.pid,
                                       [WHERE_TID] = tid,
                                       [WHERE_RANK] = who->p.rank}};

    f->who = who;
    f->tid = tid;
    f->none = f->where && !where_match_keys (f->where, &e, THREAD);
    if (f->id)
        memset (f->id, UNKNOWN, f->room);
}

/* The slot of a dictionary id, NULL: ENOMEM. */
static unsigned char *slot_of (struct evfilter *f, uint32_t id)
{
    size_t room = f->room ? f->room : 256;
    unsigned char *bytes;

    while (room <= id)
        room *= 2;
    if (room > f->room) {
        if (!(bytes = realloc (f->id, room)))
            return NULL;
        memset (bytes + f->room, UNKNOWN, room - f->room);
        f->id = bytes;
        f->room = room;
    }
    return &f->id[id];
}

static int ask (struct evfilter *f, const struct evname *n, unsigned keys)
{
    char category[EVNAME_TEXT], name[EVNAME_TEXT], file[EVNAME_TEXT];
    struct where_event e = {
        .text = {evname_text (category, n->category, n->category_length),
                 evname_text (name, n->name, n->name_length),
                 evname_text (file, n->file, n->file_length), ""}};

    return where_match_keys (f->where, &e, keys) ? YES : NO;
}

/* Names of calls are asked about once, all else once for each id. */
static int names_match (struct evfilter *f,
                        const struct decoder *d,
                        const struct event *ev)
{
    int app = call_table[ev->call].category == CALL_CATEGORY_APP;
    unsigned char *id = slot_of (f, ev->file);
    struct evname n;

    if (!id)
        return -1;
    if (*id == UNKNOWN || (!app && f->call[ev->call] == UNKNOWN)) {
        n = evname_of (d, ev);
        if (*id == UNKNOWN)
            *id = (unsigned char)ask (f, &n, app ? NAMES | FILES : FILES);
        if (!app)
            f->call[ev->call] = (unsigned char)ask (f, &n, NAMES);
    }
    return *id == YES && (app || f->call[ev->call] == YES);
}

int evfilter_wants (struct evfilter *f,
                    const struct decoder *d,
                    const struct event *ev,
                    uint64_t start)
{
    struct where_event e = {.text = {"", "", "", ""}};
    int rc;

    if (!f->where)
        return 1;
    if (f->none)
        return 0;
    if ((rc = names_match (f, d, ev)) <= 0)
        return rc;
    e.number[WHERE_TIME] = start < f->start ? -(double)(f->start - start) / 1e9
                                            : (double)(start - f->start) / 1e9;
    return where_match_keys (f->where, &e, TIMES);
}

void evfilter_clear (struct evfilter *f)
{
    free (f->id);
    f->id = NULL;
    f->room = 0;
}
