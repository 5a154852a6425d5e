/* SPDX-License-Identifier: MIT
 *
 * compatjoin.c - the files of all partitions of a job -> DFAnalyzer's sums
 *
 * In:  files of compatpartial.c; hostile input is refused, never believed
 * Out: struct compat_tally, as compatread.c would have made it
 */
#include "config.h"

#include "analyze/compat/compatpartial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compat/compatop.h"

enum { PROCESS_KEY_MAX = EVENT_NAME_MAX + 2 * sizeof (uint64_t) };

/* --- sections ---------------------------------------------------------------
 */

/* A growing list of the numbers that those of a file have in the tally. */
struct numbers {
    uint32_t *item; /* owned */
    size_t count, room;
};

struct reader {
    struct unpacker u;
    struct job *job;
    struct compat_tally *t; /* NULL: only when it began */
    struct strmap *processes;
    struct numbers ops, threads;
    uint64_t start;
};

static int number_add (struct numbers *to, int64_t number)
{
    size_t room = to->room ? 2 * to->room : 64;
    uint32_t *item;

    if (number < 0)
        return -1;
    if (to->count == to->room) {
        if (!(item = reallocarray (to->item, room, sizeof (*item))))
            return -1;
        to->item = item;
        to->room = room;
    }
    to->item[to->count++] = (uint32_t)number;
    return 0;
}

static int compatjoin_get_source (struct reader *r)
{
    int64_t at = partial_unpack_source (&r->u, r->job);

    if (at < 0)
        return -1;
    r->job->source[at].taken = 1;
    return 0;
}

/* Host, start and process id; its length. */
static size_t process_key (
    char *key, const char *host, size_t n, uint64_t start, uint64_t pid)
{
    memcpy (key, host, n);
    memcpy (key + n, &start, sizeof (start));
    memcpy (key + n + sizeof (start), &pid, sizeof (pid));
    return n + sizeof (start) + sizeof (pid);
}

static int get_process (struct reader *r)
{
    struct unpacker *u = &r->u;
    size_t n;
    const char *host = unpack_text (u, &n);
    uint64_t start = unpack_uint (u), pid = unpack_uint (u);
    char key[PROCESS_KEY_MAX];
    int isnew;

    if (u->bad || n > EVENT_NAME_MAX)
        return -1;
    n = process_key (key, host, n, start, pid);
    if (strmap_intern (r->processes, key, n, &isnew) < 0)
        return -1;
    if (isnew)
        return 0;
    errno = EEXIST;
    return -1;
}

static int get_bounds (struct reader *r)
{
    uint64_t start = unpack_uint (&r->u), end = unpack_uint (&r->u);

    if (start < r->start)
        r->start = start;
    if (r->t && end > r->t->end)
        r->t->end = end;
    return 0;
}

static int get_totals (struct reader *r)
{
    struct compat_totals *t = r->t ? &r->t->totals : NULL;
    uint64_t events = unpack_uint (&r->u), first = unpack_uint (&r->u),
             last = unpack_uint (&r->u);

    if (r->u.bad || !t)
        return -1;
    t->events += events;
    t->first = first < t->first ? first : t->first;
    t->last = last > t->last ? last : t->last;
    return 0;
}

static int get_thing (struct reader *r, uint64_t type)
{
    size_t n;
    const char *key = unpack_text (&r->u, &n);

    return r->u.bad || !r->t
               ? -1
               : compat_totals_add (
                     &r->t->totals,
                     (enum compat_thing) (type - LAYER_PROCESS_ID), key, n);
}

static int get_path (struct reader *r)
{
    size_t n;
    const char *key = unpack_text (&r->u, &n);
    char *path = unpack_string (&r->u);
    int rc = path && r->t ? compat_tally_path (r->t, key, n, path) : -1;

    free (path);
    return rc;
}

/* A key has three texts. */
static int is_op (const char *key, size_t n)
{
    int texts = 0;

    for (size_t i = 0; i < n; i++)
        texts += key[i] == '\0';
    return n && texts == 3 && key[n - 1] == '\0';
}

static int get_op (struct reader *r)
{
    size_t n;
    const char *key = unpack_text (&r->u, &n);

    if (r->u.bad || !r->t || !is_op (key, n))
        return -1;
    return number_add (&r->ops, compat_tally_op (r->t, key, n));
}

static int get_thread (struct reader *r)
{
    size_t n;
    const char *key = unpack_text (&r->u, &n);
    int counts = unpack_uint (&r->u) != 0;
    struct compat_thread *thread;
    int64_t at;

    if (r->u.bad || !r->t || n < 2 * sizeof (uint64_t) ||
        n > 2 * sizeof (uint64_t) + COMPAT_HOST_MAX ||
        (at = compat_tally_thread (r->t, key, n)) < 0)
        return -1;
    thread = strmap_value (r->t->threads, (size_t)at);
    thread->counts |= counts;
    return number_add (&r->threads, at);
}

