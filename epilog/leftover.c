/* SPDX-License-Identifier: MIT
 *
 * leftover.c - jobs of which this node still has staged shards
 *
 * In:  the state directory, root's alone
 * Out: job ids, oldest file first
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "epilog/leftover.h"
#include "lib/core/settings/jobdir.h"
#include "lib/core/settings/parse.h"

enum {
    LEFTOVER_SECONDS = 7 * 24 * 3600, /* then the user has seen it missing */
    NAME_TEXT = JOBDIR_NAME_MAX + 32
};

void leftover_host (const char *host, char *buf, unsigned long size)
{
    (void)snprintf (buf, size, "%s.left", host);
}

static int open_state (const char *state_dir)
{
    return open (state_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int leftover_keep (const char *state_dir, uint32_t job_id, const char *host)
{
    char from[NAME_TEXT], to[NAME_TEXT];
    int dir = open_state (state_dir), rc;

    if (dir < 0)
        return -1;
    (void)snprintf (from, sizeof (from), "%lu.%s", (unsigned long)job_id, host);
    (void)snprintf (to, sizeof (to), "%lu.%s.left", (unsigned long)job_id,
                    host);
    rc = renameat (dir, from, dir, to);
    (void)close (dir);
    return rc;
}

/* Number before ".HOST.left"; 0 when name is none of these. */
static uint32_t job_of (const char *name, const char *host)
{
    char tail[NAME_TEXT], digits[32];
    size_t n = strspn (name, "0123456789");
    uint64_t id;

    (void)snprintf (tail, sizeof (tail), ".%s.left", host);
    if (n == 0 || n >= sizeof (digits) || strcmp (name + n, tail) != 0)
        return 0;
    memcpy (digits, name, n);
    digits[n] = '\0';
    return parse_u64 (digits, &id) == 0 && id <= UINT32_MAX ? (uint32_t)id : 0;
}

static int is_older (const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec
                                  : a->tv_nsec < b->tv_nsec;
}

int leftover_next (const char *state_dir, const char *host, uint32_t *job_id)
{
    static struct timespec tried; /* files not younger had their turn */
    int fd = open_state (state_dir);
    DIR *d = fd < 0 ? NULL : fdopendir (fd);
    const struct dirent *entry;
    struct timespec oldest = {0};
    struct stat st;

    while (d && (entry = readdir (d))) {
        uint32_t id = job_of (entry->d_name, host);

        if (!id ||
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (st.st_mtime + LEFTOVER_SECONDS < time (NULL)) {
            (void)unlinkat (dirfd (d), entry->d_name, 0);
        } else if (is_older (&tried, &st.st_mtim) &&
                   (!oldest.tv_sec || is_older (&st.st_mtim, &oldest))) {
            oldest = st.st_mtim;
            *job_id = id;
        }
    }
    if (d)
        (void)closedir (d);
    else if (fd >= 0)
        (void)close (fd);
    tried = oldest;
    return oldest.tv_sec != 0;
}
