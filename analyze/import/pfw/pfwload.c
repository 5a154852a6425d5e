/* SPDX-License-Identifier: MIT
 *
 * pfwload.c - blocks of a .pfw.gz that are wanted -> bytes of their chunks
 *
 * In:  struct pfw_kept, from a file; the members in which the blocks are
 * Out: the store's bytes, each where it would be had all been read
 *
 * One worker inflates at a time, forward only: a block costs at most what
 * stands before it in its member. What comes out is compared with what it was
 * when it was kept.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/import/pfw/pfwkept.h"
#include "lib/format/shard.h"
#include "lib/util/pool.h"

struct pfwload {
    struct pfw_kept *kept;
    const struct pfw_store *store;
    int fd;
    struct gzin *in; /* owned; NULL: none yet */
    uint64_t at;     /* plain bytes of the file before its next one */
    size_t next;     /* block */
    int error;       /* errno */
    pthread_mutex_t reading;
};

/* --- lines ---------------------------------------------------------------- */

/* Exactly n plain bytes. */
static int pfwload_bytes (struct pfwload *l, char *to, size_t n)
{
    while (n > 0) {
        ssize_t got = gzin_read (l->in, to, n);

        if (got <= 0) {
            if (got == 0)
                errno = ESTALE;
            return -1;
        }
        to += got;
        n -= (size_t)got;
        l->at += (uint64_t)got;
    }
    return 0;
}

static int pfwload_begin (struct pfwload *l, const struct pfw_kept_block *x)
{
    gzin_destroy (l->in);
    l->in = NULL;
    l->at = x->from.plain;
    if (lseek (l->fd, (off_t)x->from.packed, SEEK_SET) < 0)
        return -1;
    return (l->in = gzin_create (l->fd)) ? 0 : -1;
}

/* The lines of block x, behind all that were read before. */
static int pfwload_lines (struct pfwload *l,
                          const struct pfw_kept_block *x,
                          struct pfw_block *b)
{
    char *more;

    if (b->room < x->bytes) {
        if (!(more = realloc (b->p, x->bytes + PFW_BLOCK_SLACK)))
            return -1;
        b->p = more;
        b->room = x->bytes;
    }
    if ((!l->in || l->at < x->from.plain || l->at > x->begin) &&
        pfwload_begin (l, x) < 0)
        return -1;
    while (l->at < x->begin) { /* b->p has room for what is stepped over */
        uint64_t n = x->begin - l->at;

        if (pfwload_bytes (l, b->p, n < x->bytes ? n : x->bytes) < 0)
            return -1;
    }
    b->n = 0;
    if (pfwload_bytes (l, b->p, x->bytes) < 0)
        return -1;
    b->n = x->bytes;
    b->last = x->last;
    return 0;
}

/* --- chunks --------------------------------------------------------------- */

/* Names as the store has them. 0, or -1: it is not the same chunk. */
static int pfwload_chunk (const struct pfw_kept *k,
                          const struct pfw_kept_block *x,
                          struct pfw_batch *b,
                          size_t i)
{
    const struct pfw_batch_chunk *from = &b->chunk[i];
    const struct trace_chunk *was = &k->chunk[x->chunk + i];
    uint32_t name;
    unsigned char *p = b->bytes + from->at + from->bytes -
                       (from->names + (size_t)1) * sizeof (name);

    if (was->events != from->events || was->used != from->bytes ||
        was->offset != x->offset + from->at || was->head.base != from->base ||
        was->head.tid != b->thread[from->thread].tid)
        return -1;
    for (uint32_t n = 0; n < from->names; n++, p += sizeof (name)) {
        memcpy (&name, p, sizeof (name));
        if (name >= x->names)
            return -1;
        memcpy (p, &k->name[x->name + name], sizeof (name));
    }
    return 0;
}

static int pfwload_same (const struct pfw_kept *k,
                         const struct pfw_kept_block *x,
                         struct pfw_batch *b)
{
    if (b->chunks != x->chunks || b->used != x->used ||
        b->names.count != x->names)
        return 0;
    for (size_t i = 0; i < b->chunks; i++)
        if (pfwload_chunk (k, x, b, i) < 0)
            return 0;
    return shard_checksum (b->bytes, b->used, 0) == x->checksum;
}

/* --- all of them ---------------------------------------------------------- */

static void pfwload_fail (struct pfwload *l)
{
    int error = errno ? errno : ENOMEM;

    (void)pthread_mutex_lock (&l->reading);
    if (!l->error)
        l->error = error;
    (void)pthread_mutex_unlock (&l->reading);
}

/* The next block that is wanted. NULL: there is none; *rc is -1 if it could
 * not be read. */
static struct pfw_kept_block *
pfwload_next (struct pfwload *l, struct pfw_block *b, int *rc)
{
    struct pfw_kept *k = l->kept;
    struct pfw_kept_block *x = NULL;

    *rc = 0;
    (void)pthread_mutex_lock (&l->reading);
    while (l->next < k->blocks &&
           (!k->block[l->next].wanted || k->block[l->next].loaded))
        l->next++;
    if (!l->error && l->next < k->blocks) {
        x = &k->block[l->next++];
        *rc = pfwload_lines (l, x, b);
    }
    (void)pthread_mutex_unlock (&l->reading);
    return *rc < 0 ? NULL : x;
}

static void pfwload_work (void *cookie, size_t index, int worker)
{
    struct pfwload *l = cookie;
    struct pfw_batch b = {.unit = l->kept->unit};
    struct pfw_kept_block *x;
    int rc;

    (void)index;
    (void)worker;
    while ((x = pfwload_next (l, &b.block, &rc))) {
        if ((rc = pfw_batch_read (&b)) < 0)
            break;
        errno = ESTALE;
        if (!pfwload_same (l->kept, x, &b) ||
            pfw_store_write (l->store, b.bytes, b.used, x->offset) < 0) {
            rc = -1;
            break;
        }
        x->loaded = 1;
        pfw_sums_clear (&b.sums);
    }
    if (rc < 0)
        pfwload_fail (l);
    pfw_batch_clear (&b);
}

int pfw_kept_load (struct pfw_kept *k,
                   const struct pfw_store *store,
                   int threads)
{
    struct pfwload l = {.kept = k,
                        .store = store,
                        .reading = PTHREAD_MUTEX_INITIALIZER,
                        .fd = open (k->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
                                                 O_NONBLOCK | O_NOCTTY)};
    int rc =
        l.fd < 0 ? -1 : pool_run ((size_t)threads, threads, pfwload_work, &l);

    if (l.fd < 0)
        l.error = ESTALE;
    gzin_destroy (l.in);
    if (l.fd >= 0)
        (void)close (l.fd);
    if (l.error)
        errno = l.error;
    k->failed |= l.error == ESTALE;
    return rc < 0 || l.error ? -1 : 0;
}
