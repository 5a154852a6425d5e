/* SPDX-License-Identifier: MIT
 *
 * marker.c - job id, user, directory -> a line in a file of root
 *
 * In:  what task_side.c decided
 * Out: <state_dir>/<job id>.<host>
 * Caveat: as root, so nothing here follows a link or opens what others may
 *         write.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/settings.h"
#include "spank/marker.h"

enum { MARKER_BYTES_MAX = 256 * 1024 }; /* some sixty job directories */

static int open_state_dir (const char *path)
{
    struct stat st;
    int fd;

    if (mkdir (path, 0755) < 0 && errno != EEXIST)
        return -1;
    fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat (fd, &st) < 0 || st.st_uid != geteuid () || (st.st_mode & 022)) {
        (void)close (fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

/* Whether the file holds the line (with its newline) as a whole line. */
static int has_line (int fd, const char *line, size_t n)
{
    char buf[2 * SETTING_TEXT_MAX];
    size_t used = 0, from;
    ssize_t got;

    while ((got = read (fd, buf + used, sizeof (buf) - used)) > 0) {
        char *end;
        used += (size_t)got;
        for (from = 0; (end = memchr (buf + from, '\n', used - from));
             from = (size_t)(end - buf) + 1) {
            if ((size_t)(end - buf) - from + 1 == n &&
                memcmp (buf + from, line, n) == 0)
                return 1;
        }
        used -= from;
        memmove (buf, buf + from, used);
    }
    return 0;
}

static int append_line (int fd, const char *line, size_t n)
{
    struct stat st;

    if (flock (fd, LOCK_EX) < 0 || fstat (fd, &st) < 0)
        return -1;
    if (has_line (fd, line, n))
        return 0;
    if (st.st_size + (off_t)n > MARKER_BYTES_MAX) {
        errno = EFBIG;
        return -1;
    }
    return write (fd, line, n) == (ssize_t)n ? 0 : -1;
}

int marker_add (const char *state_dir,
                uint32_t job_id,
                const char *host,
                uid_t uid,
                gid_t gid,
                const char *directory,
                struct errtext *err)
{
    char name[320], line[SETTING_TEXT_MAX + 64];
    int n, dir = -1, fd = -1, rc = -1, saved;

    (void)snprintf (name, sizeof (name), "%" PRIu32 ".%s", job_id, host);
    n = snprintf (line, sizeof (line), "%lu %lu %s\n", (unsigned long)uid,
                  (unsigned long)gid, directory);
    errno = EINVAL;
    if (n < 0 || n >= (int)sizeof (line) || strchr (host, '/') ||
        strchr (directory, '\n'))
        goto out;
    dir = open_state_dir (state_dir);
    if (dir < 0)
        goto out;
    fd = openat (dir, name,
                 O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        rc = append_line (fd, line, (size_t)n);
out:
    saved = errno;
    if (fd >= 0)
        (void)close (fd);
    if (dir >= 0)
        (void)close (dir);
    errno = saved;
    if (rc < 0)
        (void)errf (err, "%s: %s: the epilog will not merge job %" PRIu32,
                    state_dir, strerror (saved), job_id);
    return rc;
}
