/* SPDX-License-Identifier: MIT
 *
 * claim.c - one of many nodes may merge
 *
 * In:  the job directory, on whatever file system the nodes share
 * Out: <dir>/.claim, made with O_EXCL (atomic on NFS since version 3)
 * Caveat: two that find an old claim must not both remove it: the second would
 *         remove the first one's new claim. So <dir>/.claim.over, made in the
 *         same way, is around that; if a node dies in there, nobody takes that
 *         claim over and `dftrace analyze DIR` does the work.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "spank/epilog/claim.h"
#include "lib/util/fsutil.h"

enum { CLAIM_STALE_SECONDS = 3600 }; /* no epilog may take that long */

static char *claim_path (const char *dir)
{
    return path_join (dir, ".claim");
}

static int is_stale (const char *path)
{
    struct stat st;

    return lstat (path, &st) == 0 &&
           st.st_mtime + CLAIM_STALE_SECONDS < time (NULL);
}

static int make_claim (const char *path, const char *host)
{
    int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return -1;
    if (write (fd, host, strlen (host)) < 0)
        errno = 0; /* only for the human who looks */
    (void)close (fd);
    return 0;
}

/* Does the old claim end here, so that there may be a new one? */
static int take_over (const char *dir, const char *path, const char *host)
{
    char *guard = path_join (dir, ".claim.over");
    int rc = guard ? make_claim (guard, host) : -1, saved;

    if (rc == 0) {
        rc = -1;
        errno = EEXIST;
        if (is_stale (path)) { /* still: nobody was faster */
            (void)unlink (path);
            rc = make_claim (path, host);
        }
        saved = errno;
        (void)unlink (guard);
        errno = saved;
    }
    free (guard);
    return rc;
}

int claim_take (const char *dir, const char *host, struct errtext *err)
{
    char *path = claim_path (dir);
    int rc = path ? make_claim (path, host) : -1;

    if (path && rc < 0 && errno == EEXIST && is_stale (path)) {
        rc = take_over (dir, path, host);
    }
    free (path);
    if (rc == 0)
        return 1;
    if (errno == EEXIST)
        return 0;
    return errf (err, "%s: cannot claim: %s", dir, strerror (errno));
}

void claim_release (const char *dir)
{
    char *path = claim_path (dir);

    if (path)
        (void)unlink (path);
    free (path);
}
