/* SPDX-License-Identifier: MIT
 *
 * dataset.c - sample number -> tokens
 *
 *   shuffle[number] -> sample row and the next one -> parts of the documents
 *   in between -> one run of tokens
 *
 * The indices are files, CACHE/HASH-GPTDataset-train-NAME_index.npy, which
 * rank 0 builds. Each appears whole under its name, shuffle last; a rank that
 * sees that one has all three.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <dftrace/dftrace.h>

#include "etc/examples/minigpt/minigpt.h"

/* --- building the indices --------------------------------------------- */

enum {
    EXTRA = 1, /* the label of the last token */
    /* A last epoch of which less than this is used is shuffled apart, so that
     * no document comes up far more often than others. */
    LAST_EPOCH_PERCENT = 80
};

/* n documents, `epochs` times, in one shuffle. */
static void fill_documents (uint32_t *out,
                            uint64_t n,
                            uint64_t epochs,
                            struct mt19937 *random)
{
    for (uint64_t i = 0; i < n * epochs; i++)
        out[i] = (uint32_t)(i % n);
    mt19937_shuffle (random, out, n * epochs);
}

/* Walk over the documents, one sample further each time; a sample ends in the
 * token with which the next begins. */
static void fill_samples (uint32_t *sample,
                          const struct indices *x,
                          const int32_t *length,
                          uint64_t sequence)
{
    uint64_t at = 0;    /* entry of document */
    int64_t offset = 0; /* token in it */

    for (uint64_t i = 1; i <= x->samples; i++) {
        int64_t left = (int64_t)sequence + EXTRA;

        while (left > 0) {
            int64_t have = length[x->document[at]] - offset;

            left -= have;
            if (left <= 0)
                offset += left + have - EXTRA;
            else {
                at++;
                offset = 0;
            }
        }
        sample[2 * i] = (uint32_t)at;
        sample[2 * i + 1] = (uint32_t)offset;
    }
}

void indices_build (struct indices *x,
                    const int32_t *length,
                    uint64_t n,
                    uint64_t sequence,
                    uint64_t wanted,
                    uint32_t seed)
{
    uint64_t tokens = 0, epochs = 1, first, apart = 0;
    uint32_t *document, *sample, *shuffle;
    struct mt19937 random;

    for (uint64_t i = 0; i < n; i++)
        tokens += (uint64_t)length[i];
    if (sequence == 0 || wanted == 0 || tokens <= sequence + EXTRA)
        die (STATUS_FAILED, "%llu tokens are too few for samples of %llu",
             (unsigned long long)tokens, (unsigned long long)sequence);
    while (epochs * tokens < wanted * sequence + EXTRA)
        epochs++;
    *x = (struct indices){.documents = n * epochs,
                          .samples = (epochs * tokens - EXTRA) / sequence,
                          .epochs = epochs};
    if (x->documents >= UINT32_MAX || x->samples >= UINT32_MAX / 2)
        die (STATUS_FAILED, "too many documents or samples for 32 bits");
    first = x->samples;
    if (epochs > 1) {
        uint64_t before = ((epochs - 1) * tokens - EXTRA) / sequence;
        uint64_t per_epoch = (tokens - EXTRA) / sequence;

        if (wanted - before < per_epoch * LAST_EPOCH_PERCENT / 100) {
            apart = 1;
            first = before;
        }
    }
    x->document = document = allocate (x->documents * sizeof (*document));
    x->sample = sample = allocate ((x->samples + 1) * 2 * sizeof (*sample));
    x->shuffle = shuffle = allocate (x->samples * sizeof (*shuffle));
    mt19937_seed (&random, seed);
    fill_documents (document, n, epochs - apart, &random);
    if (apart)
        fill_documents (document + n * (epochs - 1), n, 1, &random);
    fill_samples (sample, x, length, sequence);
    for (uint64_t i = 0; i < x->samples; i++)
        shuffle[i] = (uint32_t)i;
    mt19937_shuffle (&random, shuffle, first);
    mt19937_shuffle (&random, shuffle + first, x->samples - first);
}

/* --- arrays as files of numpy, version 1.0 ---------------------------- */

/*   "\x93NUMPY" 1 0, u16 length of the text, text padded with spaces so that
 *   the items begin at a multiple of 64, '\n' at its end, items */
enum { NPY_HEAD = 10, NPY_ALIGN = 64, NPY_HEAD_MAX = 192 };

static const char npy_magic[] = "\x93NUMPY\x01";

