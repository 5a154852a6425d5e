/* SPDX-License-Identifier: MIT
 *
 * leftover.c - jobs of which this node still has staged shards
 *
 * In:  the state directory, root's alone
 * Out: job ids; how many turns ran out of time
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
    NAME_TEXT = JOBDIR_NAME_MAX + 32,
    RETURNED_MAX = 16 /* turns of one epilog */
};

/* ".left", ".left1", … */
static void left_word (int tries, char buf[16])
{
    if (tries)
        (void)snprintf (buf, 16, "left%d", tries);
    else
        (void)snprintf (buf, 16, "left");
}

void leftover_host (const char *host,
                    const struct leftover *l,
                    char *buf,
                    unsigned long size)
{
    char word[16];

    left_word (l->tries, word);
    (void)snprintf (buf, size, "%s.%s", host, word);
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

static void left_name (const struct leftover *l, const char *host, char *name)
{
    char word[16];

    left_word (l->tries, word);
    (void)snprintf (name, NAME_TEXT, "%lu.%s.%s", (unsigned long)l->job_id,
                    host, word);
}

static void rename_to (const char *state_dir,
                       const char *host,
                       struct leftover *l,
                       int tries)
{
    char from[NAME_TEXT], to[NAME_TEXT];
    int dir = open_state (state_dir);

    if (dir < 0)
        return;
    left_name (l, host, from);
    l->tries = tries;
    left_name (l, host, to);
    if (tries >= LEFTOVER_TRIES)
        (void)unlinkat (dir, from, 0);
    else
        (void)renameat (dir, from, dir, to);
    (void)close (dir);
}

void leftover_count (const char *state_dir,
                     const char *host,
                     struct leftover *l)
{
    rename_to (state_dir, host, l, l->tries + 1);
}

void leftover_uncount (const char *state_dir,
                       const char *host,
                       struct leftover *l)
{
    rename_to (state_dir, host, l, l->tries - 1);
}

/* "JOB.HOST.left[N]"; 0 when name is none of these. */
static int parse_name (const char *name, const char *host, struct leftover *l)
{
    char want[NAME_TEXT], digits[32];
    size_t n = strspn (name, "0123456789");
    uint64_t id;

    if (n == 0 || n >= sizeof (digits))
        return 0;
    memcpy (digits, name, n);
    digits[n] = '\0';
    if (parse_u64 (digits, &id) < 0 || id == 0 || id > UINT32_MAX)
        return 0;
    l->job_id = (uint32_t)id;
    for (l->tries = 0; l->tries < LEFTOVER_TRIES; l->tries++) {
        left_name (l, host, want);
        if (strcmp (name, want) == 0)
            return 1;
    }
    return 0;
}

static int is_older (const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec
                                  : a->tv_nsec < b->tv_nsec;
}

static uint32_t returned[RETURNED_MAX]; /* by this process */
static int nreturned;

static int was_returned (uint32_t job_id)
{
    for (int i = 0; i < nreturned; i++)
        if (returned[i] == job_id)
            return 1;
    return 0;
}

int leftover_next (const char *state_dir,
                   const char *host,
                   int newest,
                   struct leftover *l)
{
    int fd = nreturned < RETURNED_MAX ? open_state (state_dir) : -1;
    DIR *d = fd < 0 ? NULL : fdopendir (fd);
    const struct dirent *entry;
    struct timespec best = {0};
    struct leftover one;
    struct stat st;
    int found = 0;

    while (d && (entry = readdir (d))) {
        if (!parse_name (entry->d_name, host, &one) ||
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (st.st_mtime + LEFTOVER_SECONDS < time (NULL)) {
            (void)unlinkat (dirfd (d), entry->d_name, 0);
        } else if (!was_returned (one.job_id) &&
                   (!found || (newest ? is_older (&best, &st.st_mtim)
                                      : is_older (&st.st_mtim, &best)))) {
            best = st.st_mtim;
            *l = one;
            found = 1;
        }
    }
    if (d)
        (void)closedir (d);
    else if (fd >= 0)
        (void)close (fd);
    if (found)
        returned[nreturned++] = l->job_id;
    return found;
}
