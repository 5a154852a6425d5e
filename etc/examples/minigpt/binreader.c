/* SPDX-License-Identifier: MIT
 *
 * binreader.c - offset and length -> bytes of the .bin
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dftrace/dftrace.h>

#include "etc/examples/minigpt/binreader.h"
#include "etc/examples/minigpt/wholeio.h"

int binreader_open (struct binreader *b,
                    const char *path,
                    enum access_mode access,
                    struct failure *f)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *map;

    *b = (struct binreader){.path = path, .access = access};
    if (fd < 0 || fstat (fd, &st) < 0) {
        if (fd >= 0)
            (void)close (fd);
        return failf (f, "%s: cannot read: %m", path);
    }
    b->bytes = (uint64_t)st.st_size;
    if (access == ACCESS_MMAP) {
        map = mmap (NULL, b->bytes, PROT_READ, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED) {
            (void)close (fd);
            return failf (f, "%s: cannot map: %m", path);
        }
        b->map = map;
    }
    (void)close (fd);
    return 0;
}

void binreader_close (struct binreader *b)
{
    if (b->map)
        (void)munmap ((void *)b->map, b->bytes);
    b->map = NULL;
}

/* Only a view: the pages are read where they are touched. */
static const unsigned char *
map_read (const struct binreader *b, uint64_t offset, size_t bytes)
{
    dftrace_region_t r = dftrace_begin ("data", "preprocess.mmap_read");

    dftrace_arg_int (&r, "image_size", (int64_t)bytes);
    dftrace_end (&r);
    return b->map + offset;
}

static int
read_part (const char *path, uint64_t offset, size_t bytes, unsigned char *buf)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    int rc = -1, saved_errno;

    if (fd < 0)
        return -1;
    if (fstat (fd, &st) == 0 && lseek (fd, (off_t)offset, SEEK_SET) >= 0)
        rc = whole_read (fd, buf, bytes);
    saved_errno = errno;
    (void)close (fd);
    errno = saved_errno;
    return rc;
}

static const unsigned char *file_read (const struct binreader *b,
                                       uint64_t offset,
                                       size_t bytes,
                                       unsigned char *buf,
                                       struct failure *f)
{
    dftrace_region_t r = dftrace_begin ("data", "preprocess.file_read");
    int rc = read_part (b->path, offset, bytes, buf);

    dftrace_arg_int (&r, "image_size", (int64_t)bytes);
    if (rc < 0) {
        dftrace_end_failed (&r);
        failf (f, "%s: cannot read: %m", b->path);
        return NULL;
    }
    dftrace_end (&r);
    return buf;
}

const unsigned char *binreader_read (const struct binreader *b,
                                     uint64_t offset,
                                     size_t bytes,
                                     unsigned char *buf,
                                     struct failure *f)
{
    if (b->access == ACCESS_MMAP)
        return map_read (b, offset, bytes);
    return file_read (b, offset, bytes, buf, f);
}
