/* SPDX-License-Identifier: MIT
 *
 * evlearn.c - which types arguments have that are columns
 *
 * In:  all events of a job
 * Out: integers; numbers, when some are not whole; texts; text, when some are
 *      numbers and some are not
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/pool.h"
#include "analyze/python/evread.h"

enum { EVLEARN_INT = 1, EVLEARN_DOUBLE = 2, EVLEARN_TEXT = 4 };

struct evlearn {
    struct evread *read;
    struct batch_reader *reader[PASS_WORKERS_MAX];
    uint32_t key[EVCOLUMNS_MAX]; /* dictionary; 0: no argument */
    atomic_uint seen[EVCOLUMNS_MAX];
    atomic_int failed;
};

static void evlearn_batch (struct evlearn *l, const struct batch *b)
{
    static const unsigned bit[] = {[EVENT_ARG_INT] = EVLEARN_INT,
                                   [EVENT_ARG_DOUBLE] = EVLEARN_DOUBLE,
                                   [EVENT_ARG_TEXT] = EVLEARN_TEXT};

    for (uint32_t a = 0; a < b->arg[b->count]; a++)
        for (size_t i = 0; i < l->read->columns.count; i++)
            if (l->key[i] && l->key[i] == b->args[a].key)
                atomic_fetch_or (&l->seen[i], bit[b->args[a].type]);
}

static void evlearn_piece (void *cookie, size_t piece, int worker)
{
    struct evlearn *l = cookie;
    const struct pass *pass = &l->read->pass;
    const struct pass_piece *p = &pass->piece[piece];
    struct batch_reader *r = l->reader[worker];
    const struct batch *b;

    for (size_t i = 0; i < p->chunks && !atomic_load (&l->failed); i++) {
        int rc = batch_reader_chunk (r, &pass->parts.item[p->process],
                                     p->process, p->chunk[i]);

        while (rc >= 0 && (rc = batch_reader_next (r, &b)) > 0)
            evlearn_batch (l, b);
        if (rc < 0 && errno == ENOMEM)
            atomic_store (&l->failed, ENOMEM);
    }
}

static int evlearn_take (struct evlearn *l)
{
    struct evread *r = l->read;

    for (size_t i = 0; i < r->columns.count; i++) {
        struct evcolumn *c = &r->columns.item[i];

        if (c->from != EVCOLUMN_ARGUMENT)
            continue;
        switch (atomic_load (&l->seen[i])) {
        case 0:
            errno = EINVAL;
            return errf (&r->err, "columns: %s: no event has this argument",
                         c->word);
        case EVLEARN_INT:
            c->type = ARROWCOL_INT64;
            break;
        case EVLEARN_DOUBLE:
        case EVLEARN_INT | EVLEARN_DOUBLE:
            c->type = ARROWCOL_DOUBLE;
            break;
        case EVLEARN_TEXT:
            c->type = ARROWCOL_WORDS;
            break;
        default:
            c->type = ARROWCOL_TEXT;
            break;
        }
    }
    return 0;
}

/* Numbers of the names of arguments that are columns. How many, -1: ENOMEM. */
static int evlearn_keys (struct evlearn *l)
{
    int keys = 0;

    for (size_t i = 0; i < l->read->columns.count; i++) {
        const struct evcolumn *c = &l->read->columns.item[i];

        if (c->from != EVCOLUMN_ARGUMENT)
            continue;
        l->key[i] =
            dict_number (l->read->pass.dict, SHARD_NAME_KEY, FILE_CLASS_UNKNOWN,
                         c->word + 4, strlen (c->word + 4));
        if (!l->key[i])
            return -1;
        keys++;
    }
    return keys;
}

int evlearn_arguments (struct evread *r)
{
    struct evlearn l = {.read = r};
    int keys = evlearn_keys (&l), rc = keys < 0 ? -1 : 0;

    for (int i = 0; keys > 0 && rc == 0 && i < r->pass.workers; i++)
        if (!(l.reader[i] = batch_reader_create (r->pass.dict)))
            rc = -1;
    if (keys > 0 && rc == 0) {
        (void)pool_run (r->pass.pieces, r->pass.workers, evlearn_piece, &l);
        errno = atomic_load (&l.failed);
        rc = errno ? -1 : 0;
    }
    for (int i = 0; i < PASS_WORKERS_MAX; i++)
        batch_reader_destroy (l.reader[i]);
    if (rc < 0)
        return errf (&r->err, "%s: %s", readjob_job (r->job)->label,
                     strerror (errno = ENOMEM));
    return keys > 0 ? evlearn_take (&l) : 0;
}
