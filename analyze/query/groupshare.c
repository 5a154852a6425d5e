/* SPDX-License-Identifier: MIT
 *
 * groupshare.c - the groups of a share of a job <-> a file
 *
 * In:  the traces of a share, and what is known of the whole job
 * Out: sections: a group, then the times of each thread in it; of all shares
 *      struct groups again
 */
#include "config.h"

#include "analyze/query/groupshare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/grouppass.h"
#include "analyze/query/spans/spanpack.h"
#include "lib/util/fsutil.h"
#include "lib/util/pool.h"

enum { SHARE_MODE = 0600 };

enum section { GROUP_SUM = PARTIAL_HEAD + 1, GROUP_SPANS, GROUP_END };

/* --- writing ----------------------------------------------------------------
 */

static int put_sum (struct packer *p,
                    const struct group *g,
                    const struct grouping *by,
                    FILE *out)
{
    for (int k = 0; k < by->keys; k++)
        pack_text (p, g->value[k]);
    pack_uint (p, g->count);
    pack_uint (p, g->errors);
    pack_uint (p, g->bytes);
    pack_uint (p, g->ns);
    pack_uint (p, g->min);
    pack_uint (p, g->max);
    return pack_section (p, GROUP_SUM, out);
}

static int
put_spans (struct packer *p, const struct group_cell *cell, FILE *out)
{
    for (size_t i = 0; cell && i < cell->logs; i++)
        if (spanlog_pack (p, &cell->log[i]) < 0 ||
            pack_section (p, GROUP_SPANS, out) < 0)
            return -1;
    return 0;
}

static int put_all (struct packer *p,
                    const struct partial_head *head,
                    const struct group_pass *x,
                    FILE *out)
{
    if (partial_put_head (p, head, out) < 0)
        return -1;
    for (size_t i = 0; i < x->out->count; i++) {
        if (put_sum (p, &x->out->item[i], x->by, out) < 0)
            return -1;
        for (int w = 0; w < x->workers; w++)
            if (put_spans (p, x->cell[i * (size_t)x->workers + (size_t)w],
                           out) < 0)
                return -1;
    }
    return pack_section (p, GROUP_END, out);
}

static int write_groups (const char *path,
                         const struct partial_head *head,
                         const struct group_pass *x,
                         struct errtext *err)
{
    struct atomic_file *a = atomic_open (path, SHARE_MODE, err);
    struct packer p = {0};
    int rc;

    if (!a)
        return -1;
    rc = put_all (&p, head, x, atomic_stream (a));
    packer_clear (&p);
    if (rc == 0)
        return atomic_commit (a, err);
    (void)errf (err, "%s: %s", path, strerror (errno ? errno : EIO));
    atomic_abort (a);
    return -1;
}

int groupshare_write (const char *path,
                      const struct partial_head *head,
                      const struct job *job,
                      const struct grouping *by,
                      const struct group_frame *frame,
                      struct errtext *err)
{
    struct groups groups = {0};
    struct group_pass x = {
        .job = job, .by = by, .frame = frame, .out = &groups};
    int rc = group_pass_read (&x);

    if (rc == 0)
        rc = write_groups (path, head, &x, err);
    else
        (void)errf (err, "%s: %s", job->label,
                    errno == ESRCH ? "has a process that the first round did "
                                     "not see: remove partials/ and begin again"
                                   : strerror (errno ? errno : ENOMEM));
    group_pass_clear (&x);
    groups_clear (&groups);
    return rc;
}

/* --- reading ----------------------------------------------------------------
 */

struct reader {
    struct unpacker u;
    const struct grouping *by;
    struct strmap *keys;     /* both texts -> struct group_cell */
    struct group_cell *cell; /* at hand */
    int ended;
};

static struct group_cell *new_cell (struct strmap *keys, int64_t at)
{
    struct group_cell *c = calloc (1, sizeof (*c));

    if (c)
        strmap_set (keys, (size_t)at, c);
    return c;
}