static size_t npy_head (char *head, const char *shape, char sign)
{
    size_t n, total;

    memcpy (head, npy_magic, 8);
    n = (size_t)snprintf (
        head + NPY_HEAD, NPY_HEAD_MAX - NPY_HEAD,
        "{'descr': '<%c4', 'fortran_order': False, 'shape': %s, }", sign,
        shape);
    total = (NPY_HEAD + n + 1 + NPY_ALIGN - 1) / NPY_ALIGN * NPY_ALIGN;
    memset (head + NPY_HEAD + n, ' ', total - NPY_HEAD - n);
    head[total - 1] = '\n';
    head[8] = (char)((total - NPY_HEAD) & 0xff);
    head[9] = (char)((total - NPY_HEAD) >> 8);
    return total;
}

static void npy_save (const char *path,
                      const uint32_t *item,
                      uint64_t rows,
                      uint64_t columns,
                      char sign)
{
    char head[NPY_HEAD_MAX];
    char *temporary = format ("%s.%d.tmp", path, (int)getpid ());
    char *shape = columns == 1
                      ? format ("(%llu,)", (unsigned long long)rows)
                      : format ("(%llu, %llu)", (unsigned long long)rows,
                                (unsigned long long)columns);
    int fd = open (temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    if (fd < 0 || write_whole (fd, head, npy_head (head, shape, sign)) < 0 ||
        write_whole (fd, item, rows * columns * sizeof (*item)) < 0 ||
        fsync (fd) < 0 || close (fd) < 0 || rename (temporary, path) < 0)
        die (STATUS_FAILED, "%s: cannot write: %m", path);
    free (shape);
    free (temporary);
}

/* Return the items of a mapped file and the number of rows, or NULL. */
static const uint32_t *
npy_items (const char *p, size_t bytes, uint64_t columns, uint64_t *rows)
{
    unsigned long long shape[2] = {0, 1};
    char text[NPY_HEAD_MAX];
    const char *word;
    size_t n;

    if (bytes < NPY_HEAD || memcmp (p, npy_magic, 8) != 0)
        return NULL;
    n = (size_t)(unsigned char)p[8] | (size_t)(unsigned char)p[9] << 8;
    if (n >= NPY_HEAD_MAX || n > bytes - NPY_HEAD)
        return NULL;
    memcpy (text, p + NPY_HEAD, n);
    text[n] = '\0';
    if (!(word = strstr (text, "'shape': (")) ||
        sscanf (word, "'shape': (%llu, %llu", &shape[0], &shape[1]) < 1 ||
        shape[1] != columns || shape[0] > bytes / 4 / columns ||
        shape[0] * columns * 4 != bytes - NPY_HEAD - n)
        return NULL;
    *rows = shape[0];
    return (const uint32_t *)(p + NPY_HEAD + n);
}

/* Map an array. Return NULL if there is no such file. */
static const uint32_t *
npy_load (const char *path, uint64_t columns, uint64_t *rows)
{
    struct stat st = {.st_size = 0};
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    const uint32_t *item = NULL;
    void *map = MAP_FAILED;

    if (fd < 0 && errno == ENOENT)
        return NULL;
    if (fd >= 0 && fstat (fd, &st) == 0 && st.st_size > 0)
        map = mmap (NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        (void)close (fd);
    if (map == MAP_FAILED)
        die (STATUS_FAILED, "%s: cannot read", path);
    if (!(item = npy_items (map, (size_t)st.st_size, columns, rows)))
        die (STATUS_FAILED, "%s: not a .npy array of 32-bit numbers", path);
    return item;
}

/* --- index files ------------------------------------------------------ */

enum {
    WAIT_MS = 100,
    WAIT_TRIES = 1200 /* two minutes for rank 0 to build */
};

struct index_paths {
    char *document, *sample, *shuffle;
};

/* The names contain a hash (FNV-1a) of all that shapes the indices. */
static struct index_paths index_paths (const struct dataset *d)
{
    uint64_t facts[] = {1, /* version of this list */
                        d->o.sequence,
                        d->o.samples,
                        d->o.seed,
                        d->corpus.documents,
                        d->corpus.tokens,
                        d->corpus.width == 2 ? 8 : 4};
    const unsigned char *p = (const unsigned char *)facts;
    unsigned long long hash = 0xcbf29ce484222325u;
    const char *dir = d->o.cache;

    for (size_t i = 0; i < sizeof (facts); i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return (struct index_paths){
        format ("%s/%016llx-GPTDataset-train-document_index.npy", dir, hash),
        format ("%s/%016llx-GPTDataset-train-sample_index.npy", dir, hash),
        format ("%s/%016llx-GPTDataset-train-shuffle_index.npy", dir, hash)};
}

/* Entries that point outside would make the readers read outside. */
static int indices_fit (const struct dataset *d, uint64_t sample_rows)
{
    const struct indices *x = &d->x;

    if (x->samples < d->o.samples || sample_rows != x->samples + 1)
        return 0;
    for (uint64_t i = 0; i < x->documents; i++)
        if (x->document[i] >= d->corpus.documents)
            return 0;
    for (uint64_t i = 0; i < sample_rows; i++)
        if (x->sample[2 * i] >= x->documents)
            return 0;
    for (uint64_t i = 0; i < x->samples; i++)
        if (x->shuffle[i] >= x->samples)
            return 0;
    return 1;
}

/* Return 0 if there are no index files yet. */
static int indices_load (struct dataset *d, const struct index_paths *p)
{
    struct indices *x = &d->x;
    uint64_t rows;

    if (!(x->shuffle = npy_load (p->shuffle, 1, &x->samples)) ||
        !(x->sample = npy_load (p->sample, 2, &rows)) ||
        !(x->document = npy_load (p->document, 1, &x->documents)))
        return 0;
    if (!indices_fit (d, rows))
        die (STATUS_FAILED, "%s: does not fit the data: remove it", p->shuffle);
    return 1;
}

static void indices_save (const struct dataset *d, const struct index_paths *p)
{
    int32_t *length = allocate (d->corpus.documents * sizeof (*length));
    struct indices x;

    for (uint64_t i = 0; i < d->corpus.documents; i++)
        length[i] = corpus_length (&d->corpus, i);
    indices_build (&x, length, d->corpus.documents, d->o.sequence, d->o.samples,
                   d->o.seed);
    free (length);
    npy_save (p->document, x.document, x.documents, 1, 'i');
    npy_save (p->sample, x.sample, x.samples + 1, 2, 'i');
    npy_save (p->shuffle, x.shuffle, x.samples, 1, 'u');
    free ((void *)x.document);
    free ((void *)x.sample);
    free ((void *)x.shuffle);
}

static void indices_open (struct dataset *d)
{
    static const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000L};
    struct index_paths p = index_paths (d);
    int found;

    if (d->o.rank == 0 && mkdir (d->o.cache, 0777) < 0 && errno != EEXIST)
        die (STATUS_FAILED, "%s: cannot make directory: %m", d->o.cache);
    found = indices_load (d, &p);
    if (!found && d->o.rank == 0) {
        indices_save (d, &p);
        found = indices_load (d, &p);
    }
    for (int i = 0; !found && i < WAIT_TRIES; i++) {
        (void)nanosleep (&pause, NULL);
        found = indices_load (d, &p);
    }
    if (!found)
        die (STATUS_FAILED, "%s: rank 0 has not made it", p.shuffle);
    free (p.document);
    free (p.sample);
    free (p.shuffle);
}

/* --- tokens ----------------------------------------------------------- */

static void open_bin (struct dataset *d)
{
    int fd = open (d->bin_path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *map;

    if (fd < 0 || fstat (fd, &st) < 0)
        die (STATUS_FAILED, "%s: cannot read: %m", d->bin_path);
    d->bin_bytes = (uint64_t)st.st_size;
    if (d->o.access == ACCESS_MMAP) {
        map = mmap (NULL, d->bin_bytes, PROT_READ, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED)
            die (STATUS_FAILED, "%s: cannot map: %m", d->bin_path);
        d->map = map;
    }
    (void)close (fd);
}

void dataset_open (struct dataset *d, const struct dataset_options *o)
{
    const char *problem;
    char *idx_path;

    *d = (struct dataset){.o = *o};
    if (o->access == ACCESS_MOCK)
        return;
    d->bin_path = format ("%s.bin", o->prefix);
    open_bin (d);
    idx_path = format ("%s.idx", o->prefix);
    if ((problem = corpus_open (&d->corpus, idx_path, d->bin_bytes)))
        die (STATUS_FAILED, "%s: %s", idx_path, problem);
    free (idx_path);
    indices_open (d);
    d->buf = allocate ((o->sequence + 1) * sizeof (int32_t));
}

void dataset_close (struct dataset *d)
{
    if (d->map)
        (void)munmap ((void *)d->map, d->bin_bytes);
    free (d->bin_path);
    free (d->buf);
}

static void read_bytes (struct dataset *d, int64_t offset, size_t bytes)
{
    dftrace_region_t r = dftrace_begin ("data", "preprocess.file_read");
    int fd = open (d->bin_path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat (fd, &st) < 0 || lseek (fd, offset, SEEK_SET) < 0 ||
        read_whole (fd, d->buf, bytes) < 0)
        die (STATUS_FAILED, "%s: cannot read: %m", d->bin_path);
    (void)close (fd);
    dftrace_arg_int (&r, "image_size", (int64_t)bytes);
    dftrace_end (&r);
}

/* Return a view only: the pages are read where they are touched. */
static const unsigned char *
map_bytes (const struct dataset *d, int64_t offset, size_t bytes)
{
    dftrace_region_t r = dftrace_begin ("data", "preprocess.mmap_read");

    dftrace_arg_int (&r, "image_size", (int64_t)bytes);
    dftrace_end (&r);
    return d->map + offset;
}

/* Convert to the 64-bit tokens that the model takes; touches the pages of a
 * mapping. */
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

/* Store `count` tokens of a document from token `skip` on. */
static void read_part (struct dataset *d,
                       uint64_t document,
                       uint64_t skip,
                       uint64_t count,
                       int64_t *out)
{
    uint64_t width = (uint64_t)d->corpus.width;
    int64_t offset =
        corpus_offset (&d->corpus, document) + (int64_t)(skip * width);
    const unsigned char *bytes = d->buf;

    if (d->o.access == ACCESS_MMAP)
        bytes = map_bytes (d, offset, count * width);
    else
        read_bytes (d, offset, count * width);
    widen (out, bytes, count, (int)width);
}

/* Read the parts between a sample's row and the next; the last one includes
 * the first token of the next sample. */
static void read_sample (struct dataset *d,
                         uint64_t row,
                         int64_t *tokens,
                         struct cost *cost)
{
    const uint32_t *begin = d->x.sample + 2 * row, *end = begin + 2;
    uint64_t have = 0, want = d->o.sequence + 1;

    for (uint64_t at = begin[0]; at <= end[0]; at++) {
        uint32_t document = d->x.document[at];
        uint64_t skip = at == begin[0] ? begin[1] : 0;
        uint64_t stop = (uint64_t)corpus_length (&d->corpus, document);

        if (at == end[0] && end[1] + 1 < stop)
            stop = end[1] + 1;
        if (stop <= skip)
            continue; /* an empty document */
        if (stop - skip > want - have)
            break;
        read_part (d, document, skip, stop - skip, tokens + have);
        cost->parts++;
        cost->bytes += (stop - skip) * (uint64_t)d->corpus.width;
        have += stop - skip;
    }
    if (have != want)
        die (STATUS_FAILED, "sample %llu does not fit",
             (unsigned long long)row);
}

/* Count the ends of documents, for which there is no loss: this stands for
 * labels, loss mask and positions. */
static void preprocess (const int64_t *tokens, uint64_t sequence)
{
    dftrace_region_t r = dftrace_begin ("data", "preprocess");
    volatile uint64_t masked = 0;
    uint64_t n = 0;

    for (uint64_t i = 0; i < sequence; i++)
        n += tokens[i] == TOKEN_END;
    masked = n;
    (void)masked;
    dftrace_end (&r);
}

void dataset_item (struct dataset *d,
                   uint64_t number,
                   int64_t *tokens,
                   struct cost *cost)
{
    dftrace_region_t item = dftrace_begin ("data", "item"), indexed;
    uint64_t before = cost->bytes;

    dftrace_arg_int (&item, "image_idx", (int64_t)number);
    if (d->o.access == ACCESS_MOCK) { /* as Megatron's: counted, not read */
        for (uint64_t i = 0; i <= d->o.sequence; i++)
            tokens[i] = (int64_t)((number + i) % UINT16_MAX);
    } else {
        indexed = dftrace_begin ("data", "preprocess.read_indexed");
        dftrace_arg_int (&indexed, "image_idx", (int64_t)number);
        read_sample (d, d->x.shuffle[number], tokens, cost);
        dftrace_arg_int (&indexed, "image_size",
                         (int64_t)(cost->bytes - before));
        dftrace_arg_int (&item, "image_size", (int64_t)(cost->bytes - before));
        dftrace_end (&indexed);
    }
    preprocess (tokens, d->o.sequence);
    dftrace_end (&item);
}
