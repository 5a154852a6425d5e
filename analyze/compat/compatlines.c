/* SPDX-License-Identifier: MIT
 *
 * compatlines.c - lines of DFTracer's files, heard while they are opened ->
 * sums by DFAnalyzer's rules
 *
 * In:  all lines of each file, in their order
 * Out: struct compat_tally
 *
 * Where seconds count from the start of the job, which is known when all files
 * have been read, what an event has to be counted by waits in packed blocks,
 * which need a few bytes an event and go to an unnamed file.
 */
#include "config.h"

#include "analyze/compat/compatlines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compat/compatop.h"
#include "analyze/import/pfw/pfwnames.h"
#include "lib/format/event.h"
#include "lib/format/varint.h"
#include "lib/util/spool.h"

enum { WAITING_BLOCK = 1 << 14, WAITING_EVENT = 5 * VARINT_MAX };

/* A block of events that has been put away. */
struct waiting {
    uint64_t offset; /* in the spool */
    size_t bytes;
};

/* A file. */
struct linefile {
    struct compat_tally tally;
    struct pfw_names *names; /* what its own lines have said so far */
    unsigned char *block;    /* [WAITING_BLOCK] of events; owned */
    size_t used;
    uint64_t last;           /* when the last event in the block began */
    struct waiting *waiting; /* owned */
    size_t count, room;
};

static void linefile_clear (struct linefile *f)
{
    compat_tally_clear (&f->tally);
    pfw_names_destroy (f->names);
    free (f->block);
    free (f->waiting);
    memset (f, 0, sizeof (*f));
}

/* Also of a file that is read once more. */
static int linefile_begin (struct linefile *f,
                           const struct compat_layers *layers)
{
    linefile_clear (f);
    if (compat_tally_init (&f->tally, layers, 0) < 0)
        return -1;
    f->names = pfw_names_create ();
    f->block = malloc (WAITING_BLOCK);
    return f->names && f->block ? 0 : -1;
}

/* --- events that wait --------------------------------------------------- */

static int linefile_put_away (struct linefile *f)
{
    size_t room = f->room ? 2 * f->room : 16;
    struct waiting *w = f->waiting;

    if (f->count == f->room) {
        if (!(w = reallocarray (w, room, sizeof (*w))))
            return -1;
        f->waiting = w;
        f->room = room;
    }
    w += f->count;
    if (spool_put (f->block, f->used, &w->offset) < 0)
        return -1;
    w->bytes = f->used;
    f->count++;
    f->used = 0;
    f->last = 0;
    return 0;
}

static int linefile_wait (struct linefile *f,
                          int64_t op,
                          int64_t thread,
                          const struct compat_item *e)
{
    unsigned char *p;

    if (op < 0 || thread < 0)
        return -1;
    if (f->used + WAITING_EVENT > WAITING_BLOCK && linefile_put_away (f) < 0)
        return -1;
    p = f->block + f->used;
    p = put_varint (p, (uint64_t)op);
    p = put_varint (p, (uint64_t)thread);
    p = put_varint (p, zigzag ((int64_t)(e->ts - f->last)));
    p = put_varint (p, e->dur);
    p = put_varint (p, e->bytes);
    f->last = e->ts;
    f->used = (size_t)(p - f->block);
    return 0;
}

/* The start is known: count those of the block. */
static int linefile_count_block (struct linefile *f)
{
    const unsigned char *p = f->block, *limit = p + f->used;
    struct compat_item e = {.ts = 0};

    while (p && p < limit) {
        uint64_t op = 0, thread = 0, ts = 0;

        p = get_varint (p, limit, &op);
        p = p ? get_varint (p, limit, &thread) : NULL;
        p = p ? get_varint (p, limit, &ts) : NULL;
        p = p ? get_varint (p, limit, &e.dur) : NULL;
        p = p ? get_varint (p, limit, &e.bytes) : NULL;
        e.ts += (uint64_t)unzigzag (ts);
        if (p && compat_tally_count (&f->tally, (int64_t)op, (int64_t)thread,
                                     &e) < 0)
            return -1;
    }
    if (!p)
        errno = EIO;
    return p ? 0 : -1;
}

static int linefile_count_all (struct linefile *f)
{
    if (f->count && f->used && linefile_put_away (f) < 0)
        return -1;
    for (size_t i = 0; i < f->count; i++) {
        f->used = f->waiting[i].bytes;
        if (spool_get (f->block, f->used, f->waiting[i].offset) < 0 ||
            linefile_count_block (f) < 0)
            return -1;
    }
    if (!f->count && linefile_count_block (f) < 0)
        return -1;
    f->count = f->used = 0;
    return 0;
}

/* --- lines ---------------------------------------------------------------- */

/* A hash stands for a path, in this file and maybe in others. */
static int linefile_take_name (struct linefile *f, const struct pfw_line *l)
{
    char path[EVENT_NAME_MAX + 1];
    size_t n = pfw_unescape (&l->meta_name, path, EVENT_NAME_MAX);

    path[n] = '\0';
    return pfw_names_define (f->names, &l->meta_value, &l->meta_name) < 0
               ? -1
               : compat_tally_path (&f->tally, l->meta_value.p, l->meta_value.n,
                                    path);
}

/* Is it a text, not a number? The quote stands before it. */
static int linefile_is_text (const struct pfw_text *t)
{
    return t->n && t->p[-1] == '"';
}

