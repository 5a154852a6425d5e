/* SPDX-License-Identifier: MIT
 *
 * appendline.c - a line -> DIR/shards/PREFIXHOST
 */
#include "config.h"

#include <string.h>

#include "lib/base/highfd.h"
#include "preload/record/shardpath.h"
#include "preload/record/shardplace.h"
#include "lib/settings/nodename.h"
#include "lib/base/sys.h"
#include "preload/appendline.h"

enum { PREFIX_MAX = 32 };

struct appendline_work {
    const struct appendline *a;
    const char *text;
    size_t n;
};

static int appendline_in (int dir, const struct stat *shards, void *cookie)
{
    enum { FLAGS = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK };
    const struct appendline_work *w = cookie;
    char file[PREFIX_MAX + NODENAME_MAX];
    size_t n = strnlen (w->a->prefix, PREFIX_MAX - 1);
    struct stat st;
    int fd, rc = -1;

    memcpy (file, w->a->prefix, n);
    memcpy (file + n, w->a->host, strnlen (w->a->host, NODENAME_MAX - 1) + 1);
    fd = highfd_brief (dir, file, FLAGS, SHARDPATH_FILE);
    if (fd < 0)
        return -1;
    if (shardplace_file (shards, fd, &st) == 0 && S_ISREG (st.st_mode) &&
        (uint64_t)st.st_size < w->a->bytes_max &&
        sys_count_own (&sys_moved.written, sys_call (SYS_write, fd, w->text,
                                                     w->n)) == (ssize_t)w->n)
        rc = 0;
    (void)sys_close (fd);
    return rc;
}

int appendline (const struct appendline *a, const char *text, size_t n)
{
    struct appendline_work w = {a, text, n};

    return shardplace_step (a->place, 0, appendline_in, &w);
}
