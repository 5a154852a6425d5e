/* SPDX-License-Identifier: MIT
 *
 * highfd.c - open, then another number
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"

enum {
    TRIES = 1000, /* of a call that signals interrupt: not for ever */
    TRIES_TAKEN = 8
};

/* libc's word that no thread is there to close or take a number. */
static SYS_START const char *single_threaded;

/* Numbers begin here. The first is below the usual soft limit of 1024 and
 * within the smallest table of the kernel that has more than 64. */
static const int floors[] = {960, 200, 40};

static int open_low (int dirfd, const char *path, int flags, mode_t mode)
{
    int fd = -1;

    for (int i = 0; i < TRIES; i++) {
        fd = (int)sys_call (SYS_openat, dirfd, path, flags | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EINTR)
            break;
    }
    return fd;
}

int highfd_dup (int fd)
{
    int high = -1;

    for (size_t i = 0; i < ITEMS (floors); i++) {
        high = (int)sys_call (SYS_fcntl, fd, F_DUPFD_CLOEXEC, floors[i]);
        if (high >= 0 || errno == EBADF)
            break;
    }
    return high;
}

static int highfd_is_file (int fd, const struct stat *file)
{
    struct stat st;

    return sys_fstat (fd, &st) == 0 && st.st_dev == file->st_dev &&
           st.st_ino == file->st_ino;
}

static int
highfd_stat_path (int dirfd, const char *path, int flags, struct stat *st)
{
    int how = flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;

    return (int)sys_call (SYS_newfstatat, dirfd, path, st, how);
}

/* The low number was taken before it was raised? It is closed only
 * if it still is that file: what other threads do in between the two calls
 * (0.1 us) is all that is left to chance. */
int highfd_try (int dirfd, const char *path, int flags, mode_t mode)
{
    int fd = open_low (dirfd, path, flags, mode), high;
    struct stat file;

    if (fd < 0)
        return -1;
    if (highfd_stat_path (dirfd, path, flags, &file) < 0)
        return fd; /* already gone again */
    high = highfd_dup (fd);
    if (high < 0 && errno != EBADF)
        return fd;
    if (highfd_is_file (fd, &file))
        sys_close (fd);
    if (high >= 0 && highfd_is_file (high, &file))
        return high;
    if (high >= 0)
        sys_close (high);
    errno = EBADF;
    return -1;
}

int highfd_open (int dirfd, const char *path, int flags, mode_t mode)
{
    int fd = -1;

    for (int i = 0; i < TRIES_TAKEN; i++) {
        fd = highfd_try (dirfd, path, flags, mode);
        if (fd >= 0 || errno != EBADF)
            break;
        flags &= ~O_EXCL; /* the file is there now, and was not before */
    }
    return fd;
}

int highfd_one_thread (void)
{
    return single_threaded && *single_threaded;
}

int highfd_brief (int dirfd, const char *path, int flags, mode_t mode)
{
    return highfd_one_thread () ? open_low (dirfd, path, flags, mode)
                                : highfd_try (dirfd, path, flags, mode);
}

void highfd_single_threaded (const char *flag)
{
    single_threaded = flag;
}
