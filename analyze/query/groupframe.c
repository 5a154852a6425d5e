/* SPDX-License-Identifier: MIT
 *
 * groupframe.c - what grouping events needs to know of the whole job
 *
 * In:  a job that has been read: its ranks, steps and epochs are known
 * Out: struct group_frame, to groups.c; a file of it, for those who read shares
 */
#include "config.h"

#include "analyze/query/groupframe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/shares/packer.h"
#include "lib/core/shard.h"
#include "lib/util/fsutil.h"

#define FRAME_MAGIC "dftframe"

enum { FRAME_MODE = 0600, ROWS_GOOD = 60, FRAME_SECTION = 1 };

/* --- of a job --------------------------------------------------------------
 */

/* Does the process train? Steps of others are not what a rank is in. */
static int trains (const struct process *p)
{
    return p->time[SET_COMPUTE] || p->time[SET_STALL];
}

static int make_windows (struct group_frame *f,
                         const struct totals *t,
                         enum mark_kind kind)
{
    for (int any = 0; any < 2; any++)
        for (size_t i = 0; i < t->processes; i++) {
            const struct process *p = &t->process[i];
            struct marks *m = &f->windows[p->rank].of[kind];

            if ((any ? !m->count : trains (p)) &&
                marks_append (m, &p->marks[kind]) < 0)
                return -1;
        }
    for (size_t r = 0; r < f->ranks; r++)
        marks_to_windows (&f->windows[r].of[kind]);
    return 0;
}

static int make_ranks (struct group_frame *f,
                       const struct grouping *g,
                       const struct result *r)
{
    f->ranks = r->summary->ranks;
    f->windows = calloc (f->ranks + 1, sizeof (*f->windows));
    f->number = calloc (f->ranks + 1, sizeof (*f->number));
    if (!f->windows || !f->number)
        return -1;
    for (size_t i = 0; i < f->ranks; i++)
        f->number[i] = r->summary->rank[i].first->who->p.rank;
    if (grouping_has (g, GROUP_step) &&
        make_windows (f, r->totals, MARK_STEP) < 0)
        return -1;
    return grouping_has (g, GROUP_epoch)
               ? make_windows (f, r->totals, MARK_EPOCH)
               : 0;
}

static int make_members (struct group_frame *f, const struct totals *t)
{
    f->first_start = UINT64_MAX;
    if (!(f->member = calloc (t->processes + 1, sizeof (*f->member))))
        return -1;
    for (size_t i = 0; i < t->processes; i++) {
        const struct trace_process *who = t->process[i].who;

        f->member[i] = (struct group_member){who->text[SHARD_STRING_HOST],
                                             who->p.start_real, who->p.pid,
                                             t->process[i].rank};
        if (who->p.start_real < f->first_start)
            f->first_start = who->p.start_real;
    }
    f->members = t->processes;
    return 0;
}

