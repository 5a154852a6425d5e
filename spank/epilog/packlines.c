/* SPDX-License-Identifier: MIT
 *
 * packlines.c - lines of processes of a node -> the job directory
 */
#include "config.h"

#include "spank/epilog/packlines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_BYTES = 65536 };

static int packlines_write (int out, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t put = write (out, text, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return -1;
        text += put;
        n -= (size_t)put;
    }
    return 0;
}

/* Whole lines at a time, as others append to the file, too. */
static int packlines_copy (int in, int out)
{
    static char buf[PIECE_BYTES];
    size_t have = 0;
    ssize_t got;

    while ((got = read (in, buf + have, sizeof (buf) - have)) > 0) {
        const char *end = memrchr (buf, '\n', have += (size_t)got);
        size_t n = end ? (size_t)(end + 1 - buf) : 0;

        if (!n && have == sizeof (buf))
            n = have; /* no line of ours */
        if (packlines_write (out, buf, n) < 0)
            return -1;
        memmove (buf, buf + n, have -= n);
    }
    return got < 0 ? -1 : packlines_write (out, buf, have);
}

static int packlines_file (int from, int to, const char *name)
{
    enum { FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
    int in = openat (from, name, O_RDONLY | FLAGS), out = -1, rc = -1, saved;
    struct stat st;

    if (in >= 0 && fstat (in, &st) == 0 && S_ISREG (st.st_mode))
        out = openat (to, name, O_WRONLY | O_APPEND | O_CREAT | FLAGS, 0600);
    if (out >= 0 && fstat (out, &st) == 0 && S_ISREG (st.st_mode) &&
        packlines_copy (in, out) == 0)
        rc = unlinkat (from, name, 0);
    saved = errno;
    if (in >= 0)
        (void)close (in);
    if (out >= 0)
        (void)close (out);
    errno = saved;
    return rc;
}

int packlines (const char *from, const char *to, const char *prefix)
{
    int tofd = open (to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = tofd < 0 ? NULL : opendir (from);
    const struct dirent *entry;
    int rc = d ? 0 : -1, saved;

    while (d && (entry = readdir (d)))
        if (strncmp (entry->d_name, prefix, strlen (prefix)) == 0 &&
            packlines_file (dirfd (d), tofd, entry->d_name) < 0)
            rc = -1;
    saved = errno;
    if (d)
        (void)closedir (d);
    if (tofd >= 0)
        (void)close (tofd);
    errno = saved;
    return rc;
}
