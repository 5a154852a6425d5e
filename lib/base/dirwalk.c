/* SPDX-License-Identifier: MIT
 *
 * dirwalk.c - an absolute path -> its directory, made where it is missing
 *
 * In:  a path, perhaps through directories that others may write
 * Out: a descriptor, reached component by component
 * Caveat: each step is taken from the descriptor of the one before, so that
 *         what was looked at is what is used; system calls only, as it runs in
 *         traced programs, too
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/base/sys.h"

enum { STEP_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

static int is_trusted (const struct stat *st)
{
    return st->st_uid == 0 || st->st_uid == (uid_t)sys_call (SYS_geteuid);
}

/* In this directory nobody else can replace what root or we made. */
static int is_stable (int dir)
{
    struct stat st;

    return sys_fstat (dir, &st) == 0 && is_trusted (&st) &&
           (!(st.st_mode & 022) || st.st_mode & S_ISVTX);
}

static int follow (int dir, const char *name)
{
    struct stat st;

    if (sys_call (SYS_newfstatat, dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    if (!S_ISLNK (st.st_mode)) {
        errno = ENOTDIR;
        return -1;
    }
    if (!is_trusted (&st) || !is_stable (dir)) {
        errno = ELOOP;
        return -1;
    }
    return (int)sys_call (SYS_openat, dir, name, STEP_FLAGS);
}

/* Whatever the umask is. */
static int dirwalk_make (int dir, const char *name)
{
    if (sys_call (SYS_mkdirat, dir, name, 0700) < 0)
        return errno == EEXIST ? 0 : -1;
    (void)sys_call (SYS_fchmodat, dir, name, 0700);
    return 0;
}

/* Descriptor of name in dir; dir is closed. */
static int dirwalk_step (int dir, const char *name)
{
    int fd = (int)sys_call (SYS_openat, dir, name, STEP_FLAGS | O_NOFOLLOW);
    int saved;

    if (fd < 0 && errno == ENOENT && dirwalk_make (dir, name) == 0)
        fd = (int)sys_call (SYS_openat, dir, name, STEP_FLAGS | O_NOFOLLOW);
    if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
        fd = follow (dir, name);
    saved = errno;
    (void)sys_close (dir);
    errno = saved;
    return fd;
}

int dirwalk_parent (const char *path, const char **base)
{
    int dir = sys_open ("/", STEP_FLAGS, 0);

    for (path += strspn (path, "/"); dir >= 0; path += strspn (path, "/")) {
        size_t n = strcspn (path, "/");
        char name[NAME_MAX + 1];

        if (path[n] == '\0')
            break;
        if (n >= sizeof (name)) {
            (void)sys_close (dir);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy (name, path, n);
        name[n] = '\0';
        path += n;
        dir = dirwalk_step (dir, name);
    }
    *base = path;
    return dir;
}
