/* SPDX-License-Identifier: MIT
 *
 * liveevent.c - a new event -> sums and last action of its process
 *
 * In:  batches of new events, from follow.c
 * Out: struct live_process, of live.c
 */
#include "config.h"

#include "analyze/top/liveevent.h"

#include <stdio.h>
#include <string.h>

#include "lib/format/calls.h"

/* Only when it is another one: a program reads one file many times. */
static void liveevent_keep_text (char *to, const char *text, size_t length)
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
liveevent_inside (const struct live_interval *i, uint64_t start, uint64_t end)
{
    if (end > i->to)
        end = i->to;
    if (i->from && start < i->from)
        start = i->from;
    return end > start ? end - start : 0;
}

static void liveevent_see_region (struct live_process *p,
                                  const struct dict_entry *e,
                                  uint64_t ns)
{
    char text[LIVE_TEXT_MAX];

    if (e->role == ROLE_STALL)
        p->now.stall_ns += ns;
    (void)snprintf (text, sizeof (text), "%s%s%s", e->text,
                    *dict_region_name (e) ? "/" : "", dict_region_name (e));
    liveevent_keep_text (p->last, text, strlen (text));
}

static void liveevent_see_slow (struct live_process *p,
                                const char *call,
                                const struct dict_entry *file,
                                uint64_t ns)
{
    if (ns <= p->now.slowest_ns)
        return;
    p->now.slowest_ns = ns;
    (void)snprintf (p->slowest, sizeof (p->slowest), "%s %s", call, file->text);
}

static int liveevent_on_storage (const struct dict_entry *file)
{
    return file && file->class == FILE_CLASS_STORAGE;
}

/* A copy reads one file and writes another. */
static void liveevent_see_call (struct live_process *p,
                                const struct dict *dict,
                                const struct batch *b,
                                size_t at,
                                uint64_t ns)
{
    const struct call_info *info = &call_table[b->call[at]];
    const struct dict_entry *file =
        dict_entry_of (dict, b->name[at], SHARD_NAME_FILE);
    const struct dict_entry *to =
        info->class == CALL_CLASS_COPY
            ? dict_entry_of (dict, b->name2[at], SHARD_NAME_FILE)
            : file;

    p->now.calls++;
    liveevent_keep_text (p->last, info->name, strlen (info->name));
    liveevent_keep_text (p->file, file ? file->text : "",
                         file ? file->length : 0);
    if (info->category != CALL_CATEGORY_POSIX)
        return;
    if (liveevent_on_storage (file))
        p->now.bytes[0] += b->bytes_read[at];
    if (liveevent_on_storage (to))
        p->now.bytes[1] += b->bytes_written[at];
    if (!liveevent_on_storage (file) && !liveevent_on_storage (to))
        return;
    p->now.io_ns += ns;
    liveevent_see_slow (p, info->name, file ? file : to,
                        b->end[at] - b->start[at]);
}

void live_event (struct live_process *p,
                 const struct live_interval *i,
                 const struct dict *dict,
                 const struct batch *b,
                 size_t at)
{
    uint64_t ns = liveevent_inside (i, b->start[at], b->end[at]);
    const struct dict_entry *name;

    p->now.events++;
    if (b->end[at] > p->last_ns)
        p->last_ns = b->end[at];
    if (call_table[b->call[at]].category == CALL_CATEGORY_MMAP ||
        call_table[b->call[at]].category == CALL_CATEGORY_KERNEL ||
        call_category_is_above (call_table[b->call[at]].category))
        return; /* seen beside the program, or done by POSIX calls inside */
    if (call_table[b->call[at]].category != CALL_CATEGORY_APP)
        liveevent_see_call (p, dict, b, at, ns);
    else if ((name = dict_entry_of (dict, b->name[at], SHARD_NAME_EVENT)))
        liveevent_see_region (p, name, ns);
}

void liveevent_doing (struct live_process *p, const struct doing *doing)
{
    p->doing_ns = doing ? doing->since : 0;
    p->doing[0] = p->doing_file[0] = '\0';
    if (!doing)
        return;
    liveevent_keep_text (p->doing, call_table[doing->call].name,
                         strlen (call_table[doing->call].name));
    liveevent_keep_text (p->doing_file, doing->file, strlen (doing->file));
}