/* In order, as they were written: sorting in what is not takes for ever. */
static int get_seconds (struct unpacker *u, struct compat_run *run)
{
    uint64_t next = 0;

    for (uint64_t n = unpack_uint (u); n && !u->bad; n--) {
        struct compat_second s = {.number = unpack_uint (u)};

        s.us = unpack_uint (u);
        s.n = unpack_uint (u);
        s.bytes = unpack_uint (u);
        s.first = unpack_uint (u);
        u->bad |= s.number < next || s.number == UINT64_MAX;
        if (!u->bad && compat_run_second (run, &s) < 0)
            return -1;
        next = s.number + 1;
    }
    return u->bad ? -1 : 0;
}

static int get_set (struct unpacker *u, struct intervals *set)
{
    uint64_t start, end = 0;

    for (uint64_t n = unpack_uint (u); n && !u->bad; n--) {
        u->bad |= __builtin_add_overflow (end, unpack_uint (u), &start);
        u->bad |= __builtin_add_overflow (start, unpack_uint (u), &end);
        if (!u->bad && intervals_add (set, start, end) < 0)
            return -1;
    }
    return u->bad ? -1 : 0;
}

static int get_run (struct reader *r)
{
    uint64_t op = unpack_uint (&r->u), thread = unpack_uint (&r->u);
    struct compat_run one = {.op = 0}, *to = NULL;
    int rc = -1;

    if (!r->u.bad && r->t && op < r->ops.count && thread < r->threads.count)
        to = compat_tally_run (r->t, r->ops.item[op], r->threads.item[thread]);
    if (to && get_seconds (&r->u, &one) == 0 && get_set (&r->u, &one.set) == 0)
        rc = compat_run_add (to, &one);
    free (one.second);
    intervals_clear (&one.set);
    return rc;
}

static int compatjoin_get_section (void *cookie, uint64_t type)
{
    static int (*const get[]) (struct reader *) = {
        [LAYER_SOURCE] = compatjoin_get_source,
        [LAYER_PROCESS] = get_process,
        [LAYER_BOUNDS] = get_bounds,
        [LAYER_TOTALS] = get_totals,
        [LAYER_PATH] = get_path,
        [LAYER_OP] = get_op,
        [LAYER_THREAD] = get_thread,
        [LAYER_RUN] = get_run,
    };
    struct reader *r = cookie;

    if (type < LAYER_SOURCE || type > LAYER_RUN)
        r->u.bad = 1;
    if (r->u.bad)
        return -1;
    return get[type] ? get[type](r) : get_thing (r, type);
}

static int
read_partition (struct reader *r, const char *path, struct errtext *err)
{
    r->ops.count = r->threads.count = 0;
    return partial_read_file (path, &r->u, LAYER_END, compatjoin_get_section, r,
                              err);
}

/* --- all of them ------------------------------------------------------------
 */

static int compatjoin_has_process (const void *cookie,
                                   const struct trace_process *who)
{
    const struct reader *r = cookie;
    const char *host = who->text[SHARD_STRING_HOST];
    size_t n = strnlen (host, EVENT_NAME_MAX);
    char key[PROCESS_KEY_MAX];

    n = process_key (key, host, n, who->p.start_real, who->p.pid);
    return strmap_find (r->processes, key, n) >= 0;
}

int compatpartial_read_all (const struct partial_head *head,
                            struct job *job,
                            struct compat_tally *t,
                            uint64_t *start,
                            struct errtext *err)
{
    struct reader r = {
        .job = job, .t = t, .processes = strmap_create (), .start = UINT64_MAX};
    int rc = r.processes ? 0 : -1;

    (void)errf (err, "%s: %s", job->label, strerror (ENOMEM));
    for (size_t i = 0; i < job->sources; i++)
        job->source[i].taken = 0;
    for (unsigned i = 0; rc == 0 && i < head->partitions; i++) {
        char *path =
            partial_path (job->dir, PARTIAL_LAYERS, i, head->partitions);

        rc = path ? read_partition (&r, path, err) : -1;
        free (path);
    }
    if (rc == 0 && (rc = partial_check_sources (job, err)) == 0)
        rc = partial_check_merged (job, compatjoin_has_process, &r, err);
    *start = r.start;
    strmap_destroy (r.processes);
    unpacker_clear (&r.u);
    free (r.ops.item);
    free (r.threads.item);
    return rc;
}
