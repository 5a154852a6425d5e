/* SPDX-License-Identifier: MIT
 *
 * leftover.c - jobs of which this node still has staged shards
 *
 * In:  the state directory, root's alone
 * Out: job ids; how many turns ran out of time
 */
#include "config.h"

#include <dirent.h>

#include "spank/epilog/node.h"
#include "lib/settings/jobdir.h"
#include "lib/base/text.h"

enum {
    LEFTOVER_SECONDS = 7 * 24 * 3600, /* then the user has seen it missing */
    /* a marker that no epilog came for, as slurmd was gone for good */
    LEFTOVER_LOST_SECONDS = 60 * 24 * 3600,
    NAME_TEXT = JOBDIR_NAME_MAX + 32,
    OWNERS_MAX = 1024 /* looked at by one epilog */
};

/* ".left", ".left1", … */
static void left_word (int tries, char buf[16])
{
    if (tries)
        snprintf (buf, 16, "left%d", tries);
    else
        snprintf (buf, 16, "left");
}

void leftover_host (const char *host,
                    const struct leftover *l,
                    char *buf,
                    unsigned long size)
{
    char word[16];

    left_word (l->tries, word);
    snprintf (buf, size, "%s.%s", host, word);
}

static int left_open_state (const char *state_dir)
{
    return open (state_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int leftover_keep (const char *state_dir, uint32_t job_id, const char *host)
{
    char from[NAME_TEXT], to[NAME_TEXT];
    int dir = left_open_state (state_dir), rc;

    if (dir < 0)
        return -1;
    snprintf (from, sizeof (from), "%lu.%s", (unsigned long)job_id, host);
    snprintf (to, sizeof (to), "%lu.%s.left", (unsigned long)job_id, host);
    rc = faccessat (dir, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0
             ? -1
             : renameat (dir, from, dir, to);
    close (dir);
    return rc;
}

static void left_name (const struct leftover *l, const char *host, char *name)
{
    char word[16];

    left_word (l->tries, word);
    snprintf (name, NAME_TEXT, "%lu.%s.%s", (unsigned long)l->job_id, host,
              word);
}

static void left_rename (const char *state_dir,
                         const char *host,
                         struct leftover *l,
                         int tries)
{
    char from[NAME_TEXT], to[NAME_TEXT];
    int dir = left_open_state (state_dir);

    if (dir < 0)
        return;
    left_name (l, host, from);
    l->tries = tries;
    left_name (l, host, to);
    if (tries >= LEFTOVER_TRIES)
        unlinkat (dir, from, 0);
    else
        renameat (dir, from, dir, to);
    close (dir);
}

void leftover_count (const char *state_dir,
                     const char *host,
                     struct leftover *l)
{
    left_rename (state_dir, host, l, l->tries + 1);
}

void leftover_uncount (const char *state_dir,
                       const char *host,
                       struct leftover *l)
{
    left_rename (state_dir, host, l, l->tries - 1);
}

/* "JOB.HOST.left[N]" returns 1. Of "JOB.HOST" only the job is set, which is 0
 * for all other names. */
static int left_parse (const char *name, const char *host, struct leftover *l)
{
    char want[NAME_TEXT], digits[32];
    size_t n = strspn (name, "0123456789");
    uint64_t id;

    l->job_id = 0;
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
    if (name[n] != '.' || strcmp (name + n + 1, host) != 0)
        l->job_id = 0;
    return 0;
}

/* -- turns --------------------------------------------------------------- */

struct left_owner {
    struct leftover oldest, newest;
    struct timespec old, new;
};

struct left_list {
    struct left_owner *item;
    size_t count;
};

static int left_is_older (const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec
                                  : a->tv_nsec < b->tv_nsec;
}

/* The first number of a marker. That it is root's alone is checked by who
 * reads all of it. */
static int left_read_owner (int dirfd, const char *name, uid_t *owner)
{
    int fd =
        openat (dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char text[32];
    ssize_t n = fd < 0 ? -1 : read (fd, text, sizeof (text) - 1);
    char *blank;
    uint64_t id;

    if (fd >= 0)
        close (fd);
    if (n <= 0)
        return -1;
    text[n] = '\0';
    blank = strchr (text, ' ');
    if (!blank)
        return -1;
    *blank = '\0';
    if (parse_u64 (text, &id) < 0 || id > UINT32_MAX)
        return -1;
    *owner = (uid_t)id;
    return 0;
}

static void left_add (struct left_list *list,
                      const struct leftover *l,
                      const struct timespec *when)
{
    struct left_owner *o;

    if (!list->item && /* most epilogs find nothing */
        !(list->item = calloc (OWNERS_MAX, sizeof (*list->item))))
        return;
    for (size_t i = 0; i < list->count; i++) {
        o = &list->item[i];
        if (o->oldest.owner != l->owner)
            continue;
        if (left_is_older (when, &o->old)) {
            o->oldest = *l;
            o->old = *when;
        }
        if (left_is_older (&o->new, when)) {
            o->newest = *l;
            o->new = *when;
        }
        return;
    }
    if (list->count == OWNERS_MAX) /* the others come when these are done */
        return;
    o = &list->item[list->count++];
    o->oldest = o->newest = *l;
    o->old = o->new = *when;
}

static void left_scan (struct left_list *list, DIR *d, const char *host)
{
    const struct dirent *entry;
    struct leftover one = {0};
    struct stat st;

    while ((entry = readdir (d))) {
        int left = left_parse (entry->d_name, host, &one);

        if (!(left || one.job_id) ||
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (!left) {
            if (st.st_mtime + LEFTOVER_LOST_SECONDS < time (NULL))
                unlinkat (dirfd (d), entry->d_name, 0);
            continue;
        }
        if (st.st_mtime + LEFTOVER_SECONDS < time (NULL))
            unlinkat (dirfd (d), entry->d_name, 0);
        else if (left_read_owner (dirfd (d), entry->d_name, &one.owner) == 0)
            left_add (list, &one, &st.st_mtim);
    }
}

/* SplitMix64: neighbours that it begins with have nothing in common. */
static uint64_t left_chance (uint64_t *chance)
{
    uint64_t z = *chance += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

size_t leftover_turns (const char *state_dir,
                       const char *host,
                       uint64_t chance,
                       struct leftover *turn,
                       size_t max)
{
    struct left_list list = {NULL, 0};
    int fd = left_open_state (state_dir);
    DIR *d = fd < 0 ? NULL : fdopendir (fd);
    size_t n = 0;

    if (d) {
        left_scan (&list, d, host);
        closedir (d);
    } else if (fd >= 0) {
        close (fd);
    }
    for (; n < max && n < list.count; n++) {
        size_t at = n + (size_t)(left_chance (&chance) % (list.count - n));
        struct left_owner one = list.item[at];

        list.item[at] = list.item[n];
        turn[n] = left_chance (&chance) & 1 ? one.newest : one.oldest;
    }
    free (list.item);
    return n;
}

uint64_t leftover_until (uint64_t now_ms,
                         uint64_t end_ms,
                         size_t owners,
                         uint64_t least_ms)
{
    uint64_t part;

    if (now_ms >= end_ms || !owners)
        return end_ms;
    part = (end_ms - now_ms) / owners;
    if (part < least_ms)
        part = least_ms;
    return now_ms + part < end_ms ? now_ms + part : end_ms;
}
