/* SPDX-License-Identifier: MIT
 *
 * idxfile.c - PREFIX.idx <-> lengths and pointers
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "etc/examples/minigpt/idxfile.h"
#include "etc/examples/minigpt/wholeio.h"

static const char magic[9] = "MMIDIDX\0";

enum {
    AT_VERSION = 9,
    AT_TYPE = 17,
    AT_SEQUENCES = 18,
    AT_DOCUMENTS = 26,
    HEAD_BYTES = 34,
    FORMAT_VERSION = 1,
    BATCH = 4096 /* values per write */
};

/* --- reading ---------------------------------------------------------- */

static uint64_t get_u64 (const unsigned char *p)
{
    uint64_t v;

    memcpy (&v, p, sizeof (v));
    return v;
}

int idxfile_width (const struct idxfile *x)
{
    return x->type == IDX_UINT16 ? 2 : 4;
}

int32_t idxfile_length (const struct idxfile *x, uint64_t sequence)
{
    int32_t v;

    memcpy (&v, x->map + HEAD_BYTES + sequence * 4, sizeof (v));
    return v;
}

int64_t idxfile_pointer (const struct idxfile *x, uint64_t sequence)
{
    return (int64_t)get_u64 (x->map + HEAD_BYTES + x->sequences * 4 +
                             sequence * 8);
}

static int check_head (struct idxfile *x)
{
    const unsigned char *p = x->map;
    uint64_t room;

    if (x->bytes < HEAD_BYTES || memcmp (p, magic, sizeof (magic)) != 0 ||
        get_u64 (p + AT_VERSION) != FORMAT_VERSION)
        return -1;
    x->type = p[AT_TYPE];
    x->sequences = get_u64 (p + AT_SEQUENCES);
    x->documents = get_u64 (p + AT_DOCUMENTS);
    room = x->bytes - HEAD_BYTES;
    if ((x->type != IDX_UINT16 && x->type != IDX_INT32) || x->sequences == 0 ||
        x->sequences > room / 12)
        return -1;
    room -= x->sequences * 12;
    return room % 8 == 0 && x->documents == room / 8 ? 0 : -1;
}

/* Every part that a reader may ask for is in the .bin. */
static int check_sequences (struct idxfile *x, uint64_t bin_bytes)
{
    uint64_t width = (uint64_t)idxfile_width (x);

    x->tokens = 0;
    for (uint64_t i = 0; i < x->sequences; i++) {
        int32_t length = idxfile_length (x, i);
        int64_t at = idxfile_pointer (x, i);

        if (length < 0 || at < 0 || (uint64_t)at > bin_bytes ||
            (uint64_t)length * width > bin_bytes - (uint64_t)at)
            return -1;
        x->tokens += (uint64_t)length;
    }
    return 0;
}

int idxfile_open (struct idxfile *x,
                  const char *path,
                  uint64_t bin_bytes,
                  struct failure *f)
{
    struct stat st;
    void *map = MAP_FAILED;
    int fd = open (path, O_RDONLY | O_CLOEXEC);

    *x = (struct idxfile){.map = NULL};
    if (fd >= 0 && fstat (fd, &st) == 0 && st.st_size > 0)
        map = mmap (NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    else if (fd >= 0)
        errno = EINVAL;
    if (fd >= 0)
        (void)close (fd);
    if (map == MAP_FAILED)
        return failf (f, "%s: cannot read: %m", path);
    x->map = map;
    x->bytes = (size_t)st.st_size;
    if (check_head (x) < 0)
        failf (f, "%s: not a Megatron index of version 1", path);
    else if (check_sequences (x, bin_bytes) < 0)
        failf (f, "%s: points outside of its .bin file", path);
    else
        return 0;
    idxfile_close (x);
    errno = EBADMSG;
    return -1;
}

void idxfile_close (struct idxfile *x)
{
    int saved_errno = errno;

    if (x->map)
        (void)munmap ((void *)x->map, x->bytes);
    x->map = NULL;
    errno = saved_errno;
}

/* --- writing ---------------------------------------------------------- */

static int write_head (int fd, uint64_t n)
{
    unsigned char head[HEAD_BYTES];
    uint64_t version = FORMAT_VERSION, documents = n + 1;

    memcpy (head, magic, sizeof (magic));
    memcpy (head + AT_VERSION, &version, 8);
    head[AT_TYPE] = IDX_UINT16;
    memcpy (head + AT_SEQUENCES, &n, 8);
    memcpy (head + AT_DOCUMENTS, &documents, 8);
    return whole_write (fd, head, sizeof (head));
}

static int write_pointers (int fd, const int32_t *length, uint64_t n)
{
    int64_t batch[BATCH], at = 0;
    size_t k = 0;

    for (uint64_t i = 0; i < n; i++) {
        batch[k++] = at;
        at += (int64_t)length[i] * 2;
        if (k == BATCH || i + 1 == n) {
            if (whole_write (fd, batch, k * sizeof (*batch)) < 0)
                return -1;
            k = 0;
        }
    }
    return 0;
}

static int write_documents (int fd, uint64_t n)
{
    int64_t batch[BATCH];
    size_t k = 0;

    for (uint64_t i = 0; i <= n; i++) {
        batch[k++] = (int64_t)i;
        if (k == BATCH || i == n) {
            if (whole_write (fd, batch, k * sizeof (*batch)) < 0)
                return -1;
            k = 0;
        }
    }
    return 0;
}

int idxfile_write (int fd, const int32_t *length, uint64_t n, struct failure *f)
{
    if (write_head (fd, n) < 0 || whole_write (fd, length, n * 4) < 0 ||
        write_pointers (fd, length, n) < 0 || write_documents (fd, n) < 0)
        return failf (f, "cannot write the index: %m");
    return 0;
}
