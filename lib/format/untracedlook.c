/* SPDX-License-Identifier: MIT
 *
 * untracedlook.c - shards of a job directory -> rows of the list that go
 *
 * In:  the shards' process blocks; lines `traced` of shards/processes.HOST
 * Out: struct untraced, settled
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/format/proclines.h"
#include "lib/format/tracefile.h"
#include "lib/format/untracedlist.h"

enum { LOOK_DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* shards/ of a job directory; -1: there is none. */
static int untracedlook_open (const char *job_dir)
{
    int dirfd = job_dir ? open (job_dir, LOOK_DIRECTORY) : -1;
    int fd = dirfd < 0 ? -1 : openat (dirfd, "shards", LOOK_DIRECTORY);

    if (dirfd >= 0)
        (void)close (dirfd);
    return fd;
}

static void untracedlook_process (struct untraced *u,
                                  const struct trace_process *who)
{
    const uint64_t end = who->p.end_ns, begin = who->p.start_ns;
    const struct untraced_seen seen = {
        .host = who->text[SHARD_STRING_HOST],
        .exe = who->text[SHARD_STRING_EXE],
        .pid = who->p.pid,
        .start = who->p.start_real,
        .end = end > begin ? who->p.start_real + (end - begin) : 0,
        .exec = who->p.exec_ns != 0};

    untracedlist_seen (u, &seen);
}

static void untracedlook_file (struct untraced *u, int dirfd, const char *name)
{
    struct errtext err;
    struct tracefile *f = tracefile_openat (dirfd, name, &err);

    for (size_t i = 0; f && i < tracefile_processes (f); i++)
        untracedlook_process (u, tracefile_process (f, i));
    tracefile_close (f);
}

/* Processes without a trace. */
static int untracedlook_quiet (const struct procrecord *r, void *cookie)
{
    const struct untraced_seen seen = {.host = r->host,
                                       .exe = r->exe,
                                       .pid = r->pid,
                                       .start = r->start,
                                       .end = r->end,
                                       .exec = r->exec};

    if (r->quiet)
        untracedlist_seen (cookie, &seen);
    return 0;
}

void untracedlist_see_quiet (struct untraced *u, const char *job_dir)
{
    struct proclines p = {
        .kinds = PROCRECORD_TRACED, .f = untracedlook_quiet, .cookie = u};

    if (u->count)
        (void)proclines_read (&p, job_dir);
}

static int untracedlook_is_shard (const char *name)
{
    size_t n = strlen (name);

    return n > 4 && strcmp (name + n - 4, ".dft") == 0;
}

void untracedlist_look (struct untraced *u, const char *job_dir)
{
    int fd = u->count ? untracedlook_open (job_dir) : -1;
    DIR *d = fd < 0 ? NULL : fdopendir (fd);
    const struct dirent *e;

    untracedlist_see_quiet (u, job_dir);
    while (d && (e = readdir (d)))
        if (untracedlook_is_shard (e->d_name))
            untracedlook_file (u, fd, e->d_name);
    if (d)
        (void)closedir (d);
    else if (fd >= 0)
        (void)close (fd);
    untracedlist_settle (u);
}
