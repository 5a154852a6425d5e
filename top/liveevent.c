/* SPDX-License-Identifier: MIT
 *
 * liveevent.c - a new event -> sums and last action of its process
 *
 * In:  events, from follow.c
 * Out: struct live_process, of live.c
 */
#include "config.h"

#include "top/liveevent.h"

#include <stdio.h>
#include <string.h>

#include "lib/model/role.h"

/* Only when it is another one: a program reads one file many times. */
static void keep_text (char *to, const char *text, size_t length)
{
    if (length >= LIVE_TEXT_MAX)
        length = LIVE_TEXT_MAX - 1;
    if (strncmp (to, text, length) == 0 && to[length] == '\0')
        return;
    memcpy (to, text, length);
    to[length] = '\0';
}

/* The part of an event that lies in this interval. */
static uint64_t
inside (const struct live_interval *i, uint64_t start, uint64_t end)
{
    if (end > i->to)
        end = i->to;
    if (i->from && start < i->from)
        start = i->from;
    return end > start ? end - start : 0;
}

static void
see_region (struct live_process *p, const struct name *name, uint64_t ns)
{
    char text[LIVE_TEXT_MAX];
    size_t n = name->length < sizeof (text) ? name->length : sizeof (text) - 1;
    size_t category;

    memcpy (text, name->text, n);
    text[n] = '\0';
    category = strlen (text);
    if (category < n && role_of (text, text + category + 1) == ROLE_STALL)
        p->now.stall_ns += ns;
    if (category < n)
        text[category] = '/';
    keep_text (p->last, text, n);
}

static void see_slow (struct live_process *p,
                      const char *call,
                      const struct name *file,
                      uint64_t ns)
{
    if (ns <= p->now.slowest_ns)
        return;
    p->now.slowest_ns = ns;
    (void)snprintf (
        p->slowest, sizeof (p->slowest), "%s %.*s", call,
        (int)(file->length < LIVE_TEXT_MAX ? file->length : LIVE_TEXT_MAX),
        file->text);
}

static void see_call (struct live_process *p,
                      const struct call_info *info,
                      const struct follow_event *e,
                      uint64_t ns)
{
    const struct name *file = decoder_name (e->decoder, e->event->file);
    uint64_t moved = e->event->ret > 0 ? (uint64_t)e->event->ret : 0;

    p->now.calls++;
    keep_text (p->last, info->name, strlen (info->name));
    keep_text (p->file, file ? file->text : "", file ? file->length : 0);
    if (!file || file->class != FILE_CLASS_STORAGE ||
        info->category != CALL_CATEGORY_POSIX)
        return;
    p->now.io_ns += ns;
    if (info->class == CALL_CLASS_READ || info->class == CALL_CLASS_COPY)
        p->now.bytes[0] += moved;
    if (info->class == CALL_CLASS_WRITE || info->class == CALL_CLASS_COPY)
        p->now.bytes[1] += moved;
    see_slow (p, info->name, file, e->event->end - e->event->start);
}

void live_event (struct live_process *p,
                 const struct live_interval *i,
                 const struct follow_event *e)
{
    uint64_t start = trace_real_ns (e->who, e->event->start);
    uint64_t end = trace_real_ns (e->who, e->event->end);
    uint64_t ns = inside (i, start, end);
    const struct name *name;

    if (e->event->call >= CALL_MAX || !call_table[e->event->call].name)
        return; /* of a later version of the format */
    p->now.events++;
    if (end > p->last_ns)
        p->last_ns = end;
    if (call_table[e->event->call].category != CALL_CATEGORY_APP)
        see_call (p, &call_table[e->event->call], e, ns);
    else if ((name = decoder_name (e->decoder, e->event->file)))
        see_region (p, name, ns);
}
