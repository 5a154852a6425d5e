/* SPDX-License-Identifier: MIT
 *
 * blockindex.c - what is in each block of a .pfw.gz -> a file among the kept
 *                answers
 *
 * In:  sources of a job that were read
 * Out: the file
 *
 * Numbers that follow from others, such as where a block begins, are not in
 * it, so that they cannot be wrong.
 */
#include "config.h"

#include "analyze/query/blockindex.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/query/chunkindex.h"
#include "analyze/scan/packer.h"

/* The structs that are kept as they are; a number that grows when anything
 * else changes. */
enum {
    BLOCKINDEX_LAYOUT = 1,
    BLOCKINDEX_BYTES = 256 << 20 /* more is as slow as reading all */
};

static char *blockindex_question (void)
{
    char *text;

    return asprintf (&text, "blocks of .pfw.gz, layout %d %zu %zu %zu",
                     BLOCKINDEX_LAYOUT, sizeof (struct pfw_account),
                     sizeof (struct pfw_proc), sizeof (struct pfw_unit)) < 0
               ? NULL
               : text;
}

static void blockindex_forget (struct job *job)
{
    for (size_t i = 0; i < job->kepts; i++)
        pfw_kept_destroy (job->kept[i]);
    free (job->kept);
    job->kept = NULL;
    job->kepts = 0;
}

void blockindex_find (struct blockindex *x, struct job *job, int write)
{
    char *question = blockindex_question ();
    FILE *in = NULL;

    if (question && keptanswer_make (&x->kept, job, question) == 0) {
        x->kept.most = BLOCKINDEX_BYTES;
        in = keptanswer_open (&x->kept);
    }
    job->keep = 1;
    x->write = write;
    if (in && blockindex_read (job, in) < 0)
        blockindex_forget (job);
    if (in)
        (void)fclose (in);
    free (question);
}

int blockindex_held (struct blockindex *x, struct job *job)
{
    int failed = 0;

    for (size_t i = 0; i < job->sources; i++)
        failed |= job->source[i].kept && job->source[i].kept->failed;
    if (!failed)
        return 1;
    job_close (job);
    blockindex_forget (job);
    x->write = 0;
    job->keep = 0;
    return 0;
}

/* --- one source ----------------------------------------------------------- */

static void blockindex_pack_names (struct packer *p, const struct pfw_names *n)
{
    size_t count = pfw_names_count (n), length, hashes = 0;
    uint32_t number;
    const char *hash;

    pack_uint (p, count);
    for (size_t i = 1; i <= count; i++) {
        const struct pfw_name *name = pfw_names_get (n, (uint32_t)i);

        pack_uint (p, name->kind);
        pack_uint (p, name->class);
        pack_uint (p, name->undefined | (unsigned)name->late << 1);
        pack_uint (p, name->length);
        pack_bytes (p, name->text, name->length);
    }
    while (pfw_names_hash_at (n, hashes, &length, &number))
        hashes++;
    pack_uint (p, hashes);
    for (size_t i = 0; i < hashes; i++) {
        hash = pfw_names_hash_at (n, i, &length, &number);
        pack_uint (p, number);
        pack_uint (p, length);
        pack_bytes (p, hash, length);
    }
}

static void blockindex_pack_block (struct packer *p,
                                   const struct pfw_kept *k,
                                   const struct pfw_kept_block *b)
{
    pack_uint (p, b->bytes);
    pack_uint (p, b->from.packed);
    pack_uint (p, b->begin - b->from.plain);
    pack_uint (p, b->last);
    pack_uint (p, b->used);
    pack_bytes (p, &b->checksum, sizeof (b->checksum));
    pack_uint (p, b->chunks);
    for (size_t i = 0; i < b->chunks; i++) {
        const struct trace_chunk *c = &k->chunk[b->chunk + i];

        pack_uint (p, c->head.proc);
        pack_uint (p, c->head.tid);
        pack_uint (p, c->events);
        pack_uint (p, c->head.base);
        pack_uint (p, c->offset - b->offset);
        pack_uint (p, c->used);
    }
    pack_uint (p, b->names);
    for (size_t i = 0; i < b->names; i++)
        pack_uint (p, k->name[b->name + i]);
}

static void blockindex_pack_source (struct packer *p, const struct source *s)
{
    const struct pfw_kept *k = s->kept;

    pack_text (p, s->path);
    pack_bytes (p, &s->lines, sizeof (s->lines));
    pack_bytes (p, &k->unit, sizeof (k->unit));
    blockindex_pack_names (p, pfw_store_names (s->store));
    pack_uint (p, pfw_store_processes (s->store));
    for (size_t i = 0; i < pfw_store_processes (s->store); i++)
        pack_bytes (p, pfw_store_process (s->store, (int64_t)i),
                    sizeof (struct pfw_proc));
    pack_uint (p, k->blocks);
    for (size_t i = 0; i < k->blocks; i++)
        blockindex_pack_block (p, k, &k->block[i]);
}

/* --- all of them ---------------------------------------------------------- */

static int blockindex_put_sources (struct job *job, FILE *out)
{
    struct packer p = {0};
    int some = 0, rc = 0;

    for (size_t i = 0; rc == 0 && i < job->sources; i++) {
        struct source *s = &job->source[i];
        struct job one = *job;

        if (!s->kept || !s->kept->fit || !s->store || !s->file)
            continue;
        one.source = s;
        one.sources = 1;
        blockindex_pack_source (&p, s);
        if (pack_section (&p, BLOCKINDEX_SOURCE, out) < 0 ||
            chunkindex_pack (&one, &p) < 0 ||
            pack_section (&p, BLOCKINDEX_FACTS, out) < 0)
            rc = -1;
        some = 1;
    }
    if (rc == 0)
        rc = pack_section (&p, BLOCKINDEX_END, out);
    packer_clear (&p);
    return rc < 0 ? -1 : some;
}

void blockindex_pack (struct blockindex *x, struct job *job)
{
    FILE *out;
    int some;

    if (!x->write || !x->kept.file || !keptanswer_may (job) ||
        !(out = open_memstream (&x->bytes, &x->n)))
        return;
    some = blockindex_put_sources (job, out);
    if (fclose (out) == 0 && some > 0)
        return;
    free (x->bytes);
    x->bytes = NULL;
}

void blockindex_put (const struct blockindex *x, struct job *job)
{
    char *question = x->bytes ? blockindex_question () : NULL;

    if (question)
        keptanswer_put_bytes (&x->kept, job, question, x->bytes, x->n);
    free (question);
}

void blockindex_clear (struct blockindex *x, struct job *job)
{
    blockindex_forget (job);
    job->keep = 0;
    free (x->bytes);
    keptanswer_clear (&x->kept);
    memset (x, 0, sizeof (*x));
}
