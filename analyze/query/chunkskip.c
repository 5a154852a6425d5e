/* SPDX-License-Identifier: MIT
 *
 * chunkskip.c - a condition, and the index of a trace -> which chunks need not
 *               be read
 *
 * In:  struct where; struct chunkindex of each merged trace
 * Out: pass_split.skip
 *
 * Of each term two things are found: may it hold for an event of the chunk,
 * and may it fail for one. "and", "or" and "not" follow from these. What the
 * index does not know may hold and may fail, so that no event is left out
 * wrongly.
 */
#include "config.h"

#include "analyze/query/chunkindex.h"

#include "analyze/scan/evfilter.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

enum { CHUNKSKIP_HOLDS = 1, CHUNKSKIP_FAILS = 2, CHUNKSKIP_BOTH = 3 };

struct chunkskip {
    const struct where *where;
    const struct query_context *context;
    struct dict *dict;
    const struct chunkindex *index;
    const struct chunk_facts *facts; /* of the chunk at hand */
    int64_t real;                    /* its CLOCK_REALTIME - CLOCK_MONOTONIC -
                                        start of the job */
    unsigned char **known; /* [nodes][names]: CHUNKSKIP_… of a name; owned */
    size_t names;
    /* an event with this call and this name, for evterm_entry */
    struct column_source source;
    struct batch batch;
    uint16_t call;
    uint32_t name;
};

/* --- terms that a thread, a call or a name decides -------------------------
 */

static int chunkskip_ask (const struct chunkskip *s, const struct where_node *n)
{
    const struct where_node *node = s->where->node;

    switch (n->test) {
    case WHERE_AND:
        return chunkskip_ask (s, &node[n->left]) &&
               chunkskip_ask (s, &node[n->right]);
    case WHERE_OR:
        return chunkskip_ask (s, &node[n->left]) ||
               chunkskip_ask (s, &node[n->right]);
    case WHERE_NOT:
        return !chunkskip_ask (s, &node[n->left]);
    default:
        return evterm_entry (n, &s->source, 0);
    }
}

static unsigned chunkskip_entry (struct chunkskip *s,
                                 const struct where_node *n,
                                 uint16_t call,
                                 uint32_t name)
{
    s->call = call;
    s->name = name;
    return chunkskip_ask (s, n) ? CHUNKSKIP_HOLDS : CHUNKSKIP_FAILS;
}

/* As above for a name, whatever the call; found once for each name. */
static unsigned chunkskip_name (struct chunkskip *s,
                                const struct where_node *n,
                                uint16_t call,
                                uint32_t name)
{
    unsigned char *known = &s->known[n - s->where->node][name];

    if (!*known)
        *known = (unsigned char)chunkskip_entry (s, n, call, name);
    return *known;
}

static unsigned chunkskip_names (struct chunkskip *s,
                                 const struct where_node *n,
                                 uint16_t call,
                                 int regions)
{
    const struct chunk_facts *c = s->facts;
    unsigned may = 0;

    if (c->names == CHUNKINDEX_MANY)
        return CHUNKSKIP_BOTH;
    for (size_t i = 0; i < c->names && may != CHUNKSKIP_BOTH; i++) {
        uint32_t name = s->index->name[c->name_at + i];

        if (!regions || dict_entry_of (s->dict, name, SHARD_NAME_EVENT))
            may |= chunkskip_name (s, n, call, name);
    }
    return may;
}

static unsigned chunkskip_calls (struct chunkskip *s,
                                 const struct where_node *n)
{
    const struct chunk_facts *c = s->facts;
    unsigned may = 0;

    for (size_t i = 0; i < c->calls && may != CHUNKSKIP_BOTH; i++) {
        uint16_t call = s->index->call[c->call_at + i];

        may |= chunkskip_entry (s, n, call, 0);
        if (n->of == WHERE_OF_CALL &&
            call_table[call].category == CALL_CATEGORY_APP)
            may |= chunkskip_names (s, n, call, 1);
    }
    return may;
}

static unsigned chunkskip_entries (struct chunkskip *s,
                                   const struct where_node *n)
{
    if (n->of == WHERE_OF_THREAD)
        return chunkskip_entry (s, n, 0, 0);
    return n->of == WHERE_OF_FILE ? chunkskip_names (s, n, 0, 0)
                                  : chunkskip_calls (s, n);
}

/* --- numbers ---------------------------------------------------------------
 */

static unsigned chunkskip_number (const struct chunkskip *s,
                                  const struct where_node *n)
{
    const struct chunk_facts *c = s->facts;
    int64_t least, most, shift = n->column == WHERE_time ? s->real : 0;
    unsigned may = 0;
    int k = 0;

    while (k < CHUNKINDEX_NUMBERS && chunkindex_column[k] != n->column)
        k++;
    if (k == CHUNKINDEX_NUMBERS ||
        (n->test != WHERE_RANGE && n->test != WHERE_HAS))
        return CHUNKSKIP_BOTH;
    if (!(c->all >> k & 1))
        may |= CHUNKSKIP_FAILS;
    if (!(c->any >> k & 1))
        return CHUNKSKIP_FAILS;
    if (n->test == WHERE_HAS)
        return may | CHUNKSKIP_HOLDS;
    if (__builtin_add_overflow (c->least[k], shift, &least) ||
        __builtin_add_overflow (c->most[k], shift, &most))
        return CHUNKSKIP_BOTH;
    if (least < n->low || most > n->high)
        may |= CHUNKSKIP_FAILS;
    if (most >= n->low && least <= n->high)
        may |= CHUNKSKIP_HOLDS;
    return may;
}

