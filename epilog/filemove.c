/* SPDX-License-Identifier: MIT
 *
 * filemove.c - a file to another directory, on whatever file system
 *
 * In:  FROM/NAME
 * Out: TO/NAME, whole
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "epilog/filemove.h"

enum { COPY_BYTES = 64 * 1024 };

/* From where in is now up to end. */
static int copy_extent (int in, int out, off_t end)
{
    static char buf[COPY_BYTES];
    off_t at = lseek (in, 0, SEEK_CUR);

    while (at < end) {
        size_t want = end - at < COPY_BYTES ? (size_t)(end - at) : COPY_BYTES;
        ssize_t got = read (in, buf, want), put;

        if (got <= 0)
            return (int)got;
        for (ssize_t done = 0; done < got; done += put) {
            put = pwrite (out, buf + done, (size_t)(got - done), at + done);
            if (put <= 0)
                return -1;
        }
        at += got;
    }
    return 0;
}

/* Holes stay holes: a file of 8 TB may be made of nothing else. */
static int copy_bytes (int in, int out, off_t size)
{
    off_t data = lseek (in, 0, SEEK_DATA), hole;

    if (data < 0 && errno != ENXIO)
        return lseek (in, 0, SEEK_SET) < 0 || copy_extent (in, out, size) < 0
                   ? -1
                   : fsync (out);
    while (data >= 0 && data < size) {
        hole = lseek (in, data, SEEK_HOLE);
        if (hole < 0 || lseek (in, data, SEEK_SET) < 0 ||
            copy_extent (in, out, hole) < 0)
            return -1;
        data = lseek (in, hole, SEEK_DATA);
    }
    return ftruncate (out, size) < 0 ? -1 : fsync (out);
}

static int copy_file (int fromfd, int tofd, const char *name)
{
    char part[NAME_MAX + 1];
    int in = -1, out = -1, rc = -1, saved;
    struct stat st;

    if (snprintf (part, sizeof (part), ".%s.part", name) >=
        (int)sizeof (part)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    in = openat (fromfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (in >= 0 && fstat (in, &st) == 0 && S_ISREG (st.st_mode))
        out = openat (tofd, part,
                      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK |
                          O_CLOEXEC,
                      0600);
    if (out >= 0 && copy_bytes (in, out, st.st_size) == 0 &&
        renameat (tofd, part, tofd, name) == 0)
        rc = unlinkat (fromfd, name, 0);
    saved = errno;
    if (out >= 0 && rc < 0)
        (void)unlinkat (tofd, part, 0);
    if (in >= 0)
        (void)close (in);
    if (out >= 0)
        (void)close (out);
    errno = saved;
    return rc;
}

int filemove (const char *from, const char *to, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fromfd = open (from, flags), tofd = open (to, flags);
    int rc = -1, saved;

    if (fromfd >= 0 && tofd >= 0) {
        rc = renameat (fromfd, name, tofd, name);
        if (rc < 0 && errno == EXDEV)
            rc = copy_file (fromfd, tofd, name);
    }
    saved = errno;
    if (fromfd >= 0)
        (void)close (fromfd);
    if (tofd >= 0)
        (void)close (tofd);
    errno = saved;
    return rc;
}
