/* SPDX-License-Identifier: MIT
 *
 * querypartial.c - what a query counts in a partition of a job <-> a file
 *
 * In:  the traces of a partition, and what is known of the whole job
 * Out: sections, as querypack.c has them; of all partitions an answer
 */
#include "config.h"

#include "analyze/query/querypartial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/scan/learn.h"

_Static_assert((int)QUERY_SECTION_CELL > (int)PARTIAL_HEAD,
               "the head is no cell");

/* --- writing ----------------------------------------------------------------
 */

/* All that is counted in one reading of the job. NULL with errno. *more: more
 * than 0 where it found checkpoints that it did not know. */
static struct query_state *partition_read (const struct querypartial *w,
                                           int *more)
{
    struct query_work *work = calloc (1, sizeof (*work));
    struct query_state *all = NULL;
    struct learn *learn = NULL;
    struct pass_user user[2];
    struct pass pass = {.job = NULL};

    if (work && pass_open (&pass, w->job, w->rules, w->threads) == 0 &&
        query_work_make (work, &user[0], w->query, w->context, &pass) == 0 &&
        (learn = learn_create (&pass))) {
        user[1] = learn_user (learn);
        if (pass_run (&pass, user, 2) == 0 &&
            (*more = learn_checkpoints (learn, w->job->checkpoints)) >= 0)
            all = query_work_merge (work);
    }
    learn_destroy (learn);
    if (work)
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
    return query_state_pack (cookie, p, out) == 0
               ? pack_section (p, QUERY_SECTION_END, out)
               : -1;
}

int querypartial_write (const char *path,
                        const struct partial_head *head,
                        const struct querypartial *w,
                        struct errtext *err)
{
    struct query_state *s;
    int rc;

    errno = 0;
    if (!(s = partition_count (w)))
        return errno == ESRCH
                   ? errf (err,
                           "%s: has a process that the first round did not "
                           "see: remove partials/ and begin again",
                           w->job->label)
                   : query_fail (w->job->label, err);
    rc = partial_write_file (path, head, partition_put, s, err);
    query_state_destroy (s);
    return rc;
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
    int rc = r.state ? 0 : -1;

    memset (a, 0, sizeof (*a));
    (void)errf (err, "%s: %s", w->job->label, strerror (ENOMEM));
    for (unsigned i = 0; rc == 0 && i < partitions; i++) {
        char *path = partial_path (dir, PARTIAL_GROUPS, i, partitions);

        rc = path ? partial_read_file (path, &r.u, QUERY_SECTION_END,
                                       partition_get, &r, err)
                  : -1;
        free (path);
    }
    unpacker_clear (&r.u);
    if (rc < 0) {
        query_state_destroy (r.state);
        return -1;
    }
    if ((rc = query_state_answer (r.state, a, w->threads)) < 0) {
        (void)errf (err, "%s: %s", w->job->label,
                    strerror (errno ? errno : ENOMEM));
        query_answers_clear (a, 1);
    }
    return rc;
}
