/* SPDX-License-Identifier: MIT
 *
 * untracedlist.c - lines `untraced` of shards/processes.HOST -> rows
 *
 * Caveat: anybody may have written the lines.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format/proclines.h"
#include "lib/format/untracedlist.h"

enum {
    LINES_MAX = 200000, /* rows; more are counted as cut */
    SLACK_S = 60        /* between a line and the start of its process */
};

#define SLACK_NS ((uint64_t)SLACK_S * 1000000000u)

/* --- rows --------------------------------------------------------------- */

int untracedlist_add (struct untraced *u, const struct untraced_program *row)
{
    struct untraced_program p = *row;

    u->lines += p.count;
    if (u->count >= LINES_MAX) {
        u->cut = 1;
        return 0;
    }
    if (u->count == u->room) {
        size_t room = u->room ? u->room * 2 : 16;
        void *item = realloc (u->item, room * sizeof (*u->item));

        if (!item)
            return -1;
        u->item = item;
        u->room = room;
    }
    p.host = strdup (row->host);
    p.exe = strdup (row->exe);
    p.reason = strdup (row->reason);
    u->item[u->count++] = p;
    if (!p.host || !p.exe || !p.reason)
        return -1;
    u->item[u->count - 1].exe_length = strlen (p.exe);
    u->item[u->count - 1].kind = programkind_of_reason (p.reason);
    return 0;
}

static void untracedlist_free (struct untraced_program *p)
{
    free (p->host);
    free (p->exe);
    free (p->reason);
}

void untracedlist_clear (struct untraced *u)
{
    for (size_t i = 0; i < u->count; i++)
        untracedlist_free (&u->item[i]);
    free (u->item);
    memset (u, 0, sizeof (*u));
}

static int untracedlist_order (const void *a, const void *b)
{
    const struct untraced_program *x = a, *y = b;
    int order = strcmp (x->host, y->host);

    if (!order)
        order = (x->pid > y->pid) - (x->pid < y->pid);
    return order ? order : (x->time > y->time) - (x->time < y->time);
}

static int untracedlist_take (const struct procrecord *r, void *cookie)
{
    const struct untraced_program row = {.host = (char *)(uintptr_t)r->host,
                                         .exe = (char *)(uintptr_t)r->exe,
                                         .reason = (char *)(uintptr_t)r->reason,
                                         .pid = r->pid,
                                         .child = r->child,
                                         .time = r->end,
                                         .count = 1};

    return untracedlist_add (cookie, &row);
}

int untracedlist_read (struct untraced *u, const char *job_dir)
{
    struct proclines p = {
        .kinds = PROCRECORD_UNTRACED, .f = untracedlist_take, .cookie = u};
    int rc = proclines_read (&p, job_dir);

    u->files = p.files;
    u->cut |= p.cut;
    if (rc == 0 && u->count)
        qsort (u->item, u->count, sizeof (*u->item), untracedlist_order);
    return rc;
}

/* --- traced after all ---------------------------------------------------- */

/* Reasons that a line has before exec, and not in the program itself. */
static int untracedlist_of_exec (enum program_kind kind)
{
    return kind != PROGRAM_UNKNOWN && kind != PROGRAM_GO &&
           kind != PROGRAM_NOT_KNOWN && kind != PROGRAM_OWN_REQUEST &&
           kind != PROGRAM_EXCLUDED;
}

static int untracedlist_is_it (const struct untraced_program *p,
                               const struct untraced_seen *who)
{
    uint64_t from = p->time - (p->child || !p->pid ? SLACK_NS : 0);

    if (p->traced || !p->time || strcmp (p->host, who->host) != 0)
        return 0;
    if (!p->pid && strcmp (p->exe, who->exe) != 0)
        return 0;
    if (who->start >= from && who->start < p->time + SLACK_NS)
        return 1;
    /* it went on: exec had failed */
    return p->pid && !p->child && !who->exec && who->start < p->time &&
           who->end > p->time && untracedlist_of_exec (p->kind);
}

/* The first row of a host and pid, or where it would be. */
static size_t
untracedlist_find (const struct untraced *u, const char *host, uint32_t pid)
{
    size_t low = 0, high = u->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp (u->item[middle].host, host);

        if (!order)
            order = u->item[middle].pid < pid ? -1 : 1;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int untracedlist_mark (struct untraced *u,
                              const struct untraced_seen *who,
                              uint32_t pid)
{
    for (size_t i = untracedlist_find (u, who->host, pid);
         i < u->count && u->item[i].pid == pid &&
         strcmp (u->item[i].host, who->host) == 0;
         i++)
        if (untracedlist_is_it (&u->item[i], who)) {
            u->item[i].traced = 1;
            return 1;
        }
    return 0;
}

void untracedlist_seen (struct untraced *u, const struct untraced_seen *who)
{
    if (who->pid && !untracedlist_mark (u, who, who->pid) && *who->exe)
        (void)untracedlist_mark (u, who, 0);
}

static int untracedlist_by_name (const void *a, const void *b)
{
    const struct untraced_program *x = a, *y = b;
    int order = strcmp (x->host, y->host);

    if (!order)
        order = strcmp (x->exe, y->exe);
    if (!order)
        order = strcmp (x->reason, y->reason);
    return order ? order : untracedlist_order (a, b);
}

void untracedlist_settle (struct untraced *u)
{
    size_t kept = 0;

    for (size_t i = 0; i < u->count; i++)
        if (u->item[i].traced) {
            u->traced += u->item[i].count;
            untracedlist_free (&u->item[i]);
        } else
            u->item[kept++] = u->item[i];
    u->count = kept;
    if (kept)
        qsort (u->item, kept, sizeof (*u->item), untracedlist_by_name);
}

void untracedlist_fold (struct untraced *u)
{
    size_t kept = 0;

    for (size_t i = 0; i < u->count; i++) {
        struct untraced_program *p = &u->item[i];
        struct untraced_program *last = kept ? &u->item[kept - 1] : NULL;

        if (last && !strcmp (last->host, p->host) &&
            !strcmp (last->exe, p->exe) && !strcmp (last->reason, p->reason)) {
            last->count += p->count;
            untracedlist_free (p);
        } else
            u->item[kept++] = *p;
    }
    u->count = kept;
}

int untracedlist_is_wish (const struct untraced_program *p)
{
    return programkind_is_wish (p->kind);
}

uint64_t untracedlist_sum (const struct untraced *u)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < u->count; i++)
        sum += u->item[i].count;
    return sum;
}

uint64_t untracedlist_wishes (const struct untraced *u)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < u->count; i++)
        if (untracedlist_is_wish (&u->item[i]))
            sum += u->item[i].count;
    return sum;
}
