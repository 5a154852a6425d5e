/* SPDX-License-Identifier: MIT
 *
 * orphan.c - a process whose trace file was removed -> what it lost
 *
 * In:  the process block, the name that the trace file had
 * Out: JOBDIR/shards/HOST-PID-TIME.dft with that block alone
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "preload/record/filespace.h"
#include "lib/base/highfd.h"
#include "preload/record/nodefile.h"
#include "preload/record/orphan.h"
#include "preload/record/shardlive.h"
#include "preload/record/shardpath.h"
#include "preload/record/shardplace.h"
#include "lib/settings/nodename.h"
#include "lib/base/sys.h"

static int orphan_is_there (const char *path)
{
    struct stat st;

    return sys_call (SYS_newfstatat, AT_FDCWD, path, &st,
                     AT_SYMLINK_NOFOLLOW) == 0 ||
           (errno != ENOENT && errno != ENOTDIR);
}

/* The directory that the job directory is in. Where that is gone, too, nobody
 * wants a trace there. */
static int orphan_has_place (const char *dir)
{
    char above[SETTING_TEXT_MAX];
    size_t n = strnlen (dir, SETTING_TEXT_MAX - 1);

    while (n > 1 && dir[n - 1] == '/')
        n--;
    while (n > 1 && dir[n - 1] != '/')
        n--;
    memcpy (above, dir, n);
    above[n] = '\0';
    return orphan_is_there (above);
}

static int orphan_is_merged (const char *dir)
{
    static const char name[] = "/trace.dft";
    char path[SETTING_TEXT_MAX + sizeof (name)];
    size_t n = strnlen (dir, SETTING_TEXT_MAX - 1);

    memcpy (path, dir, n);
    memcpy (path + n, name, sizeof (name));
    return orphan_is_there (path);
}

/* The head of the file, as if its process had been alone in it. */
struct orphan {
    struct shard_block block;
    struct shard_process process;
};

static void orphan_fill (struct orphan *o, const struct shard_block *head)
{
    uint64_t events;

    memcpy (&o->block, head, sizeof (o->block));
    memcpy (&o->process, head + 1, sizeof (o->process));
    events = o->process.events_sealed;
    o->process.lost_space += events ? events : 1;
    o->process.events_sealed = 0;
    o->process.chunks = 0;
    o->process.file_bytes = o->block.capacity | SHARD_CLOSED;
    o->block.proc = 0;
    o->block.seq = SHARD_ORDINAL;
    o->block.check = shard_block_check (&o->block);
}

struct orphan_work {
    const char *base; /* name of the file */
    const struct shard_block *head;
};

static int orphan_write_in (int dir, const struct stat *place, void *cookie)
{
    enum { FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW };
    const struct orphan_work *w = cookie;
    const struct shard_process *p = (const void *)(w->head + 1);
    struct orphan o;
    struct stat st;
    int fd = highfd_open (dir, w->base, FLAGS, SHARDPATH_FILE);

    if (fd < 0)
        return -1;
    orphan_fill (&o, w->head);
    if (p->strings_bytes <= o.block.capacity - sizeof (o) &&
        shardplace_file (place, fd, &st) == 0 &&
        filespace_write (fd, &o, sizeof (o), 0) == 0 &&
        filespace_write (fd, p + 1, p->strings_bytes, sizeof (o)) == 0)
        (void)sys_ftruncate (fd, o.block.capacity);
    return sys_close (fd);
}

void orphan_finish (const struct settings *s,
                    const struct procinfo *info,
                    const struct shardfile_start *start)
{
    struct orphan_work w = {
        .head = (const struct shard_block *)(const void *)shardlive () - 1};
    char own[SETTING_TEXT_MAX + NODENAME_MAX + 64];

    if (strcmp (SETTING_TEXT (s, made), s->job_dir) != 0 ||
        SETTING_TEXT (s, stage)[0] ||
        shardpath_make (own, sizeof (own), s->job_dir, info->host, start) < 0)
        return;
    w.base = shardpath_base (own);
    if (orphan_is_there (shardfile_is_shared () ? nodefile_path () : own) ||
        orphan_is_merged (s->job_dir) || !orphan_has_place (s->job_dir))
        return;
    shardplace_start (1); /* it was there: we are in no container */
    (void)shardplace_step (shardpath_place (s->job_dir), 1, orphan_write_in,
                           &w);
}
