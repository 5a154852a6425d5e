/* SPDX-License-Identifier: MIT
 *
 * counted.c - profiles of a running job -> what each process has done so far
 *
 * In:  counters of a trace, while they grow
 * Out: sums of each process, to follow.c
 * Caveat: a call counts when it has ended, with all of its time.
 */
#include "config.h"


#include <stdio.h>
#include <string.h>

#include "analyze/trace/profread.h"
#include "lib/model/kind.h"

static const struct profname *counted_name (const struct profrows *rows,
                                            uint32_t name)
{
    return name ? &rows->name[name - 1] : NULL;
}

static int counted_stored (const struct profname *n)
{
    return n && n->kind == SHARD_NAME_FILE && n->class == FILE_CLASS_STORAGE;
}

static const char *counted_region (const struct profname *n)
{
    size_t category = strlen (n->text);

    return category < n->length ? n->text + category + 1 : "";
}

static void counted_call (struct counted *c,
                          const struct profrows *rows,
                          const struct profrow *r)
{
    const struct call_info *info = &call_table[r->call];
    const struct profname *from = counted_name (rows, r->name);
    const struct profname *to =
        info->class == CALL_CLASS_COPY ? counted_name (rows, r->name2) : from;

    c->calls += r->n[PROFILE_calls];
    if (info->category != CALL_CATEGORY_POSIX)
        return;
    if (info->class != CALL_CLASS_WRITE && counted_stored (from))
        c->bytes[0] += r->n[PROFILE_bytes];
    if (info->class != CALL_CLASS_READ && counted_stored (to))
        c->bytes[1] += r->n[PROFILE_bytes];
    if (counted_stored (from) || counted_stored (to))
        c->io_ns += r->n[PROFILE_time];
}

/* What it did last. */
static void counted_last (struct counted *c,
                          const struct profrows *rows,
                          const struct profrow *r,
                          const struct trace_process *who)
{
    const struct profname *n = counted_name (rows, r->name);
    uint64_t ns =
        r->n[PROFILE_last] ? trace_real_ns (who, r->n[PROFILE_last]) : 0;
    int region = call_table[r->call].category == CALL_CATEGORY_APP;

    if (ns <= c->last_ns)
        return;
    c->last_ns = ns;
    (void)snprintf (c->file, sizeof (c->file), "%s",
                    n && !region ? n->text : "");
    if (!region)
        (void)snprintf (c->last, sizeof (c->last), "%s",
                        call_table[r->call].name);
    else if (n)
        (void)snprintf (c->last, sizeof (c->last), "%s%s%s", n->text,
                        *counted_region (n) ? "/" : "", counted_region (n));
}

static void counted_row (struct counted *c,
                         const struct profrows *rows,
                         const struct profrow *r,
                         const struct trace_process *who)
{
    enum call_category category =
        (enum call_category)call_table[r->call].category;
    const struct profname *n = counted_name (rows, r->name);

    c->events += r->n[PROFILE_calls];
    if (call_category_is_above (category))
        return; /* done by POSIX calls inside */
    if (category != CALL_CATEGORY_APP)
        counted_call (c, rows, r);
    else if (n && role_of (n->text, counted_region (n)) == ROLE_STALL)
        c->stall_ns += r->n[PROFILE_time];
    counted_last (c, rows, r, who);
}

int counted_read (struct counted *all, const struct tracefile *t)
{
    struct profrows rows = {.names = 0};
    uint64_t bad;
    int rc = profread (t, &rows, &bad);

    for (size_t i = 0; rc == 0 && i < rows.rows; i++) {
        uint32_t proc = rows.row[i].proc;

        if (proc < tracefile_processes (t))
            counted_row (&all[proc], &rows, &rows.row[i],
                         tracefile_process (t, proc));
    }
    profrows_clear (&rows);
    return rc;
}

static uint64_t counted_more (uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

struct counted counted_since (const struct counted *now,
                              const struct counted *before)
{
    struct counted c = *now;

    c.events = counted_more (now->events, before->events);
    c.calls = counted_more (now->calls, before->calls);
    c.io_ns = counted_more (now->io_ns, before->io_ns);
    c.stall_ns = counted_more (now->stall_ns, before->stall_ns);
    for (int w = 0; w < 2; w++)
        c.bytes[w] = counted_more (now->bytes[w], before->bytes[w]);
    return c;
}
