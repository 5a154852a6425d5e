/* SPDX-License-Identifier: MIT
 *
 * profrows.c - rows of a profile: make, append, free; events beside a profile
 *
 * In:  readers of profiles; headers of chunks
 * Out: rows, to load.c; how much of a process is in events, how much in
 * counters
 */
#include "config.h"

#include "analyze/trace/profrows.h"
#include "lib/base/array.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

uint32_t profrows_name (struct profrows *p,
                        const struct profname *like,
                        const char *text,
                        size_t length)
{
    struct profname *n = APPEND (p->name, p->names, p->name_room);

    *n = *like;
    n->text = xmalloc (length + 1);
    memcpy (n->text, text, length);
    n->text[length] = '\0';
    n->length = (uint32_t)length;
    return (uint32_t)p->names;
}

struct profrow *profrows_row (struct profrows *p)
{
    return APPEND (p->row, p->rows, p->row_room);
}

struct profplace *profrows_place (struct profrows *p)
{
    return APPEND (p->place, p->places, p->place_room);
}

struct profvalue *profrows_value (struct profrows *p)
{
    return APPEND (p->value, p->values, p->value_room);
}

struct profgroup *profrows_group (struct profrows *p)
{
    return APPEND (p->group, p->groups, p->group_room);
}

struct profbin *profrows_bin (struct profrows *p)
{
    return APPEND (p->bin, p->bins, p->bin_room);
}

void profrows_clear (struct profrows *p)
{
    for (size_t i = 0; i < p->names; i++)
        free (p->name[i].text);
    free (p->name);
    free (p->row);
    free (p->place);
    free (p->value);
    free (p->group);
    free (p->bin);
    memset (p, 0, sizeof (*p));
}

/* Events and counters of one process. */
struct profpart {
    uint64_t events, calls;
    uint64_t first;  /* CLOCK_MONOTONIC of its first counted call; 0: none */
    uint64_t latest; /* the same, of the latest chunk's begin */
};

static void profpart_chunk (struct profpart *p, const struct trace_chunk *c)
{
    p->events += c->events;
    if (c->events && c->head.base_ns > p->latest)
        p->latest = c->head.base_ns;
}

static void profpart_row (struct profpart *p, const struct profrow *r)
{
    uint64_t first = r->n[PROFILE_first];

    p->calls += r->n[PROFILE_calls];
    if (first && (!p->first || first - 1 < p->first))
        p->first = first - 1;
}

static struct profpart *profpart_all (const struct tracefile *f,
                                      const struct profrows *rows)
{
    size_t n = tracefile_processes (f);
    struct profpart *all = xcalloc (n + 1, sizeof (*all));

    for (size_t i = 0; i < tracefile_chunks (f); i++) {
        const struct trace_chunk *c = tracefile_chunk (f, i);

        profpart_chunk (&all[c->head.proc < n ? c->head.proc : n], c);
    }
    for (size_t i = 0; i < rows->rows; i++) {
        const struct profrow *r = &rows->row[i];

        profpart_row (&all[r->proc < n ? r->proc : n], r);
    }
    return all;
}

static void profpart_count (struct profparts *to,
                            const struct profpart *p,
                            const struct trace_process *who)
{
    uint64_t until = p->calls ? trace_real_ns (who, p->first) : 0;

    to->events += p->events;
    to->calls += p->calls;
    to->counted += p->calls && !p->events;
    if (!p->calls || !p->events)
        return;
    to->both++;
    to->after += p->latest > p->first;
    if (!to->until || until < to->until)
        to->until = until;
}

void profparts_find (struct profparts *to,
                     const struct tracefile *f,
                     const struct profrows *rows)
{
    struct profpart *all = rows->rows ? profpart_all (f, rows) : NULL;

    *to = (struct profparts){.events = 0};
    if (!rows->rows)
        to->events = tracefile_health (f)->events;
    for (size_t i = 0; all && i < tracefile_processes (f); i++)
        profpart_count (to, &all[i], tracefile_process (f, i));
    free (all);
}

void profparts_add (struct profparts *to, const struct profparts *more)
{
    to->events += more->events;
    to->calls += more->calls;
    to->both += more->both;
    to->counted += more->counted;
    to->after += more->after;
    if (more->until && (!to->until || more->until < to->until))
        to->until = more->until;
}

void profparts_add_process (struct profparts *to,
                            const struct tracefile *f,
                            const struct trace_process *who,
                            const struct trace_chunk *const *chunk,
                            size_t chunks,
                            const struct profrows *rows)
{
    struct profpart p = {.events = 0};
    size_t at = 0;

    while (rows->rows && at < tracefile_processes (f) &&
           tracefile_process (f, at) != who)
        at++;
    for (size_t i = 0; i < chunks; i++)
        profpart_chunk (&p, chunk[i]);
    for (size_t i = 0; i < rows->rows; i++)
        if (rows->row[i].proc == at)
            profpart_row (&p, &rows->row[i]);
    profpart_count (to, &p, who);
}

void profparts_subtract (struct profparts *from, const struct profparts *less)
{
    from->events -= less->events;
    from->calls -= less->calls;
    from->both -= less->both;
    from->counted -= less->counted;
    from->after -= less->after;
}

char *profparts_until (char *buf, const struct profparts *p, uint64_t start)
{
    *buf = '\0';
    if (p->both && !p->after && p->until > start)
        snprintf (buf, PROFPARTS_WORDS, ", all to %.3f s",
                  (double)(p->until - start) / 1e9);
    return buf;
}

char *profparts_words (char *buf, const struct profparts *p, uint64_t start)
{
    char events[WORDS_MAX], calls[WORDS_MAX], until[PROFPARTS_WORDS];

    snprintf (buf, PROFPARTS_WORDS,
              "%s events in the trace%.64s; %s in the profile%s",
              number_words (events, (double)p->events),
              profparts_until (until, p, start),
              number_words (calls, (double)p->calls),
              p->counted ? ", of other processes, too"
              : p->after ? ", of other times"
                         : " after that");
    return buf;
}

void profparts_drop_rows (struct tracefile *f, struct profrows *rows)
{
    struct profpart *all = rows->rows ? profpart_all (f, rows) : NULL;

    for (size_t i = 0; all && i < tracefile_processes (f); i++)
        if (all[i].calls)
            tracefile_end_process (
                f, i, all[i].latest > all[i].first ? 0 : all[i].first);
    free (all);
    profrows_clear (rows);
}
