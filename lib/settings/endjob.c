/* SPDX-License-Identifier: MIT
 *
 * endjob.c - pid, wait status -> a line of JOBDIR/shards/ended.HOST
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/settings/endjob.h"
#include "lib/format/endline.h"
#include "lib/settings/jobdir.h"

enum { NS_PER_S = 1000000000 };

static uint64_t endjob_now (void)
{
    struct timespec now;

    (void)clock_gettime (CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

int endjob_put (int dirfd,
                const char *host,
                const struct endline *l,
                struct errtext *err)
{
    char name[JOBDIR_NAME_MAX], file[JOBDIR_NAME_MAX + 32];
    struct stat st;
    int shards, fd, rc = -1;

    (void)snprintf (file, sizeof (file), ENDLINE_FILE "%s",
                    jobdir_host (host, name));
    shards = openat (dirfd, "shards",
                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    fd = shards < 0 ? -1
                    : openat (shards, file,
                              O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW |
                                  O_NONBLOCK | O_CLOEXEC,
                              0600);
    if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
        (st.st_size >= ENDLINE_FILE_MAX ||
         write (fd, l->text, l->used) == (ssize_t)l->used))
        rc = 0;
    if (rc < 0)
        (void)errf (err, "shards/%s: %s", file, strerror (errno));
    if (fd >= 0)
        (void)close (fd);
    if (shards >= 0)
        (void)close (shards);
    return rc;
}

int endjob_note (int dirfd,
                 const char *host,
                 pid_t pid,
                 int status,
                 const char *waiter,
                 struct errtext *err)
{
    struct endline l;

    endline_make (&l, pid, endjob_now (), status, waiter);
    return endjob_put (dirfd, host, &l, err);
}
