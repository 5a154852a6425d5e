/* SPDX-License-Identifier: MIT
 *
 * facts_path.c - finished calls on names -> events
 *
 * Caveat: a path that the kernel could not read (EFAULT), or may not have
 *         read to its end, is not read here. NULL can be one that works: the
 *         descriptor itself.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "preload/facts.h"

static struct file
file_at (int64_t rc, int err, int dirfd, const char *path, int fd)
{
    static const struct file ignored = {.state = FILE_IGNORED};

    if (rc < 0 &&
        (!path || err == EFAULT ||
         (err == ENAMETOOLONG && strnlen (path, PATH_MAX) == PATH_MAX)))
        return ignored;
    return files_by_path (dirfd, path ? path : "", fd);
}

void facts_open (
    struct span *sp, int fd, int dirfd, const char *path, int flags)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, fd, saved_errno);
    sp->file = file_at (fd, saved_errno, dirfd, path, fd);
    if (sp->file.state == FILE_WANTED && (flags & O_APPEND))
        sp->file.flags |= FILE_APPEND;
    if (fd >= 0)
        fdmap_set (fd, sp->file, 0);
    r.fd = fd;
    r.file = sp->file.name;
    r.flags = (unsigned)flags;
    if (sp->file.state == FILE_WANTED)
        span_write (&r);
    errno = saved_errno;
}

void facts_path (
    struct span *sp, int64_t rc, int dirfd, const char *path, unsigned flags)
{
    int saved_errno = errno;
    struct record r;
    struct file f;

    span_result (sp, &r, rc, saved_errno);
    f = file_at (rc, saved_errno, dirfd, path, -1);
    r.file = f.name;
    r.flags = flags;
    if (f.state == FILE_WANTED)
        span_write (&r);
    errno = saved_errno;
}

void facts_path_size (
    struct span *sp, int64_t rc, int dirfd, const char *path, int64_t size)
{
    int saved_errno = errno;
    struct record r;
    struct file f;

    span_result (sp, &r, rc, saved_errno);
    f = file_at (rc, saved_errno, dirfd, path, -1);
    r.file = f.name;
    r.size = (uint64_t)size;
    if (f.state == FILE_WANTED)
        span_write (&r);
    errno = saved_errno;
}

void facts_paths (struct span *sp,
                  int64_t rc,
                  int dirfd,
                  const char *path,
                  int todir,
                  const char *to)
{
    int saved_errno = errno;
    struct record r;
    struct file f, f2;

    span_result (sp, &r, rc, saved_errno);
    f = file_at (rc, saved_errno, dirfd, path, -1);
    f2 = file_at (rc, saved_errno, todir, to, -1);
    r.file = f.name;
    r.file2 = f2.name;
    if (f.state == FILE_WANTED || f2.state == FILE_WANTED)
        span_write (&r);
    errno = saved_errno;
}

/* libc makes a file of /dev/shm of it. */
void facts_shm (struct span *sp, int64_t rc, const char *name, int flags)
{
    static const char dir[] = "/dev/shm";
    char path[sizeof (dir) + 1 + NAME_MAX];
    size_t n = strnlen (name + strspn (name, "/"), NAME_MAX);
    int is_open = sp->call == CALL_shm_open;

    memcpy (path, dir, sizeof (dir) - 1);
    path[sizeof (dir) - 1] = '/';
    memcpy (path + sizeof (dir), name + strspn (name, "/"), n);
    path[sizeof (dir) + n] = '\0';
    if (is_open)
        facts_open (sp, (int)rc, AT_FDCWD, path, flags);
    else
        facts_path (sp, rc, AT_FDCWD, path, 0);
}
