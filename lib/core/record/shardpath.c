/* SPDX-License-Identifier: MIT
 *
 * shardpath.c - directory, host, process -> path of the shard
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/core/record/clock.h"
#include "lib/core/record/shardpath.h"
#include "lib/core/sys.h"

enum { KEY_STEP = 1000000 /* more than there are files of a node */ };

static char *put_text (char *p, const char *limit, const char *text)
{
    size_t n = strlen (text);

    if (!p || n >= (size_t)(limit - p))
        return NULL;
    memcpy (p, text, n + 1);
    return p + n;
}

static char *put_number (char *p, const char *limit, uint64_t v)
{
    char buf[24];
    char *q = buf + sizeof (buf) - 1;

    *q = '\0';
    do
        *--q = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    return put_text (p, limit, q);
}

/* Whatever the program's umask is. */
static void make_dir (const char *path)
{
    if (sys_mkdir (path, SHARDPATH_DIR) == 0)
        (void)sys_chmod (path, SHARDPATH_DIR);
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

int shardpath_shared (
    char *path, size_t size, const char *dir, const char *host, uint32_t number)
{
    const char *limit = path + size;
    char *p = dir[0] == '/' ? put_text (path, limit, dir) : NULL;

    p = put_text (p, limit, "/shards/");
    p = put_text (p, limit, host);
    p = put_text (p, limit, "-0-");
    p = put_number (p, limit, (uint64_t)hash_of (dir) * KEY_STEP + number);
    return shardpath_ended (put_text (p, limit, ".dft"));
}

/* DIR/shards, there if that can be. */
static char *make_dirs (char *path, const char *limit, const char *dir)
{
    char *p = dir[0] == '/' ? put_text (path, limit, dir) : NULL;

    if (p)
        make_dir (path);
    p = put_text (p, limit, "/shards");
    if (p)
        make_dir (path);
    return p;
}

int shardpath_temporary (char *path,
                         size_t size,
                         const char *dir,
                         const char *host)
{
    const char *limit = path + size;
    char *p = make_dirs (path, limit, dir);

    p = put_text (p, limit, "/.");
    p = put_text (p, limit, host);
    p = put_text (p, limit, "-");
    p = put_number (p, limit, (uint64_t)sys_gettid ());
    p = put_text (p, limit, "-");
    return shardpath_ended (put_number (p, limit, clock_ns (CLOCK_REALTIME)));
}

int shardpath_make (char *path,
                    size_t size,
                    const char *dir,
                    const char *host,
                    const struct shardfile_start *start)
{
    const char *limit = path + size;
    char *p = make_dirs (path, limit, dir);

    p = put_text (p, limit, "/");
    p = put_text (p, limit, host);
    p = put_text (p, limit, "-");
    p = put_number (p, limit, (uint64_t)start->pid);
    p = put_text (p, limit, "-");
    p = put_number (p, limit, start->real_ns);
    return shardpath_ended (put_text (p, limit, ".dft"));
}
