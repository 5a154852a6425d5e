/* SPDX-License-Identifier: MIT
 *
 * nativecopy.c - files of DFTracer in a job -> merged traces among the kept
 *                answers
 *
 * In:  sources of a job that were read
 * Out: N.dft and N.dft.index of source N; a file among the answers with each
 *      source's name, its copy's size and time, its account and its sums
 */
#include "config.h"

#include <sys/statvfs.h>

#include "analyze/query/chunkindex.h"
#include "analyze/query/nativecopy.h"
#include "analyze/scan/packer.h"
#include "analyze/trace/merge.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"

enum {
    NATIVECOPY_SOURCE = 32, /* sections */
    NATIVECOPY_END,
    NATIVECOPY_OTHERS = S_IWGRP | S_IWOTH
};

/* Larger traces are not copied without being asked: dftrace merge does it. */
#define NATIVECOPY_MAX ((uint64_t)4 << 30)

static char *nativecopy_question (void)
{
    return xasprintf ("copies of files of DFTracer, layout 1 %zu %zu",
                      sizeof (struct pfw_account), sizeof (struct pfw_sum));
}

static char *nativecopy_path (const struct answercache *k, size_t source)
{
    return xasprintf ("%s/%zu.dft", k->dir, source);
}

static void nativecopy_forget (struct job *job)
{
    for (size_t i = 0; i < job->copies; i++) {
        free (job->copy[i].path);
        free (job->copy[i].copy);
        pfw_sums_clear (&job->copy[i].sums);
    }
    free (job->copy);
    job->copy = NULL;
    job->copies = 0;
}

/* --- reading -------------------------------------------------------------- */

/* Is the file at path ours alone, and the one that was written? */
static int
nativecopy_same (const char *path, uint64_t bytes, int64_t s, int64_t ns)
{
    struct stat st;

    return lstat (path, &st) == 0 && S_ISREG (st.st_mode) &&
           st.st_uid == geteuid () && !(st.st_mode & NATIVECOPY_OTHERS) &&
           (uint64_t)st.st_size == bytes && st.st_mtim.tv_sec == s &&
           st.st_mtim.tv_nsec == ns;
}

static void nativecopy_unpack_sums (struct unpacker *u, struct pfw_sums *sums)
{
    for (uint64_t n = unpack_uint (u); n && !u->bad; n--) {
        struct pfw_sum sum;
        size_t length;
        const char *key = unpack_text (u, &length);

        unpack_bytes (u, &sum, sizeof (sum));
        if (!u->bad)
            pfw_sums_put (sums, key, length, &sum);
    }
}

static int nativecopy_unpack (struct unpacker *u,
                              const struct answercache *k,
                              struct job *job)
{
    struct source_copy *c;
    size_t length;
    const char *path;
    uint64_t number, bytes;
    int64_t s, ns;

    job->copy = xreallocarray (job->copy, job->copies + 1, sizeof (*c));
    c = &job->copy[job->copies++];
    ZERO (c);
    path = unpack_text (u, &length);
    number = unpack_uint (u);
    bytes = unpack_uint (u);
    s = unpack_int (u);
    ns = unpack_int (u);
    unpack_bytes (u, &c->lines, sizeof (c->lines));
    if (u->bad)
        return -1;
    c->path = xstrndup (path, length);
    c->copy = nativecopy_path (k, number);
    nativecopy_unpack_sums (u, &c->sums);
    return unpack_ended (u) && nativecopy_same (c->copy, bytes, s, ns) ? 0 : -1;
}

/* All of a file, behind the text of what it is about. */
static int
nativecopy_read (const struct answercache *k, struct job *job, FILE *in)
{
    struct unpacker u = {0};
    uint64_t type;
    int rc;

    while ((rc = unpack_section (&u, &type, in)) > 0 &&
           type == NATIVECOPY_SOURCE)
        if (nativecopy_unpack (&u, k, job) < 0) {
            rc = -1;
            break;
        }
    unpacker_clear (&u);
    return rc > 0 && type == NATIVECOPY_END ? 0 : -1;
}

void nativecopy_find (struct nativecopy *n, struct job *job, int write)
{
    char *question = nativecopy_question ();
    FILE *in;

    answercache_make (&n->cache, job, question);
    in = answercache_open (&n->cache);
    n->write = write;
    if (in && nativecopy_read (&n->cache, job, in) < 0)
        nativecopy_forget (job);
    if (in)
        fclose (in);
    free (question);
}

static int nativecopy_whole (const struct source *s, const struct health *h)
{
    return h->file.lost == pfw_lost (&s->lines) && !h->file.missing &&
           !h->chunks_bad && !h->undecoded && !h->io_errors && !h->cut_events;
}

