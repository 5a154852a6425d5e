/* SPDX-License-Identifier: MIT
 *
 * querypartial.c - counts of a query in a partition of a job <-> a file
 *
 * In:  the traces of a partition, context of the whole job
 * Out: sections of a file; from the files of all partitions an answer
 */
#include "config.h"

#include "analyze/query/partial.h"
#include "analyze/query/querystate.h"
#include "analyze/scan/learn.h"
#include "analyze/scan/spanlog.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

#define QUERY_SUMS \
    SUM (count)    \
    SUM (errors)   \
    SUM (bytes)    \
    SUM (ns)       \
    SUM (min)      \
    SUM (max)

static void querypack_cell (const struct query_state *s,
                            const struct query_group *g,
                            const uint32_t *ordinal,
                            struct packer *p)
{
    static const struct query_numbers empty;

    for (int k = 0; k < s->query->keys; k++) {
        pack_text (p, strmap_key (s->column[k].texts, ordinal[k], NULL));
        pack_int (p, s->column[k].number[ordinal[k]]);
    }
#define SUM(FIELD) pack_uint (p, g->cell.FIELD);
    QUERY_SUMS
#undef SUM
    for (int v = 0; v < s->query->values; v++)
        numbers_pack (p, g->cell.numbers ? &g->cell.numbers[v] : &empty);
}

int query_state_pack (struct query_state *s,
                      int times,
                      struct packer *p,
                      FILE *out)
{
    size_t keys = s->query->keys;

    query_state_settle (s);
    for (size_t i = 0; i < s->groups; i++) {
        querypack_cell (s, &s->group[i], &s->ordinal[i * keys], p);
        if (pack_section (p, QUERY_SECTION_CELL, out) < 0)
            return -1;
        for (const struct query_times *t = s->group[i].running; times && t;
             t = t->next) {
            spanlog_pack (p, &t->log);
            if (pack_section (p, QUERY_SECTION_TIMES, out) < 0)
                return -1;
        }
    }
    return 0;
}

/* --- reading -------------------------------------------------------------- */

/* A text as a value of column k; -1: it is none. */
static int64_t
querypack_value (struct query_state *s, int k, struct unpacker *u)
{
    char text[KEYTEXT_MAX];
    size_t length;
    const char *from = unpack_text (u, &length);
    int64_t number = unpack_int (u);

    if (u->bad || length >= KEYTEXT_MAX || memchr (from, '\0', length)) {
        u->bad = 1;
        return -1;
    }
    memcpy (text, from, length);
    text[length] = '\0';
    return column_text (&s->column[k], text, number);
}

static int querypack_get_cell (struct query_state *s, struct unpacker *u)
{
    uint32_t ordinal[QUERY_KEYS_MAX];
    struct query_group got = {.running = NULL};
    int values = s->query->values;
    int64_t cell = -1;

    for (int k = 0; k < s->query->keys; k++) {
        int64_t at = querypack_value (s, k, u);

        if (at < 0)
            return -1;
        ordinal[k] = (uint32_t)at;
    }
#define SUM(FIELD) got.cell.FIELD = unpack_uint (u);
    QUERY_SUMS
#undef SUM
    query_group_numbers (&got, values);
    for (int v = 0; v < values; v++)
        numbers_unpack (u, &got.cell.numbers[v]);
    if (!u->bad && (cell = query_state_group (s, ordinal)) >= 0)
        query_group_add (&s->group[cell], &got, values);
    for (int v = 0; v < values; v++)
        numbers_clear (&got.cell.numbers[v]);
    free (got.cell.numbers);
    s->at = (size_t)(cell + 1);
    return cell < 0 ? -1 : 0;
}

int query_state_unpack (struct query_state *s,
                        struct unpacker *u,
                        uint64_t type)
{
    if (type == QUERY_SECTION_CELL)
        return querypack_get_cell (s, u);
    if (type != QUERY_SECTION_TIMES || !s->at) {
        u->bad = 1;
        return -1;
    }
    return spanlog_unpack (u, &query_group_times (&s->group[s->at - 1])->log);
}

_Static_assert((int)QUERY_SECTION_CELL > (int)PARTIAL_HEAD,
               "the head is no cell");

/* --- writing ----------------------------------------------------------------
 */

/* All that is counted in one reading of the job. NULL with errno. *more: more
 * than 0 where it found checkpoints that it did not know. */
static struct query_state *partition_read (const struct querypartial *w,
                                           int *more)
{
    struct query_work *work = ZEROED (work, 1);
    struct query_state *all = NULL;
    struct learn *learn;
    struct pass_user user[2];
    struct pass pass;

    pass_open (&pass, w->job, w->rules, w->threads);
    query_work_make (work, &user[0], w->query, w->context, &pass);
    learn = learn_create (&pass);
    user[1] = learn_user (learn);
    if (pass_run (&pass, user, 2) == 0) {
        *more = learn_checkpoints (learn, w->job->checkpoints);
        all = query_work_merge (work);
    }
    learn_destroy (learn);
    query_work_clear (work);
    free (work);
    pass_close (&pass);
    return all;
}

/* The totals have found them in the first round, which another process did. */
static struct query_state *partition_count (const struct querypartial *w)
{
    int more = 0;
    struct query_state *all = partition_read (w, &more);

    if (!all || more == 0)
        return all;
    query_state_destroy (all);
    return partition_read (w, &more);
}

static int partition_put (void *cookie, struct packer *p, FILE *out)
{
    return query_state_pack (cookie, 1, p, out) == 0
               ? pack_section (p, QUERY_SECTION_END, out)
               : -1;
}

void querypartial_write (const char *path,
                         const struct partial_head *head,
                         const struct querypartial *w)
{
    struct query_state *s;
    struct errtext err;

    errno = 0;
    if (!(s = partition_count (w))) {
        if (errno == ESRCH)
            die ("%s: has a process that the first round did not see: remove "
                 "partials/ and begin again",
                 w->job->label);
        query_fail (w->job->label, &err);
        die ("%s", err.text);
    }
    partial_write_file (path, head, partition_put, s);
    query_state_destroy (s);
}

/* --- reading ----------------------------------------------------------------
 */

struct partition_reader {
    struct unpacker u;
    struct query_state *state;
};

static int partition_get (void *cookie, uint64_t type)
{
    struct partition_reader *r = cookie;

    return query_state_unpack (r->state, &r->u, type);
}

int querypartial_read_all (struct query_answer *a,
                           const struct querypartial *w,
                           unsigned partitions,
                           struct errtext *err)
{
    struct partition_reader r = {
        .state = query_state_create (w->query, w->context, NULL)};
    const char *dir = w->job->dir;
    int rc = 0;

    ZERO (a);
    for (unsigned i = 0; rc == 0 && i < partitions; i++) {
        char *path = partial_path (dir, PARTIAL_GROUPS, i, partitions);

        rc = partial_read_file (path, &r.u, QUERY_SECTION_END, partition_get,
                                &r, err);
        free (path);
    }
    unpacker_clear (&r.u);
    if (rc < 0) {
        query_state_destroy (r.state);
        return -1;
    }
    query_state_answer (r.state, a, w->threads);
    return 0;
}
