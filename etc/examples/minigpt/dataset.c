/* SPDX-License-Identifier: MIT
 *
 * dataset.c - sample number -> tokens
 *
 *   shuffle[number] -> sample row and the next one -> parts of the documents
 *   in between -> one run of tokens
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dftrace/dftrace.h>

#include "etc/examples/minigpt/dataset.h"

static char *suffixed (const char *prefix, const char *suffix)
{
    size_t n = strlen (prefix), m = strlen (suffix) + 1;
    char *path = malloc (n + m);

    if (path) {
        memcpy (path, prefix, n);
        memcpy (path + n, suffix, m);
    }
    return path;
}

int dataset_open (struct dataset *d,
                  const struct dataset_options *o,
                  struct failure *f)
{
    char *idx_path;
    int rc = -1;

    *d = (struct dataset){.sequence = o->key.sequence,
                          .mock = o->access == ACCESS_MOCK};
    if (d->mock)
        return 0;
    idx_path = suffixed (o->prefix, ".idx");
    d->bin_path = suffixed (o->prefix, ".bin");
    if (!idx_path || !d->bin_path)
        failf (f, "not enough memory");
    else if (binreader_open (&d->bin, d->bin_path, o->access, f) == 0 &&
             idxfile_open (&d->idx, idx_path, d->bin.bytes, f) == 0 &&
             cache_open (&d->cache, &o->key, &d->idx, o->rank, f) == 0) {
        d->buf = malloc ((d->sequence + 1) * sizeof (int32_t));
        rc = d->buf ? 0 : failf (f, "not enough memory");
    }
    free (idx_path);
    if (rc < 0)
        dataset_close (d);
    return rc;
}

void dataset_close (struct dataset *d)
{
    cache_close (&d->cache);
    idxfile_close (&d->idx);
    binreader_close (&d->bin);
    free (d->bin_path);
    free (d->buf);
    d->bin_path = NULL;
    d->buf = NULL;
}

/* To the 64-bit tokens that the model takes; touches the pages of a mapping. */
static void
widen (int64_t *out, const unsigned char *bytes, uint64_t n, int width)
{
    for (uint64_t i = 0; i < n; i++) {
        uint16_t narrow;
        int32_t wide;

        if (width == 2) {
            memcpy (&narrow, bytes + i * 2, 2);
            out[i] = narrow;
        } else {
            memcpy (&wide, bytes + i * 4, 4);
            out[i] = wide;
        }
    }
}

/* A part: `count` tokens from `skip` of one document. */
struct part {
    uint32_t document;
    uint64_t skip, count;
};

static int read_part (struct dataset *d,
                      const struct part *p,
                      int64_t *out,
                      struct item_cost *cost,
                      struct failure *f)
{
    uint64_t width = (uint64_t)idxfile_width (&d->idx);
    uint64_t offset =
        (uint64_t)idxfile_pointer (&d->idx, p->document) + p->skip * width;
    const unsigned char *bytes =
        binreader_read (&d->bin, offset, p->count * width, d->buf, f);

    if (!bytes)
        return -1;
    widen (out, bytes, p->count, (int)width);
    cost->parts++;
    cost->bytes += p->count * width;
    return 0;
}

/* The parts between a sample's row and the next; the last one includes the
 * first token of the next sample. */
static int read_parts (struct dataset *d,
                       uint64_t row,
                       int64_t *tokens,
                       struct item_cost *cost,
                       struct failure *f)
{
    const uint32_t *begin = d->cache.sample.item + 2 * row, *end = begin + 2;
    uint64_t have = 0;

    for (uint64_t at = begin[0]; at <= end[0]; at++) {
        struct part p = {.document = d->cache.document.item[at]};
        uint64_t stop = (uint64_t)idxfile_length (&d->idx, p.document);

        if (at == begin[0])
            p.skip = begin[1];
        if (at == end[0] && end[1] + 1 < stop)
            stop = end[1] + 1;
        if (stop <= p.skip)
            continue; /* an empty document */
        p.count = stop - p.skip;
        if (p.count > d->sequence + 1 - have)
            break;
        if (read_part (d, &p, tokens + have, cost, f) < 0)
            return -1;
        have += p.count;
    }
    if (have == d->sequence + 1)
        return 0;
    errno = EBADMSG;
    return failf (f, "sample %llu does not fit", (unsigned long long)row);
}

/* What turns tokens into a batch's rows: labels, loss mask, positions. */
static void preprocess (const int64_t *tokens, uint64_t sequence)
{
    dftrace_region_t r = dftrace_begin ("data", "preprocess");
    volatile uint64_t masked = 0;
    uint64_t n = 0;

    for (uint64_t i = 0; i < sequence; i++)
        n += tokens[i] == 0; /* end of a document: no loss */
    masked = n;
    (void)masked;
    dftrace_end (&r);
}

/* As Megatron's MockGPTLowLevelDataset: counted, not read. */
static int mock_item (const struct dataset *d, uint64_t number, int64_t *tokens)
{
    dftrace_region_t item = dftrace_begin ("data", "item");

    dftrace_arg_int (&item, "image_idx", (int64_t)number);
    for (uint64_t i = 0; i <= d->sequence; i++)
        tokens[i] = (int64_t)((number + i) % UINT16_MAX);
    preprocess (tokens, d->sequence);
    dftrace_end (&item);
    return 0;
}

int dataset_item (struct dataset *d,
                  uint64_t number,
                  int64_t *tokens,
                  struct item_cost *cost,
                  struct failure *f)
{
    dftrace_region_t item, indexed;
    uint64_t before = cost->bytes;
    int rc;

    if (d->mock)
        return mock_item (d, number, tokens);
    item = dftrace_begin ("data", "item");
    dftrace_arg_int (&item, "image_idx", (int64_t)number);
    indexed = dftrace_begin ("data", "preprocess.read_indexed");
    dftrace_arg_int (&indexed, "image_idx", (int64_t)number);
    rc = read_parts (d, d->cache.shuffle.item[number], tokens, cost, f);
    dftrace_arg_int (&indexed, "image_size", (int64_t)(cost->bytes - before));
    dftrace_arg_int (&item, "image_size", (int64_t)(cost->bytes - before));
    if (rc < 0) {
        dftrace_end_failed (&indexed);
        dftrace_end_failed (&item);
        return -1;
    }
    dftrace_end (&indexed);
    preprocess (tokens, d->sequence);
    dftrace_end (&item);
    return 0;
}
