/* SPDX-License-Identifier: MIT
 *
 * npy.c - array <-> .npy file
 *
 *   "\x93NUMPY" 1 0, u16 length of the text, text padded with spaces so that
 *   the items begin at a multiple of 64, '\n' at its end, items
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "etc/examples/minigpt/npy.h"
#include "etc/examples/minigpt/wholeio.h"

enum { HEAD = 10, ALIGN = 64, HEAD_MAX = 192 };

static const char magic[] = "\x93NUMPY\x01";

static size_t make_head (char *head, uint64_t rows, uint64_t columns, char sign)
{
    char shape[64];
    size_t n, total;

    if (columns == 1)
        (void)snprintf (shape, sizeof (shape), "(%llu,)",
                        (unsigned long long)rows);
    else
        (void)snprintf (shape, sizeof (shape), "(%llu, %llu)",
                        (unsigned long long)rows, (unsigned long long)columns);
    memcpy (head, magic, 8);
    n = (size_t)snprintf (
        head + HEAD, HEAD_MAX - HEAD,
        "{'descr': '<%c4', 'fortran_order': False, 'shape': %s, }", sign,
        shape);
    total = (HEAD + n + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset (head + HEAD + n, ' ', total - HEAD - n);
    head[total - 1] = '\n';
    head[8] = (char)((total - HEAD) & 0xff);
    head[9] = (char)((total - HEAD) >> 8);
    return total;
}

int npy_save (const char *path,
              const uint32_t *item,
              uint64_t rows,
              uint64_t columns,
              char sign,
              struct failure *f)
{
    char head[HEAD_MAX], temporary[4096];
    size_t n = make_head (head, rows, columns, sign);
    int fd, rc;

    if ((size_t)snprintf (temporary, sizeof (temporary), "%s.%d.tmp", path,
                          (int)getpid ()) >= sizeof (temporary)) {
        errno = ENAMETOOLONG;
        return failf (f, "%s: cannot write: %m", path);
    }
    fd = open (temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return failf (f, "%s: cannot write: %m", temporary);
    rc = whole_write (fd, head, n);
    if (rc == 0)
        rc = whole_write (fd, item, rows * columns * sizeof (*item));
    if (rc == 0)
        rc = fsync (fd);
    if (close (fd) < 0)
        rc = -1;
    if (rc == 0)
        rc = rename (temporary, path);
    if (rc < 0) {
        failf (f, "%s: cannot write: %m", path);
        (void)unlink (temporary);
    }
    return rc;
}

/* Where the items begin; 0 when this is no array of ours. */
static size_t read_head (struct npy *a)
{
    const char *p = a->map, *shape;
    unsigned long long rows = 0, columns = 1;
    char text[HEAD_MAX];
    size_t n;

    if (a->bytes < HEAD || memcmp (p, magic, 8) != 0)
        return 0;
    n = (size_t)(unsigned char)p[8] | (size_t)(unsigned char)p[9] << 8;
    if (n >= HEAD_MAX || n > a->bytes - HEAD)
        return 0;
    memcpy (text, p + HEAD, n);
    text[n] = '\0';
    if (!(shape = strstr (text, "'shape': (")) ||
        sscanf (shape, "'shape': (%llu, %llu", &rows, &columns) < 1)
        return 0;
    a->rows = rows;
    a->columns = columns;
    if (columns == 0 || rows > a->bytes / 4 / columns ||
        rows * columns * 4 != a->bytes - HEAD - n)
        return 0;
    return HEAD + n;
}

int npy_load (struct npy *a, const char *path, struct failure *f)
{
    struct stat st = {.st_size = 0};
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    size_t head;

    *a = (struct npy){.map = NULL};
    if (fd < 0)
        return failf (f, "%s: cannot read: %m", path);
    if (fstat (fd, &st) == 0 && st.st_size > 0) {
        a->bytes = (size_t)st.st_size;
        a->map = mmap (NULL, a->bytes, PROT_READ, MAP_SHARED, fd, 0);
    }
    (void)close (fd);
    if (!a->map || a->map == MAP_FAILED) {
        a->map = NULL;
        errno = EIO;
        return failf (f, "%s: cannot map", path);
    }
    if ((head = read_head (a)) == 0) {
        npy_close (a);
        errno = EBADMSG;
        return failf (f, "%s: not a .npy array of 32-bit numbers", path);
    }
    a->item = (const uint32_t *)((const char *)a->map + head);
    return 0;
}

void npy_close (struct npy *a)
{
    int saved_errno = errno;

    if (a->map)
        (void)munmap (a->map, a->bytes);
    a->map = NULL;
    errno = saved_errno;
}