static int get_sum (struct reader *r)
{
    struct unpacker *u = &r->u;
    char key[GROUP_BY_MAX * (EVENT_NAME_MAX + 1)];
    struct group got = {0};
    size_t n = 0, length;
    int64_t at;

    for (int k = 0; k < r->by->keys; k++) {
        const char *text = unpack_text (u, &length);

        if (!text || length > EVENT_NAME_MAX)
            return -1;
        memcpy (key + n, text, length);
        key[n + length] = '\0';
        n += length + 1;
    }
    got.count = unpack_uint (u);
    got.errors = unpack_uint (u);
    got.bytes = unpack_uint (u);
    got.ns = unpack_uint (u);
    got.min = unpack_uint (u);
    got.max = unpack_uint (u);
    if (u->bad || (at = strmap_intern (r->keys, key, n, NULL)) < 0)
        return -1;
    if (!(r->cell = strmap_value (r->keys, (size_t)at)) &&
        !(r->cell = new_cell (r->keys, at)))
        return -1;
    group_add (&r->cell->sum, &got);
    return 0;
}

static int get_spans (struct reader *r)
{
    return !r->cell || spanlog_unpack (&r->u, &r->cell->now) < 0
               ? -1
               : group_cell_keep (r->cell);
}

static int get_section (struct reader *r, uint64_t type)
{
    int rc = -1;

    if (r->ended)
        r->u.bad = 1;
    else if (type == GROUP_SUM)
        rc = get_sum (r);
    else if (type == GROUP_SPANS)
        rc = get_spans (r);
    else if (type == GROUP_END)
        rc = 0;
    r->ended |= type == GROUP_END;
    return rc == 0 && unpack_ended (&r->u) ? 0 : -1;
}

static int read_share (struct reader *r, const char *path, struct errtext *err)
{
    struct partial_head head;
    FILE *in = partial_open (path, &r->u, &head, err);
    uint64_t type;
    int rc;

    if (!in)
        return -1;
    errno = 0;
    while ((rc = unpack_section (&r->u, &type, in)) > 0)
        if (get_section (r, type) < 0) {
            rc = -1;
            break;
        }
    if (rc < 0 || !r->ended)
        rc = errf (err, "%s: %s", path,
                   errno == ENOMEM ? strerror (ENOMEM) : "damaged");
    r->ended = 0;
    r->cell = NULL;
    (void)fclose (in);
    return rc;
}

static int read_shares (struct reader *r,
                        const struct job *job,
                        unsigned shares,
                        struct errtext *err)
{
    int rc = r->keys ? 0 : -1;

    (void)errf (err, "%s: %s", job->label, strerror (ENOMEM));
    for (unsigned i = 0; rc == 0 && i < shares; i++) {
        char *path = partial_path (job->dir, PARTIAL_GROUPS, i, shares);

        rc = path ? read_share (r, path, err) : -1;
        free (path);
    }
    return rc;
}

/* As a pass with one worker would have left it. */
static int to_groups (struct group_pass *x, struct strmap *keys)
{
    struct groups *gs = x->out;

    gs->count = strmap_count (keys);
    gs->item = calloc (gs->count + 1, sizeof (*gs->item));
    x->cell = calloc (gs->count + 1, sizeof (struct group_cell *));
    if (!gs->item || !x->cell)
        return -1;
    for (size_t i = 0; i < gs->count; i++) {
        if (!(x->cell[i] = strmap_value (keys, i)))
            return -1;
        gs->item[i] = x->cell[i]->sum;
        group_set_values (gs, i, x->by->keys);
    }
    return group_pass_unite (x);
}

int groupshare_read_all (struct groups *gs,
                         const struct job *job,
                         const struct grouping *by,
                         const struct group_frame *frame,
                         unsigned shares,
                         struct errtext *err)
{
    struct reader r = {.by = by, .keys = strmap_create ()};
    struct group_pass x = {
        .job = job, .by = by, .frame = frame, .out = gs, .workers = 1};
    int rc;

    memset (gs, 0, sizeof (*gs));
    gs->interval = frame->interval;
    gs->keys = r.keys;
    rc = read_shares (&r, job, shares, err);
    if (rc == 0 && (rc = to_groups (&x, r.keys)) < 0)
        (void)errf (err, "%s: %s", job->label,
                    strerror (errno ? errno : ENOMEM));
    for (size_t i = 0; r.keys && i < strmap_count (r.keys); i++)
        group_cell_free (strmap_value (r.keys, i));
    unpacker_clear (&r.u);
    x.workers = 0;
    group_pass_clear (&x);
    if (rc < 0)
        groups_clear (gs);
    return rc;
}
