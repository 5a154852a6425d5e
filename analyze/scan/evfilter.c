/* SPDX-License-Identifier: MIT
 *
 * evfilter.c - --where, batch by batch, while a trace is read
 *
 * In:  struct where; events in columns
 * Out: yes or no, to scan.c, query.c and eventwrite.c
 */
#include "config.h"

#include "analyze/scan/evfilter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/evterm.h"

enum { EVFILTER_UNKNOWN = 0, EVFILTER_NO = 1, EVFILTER_YES = 2 };

/* What was found out about a node. */
struct evfilter_memo {
    unsigned char *name; /* by name; owned */
    size_t names;
    unsigned char call[CALL_MAX];
    unsigned char thread;
    uint32_t argument; /* dictionary: key of an argument; 0: not yet */
};

/* --- what is decided by an entry of the dictionary -------------------------
 */

/* The condition of a node, which has one answer for all like event i. */
static int
evfilter_ask (const struct evfilter *f, const struct where_node *n, size_t i)
{
    const struct where_node *node = f->where->node;

    switch (n->test) {
    case WHERE_AND:
        return evfilter_ask (f, &node[n->left], i) &&
               evfilter_ask (f, &node[n->right], i);
    case WHERE_OR:
        return evfilter_ask (f, &node[n->left], i) ||
               evfilter_ask (f, &node[n->right], i);
    case WHERE_NOT:
        return !evfilter_ask (f, &node[n->left], i);
    default:
        return evterm_entry (n, f->source, i);
    }
}

/* Room for what is known of all names. */
static int evfilter_grow (struct evfilter_memo *m, const struct dict *dict)
{
    size_t room = m->names ? m->names : 256, names = dict_limit (dict);
    unsigned char *name;

    while (room < names)
        room *= 2;
    if (room == m->names)
        return 0;
    if (!(name = realloc (m->name, room)))
        return -1;
    memset (name + m->names, EVFILTER_UNKNOWN, room - m->names);
    m->name = name;
    m->names = room;
    return 0;
}

/* Where the answer for event i is kept. */
static unsigned char *evfilter_place (struct evfilter_memo *m,
                                      const struct batch *b,
                                      enum where_of of,
                                      size_t i)
{
    if (of == WHERE_OF_FILE)
        return &m->name[b->name[i]];
    if (of == WHERE_OF_CALL && b->name[i] &&
        call_table[b->call[i]].category == CALL_CATEGORY_APP)
        return &m->name[b->name[i]];
    return &m->call[b->call[i]];
}

static int evfilter_entries (struct evfilter *f,
                             const struct where_node *n,
                             unsigned char *wanted)
{
    struct evfilter_memo *m = &f->memo[n - f->where->node];
    const struct batch *b = f->source->batch;

    if (n->of == WHERE_OF_THREAD) {
        if (!m->thread)
            m->thread = evfilter_ask (f, n, 0) ? EVFILTER_YES : EVFILTER_NO;
        memset (wanted, m->thread == EVFILTER_YES, b->count);
        return 0;
    }
    if (evfilter_grow (m, f->dict) < 0)
        return -1;
    for (size_t i = 0; i < b->count; i++) {
        unsigned char *known = evfilter_place (m, b, n->of, i);

        if (!*known)
            *known = evfilter_ask (f, n, i) ? EVFILTER_YES : EVFILTER_NO;
        wanted[i] = *known == EVFILTER_YES;
    }
    return 0;
}

/* --- nodes ---------------------------------------------------------------- */

static int evfilter_node (struct evfilter *f,
                          const struct where_node *n,
                          unsigned char *wanted);

/* Are all the same? */
static int evfilter_all (const unsigned char *wanted, size_t n, int value)
{
    return n == 0 ||
           (wanted[0] == value && memcmp (wanted, wanted + 1, n - 1) == 0);
}

static int evfilter_both (struct evfilter *f,
                          const struct where_node *n,
                          unsigned char *wanted)
{
    unsigned char right[BATCH_EVENTS];
    const struct where_node *node = f->where->node;
    size_t count = f->source->batch->count;
    int and = n->test == WHERE_AND;

    if (evfilter_node (f, &node[n->left], wanted) < 0)
        return -1;
    if (evfilter_all (wanted, count, !and)) /* the other one changes nothing */
        return 0;
    if (evfilter_node (f, &node[n->right], right) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        wanted[i] = and? wanted[i] & right[i] : wanted[i] | right[i];
    return 0;
}

static int evfilter_argument (struct evfilter *f,
                              const struct where_node *n,
                              unsigned char *wanted)
{
    struct evfilter_memo *m = &f->memo[n - f->where->node];

    if (!m->argument)
        m->argument = dict_number (f->dict, SHARD_NAME_KEY, FILE_CLASS_UNKNOWN,
                                   n->argument, strlen (n->argument));
    if (!m->argument)
        return -1;
    evterm_argument (n, f->source, m->argument, wanted);
    return 0;
}

static int evfilter_node (struct evfilter *f,
                          const struct where_node *n,
                          unsigned char *wanted)
{
    if (n->of != WHERE_OF_EVENT)
        return evfilter_entries (f, n, wanted);
    switch (n->test) {
    case WHERE_AND:
    case WHERE_OR:
        return evfilter_both (f, n, wanted);
    case WHERE_NOT:
        if (evfilter_node (f, &f->where->node[n->left], wanted) < 0)
            return -1;
        for (size_t i = 0; i < f->source->batch->count; i++)
            wanted[i] = !wanted[i];
        return 0;
    default:
        if (n->column == WHERE_argument)
            return evfilter_argument (f, n, wanted);
        evterm_batch (n, f->source, f->start, wanted);
        return 0;
    }
}

/* --- batches -------------------------------------------------------------- */

/* The first batch. */
static int evfilter_begin (struct evfilter *f)
{
    if (!(f->memo = calloc ((size_t)f->where->nodes, sizeof (*f->memo))))
        return -1;
    if (f->source)
        return 0;
    if (!(f->own = calloc (1, sizeof (*f->own))))
        return -1;
    f->own->dict = f->dict;
    f->own->wants_places = where_has (f->where, WHERE_BY_access);
    f->own->layers_apart = 1; /* each event by itself */
    f->source = f->own;
    return 0;
}

int evfilter_batch (struct evfilter *f,
                    const struct batch *b,
                    unsigned char *wanted)
{
    if (!f->where) {
        memset (wanted, 1, b->count);
        return 0;
    }
    if (!f->memo && evfilter_begin (f) < 0)
        return -1;
    if (f->own) {
        f->own->rank = b->who->p.rank;
        if (column_source_batch (f->own, b) < 0)
            return -1;
    }
    if (b->begins || f->who != b->who || f->tid != b->tid) {
        for (int i = 0; i < f->where->nodes; i++)
            f->memo[i].thread = EVFILTER_UNKNOWN;
        f->who = b->who;
        f->tid = b->tid;
    }
    return b->count ? evfilter_node (f, &f->where->node[f->where->root], wanted)
                    : 0;
}

void evfilter_clear (struct evfilter *f)
{
    int saved = errno;

    for (int i = 0; f->memo && i < f->where->nodes; i++)
        free (f->memo[i].name);
    free (f->memo);
    f->memo = NULL;
    if (f->own)
        column_source_clear (f->own);
    free (f->own);
    f->own = NULL;
    errno = saved;
}
