/* SPDX-License-Identifier: MIT
 *
 * partialprocess.c - the processes of a partition: who, when, how often
 *
 * In:  sections of partialwrite.c
 * Out: struct process, to partialread.c
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/scan/mmpack.h"
#include "analyze/query/partialreader.h"
#include "analyze/scan/spanpack.h"

/* --- processes ------------------------------------------------------------ */

/* One block of memory, owned by the totals. */
static struct trace_process *get_who (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    struct trace_process head = {0}, *who;
    const char *text[SHARD_STRING_COUNT];
    size_t length[SHARD_STRING_COUNT], bytes = 0;
    char *to;

    unpack_bytes (u, &head.p, sizeof (head.p));
    head.offset = unpack_uint (u);
    head.damaged = (int)unpack_uint (u);
    for (int i = 0; i < SHARD_STRING_COUNT; i++) {
        text[i] = unpack_text (u, &length[i]);
        bytes += length[i] + 1;
    }
    if (u->bad || !(who = malloc (sizeof (*who) + bytes)))
        return NULL;
    *who = head;
    to = (char *)(who + 1);
    for (int i = 0; i < SHARD_STRING_COUNT; i++) {
        memcpy (to, text[i], length[i]);
        to[length[i]] = '\0';
        who->text[i] = to;
        to += length[i] + 1;
    }
    return who;
}

static int get_marks (struct unpacker *u, struct marks *m)
{
    uint64_t count = unpack_uint (u);

    for (uint64_t i = 0; i < count && !u->bad; i++) {
        struct mark one = {.number = unpack_int (u)};
        struct marks single = {.item = &one, .count = 1};

        one.start = unpack_uint (u);
        one.end = one.start + unpack_uint (u);
        if (marks_append (m, &single) < 0)
            return -1;
    }
    return u->bad ? -1 : 0;
}

static struct process *new_process (struct partial_reader *r)
{
    size_t room = r->processes_room ? 2 * r->processes_room : 64;
    struct process *p;

    if (r->t->processes + 1 >= r->processes_room) {
        while (room < r->t->processes + 2)
            room *= 2;
        if (!(p = reallocarray (r->t->process, room, sizeof (*p))))
            return NULL;
        r->t->process = p;
        r->processes_room = room;
    }
    p = &r->t->process[r->t->processes];
    memset (p, 0, sizeof (*p));
    return p;
}

int partial_get_process (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    struct process *p = new_process (r);

    if (!p || !(p->who = p->owned = get_who (r)))
        return -1;
    r->t->processes++;
    p->threads = (uint32_t)unpack_uint (u);
    unpack_bytes (u, &p->n, sizeof (p->n));
    unpack_bytes (u, &p->startup, sizeof (p->startup));
    p->start = unpack_uint (u);
    p->end = unpack_uint (u);
    for (int kind = 0; kind < MARK_KINDS; kind++)
        if (get_marks (u, &p->marks[kind]) < 0)
            return -1;
    return u->bad ? -1 : 0;
}

/* Of the process before it. */
int partial_get_spans (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    uint64_t call = unpack_uint (u), sets = unpack_uint (u);
    uint64_t bill = unpack_uint (u), storage = unpack_uint (u);
    uint64_t main = unpack_uint (u);
    struct process *p;
    struct spans *s;

    if (u->bad || !r->t->processes || call >= CALL_MAX || sets >> SET_COUNT ||
        bill > BILL_NONE || storage > 1 || main > 1 ||
        !(s = calloc (1, sizeof (*s))))
        return -1;
    p = &r->t->process[r->t->processes - 1];
    s->key = (struct span_key){.call = (uint16_t)call,
                               .sets = (uint16_t)sets,
                               .bill = (uint8_t)bill,
                               .storage = (uint8_t)storage};
    s->main = (uint8_t)main;
    s->next = p->spans;
    p->spans = s;
    return spanlog_unpack (u, &s->log);
}

int partial_get_mmap (struct partial_reader *r)
{
    if (!r->t->processes)
        return -1;
    return mmlog_unpack (&r->u, &r->t->process[r->t->processes - 1].mm);
}

int partial_get_shares (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    uint64_t count = unpack_uint (u);
    struct shares *to;

    if (u->bad || !r->t->processes)
        return -1;
    if (count > SHARES_MAX) {
        r->t->shares_dropped = 1;
        return 0;
    }
    to = &r->t->process[r->t->processes - 1].shares;
    for (uint64_t i = 0; i < count && !u->bad; i++) {
        struct share one;
        struct shares single = {.item = &one, .count = 1};

        unpack_bytes (u, &one, sizeof (one));
        if (!u->bad && shares_append (to, &single) < 0)
            return -1;
    }
    return u->bad ? -1 : 0;
}
