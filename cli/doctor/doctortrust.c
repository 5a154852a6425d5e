/* SPDX-License-Identifier: MIT
 *
 * doctortrust.c - who can change a file that root or every job believes?
 *
 * Out: findings; the file's check sum as a fact, to compare nodes
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/doctor/doctor.h"
#include "cli/doctor/finding.h"

static int trust_owner (const struct doctor *d, uid_t uid)
{
    return uid == 0 || uid == d->slurm_uid;
}

/* NULL, or why strangers can change it. In a directory with the sticky bit
 * nobody can replace what is another's. */
static const char *trust_hole (const struct doctor *d, const struct stat *st)
{
    if (!trust_owner (d, st->st_uid))
        return "belongs to a user: chown root";
    if (S_ISDIR (st->st_mode) && st->st_mode & S_ISVTX)
        return NULL;
    if (st->st_mode & S_IWOTH)
        return "everybody can write to it: chmod o-w";
    if (st->st_mode & S_IWGRP && st->st_gid != 0)
        return "a group can write to it: chmod g-w";
    return NULL;
}

/* The file, then each directory above it. */
static void trust_look (const struct doctor *d, char *path)
{
    const char *hole;
    struct stat st;

    for (char *slash = path; slash;) {
        if (stat (*path ? path : "/", &st) == 0 &&
            (hole = trust_hole (d, &st)) != NULL) {
            finding_bad ("%s: %s", *path ? path : "/", hole);
            return;
        }
        slash = strrchr (path, '/');
        if (slash)
            *slash = '\0';
    }
}

static void trust_sum (const char *key, const char *path)
{
    unsigned char block[65536];
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uLong sum = crc32 (0, NULL, 0);
    unsigned long long size = 0;
    ssize_t n;

    if (fd < 0) {
        finding_fact (key, "%s: %s", path, strerror (errno));
        return;
    }
    while ((n = read (fd, block, sizeof (block))) > 0) {
        sum = crc32 (sum, block, (uInt)n);
        size += (unsigned long long)n;
    }
    (void)close (fd);
    finding_fact (key, "%s %llu bytes, CRC %08lx", path, size, sum);
}

void doctor_trust (const struct doctor *d, const char *key, const char *path)
{
    char *real = realpath (path, NULL), *copy = strdup (path);

    if (copy)
        trust_look (d, copy); /* who can change a link */
    if (real && copy && strcmp (real, path) != 0)
        trust_look (d, real);
    if (key)
        trust_sum (key, path);
    free (copy);
    free (real);
}
