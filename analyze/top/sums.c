/* SPDX-License-Identifier: MIT
 *
 * sums.c - events and profiles -> sums and last action of a process
 *
 * In:  new events and profiles, from live.c
 * Out: struct live_process
 */
#include "config.h"

#include "analyze/top/live.h"
#include "analyze/trace/profread.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/model/kind.h"
#include "lib/util/xalloc.h"

/* --- events ------------------------------------------------------------- */

/* Only when it is another one: a program reads one file many times. */
void live_text (char *to, const char *text)
{
    size_t length = strnlen (text, LIVE_TEXT_MAX - 1);

    if (strncmp (to, text, length) == 0 && to[length] == '\0')
        return;
    memcpy (to, text, length);
    to[length] = '\0';
}

/* "category/name" of a region. */
static void sums_region (char *to, const char *category, const char *name)
{
    snprintf (to, LIVE_TEXT_MAX, "%s%s%s", category, *name ? "/" : "", name);
}

static int sums_on_storage (const struct dict_entry *file)
{
    return file && file->class == FILE_CLASS_STORAGE;
}

/* A copy reads one file and writes another. */
static void sums_call (struct live_process *p,
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
    uint64_t whole = b->end[at] - b->start[at];

    p->now[LIVE_CALLS]++;
    live_text (p->last.name, info->name);
    live_text (p->last.file, file ? file->text : "");
    if (info->category != CALL_CATEGORY_POSIX)
        return;
    if (sums_on_storage (file))
        p->now[LIVE_READ] += b->bytes_read[at];
    if (sums_on_storage (to))
        p->now[LIVE_WRITTEN] += b->bytes_written[at];
    if (!sums_on_storage (file) && !sums_on_storage (to))
        return;
    p->now[LIVE_IO] += ns;
    if (whole > p->slowest_ns) {
        p->slowest_ns = whole;
        FORMAT (p->slowest, "%s %s", info->name, (file ? file : to)->text);
    }
}

void live_event (const struct live *l,
                 struct live_process *p,
                 const struct dict *dict,
                 const struct batch *b,
                 size_t at)
{
    enum call_category category = call_table[b->call[at]].category;
    uint64_t start = MAX (b->start[at], l->before_ns);
    uint64_t end = MIN (b->end[at], l->now_ns);
    uint64_t ns = end > start ? end - start : 0;
    const struct dict_entry *e;

    p->now[LIVE_EVENTS]++;
    p->last.ns = MAX (p->last.ns, b->end[at]);
    if (category == CALL_CATEGORY_MMAP || category == CALL_CATEGORY_KERNEL ||
        category == CALL_CATEGORY_WAIT || call_category_is_above (category))
        return; /* seen beside the program, or done by POSIX calls inside */
    if (category != CALL_CATEGORY_APP)
        sums_call (p, dict, b, at, ns);
    else if ((e = dict_entry_of (dict, b->name[at], SHARD_NAME_EVENT))) {
        p->now[LIVE_STALL] += e->role == ROLE_STALL ? ns : 0;
        sums_region (p->last.name, e->text, dict_region_name (e));
    }
}

/* --- profiles ----------------------------------------------------------- */

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

static void counted_call (struct live_counted *c,
                          const struct profrows *rows,
                          const struct profrow *r)
{
    const struct call_info *info = &call_table[r->call];
    const struct profname *from = counted_name (rows, r->name);
    const struct profname *to =
        info->class == CALL_CLASS_COPY ? counted_name (rows, r->name2) : from;

    c->n[LIVE_CALLS] += r->n[PROFILE_calls];
    if (info->category != CALL_CATEGORY_POSIX)
        return;
    if (info->class != CALL_CLASS_WRITE && counted_stored (from))
        c->n[LIVE_READ] += r->n[PROFILE_bytes];
    if (info->class != CALL_CLASS_READ && counted_stored (to))
        c->n[LIVE_WRITTEN] += r->n[PROFILE_bytes];
    if (counted_stored (from) || counted_stored (to))
        c->n[LIVE_IO] += r->n[PROFILE_time];
}

static void counted_row (struct live_counted *c,
                         const struct profrows *rows,
                         const struct profrow *r,
                         const struct trace_process *who)
{
    enum call_category category = call_table[r->call].category;
    const struct profname *n = counted_name (rows, r->name);
    int region = category == CALL_CATEGORY_APP;
    uint64_t ns =
        r->n[PROFILE_last] ? trace_real_ns (who, r->n[PROFILE_last]) : 0;

    c->n[LIVE_EVENTS] += r->n[PROFILE_calls];
    c->n[LIVE_COUNTED] += r->n[PROFILE_calls];
    if (call_category_is_above (category))
        return; /* done by POSIX calls inside */
    if (!region)
        counted_call (c, rows, r);
    else if (n && role_of (n->text, counted_region (n)) == ROLE_STALL)
        c->n[LIVE_STALL] += r->n[PROFILE_time];
    if (ns <= c->last.ns)
        return;
    c->last.ns = ns;
    live_text (c->last.file, n && !region ? n->text : "");
    if (!region)
        live_text (c->last.name, call_table[r->call].name);
    else if (n)
        sums_region (c->last.name, n->text, counted_region (n));
}

void live_count (struct live_counted *all, const struct tracefile *t)
{
    struct profrows rows = {.names = 0};
    uint64_t bad;

    profread (t, &rows, &bad);
    for (size_t i = 0; i < rows.rows; i++) {
        uint32_t proc = rows.row[i].proc;

        if (proc < tracefile_processes (t))
            counted_row (&all[proc], &rows, &rows.row[i],
                         tracefile_process (t, proc));
    }
    profrows_clear (&rows);
}

/* A sum may be less than before, since a process may count meanwhile. */
void live_add_counted (struct live_process *p,
                       const struct live_counted *now,
                       int first)
{
    if (!first && now->n[LIVE_EVENTS] > p->counted.n[LIVE_EVENTS]) {
        for (int k = 0; k < LIVE_SUMS; k++)
            if (now->n[k] > p->counted.n[k])
                p->now[k] += now->n[k] - p->counted.n[k];
        if (now->last.ns > p->last.ns)
            p->last = now->last;
    }
    p->counted = *now;
}
