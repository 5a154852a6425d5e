/* SPDX-License-Identifier: MIT
 *
 * shardplace.c - JOBDIR/shards -> a descriptor that nobody can swap
 */
#include "config.h"

#include <errno.h>

#include "lib/base/highfd.h"
#include "preload/record/shardpath.h"
#include "preload/record/shardplace.h"
#include "lib/base/dirwalk.h"
#include "lib/base/sys.h"

static int makes = 1;

enum { FLAGS = O_PATH | O_DIRECTORY | O_NOFOLLOW };

void shardplace_start (int may_make)
{
    makes = may_make;
}

const char *shardplace_dir (const struct settings *s)
{
    const char *stage = SETTING_TEXT (s, stage);

    return stage[0] ? stage : s->job_dir;
}

/* Anybody may write there, and remove what others made. */
static int is_open (const struct stat *st)
{
    return (st->st_mode & S_IWOTH) && !(st->st_mode & S_ISVTX);
}

static int place_open (const char *path, struct stat *st)
{
    int fd = highfd_brief (AT_FDCWD, path, FLAGS, 0), error = EPERM;

    if (fd < 0)
        return -1;
    if (sys_fstat (fd, st) < 0)
        error = errno; /* EBADF: another thread closed it */
    else if (!is_open (st))
        return fd;
    (void)sys_close (fd);
    errno = error;
    return -1;
}

/* With all above it that is missing. */
static int place_make (const char *path)
{
    const char *base;
    int parent = dirwalk_parent (path, &base), rc, error;

    if (parent < 0)
        return -1;
    rc = (int)sys_call (SYS_mkdirat, parent, base, SHARDPATH_DIR);
    if (rc == 0) /* whatever the program's umask is */
        (void)sys_call (SYS_fchmodat, parent, base, SHARDPATH_DIR);
    else if (errno == EEXIST)
        rc = 0;
    error = errno;
    (void)sys_close (parent);
    errno = error;
    return rc;
}

int shardplace_step (const char *path,
                     int make,
                     shardplace_f step,
                     void *cookie)
{
    struct stat place;
    int dir = place_open (path, &place), rc, error;

    if (dir < 0 && make && makes && errno == ENOENT && place_make (path) == 0)
        dir = place_open (path, &place);
    if (dir < 0)
        return -1;
    rc = step (dir, &place, cookie);
    error = errno;
    (void)sys_close (dir);
    errno = error;
    return rc;
}

int shardplace_holds (const struct stat *place, const struct stat *file)
{
    return place->st_uid == 0 || place->st_uid == file->st_uid;
}

int shardplace_file (const struct stat *place, int fd, struct stat *file)
{
    if (sys_fstat (fd, file) < 0)
        return -1;
    errno = EPERM;
    if (!shardplace_holds (place, file))
        return -1;
    /* The program's umask, which is not to be touched (other threads make
     * files), may have left nothing of the mode. */
    if ((file->st_mode & SHARDPATH_FILE) != SHARDPATH_FILE)
        (void)sys_fchmod (fd, SHARDPATH_FILE);
    return 0;
}
