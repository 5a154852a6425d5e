/* SPDX-License-Identifier: MIT
 *
 * otfdir.c - a directory that appears whole under its name, or not at all
 *
 * In:  the name that the user gave
 * Out: a directory with a temporary name beside it; then that one by its name
 */
#include "config.h"

#include "analyze/export/otfdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/util/fsutil.h"

enum { OTFDIR_MODE = 0700, OTFDIR_DESCRIPTORS = 16 };

/* Without the slashes at its end; malloc'd. */
static char *otfdir_plain (const char *path)
{
    char *plain = strdup (path);
    size_t n = plain ? strlen (plain) : 0;

    while (n > 1 && plain[n - 1] == '/')
        plain[--n] = '\0';
    return plain;
}

static int otfdir_taken (const char *path, struct errtext *err)
{
    return errf (err,
                 "%s: it is there already and is no empty directory: name "
                 "another one with --output, or remove it",
                 path);
}

static int otfdir_is_empty (const char *path)
{
    DIR *d = opendir (path);
    int entries = 0;

    while (d && readdir (d))
        entries++;
    if (d)
        (void)closedir (d);
    return d && entries <= 2; /* . and .. */
}

char *otfdir_begin (const char *path, struct errtext *err)
{
    char *plain = otfdir_plain (path), *temporary = NULL;
    struct stat st;

    if (plain && lstat (plain, &st) == 0 &&
        (!S_ISDIR (st.st_mode) || !otfdir_is_empty (plain))) {
        (void)otfdir_taken (path, err);
        free (plain);
        return NULL;
    }
    if (plain)
        temporary = text_format ("%s.%x-%x.tmp", plain, (unsigned)getpid (),
                                 (unsigned)clock_ns (CLOCK_REALTIME));
    if (!temporary || mkdir (temporary, OTFDIR_MODE) < 0) {
        (void)errf (err, "%s: cannot write: %s", path, strerror (errno));
        free (temporary);
        temporary = NULL;
    }
    free (plain);
    return temporary;
}

static int otfdir_remove_one (const char *path,
                              const struct stat *st,
                              int type,
                              struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    (void)remove (path);
    return 0;
}

void otfdir_abort (char *temporary)
{
    if (temporary)
        (void)nftw (temporary, otfdir_remove_one, OTFDIR_DESCRIPTORS,
                    FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    free (temporary);
}

static int otfdir_sync_one (const char *path,
                            const struct stat *st,
                            int type,
                            struct FTW *at)
{
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = fd < 0 ? -1 : fsync (fd);

    (void)st;
    (void)at;
    if (fd >= 0)
        (void)close (fd);
    return type == FTW_F ? rc : 0; /* some file systems sync no directories */
}

int otfdir_commit (char *temporary, const char *path, struct errtext *err)
{
    char *plain = otfdir_plain (path);
    int rc = -1;

    if (!plain || nftw (temporary, otfdir_sync_one, OTFDIR_DESCRIPTORS,
                        FTW_PHYS | FTW_MOUNT) != 0)
        (void)errf (err, "%s: cannot write: %s", path, strerror (errno));
    else if (rename (temporary, plain) == 0)
        rc = 0;
    else if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
        (void)otfdir_taken (path, err);
    else
        (void)errf (err, "%s: cannot write: %s", path, strerror (errno));
    free (plain);
    if (rc == 0)
        free (temporary);
    else
        otfdir_abort (temporary);
    return rc;
}
