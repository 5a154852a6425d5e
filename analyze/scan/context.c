/* SPDX-License-Identifier: MIT
 *
 * context.c - what a query needs to know of the whole job <-> a file
 *
 * In:  a context; a file of it, for those who read partitions
 * Out: the rank of a process; the same again
 */
#include "config.h"

#include "analyze/scan/context.h"
#include "analyze/scan/packer.h"
#include "lib/base/array.h"
#include "lib/format/shard.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

#define CONTEXT_MAGIC "dftframe"

enum { CONTEXT_MODE = 0600, CONTEXT_SECTION = 1 };

static int context_order (const void *key, const void *member)
{
    const struct trace_process *who = key;
    const struct query_member *m = member;
    int order = strcmp (who->text[SHARD_STRING_HOST], m->host);

    if (order)
        return order;
    return ORDER (who->p.start_real, m->start) ?: ORDER (who->p.pid, m->pid);
}

const struct query_member *query_context_find (const struct query_context *c,
                                               const struct trace_process *who)
{
    return c->members ? bsearch (who, c->member, c->members,
                                 sizeof (*c->member), context_order)
                      : NULL;
}

/* --- a file of it -----------------------------------------------------------
 */

static void
context_pack (struct packer *p, const struct query_context *c, uint64_t rules)
{
    pack_bytes (p, CONTEXT_MAGIC, sizeof (CONTEXT_MAGIC));
    pack_uint (p, rules);
    pack_uint (p, c->start);
    pack_uint (p, c->first_start);
    pack_uint (p, c->interval);
    pack_uint (p, c->ranks);
    for (size_t r = 0; r < c->ranks; r++) {
        pack_int (p, c->number[r]);
        for (int kind = 0; kind < MARK_KINDS; kind++)
            marks_pack (p, &c->windows[r].of[kind]);
    }
    pack_uint (p, c->members);
    for (size_t i = 0; i < c->members; i++) {
        pack_text (p, c->member[i].host);
        pack_uint (p, c->member[i].start);
        pack_uint (p, c->member[i].pid);
        pack_uint (p, c->member[i].rank);
    }
}

void query_context_sum (struct query_context *c, uint64_t rules)
{
    struct packer p = {0};

    context_pack (&p, c, rules);
    c->sum = shard_checksum (p.data, p.used, 0) >> 1;
    packer_clear (&p);
}

int query_context_write (const struct query_context *c,
                         const char *path,
                         uint64_t rules,
                         struct errtext *err)
{
    struct atomic_file *a = atomic_open (path, CONTEXT_MODE, err);
    struct packer p = {0};
    int rc;

    if (!a)
        return -1;
    context_pack (&p, c, rules);
    rc = pack_section (&p, CONTEXT_SECTION, atomic_stream (a));
    packer_clear (&p);
    if (rc == 0)
        return atomic_commit (a, err);
    err_system (err, path, errno ? errno : EIO);
    atomic_abort (a);
    return -1;
}

/* Nothing is larger than the bytes that say how large it is. */
static uint64_t context_get_count (struct unpacker *u)
{
    uint64_t n = unpack_uint (u);

    if (!u->bad && n > (uint64_t)(u->limit - u->p))
        u->bad = 1;
    return u->bad ? 0 : n;
}

static int context_get_ranks (struct unpacker *u, struct query_context *c)
{
    c->ranks = context_get_count (u);
    NEW (c->windows, c->ranks + 1);
    NEW (c->number, c->ranks + 1);
    for (size_t r = 0; r < c->ranks; r++) {
        c->number[r] = unpack_int (u);
        for (int kind = 0; kind < MARK_KINDS; kind++)
            if (marks_unpack (u, &c->windows[r].of[kind]) < 0)
                return -1;
    }
    return 0;
}

static int
context_get_member (struct unpacker *u, struct query_context *c, size_t i)
{
    size_t n;
    const char *host = unpack_text (u, &n);
    int64_t at = host ? (int64_t)strmap_intern (c->hosts, host, n, NULL) : -1;

    if (at < 0)
        return -1;
    c->member[i].host = strmap_key (c->hosts, at, NULL);
    c->member[i].start = unpack_uint (u);
    c->member[i].pid = unpack_uint (u);
    c->member[i].rank = unpack_uint (u);
    u->bad |= c->member[i].rank >= c->ranks;
    return u->bad ? -1 : 0;
}

static int context_get_members (struct unpacker *u, struct query_context *c)
{
    uint64_t members = context_get_count (u);

    NEW (c->member, members + 1);
    c->hosts = strmap_create ();
    for (; c->members < members; c->members++)
        if (context_get_member (u, c, c->members) < 0)
            return -1;
    return unpack_ended (u) ? 0 : -1;
}

static int
context_get (struct unpacker *u, struct query_context *c, uint64_t rules)
{
    char magic[sizeof (CONTEXT_MAGIC)];

    c->sum = shard_checksum (u->p, u->limit - u->p, 0) >> 1;
    unpack_bytes (u, magic, sizeof (magic));
    if (unpack_uint (u) != rules || u->bad ||
        memcmp (magic, CONTEXT_MAGIC, sizeof (magic)) != 0) {
        errno = EPROTO;
        return -1;
    }
    c->start = unpack_uint (u);
    c->first_start = unpack_uint (u);
    c->interval = unpack_uint (u);
    u->bad |= c->interval == 0;
    errno = EBADMSG;
    return context_get_ranks (u, c) < 0 ? -1 : context_get_members (u, c);
}

int query_context_read (struct query_context *c,
                        const char *path,
                        uint64_t rules,
                        struct errtext *err)
{
    FILE *in = fopen (path, "re");
    struct unpacker u = {0};
    uint64_t type;
    int rc = in ? unpack_section (&u, &type, in) : -1;

    ZERO (c);
    if (rc > 0)
        rc = context_get (&u, c, rules);
    else if (rc == 0) {
        errno = EBADMSG;
        rc = -1;
    }
    if (rc < 0) {
        err_system (err, path, errno);
        query_context_clear (c);
    }
    unpacker_clear (&u);
    if (in)
        fclose (in);
    return rc;
}

void query_context_clear (struct query_context *c)
{
    for (size_t r = 0; c->windows && r < c->ranks; r++)
        for (int kind = 0; kind < MARK_KINDS; kind++)
            marks_clear (&c->windows[r].of[kind]);
    free (c->windows);
    free (c->number);
    free (c->member);
    strmap_destroy (c->hosts);
    ZERO (c);
}