/* 1, 2 or 5 times a power of ten, so that there are at most 60 rows. */
static uint64_t round_interval (uint64_t ns)
{
    uint64_t step = 1;

    for (int i = 0; ns / step > ROWS_GOOD; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

static int choose_interval (struct group_frame *f,
                            const struct grouping *g,
                            const struct summary *s,
                            struct errtext *err)
{
    f->start = s->start;
    f->interval =
        g->interval ? g->interval : round_interval (s->end - s->start);
    if (grouping_has (g, GROUP_interval) &&
        (s->end - s->start) / f->interval > GROUP_INTERVALS_MAX) {
        errno = EINVAL;
        return errf (err, "--interval: more than %d of them: use longer ones",
                     GROUP_INTERVALS_MAX);
    }
    return 0;
}

int groupframe_make (struct group_frame *f,
                     const struct grouping *g,
                     const struct result *r,
                     struct errtext *err)
{
    memset (f, 0, sizeof (*f));
    if (choose_interval (f, g, r->summary, err) < 0)
        return -1;
    if (make_ranks (f, g, r) == 0 && make_members (f, r->totals) == 0)
        return 0;
    (void)errf (err, "%s: %s", r->job->label, strerror (ENOMEM));
    groupframe_clear (f);
    return -1;
}

static int member_order (const void *key, const void *member)
{
    const struct trace_process *who = key;
    const struct group_member *m = member;
    int order = strcmp (who->text[SHARD_STRING_HOST], m->host);

    if (order)
        return order;
    if (who->p.start_real != m->start)
        return who->p.start_real < m->start ? -1 : 1;
    return (who->p.pid > m->pid) - (who->p.pid < m->pid);
}

const struct group_member *groupframe_find (const struct group_frame *f,
                                            const struct trace_process *who)
{
    return f->members ? bsearch (who, f->member, f->members,
                                 sizeof (*f->member), member_order)
                      : NULL;
}

/* --- a file of it -----------------------------------------------------------
 */

static void pack_marks (struct packer *p, const struct marks *m)
{
    pack_uint (p, m->count);
    for (size_t i = 0; i < m->count; i++) {
        pack_int (p, m->item[i].number);
        pack_uint (p, m->item[i].start);
        pack_uint (p, m->item[i].end - m->item[i].start);
    }
}

static void
pack_frame (struct packer *p, const struct group_frame *f, uint64_t rules)
{
    pack_bytes (p, FRAME_MAGIC, sizeof (FRAME_MAGIC));
    pack_uint (p, rules);
    pack_uint (p, f->start);
    pack_uint (p, f->first_start);
    pack_uint (p, f->interval);
    pack_uint (p, f->ranks);
    for (size_t r = 0; r < f->ranks; r++) {
        pack_int (p, f->number[r]);
        for (int kind = 0; kind < MARK_KINDS; kind++)
            pack_marks (p, &f->windows[r].of[kind]);
    }
    pack_uint (p, f->members);
    for (size_t i = 0; i < f->members; i++) {
        pack_text (p, f->member[i].host);
        pack_uint (p, f->member[i].start);
        pack_uint (p, f->member[i].pid);
        pack_uint (p, f->member[i].rank);
    }
}

int groupframe_sum (struct group_frame *f, uint64_t rules)
{
    struct packer p = {0};
    int failed;

    pack_frame (&p, f, rules);
    failed = p.failed;
    if (!failed)
        f->sum = shard_checksum (p.data, p.used, 0) >> 1;
    packer_clear (&p);
    return failed ? -1 : 0;
}

int groupframe_write (const struct group_frame *f,
                      const char *path,
                      uint64_t rules,
                      struct errtext *err)
{
    struct atomic_file *a = atomic_open (path, FRAME_MODE, err);
    struct packer p = {0};
    int rc;

    if (!a)
        return -1;
    pack_frame (&p, f, rules);
    rc = pack_section (&p, FRAME_SECTION, atomic_stream (a));
    packer_clear (&p);
    if (rc == 0)
        return atomic_commit (a, err);
    (void)errf (err, "%s: %s", path, strerror (errno ? errno : EIO));
    atomic_abort (a);
    return -1;
}

static int get_marks (struct unpacker *u, struct marks *m)
{
    uint64_t count = unpack_uint (u);

    for (uint64_t i = 0; i < count && !u->bad; i++) {
        struct mark one = {.number = unpack_int (u)};
        struct marks single = {.item = &one, .count = 1};

        one.start = unpack_uint (u);
        one.end = one.start + unpack_uint (u);
        if (!u->bad && marks_append (m, &single) < 0)
            return -1;
    }
    return u->bad ? -1 : 0;
}

/* Nothing is larger than the bytes that say how large it is. */
static uint64_t get_count (struct unpacker *u)
{
    uint64_t n = unpack_uint (u);

    if (!u->bad && n > (uint64_t)(u->limit - u->p))
        u->bad = 1;
    return u->bad ? 0 : n;
}

static int get_ranks (struct unpacker *u, struct group_frame *f)
{
    f->ranks = get_count (u);
    f->windows = calloc (f->ranks + 1, sizeof (*f->windows));
    f->number = calloc (f->ranks + 1, sizeof (*f->number));
    if (!f->windows || !f->number)
        return -1;
    for (size_t r = 0; r < f->ranks; r++) {
        f->number[r] = unpack_int (u);
        for (int kind = 0; kind < MARK_KINDS; kind++)
            if (get_marks (u, &f->windows[r].of[kind]) < 0)
                return -1;
    }
    return 0;
}

static int get_member (struct unpacker *u, struct group_frame *f, size_t i)
{
    size_t n;
    const char *host = unpack_text (u, &n);
    int64_t at = host ? strmap_intern (f->hosts, host, n, NULL) : -1;

    if (at < 0)
        return -1;
    f->member[i].host = strmap_key (f->hosts, (size_t)at, NULL);
    f->member[i].start = unpack_uint (u);
    f->member[i].pid = unpack_uint (u);
    f->member[i].rank = unpack_uint (u);
    u->bad |= f->member[i].rank >= f->ranks;
    return u->bad ? -1 : 0;
}

static int get_members (struct unpacker *u, struct group_frame *f)
{
    uint64_t members = get_count (u);

    f->member = calloc (members + 1, sizeof (*f->member));
    if (!f->member || !(f->hosts = strmap_create ()))
        return -1;
    for (; f->members < members; f->members++)
        if (get_member (u, f, f->members) < 0)
            return -1;
    return unpack_ended (u) ? 0 : -1;
}

static int get_frame (struct unpacker *u, struct group_frame *f, uint64_t rules)
{
    char magic[sizeof (FRAME_MAGIC)];

    f->sum = shard_checksum (u->p, (size_t)(u->limit - u->p), 0) >> 1;
    unpack_bytes (u, magic, sizeof (magic));
    if (unpack_uint (u) != rules || u->bad ||
        memcmp (magic, FRAME_MAGIC, sizeof (magic)) != 0) {
        errno = EPROTO;
        return -1;
    }
    f->start = unpack_uint (u);
    f->first_start = unpack_uint (u);
    f->interval = unpack_uint (u);
    u->bad |= f->interval == 0;
    errno = EBADMSG;
    return get_ranks (u, f) < 0 ? -1 : get_members (u, f);
}

int groupframe_read (struct group_frame *f,
                     const char *path,
                     uint64_t rules,
                     struct errtext *err)
{
    FILE *in = fopen (path, "re");
    struct unpacker u = {0};
    uint64_t type;
    int rc = in ? unpack_section (&u, &type, in) : -1;

    memset (f, 0, sizeof (*f));
    if (rc > 0)
        rc = get_frame (&u, f, rules);
    else if (rc == 0) {
        errno = EBADMSG;
        rc = -1;
    }
    if (rc < 0) {
        (void)errf (err, "%s: %s", path, strerror (errno));
        groupframe_clear (f);
    }
    unpacker_clear (&u);
    if (in)
        (void)fclose (in);
    return rc;
}

void groupframe_clear (struct group_frame *f)
{
    int saved = errno;

    for (size_t r = 0; f->windows && r < f->ranks; r++)
        for (int kind = 0; kind < MARK_KINDS; kind++)
            marks_clear (&f->windows[r].of[kind]);
    free (f->windows);
    free (f->number);
    free (f->member);
    strmap_destroy (f->hosts);
    memset (f, 0, sizeof (*f));
    errno = saved;
}
