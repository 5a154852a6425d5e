/* SPDX-License-Identifier: MIT
 *
 * shardpath.c - directory, host, process -> path of the shard
 */
#include "config.h"

#include "lib/base/clock.h"
#include "lib/base/sys.h"
#include "lib/base/highfd.h"
#include "preload/record/shardpath.h"

enum { KEY_STEP = 1000000 /* more than there are files of a node */ };

static char *shardpath_put_text (char *p, const char *limit, const char *text)
{
    size_t n = strlen (text);

    if (!p || n >= (size_t)(limit - p))
        return NULL;
    memcpy (p, text, n + 1);
    return p + n;
}

static char *shardpath_put_number (char *p, const char *limit, uint64_t v)
{
    char buf[24];
    char *q = buf + sizeof (buf) - 1;

    *q = '\0';
    do
        *--q = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    return shardpath_put_text (p, limit, q);
}

static int shardpath_ended (const char *p)
{
    if (!p)
        errno = ENAMETOOLONG;
    return p ? 0 : -1;
}

/* FNV-1a. */
static uint32_t hash_of (const char *text)
{
    uint32_t h = 2166136261u;

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

static char *
shardpath_put_place (char *path, const char *limit, const char *dir)
{
    char *p = dir[0] == '/' ? shardpath_put_text (path, limit, dir) : NULL;

    return shardpath_put_text (p, limit, "/shards");
}

/* Written by several at a time, always with the same, and not again in each
 * child of fork. The first is asked for at the start of the program. */
const char *shardpath_place (const char *dir)
{
    static char far[SETTING_TEXT_MAX + 16];
    static SYS_NEAR char near[256];
    static SYS_STATE const char *_Atomic made;
    const size_t n = strnlen (dir, sizeof (near)) + sizeof ("/shards");
    char *path = n <= sizeof (near) ? near : far;

    if (made != dir) {
        if (!shardpath_put_place (path, path + sizeof (far), dir))
            return "";
        made = dir;
    }
    return path;
}

const char *shardpath_base (const char *path)
{
    const char *slash = strrchr (path, '/');

    return slash ? slash + 1 : path;
}

int shardpath_shared (
    char *path, size_t size, const char *dir, const char *host, uint32_t number)
{
    const char *limit = path + size;
    char *p = shardpath_put_place (path, limit, dir);

    p = shardpath_put_text (p, limit, "/");
    p = shardpath_put_text (p, limit, host);
    p = shardpath_put_text (p, limit, "-0-");
    p = shardpath_put_number (p, limit,
                              (uint64_t)hash_of (dir) * KEY_STEP + number);
    return shardpath_ended (shardpath_put_text (p, limit, ".dft"));
}

int shardpath_temporary (char *path,
                         size_t size,
                         const char *dir,
                         const char *host)
{
    const char *limit = path + size;
    char *p = shardpath_put_place (path, limit, dir);

    p = shardpath_put_text (p, limit, "/.");
    p = shardpath_put_text (p, limit, host);
    p = shardpath_put_text (p, limit, "-");
    p = shardpath_put_number (p, limit, (uint64_t)sys_gettid ());
    p = shardpath_put_text (p, limit, "-");
    return shardpath_ended (
        shardpath_put_number (p, limit, clock_ns (CLOCK_REALTIME)));
}

int shardpath_make (char *path,
                    size_t size,
                    const char *dir,
                    const char *host,
                    const struct shardfile_start *start)
{
    const char *limit = path + size;
    char *p = shardpath_put_place (path, limit, dir);

    p = shardpath_put_text (p, limit, "/");
    p = shardpath_put_text (p, limit, host);
    p = shardpath_put_text (p, limit, "-");
    p = shardpath_put_number (p, limit, (uint64_t)start->pid);
    p = shardpath_put_text (p, limit, "-");
    p = shardpath_put_number (p, limit, start->real_ns);
    return shardpath_ended (shardpath_put_text (p, limit, ".dft"));
}

/* ---- JOBDIR/shards -> a descriptor that nobody can swap ---- */

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
