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

#include "spank/epilog/filemove.h"

enum { COPY_BYTES = 64 * 1024 };

static unsigned *move_synced;

void filemove_count (unsigned *synced)
{
    move_synced = synced;
}

/* From where in is now up to end. What lies FILEMOVE_SYNC_BYTES and more below
 * the size of out is on disk. */
static int copy_extent (int in, int out, off_t end)
{
    static char buf[COPY_BYTES];
    off_t at = lseek (in, 0, SEEK_CUR), synced = at;

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
        if (at - synced < FILEMOVE_SYNC_BYTES)
            continue;
        if (fdatasync (out) < 0)
            return -1;
        synced = at;
        if (move_synced)
            ++*move_synced;
    }
    return 0;
}

/* How much of a copy that was killed is sure to be there. A part as long as
 * the file or longer is that of another file. */
static off_t copy_have (int out, off_t size)
{
    struct stat st;
    off_t have;

    if (fstat (out, &st) < 0)
        return -1;
    have = st.st_size < size ? st.st_size - FILEMOVE_SYNC_BYTES : 0;
    if (have < 0)
        have = 0;
    return ftruncate (out, have) < 0 ? -1 : have;
}

/* Holes stay holes: a file of 8 TB may be made of nothing else. */
static int copy_bytes (int in, int out, off_t size)
{
    off_t have = copy_have (out, size), data, hole;

    if (have < 0)
        return -1;
    data = lseek (in, have, SEEK_DATA);
    if (data < 0 && errno != ENXIO)
        return lseek (in, have, SEEK_SET) < 0 || copy_extent (in, out, size) < 0
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
                      O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
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
