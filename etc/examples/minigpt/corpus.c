/* SPDX-License-Identifier: MIT
 *
 * corpus.c - PREFIX.idx <-> lengths and offsets of documents
 *
 *   offset  bytes
 *        0      9  "MMIDIDX" NUL NUL
 *        9      8  version, 1
 *       17      1  type of a token: 4 int32, 8 uint16
 *       18      8  S, number of sequences (here: documents)
 *       26      8  D, number of document indices (documents + 1)
 *       34    4*S  int32 tokens of each sequence
 *           + 8*S  int64 where each begins in the .bin, in bytes
 *           + 8*D  int64 first sequence of each document
 *
 * All little-endian, as Megatron writes it.
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "etc/examples/minigpt/minigpt.h"

static const char magic[9] = "MMIDIDX\0";

enum {
    TYPE_INT32 = 4,
    TYPE_UINT16 = 8,
    AT_VERSION = 9,
    AT_TYPE = 17,
    AT_SEQUENCES = 18,
    AT_DOCUMENTS = 26,
    HEAD_BYTES = 34,
    FORMAT_VERSION = 1,
    BATCH = 4096 /* values of one write */
};

static uint64_t get_u64 (const unsigned char *p)
{
    uint64_t v;

    memcpy (&v, p, sizeof (v));
    return v;
}

int32_t corpus_length (const struct corpus *c, uint64_t document)
{
    int32_t v;

    memcpy (&v, c->idx + HEAD_BYTES + document * 4, sizeof (v));
    return v;
}

int64_t corpus_offset (const struct corpus *c, uint64_t document)
{
    return (int64_t)get_u64 (c->idx + HEAD_BYTES + c->documents * 4 +
                             document * 8);
}

static int check_head (struct corpus *c, size_t bytes)
{
    const unsigned char *p = c->idx;
    uint64_t room;

    if (bytes < HEAD_BYTES || memcmp (p, magic, sizeof (magic)) != 0 ||
        get_u64 (p + AT_VERSION) != FORMAT_VERSION)
        return -1;
    room = bytes - HEAD_BYTES;
    c->width = p[AT_TYPE] == TYPE_UINT16 ? 2 : 4;
    c->documents = get_u64 (p + AT_SEQUENCES);
    if ((p[AT_TYPE] != TYPE_UINT16 && p[AT_TYPE] != TYPE_INT32) ||
        c->documents == 0 || c->documents > room / 12)
        return -1;
    room -= c->documents * 12;
    return room % 8 == 0 && get_u64 (p + AT_DOCUMENTS) == room / 8 ? 0 : -1;
}

static int check_documents (struct corpus *c, uint64_t bin_bytes)
{
    c->tokens = 0;
    for (uint64_t i = 0; i < c->documents; i++) {
        int32_t length = corpus_length (c, i);
        int64_t at = corpus_offset (c, i);

        if (length < 0 || at < 0 || (uint64_t)at > bin_bytes ||
            (uint64_t)length * (uint64_t)c->width > bin_bytes - (uint64_t)at)
            return -1;
        c->tokens += (uint64_t)length;
    }
    return 0;
}

const char *
corpus_open (struct corpus *c, const char *idx_path, uint64_t bin_bytes)
{
    struct stat st = {.st_size = 0};
    int fd = open (idx_path, O_RDONLY | O_CLOEXEC);
    void *map = MAP_FAILED;

    if (fd >= 0 && fstat (fd, &st) == 0 && st.st_size > 0)
        map = mmap (NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        (void)close (fd);
    if (map == MAP_FAILED)
        return "cannot read";
    c->idx = map;
    if (check_head (c, (size_t)st.st_size) < 0)
        return "not a Megatron index of version 1";
    if (check_documents (c, bin_bytes) < 0)
        return "points outside of its .bin file";
    return NULL;
}

/* --- writing ---------------------------------------------------------- */

static int write_head (int fd, uint64_t n)
{
    unsigned char head[HEAD_BYTES];
    uint64_t version = FORMAT_VERSION, documents = n + 1;

    memcpy (head, magic, sizeof (magic));
    memcpy (head + AT_VERSION, &version, 8);
    head[AT_TYPE] = TYPE_UINT16;
    memcpy (head + AT_SEQUENCES, &n, 8);
    memcpy (head + AT_DOCUMENTS, &documents, 8);
    return write_whole (fd, head, sizeof (head));
}

/* Write n running sums, from 0, of `each`, or of length[i] * each. */
static int write_sums (int fd, const int32_t *length, uint64_t n, int64_t each)
{
    int64_t batch[BATCH], sum = 0;
    size_t k = 0;

    for (uint64_t i = 0; i < n; i++) {
        batch[k++] = sum;
        sum += length ? length[i] * each : each;
        if (k == BATCH || i + 1 == n) {
            if (write_whole (fd, batch, k * sizeof (*batch)) < 0)
                return -1;
            k = 0;
        }
    }
    return 0;
}

int corpus_write_index (int fd, const int32_t *length, uint64_t n)
{
    if (write_head (fd, n) < 0 || write_whole (fd, length, n * 4) < 0 ||
        write_sums (fd, length, n, 2) < 0)
        return -1;
    return write_sums (fd, NULL, n + 1, 1);
}
