/* SPDX-License-Identifier: MIT
 *
 * cache.c - data set and wish -> DIR/HASH-{document,sample,shuffle}_index.npy
 *
 * Each file appears whole under its name, shuffle last; so who sees the last
 * one has all three.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "etc/examples/minigpt/cache.h"
#include "etc/examples/minigpt/index.h"

enum {
    PATH_BYTES = 4096,
    WAIT_MS = 100,
    WAIT_TRIES = 1200 /* two minutes for rank 0 to build */
};

struct paths {
    char document[PATH_BYTES], sample[PATH_BYTES], shuffle[PATH_BYTES];
};

/* FNV-1a over all that shapes the indices. */
static uint64_t describe (const struct cache_key *key,
                          const struct idxfile *idx)
{
    uint64_t facts[] = {1, /* version of this list */
                        key->sequence,
                        key->samples,
                        key->seed,
                        idx->sequences,
                        idx->tokens,
                        (uint64_t)idx->type};
    const unsigned char *p = (const unsigned char *)facts;
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < sizeof (facts); i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

static int
make_path (char *path, const char *dir, uint64_t hash, const char *what)
{
    int n =
        snprintf (path, PATH_BYTES, "%s/%016llx-GPTDataset-train-%s_index.npy",
                  dir, (unsigned long long)hash, what);

    if (n < PATH_BYTES)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

static int load (struct cache *c, const struct paths *p, struct failure *f)
{
    *c = (struct cache){.document.map = NULL};
    if (npy_load (&c->shuffle, p->shuffle, f) == 0 &&
        npy_load (&c->sample, p->sample, f) == 0 &&
        npy_load (&c->document, p->document, f) == 0)
        return 0;
    cache_close (c);
    return -1;
}

static int
save (const struct index *x, const struct paths *p, struct failure *f)
{
    if (npy_save (p->document, x->document, x->documents, 1, 'i', f) < 0 ||
        npy_save (p->sample, x->sample, x->samples + 1, 2, 'i', f) < 0 ||
        npy_save (p->shuffle, x->shuffle, x->samples, 1, 'u', f) < 0)
        return -1;
    return 0;
}

static int build (const struct paths *p,
                  const struct cache_key *key,
                  const struct idxfile *idx,
                  struct failure *f)
{
    int32_t *length = malloc (idx->sequences * sizeof (*length));
    struct index x;
    int rc;

    if (!length)
        return failf (f, "not enough memory for the lengths");
    for (uint64_t i = 0; i < idx->sequences; i++)
        length[i] = idxfile_length (idx, i);
    rc = index_build (&x, length, idx->sequences, key->sequence, key->samples,
                      key->seed, f);
    free (length);
    if (rc == 0) {
        rc = save (&x, p, f);
        index_free (&x);
    }
    return rc;
}

static int wait_for (struct cache *c, const struct paths *p, struct failure *f)
{
    static const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000L};

    for (int i = 0; i < WAIT_TRIES; i++) {
        if (load (c, p, f) == 0)
            return 0;
        if (errno != ENOENT)
            return -1;
        (void)nanosleep (&pause, NULL);
    }
    return failf (f, "%s: rank 0 has not made it", p->shuffle);
}

/* Entries that point outside would make the readers read outside. */
static int check (const struct cache *c,
                  const struct cache_key *key,
                  const struct idxfile *idx)
{
    if (c->shuffle.rows < key->samples || c->sample.columns != 2 ||
        c->sample.rows != c->shuffle.rows + 1)
        return -1;
    for (uint64_t i = 0; i < c->document.rows; i++)
        if (c->document.item[i] >= idx->sequences)
            return -1;
    for (uint64_t i = 0; i < c->sample.rows * 2; i += 2)
        if (c->sample.item[i] >= c->document.rows)
            return -1;
    for (uint64_t i = 0; i < c->shuffle.rows; i++)
        if (c->shuffle.item[i] + 1 >= c->sample.rows)
            return -1;
    return 0;
}

int cache_open (struct cache *c,
                const struct cache_key *key,
                const struct idxfile *idx,
                int rank,
                struct failure *f)
{
    uint64_t hash = describe (key, idx);
    struct paths p;
    int rc;

    *c = (struct cache){.document.map = NULL};
    if (make_path (p.document, key->dir, hash, "document") < 0 ||
        make_path (p.sample, key->dir, hash, "sample") < 0 ||
        make_path (p.shuffle, key->dir, hash, "shuffle") < 0)
        return failf (f, "%s: %m", key->dir);
    if (rank != 0)
        rc = wait_for (c, &p, f);
    else {
        if (mkdir (key->dir, 0777) < 0 && errno != EEXIST)
            return failf (f, "%s: cannot make directory: %m", key->dir);
        rc = load (c, &p, f);
        if (rc < 0 && errno == ENOENT && (rc = build (&p, key, idx, f)) == 0)
            rc = load (c, &p, f);
    }
    if (rc == 0 && check (c, key, idx) < 0) {
        cache_close (c);
        errno = EBADMSG;
        return failf (f, "%s: does not fit the data: remove it", p.shuffle);
    }
    return rc;
}

void cache_close (struct cache *c)
{
    npy_close (&c->document);
    npy_close (&c->sample);
    npy_close (&c->shuffle);
}
