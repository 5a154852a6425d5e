/* SPDX-License-Identifier: MIT
 *
 * refused.c - reasons that the preload library left
 *
 * In:  the directory shards of a job
 * Out: host and reason, control characters replaced; one line each
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/refused.h"
#include "lib/core/settings.h"

enum { REASON_MAX = 512 };

static const char prefix[] = "refused.";

static int tell_file (int dirfd, const char *name, refused_tell_f tell)
{
    char reason[REASON_MAX + 1];
    int fd = openat (dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read (fd, reason, REASON_MAX);

    if (fd >= 0)
        (void)close (fd);
    if (n < 0)
        return 0;
    for (ssize_t i = 0; i < n; i++)
        if ((unsigned char)reason[i] < ' ' || reason[i] == 127)
            reason[i] = ' ';
    reason[n] = '\0';
    tell (name + sizeof (prefix) - 1, reason);
    return 1;
}

unsigned refused_each (const char *job_dir, refused_tell_f tell)
{
    char path[SETTING_TEXT_MAX + 16];
    unsigned count = 0;
    struct dirent *entry;
    DIR *dir;

    if (!job_dir || snprintf (path, sizeof (path), "%s/shards", job_dir) >=
                        (int)sizeof (path))
        return 0;
    dir = opendir (path);
    while (dir && (entry = readdir (dir)))
        if (strncmp (entry->d_name, prefix, sizeof (prefix) - 1) == 0)
            count += (unsigned)tell_file (dirfd (dir), entry->d_name, tell);
    if (dir)
        (void)closedir (dir);
    return count;
}