/* All events of a file by its hash, also where the path is known. */
static int linefile_take_totals (struct linefile *f, struct compat_item *e)
{
    struct compat_totals *totals = &f->tally.totals;

    compat_totals_event (totals, e->ts, e->dur);
    if (e->hash &&
        compat_totals_add (totals, COMPAT_FILES, e->hash, e->hash_length) < 0)
        return -1;
    if (compat_totals_add (totals, COMPAT_PROCESSES, &e->pid, sizeof (e->pid)) <
        0)
        return -1;
    return compat_totals_add (totals, COMPAT_NODES,
                              e->host_length ? e->host : "", e->host_length);
}

static int linefile_take_path (struct linefile *f,
                               const struct pfw_line *l,
                               struct compat_item *e)
{
    uint32_t number = pfw_names_hash (f->names, &l->fhash);
    const struct pfw_name *name = pfw_names_get (f->names, number);

    if (!name)
        return -1;
    if (name->undefined) {
        e->hash = l->fhash.p;
        e->hash_length = l->fhash.n;
    } else
        e->path = name->text;
    return 0;
}

static int linefile_take_event (struct linefile *f, const struct compat_item *e)
{
    struct compat_tally *t = &f->tally;
    int64_t op;

    if (compat_rule (t, COMPAT_MIDDLE))
        return compat_tally_add (t, e);
    op = compat_tally_op_of (t, e);
    return op == COMPAT_IGNORED
               ? 0
               : linefile_wait (f, op, compat_tally_thread_of (t, e), e);
}

static int linefile_take (void *cookie, const struct pfw_line *l)
{
    struct linefile *f = cookie;
    struct compat_item e = {.category = l->cat.p ? l->cat.p : "",
                            .category_length = l->cat.n,
                            .name = l->name.p,
                            .name_length = l->name.n,
                            .pid = l->pid,
                            .tid = l->tid,
                            .ts = l->ts,
                            .dur = l->dur,
                            .host = l->hhash.p,
                            .host_length = l->hhash.n};

    if (l->phase == PFW_PHASE_AGGREGATED)
        return 0;
    if (l->phase == PFW_PHASE_META)
        return l->meta_name.p && l->meta_value.n && l->name.n == 2 &&
                       l->name.p[1] == 'H'
                   ? linefile_take_name (f, l)
                   : 0;
    compat_tally_saw (&f->tally, l->ts + l->dur);
    e.bytes = l->has & PFW_HAS_SIZE_SUM ? (uint64_t)l->size_sum
              : l->ret > 0              ? (uint64_t)l->ret
                                        : 0;
    if (compat_rule (&f->tally, COMPAT_TEXT_HASHES)) {
        if (!linefile_is_text (&l->hhash))
            e.host_length = 0;
        if (linefile_is_text (&l->fhash)) {
            e.hash = l->fhash.p;
            e.hash_length = l->fhash.n;
        }
    } else if (l->fhash.n && linefile_take_path (f, l, &e) < 0)
        return -1;
    if (compat_rule (&f->tally, COMPAT_TOTALS) &&
        linefile_take_totals (f, &e) < 0)
        return -1;
    return linefile_take_event (f, &e);
}

/* --- files ---------------------------------------------------------------- */

/* That of the path, new if need be; NULL: ENOMEM. */
static struct linefile *lines_file (struct strmap *files, const char *path)
{
    int64_t at = strmap_intern (files, path, strlen (path), NULL);
    struct linefile *f = at < 0 ? NULL : strmap_value (files, (size_t)at);

    if (at >= 0 && !f && (f = calloc (1, sizeof (*f))))
        strmap_set (files, (size_t)at, f);
    return f;
}

static void *lines_open (void *cookie, const char *path)
{
    struct compat_lines *c = cookie;
    struct linefile *f;

    (void)pthread_mutex_lock (&c->lock);
    f = lines_file (c->files, path);
    (void)pthread_mutex_unlock (&c->lock);
    return f && linefile_begin (f, c->layers) == 0 ? f : NULL;
}

int compat_lines_listen (struct compat_lines *c,
                         struct job *job,
                         const struct compat_layers *layers)
{
    *c = (struct compat_lines){.listener = {lines_open, linefile_take, c},
                               .layers = layers,
                               .files = strmap_create (),
                               .lock = PTHREAD_MUTEX_INITIALIZER};
    job->listener = c->files ? &c->listener : NULL;
    return c->files ? 0 : -1;
}

int compat_lines_add (const struct compat_lines *c,
                      struct compat_tally *to,
                      const char *path)
{
    int64_t at = strmap_find (c->files, path, strlen (path));
    struct linefile *f = at < 0 ? NULL : strmap_value (c->files, (size_t)at);
    int rc;

    if (!f)
        return 0;
    f->tally.start = to->start;
    if ((rc = linefile_count_all (f)) == 0)
        rc = compat_tally_merge (to, &f->tally);
    linefile_clear (f);
    return rc;
}

void compat_lines_clear (struct compat_lines *c, struct job *job)
{
    int saved = errno;

    job->listener = NULL;
    for (size_t i = 0; c->files && i < strmap_count (c->files); i++) {
        struct linefile *f = strmap_value (c->files, i);

        if (f)
            linefile_clear (f);
        free (f);
    }
    strmap_destroy (c->files);
    c->files = NULL;
    errno = saved;
}
