/* SPDX-License-Identifier: MIT
 *
 * shardpath.c - directory, host, process -> path of the shard
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/core/record/shardpath.h"
#include "lib/core/sys.h"

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

int shardpath_make (char *path,
                    size_t size,
                    const char *dir,
                    const char *host,
                    const struct shardfile_start *start)
{
    const char *limit = path + size;
    char *p = put_text (path, limit, dir);

    if (!p || dir[0] != '/') {
        errno = ENAMETOOLONG;
        return -1;
    }
    make_dir (path);
    p = put_text (p, limit, "/shards");
    if (p)
        make_dir (path);
    p = put_text (p, limit, "/");
    p = put_text (p, limit, host);
    p = put_text (p, limit, "-");
    p = put_number (p, limit, (uint64_t)start->pid);
    p = put_text (p, limit, "-");
    p = put_number (p, limit, start->real_ns);
    p = put_text (p, limit, ".dft");
    if (!p)
        errno = ENAMETOOLONG;
    return p ? 0 : -1;
}
