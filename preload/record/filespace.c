/* SPDX-License-Identifier: MIT
 *
 * filespace.c - descriptor, offset, size -> a mapping, memory, bytes written
 */
#include "config.h"

#include <errno.h>
#include <sys/vfs.h>

#include "preload/record/filespace.h"
#include "lib/base/sys.h"

SYS_STATE int filespace_kept;

enum { TRIES = 1000 /* of a call that signals interrupt: not for ever */ };

int filespace_allowed (uint64_t end, uint64_t max)
{
    struct rlimit rl;

    if (max && end > max)
        return 0;
    return sys_getrlimit (RLIMIT_FSIZE, &rl) < 0 ||
           rl.rlim_cur == RLIM_INFINITY || end <= rl.rlim_cur;
}

int filespace_keeps_type (unsigned type)
{
    static const unsigned keeping[] = {
        0xef53,     /* ext2, ext3, ext4 */
        0x58465342, /* xfs */
        0x01021994  /* tmpfs */
    };
    int keeps = 0;

    for (size_t i = 0; i < sizeof (keeping) / sizeof (keeping[0]); i++)
        keeps |= type == keeping[i];
    return keeps;
}

int filespace_keeps (int fd)
{
    struct statfs fs;

    return sys_call (SYS_fstatfs, fd, &fs) == 0 &&
           filespace_keeps_type ((unsigned)fs.f_type);
}

void filespace_look (int fd)
{
    filespace_kept = filespace_keeps (fd);
}

int filespace_promise (int fd, uint64_t offset, size_t size)
{
    int rc = -1;

    for (int i = 0; i < TRIES; i++) {
        rc = sys_fallocate (fd, 0, offset, size);
        if (rc == 0 || errno != EINTR)
            break;
    }
    return rc;
}

void *
filespace_map (int fd, uint64_t offset, size_t size, uint64_t max, int *mapped)
{
    void *p;

    if (!filespace_allowed (offset + size, max)) {
        errno = EFBIG;
        return NULL;
    }
    if (*mapped) {
        if (filespace_promise (fd, offset, size) == 0) {
            p = sys_mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                          offset);
            if (p != MAP_FAILED)
                return p;
            if (errno == EBADF)
                return NULL; /* another thread closed it */
        } else if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
            return NULL;
    }
    *mapped = 0;
    return offset > 0 ? sys_memory (size) : sys_memory_shared (size);
}

int filespace_write (int fd, const void *data, size_t n, uint64_t offset)
{
    const char *p = data;

    while (n > 0) {
        ssize_t rc = sys_pwrite (fd, p, n, offset);

        if (rc < 0 && errno == EINTR)
            continue;
        if (rc <= 0)
            return -1;
        p += rc;
        offset += (uint64_t)rc;
        n -= (size_t)rc;
    }
    return 0;
}