int nativecopy_held (struct nativecopy *n,
                     struct job *job,
                     const struct totals *t,
                     int failed)
{
    size_t used = 0;

    for (size_t i = 0; !failed && i < job->sources; i++) {
        const struct source *s = &job->source[i];

        used += s->copy != NULL;
        failed |= s->copy && t->health && i < t->sources &&
                  !nativecopy_whole (s, &t->health[i]);
    }
    if (!job->copies || (!failed && used == job->copies))
        return 1;
    job_close (job);
    nativecopy_forget (job);
    n->write = 0;
    return 0;
}

/* --- writing -------------------------------------------------------------- */

static int nativecopy_is_wanted (const struct source *s)
{
    return s->is_pfw && s->store && s->file;
}

/* Are the traces small, whole as files, and is there room for copies? */
static int nativecopy_may (const struct nativecopy *n, const struct job *job)
{
    struct statvfs fs;
    uint64_t bytes = 0;

    if (!n->write || job->copies || !answercache_may (job))
        return 0;
    for (size_t i = 0; i < job->sources; i++) {
        const struct source *s = &job->source[i];

        if (!nativecopy_is_wanted (s))
            continue;
        if (s->lines.in.cut || s->lines.in.members_bad ||
            s->lines.in.packed_lost)
            return 0;
        bytes += s->lines.in.packed;
    }
    return bytes && bytes <= NATIVECOPY_MAX &&
           answercache_make_dir (&n->cache) == 0 &&
           statvfs (n->cache.dir, &fs) == 0 &&
           (uint64_t)fs.f_bavail * fs.f_frsize > 2 * bytes;
}

static int nativecopy_merge (const struct job *job,
                             struct source *s,
                             const char *path,
                             struct errtext *err)
{
    struct job one = *job;
    struct parts parts = {0};
    struct merge_report r;
    int rc;

    one.source = s;
    one.sources = 1;
    parts_make (&parts, &one);
    rc = merge_write (&parts, path, 0, MERGE_DENSE, &r, err);
    parts_clear (&parts);
    return rc < 0 || r.chunks_bad || r.lost ? -1 : chunkindex_write (path, err);
}

static void nativecopy_pack (struct packer *p,
                             const struct source *s,
                             size_t number,
                             const struct stat *st)
{
    pack_text (p, s->path);
    pack_uint (p, number);
    pack_uint (p, st->st_size);
    pack_int (p, st->st_mtim.tv_sec);
    pack_int (p, st->st_mtim.tv_nsec);
    pack_bytes (p, &s->lines, sizeof (s->lines));
    pack_uint (p, pfw_sums_count (&s->sums));
    for (size_t i = 0; i < pfw_sums_count (&s->sums); i++) {
        size_t length;
        const char *key = strmap_key (s->sums.of, i, &length);

        pack_uint (p, length);
        pack_bytes (p, key, length);
        pack_bytes (p, strmap_value (s->sums.of, i), sizeof (struct pfw_sum));
    }
}

static int
nativecopy_write_all (const struct nativecopy *n, struct job *job, FILE *out)
{
    struct packer p = {0};
    struct errtext err = {""};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < job->sources; i++) {
        struct source *s = &job->source[i];
        char *path;
        struct stat st;

        if (!nativecopy_is_wanted (s))
            continue;
        rc = -1;
        path = nativecopy_path (&n->cache, i);
        if (nativecopy_merge (job, s, path, &err) == 0 &&
            lstat (path, &st) == 0) {
            nativecopy_pack (&p, s, i, &st);
            rc = pack_section (&p, NATIVECOPY_SOURCE, out);
        }
        if (rc < 0) {
            log_debug ("%s: no copy: %s", s->path, err.text);
            unlink (path);
        }
        free (path);
    }
    if (rc == 0)
        rc = pack_section (&p, NATIVECOPY_END, out);
    packer_clear (&p);
    return rc;
}

void nativecopy_write (struct nativecopy *n, struct job *job)
{
    FILE *out;
    int rc;

    if (!nativecopy_may (n, job))
        return;
    out = xmemstream (&n->bytes, &n->n);
    rc = nativecopy_write_all (n, job, out);
    xmemstream_end (out);
    if (rc == 0)
        return;
    free (n->bytes);
    n->bytes = NULL;
}

void nativecopy_put (struct nativecopy *n, struct job *job)
{
    char *question = nativecopy_question ();

    if (n->bytes)
        answercache_put_bytes (&n->cache, job, question, n->bytes, n->n);
    free (question);
}

void nativecopy_clear (struct nativecopy *n, struct job *job)
{
    nativecopy_forget (job);
    free (n->bytes);
    answercache_clear (&n->cache);
    ZERO (n);
}
