/* SPDX-License-Identifier: MIT
 *
 * evfilter.c - --where, batch by batch, while a trace is read
 *
 * In:  struct where; events in columns
 * Out: yes or no, to scan.c and query.c
 */
#include "config.h"

#include "analyze/query/evfilter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EVFILTER_UNKNOWN = 0, EVFILTER_NO = 1, EVFILTER_YES = 2 };

enum {
    NAMES = 1u << WHERE_CAT | 1u << WHERE_NAME,
    FILES = 1u << WHERE_FILE,
    THREAD =
        1u << WHERE_HOST | 1u << WHERE_PID | 1u << WHERE_TID | 1u << WHERE_RANK,
    TIMES = 1u << WHERE_TIME
};

static void evfilter_thread (struct evfilter *f, const struct batch *b)
{
    struct where_event e = {
        .text = {"", "", "", b->who->text[SHARD_STRING_HOST]},
        .number = {[WHERE_PID] = b->who->p.pid,
                   [WHERE_TID] = b->tid,
                   [WHERE_RANK] = b->who->p.rank}};

    f->who = b->who;
    f->tid = b->tid;
    f->none = !where_match_keys (f->where, &e, THREAD);
}

/* Room for what is known of all names. */
static int evfilter_grow (struct evfilter *f)
{
    size_t room = f->names ? f->names : 256, names = dict_limit (f->dict);
    unsigned char *name;

    while (room < names)
        room *= 2;
    if (room == f->names)
        return 0;
    if (!(name = realloc (f->name, room)))
        return -1;
    memset (name + f->names, EVFILTER_UNKNOWN, room - f->names);
    f->name = name;
    f->names = room;
    return 0;
}

static unsigned char evfilter_ask (const struct evfilter *f,
                                   const struct where_event *e,
                                   unsigned keys)
{
    return where_match_keys (f->where, e, keys) ? EVFILTER_YES : EVFILTER_NO;
}

/* What is said by the name of a call's file, or of a region. */
static unsigned char
evfilter_ask_name (const struct evfilter *f, uint32_t name, int app)
{
    const struct dict_entry *d = dict_entry (f->dict, name);
    struct where_event e = {.text = {"", "", "", ""}};

    if (!app) {
        e.text[WHERE_FILE] = d ? d->text : "";
        return evfilter_ask (f, &e, FILES);
    }
    e.text[WHERE_CAT] = d ? d->text : "";
    e.text[WHERE_NAME] = d ? dict_region_name (d) : "";
    return evfilter_ask (f, &e, NAMES | FILES);
}

/* Calls are asked for once; regions without a name like them. */
static unsigned char
evfilter_ask_call (struct evfilter *f, uint16_t call, unsigned keys)
{
    struct where_event e = {
        .text = {
            call_category_name ((enum call_category)call_table[call].category),
            call_table[call].name, "", ""}};

    if (!f->call[call])
        f->call[call] = evfilter_ask (f, &e, keys);
    return f->call[call];
}

static int evfilter_names (struct evfilter *f, const struct batch *b, size_t i)
{
    int app = call_table[b->call[i]].category == CALL_CATEGORY_APP;
    unsigned char *name = &f->name[b->name[i]];

    if (app && !b->name[i])
        return evfilter_ask_call (f, b->call[i], NAMES | FILES) == EVFILTER_YES;
    if (!*name)
        *name = evfilter_ask_name (f, b->name[i], app);
    return *name == EVFILTER_YES &&
           (app || evfilter_ask_call (f, b->call[i], NAMES) == EVFILTER_YES);
}

static int evfilter_time (const struct evfilter *f, uint64_t start)
{
    struct where_event e = {.text = {"", "", "", ""}};

    e.number[WHERE_TIME] = start < f->start ? -(double)(f->start - start) / 1e9
                                            : (double)(start - f->start) / 1e9;
    return where_match_keys (f->where, &e, TIMES);
}

int evfilter_batch (struct evfilter *f,
                    const struct batch *b,
                    unsigned char *wanted)
{
    int timed;

    if (!f->where) {
        memset (wanted, 1, b->count);
        return 0;
    }
    if (b->begins || f->who != b->who || f->tid != b->tid)
        evfilter_thread (f, b);
    memset (wanted, 0, b->count);
    if (f->none)
        return 0;
    if (evfilter_grow (f) < 0)
        return -1;
    timed = where_has (f->where, WHERE_TIME);
    for (size_t i = 0; i < b->count; i++)
        wanted[i] = (unsigned char)(evfilter_names (f, b, i) &&
                                    (!timed || evfilter_time (f, b->start[i])));
    return 0;
}

void evfilter_clear (struct evfilter *f)
{
    free (f->name);
    f->name = NULL;
    f->names = 0;
}
