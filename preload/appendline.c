/* SPDX-License-Identifier: MIT
 *
 * appendline.c - a line of this process -> DIR/shards/processes.HOST
 */
#include "config.h"

#include <string.h>

#include "preload/record/shardfile.h"
#include "lib/base/highfd.h"
#include "preload/record/procinfo.h"
#include "preload/record/recorder.h"
#include "preload/record/shardpath.h"
#include "lib/settings/nodename.h"
#include "lib/base/sys.h"
#include "preload/appendline.h"

enum {
    FLAGS = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
    NAME_MAX_BYTES = sizeof (PROCLINE_FILE) + NODENAME_MAX,
    DIR_SHORT = 512 /* bytes of a path that the stack has room for */
};

struct appendline_work {
    const struct procline *l;
    unsigned how;
};

static const char shards_name[] = "/shards";

/* DIR/shards at path; returns its length. */
static size_t appendline_place (char *path, const char *dir, size_t n)
{
    memcpy (path, dir, n);
    memcpy (path + n, shards_name, sizeof (shards_name));
    return n + sizeof (shards_name) - 1;
}

/* The node is the one in the shard, also where the program has changed the
 * variable since. */
static void appendline_name (char name[NAME_MAX_BYTES])
{
    const char *host = recorder_identity ()->host;
    const size_t n = sizeof (PROCLINE_FILE) - 1;

    memcpy (name, PROCLINE_FILE, n);
    if (*host)
        memcpy (name + n, host, strnlen (host, NODENAME_MAX - 1) + 1);
    else
        (void)nodename_find (settings_environ, NULL, name + n);
}

/* A write that fails is not repeated: a part of the line may be there. */
static int appendline_write (int fd,
                             const struct stat *st,
                             const struct appendline_work *w)
{
    off_t full =
        w->how & APPENDLINE_RARE ? PROCLINE_FILE_MAX : PROCLINE_FILE_TRACED_MAX;

    if (!S_ISREG (st->st_mode))
        return -1;
    if (st->st_size < full &&
        !((w->how & APPENDLINE_DOUBTFUL) && filespace_keeps (fd)))
        (void)!sys_write (fd, w->l->text, w->l->used);
    return 0;
}

/* Most often the file is there. One of ours that has no other name may have
 * what we write, wherever it is. */
static int appendline_there (const char *dir, const struct appendline_work *w)
{
    char path[DIR_SHORT + sizeof (shards_name) + NAME_MAX_BYTES];
    size_t n = strnlen (dir, DIR_SHORT);
    struct stat st;
    int fd, rc = -1;

    if (n == DIR_SHORT)
        return -1;
    n = appendline_place (path, dir, n);
    path[n] = '/';
    appendline_name (path + n + 1);
    fd = highfd_brief (AT_FDCWD, path, FLAGS, 0);
    if (fd < 0)
        return -1;
    if (sys_fstat (fd, &st) == 0 && st.st_nlink == 1 &&
        st.st_uid == (uid_t)sys_call (SYS_geteuid))
        rc = appendline_write (fd, &st, w);
    (void)sys_close (fd);
    return rc;
}

static int appendline_in (int dir, const struct stat *shards, void *cookie)
{
    const struct appendline_work *w = cookie;
    char name[NAME_MAX_BYTES];
    struct stat st;
    int fd, rc = -1;

    if ((w->how & APPENDLINE_DOUBTFUL) && filespace_keeps (dir))
        return 0;
    appendline_name (name);
    fd = highfd_brief (dir, name, FLAGS | O_CREAT, SHARDPATH_FILE);
    if (fd < 0)
        return -1;
    if (shardplace_file (shards, fd, &st) == 0)
        rc = appendline_write (fd, &st, w);
    (void)sys_close (fd);
    return rc;
}

static __attribute__ ((noinline)) int
appendline_slowly (const char *dir, struct appendline_work *w)
{
    char place[SETTING_TEXT_MAX + sizeof (shards_name)];

    (void)appendline_place (place, dir, strnlen (dir, SETTING_TEXT_MAX - 1));
    return shardplace_step (place, (w->how & APPENDLINE_MAKE) != 0,
                            appendline_in, w);
}

int appendline (const char *dir, const struct procline *l, unsigned how)
{
    struct appendline_work w = {l, how};

    return appendline_there (dir, &w) == 0 ? 0 : appendline_slowly (dir, &w);
}