/* --- nodes -----------------------------------------------------------------
 */

static unsigned chunkskip_node (struct chunkskip *s, const struct where_node *n)
{
    const struct where_node *node = s->where->node;
    unsigned left, right;

    if (n->of != WHERE_OF_EVENT)
        return chunkskip_entries (s, n);
    switch (n->test) {
    case WHERE_AND:
    case WHERE_OR:
        left = chunkskip_node (s, &node[n->left]);
        right = chunkskip_node (s, &node[n->right]);
        if (n->test == WHERE_AND)
            return (left & right & CHUNKSKIP_HOLDS) |
                   ((left | right) & CHUNKSKIP_FAILS);
        return ((left | right) & CHUNKSKIP_HOLDS) |
               (left & right & CHUNKSKIP_FAILS);
    case WHERE_NOT:
        left = chunkskip_node (s, &node[n->left]);
        return (left & CHUNKSKIP_HOLDS ? CHUNKSKIP_FAILS : 0) |
               (left & CHUNKSKIP_FAILS ? CHUNKSKIP_HOLDS : 0);
    default:
        return chunkskip_number (s, n);
    }
}

/* --- chunks ----------------------------------------------------------------
 */

static int chunkskip_split (struct chunkskip *s,
                            struct pass *p,
                            const struct pass_split *split,
                            unsigned char *skip)
{
    const struct trace_process *who = p->parts.item[split->process].who;

    s->batch.who = who;
    s->batch.tid = split->tid;
    s->real = trace_real_ns (who, 0) - s->context->first_start;
    if (column_source_begin (&s->source, who) < 0)
        return -1;
    for (size_t i = 0; i < split->chunks; i++) {
        if (!(s->facts = chunkindex_find (s->index, split->chunk[i])))
            continue;
        /* its names must be in the dictionary */
        skip[i] = s->facts->names != CHUNKINDEX_MANY &&
                  !(chunkskip_node (s, &s->where->node[s->where->root]) &
                    CHUNKSKIP_HOLDS);
        if (skip[i])
            p->skipped += split->chunk[i]->events;
    }
    return 0;
}

/* All splits of a source. */
static int chunkskip_source (struct chunkskip *s,
                             struct pass *p,
                             size_t source,
                             unsigned char *skip)
{
    size_t at = 0;
    int rc = 0;

    s->names = dict_limit (p->dict) + 1;
    for (int n = 0; n < s->where->nodes; n++) {
        free (s->known[n]);
        NEW (s->known[n], s->names);
    }
    for (size_t i = 0; rc == 0 && i < p->splits; i++) {
        struct pass_split *split = &p->split[i];

        if (p->parts.item[split->process].source == source) {
            rc = chunkskip_split (s, p, split, skip + at);
            split->skip = skip + at;
        }
        at += split->chunks;
    }
    return rc;
}

/* The event that evterm_entry looks at. */
static void chunkskip_begin (struct chunkskip *s)
{
    s->batch.count = 1;
    s->batch.call = &s->call;
    s->batch.name = &s->name;
    s->batch.name2 = &s->name;
    s->source.dict = s->dict;
    s->source.context = s->context;
    s->source.batch = &s->batch;
}

static int chunkskip_all (struct chunkskip *s, struct pass *p)
{
    const struct job *job = p->job;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < job->sources; i++) {
        const struct source *from = &job->source[i];
        struct chunkindex *x = NULL;

        if (from->copy || (from->file && !from->is_pfw))
            x = chunkindex_read (from->copy ? from->copy : from->path, p->dict);
        if (!x)
            continue;
        s->index = x;
        rc = chunkskip_source (s, p, i, p->skip);
        chunkindex_destroy (x);
    }
    return rc;
}

int chunkskip (struct pass *p,
               const struct where *w,
               const struct query_context *context)
{
    struct chunkskip *s;
    size_t chunks = 0;
    int rc;

    if (!w || !w->terms || !context || p->skip)
        return 0;
    for (size_t i = 0; i < p->splits; i++)
        chunks += p->split[i].chunks;
    NEW (s, 1);
    s->where = w;
    s->context = context;
    s->dict = p->dict;
    chunkskip_begin (s);
    NEW (s->known, (size_t)w->nodes + 1);
    NEW (p->skip, chunks + 1);
    rc = chunkskip_all (s, p);
    for (int n = 0; n < w->nodes; n++)
        free (s->known[n]);
    free (s->known);
    free (s);
    return rc;
}
